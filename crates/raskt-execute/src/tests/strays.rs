//! Work that nobody waits for any more and that can't be stopped; and producers that wait for memory.

use super::memory::Place;
use super::{RunError, engine, number, op, submit, sum_of};
use raskt_graph::*;
use raskt_sync::{Condvar, Mutex};
use raskt_value::{Chunk, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

/// Tasks that come in and stay until they are let go, whatever becomes of their run.
#[derive(Default)]
struct Gate {
    inside: Mutex<(usize, bool)>,
    changed: Condvar,
    /// How many were inside at a time.
    most: AtomicUsize,
}

impl Gate {
    fn stay(&self) {
        let mut inside = self.inside.lock();
        inside.0 += 1;
        self.most.fetch_max(inside.0, Ordering::Relaxed);
        self.changed.notify_all();
        while !inside.1 {
            inside = self.changed.wait(inside);
        }
        inside.0 -= 1;
    }

    fn wait_for(&self, count: usize) {
        let mut inside = self.inside.lock();
        while inside.0 < count {
            inside = self.changed.wait(inside);
        }
    }

    fn open(&self) {
        self.inside.lock().1 = true;
        self.changed.notify_all();
    }
}

const SCRATCH: u64 = 1 << 20;

/// A task that stays at the gate with a megabyte.
fn stays(gate: &Arc<Gate>) -> (Arc<Graph>, Vec<TaskId>) {
    let (mut graph, gate) = (GraphBuilder::new(), gate.clone());
    let op = op(&mut graph, move |_, _| {
        gate.stay();
        Ok(Chunk::scalar(1_i64).into())
    });
    let cost = Cost { scratch_bytes: SCRATCH, ..Cost::default() };
    let layer = graph.layer(Layer::new("stays", op, Shape::source(1)).with_cost(cost)).unwrap();
    (Arc::new(graph.finish()), vec![TaskId::new(layer, 0)])
}

#[test]
fn what_is_cancelled_and_goes_on_keeps_its_memory_and_beyond_a_bound_its_slot() {
    let (engine, gate) = (engine(2), Arc::new(Gate::default()));
    for at in 0..20 {
        let run = submit(&engine, stays(&gate));
        if at < 4 {
            gate.wait_for(at + 1);
        }
        run.cancel();
        drop(run);
        assert_eq!(engine.strays(), (at + 1).min(4), "two beside the two threads");
        let promised = engine.store().report().unwrap().promised;
        assert!(promised >= engine.strays() as u64 * SCRATCH, "{promised} bytes are promised");
    }
    let next = submit(&engine, sum_of(10));
    gate.open();
    assert_eq!(number(&next.wait().unwrap()[0]), 45);
    drop(next);
    while engine.strays() > 0 || engine.store().report().unwrap().promised > 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(gate.most.load(Ordering::Relaxed), 4, "tasks at work at a time");
}

#[test]
fn a_breakdown_leaves_the_promises_of_what_threads_are_at() {
    let (engine, gate) = (engine(2), Arc::new(Gate::default()));
    let promised = || engine.store().report().unwrap().promised;
    let stray = submit(&engine, stays(&gate));
    gate.wait_for(1);
    stray.cancel();
    let running = submit(&engine, stays(&gate));
    gate.wait_for(2);
    assert_eq!(promised(), 2 * SCRATCH);
    engine.break_down("asked to");
    assert_eq!(promised(), 2 * SCRATCH, "both still run, each with its megabyte");
    gate.open();
    assert!(matches!(running.wait(), Err(RunError::Broken(_))));
    let deadline = Instant::now() + Duration::from_secs(60);
    while engine.strays() > 0 || promised() > 0 {
        assert!(Instant::now() < deadline, "{} bytes stay promised", promised());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn beside_one_that_goes_on_after_its_end_there_is_a_thread_for_what_comes_next() {
    for threads in [1, 2] {
        let (engine, gate) = (engine(threads), Arc::new(Gate::default()));
        for at in 0..threads {
            let run = submit(&engine, stays(&gate));
            gate.wait_for(at + 1);
            run.cancel();
        }
        assert_eq!(number(&submit(&engine, sum_of(10)).wait().unwrap()[0]), 45);
        gate.open();
    }
}

#[test]
fn producers_that_wait_for_memory_go_ahead_when_time_has_passed_and_nothing_else_has() {
    const MIB: u64 = 1 << 20;
    let (place, gate) = (Place::new(2, 16), Arc::new(Gate::default()));
    let block = |mib: u64| -> Value {
        Chunk::from_vec(vec![0_u8; (mib * MIB) as usize], &[(mib * MIB) as usize]).unwrap().into()
    };
    let mut graph = GraphBuilder::new();
    let make = op(&mut graph, move |_, _| Ok(block(4)));
    let inside = gate.clone();
    let read = op(&mut graph, move |_, _| {
        inside.stay();
        Ok(Chunk::scalar(0_i64).into())
    });
    let begun = Arc::new(AtomicUsize::new(0));
    let count = begun.clone();
    let late = op(&mut graph, move |_, _| {
        count.fetch_add(1, Ordering::Relaxed);
        Ok(block(4))
    });
    let all = op(&mut graph, |_, _| Ok(Chunk::scalar(0_i64).into()));
    let bytes = |output_bytes| Cost { output_bytes, ..Cost::default() };
    // Two results are read by a task that takes long; the others have no memory before it ends.
    let layer = |name: &str, op, shape, cost: Cost| Layer::new(name, op, shape).with_cost(cost);
    let made = graph.layer(layer("make", make, Shape::source(2), bytes(4 * MIB))).unwrap();
    let shape = Shape::Reduce { input: made, grid: Grid::new([2]), fan_in: [2].into_iter().collect() };
    let read = graph.layer(layer("read", read, shape, bytes(8))).unwrap();
    let others = graph.layer(layer("late", late, Shape::source(8), bytes(4 * MIB))).unwrap();
    let shape = Shape::Reduce { input: others, grid: Grid::new([8]), fan_in: [8].into_iter().collect() };
    let end = graph.layer(layer("all", all, shape, bytes(8))).unwrap();
    let run = place.engine.submit(Arc::new(graph.finish()), vec![TaskId::new(read, 0), TaskId::new(end, 0)]);
    gate.wait_for(1);
    let deadline = Instant::now() + Duration::from_secs(60);
    while begun.load(Ordering::Relaxed) < 8 {
        assert!(Instant::now() < deadline, "they wait for a task that takes long");
        std::thread::sleep(Duration::from_millis(1));
    }
    gate.open();
    run.wait().unwrap();
}

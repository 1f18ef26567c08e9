//! Results that are made again through the graphs of those that they were made of.

use super::memory::{Place, all, block, blocks, bytes, sum};
use super::op;
use raskt_graph::*;
use raskt_store::{Past, StoredRef};
use raskt_value::Value;
use std::fs;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Barrier};
use std::time::{Duration, Instant};

const COUNT: u32 = 12;

/// A ring in which each block is the sum of its neighbours before, over three, by a step that `calls` counts. The graph, the
/// same one without the results that it reads, and these.
struct Ring {
    graph: Arc<Graph>,
    hollow: Arc<Graph>,
    kept: Vec<(TaskId, Arc<StoredRef>)>,
    wanted: Vec<TaskId>,
}

fn ring(given: Vec<Value>, calls: &Arc<AtomicU64>) -> Ring {
    let graph = |given: Option<Vec<Value>>| {
        let mut graph = GraphBuilder::new();
        let give = op(&mut graph, move |call, _| {
            Ok(given.as_ref().expect("an origin is looked at before")[call.index as usize].clone())
        });
        let calls = calls.clone();
        let add = op(&mut graph, move |_, inputs| {
            calls.fetch_add(1, Ordering::Relaxed);
            let first = |value: &Value| value.as_chunk().unwrap().as_slice::<i64>().unwrap()[0];
            Ok(block(inputs.iter().map(first).sum::<i64>() % 1009, 256))
        });
        let given = graph.layer(Layer::new("given", give, Shape::source(COUNT)).with_cost(bytes(0))).unwrap();
        let mut edges = ExplicitBuilder::default();
        for at in 0..COUNT {
            [at + COUNT - 1, at, at + 1].iter().for_each(|at| edges.input(TaskId::new(given, u64::from(at % COUNT))));
            edges.task();
        }
        let shape = Shape::Explicit(edges.finish().unwrap());
        let layer = graph.layer(Layer::new("ring", add, shape).with_cost(bytes(256 << 10))).unwrap();
        (Arc::new(graph.finish()), given, layer)
    };
    let kept = given.iter().enumerate().map(|(at, value)| {
        (TaskId::new(LayerId(0), at as u64), StoredRef::of(value).expect("the store keeps blocks of this size"))
    });
    let kept = kept.collect();
    let (hollow, ..) = graph(None);
    let (graph, _, layer) = graph(Some(given));
    Ring { graph, hollow, kept, wanted: all(layer, COUNT) }
}

fn expected(steps: usize) -> Vec<i64> {
    let mut values: Vec<i64> = (0..i64::from(COUNT)).collect();
    for _ in 0..steps {
        let count = values.len();
        values = (0..count)
            .map(|at| (values[(at + count - 1) % count] + values[at] + values[(at + 1) % count]) % 1009)
            .collect();
    }
    values
}

/// Goes so many steps, of which each leaves only its own results.
fn steps(place: &Place, steps: usize, calls: &Arc<AtomicU64>) -> Vec<Value> {
    let (graph, wanted) = blocks(COUNT, false);
    let past = Some(Arc::new(Past::of(graph.clone())));
    let run = |graph, wanted, past| {
        let handle = place.engine.submit_with_past(graph, wanted, past);
        handle.wait_timeout_kept(Duration::from_secs(60)).expect("it doesn't hang").unwrap()
    };
    let mut values = run(graph, wanted, past);
    for _ in 0..steps {
        let Ring { graph, hollow, kept, wanted } = ring(values, calls);
        let origins = kept.iter().map(|(task, kept)| (*task, kept.origin())).collect();
        let past = Past::with_origins(hollow, origins);
        drop(kept);
        values = run(graph, wanted, Some(Arc::new(past)));
    }
    values
}

fn check(place: &Place, values: &[Value], steps: usize) {
    let (graph, wanted) = blocks(1, false);
    let handle = place.engine.submit(graph, wanted);
    let found: Vec<i64> = handle.load(values.to_vec()).unwrap().iter().map(|value| sum(value) / (256 * 128)).collect();
    assert_eq!(found, expected(steps));
}

#[test]
fn released_results_in_a_row_are_made_again_each_once() {
    let place = Place::new(2, 1);
    let calls = Arc::new(AtomicU64::new(0));
    let values = steps(&place, 30, &calls);
    let held = place.report().held + place.report().spilled;
    assert!(held <= 2 * u64::from(COUNT) * 256 * 1024, "earlier steps are gone: {}", place.report());
    calls.store(0, Ordering::Relaxed);
    // Files of earlier steps may be about to go by themselves.
    let removed = place.files().into_iter().filter(|file| fs::remove_file(file).is_ok()).count();
    assert!(removed > 0);
    check(&place, &values, 30);
    let most = u64::from(COUNT) * u64::from(COUNT) * 30;
    assert!(calls.load(Ordering::Relaxed) <= most, "{} calls", calls.load(Ordering::Relaxed));
    assert!(calls.load(Ordering::Relaxed) > 30, "none was lost");
    drop(values);
    place.becomes_empty();
}

#[test]
fn the_first_step_beyond_the_deepest_keeps_what_it_was_made_of() {
    let place = Place::new(2, 1);
    let calls = Arc::new(AtomicU64::new(0));
    let deepest = Past::DEEPEST as usize;
    let values = steps(&place, deepest + 10, &calls);
    let step = u64::from(COUNT) * 256 * 1024;
    let report = place.report();
    assert!(report.held + report.spilled > step + step / 2, "the results in between are kept: {report}");
    assert!(report.held + report.spilled <= 3 * step, "{report}");
    let kept = StoredRef::of(&values[0]).unwrap();
    let (past, _) = kept.lineage().get().unwrap();
    assert!(past.depth() <= 11);
    drop((past, kept, values));
    place.becomes_empty();
}

#[test]
fn a_past_goes_with_its_last_result() {
    let place = Place::new(2, 8);
    let (graph, wanted) = blocks(COUNT, false);
    let weak = Arc::downgrade(&graph);
    let past = Some(Arc::new(Past::of(graph.clone())));
    let values = {
        let handle = place.engine.submit_with_past(graph, wanted, past);
        handle.wait_timeout_kept(Duration::from_secs(60)).unwrap().unwrap()
    };
    assert!(weak.strong_count() > 0);
    drop(values);
    place.becomes_empty();
    assert_eq!(weak.strong_count(), 0);
}

#[test]
fn what_two_threads_compute_again_at_once_is_one_object() {
    let place = Place::new(2, 8);
    let (runs, both) = (Arc::new(AtomicU64::new(0)), Arc::new(Barrier::new(2)));
    let mut graph = GraphBuilder::new();
    let fill = op(&mut graph, move |_, _| {
        // It is computed again by both before either has it.
        if runs.fetch_add(1, Ordering::Relaxed) > 0 {
            both.wait();
        }
        Ok(block(7, 256))
    });
    let layer = graph.layer(Layer::new("fill", fill, Shape::source(1)).with_cost(bytes(256 << 10))).unwrap();
    let (graph, wanted) = (Arc::new(graph.finish()), all(layer, 1));
    let past = Some(Arc::new(Past::of(graph.clone())));
    let handle = place.engine.submit_with_past(graph, wanted, past);
    let kept = handle.wait_timeout_kept(Duration::from_secs(60)).expect("it doesn't hang").unwrap();
    // Something else takes all the memory, so that it leaves; and its file is gone.
    drop(place.keep(blocks(64, false)));
    let deadline = Instant::now() + Duration::from_secs(20);
    while place.report().held > 0 || place.files().len() != 1 {
        assert!(Instant::now() < deadline, "{}", place.report());
        std::thread::sleep(Duration::from_millis(1));
    }
    place.files().iter().for_each(|path| fs::remove_file(path).unwrap());
    let found = std::thread::scope(|scope| {
        let load = || handle.load(kept.clone()).unwrap().remove(0);
        let loads = [(); 2].map(|()| scope.spawn(load));
        loads.map(|load| load.join().unwrap())
    });
    let [Value::Chunk(one), Value::Chunk(other)] = &found else { panic!("{found:?}") };
    assert!(Arc::ptr_eq(one, other), "two objects for one result");
    assert_eq!(sum(&found[0]), 7 * 256 * 128);
}

//! Engines whose results don't fit into memory.

use super::{Closure, number, op};
use crate::*;
use raskt_graph::*;
use raskt_store::StoredRef;
use raskt_sync::Mutex;
use raskt_value::{Call, Chunk, ErrorKind, Kernel, NativeOp, TaskError, Value};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

const MIB: u64 = 1 << 20;

/// A cost that states how many bytes a result has: what nobody stated is promised as nothing until a first result has
/// come, and each thread may hold one such result beyond its promise for as long as it likes.
pub fn bytes(output_bytes: u64) -> Cost {
    Cost { output_bytes, ..Cost::default() }
}

/// A block of so many KiB that holds `number` everywhere.
pub fn block(number: i64, kib: u64) -> Value {
    let count = (kib * 128) as usize;
    Chunk::from_vec(vec![number; count], &[count]).unwrap().into()
}

pub fn sum(value: &Value) -> i64 {
    value.as_chunk().and_then(Chunk::as_slice::<i64>).expect("tests pass integers").iter().sum()
}

pub struct Place {
    folder: tempfile::TempDir,
    pub engine: Engine,
}

impl Place {
    /// An engine with a store of `memory` MiB that spills into a folder of its own.
    pub fn new(threads: usize, memory: u64) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let spill_path = Some(folder.path().into());
        let store = Store::new(Limits { memory: memory * MIB, disk: u64::MAX, spill_path });
        let options = EngineOptions { threads, ..EngineOptions::default() };
        Self { folder, engine: Engine::with_store(options, store, Runners::default()) }
    }

    pub fn files(&self) -> Vec<std::path::PathBuf> {
        let folders = fs::read_dir(self.folder.path()).unwrap().map(|entry| entry.unwrap().path());
        let files = folders.flat_map(|folder| fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()));
        let mut files: Vec<_> = files.filter(|path| path.file_name().unwrap() != "owner").collect();
        files.sort();
        files
    }

    pub fn report(&self) -> MemoryReport {
        self.engine.store().report().unwrap()
    }

    /// Nothing is held, promised or spilled, once tasks that were under way and files that were being written have ended.
    pub fn becomes_empty(&self) {
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while self.report().held + self.report().promised + self.report().spilled > 0 {
            assert!(std::time::Instant::now() < deadline, "{}", self.report());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Results hold so many bytes in the end.
    fn becomes_at_most(&self, held: u64) {
        let deadline = std::time::Instant::now() + Duration::from_secs(20);
        while self.report().held > held {
            assert!(std::time::Instant::now() < deadline, "{}", self.report());
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Runs `graph` and leaves its results in the store.
    pub fn keep(&self, (graph, wanted): (Arc<Graph>, Vec<TaskId>)) -> Vec<Value> {
        self.engine.submit(graph, wanted).wait_timeout_kept(Duration::from_secs(60)).expect("it doesn't hang").unwrap()
    }

    pub fn run(&self, graph: Arc<Graph>, wanted: Vec<TaskId>) -> RunResult {
        self.engine.submit(graph, wanted).wait_timeout(Duration::from_secs(60)).expect("it doesn't hang")
    }
}

/// A kernel that says of itself that it can be run again at any time.
struct Repeatable(Closure);

impl Kernel for Repeatable {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        self.0.run(call, inputs)
    }

    fn name(&self) -> String {
        "repeatable".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

fn repeatable(
    graph: &mut GraphBuilder,
    body: impl Fn(&Call<'_>, &[Value]) -> Result<Value, TaskError> + Send + Sync + 'static,
) -> OpId {
    let body = Arc::new(NativeOp(Arc::new(Repeatable(Closure(Box::new(body))))));
    graph.op(Op { kind: OpKind::Array, name: "repeatable".into(), digest: 0, flags: OpFlags::default(), body })
}

pub fn all(layer: LayerId, count: u32) -> Vec<TaskId> {
    (0..u64::from(count)).map(|index| TaskId::new(layer, index)).collect()
}

/// Blocks of 256 KiB that hold their index, each made from a small number.
pub fn blocks(count: u32, repeats: bool) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let grid = Grid::new([count]);
    let start = |call: &Call<'_>, _: &[Value]| Ok(Chunk::scalar(call.index as i64).into());
    let fill = |_: &Call<'_>, inputs: &[Value]| Ok(block(number(&inputs[0]), 256));
    let (start, fill) = match repeats {
        true => (repeatable(&mut graph, start), repeatable(&mut graph, fill)),
        false => (op(&mut graph, start), op(&mut graph, fill)),
    };
    let numbers = graph.layer(Layer::new("number", start, Shape::source(count)).with_cost(bytes(8))).unwrap();
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(numbers, grid)] };
    let layer = graph.layer(Layer::new("block", fill, shape).with_cost(bytes(256 << 10))).unwrap();
    (Arc::new(graph.finish()), all(layer, count))
}

/// The sum of each of `values`, in a graph of its own.
pub fn sums_of(values: Vec<Value>) -> (Arc<Graph>, Vec<TaskId>) {
    let count = values.len() as u32;
    let mut graph = GraphBuilder::new();
    let give = op(&mut graph, move |call, _| Ok(values[call.index as usize].clone()));
    let add = op(&mut graph, |_, inputs| Ok(Chunk::scalar(sum(&inputs[0])).into()));
    let given = graph.layer(Layer::new("given", give, Shape::source(count)).with_cost(bytes(256 << 10))).unwrap();
    let grid = Grid::new([count]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(given, grid)] };
    let layer = graph.layer(Layer::new("sum", add, shape).with_cost(bytes(8))).unwrap();
    (Arc::new(graph.finish()), all(layer, count))
}

pub fn check_sums(values: &[Value]) {
    for (at, value) in values.iter().enumerate() {
        assert_eq!(number(value), at as i64 * 256 * 128, "block {at}");
    }
}

#[test]
fn results_of_three_times_the_memory_are_right_on_any_number_of_threads() {
    for threads in [0, 1, 2, 4] {
        let place = Place::new(threads, 8);
        let kept = place.keep(blocks(96, false));
        for _ in 0..2 {
            let (graph, wanted) = sums_of(kept.clone());
            check_sums(&place.run(graph, wanted).unwrap());
        }
        let report = place.report();
        assert!(report.files_written > 60 && report.files_written <= 96, "each at most once: {report:?}");
        assert!(report.peak <= 8 * MIB + report.beyond, "{report:?}");
        drop(kept);
        place.becomes_empty();
    }
}

#[test]
fn a_wait_reads_what_lies_on_disk() {
    let place = Place::new(2, 4);
    let (graph, wanted) = blocks(64, false);
    let values = place.run(graph, wanted).unwrap();
    assert!(values.iter().enumerate().all(|(at, value)| sum(value) == at as i64 * 256 * 128));
    assert!(place.report().files_written > 0);
}

#[test]
fn many_producers_and_one_chain_of_consumers_stay_within_the_limit() {
    let (count, limit) = (10_000_u32, 8);
    let place = Place::new(2, limit);
    let mut graph = GraphBuilder::new();
    let produce = op(&mut graph, |call, _| Ok(block(call.index as i64, 128)));
    let consume = op(&mut graph, |_, inputs| {
        let before = inputs.get(1).map_or(0, number);
        Ok(Chunk::scalar(before + inputs[0].as_chunk().unwrap().as_slice::<i64>().unwrap()[0]).into())
    });
    let producers =
        graph.layer(Layer::new("produce", produce, Shape::source(count)).with_cost(bytes(128 << 10))).unwrap();
    let mut edges = ExplicitBuilder::default();
    for at in 0..u64::from(count) {
        edges.input(TaskId::new(producers, at));
        if at > 0 {
            edges.own_input(at - 1);
        }
        edges.task();
    }
    let shape = Shape::Explicit(edges.finish().unwrap());
    let consumers = graph.layer(Layer::new("consume", consume, shape).with_cost(bytes(8))).unwrap();
    let wanted = vec![TaskId::new(consumers, u64::from(count) - 1)];
    let result = place.run(Arc::new(graph.finish()), wanted).unwrap();
    assert_eq!(number(&result[0]), i64::from(count) * (i64::from(count) - 1) / 2);
    let report = place.report();
    assert!(report.peak <= limit * MIB + report.beyond && report.beyond <= 4 * MIB, "{report:?}");
}

/// Producers of a block each, and consumers that read what stands at `reads` of them, one of which runs at a time.
fn producers_and_slow_consumers(count: u32, reads: impl Fn(u64) -> Vec<u64>) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let produce = op(&mut graph, |call, _| Ok(block(call.index as i64, 1024)));
    let consume = op(&mut graph, |_, inputs| {
        std::thread::sleep(Duration::from_micros(100));
        let first = |value: &Value| value.as_chunk().and_then(Chunk::as_slice::<i64>).expect("integers")[0];
        Ok(Chunk::scalar(inputs.iter().map(first).sum::<i64>()).into())
    });
    let urgent = Arc::new(Annotations { priority: 1, ..Annotations::default() });
    let source = Layer::new("produce", produce, Shape::source(count)).with_cost(bytes(MIB));
    let producers = graph.layer(Layer { annotations: urgent, ..source }).unwrap();
    let mut edges = ExplicitBuilder::default();
    for at in 0..u64::from(count) {
        reads(at).into_iter().for_each(|read| edges.input(TaskId::new(producers, read)));
        if at > 0 {
            edges.own_input(at - 1);
        }
        edges.task();
    }
    let consumers = graph.layer(Layer::new("consume", consume, Shape::Explicit(edges.finish().unwrap()))).unwrap();
    (Arc::new(graph.finish()), vec![TaskId::new(consumers, u64::from(count) - 1)])
}

#[test]
fn urgent_producers_wait_for_the_consumers_that_free_memory() {
    let (count, limit) = (10_000, 64);
    let place = Place::new(2, limit);
    let (graph, wanted) = producers_and_slow_consumers(count, |at| vec![at]);
    let result = place.run(graph, wanted).unwrap();
    assert_eq!(number(&result[0]), i64::from(count) * (i64::from(count) - 1) / 2);
    let report = place.report();
    assert!(report.peak <= limit * MIB + report.beyond, "{report}");
    assert_eq!(report.files_written, 0, "what is made beyond half of the memory waits: {report}");
}

#[test]
fn what_can_be_made_again_needs_no_disk() {
    let place = Place::new(2, 4);
    place.engine.store().set_limits(Limits { memory: 4 * MIB, disk: 0, spill_path: None });
    let runs = Arc::new(AtomicUsize::new(0));
    let mut graph = GraphBuilder::new();
    let counted = runs.clone();
    let fill = repeatable(&mut graph, move |call, _| {
        counted.fetch_add(1, Ordering::Relaxed);
        Ok(block(call.index as i64, 256))
    });
    let layer = graph.layer(Layer::new("fill", fill, Shape::source(64))).unwrap();
    let kept = place.keep((Arc::new(graph.finish()), all(layer, 64)));
    let (graph, wanted) = sums_of(kept);
    check_sums(&place.run(graph, wanted).unwrap());
    assert_eq!(place.report().files_written, 0);
    assert!(runs.load(Ordering::Relaxed) > 64);
}

/// Damages a file in one of several ways; says whether it was there whole, since the store removes those of results that
/// are gone when it comes to it, and may only just have begun to write this one.
fn damage(path: &Path, way: u64) -> bool {
    let Ok(mut bytes) = fs::read(path) else { return false };
    if bytes.is_empty() {
        return false;
    }
    let at = (way.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) as usize % bytes.len();
    match way % 4 {
        0 => bytes[at] ^= 1 << (way % 8),
        1 => bytes.truncate(at),
        2 => bytes.extend([0; 7]),
        _ => return fs::remove_file(path).is_ok(),
    }
    fs::write(path, bytes).is_ok()
}

#[test]
fn a_thousand_damaged_files_give_no_wrong_number_and_no_hang() {
    let mut damages = 0;
    let mut round = 0;
    while damages < 1000 {
        round += 1;
        // Other numbers of threads, and the damage before one run or between several.
        let place = Place::new(round % 4, 2);
        let kept = place.keep(blocks(48, true));
        for _ in 0..3 {
            for (at, path) in place.files().iter().enumerate().filter(|(at, _)| !(at + round).is_multiple_of(3)) {
                damages += usize::from(damage(path, (round * 1000 + at) as u64));
            }
            let (graph, wanted) = sums_of(kept.clone());
            check_sums(&place.run(graph, wanted).unwrap());
        }
        assert!(place.report().files_lost > 0);
    }
}

#[test]
fn a_result_that_cant_be_computed_again_is_reported_as_lost() {
    let place = Place::new(2, 2);
    let kept = place.keep(blocks(48, false));
    place.files().iter().for_each(|path| fs::remove_file(path).unwrap());
    let (graph, wanted) = sums_of(kept);
    let error = place.run(graph, wanted).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Lost, "{error}");
    let (graph, wanted) = blocks(48, false);
    assert_eq!(place.run(graph, wanted).unwrap().len(), 48, "the engine goes on");
}

#[test]
fn within_a_run_anything_can_be_computed_again() {
    let place = Place::new(1, 2);
    let (graph, wanted) = blocks(48, false);
    let handle = place.engine.submit(graph, wanted);
    let kept = handle.wait_timeout_kept(Duration::from_secs(60)).unwrap().unwrap();
    place.files().iter().for_each(|path| fs::remove_file(path).unwrap());
    let values = handle.load(kept).unwrap();
    assert!(values.iter().enumerate().all(|(at, value)| sum(value) == at as i64 * 256 * 128));
}

#[test]
fn without_a_disk_work_goes_on_as_far_as_memory_does_and_then_says_who_holds_it() {
    for threads in [0, 2] {
        let place = Place::new(threads, 4);
        place.engine.store().set_limits(Limits { memory: 4 * MIB, disk: 0, spill_path: None });
        let (graph, wanted) = blocks(400, false);
        let error = place.run(graph, wanted).unwrap_err();
        assert!(error.to_string().contains("closure"), "{error}");
        let RunError::Memory(report) = error else { panic!("{error}") };
        assert!(report.held <= 4 * MIB + report.beyond, "{report}");
        assert_eq!(place.report().held, 0, "what the run held is free again");
        // The same blocks, each summed at once, need little memory at a time.
        let mut graph = GraphBuilder::new();
        let fill = op(&mut graph, |call, _| Ok(block(call.index as i64, 256)));
        let add = op(&mut graph, |_, inputs| Ok(Chunk::scalar(sum(&inputs[0])).into()));
        let filled = graph.layer(Layer::new("fill", fill, Shape::source(64))).unwrap();
        let grid = Grid::new([64]);
        let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(filled, grid)] };
        let layer = graph.layer(Layer::new("sum", add, shape)).unwrap();
        check_sums(&place.run(Arc::new(graph.finish()), all(layer, 64)).unwrap());
    }
}

#[test]
fn a_task_that_waits_for_tasks_gets_the_memory_that_they_need() {
    let place = Place::new(1, 2);
    let inner = place.engine.clone();
    let mut graph = GraphBuilder::new();
    let nested = op(&mut graph, move |_, inputs| {
        let (graph, wanted) = blocks(24, false);
        let result = inner.submit(graph, wanted).wait();
        let result = result.map_err(|error| TaskError::new(error.kind(), error.to_string()))?;
        Ok(Chunk::scalar(sum(&inputs[0]) + result.iter().map(sum).sum::<i64>()).into())
    });
    let fill = op(&mut graph, |_, _| Ok(block(1, 2048)));
    let filled = graph.layer(Layer::new("fill", fill, Shape::source(2))).unwrap();
    let grid = Grid::new([2]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(filled, grid)] };
    let cost = Cost { nanoseconds: 0, output_bytes: 8, scratch_bytes: 2 * MIB };
    let layer = graph.layer(Layer::new("nested", nested, shape).with_cost(cost)).unwrap();
    let expected = 2048 * 128 + (0..24).sum::<i64>() * 256 * 128;
    let found = place.run(Arc::new(graph.finish()), all(layer, 2)).unwrap();
    assert_eq!(found.iter().map(number).collect::<Vec<_>>(), [expected, expected]);
}

#[test]
fn what_another_store_keeps_can_be_read() {
    let (here, there) = (Place::new(2, 2), Place::new(2, 2));
    let kept = there.keep(blocks(48, true));
    there.files().iter().step_by(2).for_each(|path| _ = damage(path, 3));
    let (graph, wanted) = sums_of(kept);
    check_sums(&here.run(graph, wanted).unwrap());
}

#[test]
fn a_cancelled_run_lets_go_of_its_memory_and_its_files() {
    for threads in [0, 2] {
        let place = Place::new(threads, 2);
        let (graph, wanted) = blocks(200, false);
        let handle = place.engine.submit(graph, wanted);
        handle.wait_timeout(Duration::from_millis(5));
        handle.cancel();
        drop(handle);
        place.becomes_empty();
        assert_eq!(place.keep(blocks(48, false)).iter().filter_map(StoredRef::of).count(), 48);
    }
}

/// A chain and a source that is read with its end, each of which notes when it begins.
fn chain_and_source(begun: &Arc<Mutex<Vec<u32>>>) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let grid = Grid::new([1]);
    let step = |graph: &mut GraphBuilder, number: u32| {
        let begun = begun.clone();
        op(graph, move |_, _| {
            begun.lock().push(number);
            Ok(Chunk::scalar(1_i64).into())
        })
    };
    let ops: Vec<_> = (0..6).map(|number| step(&mut graph, number)).collect();
    let mut last = graph.layer(Layer::new("chain", ops[0], Shape::source(1))).unwrap();
    let source = graph.layer(Layer::new("source", ops[4], Shape::source(1))).unwrap();
    let map = |inputs: &[LayerId]| Shape::Map {
        grid: grid.clone(),
        inputs: inputs.iter().map(|&input| MapInput::same(input, grid.clone())).collect(),
    };
    for op in &ops[1..4] {
        last = graph.layer(Layer::new("chain", *op, map(&[last]))).unwrap();
    }
    let both = graph.layer(Layer::new("both", ops[5], map(&[last, source]))).unwrap();
    (Arc::new(graph.finish()), vec![TaskId::new(both, 0)])
}

#[test]
fn a_run_that_was_short_of_memory_has_no_later_one_begin_ahead_of_its_turn() {
    let place = Place::new(1, 4);
    drop(place.keep(blocks(64, false)));
    assert!(place.report().files_written > 0);
    let begun = Arc::default();
    let (graph, wanted) = chain_and_source(&begun);
    place.run(graph, wanted).unwrap();
    assert_eq!(*begun.lock(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn what_is_computed_again_counts_as_long_as_it_is_there() {
    for threads in [0, 2] {
        let place = Place::new(threads, 16);
        let (store, seen) = (place.engine.store().clone(), Arc::new(AtomicUsize::new(0)));
        let mut graph = GraphBuilder::new();
        let fill = repeatable(&mut graph, |call, _| Ok(block(call.index as i64, 1024)));
        let noted = seen.clone();
        let join = repeatable(&mut graph, move |_, inputs| {
            noted.store(store.report().unwrap().held as usize, Ordering::Relaxed);
            Ok(block(inputs.iter().map(sum).sum(), 256))
        });
        let grid = Grid::new([8]);
        let filled = graph.layer(Layer::new("fill", fill, Shape::source(8)).with_cost(bytes(MIB))).unwrap();
        let shape = Shape::Reduce { input: filled, grid, fan_in: [8].into_iter().collect() };
        let joined = graph.layer(Layer::new("join", join, shape).with_cost(bytes(256 << 10))).unwrap();
        let kept = place.keep((Arc::new(graph.finish()), vec![TaskId::new(joined, 0)]));
        let expected = sum(&StoredRef::of(&kept[0]).unwrap().fetch().unwrap().unwrap());
        // Something else takes all the memory, so that it leaves; and its file is gone.
        drop(place.keep(blocks(100, false)));
        place.becomes_at_most(0);
        while place.files().len() > 1 {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(place.files().iter().map(|path| fs::remove_file(path).unwrap()).count(), 1);
        seen.store(0, Ordering::Relaxed);
        let (graph, wanted) = sums_of(kept);
        assert_eq!(number(&place.run(graph, wanted).unwrap()[0]), expected);
        let seen = seen.load(Ordering::Relaxed) as u64;
        assert!(seen >= 8 * MIB, "{seen} bytes were counted while eight inputs were there");
        place.becomes_empty();
    }
}

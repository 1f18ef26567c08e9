//! The engine with kernels that add, fail, panic, sleep and submit work of their own.

use crate::*;
use raskt_graph::*;
use raskt_schedule::{Action, Flight};
use raskt_value::{Call, Chunk, ErrorKind, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

mod again;
mod apart;
mod breaking;
mod callers;
mod chains;
mod depths;
mod in_place;
mod interpreted;
mod memory;
mod pasts;
mod quick;
mod slots;
mod stranded;
mod strays;
mod unlocked;
mod within;

type Body = dyn Fn(&Call<'_>, &[Value]) -> Result<Value, TaskError> + Send + Sync;

struct Closure(Box<Body>);

impl Kernel for Closure {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        (self.0)(call, inputs)
    }

    fn name(&self) -> String {
        "closure".into()
    }
}

fn op(
    graph: &mut GraphBuilder,
    body: impl Fn(&Call<'_>, &[Value]) -> Result<Value, TaskError> + Send + Sync + 'static,
) -> OpId {
    let body = Arc::new(NativeOp(Arc::new(Closure(Box::new(body)))));
    graph.op(Op { kind: OpKind::Array, name: "closure".into(), digest: 0, flags: OpFlags::default(), body })
}

fn number(value: &Value) -> i64 {
    value.as_chunk().and_then(Chunk::as_slice::<i64>).expect("tests pass integers")[0]
}

/// 0 + 1 + … + (count - 1), by a tree.
fn sum_of(count: u32) -> (Arc<Graph>, Vec<TaskId>) {
    sum_of_named("index", count)
}

fn sum_of_named(name: &str, count: u32) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let index = op(&mut graph, |call, _| Ok(Chunk::scalar(call.index as i64).into()));
    let sum = op(&mut graph, |_, inputs| Ok(Chunk::scalar(inputs.iter().map(number).sum::<i64>()).into()));
    let mut layer = graph.layer(Layer::new(name, index, Shape::source(count))).unwrap();
    while graph.get(layer).len() > 1 {
        let grid = Grid::new([graph.get(layer).len() as u32]);
        let shape = Shape::Reduce { input: layer, grid, fan_in: [8].into_iter().collect() };
        layer = graph.layer(Layer::new("sum", sum, shape)).unwrap();
    }
    (Arc::new(graph.finish()), vec![TaskId::new(layer, 0)])
}

fn one_task(
    body: impl Fn(&Call<'_>, &[Value]) -> Result<Value, TaskError> + Send + Sync + 'static,
) -> (Arc<Graph>, Vec<TaskId>) {
    one_task_named("one", body)
}

fn one_task_named(
    name: &str,
    body: impl Fn(&Call<'_>, &[Value]) -> Result<Value, TaskError> + Send + Sync + 'static,
) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph, body);
    let layer = graph.layer(Layer::new(name, op, Shape::source(1))).unwrap();
    (Arc::new(graph.finish()), vec![TaskId::new(layer, 0)])
}

fn engine(threads: usize) -> Engine {
    Engine::new(EngineOptions { threads, memory_limit: 1 << 30 }, Runners::default())
}

fn submit(engine: &Engine, (graph, wanted): (Arc<Graph>, Vec<TaskId>)) -> RunHandle {
    engine.submit(graph, wanted)
}

#[test]
fn a_flight_record_tells_the_whole_run() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("sum.flight");
    let engine = engine(2);
    engine.record_flight(&path).unwrap();
    assert_eq!(number(&submit(&engine, sum_of(500)).wait().unwrap()[0]), 124_750);
    let flight = Flight::read(&std::fs::read(&path).unwrap()).unwrap();
    assert!(!flight.is_torn);
    let actions: Vec<_> = flight.replay().flat_map(Result::unwrap).collect();
    let assigned = actions.iter().map(|action| match action {
        Action::Assign { assignment, .. } => assignment.len(),
        _ => 0,
    });
    assert_eq!(assigned.sum::<u64>(), 500 + 63 + 8 + 1, "each task is handed out once again");
    assert!(actions.iter().any(|action| matches!(action, Action::Finished { .. })));
    assert!(engine.record_flight(&path).is_err(), "a record can't begin in the middle");
}

#[test]
fn tasks_that_a_graph_hasnt_are_refused_by_name_and_the_engine_goes_on() {
    let engine = engine(2);
    let (graph, wanted) = sum_of(20);
    for task in [TaskId::new(LayerId(0), 20), TaskId::new(LayerId(0), u64::MAX), TaskId::new(LayerId(u32::MAX), 0)] {
        let refused =
            engine.submit(graph.clone(), vec![wanted[0], task]).wait_timeout(Duration::from_secs(60)).unwrap();
        let refused = refused.unwrap_err();
        assert!(matches!(refused, RunError::Refused(_)), "{refused}");
        assert!(
            refused.to_string().contains(if task.index == 0 { "layer 4294967295" } else { "`index`" }),
            "{refused}"
        );
    }
    assert_eq!(number(&submit(&engine, sum_of(20)).wait().unwrap()[0]), 190);
}

#[test]
fn a_tree_sums_on_any_number_of_threads() {
    for threads in [0, 1, 2, 5] {
        let engine = engine(threads);
        let result = submit(&engine, sum_of(20_000)).wait().unwrap();
        assert_eq!(number(&result[0]), (0..20_000).sum::<i64>(), "{threads} threads");
        drop(result);
        assert_eq!(engine.store().report().unwrap().held, 0, "nothing is held after the run");
        engine.shut_down(Duration::from_secs(5));
    }
}

#[test]
fn several_runs_at_once_from_several_threads() {
    let engine = engine(2);
    std::thread::scope(|scope| {
        for count in [1, 10, 1000, 5000] {
            let engine = &engine;
            scope.spawn(move || {
                let result = submit(engine, sum_of(count)).wait().unwrap();
                assert_eq!(number(&result[0]), (0..i64::from(count)).sum::<i64>());
            });
        }
    });
}

#[test]
fn an_error_names_its_task_and_the_engine_goes_on() {
    let engine = engine(2);
    let failing = one_task(|_, _| Err(TaskError::new(ErrorKind::Value, "no such luck")));
    let error = submit(&engine, failing).wait().unwrap_err();
    assert_eq!(error.to_string(), "task `one[0]` failed: no such luck");
    assert!(submit(&engine, sum_of(100)).wait().is_ok());
}

#[test]
fn a_panic_fails_its_run_alone() {
    let engine = engine(1);
    let error = submit(&engine, one_task(|_, _| panic!("out of cheese"))).wait().unwrap_err();
    assert_eq!(error.kind(), ErrorKind::Panic);
    assert!(error.to_string().contains("out of cheese"), "{error}");
    assert!(submit(&engine, sum_of(100)).wait().is_ok());
}

#[test]
fn a_cancelled_run_ends_at_once_though_its_task_goes_on() {
    let engine = engine(1);
    let slow = one_task(|_, _| {
        std::thread::sleep(Duration::from_secs(4));
        Ok(Chunk::scalar(0_i64).into())
    });
    let handle = submit(&engine, slow);
    assert!(handle.wait_timeout(Duration::from_millis(50)).is_none());
    let start = Instant::now();
    handle.cancel();
    assert!(matches!(handle.wait(), Err(RunError::Cancelled)));
    assert!(submit(&engine, sum_of(1000)).wait().is_ok(), "another thread takes the place of the stuck one");
    assert!(start.elapsed() < Duration::from_secs(3));
}

#[test]
fn a_task_may_wait_for_a_run_of_its_own() {
    let engine = engine(1);
    let inner = engine.clone();
    let nested = one_task(move |_, _| {
        let result =
            submit(&inner, sum_of(100)).wait().map_err(|error| TaskError::new(ErrorKind::Value, error.to_string()));
        result.map(|values| values[0].clone())
    });
    assert_eq!(number(&submit(&engine, nested).wait().unwrap()[0]), 4950);
}

#[test]
fn a_tight_memory_limit_runs_fewer_at_a_time_and_still_ends() {
    let running = Arc::new(AtomicUsize::new(0));
    let most = Arc::new(AtomicUsize::new(0));
    let mut graph = GraphBuilder::new();
    let (now, peak) = (running.clone(), most.clone());
    let op = op(&mut graph, move |_, _| {
        peak.fetch_max(now.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
        std::thread::sleep(Duration::from_millis(2));
        now.fetch_sub(1, Ordering::SeqCst);
        Ok(Chunk::scalar(1_i64).into())
    });
    let cost = Cost { nanoseconds: 2_000_000, scratch_bytes: 800, output_bytes: 8 };
    let layer = graph.layer(Layer::new("large", op, Shape::source(20)).with_cost(cost)).unwrap();
    let wanted = (0..20).map(|index| TaskId::new(layer, index)).collect();
    let engine = Engine::new(EngineOptions { threads: 4, memory_limit: 1000 }, Runners::default());
    assert_eq!(engine.submit(Arc::new(graph.finish()), wanted).wait().unwrap().len(), 20);
    assert_eq!(most.load(Ordering::SeqCst), 1);
}

#[test]
fn progress_counts_every_task() {
    let engine = engine(2);
    let (graph, wanted) = sum_of(64);
    let total = graph.tasks();
    let handle = engine.submit(graph, wanted);
    handle.wait().unwrap();
    assert_eq!(handle.progress(), Some(Progress { done: total, total }));
}

/// Keeps all that it is told. Observers are told of every task of the process, other tests' too: each test looks for
/// a key of its own.
#[derive(Default)]
struct Notes {
    started: raskt_sync::Mutex<Vec<String>>,
    ended: raskt_sync::Mutex<Vec<TaskRecord>>,
    ran: raskt_sync::Mutex<Vec<TaskRecord>>,
    freed: raskt_sync::Mutex<Vec<Freed>>,
}

impl Observer for Notes {
    fn started(&self, key: &str) {
        self.started.lock().push(key.to_owned());
    }

    fn ended(&self, record: &TaskRecord) {
        self.ended.lock().push(record.clone());
    }

    fn ran(&self, records: &[TaskRecord]) {
        self.ran.lock().extend_from_slice(records);
    }

    fn freed(&self, freed: &[Freed], _at: Instant) {
        self.freed.lock().extend_from_slice(freed);
    }
}

impl Notes {
    /// The record of the one task with this key, which must be told of by each of the three ways.
    fn of(&self, key: &str) -> TaskRecord {
        assert_eq!(self.started.lock().iter().filter(|other| *other == key).count(), 1);
        for told in [&self.ended, &self.ran] {
            assert_eq!(told.lock().iter().filter(|record| record.key == key).count(), 1);
        }
        self.ended.lock().iter().find(|record| record.key == key).expect("it was counted").clone()
    }
}

#[test]
fn an_observer_is_told_of_each_task_and_of_each_result_that_goes() {
    let notes = Arc::new(Notes::default());
    let engine = engine(2);
    let observation = observe(notes.clone());
    let seven = one_task_named("seven", |_, _| Ok(Chunk::scalar(7_i64).into()));
    drop(submit(&engine, seven).wait().unwrap());
    drop(observation);
    let record = notes.of("seven[0]");
    assert!(record.start <= record.end && record.bytes == 8 && &*record.op == "closure" && !record.failed);
    let run = Freed::Run { engine: record.id.engine, run: record.id.run.unwrap() };
    assert!(notes.freed.lock().contains(&run));
}

#[test]
fn results_that_are_let_go_within_a_run_are_told_of_one_by_one() {
    let notes = Arc::new(Notes::default());
    let engine = engine(1);
    let observation = observe(notes.clone());
    submit(&engine, sum_of_named("leaf", 977)).wait().unwrap();
    drop(observation);
    let last = notes.of("leaf[976]").id;
    let mine = |freed: &&Freed| matches!(freed, Freed::Result(id) if id.engine == last.engine && id.run == last.run);
    let freed = notes.freed.lock().iter().filter(mine).count();
    assert!(freed >= 977, "{freed}");
    assert!(notes.freed.lock().contains(&Freed::Result(last)));
}

#[test]
fn a_failed_task_is_told_of_as_failed_and_after_the_observation_nothing_is() {
    let notes = Arc::new(Notes::default());
    let engine = engine(1);
    let observation = observe(notes.clone());
    let failing = one_task_named("failing", |_, _| Err(TaskError::new(ErrorKind::Value, "no")));
    assert!(submit(&engine, failing).wait().is_err());
    drop(observation);
    let record = notes.of("failing[0]");
    assert!(record.failed && record.bytes == 0);
    submit(&engine, one_task_named("later", |_, _| Ok(Chunk::scalar(1_i64).into()))).wait().unwrap();
    assert!(!notes.started.lock().iter().any(|key| key == "later[0]"));
}

/// Gives all results, and says too late that it was told to stop.
struct Tardy;

impl Runner for Tardy {
    fn run(&self, _call: &TaskCall<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(Chunk::scalar(1_i64).into())
    }

    fn run_batch(&self, batch: &mut Batch<'_>) -> Result<(), TaskError> {
        batch.run_each(|call, inputs| self.run(call, inputs))?;
        Err(TaskError::cancelled())
    }
}

#[test]
fn an_error_after_the_last_result_is_nobodys() {
    let mut graph = GraphBuilder::new();
    let flags = OpFlags::default();
    let op = graph.op(Op { kind: OpKind::Python, name: "tardy".into(), digest: 0, flags, body: Arc::new(()) });
    let layer = graph.layer(Layer::new("tardy", op, Shape::source(3))).unwrap();
    let wanted = (0..3).map(|index| TaskId::new(layer, index)).collect();
    let runners = Runners::default().with_python(Arc::new(Tardy));
    let engine = Engine::new(EngineOptions { threads: 0, memory_limit: 1 << 30 }, runners);
    let results = engine.submit(Arc::new(graph.finish()), wanted).wait().unwrap();
    assert_eq!(results.iter().map(number).collect::<Vec<_>>(), [1, 1, 1]);
}

/// Two thousand tasks that each wait for a run of their own, at depth one and three.
#[test]
fn tasks_that_wait_for_tasks_need_no_threads_of_their_own() {
    fn nested(engine: &Engine, depth: u32) -> i64 {
        if depth == 0 {
            return 1;
        }
        let inner = engine.clone();
        let graph = one_task(move |_, _| Ok(Chunk::scalar(nested(&inner, depth - 1)).into()));
        number(&submit(engine, graph).wait().unwrap()[0]) + 1
    }
    for (workers, depth) in [(1, 1), (2, 1), (2, 3), (5, 2)] {
        let engine = engine(workers);
        let (most, inner) = (Arc::new(AtomicUsize::new(0)), engine.clone());
        let seen = most.clone();
        let mut graph = GraphBuilder::new();
        let outer = op(&mut graph, move |_, _| {
            let found = nested(&inner, depth);
            seen.fetch_max(inner.0.lock().pool.live(), Ordering::Relaxed);
            Ok(Chunk::scalar(found).into())
        });
        let layer = graph.layer(Layer::new("outer", outer, Shape::source(2000))).unwrap();
        let wanted = (0..2000).map(|index| TaskId::new(layer, index)).collect();
        let start = Instant::now();
        let results = engine.submit(Arc::new(graph.finish()), wanted).wait_timeout(Duration::from_secs(60));
        let results = results.expect("it doesn't hang").unwrap();
        let a_pair = start.elapsed() / 2000 / depth;
        assert!(results.iter().all(|result| number(result) == i64::from(depth) + 1));
        let most = most.load(Ordering::Relaxed);
        assert!(most <= workers + 8, "{most} threads with {workers} workers at depth {depth}");
        println!("{workers} workers, depth {depth}: {a_pair:?} a pair, {most} threads");
        engine.shut_down(Duration::from_secs(10));
        let state = engine.0.lock();
        assert_eq!((state.pool.live(), state.pool.busy(), state.lent()), (0, 0, 0));
    }
}

/// As deep as no thread goes by itself, on an engine that gets no more threads.
#[test]
fn where_no_thread_can_be_had_those_who_wait_do_the_work() {
    fn nested(engine: &Engine, depth: u32) -> i64 {
        if depth == 0 {
            return 1;
        }
        let inner = engine.clone();
        let graph = one_task(move |_, _| Ok(Chunk::scalar(nested(&inner, depth - 1)).into()));
        number(&submit(engine, graph).wait_timeout(Duration::from_secs(60)).expect("it doesn't hang").unwrap()[0]) + 1
    }
    for most in [1, 3, 100] {
        let engine = engine(1);
        engine.0.lock().pool.most = most;
        assert_eq!(nested(&engine, 60), 61);
        assert!(engine.0.lock().pool.live() <= most.min(12), "each thread goes some way by itself");
    }
}

#[derive(Default)]
struct Owner(AtomicUsize);

impl OwnsRuns for Owner {
    fn ended_unbegun(&self, runs: usize, _: &RunError) {
        self.0.fetch_add(runs, Ordering::Relaxed);
    }
}

#[test]
fn where_there_is_no_thread_at_all_the_caller_runs_it() {
    let engine = engine(2);
    engine.0.lock().pool.most = 0;
    let result = submit(&engine, sum_of(100)).wait_timeout(Duration::from_secs(60)).expect("it doesn't hang").unwrap();
    assert_eq!(number(&result[0]), 4950);
}

#[test]
fn a_run_that_no_thread_can_be_had_for_and_nobody_waits_for_ends_with_an_error() {
    let engine = engine(1);
    engine.0.lock().pool.most = 1;
    let inner = engine.clone();
    let owner = Arc::new(Owner::default());
    let told = owner.clone();
    let outer = one_task(move |_, _| {
        // It waits for something else than the run, as the engine is told.
        let owner: Arc<dyn OwnsRuns> = owner.clone();
        let (graph, wanted) = sum_of(5);
        let run = inner.submit_unattended(graph, wanted, Arc::downgrade(&owner));
        let loan = Engine::lend_slot();
        let deadline = Instant::now() + Duration::from_secs(60);
        while !run.is_done() {
            assert!(Instant::now() < deadline, "it hangs");
            std::thread::sleep(Duration::from_millis(1));
        }
        drop(loan);
        let error = run.wait().unwrap_err();
        assert!(matches!(error, RunError::Threads { threads: 1, .. }), "{error}");
        Ok(Chunk::scalar(error.to_string().len() as i64).into())
    });
    let result = submit(&engine, outer).wait_timeout(Duration::from_secs(60)).expect("it doesn't hang").unwrap();
    assert!(number(&result[0]) > 50);
    assert_eq!(told.0.load(Ordering::Relaxed), 1);
    engine.0.lock().pool.most = 2;
    assert_eq!(number(&submit(&engine, sum_of(20)).wait().unwrap()[0]), 190);
}

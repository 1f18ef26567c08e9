//! Machines that panic: nobody waits for ever, and what comes next finds an engine in order.

use super::memory::{Place, blocks};
use super::*;
use std::sync::atomic::AtomicBool;

const PATIENCE: Duration = Duration::from_secs(60);

fn story(result: RunResult) -> String {
    match result {
        Err(RunError::Broken(breakdown)) => breakdown.to_string(),
        other => panic!("it broke down, and gave {other:?}"),
    }
}

/// A task that waits until it is let go.
fn gate() -> (Arc<AtomicBool>, (Arc<Graph>, Vec<TaskId>)) {
    let is_open = Arc::new(AtomicBool::new(false));
    let opens = is_open.clone();
    let graph = one_task(move |_, _| {
        while !opens.load(Ordering::Acquire) {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(Chunk::scalar(1_i64).into())
    });
    (is_open, graph)
}

#[test]
fn every_run_ends_with_the_story_and_the_next_one_works() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("broken.flight");
    for threads in [0, 1, 2, 5] {
        let engine = engine(threads);
        engine.record_flight(&path).unwrap();
        let done = submit(&engine, sum_of(100));
        let before = done.wait().unwrap();
        // One run has a task on a thread, the others wait for it or were never looked at.
        let (is_open, gate) = gate();
        let runs: Vec<_> = [gate].into_iter().chain((0..20).map(|_| sum_of(1000))).collect();
        let runs: Vec<_> = runs.into_iter().map(|run| submit(&engine, run)).collect();
        engine.break_down("asked to");
        for run in &runs {
            match run.wait_timeout(PATIENCE).expect("nobody waits for ever") {
                Ok(_) => {}
                broken => {
                    let story = story(broken);
                    assert!(story.contains("asked to") && story.contains("broken.flight"), "{story}");
                }
            }
        }
        assert!(runs[0].wait_timeout(Duration::ZERO).is_none(), "a result is told once");
        assert_eq!(number(&before[0]), 4950);
        let flight = Flight::read(&std::fs::read(&path).unwrap()).unwrap();
        assert!(flight.replay().all(|actions| actions.is_ok()), "the record leads up to it");
        for _ in 0..20 {
            let result = submit(&engine, sum_of(1000)).wait_timeout(PATIENCE).expect("it doesn't hang").unwrap();
            assert_eq!(number(&result[0]), 499_500);
        }
        is_open.store(true, Ordering::Release);
        drop((runs, done, before));
        engine.shut_down(PATIENCE);
        assert_eq!(engine.0.lock().pool.live(), 0);
    }
}

#[test]
fn a_break_while_tasks_wait_for_tasks_leaves_no_slot_lent() {
    let engine = engine(2);
    for _ in 0..5 {
        let inner = engine.clone();
        let outer = one_task(move |_, _| {
            let ended = submit(&inner, sum_of(100)).wait();
            assert!(ended.is_ok() || matches!(ended, Err(RunError::Broken(_))));
            Ok(Chunk::scalar(1_i64).into())
        });
        let runs: Vec<_> = (0..10).map(|_| submit(&engine, outer.clone())).collect();
        engine.break_down("asked to");
        runs.iter().for_each(|run| drop(run.wait_timeout(PATIENCE).expect("nobody waits for ever")));
        let again = submit(&engine, outer).wait_timeout(PATIENCE).expect("it doesn't hang").unwrap();
        assert_eq!(number(&again[0]), 1);
    }
    engine.shut_down(PATIENCE);
    let state = engine.0.lock();
    assert_eq!((state.pool.live(), state.pool.busy(), state.lent()), (0, 0, 0));
}

/// A runner whose stretches panic where no task is to blame.
struct Stumbling(AtomicBool);

impl Runner for Stumbling {
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        NativeRunner.run(call, inputs)
    }

    fn stretch(&self, step: &mut dyn FnMut() -> bool) {
        assert!(!self.0.swap(false, Ordering::Relaxed), "it stumbled");
        while step() {}
    }
}

fn python(
    body: impl Fn(&Call<'_>, &[Value]) -> Result<Value, TaskError> + Send + Sync + 'static,
) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(NativeOp(Arc::new(Closure(Box::new(body)))));
    let op = graph.op(Op { kind: OpKind::Python, name: "closure".into(), digest: 0, flags: OpFlags::default(), body });
    let layer = graph.layer(Layer::new("python", op, Shape::source(1))).unwrap();
    (Arc::new(graph.finish()), vec![TaskId::new(layer, 0)])
}

#[test]
fn a_thread_that_panics_between_tasks_leaves_nobody_waiting() {
    for threads in [0, 1, 3] {
        let runner = Arc::new(Stumbling(AtomicBool::new(true)));
        let options = EngineOptions { threads, memory_limit: 1 << 30 };
        let engine = Engine::new(options, Runners::default().with_python(runner));
        let first = submit(&engine, python(|_, _| Ok(Chunk::scalar(5_i64).into()))).wait_timeout(PATIENCE);
        assert!(story(first.expect("nobody waits for ever")).contains("it stumbled"));
        let second = submit(&engine, python(|_, _| Ok(Chunk::scalar(5_i64).into()))).wait_timeout(PATIENCE);
        assert_eq!(number(&second.expect("it doesn't hang").unwrap()[0]), 5);
        engine.shut_down(PATIENCE);
        assert_eq!(engine.0.lock().pool.live(), 0);
    }
}

#[test]
fn a_store_that_breaks_ends_the_runs_and_keeps_its_results() {
    let place = Place::new(2, 8);
    // Twelve MiB, of which some are on disk.
    let kept = place.keep(blocks(48, false));
    let (is_open, gate) = gate();
    let run = submit(&place.engine, gate);
    place.engine.store().break_down("asked to");
    let story = story(run.wait_timeout(PATIENCE).expect("nobody waits for ever"));
    assert!(story.contains("the store of results broke down: asked to"), "{story}");
    is_open.store(true, Ordering::Release);
    let handle = submit(&place.engine, sum_of(1000));
    assert_eq!(number(&handle.wait_timeout(PATIENCE).expect("it doesn't hang").unwrap()[0]), 499_500);
    for (at, value) in handle.load(kept.clone()).unwrap().iter().enumerate() {
        assert_eq!(number(value), at as i64);
    }
    drop((kept, handle));
    place.becomes_empty();
}

//! Machines that panic: nobody waits for ever, and what comes next finds an engine in order.

use super::memory::{Place, blocks, check_sums, sums_of};
use super::*;
use crate::state::stumbling::Spot;
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

    fn stretch(&self, _has_company: bool, step: &mut dyn FnMut() -> bool) {
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
        let promised = engine.store().report().unwrap().promised;
        assert_eq!((engine.strays(), promised), (0, 0), "the thread that panicked is at nothing");
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

/// A task that needs all of the memory, and notes how much results hold of it while it runs.
fn needs_all(place: &Place, limit: u64) -> u64 {
    let store = place.engine.store().clone();
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph, move |_, _| {
        let deadline = Instant::now() + PATIENCE;
        // What was written may be on its way out.
        while store.report().unwrap().held > 0 && Instant::now() < deadline {
            std::thread::sleep(Duration::from_millis(1));
        }
        Ok(Chunk::scalar(store.report().unwrap().held as i64).into())
    });
    let cost = Cost { nanoseconds: 0, output_bytes: 8, scratch_bytes: limit - 8 };
    let layer = graph.layer(Layer::new("all", op, Shape::source(1)).with_cost(cost)).unwrap();
    let run = place.engine.submit(Arc::new(graph.finish()), vec![TaskId::new(layer, 0)]);
    number(&run.wait_timeout(PATIENCE).expect("it doesn't hang").unwrap()[0]) as u64
}

#[test]
fn a_panic_anywhere_in_the_machines_ends_every_run_and_gives_all_back() {
    for (spot, threads) in Spot::ALL.into_iter().flat_map(|spot| [0, 2].map(|threads| (spot, threads))) {
        let place = Place::new(threads, 4);
        let kept = place.keep(blocks(40, false));
        let (is_open, gate) = gate();
        is_open.store(threads == 0, Ordering::Release);
        let gate = submit(&place.engine, gate);
        let left = if matches!(spot, Spot::Releasing | Spot::Submitting | Spot::Submitted) { 1 } else { 2 };
        place.engine.0.lock().stumbles = Some((spot, left));
        let mut runs: Vec<_> = (0..4).map(|_| submit(&place.engine, sums_of(kept.clone()))).collect();
        // One is let go of while it runs.
        drop(runs.pop());
        let mut broken = 0;
        for run in runs.iter().chain([&gate]) {
            match run.wait_timeout(PATIENCE).unwrap_or_else(|| panic!("{spot:?} with {threads} threads: it hangs")) {
                Ok(values) if values.len() == 1 => assert_eq!(number(&values[0]), 1),
                Ok(values) => check_sums(&values),
                result => {
                    let story = story(result);
                    assert!(story.contains(&format!("{spot:?}")), "{story}");
                    broken += 1;
                }
            }
        }
        assert!(broken > 0 && (threads == 0 || broken > 1), "{spot:?} with {threads} threads: {broken} runs were told");
        is_open.store(true, Ordering::Release);
        drop((runs, gate));
        let (graph, wanted) = sums_of(kept.clone());
        let again = place.engine.submit(graph, wanted).wait_timeout(PATIENCE).expect("it doesn't hang");
        check_sums(&again.unwrap());
        assert_eq!(
            needs_all(&place, 4 << 20),
            0,
            "{spot:?} with {threads} threads: nothing is pinned, and all can leave"
        );
        drop(kept);
        place.becomes_empty();
        place.engine.shut_down(PATIENCE);
        let state = place.engine.0.lock();
        assert_eq!((state.pool.live(), state.lent()), (0, 0));
    }
}

#[test]
fn the_owner_of_a_run_that_ends_as_it_comes_is_told_of_it_once() {
    for threads in [0, 1] {
        let engine = engine(threads);
        let owner = Arc::new(Owner::default());
        let weak: std::sync::Weak<Owner> = Arc::downgrade(&owner);
        for (count, spot) in [Spot::Submitting, Spot::Submitted].into_iter().enumerate() {
            engine.0.lock().stumbles = Some((spot, 1));
            let (graph, wanted) = sum_of(10);
            let run = engine.submit_unattended(graph, wanted, weak.clone());
            assert!(story(run.wait_timeout(PATIENCE).expect("nobody waits for ever")).contains(&format!("{spot:?}")));
            assert_eq!(owner.0.load(Ordering::Relaxed), count + 1, "{spot:?}");
        }
        let (graph, _) = sum_of(10);
        let run = engine.submit_unattended(graph, vec![TaskId::new(LayerId(9), 0)], weak.clone());
        assert!(matches!(run.wait_timeout(PATIENCE), Some(Err(RunError::Refused(_)))));
        assert_eq!(owner.0.load(Ordering::Relaxed), 3);
        assert_eq!(number(&submit(&engine, sum_of(100)).wait().unwrap()[0]), 4950);
    }
}

#[test]
fn after_shutdown_a_run_is_refused() {
    let engine = engine(1);
    submit(&engine, sum_of(10)).wait().unwrap();
    engine.shut_down(Duration::from_secs(5));
    assert!(matches!(submit(&engine, sum_of(10)).wait(), Err(RunError::ShutDown)));
}

/// An object for which the store asks how it is written, which is more than it can bear.
struct Unspeakable;

impl raskt_value::Foreign for Unspeakable {
    fn bytes(&self) -> usize {
        1 << 20
    }

    fn type_name(&self) -> &str {
        "unspeakable"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn raskt_value::Codec>> {
        panic!("it can't be told")
    }
}

#[test]
fn a_store_that_breaks_as_it_takes_a_result_ends_every_run() {
    for threads in [0, 2] {
        let place = Place::new(threads, 4);
        let kept = place.keep(blocks(40, false));
        let (is_open, gate) = gate();
        is_open.store(threads == 0, Ordering::Release);
        let gate = submit(&place.engine, gate);
        let bad = submit(&place.engine, one_task(|_, _| Ok(Value::Foreign(Arc::new(Unspeakable)))));
        if threads > 0 {
            assert!(story(gate.wait_timeout(PATIENCE).expect("nobody waits for ever")).contains("it can't be told"));
        }
        assert!(story(bad.wait_timeout(PATIENCE).expect("nobody waits for ever")).contains("it can't be told"));
        is_open.store(true, Ordering::Release);
        drop((gate, bad));
        let (graph, wanted) = sums_of(kept.clone());
        check_sums(&place.engine.submit(graph, wanted).wait_timeout(PATIENCE).expect("it doesn't hang").unwrap());
        assert_eq!(needs_all(&place, 4 << 20), 0);
        drop(kept);
        place.becomes_empty();
    }
}

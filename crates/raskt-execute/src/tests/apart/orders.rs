//! What a worker does with orders that make no sense, and how runs and the worker itself end.

use super::bench::*;
use super::kernels::Mixer;
use crate::*;
use raskt_graph::TaskId;
use raskt_schedule::*;
use raskt_sync::{Condvar, Mutex};
use raskt_value::{Chunk, TaskError, Value};
use std::sync::Arc;
use std::time::Duration;

const PATIENCE: Duration = Duration::from_secs(30);

/// Tasks that wait until they are let go, whoever cancels them.
#[derive(Default)]
struct Held {
    state: Mutex<(u32, bool)>,
    changed: Condvar,
    was_cancelled: Mutex<Vec<bool>>,
}

impl Runner for Arc<Held> {
    fn run(&self, call: &TaskCall<'_>, _: &[Value]) -> Result<Value, TaskError> {
        let mut state = self.state.lock();
        state.0 += 1;
        self.changed.notify_all();
        while !state.1 {
            (state, _) = self.changed.wait_for(state, Duration::from_millis(10));
        }
        self.was_cancelled.lock().push(call.cancel.is_cancelled());
        Ok(Chunk::scalar(1_i64).into())
    }
}

impl Held {
    fn let_go(&self) {
        self.state.lock().1 = true;
        self.changed.notify_all();
    }

    fn wait_for(&self, count: u32) {
        let mut state = self.state.lock();
        while state.0 < count {
            (state, _) = self.changed.wait_for(state, PATIENCE);
        }
    }
}

#[test]
fn orders_that_name_what_isnt_there_are_refused_and_the_worker_goes_on() {
    let bench = Bench::mixing(1, pairs(2));
    let refused = |assignment: Assignment| bench.engine.handle(WorkerOrder::Assign(assignment)).unwrap_err();
    let good = assignment(1, vec![range(0, 0, 2)], vec![]);
    assert!(matches!(refused(Assignment { run: RunId(99), ..good.clone() }), WorkerError::UnknownRun(RunId(99))));
    assert!(matches!(refused(Assignment { tasks: vec![], ..good.clone() }), WorkerError::Refused(_)));
    for tasks in [range(0, 0, 3), range(7, 0, 1), range(0, 2, 1), range(0, 0, u64::MAX)] {
        assert!(matches!(refused(Assignment { tasks: vec![tasks], ..good.clone() }), WorkerError::Refused(_)));
        let fetches = vec![fetch(8, tasks, true)];
        assert!(matches!(refused(Assignment { fetches, ..good.clone() }), WorkerError::Refused(_)));
        // Of what isn't here there is nothing to take back, drop or forget.
        bench.order(WorkerOrder::Recall { run: RUN, attempt: Attempt(3), tasks: vec![tasks] });
        bench.order(WorkerOrder::Discard { run: RUN, tasks: vec![tasks], inventory_version: u64::MAX });
    }
    for (layer, index) in [(0, 2), (0, u64::MAX), (7, 0)] {
        let task = TaskId::new(raskt_graph::LayerId(layer), index);
        assert!(bench.engine.put(RUN, vec![(task, Chunk::scalar(1_i64).into())], &bench.engine.expect(0)).is_err());
    }
    bench.order(WorkerOrder::Forget { run: RunId(99) });
    let asked = bench.engine.values(RUN, &[range(0, 0, u64::MAX)], |_| {});
    assert!(matches!(asked, Err(WorkerError::TooMany { .. })));
    assert!(bench.held(&[range(0, 1, 0), range(3, 0, 2)]).iter().all(Option::is_none));
    bench.engine.fetched(FetchId(7), Err(Unreachable));
    bench.order(WorkerOrder::Assign(good));
    assert_eq!(bench.report().outcomes, [(range(0, 0, 2), Outcome::Done { bytes: 16 })]);
    bench.ends_empty();
}

#[test]
fn what_runs_when_its_run_is_forgotten_is_told_to_stop_and_its_end_is_told() {
    let held = Arc::new(Held::default());
    let bench = Bench::new((1, 1 << 10), Arc::new(held.clone()), pairs(2));
    bench.assign(1, vec![range(0, 0, 1)], vec![]);
    held.wait_for(1);
    bench.order(WorkerOrder::Forget { run: RUN });
    assert!(matches!(bench.told(), WorkerTold::Started { .. }));
    bench.says_nothing_more();
    assert_eq!(bench.engine.strays(), 1);
    assert_eq!(bench.bytes(), (0, 1 << 10, 0), "it keeps what it was promised");
    // One such beside the slot takes up no slot.
    bench.engine.add_graph(RUN, pairs(2), &[]).unwrap();
    bench.assign(2, vec![range(0, 0, 1)], vec![]);
    held.wait_for(2);
    held.let_go();
    bench.until(|bench| bench.engine.strays() == 0);
    assert!(matches!(bench.told(), WorkerTold::Started { attempt: Attempt(2), .. }));
    let mut reports = [bench.end(), bench.end()];
    reports.sort_by_key(|report| report.attempt);
    let [stray, wanted] = reports;
    assert_eq!((stray.attempt, stray.outcomes), (Attempt(1), vec![]), "of its end no more is told than that it came");
    assert_eq!(wanted.outcomes, [(range(0, 0, 1), Outcome::Done { bytes: 8 })]);
    let mut cancelled = held.was_cancelled.lock().clone();
    cancelled.sort_unstable();
    assert_eq!(cancelled, [false, true]);
    bench.ends_empty();
}

#[test]
fn a_worker_that_is_shut_down_lets_end_what_runs_and_gives_back_the_rest() {
    let held = Arc::new(Held::default());
    let bench = Bench::new((1, 1 << 10), Arc::new(held.clone()), pairs(4));
    bench.assign(1, vec![range(0, 0, 1)], vec![]);
    bench.assign(2, vec![range(0, 1, 2)], vec![]);
    held.wait_for(1);
    let engine = bench.engine.clone();
    let leaving = std::thread::spawn(move || engine.shut_down(PATIENCE));
    assert!(matches!(bench.told(), WorkerTold::Started { attempt: Attempt(1), .. }));
    // While that runs others may do what hasn't begun, and what was on its way: but not before it is said that there are no slots.
    assert_eq!(bench.told(), WorkerTold::Resized { slots: 0, memory: 0 });
    let given_back = |attempt, tasks| WorkerTold::Recalled { run: RUN, attempt: Attempt(attempt), tasks };
    assert_eq!(bench.told(), given_back(2, vec![range(0, 1, 2)]));
    bench.assign(3, vec![range(0, 2, 4)], vec![]);
    assert_eq!(bench.told(), given_back(3, vec![range(0, 2, 4)]));
    // All else is obeyed as ever: it was on its way, or is about what others may still want.
    let tasks = vec![range(0, 3, 4)];
    bench.order(WorkerOrder::Recall { run: RUN, attempt: Attempt(3), tasks: tasks.clone() });
    bench.order(WorkerOrder::Discard { run: RUN, tasks, inventory_version: 0 });
    bench.engine.add_graph(RunId(9), pairs(1), &[]).unwrap();
    bench.order(WorkerOrder::Forget { run: RunId(9) });
    held.let_go();
    leaving.join().unwrap();
    assert_eq!(bench.end().attempt, Attempt(1));
    assert_eq!(held.state.lock().0, 1, "the other one isn't begun");
    assert!(matches!(bench.engine.handle(WorkerOrder::Forget { run: RUN }), Err(WorkerError::ShutDown)));
    assert_eq!(bench.bytes(), (0, 0, 0));
    // It has let go of its uplink.
    bench.until(|bench| bench.hangs_up());
}

#[test]
fn a_worker_that_breaks_says_so_once_and_holds_nothing() {
    let bench = Bench::mixing(1, pairs(2));
    bench.assign(1, vec![range(0, 0, 2)], vec![]);
    bench.report();
    bench.engine.break_down("a test wants it");
    let Said::Broke(story) = bench.next() else { panic!("it says so") };
    assert!(story.contains("a test wants it"), "{story}");
    assert!(matches!(bench.engine.handle(WorkerOrder::Forget { run: RUN }), Err(WorkerError::Broken)));
    assert!(matches!(bench.engine.add_graph(RUN, pairs(2), &[]), Err(WorkerError::Broken)));
    assert!(bench.held(&[range(0, 0, 2)]).iter().all(Option::is_none));
    assert_eq!(bench.bytes(), (0, 0, 0));
    bench.engine.break_down("once more");
    bench.says_nothing_more();
    bench.engine.shut_down(PATIENCE);
}

#[test]
fn whatever_is_told_by_many_threads_is_told_in_order() {
    let graph = pairs(2000);
    let bench = Bench::new((4, 1 << 20), Arc::new(Mixer::default()), graph);
    for at in 0..2000 {
        bench.assign(at, vec![range(0, at.into(), u64::from(at) + 1)], vec![]);
    }
    let (mut begun, mut ended) = (vec![false; 2000], 0);
    while ended < 2000 {
        match bench.told() {
            WorkerTold::Started { attempt, .. } => begun[attempt.0 as usize] = true,
            WorkerTold::Reported(report) => {
                assert!(begun[report.attempt.0 as usize], "it began before it ended");
                ended += 1;
            }
            other => panic!("{other:?}"),
        }
    }
    bench.ends_empty();
}

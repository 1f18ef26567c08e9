//! The worker machine alone.

use super::graphs::added;
use super::liveness;
use crate::worker::STRAYS_A_SLOT;
use crate::*;
use raskt_graph::{Cost, GraphBuilder, Layer, LayerId, Shape, TaskId};
use std::sync::Arc;

const RUN: RunId = RunId(1);

#[test]
fn a_worker_asks_for_memory_before_it_starts_and_overbooks_only_alone() {
    let assignment = |memory| Assignment {
        run: RUN,
        attempt: Attempt(0),
        tasks: vec![],
        transient: vec![],
        memory,
        fetched: 0,
        fetches: vec![],
    };
    let mut worker = Worker::new(2);
    worker.handle_event(WorkerEvent::Assigned(assignment(70)));
    assert_eq!(worker.poll_action(), Some(WorkerAction::Reserve { ticket: Ticket(0), bytes: 70, overbook: true }));
    worker.handle_event(WorkerEvent::Assigned(assignment(50)));
    assert_eq!(worker.poll_action(), None);
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    assert!(matches!(worker.poll_action(), Some(WorkerAction::Started { .. })));
    assert!(matches!(worker.poll_action(), Some(WorkerAction::Execute { ticket: Ticket(0), .. })));
    assert_eq!(worker.poll_action(), Some(WorkerAction::Reserve { ticket: Ticket(1), bytes: 50, overbook: false }));
    worker.handle_event(WorkerEvent::Refused(Ticket(1)));
    assert_eq!(worker.poll_action(), None);
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: vec![], nanoseconds: 1 });
    assert_eq!(worker.poll_action(), Some(WorkerAction::Unreserve { ticket: Ticket(0) }));
    assert!(matches!(worker.poll_action(), Some(WorkerAction::Report(_))));
    assert_eq!(worker.poll_action(), Some(WorkerAction::Reserve { ticket: Ticket(2), bytes: 50, overbook: true }));
}

#[test]
fn a_refusal_that_comes_when_nothing_runs_any_more_is_not_waited_out() {
    let mut worker = Worker::new(2);
    worker.handle_event(WorkerEvent::Assigned(assignment(0, None)));
    worker.handle_event(WorkerEvent::Assigned(assignment(1, None)));
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    assert_eq!(actions(&mut worker).pop(), Some(reserve(1, false)), "another one runs");
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: vec![], nanoseconds: 1 });
    actions(&mut worker);
    worker.handle_event(WorkerEvent::Refused(Ticket(1)));
    assert_eq!(actions(&mut worker), [reserve(2, true)]);
    worker.handle_event(WorkerEvent::Refused(Ticket(2)));
    assert_eq!(actions(&mut worker), [], "more than to overbook it can't");
}

fn reserve(ticket: u64, overbook: bool) -> WorkerAction {
    WorkerAction::Reserve { ticket: Ticket(ticket), bytes: 1, overbook }
}

#[test]
fn a_forgotten_run_frees_its_slots_at_once() {
    let mut worker = Worker::new(1);
    for _ in 0..2 {
        let assignment = Assignment {
            run: RUN,
            attempt: Attempt(0),
            tasks: vec![],
            transient: vec![],
            memory: 1,
            fetched: 0,
            fetches: vec![],
        };
        worker.handle_event(WorkerEvent::Assigned(assignment));
    }
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    worker.handle_event(WorkerEvent::Forgotten(RUN));
    assert!(!worker.is_running(Ticket(0)));
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: vec![], nanoseconds: 1 });
    let report = Report { run: RUN, attempt: Attempt(0), outcomes: vec![], nanoseconds: 1 };
    assert!(actions(&mut worker).contains(&WorkerAction::Report(report)), "that it has ended is told");
    while worker.poll_action().is_some() {}
    let other = Assignment {
        run: RunId(2),
        attempt: Attempt(0),
        tasks: vec![],
        transient: vec![],
        memory: 1,
        fetched: 0,
        fetches: vec![],
    };
    worker.handle_event(WorkerEvent::Assigned(other));
    assert!(matches!(worker.poll_action(), Some(WorkerAction::Reserve { overbook: true, .. })));
}

/// Calls that can't be stopped, each cancelled as soon as it has begun.
#[test]
fn what_goes_on_for_nobody_takes_up_slots_when_there_is_too_much_of_it() {
    const SLOTS: u64 = 3;
    let mut worker = Worker::new(SLOTS as u32);
    let mut begun = vec![];
    let run_all = |worker: &mut Worker| {
        let mut new = vec![];
        while let Some(action) = worker.poll_action() {
            match action {
                WorkerAction::Reserve { ticket, .. } => worker.handle_event(WorkerEvent::Promised(ticket)),
                WorkerAction::Execute { ticket, assignment } => new.push((ticket, assignment.run)),
                _ => {}
            }
        }
        new
    };
    for run in 0..50 {
        worker.handle_event(WorkerEvent::Assigned(Assignment { run: RunId(run), ..assignment(0, None) }));
        begun.extend(run_all(&mut worker));
        worker.handle_event(WorkerEvent::Forgotten(RunId(run)));
    }
    assert_eq!(begun.len() as u64, SLOTS * (1 + STRAYS_A_SLOT), "threads at work for nobody");
    worker.handle_event(WorkerEvent::Assigned(Assignment { run: RunId(99), ..assignment(0, None) }));
    assert!(run_all(&mut worker).is_empty(), "there is no thread for it");
    worker.handle_event(WorkerEvent::Executed { ticket: begun[0].0, outcomes: vec![], nanoseconds: 1 });
    assert_eq!(run_all(&mut worker).iter().map(|(_, run)| run.0).collect::<Vec<_>>(), [99], "one is back");
}

/// The scheduler counts as its workers do.
#[test]
fn a_worker_full_of_strays_gets_nothing_until_one_is_back() {
    let mut builder = GraphBuilder::new();
    let op = super::graphs::op(&mut builder);
    let layer = builder.layer(Layer::new("task", op, Shape::source(1))).unwrap();
    let graph = Arc::new(builder.finish());
    let mut scheduler = Scheduler::new(1);
    let worker = WorkerId(1);
    scheduler
        .handle_event(Time(0), Event::WorkerJoined { worker, offer: Offer { memory: 1 << 20, ..Offer::slots(2) } });
    let mut begun = vec![];
    let submit = |scheduler: &mut Scheduler, run: u64| {
        let wanted = vec![TaskRange { layer, start: 0, end: 1 }];
        let added = added(RunId(run), None, graph.clone(), wanted);
        scheduler.handle_event(Time(0), added);
        scheduler.validate();
        std::iter::from_fn(|| scheduler.poll_action()).find_map(|action| match action {
            Action::Assign { assignment, .. } => Some(assignment.attempt),
            _ => None,
        })
    };
    for run in 0..10 {
        if let Some(attempt) = submit(&mut scheduler, run) {
            scheduler.handle_event(Time(0), Event::Started { worker, run: RunId(run), attempt });
            begun.push((RunId(run), attempt));
        }
        scheduler.handle_event(Time(0), Event::RunReleased { run: RunId(run) });
    }
    assert_eq!(begun.len(), 4, "two slots, and as many beside them");
    // Whoever says that he has begun what nobody knows doesn't take up memory, or slots beyond those.
    for run in 100..200 {
        scheduler.handle_event(Time(0), Event::Started { worker, run: RunId(run), attempt: Attempt(0) });
    }
    let (run, attempt) = begun[0];
    scheduler.handle_event(
        Time(0),
        Event::Reported { worker, report: Report { run, attempt, outcomes: vec![], nanoseconds: 1 } },
    );
    assert!(submit(&mut scheduler, 50).is_some(), "one is back");
}

fn actions(worker: &mut Worker) -> Vec<WorkerAction> {
    std::iter::from_fn(|| worker.poll_action()).collect()
}

fn assignment(attempt: u32, reads: Option<Fetch>) -> Assignment {
    let tasks = TaskRange::of([TaskId::new(LayerId(1), u64::from(attempt))]);
    Assignment {
        run: RUN,
        attempt: Attempt(attempt),
        tasks,
        transient: vec![],
        memory: 1,
        fetched: 0,
        fetches: reads.into_iter().collect(),
    }
}

#[test]
fn inputs_are_fetched_before_a_task_starts_and_while_others_run() {
    let mut worker = Worker::new(1);
    let fetch = Fetch { run: RUN, from: WorkerId(7), tasks: TaskRange::one(TaskId::new(LayerId(0), 3)), keep: true };
    worker.handle_event(WorkerEvent::Assigned(assignment(0, None)));
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    worker.handle_event(WorkerEvent::Assigned(assignment(1, Some(fetch))));
    worker.handle_event(WorkerEvent::Promised(Ticket(1)));
    let seen = actions(&mut worker);
    assert_eq!(seen.last(), Some(&WorkerAction::Fetch { ticket: Ticket(1), run: RUN, fetches: vec![fetch] }));
    worker.handle_event(WorkerEvent::Fetched(Ticket(1)));
    assert_eq!(actions(&mut worker), [WorkerAction::Fetched { run: RUN, tasks: vec![fetch.tasks] }]);
    assert!(!worker.is_running(Ticket(1)), "the slot is taken");
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: vec![], nanoseconds: 1 });
    assert!(worker.is_running(Ticket(1)));
}

#[test]
fn what_cannot_be_fetched_is_given_back_with_its_memory() {
    let mut worker = Worker::new(1);
    let task = TaskId::new(LayerId(0), 3);
    let from = WorkerId(7);
    worker.handle_event(WorkerEvent::Assigned(assignment(
        0,
        Some(Fetch { run: RUN, from, tasks: TaskRange::one(task), keep: false }),
    )));
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    actions(&mut worker);
    worker.handle_event(WorkerEvent::FetchFailed { ticket: Ticket(0), input_run: RUN, task, from, reached: true });
    let told = WorkerAction::FetchFailed { run: RUN, attempt: Attempt(0), input_run: RUN, task, from, reached: true };
    assert_eq!(actions(&mut worker), [WorkerAction::Unreserve { ticket: Ticket(0) }, told]);
}

#[test]
fn only_what_has_not_begun_is_given_back() {
    let mut worker = Worker::new(1);
    for attempt in 0..2 {
        worker.handle_event(WorkerEvent::Assigned(assignment(attempt, None)));
    }
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    actions(&mut worker);
    for attempt in [0, 1] {
        let tasks = assignment(attempt, None).tasks;
        worker.handle_event(WorkerEvent::Recall { run: RUN, attempt: Attempt(attempt), tasks });
    }
    let tasks = assignment(1, None).tasks;
    assert_eq!(actions(&mut worker), [WorkerAction::Recalled { run: RUN, attempt: Attempt(1), tasks }]);
    assert_eq!(worker.queued().count(), 0);
}

#[test]
fn a_worker_that_says_twice_that_it_has_begun_has_its_memory_back_at_the_end() {
    let mut s = Scheduler::new(1);
    let offer = Offer { memory: 1 << 30, ..Offer::slots(1) };
    s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(0), offer });
    let mut graph = GraphBuilder::new();
    let op = super::graphs::op(&mut graph);
    let cost = Cost { output_bytes: 1 << 20, ..Cost::default() };
    graph.layer(Layer::new("t", op, Shape::source(1)).with_cost(cost)).unwrap();
    let graph = Arc::new(graph.finish());
    s.handle_event(Time(0), added(RUN, None, graph.clone(), liveness::all(&graph)));
    let (worker, given) = liveness::assigns(&liveness::drain(&mut s)).remove(0);
    let begins = Event::Started { worker, run: RUN, attempt: given.attempt };
    s.try_event(Time(0), begins.clone()).unwrap();
    s.try_event(Time(0), Event::RunReleased { run: RUN }).unwrap();
    s.try_event(Time(0), begins).unwrap();
    s.validate();
    let report = Report { run: RUN, attempt: given.attempt, outcomes: vec![], nanoseconds: 1 };
    s.try_event(Time(0), Event::Reported { worker, report }).unwrap();
    s.validate();
    assert!(!s.has_orphans(worker));
}

fn task(index: u64) -> TaskRange {
    TaskRange::one(TaskId::new(LayerId(1), index))
}

fn tasks(attempt: u32, tasks: &[u64]) -> Assignment {
    Assignment { tasks: tasks.iter().map(|&index| task(index)).collect(), ..assignment(attempt, None) }
}

fn done(tasks: &[u64]) -> Vec<(TaskRange, Outcome)> {
    tasks.iter().map(|&index| (task(index), Outcome::Done { bytes: 8 })).collect()
}

/// A worker of one slot that runs these tasks, and whose scheduler begins anew.
fn adrift(of: &[u64]) -> Worker {
    let mut worker = Worker::new(1);
    worker.handle_event(WorkerEvent::Assigned(tasks(0, of)));
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    worker.handle_event(WorkerEvent::SchedulerBegan);
    actions(&mut worker);
    let all: Vec<_> = of.iter().map(|&index| task(index)).collect();
    assert_eq!(worker.adrift().collect::<Vec<_>>(), [(RUN, &all[..])]);
    assert_eq!(worker.slots_adrift(), 1);
    worker
}

#[test]
fn what_is_handed_out_and_runs_already_is_not_begun_again() {
    let mut worker = adrift(&[3]);
    worker.handle_event(WorkerEvent::Assigned(tasks(7, &[3])));
    assert_eq!(actions(&mut worker), [WorkerAction::Started { run: RUN, attempt: Attempt(7) }]);
    assert_eq!((worker.slots_adrift(), worker.adrift().count()), (0, 0));
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: done(&[3]), nanoseconds: 5 });
    let report = Report { run: RUN, attempt: Attempt(7), outcomes: done(&[3]), nanoseconds: 5 };
    let told = [WorkerAction::Unreserve { ticket: Ticket(0) }, WorkerAction::Report(report)];
    assert_eq!(actions(&mut worker), told);
}

#[test]
fn of_what_runs_beside_that_the_scheduler_hears_too() {
    let mut worker = adrift(&[3, 4]);
    worker.handle_event(WorkerEvent::Assigned(tasks(7, &[4])));
    actions(&mut worker);
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: done(&[3, 4]), nanoseconds: 5 });
    let kept = WorkerAction::Kept { run: RUN, tasks: vec![(task(3), 8)] };
    let report = Report { run: RUN, attempt: Attempt(7), outcomes: done(&[4]), nanoseconds: 5 };
    assert_eq!(
        actions(&mut worker),
        [WorkerAction::Unreserve { ticket: Ticket(0) }, kept, WorkerAction::Report(report)]
    );
}

#[test]
fn more_than_what_runs_waits_for_it_and_can_be_asked_back() {
    let mut worker = adrift(&[3]);
    worker.handle_event(WorkerEvent::Assigned(tasks(7, &[3, 4])));
    assert_eq!(actions(&mut worker), []);
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: done(&[3]), nanoseconds: 5 });
    let kept = WorkerAction::Kept { run: RUN, tasks: vec![(task(3), 8)] };
    assert_eq!(actions(&mut worker), [WorkerAction::Unreserve { ticket: Ticket(0) }, kept, reserve(1, true)]);
    // The scheduler has heard it.
    worker.handle_event(WorkerEvent::Recall { run: RUN, attempt: Attempt(7), tasks: vec![task(3)] });
    let recalled = WorkerAction::Recalled { run: RUN, attempt: Attempt(7), tasks: vec![task(3)] };
    assert_eq!(actions(&mut worker), [recalled]);
    for (given_back, left) in [(vec![task(3)], 1), (vec![task(3), task(4)], 0)] {
        let mut worker = adrift(&[3]);
        worker.handle_event(WorkerEvent::Assigned(tasks(7, &[3, 4])));
        worker.handle_event(WorkerEvent::Recall { run: RUN, attempt: Attempt(7), tasks: given_back });
        worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: done(&[3]), nanoseconds: 5 });
        assert_eq!(worker.queued().count(), left);
    }
}

#[test]
fn what_is_adrift_and_forgotten_is_told_of_no_more() {
    let mut worker = adrift(&[3]);
    worker.handle_event(WorkerEvent::Assigned(tasks(7, &[3, 4])));
    worker.handle_event(WorkerEvent::Forgotten(RUN));
    assert_eq!(worker.slots_adrift(), 0);
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: done(&[3]), nanoseconds: 5 });
    assert_eq!(actions(&mut worker), [WorkerAction::Unreserve { ticket: Ticket(0) }]);
    assert_eq!(worker.queued().count(), 0);
}

#[test]
fn who_leaves_gives_back_what_has_not_begun() {
    let mut worker = Worker::new(1);
    let read = Fetch { run: RUN, from: WorkerId(7), tasks: task(9), keep: true };
    for waits in [assignment(0, None), assignment(1, Some(read)), assignment(2, None)] {
        worker.handle_event(WorkerEvent::Assigned(waits));
    }
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    worker.handle_event(WorkerEvent::Promised(Ticket(1)));
    assert!(matches!(actions(&mut worker).pop(), Some(WorkerAction::Fetch { ticket: Ticket(1), .. })));
    worker.handle_event(WorkerEvent::Leaves);
    let given_back = |attempt: u32| {
        let tasks = vec![task(attempt.into())];
        WorkerAction::Recalled { run: RUN, attempt: Attempt(attempt), tasks }
    };
    let mut told = actions(&mut worker);
    assert_eq!(told.pop(), Some(WorkerAction::Unreserve { ticket: Ticket(1) }));
    told.sort_by_key(|told| format!("{told:?}"));
    assert_eq!(told, [given_back(1), given_back(2)]);
    // What has begun ends as ever.
    worker.handle_event(WorkerEvent::Executed { ticket: Ticket(0), outcomes: done(&[0]), nanoseconds: 5 });
    let report = Report { run: RUN, attempt: Attempt(0), outcomes: done(&[0]), nanoseconds: 5 };
    let told = [WorkerAction::Unreserve { ticket: Ticket(0) }, WorkerAction::Report(report)];
    assert_eq!(actions(&mut worker), told);
}

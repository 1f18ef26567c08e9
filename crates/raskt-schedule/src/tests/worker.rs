//! The worker machine alone.

use crate::*;

const RUN: RunId = RunId(1);

#[test]
fn a_worker_asks_for_memory_before_it_starts_and_overbooks_only_alone() {
    let assignment = |memory| Assignment { run: RUN, attempt: Attempt(0), tasks: vec![], memory };
    let mut worker = Worker::new(2);
    worker.handle_event(WorkerEvent::Assigned(assignment(70)));
    assert_eq!(worker.poll_action(), Some(WorkerAction::Reserve { ticket: Ticket(0), bytes: 70, overbook: true }));
    worker.handle_event(WorkerEvent::Assigned(assignment(50)));
    assert_eq!(worker.poll_action(), None);
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
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
fn a_forgotten_run_frees_its_slots_at_once() {
    let mut worker = Worker::new(1);
    for _ in 0..2 {
        let assignment = Assignment { run: RUN, attempt: Attempt(0), tasks: vec![], memory: 1 };
        worker.handle_event(WorkerEvent::Assigned(assignment));
    }
    worker.handle_event(WorkerEvent::Promised(Ticket(0)));
    worker.handle_event(WorkerEvent::Forgotten(RUN));
    assert!(!worker.is_running(Ticket(0)));
    while worker.poll_action().is_some() {}
    let other = Assignment { run: RunId(2), attempt: Attempt(0), tasks: vec![], memory: 1 };
    worker.handle_event(WorkerEvent::Assigned(other));
    assert!(matches!(worker.poll_action(), Some(WorkerAction::Reserve { overbook: true, .. })));
}

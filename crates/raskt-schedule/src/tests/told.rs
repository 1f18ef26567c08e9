//! What goes between a worker and its scheduler says the same on both sides.

use crate::*;
use raskt_graph::{GraphBuilder, Layer, LayerId, Shape, TaskId};

const RUN: RunId = RunId(3);
const WORKER: WorkerId = WorkerId(7);

fn assignment(tasks: Vec<TaskRange>) -> Assignment {
    Assignment { run: RUN, attempt: Attempt(2), tasks, transient: vec![], memory: 1, fetched: 0, fetches: vec![] }
}

fn range(layer: u32, start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(layer), start, end }
}

#[test]
fn what_the_scheduler_wants_of_a_worker_is_told_from_what_it_tells_others() {
    let assigned = assignment(vec![range(0, 0, 1)]);
    let action = Action::Assign { worker: WORKER, assignment: assigned.clone() };
    assert_eq!(WorkerOrder::of(action), Ok((WORKER, WorkerOrder::Assign(assigned))));
    let action = Action::Discard { worker: WORKER, run: RUN, tasks: vec![range(1, 2, 3)], inventory_version: 9 };
    let order = WorkerOrder::Discard { run: RUN, tasks: vec![range(1, 2, 3)], inventory_version: 9 };
    assert_eq!(WorkerOrder::of(action), Ok((WORKER, order)));
    let finished = Action::Finished { run: RUN };
    assert_eq!(WorkerOrder::of(finished.clone()), Err(finished));
}

#[test]
fn an_assignment_from_elsewhere_names_only_tasks_that_are_there() {
    let mut graph = GraphBuilder::new();
    let op = super::graphs::op(&mut graph);
    graph.layer(Layer::new("only", op, Shape::source(4))).unwrap();
    let graph = graph.finish();
    assert_eq!(assignment(vec![range(0, 0, 4)]).check(&graph), Ok(()));
    for tasks in [vec![], vec![range(0, 2, 2)]] {
        assert_eq!(assignment(tasks).check(&graph), Err(EventError::NoTask));
    }
    for bad in [range(0, 0, 5), range(0, 3, 2), range(1, 0, 1)] {
        let good = assignment(vec![range(0, 0, 4)]);
        let fetches = vec![Fetch { run: RUN, from: WORKER, tasks: bad, keep: true }];
        assert!(assignment(vec![bad]).check(&graph).is_err());
        assert!(Assignment { transient: vec![bad], ..good.clone() }.check(&graph).is_err());
        assert!(Assignment { fetches, ..good }.check(&graph).is_err());
    }
}

#[test]
fn what_a_worker_tells_is_heard_as_its_own() {
    let (tasks, task) = (vec![range(0, 1, 3)], TaskId::new(LayerId(0), 1));
    let (run, attempt, from) = (RUN, Attempt(2), WorkerId(1));
    let told = WorkerTold::FetchFailed { run, attempt, input_run: RunId(9), task, from, reached: true };
    let Event::FetchFailed {
        worker,
        run: of,
        attempt: Attempt(2),
        task: missing,
        from: WorkerId(1),
        reached: true,
        input_run: RunId(9),
    } = told.into_event(WORKER)
    else {
        panic!("it says something else")
    };
    assert_eq!((worker, of, missing), (WORKER, RUN, task));
    let event = WorkerTold::Scattered { run, tasks: tasks.clone(), bytes: 5 }.into_event(WORKER);
    assert_eq!(event.holder(), Some((WORKER, RUN)));
    let event = WorkerTold::ResultsLost { run, tasks }.into_event(WORKER);
    assert_eq!(event.holder(), None, "it says what it doesn't hold");
}

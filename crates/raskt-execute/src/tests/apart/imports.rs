//! What a worker makes of results of other runs, of which it may know nothing else; and of graphs and results that it can't read.

use super::bench::*;
use super::graphs::evaluate;
use super::kernels::digest;
use crate::*;
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::*;
use raskt_value::{ErrorKind, TaskError};
use std::sync::mpsc::channel;

const READER: RunId = RunId(6);
const OWNER: RunId = RunId(9);

/// A run whose sources stand for four tasks of another one.
fn bench() -> (Bench, std::sync::Arc<raskt_graph::Graph>) {
    let graph = pairs(4);
    let bench = Bench::mixing(1, graph.clone());
    let import = Import { tasks: range(0, 0, 4), run: OWNER, from: TaskId::new(LayerId(2), 10) };
    bench.engine.add_graph(READER, graph.clone(), &[import]).unwrap();
    (bench, graph)
}

fn assign(bench: &Bench, attempt: u32, tasks: TaskRange, fetches: Vec<Fetch>) -> Result<(), WorkerError> {
    let assignment = Assignment { run: READER, ..assignment(attempt, vec![tasks], fetches) };
    bench.engine.handle(WorkerOrder::Assign(assignment))
}

fn of_owner(tasks: TaskRange, keep: bool) -> Fetch {
    Fetch { run: OWNER, ..fetch(8, tasks, keep) }
}

/// What of a run is here.
fn held(bench: &Bench, run: RunId, tasks: TaskRange) -> Vec<Option<u64>> {
    let (sender, receiver) = channel();
    let told = move |given: Given| {
        sender.send(given.values.iter().map(|value| value.as_ref().ok().map(digest)).collect()).unwrap();
    };
    bench.engine.values(run, &[tasks], told).unwrap();
    receiver.recv().unwrap()
}

fn forget(bench: &Bench, run: RunId) {
    bench.order(WorkerOrder::Forget { run });
}

#[test]
fn what_is_imported_is_held_and_told_of_under_its_own_name() {
    for kib in [0, 100] {
        let (bench, graph) = bench();
        let expected = evaluate(&graph);
        let source = |index| Some(expected[&TaskId::new(LayerId(0), index)]);
        let reader = |index| Some(expected[&TaskId::new(LayerId(1), index)]);
        let fetches = vec![of_owner(range(2, 10, 12), true), of_owner(range(2, 12, 13), false)];
        assign(&bench, 1, range(1, 0, 3), fetches).unwrap();
        let asked = bench.asked();
        assert_eq!((asked.run, asked.from, asked.tasks), (OWNER, WorkerId(8), vec![range(2, 10, 13)]));
        bench.engine.fetched(asked.id, answer(results(&graph, range(0, 0, 3), kib)));
        assert_eq!(bench.told(), WorkerTold::Fetched { run: OWNER, tasks: vec![range(2, 10, 12)] });
        assert_eq!(bench.report().run, READER);
        assert_eq!(held(&bench, OWNER, range(2, 10, 13)), [source(0), source(1), None]);
        // Who reads it once more finds it here.
        assign(&bench, 2, range(1, 0, 1), vec![of_owner(range(2, 10, 11), false)]).unwrap();
        assert!(matches!(bench.report().outcomes[..], [(_, Outcome::Done { .. })]));
        assert_eq!(held(&bench, READER, range(1, 0, 3)), [reader(0), reader(1), reader(2)]);
        // Its graph comes later, and what is here is its own from then on.
        bench.engine.add_graph(OWNER, three_layers(20), &[]).unwrap();
        assert_eq!(held(&bench, OWNER, range(2, 10, 12)), [source(0), source(1)]);
        let discard = |tasks| WorkerOrder::Discard { run: OWNER, tasks: vec![tasks], inventory_version: 9 };
        bench.order(discard(range(2, 10, 11)));
        assert_eq!(held(&bench, OWNER, range(2, 10, 12)), [None, source(1)]);
        forget(&bench, OWNER);
        forget(&bench, READER);
        bench.ends_empty();
    }
}

#[test]
fn what_stands_for_nothing_is_not_fetched() {
    let (bench, _) = bench();
    for tasks in [range(2, 9, 11), range(2, 12, 15), range(1, 10, 11), range(2, 12, 12), range(2, 0, u64::MAX)] {
        let refused = assign(&bench, 1, range(1, 0, 1), vec![of_owner(tasks, true)]);
        assert!(matches!(refused, Err(WorkerError::NotImported { run: OWNER, .. })), "{tasks:?}");
    }
    forget(&bench, READER);
    bench.ends_empty();
}

#[test]
fn what_cannot_be_sent_is_for_whoever_holds_it() {
    let (bench, graph) = bench();
    let fetches =
        vec![of_owner(range(2, 10, 11), true), Fetch { from: WorkerId(9), ..of_owner(range(2, 11, 12), true) }];
    assign(&bench, 1, range(1, 0, 2), fetches).unwrap();
    let (first, second) = (bench.asked(), bench.asked());
    let error = TaskError::new(ErrorKind::Io, "it stays where it is");
    bench.engine.fetched(first.id, Ok(vec![Err(Missing::Unsendable(error))]));
    let Said::Failed(failure) = bench.next() else { panic!("the reason goes before the report") };
    assert_eq!(failure.task, TaskId::new(LayerId(1), 0));
    assert!(failure.error.message.contains("it stays where it is"), "{:?}", failure.error);
    // What was asked for beside it is given up first.
    let mut told = bench.next();
    if matches!(told, Said::GaveUp(_)) {
        told = bench.next();
    }
    let Said::Told(WorkerTold::Unsendable { run, attempt, reader, from, is_deadly: false }) = told else {
        panic!("{told:?}")
    };
    assert_eq!((run, attempt, reader, from), (READER, Attempt(1), TaskId::new(LayerId(1), 0), WorkerId(8)));
    // The other one comes for nobody.
    bench.engine.fetched(second.id, answer(results(&graph, range(0, 1, 2), 100)));
    forget(&bench, OWNER);
    forget(&bench, READER);
    bench.ends_empty();
}

#[test]
fn tasks_of_a_graph_that_cannot_be_read_fail() {
    let (bench, _) = bench();
    let unread = RunId(7);
    bench.engine.add_unread(unread, TaskError::new(ErrorKind::Io, "no such op")).unwrap();
    let assignment = Assignment { run: unread, ..assignment(4, vec![range(3, 5, 7)], vec![]) };
    bench.order(WorkerOrder::Assign(assignment));
    let Said::Failed(failure) = bench.next() else { panic!("the reason goes before the report") };
    assert_eq!((failure.run, failure.task), (unread, TaskId::new(LayerId(3), 5)));
    assert!(failure.error.message.contains("no such op"));
    let report = bench.end();
    assert_eq!((report.run, report.attempt), (unread, Attempt(4)));
    assert_eq!(report.outcomes, [(range(3, 5, 6), Outcome::Failed), (range(3, 6, 7), Outcome::NotRun)]);
    forget(&bench, unread);
    forget(&bench, READER);
    bench.ends_empty();
}

//! What a scheduler is told of that had happened before it began.

use super::graphs::added;
use super::links::*;
use super::liveness::{drain, one_layer};
use super::runs::chain_with_retries;
use super::world::{RUN, World};
use crate::*;
use raskt_graph::*;
use std::sync::Arc;

const ALONE: FailureScope = FailureScope::Task;

fn failure(run: u64, task: TaskId) -> Failure {
    Failure { run: RunId(run), task, worker: Some(WorkerId(7)), story: vec![] }
}

#[test]
fn what_has_failed_before_isn_t_run_again_until_somebody_wants_it_to() {
    let mut cluster = Cluster::new(0);
    cluster.submit(1, rows(3, 4), vec![range(2, 0, 4)], ALONE, vec![]);
    cluster.submit(2, rows(2, 4), vec![range(1, 0, 4)], ALONE, vec![import(0, 4, 1, task(2, 0))]);
    // The first is known as the reason alone, and the last is what the client was told of.
    let why = failure(1, task(0, 1));
    cluster.scheduler.fail_before(Time(0), RunId(1), &[range(0, 1, 2)], why.clone()).unwrap();
    cluster.scheduler.fail_before(Time(0), RunId(1), &[range(2, 1, 2)], why.clone()).unwrap();
    assert_eq!(cluster.scheduler.failure(RunId(1), task(2, 1)), Some(&why));
    cluster.join();
    cluster.work_all();
    for (run, last) in [(1, 2), (2, 1)] {
        let knows = cluster.knows(run);
        assert_eq!(
            knows.failed.iter().map(|(&at, &why)| (at, why)).collect::<Vec<_>>(),
            [(task(last, 1), (RunId(1), task(0, 1)))]
        );
        assert_eq!(knows.available.len(), 3);
    }
    assert_eq!(cluster.ran.get(&(RunId(1), task(0, 1))), None);
    // One that comes later hears the same.
    cluster.submit(3, rows(1, 4), vec![range(0, 0, 4)], ALONE, vec![import(0, 4, 1, task(2, 0))]);
    cluster.work_all();
    assert_eq!(cluster.knows(3).failed.keys().copied().collect::<Vec<_>>(), [task(0, 1)]);
    assert_eq!(cluster.ran.get(&(RunId(1), task(0, 1))), None);
    cluster.handle(Event::Retried { run: RunId(2), tasks: vec![range(1, 1, 2)] });
    cluster.work_all();
    assert!(cluster.ran.contains_key(&(RunId(1), task(0, 1))));
    assert!(cluster.knows(2).available.contains(&task(1, 1)));
    // Of what isn't there, or isn't needed, nothing changes.
    cluster.scheduler.fail_before(Time(0), RunId(9), &[range(0, 1, 2)], why.clone()).unwrap();
    cluster.scheduler.fail_before(Time(0), RunId(1), &[range(2, 1, 2)], why.clone()).unwrap();
    assert_eq!(cluster.scheduler.failure(RunId(1), task(2, 1)), None);
    assert!(cluster.scheduler.fail_before(Time(0), RunId(1), &[range(0, 3, 9)], why).is_err());
}

#[test]
fn what_was_tried_before_is_tried_the_fewer_times() {
    for (before, failures, succeeds) in [(0, 2, true), (1, 1, true), (1, 2, false), (2, 0, true), (2, 1, false)] {
        let graph = chain_with_retries(2);
        let mut world = World::new(1000);
        let last = TaskId::new(LayerId(1), 0);
        world.handle(added(RUN, None, Arc::new(graph.clone()), vec![TaskRange::one(last)]));
        world.scheduler.tried_before(RUN, last, before);
        world.scheduler.tried_before(RUN, TaskId::new(LayerId(1), 9), before);
        world.scheduler.tried_before(RunId(77), last, before);
        world.join(1);
        world.run_one(&graph, 0, || false);
        for _ in 0..failures {
            world.run_one(&graph, 0, || true);
        }
        if succeeds {
            world.run_one(&graph, 0, || false);
        }
        assert_eq!((world.finished, world.failed.is_none()), (succeeds, succeeds), "{before} before, {failures} since");
    }
}

/// However many calls have failed one by one, and whoever reads them all: what is tried again is looked at, and nothing else.
#[test]
fn a_retry_looks_at_what_is_retried() {
    let mut steps = vec![];
    for n in [500_u32, 4000] {
        let graph = one_layer(n, None);
        let one = |index: u64| TaskRange { layer: LayerId(0), start: index, end: index + 1 };
        let whole = TaskRange { layer: LayerId(0), start: 0, end: n.into() };
        let mut s = Scheduler::new(1);
        let (made, reads) = (RunId(1), RunId(2));
        let add = |run, imports| {
            let (graph, wanted, failure) = (graph.clone(), vec![whole], ALONE);
            Event::GraphAdded { run, parent: None, graph, wanted, failure, imports }
        };
        s.handle_event(Time(0), add(made, vec![]));
        for index in 0..u64::from(n) {
            let task = TaskId::new(LayerId(0), index);
            s.fail_before(Time(0), made, &[one(index)], failure(made.0, task)).unwrap();
        }
        s.handle_event(Time(0), add(reads, vec![Import { tasks: whole, run: made, from: TaskId::new(LayerId(0), 0) }]));
        drain(&mut s);
        s.validate();
        let before = s.steps();
        s.handle_event(Time(0), Event::Retried { run: reads, tasks: vec![one(7)] });
        steps.push(s.steps() - before);
        s.validate();
    }
    assert!(steps[1] <= steps[0] + 20, "for 8 times as many: {steps:?}");
}

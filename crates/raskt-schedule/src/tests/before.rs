//! What a scheduler is told of that had happened before it began.

use super::graphs::added;
use super::links::*;
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

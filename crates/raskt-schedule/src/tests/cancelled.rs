//! Tasks that a client has cancelled, and what depends on them.

use super::links::*;
use crate::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

const ALONE: FailureScope = FailureScope::Task;
const X: RunId = RunId(1);

fn cancel(cluster: &mut Cluster, run: RunId, tasks: Vec<TaskRange>) {
    cluster.handle(Event::Cancelled { run, tasks });
}

#[test]
fn what_depends_on_a_cancelled_task_fails_in_its_run_and_in_others_and_everything_else_goes_on() {
    let mut cluster = Cluster::new(1);
    cluster.submit(1, rows(2, 4), vec![range(0, 0, 4), range(1, 0, 4)], ALONE, vec![]);
    // Two runs after each other that read it, and one that doesn't.
    cluster.submit(2, rows(2, 2), vec![range(1, 0, 2)], ALONE, vec![import(0, 2, 1, task(0, 1))]);
    cluster.submit(3, rows(2, 1), vec![range(1, 0, 1)], ALONE, vec![import(0, 1, 2, task(1, 0))]);
    cluster.submit(4, rows(2, 1), vec![range(1, 0, 1)], ALONE, vec![import(0, 1, 1, task(0, 0))]);
    cancel(&mut cluster, X, vec![range(0, 1, 2)]);
    let root = (X, task(0, 1));
    assert_eq!(cluster.knows(1).failed.get(&task(1, 1)), Some(&root));
    assert_eq!(cluster.knows(2).failed.get(&task(1, 0)), Some(&root));
    assert_eq!(cluster.knows(3).failed.get(&task(1, 0)), Some(&root));
    assert_eq!(cluster.scheduler.failure(X, task(1, 1)).map(|failure| failure.worker), Some(None));
    cluster.work_all();
    assert_eq!(cluster.knows(1).available.len(), 6);
    assert_eq!(cluster.knows(2).available, BTreeSet::from([task(1, 1)]));
    assert_eq!(cluster.knows(4).available, BTreeSet::from([task(1, 0)]));
    assert!((1..5).all(|run| cluster.knows(run).is_finished), "nobody waits for ever");
    assert!(!cluster.ran.contains_key(&(X, task(1, 1))));
    (1..5).for_each(|run| cluster.release(run));
    assert!(cluster.memories.values().all(BTreeSet::is_empty) && cluster.scheduler.leftovers().is_none());
}

#[test]
fn what_has_still_to_be_computed_from_a_result_that_is_there_fails_when_it_is_cancelled() {
    for whole in [false, true] {
        let mut cluster = Cluster::new(1);
        cluster.submit(1, rows(2, 2), vec![range(0, 0, 2)], ALONE, vec![]);
        cluster.work_all();
        let scope = if whole { FailureScope::Run } else { ALONE };
        cluster.handle(Event::Wanted { run: X, tasks: vec![range(1, 0, 2)] });
        cluster.submit(2, rows(2, 2), vec![range(1, 0, 2)], scope, vec![import(0, 2, 1, task(0, 0))]);
        cancel(&mut cluster, X, vec![range(0, 0, 1)]);
        let root = (X, task(0, 0));
        assert_eq!(cluster.knows(1).failed.get(&task(1, 0)), Some(&root));
        if !whole {
            assert_eq!(cluster.knows(2).failed.get(&task(1, 0)), Some(&root));
            assert!(!cluster.knows(2).failed.contains_key(&task(1, 1)));
        }
        cluster.work_all();
        let available = &cluster.knows(1).available;
        assert!(available.contains(&task(1, 1)) && !available.contains(&task(1, 0)));
        assert_eq!(cluster.knows(2).available.len(), usize::from(!whole));
        // Nobody holds what nobody wants.
        assert!(!cluster.memories.values().any(|memory| memory.contains(&(X, task(0, 0)))));
    }
}

#[test]
fn what_was_computed_before_stays_and_what_is_cancelled_in_vain_changes_nothing() {
    let mut cluster = Cluster::new(1);
    cluster.submit(1, rows(2, 2), vec![range(0, 0, 2), range(1, 0, 2)], ALONE, vec![]);
    cluster.work_all();
    cancel(&mut cluster, X, vec![range(0, 0, 2)]);
    cancel(&mut cluster, X, vec![range(0, 0, 2)]);
    let knows = cluster.knows(1);
    assert!(knows.failed.is_empty() && knows.available.is_superset(&BTreeSet::from([task(1, 0), task(1, 1)])));
    cluster.release(1);
    // A run that is one whole has nothing to cancel by itself.
    cluster.submit(2, rows(2, 2), vec![range(1, 0, 2)], FailureScope::Run, vec![]);
    cancel(&mut cluster, RunId(2), vec![range(0, 0, 1)]);
    cluster.work_all();
    assert!(cluster.knows(2).is_finished && cluster.knows(2).ended.is_none());
}

#[test]
fn what_was_cancelled_runs_after_all_when_that_is_asked_for() {
    let mut cluster = Cluster::new(1);
    cluster.submit(1, rows(2, 2), vec![range(0, 0, 2), range(1, 0, 2)], ALONE, vec![]);
    cancel(&mut cluster, X, vec![range(0, 0, 1)]);
    cluster.handle(Event::Retried { run: X, tasks: vec![range(1, 0, 1)] });
    cluster.work_all();
    assert!(cluster.knows(1).available.contains(&task(1, 0)) && cluster.knows(1).is_finished);
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// Whatever is cancelled, and whenever: each task that is still wanted comes or fails with what was cancelled, and fails only if a way leads
    /// there from it.
    #[test]
    fn nobody_waits_for_ever(
        steps in prop::collection::vec((0..3_u8, 0..3_u64, 0..3_u32, 0..4_u64), 1..30),
    ) {
        let mut cluster = Cluster::new(2);
        let all = |from| (from..3).map(|layer| range(layer, 0, 4)).collect::<Vec<_>>();
        cluster.submit(1, rows(3, 4), all(0), ALONE, vec![]);
        cluster.submit(2, rows(3, 4), all(1), ALONE, vec![import(0, 4, 1, task(1, 0))]);
        cluster.submit(3, rows(3, 4), all(1), ALONE, vec![import(0, 4, 2, task(2, 0))]);
        let mut cancelled = BTreeSet::new();
        for (step, run, layer, index) in steps {
            if step < 2 {
                if !cluster.assigned.is_empty() {
                    cluster.work(0);
                }
                continue;
            }
            let (run, at) = (RunId(1 + run), task(layer, index));
            cancelled.insert((run, at));
            cancel(&mut cluster, run, vec![TaskRange::one(at)]);
        }
        cluster.work_all();
        for run in 1..4 {
            let knows = cluster.knows(run);
            prop_assert!(knows.is_finished);
            for at in all(u32::from(run > 1)).into_iter().flat_map(TaskRange::tasks) {
                if cancelled.contains(&(RunId(run), at)) {
                    continue;
                }
                let failed = knows.failed.get(&at);
                prop_assert!(failed.is_some() != knows.available.contains(&at), "{at} of {run}: {knows:?}");
                prop_assert!(failed.is_none_or(|root| cancelled.contains(root)));
                // Each reads the one of its own number, and a run the last of the one before it.
                let depth = |run: u64, layer: u32| 2 * (run - 1) + u64::from(layer);
                let is_before = |&&(of, other): &&(RunId, raskt_graph::TaskId)| {
                    other.index == at.index && depth(of.0, other.layer.0) < depth(run, at.layer.0)
                };
                prop_assert!(failed.is_none() || cancelled.iter().any(|it| is_before(&it)), "{at} of {run}");
            }
        }
    }
}

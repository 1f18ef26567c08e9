//! Tasks that a client has cancelled, and what depends on them.

use super::links::*;
use crate::*;
use proptest::prelude::*;
use std::collections::BTreeSet;

const ALONE: FailureScope = FailureScope::Task;
const X: RunId = RunId(1);

/// Whoever cancels them wants them no more.
fn cancel(cluster: &mut Cluster, run: RunId, tasks: Vec<TaskRange>) {
    cluster.handle(Event::Released { run, tasks: tasks.clone() });
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

#[test]
fn what_nobody_needed_when_it_was_cancelled_fails_when_somebody_comes_to_need_it() {
    for is_done in [false, true] {
        let mut cluster = Cluster::new(1);
        let wanted = if is_done { vec![range(0, 0, 2)] } else { vec![] };
        cluster.submit(1, rows(2, 2), wanted, ALONE, vec![]);
        cluster.work_all();
        cluster.submit(2, rows(3, 2), vec![], ALONE, vec![import(0, 2, 1, task(0, 0))]);
        cancel(&mut cluster, X, vec![range(0, 1, 2)]);
        assert_eq!(cluster.scheduler.failure(X, task(0, 1)).is_some(), !is_done);
        cluster.handle(Event::Wanted { run: RunId(2), tasks: vec![range(2, 0, 2)] });
        assert_eq!(cluster.knows(2).failed, [(task(2, 1), (X, task(0, 1)))].into());
        cluster.work_all();
        assert_eq!(cluster.knows(2).available, BTreeSet::from([task(2, 0)]));
        assert_eq!(cluster.ran.contains_key(&(X, task(0, 1))), is_done, "it runs for nobody");
        cluster.handle(Event::Retried { run: RunId(2), tasks: vec![range(2, 1, 2)] });
        cluster.work_all();
        assert!(cluster.knows(2).available.contains(&task(2, 1)) && cluster.knows(2).is_finished);
        // What has come of it stays, also when it has to be made again.
        if is_done {
            cancel(&mut cluster, X, vec![range(0, 0, 1)]);
            let worker = *cluster.memories.keys().next().unwrap();
            cluster.kill(worker);
            cluster.join();
            cluster.work_all();
            assert!(cluster.knows(2).available.contains(&task(2, 0)), "{:?}", cluster.knows(2));
        }
    }
}

#[test]
fn what_is_there_and_others_want_fails_for_them_too() {
    // Whoever cancels it has let go of it, or somebody else wants it.
    for others_own in [false, true] {
        let mut cluster = Cluster::new(2);
        cluster.submit(1, rows(2, 2), vec![range(0, 0, 2), range(1, 0, 1)], ALONE, vec![]);
        cluster.submit(2, rows(2, 2), vec![range(0, 0, 2), range(1, 0, 1)], ALONE, vec![import(0, 2, 1, task(0, 0))]);
        cluster.work_all();
        let (own, theirs) = (cluster.knows(1).available.clone(), cluster.knows(2).available.clone());
        assert_eq!((own.len(), theirs.len()), (3, 3));
        match others_own {
            true => cluster.handle(Event::Cancelled { run: X, tasks: vec![range(0, 0, 1)] }),
            false => cancel(&mut cluster, X, vec![range(0, 0, 1)]),
        }
        let failed = [(task(0, 0), (X, task(0, 0)))].into();
        assert_eq!(cluster.knows(2).failed, failed);
        assert_eq!(cluster.knows(1).failed, if others_own { failed } else { [].into() });
        assert!(!cluster.memories.values().any(|memory| memory.contains(&(X, task(0, 0)))), "nobody keeps it");
        // What was computed from it stays, and so does its neighbour.
        assert!(cluster.knows(2).available.is_superset(&[task(0, 1), task(1, 0)].into()));
        cluster.handle(Event::Retried { run: RunId(2), tasks: vec![range(0, 0, 1)] });
        cluster.work_all();
        assert!((1..3).all(|run| cluster.knows(run).is_finished));
        assert_eq!(cluster.knows(2).available, theirs);
        [1, 2].into_iter().for_each(|run| cluster.release(run));
        assert!(cluster.memories.values().all(BTreeSet::is_empty) && cluster.scheduler.leftovers().is_none());
    }
}

#[test]
fn as_many_as_numbers_go_are_cancelled_at_once() {
    const MANY: u64 = 1 << 39;
    let mut graph = raskt_graph::GraphBuilder::new();
    let op = super::graphs::op(&mut graph);
    let grid = raskt_graph::Grid::new([1 << 20, 1 << 19]);
    let shape = raskt_graph::Shape::Map { grid: grid.clone(), inputs: vec![] };
    let first = graph.layer(raskt_graph::Layer::new("first", op, shape)).unwrap();
    let inputs = vec![raskt_graph::MapInput::same(first, grid.clone())];
    graph.layer(raskt_graph::Layer::new("next", op, raskt_graph::Shape::Map { grid, inputs })).unwrap();
    let graph = std::sync::Arc::new(graph.finish());
    for wanted in [vec![], vec![range(0, 5, 6), range(1, 8, 9)], vec![range(0, 0, MANY), range(1, 0, MANY)]] {
        let mut scheduler = Scheduler::new(1000);
        let mut handle = |event| scheduler.try_event(Time(0), event).unwrap();
        handle(Event::WorkerJoined { worker: WorkerId(1), offer: Offer::slots(1) });
        let (parent, failure) = (None, ALONE);
        for run in 1..3 {
            let (graph, wanted, run) = (graph.clone(), wanted.clone(), RunId(run));
            let imports = if run == X { vec![] } else { vec![import(0, MANY, 1, task(0, 0))] };
            let imports = imports.into_iter().map(|it| Import { tasks: range(0, 0, MANY), ..it }).collect();
            let wanted = if run == X { wanted } else { vec![range(1, 8, 9)] };
            handle(Event::GraphAdded { run, parent, graph, wanted, failure, imports });
        }
        let before = scheduler.steps();
        let tasks = vec![range(0, 0, MANY)];
        let claim = |run| if run == X { Claim::Nothing } else { Claim::Wanted };
        let unclaimed = scheduler.unclaimed(X, &tasks, &claim);
        assert_eq!(unclaimed, [range(0, 0, 8), range(0, 9, MANY)]);
        scheduler.try_event(Time(0), Event::Cancelled { run: X, tasks: unclaimed }).unwrap();
        assert!(scheduler.failure(X, task(0, MANY - 1)).is_some() && scheduler.failure(X, task(0, 8)).is_none());
        assert!(scheduler.steps() - before < 1000, "{} steps", scheduler.steps() - before);
    }
}

/// What reads a task of the runs of the properties: tasks of the same number.
fn readers(run: u64, layer: u32) -> Vec<(u64, u32)> {
    let next = Some((run, layer + 1)).filter(|_| layer < 2);
    next.into_iter().chain(Some((run + 1, 0)).filter(|_| run < 3 && u64::from(layer) == run)).collect()
}

/// Whether a run would lose something by it that a task isn't made.
fn is_claimed(cluster: &Cluster, claims: &[Claim], (run, layer, index): (u64, u32, u64)) -> bool {
    let is_open = |(run, layer): (u64, u32)| match cluster.scheduler.task_state(RunId(run), task(layer, index)) {
        Some(TaskState::InMemory { .. } | TaskState::Released) | None => false,
        Some(_) => true,
    };
    let mut left: Vec<_> = readers(run, layer).into_iter().map(|it| (it, it.1 == 0)).collect();
    let mut theirs = vec![((run, layer), true)];
    while let Some((at, is_direct)) = left.pop() {
        if is_open(at) || is_direct {
            theirs.push((at, true));
            left.extend(readers(at.0, at.1).into_iter().map(|it| (it, false)));
        }
        theirs.extend(Some((at, false)).filter(|_| at.1 == 0));
    }
    theirs.into_iter().any(|((run, layer), counts)| match claims[run as usize - 1] {
        Claim::Nothing => false,
        Claim::Wanted => counts && (layer > 0 || run == 1),
        Claim::Everything => layer == 0 && run > 1 || counts,
    })
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

    /// Cancelled is what can be without taking anything from those who have a claim, and no less; however far the work is.
    #[test]
    fn others_lose_nothing(
        work in prop::collection::vec(0..5_usize, 0..30),
        claims in prop::collection::vec(0..3_u8, 3),
        (run, layer, from, to) in (1..4_u64, 0..3_u32, 0..4_u64, 1..5_u64),
    ) {
        let claims: Vec<_> = claims.into_iter().map(|claim| match claim {
            0 => Claim::Nothing,
            1 => Claim::Wanted,
            _ => Claim::Everything,
        }).collect();
        let mut cluster = Cluster::new(2);
        let all = |from| (from..3).map(|layer| range(layer, 0, 4)).collect::<Vec<_>>();
        cluster.submit(1, rows(3, 4), all(0), ALONE, vec![]);
        cluster.submit(2, rows(3, 4), all(1), ALONE, vec![import(0, 4, 1, task(1, 0))]);
        cluster.submit(3, rows(3, 4), all(1), ALONE, vec![import(0, 4, 2, task(2, 0))]);
        for at in work {
            if at < cluster.assigned.len() {
                cluster.work(at);
            }
        }
        let asked = range(layer, from.min(to), to);
        let claim = |run: RunId| claims[run.0 as usize - 1];
        let found = cluster.scheduler.unclaimed(RunId(run), &[asked], &claim);
        for at in asked.tasks() {
            let is_found = found.iter().any(|range| range.contains(at));
            prop_assert_eq!(is_found, !is_claimed(&cluster, &claims, (run, layer, at.index)), "{} of {:?}", at, found);
        }
        cancel(&mut cluster, RunId(run), found);
        cluster.work_all();
        for run in (1..4).filter(|run| claims[*run as usize - 1] != Claim::Nothing) {
            prop_assert!(cluster.knows(run).failed.is_empty(), "{:?}", cluster.knows(run));
        }
    }
}

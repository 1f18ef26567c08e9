//! What a server shows of all that there is, and a worker that retires: it gets nothing more, and others have copies.

use super::graphs::{added, all_tasks, graphs, pick_wanted};
use super::world::*;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::collections::BTreeSet;
use std::sync::Arc;

/// All that is in memory, as pages of `most` tasks tell.
fn residents(scheduler: &Scheduler, most: usize) -> Vec<Resident> {
    let (mut all, mut from) = (vec![], Some(BEGINNING));
    while let Some(at) = from {
        let (found, next) = scheduler.residents(at, most);
        assert!(found.len() <= most && next.is_none_or(|next| next > at), "{at:?} leads to {next:?}");
        all.extend(found);
        from = next;
    }
    all
}

/// The same of one worker.
fn residents_at(scheduler: &Scheduler, worker: WorkerId, most: usize) -> Vec<Resident> {
    let (mut all, mut from) = (vec![], Some(BEGINNING));
    while let Some(at) = from {
        let (found, next) = scheduler.residents_at(worker, at, most);
        assert!(found.len() <= most && next.is_none_or(|next| next > at), "{at:?} leads to {next:?}");
        all.extend(found);
        from = next;
    }
    all
}

#[test]
fn what_one_worker_holds_is_found_without_looking_at_what_others_hold() {
    let mut cluster = super::links::Cluster::new(1);
    let range = |end| vec![TaskRange { layer: LayerId(0), start: 0, end }];
    cluster.submit(1, super::links::rows(1, 5), range(5), FailureScope::Task, vec![]);
    cluster.work_all();
    let other = cluster.join();
    cluster.handle(Event::WorkerResized { worker: WorkerId(0), slots: 0, memory: u64::MAX });
    for run in 2..30 {
        cluster.submit(run, super::links::rows(1, 40), range(40), FailureScope::Task, vec![]);
    }
    cluster.submit(30, super::links::rows(1, 5), range(5), FailureScope::Task, vec![]);
    cluster.work_all();
    let (found, next) = cluster.scheduler.residents_at(WorkerId(0), BEGINNING, 8);
    assert_eq!((found.len(), next), (5, None));
    assert!(cluster.scheduler.residents(BEGINNING, 8).1.is_some());
    assert_eq!(residents_at(&cluster.scheduler, other, 100).len(), 28 * 40 + 5);
    let load = cluster.scheduler.load_of(other).unwrap();
    assert_eq!((load.results, load.assignments, load.started), (28 * 40 + 5, 0, 0));
    assert_eq!(cluster.scheduler.totals().done, 28 * 40 + 10);
}

fn begun(graph: &Graph, wanted: Vec<TaskId>, workers: u32, steps: usize) -> World {
    let mut world = World::ahead(1, 1000);
    (0..workers).for_each(|_| world.join(2));
    world.handle(added(RUN, None, Arc::new(graph.clone()), TaskRange::of(wanted)));
    for at in 0..steps {
        if world.assigned.is_empty() {
            break;
        }
        world.run_one(graph, at * 7, || false);
    }
    world
}

proptest! {
    #[test]
    fn pages_tell_of_every_result_once(
        graph in graphs(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..6),
        steps in 0..60_usize, most in 1..40_usize,
    ) {
        let world = begun(&graph, pick_wanted(&graph, &picks), 3, steps);
        let expected = all_tasks(&graph).into_iter().filter_map(|task| {
            let workers = world.scheduler.holders(RUN, task);
            (!workers.is_empty()).then_some((task, workers))
        });
        let found = residents(&world.scheduler, most);
        prop_assert!(found.iter().map(|it| (it.task, it.workers.clone())).eq(expected));
        for &worker in world.memories.keys() {
            let of_worker = found.iter().filter(|it| it.workers.contains(&worker)).cloned();
            prop_assert!(of_worker.eq(residents_at(&world.scheduler, worker, most)));
        }
        let held: u64 = world.memories.keys().map(|&it| world.scheduler.load_of(it).unwrap().results).sum();
        prop_assert_eq!(held as usize, found.iter().map(|it| it.workers.len()).sum::<usize>());
    }

    #[test]
    fn one_that_retires_is_not_missed(
        graph in graphs(), picks in prop::collection::vec(any::<prop::sample::Index>(), 1..6), steps in 0..40_usize,
    ) {
        let wanted = pick_wanted(&graph, &picks);
        let mut world = begun(&graph, wanted.clone(), 3, steps);
        let (retires, takes) = (WorkerId(0), WorkerId(1));
        world.handle(Event::WorkerResized { worker: retires, slots: 0, memory: u64::MAX });
        let before = world.trace.len();
        let assigned = |world: &World| world.assigned.iter().position(|(worker, _)| *worker == retires);
        while let Some(at) = assigned(&world) {
            world.run_one(&graph, at, || false);
        }
        let is_new = |action: &Action| matches!(action, Action::Assign { worker, .. } if *worker == retires);
        prop_assert!(!world.trace[before..].iter().any(is_new));
        let all = residents(&world.scheduler, 1000);
        for alone in all.iter().filter(|it| it.workers == [retires]) {
            let value = world.memories[&retires][&alone.task];
            world.memories.get_mut(&takes).unwrap().insert(alone.task, value);
            world.handle(Event::Fetched { worker: takes, run: RUN, tasks: TaskRange::of([alone.task]) });
        }
        world.memories.remove(&retires);
        world.handle(Event::WorkerLost { worker: retires, cause: LossCause::Retired });
        let tasks = |all: &[Resident]| all.iter().map(|it| it.task).collect::<BTreeSet<_>>();
        prop_assert_eq!(tasks(&residents(&world.scheduler, 1000)), tasks(&all));
        world.run_to_the_end(&graph);
        prop_assert!(world.finished);
        let expected = super::graphs::evaluate(&graph);
        prop_assert!(wanted.iter().all(|task| world.find(*task) == Some(expected[task])));
    }
}

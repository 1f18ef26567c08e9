//! Runs whose tasks stand alone: what fails, and what doesn't; what a client is told of each.

use super::graphs::op;
use super::links::*;
use crate::*;
use raskt_graph::*;
use std::collections::BTreeSet;

const ALONE: FailureScope = FailureScope::Task;

#[test]
fn what_cannot_be_computed_without_a_failed_task_fails_and_everything_else_goes_on() {
    let mut cluster = Cluster::new(2);
    cluster.failing.insert((RunId(1), task(0, 3)));
    cluster.submit(1, rows(3, 8), vec![range(1, 2, 5), range(2, 0, 8)], ALONE, vec![]);
    cluster.work_all();
    let knows = cluster.knows(1);
    assert_eq!(knows.failed.keys().copied().collect::<Vec<_>>(), [task(1, 3), task(2, 3)]);
    assert!(knows.failed.values().all(|root| *root == (RunId(1), task(0, 3))), "{knows:?}");
    assert_eq!(knows.available.len(), 9, "{knows:?}");
    assert!(knows.is_finished && knows.ended.is_none());
    assert_eq!(cluster.scheduler.failure(RunId(1), task(2, 3)).map(|failure| failure.task), Some(task(0, 3)));
    assert_eq!(cluster.scheduler.failure(RunId(1), task(2, 4)), None);
    // Whoever comes to need it meets the same failure, and nothing is run for that.
    let ran = cluster.ran.clone();
    cluster.handle(Event::Wanted { run: RunId(1), tasks: vec![range(1, 3, 4), range(0, 3, 4)] });
    cluster.work_all();
    assert_eq!(cluster.knows(1).failed[&task(0, 3)], (RunId(1), task(0, 3)));
    assert_eq!(cluster.ran, ran);
    cluster.release(1);
    assert!(cluster.memories.values().all(BTreeSet::is_empty) && cluster.scheduler.leftovers().is_none());
}

#[test]
fn a_retry_runs_what_failed_first_and_all_that_failed_with_it() {
    let mut cluster = Cluster::new(1);
    cluster.failing.extend([(RunId(1), task(0, 3)), (RunId(1), task(0, 5))]);
    cluster.submit(1, rows(3, 8), vec![range(1, 0, 8), range(2, 0, 8)], ALONE, vec![]);
    cluster.work_all();
    assert_eq!(cluster.knows(1).failed.len(), 4);
    cluster.failing.clear();
    // The last of them is named, and what it failed of is run.
    cluster.handle(Event::Retried { run: RunId(1), tasks: vec![range(2, 3, 4)] });
    cluster.work_all();
    let knows = cluster.knows(1);
    assert_eq!(knows.failed.keys().copied().collect::<Vec<_>>(), [task(1, 5), task(2, 5)]);
    assert!(knows.available.contains(&task(1, 3)) && knows.available.contains(&task(2, 3)) && knows.is_finished);
    cluster.release(1);
    assert!(cluster.scheduler.leftovers().is_none());
}

/// A task reads two that have failed, and is noted with the one that failed first. Something new needs it: it fails with either,
/// and the client is told of one and the same.
#[test]
fn what_has_failed_and_is_needed_again_has_the_cause_that_it_had() {
    for first in [0, 1] {
        let mut cluster = Cluster::new(1);
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        let sources = graph.layer(Layer::new("sources", op, Shape::source(2))).unwrap();
        let shape = Shape::Reduce { input: sources, grid: Grid::new([2]), fan_in: [2].into_iter().collect() };
        let sum = graph.layer(Layer::new("sum", op, shape)).unwrap();
        let shape = Shape::Map { grid: Grid::new([1]), inputs: vec![MapInput::same(sum, Grid::new([1]))] };
        graph.layer(Layer::new("last", op, shape)).unwrap();
        cluster.failing.insert((RunId(1), task(0, first)));
        cluster.submit(1, graph.finish(), vec![range(1, 0, 1)], ALONE, vec![]);
        cluster.work_all();
        let of_first = (RunId(1), task(0, first));
        assert_eq!(cluster.knows(1).failed[&task(1, 0)], of_first);
        cluster.failing.insert((RunId(1), task(0, 1 - first)));
        cluster.handle(Event::Released { run: RunId(1), tasks: vec![range(1, 0, 1)] });
        cluster.handle(Event::Wanted { run: RunId(1), tasks: vec![range(0, 0, 2)] });
        cluster.work_all();
        assert_eq!(cluster.scheduler.failure(RunId(1), task(0, 1 - first)).unwrap().task, task(0, 1 - first));
        cluster.handle(Event::Wanted { run: RunId(1), tasks: vec![range(1, 0, 1), range(2, 0, 1)] });
        cluster.work_all();
        assert_eq!(cluster.knows(1).failed[&task(1, 0)], of_first);
        assert_eq!(cluster.scheduler.failure(RunId(1), task(1, 0)).unwrap().task, task(0, first));
        assert!(cluster.knows(1).failed.contains_key(&task(2, 0)) && cluster.knows(1).is_finished);
        // Whatever is retried first, all of it comes in the end.
        cluster.failing.clear();
        for _ in 0..2 {
            cluster.handle(Event::Retried { run: RunId(1), tasks: vec![range(2, 0, 1)] });
            cluster.handle(Event::Retried { run: RunId(1), tasks: vec![range(1, 0, 1)] });
            cluster.work_all();
        }
        assert_eq!(cluster.knows(1).available.len(), 4);
    }
}

/// Whoever comes to read what has failed hears so, and nobody looks at those who have heard it before.
#[test]
fn one_more_reader_of_what_has_failed_costs_what_the_first_did() {
    let mut cluster = Cluster::new(1);
    cluster.failing.insert((RunId(1), task(0, 0)));
    cluster.submit(1, rows(1, 1), vec![range(0, 0, 1)], ALONE, vec![]);
    cluster.work_all();
    let mut steps = vec![];
    for run in 2..200 {
        let before = cluster.scheduler.steps();
        cluster.submit(run, rows(2, 1), vec![range(1, 0, 1)], ALONE, vec![import(0, 1, 1, task(0, 0))]);
        steps.push(cluster.scheduler.steps() - before);
        assert_eq!(cluster.knows(run).failed[&task(1, 0)], (RunId(1), task(0, 0)));
    }
    assert_eq!(steps.first(), steps.last());
    // All of them hear of it when it comes after all.
    cluster.failing.clear();
    for run in 2..200 {
        cluster.handle(Event::Retried { run: RunId(run), tasks: vec![range(1, 0, 1)] });
    }
    cluster.work_all();
    assert!((2..200).all(|run| cluster.knows(run).available.contains(&task(1, 0))));
}

#[test]
fn failed_tasks_that_nobody_wants_any_more_are_not_waited_for_or_run_again() {
    let mut cluster = Cluster::new(1);
    cluster.failing.insert((RunId(1), task(0, 0)));
    cluster.submit(1, rows(2, 2), vec![range(1, 0, 2)], ALONE, vec![]);
    cluster.work_all();
    cluster.handle(Event::Released { run: RunId(1), tasks: vec![range(1, 0, 2)] });
    cluster.failing.clear();
    cluster.handle(Event::Retried { run: RunId(1), tasks: vec![range(1, 0, 1)] });
    assert!(cluster.assigned.is_empty());
    cluster.handle(Event::Wanted { run: RunId(1), tasks: vec![range(1, 0, 1)] });
    cluster.work_all();
    assert!(cluster.knows(1).available.contains(&task(1, 0)));
}

#[test]
fn lost_results_are_told_and_told_again_when_they_are_there() {
    let mut cluster = Cluster::new(2);
    cluster.submit(1, rows(1, 6), vec![range(0, 0, 6)], ALONE, vec![]);
    cluster.work_all();
    assert_eq!(cluster.knows(1).available.len(), 6);
    let worker = WorkerId(0);
    let had: Vec<_> = cluster.memories[&worker].iter().map(|(_, task)| *task).collect();
    cluster.kill(worker);
    assert_eq!(cluster.knows(1).available.len(), 6 - had.len());
    cluster.work_all();
    assert!(cluster.knows(1).available.len() == 6 && cluster.knows(1).is_finished);
    let held = cluster.scheduler.who_has(RunId(1), range(0, 1, 5), 2);
    assert_eq!(held.iter().map(|held| held.tasks.len()).sum::<u64>(), 4, "{held:?}");
    assert!(held.iter().all(|held| held.worker == WorkerId(1)));
}

#[test]
fn given_data_that_is_gone_fails_its_readers_until_it_is_given_again() {
    let mut cluster = Cluster::new(1);
    let scatter = |cluster: &mut Cluster, worker: WorkerId| {
        cluster.memories.get_mut(&worker).unwrap().extend([0, 1].map(|index| (RunId(1), task(0, index))));
        cluster.handle(Event::Scattered { run: RunId(1), tasks: vec![range(0, 0, 2)], worker, bytes: 16 });
    };
    cluster.submit(1, rows(2, 4), vec![], ALONE, vec![]);
    scatter(&mut cluster, WorkerId(0));
    cluster.handle(Event::Wanted { run: RunId(1), tasks: vec![range(1, 0, 4)] });
    cluster.kill(WorkerId(0));
    let knows = cluster.knows(1);
    assert_eq!(knows.failed[&task(1, 1)], (RunId(1), task(0, 1)), "{knows:?}");
    assert!(!knows.failed.contains_key(&task(1, 2)) && knows.ended.is_none());
    let worker = cluster.join();
    cluster.work_all();
    assert!(cluster.knows(1).available.contains(&task(1, 3)));
    scatter(&mut cluster, worker);
    cluster.handle(Event::Retried { run: RunId(1), tasks: vec![range(1, 0, 2)] });
    cluster.work_all();
    assert!(cluster.knows(1).available.contains(&task(1, 0)) && cluster.knows(1).is_finished);
}

/// Data of two runs that nobody wants any more, and a task that reads both: what is given again first stays until the other is there.
#[test]
fn data_that_is_given_again_stays_until_it_is_let_go_of() {
    let mut cluster = Cluster::new(1);
    let scatter = |cluster: &mut Cluster, run: u64, worker: WorkerId| {
        cluster.memories.get_mut(&worker).unwrap().insert((RunId(run), task(0, 0)));
        cluster.handle(Event::Scattered { run: RunId(run), tasks: vec![range(0, 0, 1)], worker, bytes: 8 });
    };
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let sources = ["one", "two"].map(|name| graph.layer(Layer::new(name, op, Shape::source(1))).unwrap());
    let mut reader = ExplicitBuilder::default();
    sources.into_iter().for_each(|source| reader.input(TaskId::new(source, 0)));
    reader.task();
    graph.layer(Layer::new("reads", op, Shape::Explicit(reader.finish().unwrap()))).unwrap();
    (1..3).for_each(|run| cluster.submit(run, rows(1, 1), vec![], ALONE, vec![]));
    (1..3).for_each(|run| scatter(&mut cluster, run, WorkerId(0)));
    let imports = vec![import(0, 1, 1, task(0, 0)), import(1, 1, 2, task(0, 0))];
    cluster.submit(3, graph.finish(), vec![range(2, 0, 1)], ALONE, imports);
    (1..3).for_each(|run| cluster.handle(Event::RunReleased { run: RunId(run) }));
    cluster.kill(WorkerId(0));
    assert!(cluster.knows(3).failed.contains_key(&task(2, 0)));
    let worker = cluster.join();
    for run in 1..3 {
        scatter(&mut cluster, run, worker);
        cluster.handle(Event::Retried { run: RunId(3), tasks: vec![range(2, 0, 1)] });
        assert!(cluster.memories[&worker].contains(&(RunId(1), task(0, 0))), "after {run}");
    }
    (1..3).for_each(|run| cluster.handle(Event::Released { run: RunId(run), tasks: vec![range(0, 0, 1)] }));
    cluster.work_all();
    assert!(cluster.knows(3).available.contains(&task(2, 0)) && cluster.knows(3).is_finished);
    assert!(!cluster.memories[&worker].contains(&(RunId(1), task(0, 0))));
}

/// Nobody wants the run between the data and who reads it any more, and it has failed for the same.
#[test]
fn what_is_read_of_runs_that_nobody_wants_is_run_again_as_well() {
    let mut cluster = Cluster::new(1);
    let scatter = |cluster: &mut Cluster, worker: WorkerId| {
        cluster.memories.get_mut(&worker).unwrap().insert((RunId(1), task(0, 0)));
        cluster.handle(Event::Scattered { run: RunId(1), tasks: vec![range(0, 0, 1)], worker, bytes: 8 });
    };
    cluster.submit(1, rows(1, 1), vec![], ALONE, vec![]);
    scatter(&mut cluster, WorkerId(0));
    cluster.submit(2, rows(2, 1), vec![range(1, 0, 1)], ALONE, vec![import(0, 1, 1, task(0, 0))]);
    cluster.submit(3, rows(2, 1), vec![range(1, 0, 1)], ALONE, vec![import(0, 1, 2, task(1, 0))]);
    cluster.submit(4, rows(2, 1), vec![range(1, 0, 1)], ALONE, vec![import(0, 1, 3, task(1, 0))]);
    (2..4).for_each(|run| cluster.handle(Event::RunReleased { run: RunId(run) }));
    cluster.kill(WorkerId(0));
    assert!(cluster.knows(4).failed.contains_key(&task(1, 0)));
    let worker = cluster.join();
    scatter(&mut cluster, worker);
    cluster.handle(Event::Retried { run: RunId(4), tasks: vec![range(1, 0, 1)] });
    cluster.work_all();
    assert!(cluster.knows(4).available.contains(&task(1, 0)) && cluster.knows(4).is_finished);
}

#[test]
fn a_server_learns_by_pages_who_does_and_has_what_and_why_tasks_failed() {
    let mut cluster = Cluster::new(1);
    cluster.failing.extend([(RunId(2), task(0, 1)), (RunId(2), task(0, 3))]);
    cluster.submit(1, rows(1, 4), vec![range(0, 0, 4)], ALONE, vec![]);
    cluster.submit(2, rows(2, 5), vec![range(1, 0, 5)], ALONE, vec![import(0, 0, 1, task(0, 0))]);
    let scheduler = &cluster.scheduler;
    assert_eq!(scheduler.known_runs(RunId(0), 1), [RunId(1)]);
    assert_eq!(scheduler.known_runs(RunId(2), 9), [RunId(2)]);
    let processing = scheduler.processing(WorkerId(0), None, 9);
    let [Processing { run, attempt, tasks, is_started: false, .. }] = &processing[..] else { panic!("{processing:?}") };
    assert_eq!((*run, tasks[0].start), (RunId(1), 0));
    assert_eq!(scheduler.processing(WorkerId(0), Some((*run, *attempt)), 9), []);
    assert_eq!(scheduler.processing(WorkerId(9), None, 9), []);
    cluster.work_all();
    let scheduler = &cluster.scheduler;
    let failed = |from: TaskId, most| {
        let failed = scheduler.failed(RunId(2), from, most);
        failed.into_iter().map(|(range, failure)| (range, failure.task)).collect::<Vec<_>>()
    };
    let all = [(range(1, 1, 2), task(0, 1)), (range(1, 3, 4), task(0, 3))];
    assert_eq!(
        (failed(task(0, 0), 9), failed(task(0, 0), 1), failed(task(1, 2), 9)),
        (all.to_vec(), all[..1].to_vec(), all[1..].to_vec())
    );
    let story = scheduler.story(RunId(2), task(1, 3)).unwrap();
    assert_eq!((story.state, story.failure.map(|failure| failure.task)), (None, Some(task(0, 3))));
    let story = scheduler.story(RunId(2), task(1, 2)).unwrap();
    assert!(
        matches!(story.state, Some(TaskState::InMemory { .. })) && story.failure.is_none() && story.deaths.is_empty()
    );
    assert_eq!(scheduler.story(RunId(2), task(1, 5)), None);
    let page = scheduler.who_has(RunId(2), range(1, 0, u64::MAX), 2);
    assert_eq!(page.iter().map(|held| held.tasks).collect::<Vec<_>>(), [range(1, 0, 1), range(1, 2, 3)]);
    assert_eq!(scheduler.who_has(RunId(2), range(7, 0, 1), 2), []);
    let Some(Progress { done, total }) = scheduler.progress(RunId(2)) else { panic!("the run is there") };
    assert_eq!((done, total), (6, 6), "what has failed isn't waited for");
}

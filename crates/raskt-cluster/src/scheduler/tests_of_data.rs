//! Data of clients that can't be had has failed, as a task would have: whatever reads it hears why, and nobody waits.

use super::core::Core;
use super::gifts::Place;
use super::tests::{TASKS, graph, range};
use super::tests_of_workers::{Scene, give, submit};
use crate::failure::no_memory;
use crate::journal::{Journal, JournalOptions};
use crate::message::{FailureForm, FromWorker, Submission};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{FailureScope, Import, LossCause, RunId, TaskRange, WorkerId, WorkerTold};
use raskt_value::ErrorKind;
use std::sync::Arc;

pub(super) const GIVEN: RunId = RunId(0);

pub(super) fn all() -> Vec<TaskRange> {
    vec![range(0, 0, u64::from(TASKS))]
}

/// Reads the first result of `run` that stands for data.
pub(super) fn read(core: &mut Core, client: u32, run: RunId) {
    read_at(core, client, run, 0);
}

fn read_at(core: &mut Core, client: u32, run: RunId, index: u64) {
    let (shape, bytes) = graph();
    let imports = vec![Import { tasks: range(0, 0, u64::from(TASKS)), run: GIVEN, from: TaskId::new(LayerId(0), 0) }];
    let (wanted, failure) = (vec![range(1, index, index + 1)], FailureScope::Task);
    let (mark, named, parent, given, given_at, in_pieces) = Default::default();
    let keeps = false;
    let submission =
        Submission { run, mark, named, parent, wanted, failure, imports, given, given_at, keeps, in_pieces };
    core.submit(client, submission, (bytes, Arc::new(shape))).unwrap();
}

fn not_given(core: &mut Core, worker: WorkerId) {
    part_not_given(core, worker, all());
}

fn part_not_given(core: &mut Core, worker: WorkerId, tasks: Vec<TaskRange>) {
    core.worker_says(worker, FromWorker::NotGiven { run: GIVEN, tasks, reason: "it can't be read".into() }, vec![]);
}

fn came(core: &mut Core, worker: WorkerId) {
    part_came(core, worker, all());
}

pub(super) fn part_came(core: &mut Core, worker: WorkerId, tasks: Vec<TaskRange>) {
    let told = WorkerTold::Scattered { run: GIVEN, tasks, bytes: 48 };
    core.worker_says(worker, FromWorker::Told { told, small: vec![] }, vec![]);
}

/// One worker was asked to fetch what run 1 reads.
fn given_and_read() -> (Scene, WorkerId) {
    let mut scene = Scene::new();
    let (client, worker) = (scene.client(1), scene.worker(2, "one"));
    give(&mut scene.core, client, GIVEN);
    read(&mut scene.core, client, RunId(1));
    scene.core.spread_gifts();
    (scene, worker)
}

/// Why the first result of a layer has failed, if it has.
pub(super) fn failure(core: &Core, run: RunId, layer: u32) -> Option<FailureForm> {
    core.machine.failure(run, TaskId::new(LayerId(layer), 0)).map(|failure| core.failure_form(failure.clone()))
}

fn assert_unread(core: &Core, run: RunId, layer: u32) {
    let failure = failure(core, run, layer).unwrap();
    assert_eq!((failure.run, failure.task, failure.is_lost), (GIVEN, TaskId::new(LayerId(0), 0), false));
    assert!(failure.error.unwrap().message.contains("it can't be read"));
}

#[test]
fn whoever_reads_what_can_not_be_had_fails_be_it_before_or_later() {
    for lets_go in [false, true] {
        let mut scene = Scene::new();
        let (client, workers) = (scene.client(1), [2, 3].map(|process| scene.worker(process, &process.to_string())));
        let core = &mut scene.core;
        give(core, client, GIVEN);
        core.spread_gifts();
        read(core, client, RunId(1));
        if lets_go {
            core.release(GIVEN);
        }
        workers.into_iter().for_each(|worker| not_given(core, worker));
        // Each was asked for a share, and one for the other's as well.
        not_given(core, workers[0]);
        not_given(core, workers[1]);
        assert_unread(core, RunId(1), 1);
        if !lets_go {
            assert_unread(core, GIVEN, 1);
            read(core, client, RunId(2));
            assert_unread(core, RunId(2), 1);
        }
        [GIVEN, RunId(1), RunId(2)].into_iter().for_each(|run| core.release(run));
        assert!(core.runs.is_empty() && core.given.is_empty() && core.ungiven.is_empty());
        core.machine.validate();
    }
}

/// What is fetched together with what can't be read is read all the same.
#[test]
fn only_what_can_not_be_had_fails() {
    let mut scene = Scene::new();
    let (client, workers) = (scene.client(1), [2, 3].map(|process| scene.worker(process, &process.to_string())));
    let core = &mut scene.core;
    give(core, client, GIVEN);
    read(core, client, RunId(1));
    read_at(core, client, RunId(2), 1);
    core.spread_gifts();
    let first = vec![range(0, 0, 1)];
    let asked = |core: &Core, of| core.runs[&GIVEN].gifts.all_at(Place::Asked(of));
    let had = asked(core, workers[0]);
    assert!(had.len() == 1 && had[0].start == 0 && had[0].end > 1);
    part_not_given(core, workers[0], first.clone());
    // The other one tries it as well, and nothing else of what this one has still to fetch.
    assert!(asked(core, workers[1]).contains(&range(0, 0, 1)));
    assert_eq!(asked(core, workers[0]), [range(0, 1, had[0].end)]);
    // What it wasn't asked for says nothing.
    part_not_given(core, workers[0], first.clone());
    assert!(failure(core, RunId(1), 1).is_none());
    part_not_given(core, workers[1], first);
    for worker in workers {
        let rest = asked(core, worker);
        part_came(core, worker, rest);
    }
    assert_unread(core, RunId(1), 1);
    assert!(core.machine.failure(RunId(2), TaskId::new(LayerId(1), 1)).is_none());
    let assignments: u32 = workers.into_iter().map(|it| core.machine.load_of(it).unwrap().assignments as u32).sum();
    assert!(assignments > 0, "its neighbour is read");
    core.machine.validate();
}

/// A worker tells of each by itself: not all of it comes to the same neighbour, and nothing else of the run is asked for anew.
#[test]
fn what_is_missed_one_by_one_comes_to_all_others() {
    let mut scene = Scene::new();
    let (client, workers) = (scene.client(1), [2, 3, 4].map(|process| scene.worker(process, &process.to_string())));
    let core = &mut scene.core;
    give(core, client, GIVEN);
    core.spread_gifts();
    let asked = |core: &Core, of| core.runs[&GIVEN].gifts.all_at(Place::Asked(of));
    let before = workers.map(|it| TaskRange::count(&asked(core, it)));
    let tasks: Vec<_> = asked(core, workers[0]).into_iter().flat_map(|range| range.tasks()).collect();
    assert!(tasks.len() > 1);
    for task in &tasks {
        part_not_given(core, workers[0], vec![TaskRange::one(*task)]);
        assert!(core.runs[&GIVEN].gifts.are_awaited() && core.ungiven.is_empty());
    }
    assert!(asked(core, workers[0]).is_empty());
    let more = [1, 2].map(|at| TaskRange::count(&asked(core, workers[at])) - before[at]);
    assert!(more[0].abs_diff(more[1]) <= 1 && more[0] + more[1] == tasks.len() as u64, "{more:?}");
    for worker in &workers[1..] {
        let rest = asked(core, *worker);
        part_came(core, *worker, rest);
    }
    assert!(!core.runs[&GIVEN].gifts.are_awaited() && core.runs[&GIVEN].gifts.are_there());
    core.machine.validate();
}

#[test]
fn what_could_not_be_had_is_fetched_again_when_it_is_retried() {
    let (mut scene, worker) = given_and_read();
    let core = &mut scene.core;
    for _ in 0..2 {
        not_given(core, worker);
        assert_unread(core, RunId(1), 1);
        assert!(core.ungiven.is_empty());
        core.retry(RunId(1), vec![range(1, 0, 1)]).unwrap();
        core.spread_gifts();
        assert_eq!(core.runs[&GIVEN].gifts.all_at(Place::Asked(worker)), all());
    }
    came(core, worker);
    assert!([GIVEN, RunId(1)].into_iter().all(|run| failure(core, run, 1).is_none()));
    // Others may read later what has failed for it before.
    assert!(core.runs[&GIVEN].gifts.why_not(TaskId::new(LayerId(0), 0)).is_some());
    assert!(core.machine.load_of(worker).unwrap().assignments > 0);
    core.machine.validate();
}

/// A client waits for all that has failed in a run for what it has retried.
#[test]
fn whoever_fails_for_the_same_is_retried_with_it() {
    let (mut scene, worker) = given_and_read();
    let core = &mut scene.core;
    not_given(core, worker);
    // Three of the run that was given it have failed as well, one by one.
    core.retry(GIVEN, vec![range(1, 0, 1)]).unwrap();
    let waits = |core: &Core| {
        core.runs[&GIVEN].gifts.stopped.iter().flat_map(|(_, tasks, _)| tasks.clone()).collect::<Vec<_>>()
    };
    assert!((0..3).all(|index| waits(core).iter().any(|range| range.contains(TaskId::new(LayerId(1), index)))));
    came(core, worker);
    assert!((0..3).all(|index| core.machine.failure(GIVEN, TaskId::new(LayerId(1), index)).is_none()));
    core.machine.validate();
}

/// Nobody has the stand-ins for data run, however many ask for it again, and however often.
#[test]
fn many_may_retry_what_is_fetched_again() {
    let mut scene = Scene::new();
    let (client, worker) = (scene.client(1), scene.worker(2, "one"));
    let core = &mut scene.core;
    give(core, client, GIVEN);
    let readers = [1, 2, 3].map(RunId);
    readers.into_iter().for_each(|run| read(core, client, run));
    core.spread_gifts();
    not_given(core, worker);
    for run in readers.into_iter().chain(readers) {
        core.retry(run, vec![range(1, 0, 1)]).unwrap();
    }
    assert_eq!(core.machine.load_of(worker).unwrap().assignments, 0, "nothing of it can be run");
    came(core, worker);
    assert!(readers.into_iter().all(|run| failure(core, run, 1).is_none()));
    assert!(core.machine.load_of(worker).unwrap().assignments > 0);
    core.machine.validate();
}

/// Some of it comes when it is fetched again, and some of it doesn't: whoever reads the one or the other hears what holds for that.
#[test]
fn what_comes_at_last_is_there_beside_what_does_not() {
    for is_first in [false, true] {
        let mut scene = Scene::new();
        let (client, worker) = (scene.client(1), scene.worker(2, "one"));
        let core = &mut scene.core;
        give(core, client, GIVEN);
        let (first, last) = (RunId(1), RunId(2));
        read(core, client, first);
        read_at(core, client, last, u64::from(TASKS) - 1);
        core.spread_gifts();
        not_given(core, worker);
        core.retry(first, vec![range(1, 0, 1)]).unwrap();
        core.retry(last, vec![range(1, u64::from(TASKS) - 1, u64::from(TASKS))]).unwrap();
        let (start, end) = if is_first { (0, 1) } else { (1, u64::from(TASKS)) };
        part_came(core, worker, vec![range(0, start, end)]);
        not_given(core, worker);
        let failed = |core: &Core, run, index| core.machine.failure(run, TaskId::new(LayerId(1), index)).is_some();
        assert_eq!(failed(core, first, 0), !is_first);
        assert_eq!(failed(core, last, u64::from(TASKS) - 1), is_first);
        // What hasn't come can be fetched once more.
        let (run, index) = if is_first { (last, u64::from(TASKS) - 1) } else { (first, 0) };
        core.retry(run, vec![range(1, index, index + 1)]).unwrap();
        part_came(core, worker, all());
        assert!(!failed(core, first, 0) && !failed(core, last, u64::from(TASKS) - 1));
        core.machine.validate();
    }
}

/// Its client has let go of it, and of nothing else of the run: it comes for who reads it, and goes with it.
#[test]
fn what_is_given_again_of_what_was_let_go_goes_with_its_readers() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    let worker = scene.worker(2, "one");
    submit(&mut scene.core, client, GIVEN, range(0, 0, u64::from(TASKS)), all());
    scene.core.spread_gifts();
    came(&mut scene.core, worker);
    read(&mut scene.core, client, RunId(1));
    scene.core.release_tasks(client, vec![(GIVEN, range(0, 0, 1))]).unwrap();
    let holds = |core: &Core, worker, index| core.machine.holds(GIVEN, worker, TaskId::new(LayerId(0), index));
    assert!(holds(&scene.core, worker, 0));
    scene.core.worker_lost(worker, LossCause::Died);
    let worker = scene.worker(3, "one");
    scene.core.spread_gifts();
    came(&mut scene.core, worker);
    assert!(holds(&scene.core, worker, 0) && holds(&scene.core, worker, 1), "it is read");
    scene.core.release(RunId(1));
    assert!(!holds(&scene.core, worker, 0) && holds(&scene.core, worker, 1));
    scene.core.machine.validate();
}

#[test]
fn what_a_client_that_leaves_had_to_give_has_failed() {
    let mut scene = Scene::new();
    let (client, other) = (scene.client(1), scene.client(2));
    let core = &mut scene.core;
    give(core, client, GIVEN);
    read(core, other, RunId(u64::from(other) * crate::message::RUNS_OF_A_CLIENT));
    core.client_lost(client);
    let reader = RunId(u64::from(other) * crate::message::RUNS_OF_A_CLIENT);
    let failed = failure(core, reader, 1).unwrap();
    assert!(failed.error.unwrap().message.contains("has left"));
    // Nobody can give it again, and nobody waits for that.
    core.retry(reader, vec![range(1, 0, 1)]).unwrap();
    assert!(failure(core, reader, 1).is_some() && core.ungiven.is_empty());
    core.release(reader);
    assert!(core.runs.is_empty());
    core.machine.validate();
}

/// Whoever reads data for which no worker has memory lacks memory, as a task would.
#[test]
fn want_of_memory_is_told_as_that() {
    for (reason, kind) in
        [(no_memory("results hold all of it"), ErrorKind::Memory), ("it's gone".into(), ErrorKind::Foreign)]
    {
        let (mut scene, worker) = given_and_read();
        let not_given = FromWorker::NotGiven { run: GIVEN, tasks: all(), reason: reason.clone() };
        scene.core.worker_says(worker, not_given, vec![]);
        let error = failure(&scene.core, RunId(1), 1).unwrap().error.unwrap();
        assert_eq!(error.kind, kind);
        assert!(error.message.ends_with(&reason), "{}", error.message);
    }
}

/// Workers are there before the client that gives it, and it has let go of it: others read it.
#[test]
fn what_was_let_go_of_is_given_once_its_client_is_back() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Journal::open(folder.path(), JournalOptions::default()).unwrap();
    let mut scene = Scene::new();
    scene.core.journal = Some(open());
    let client = scene.client(1);
    give(&mut scene.core, client, GIVEN);
    read(&mut scene.core, client, RunId(1));
    scene.core.release(GIVEN);
    scene.core.write_down();
    let secret = scene.core.journal.as_ref().unwrap().ledger().client(client).unwrap().secret;
    drop(scene);
    let mut scene = Scene::new();
    scene.core.restore(open());
    let worker = scene.worker(2, "one");
    scene.core.spread_gifts();
    let newcomer = scene.client(1);
    assert!(scene.core.client_back(newcomer, client, secret));
    scene.core.client_has(client, vec![(RunId(1), Some(vec![range(1, 0, 1)]))], true);
    let asked = scene.core.runs[&GIVEN].gifts.place(TaskId::new(LayerId(0), 0));
    assert_eq!(asked, Some(Place::Asked(worker)));
    came(&mut scene.core, worker);
    assert!(scene.core.runs[&RunId(1)].wanted_later.is_none(), "it can be run");
    scene.core.machine.validate();
}

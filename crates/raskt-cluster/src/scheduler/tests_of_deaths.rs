//! Data of which workers die fails, and no other.

use super::core::Core;
use super::gifts::Place;
use super::tests::{TASKS, range};
use super::tests_of_data::{GIVEN, all, failure, part_came, read};
use super::tests_of_workers::{Scene, give};
use crate::message::FromWorker;
use raskt_schedule::{LossCause, RunId, TaskRange, WorkerId, WorkerTold};

/// A worker says that it is there, where that is what it was asked.
fn answer(core: &mut Core, worker: WorkerId) {
    for number in core.careful.called(worker) {
        core.worker_says(worker, FromWorker::Pong { number }, vec![]);
    }
}

fn asked(core: &Core, run: RunId, of: WorkerId) -> Vec<TaskRange> {
    core.runs[&run].gifts.all_at(Place::Asked(of))
}

/// Who is gone before it has said that it is there hasn't died of what it was to fetch, however many go at once.
#[test]
fn workers_that_die_together_have_not_died_of_data() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    let runs = || (0..3).map(RunId);
    runs().for_each(|run| give(&mut scene.core, client, run));
    for round in 0..6 {
        let workers = (2..42).map(|it| scene.worker(100 * round + it, "one")).collect::<Vec<_>>();
        scene.core.spread_gifts();
        workers.iter().for_each(|&worker| answer(&mut scene.core, worker));
        workers.into_iter().for_each(|worker| scene.core.worker_lost(worker, LossCause::Died));
        if round < 5 {
            assert!(runs().all(|run| scene.core.runs[&run].gifts.all_at(Place::Failed).is_empty()), "{round}");
        }
    }
    // So often it may have been that.
    assert!(runs().any(|run| !scene.core.runs[&run].gifts.all_at(Place::Failed).is_empty()));
}

/// What comes between two deaths isn't what workers die of.
#[test]
fn deaths_count_for_what_the_dead_were_to_fetch() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    give(&mut scene.core, client, GIVEN);
    for process in 2..6 {
        let worker = scene.worker(process, "one");
        scene.core.spread_gifts();
        answer(&mut scene.core, worker);
        part_came(&mut scene.core, worker, vec![range(0, 0, 5)]);
        scene.core.spread_gifts();
        answer(&mut scene.core, worker);
        scene.core.worker_lost(worker, LossCause::Died);
    }
    assert_eq!(scene.core.runs[&GIVEN].gifts.all_at(Place::Failed), [range(0, 5, 6)]);
}

/// Each datum may be of a run of its own: what a worker has of all of them together is little.
#[test]
fn data_of_other_runs_is_not_what_workers_die_of() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    let runs = || (0..30).map(RunId);
    runs().for_each(|run| give(&mut scene.core, client, run));
    // Nobody reads it, so that workers have nothing else to do.
    runs().for_each(|run| scene.core.release_tasks(client, vec![(run, range(1, 0, 3))]).unwrap());
    let deadly = RunId(11);
    for process in 2..100 {
        let worker = scene.worker(process, "one");
        loop {
            scene.core.spread_gifts();
            answer(&mut scene.core, worker);
            let has: Vec<_> = runs().filter(|&run| !asked(&scene.core, run, worker).is_empty()).collect();
            if has.is_empty() || has.contains(&deadly) && !asked(&scene.core, deadly, worker)[0].is_empty() {
                break;
            }
            for run in has {
                let told = WorkerTold::Scattered { run, tasks: asked(&scene.core, run, worker), bytes: 48 };
                scene.core.worker_says(worker, FromWorker::Told { told, small: vec![] }, vec![]);
            }
        }
        if asked(&scene.core, deadly, worker).is_empty() {
            break;
        }
        scene.core.worker_lost(worker, LossCause::Died);
    }
    let failed = |run| TaskRange::count(&scene.core.runs[&run].gifts.all_at(Place::Failed));
    assert!(runs().filter(|&run| run != deadly).all(|run| failed(run) == 0));
    assert_eq!(failed(deadly), u64::from(TASKS), "each of them ends workers");
    scene.core.machine.validate();
}

#[test]
fn what_workers_die_of_is_given_to_no_more() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    give(&mut scene.core, client, GIVEN);
    read(&mut scene.core, client, RunId(1));
    for process in 2..7 {
        assert!(failure(&scene.core, RunId(1), 1).is_none());
        let worker = scene.worker(process, "one");
        scene.core.spread_gifts();
        answer(&mut scene.core, worker);
        // Who leaves in order hasn't died of it.
        let retired = scene.worker(process + 10, "other");
        scene.core.worker_lost(retired, LossCause::Retired);
        scene.core.worker_lost(worker, LossCause::Died);
    }
    // In the end one was to fetch it without anything else, and no other data has failed.
    let last = scene.worker(7, "one");
    scene.core.spread_gifts();
    answer(&mut scene.core, last);
    let tasks = asked(&scene.core, GIVEN, last);
    assert!(!tasks.is_empty());
    part_came(&mut scene.core, last, tasks);
    while !scene.core.careful.called(last).is_empty() {
        answer(&mut scene.core, last);
        let tasks = asked(&scene.core, GIVEN, last);
        part_came(&mut scene.core, last, tasks);
    }
    assert_eq!(scene.core.runs[&GIVEN].gifts.all_at(Place::There), [range(0, 1, u64::from(TASKS))]);
    let failed = failure(&scene.core, RunId(1), 1).unwrap();
    assert_eq!((failed.story.len(), failed.error, failed.is_lost), (4, None, false));
    scene.core.machine.validate();
}

/// Others give data all the time: what is feared waits for no free worker without end.
#[test]
fn what_is_feared_does_not_wait_for_ever_for_a_free_worker() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    give(&mut scene.core, client, GIVEN);
    let worker = scene.worker(2, "one");
    scene.core.spread_gifts();
    scene.core.worker_lost(worker, LossCause::Died);
    give(&mut scene.core, client, RunId(1));
    let worker = scene.worker(3, "one");
    scene.core.spread_gifts();
    assert!(asked(&scene.core, GIVEN, worker).is_empty() && !asked(&scene.core, RunId(1), worker).is_empty());
    while asked(&scene.core, GIVEN, worker).is_empty() {
        std::thread::sleep(scene.core.due_in().expect("it is looked again"));
        scene.core.time_is_up();
    }
    assert_eq!(asked(&scene.core, GIVEN, worker), all());
    assert!(scene.core.due_in().is_none());
}

/// Who was called and couldn't have it is there, and may be called for it once more: if it dies before it has answered, it hasn't died of it.
#[test]
fn who_could_not_have_it_has_done_with_it() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    give(&mut scene.core, client, GIVEN);
    let first = scene.worker(2, "one");
    scene.core.spread_gifts();
    scene.core.worker_lost(first, LossCause::Died);
    for process in 3..13 {
        let worker = scene.worker(process, "one");
        scene.core.spread_gifts();
        answer(&mut scene.core, worker);
        let missed = FromWorker::NotGiven { run: GIVEN, tasks: asked(&scene.core, GIVEN, worker), reason: "no".into() };
        let other = scene.worker(100 + process, "other");
        scene.core.worker_says(worker, missed, vec![]);
        let gifts = &mut scene.core.runs.get_mut(&GIVEN).unwrap().gifts;
        let all = range(0, 0, u64::from(TASKS));
        gifts.put(all, Place::Asked(worker));
        assert_eq!(gifts.begun_by(worker), 0);
        assert!(gifts.died(worker, 1, false).is_empty());
        scene.core.worker_lost(worker, LossCause::Died);
        scene.core.worker_lost(other, LossCause::Retired);
    }
    assert_eq!(scene.core.runs[&GIVEN].gifts.all_at(Place::Failed), []);
}

/// What a client's data waits for has nothing to do with what others' tasks die of.
#[test]
fn only_who_has_answered_may_have_died_of_data() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    give(&mut scene.core, client, GIVEN);
    let worker = scene.worker(2, "one");
    scene.core.spread_gifts();
    assert!(!asked(&scene.core, GIVEN, worker).is_empty() && !scene.core.careful.is_at(worker), "nobody fears it");
    scene.core.worker_lost(worker, LossCause::Died);
    let other = scene.worker(3, "one");
    scene.core.spread_gifts();
    assert!(!asked(&scene.core, GIVEN, other).is_empty() && !scene.core.careful.is_at(other), "it was called");
    answer(&mut scene.core, other);
    assert!(scene.core.careful.is_at(other));
    part_came(&mut scene.core, other, vec![range(0, 0, u64::from(TASKS))]);
    assert!(!scene.core.careful.is_at(other));
}

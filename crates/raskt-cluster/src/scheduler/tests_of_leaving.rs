//! Workers that leave, and what becomes of what they hold.

use super::core::Core;
use super::tests::{TASKS, range};
use super::tests_of_workers::{Scene, compute, give};
use crate::message::FromWorker;
use raskt_schedule::{LossCause, Offer, RunId, WorkerId, WorkerTold};

/// A worker has what a run is given.
fn holds(core: &mut Core, worker: WorkerId, run: RunId) {
    let told = WorkerTold::Scattered { run, tasks: vec![range(0, 0, u64::from(TASKS))], bytes: 48 };
    core.worker_says(worker, FromWorker::Told { told, small: vec![] }, vec![]);
}

/// Copies that workers were told to make.
fn copies(core: &Core) -> Vec<(u64, WorkerId)> {
    core.movements.copies.iter().map(|(&copy, copying)| (copy, copying.to)).collect()
}

/// All copies of a run's data that there are to be made are there.
fn copied(core: &mut Core, run: RunId) {
    for (copy, to) in copies(core) {
        let told = WorkerTold::Fetched { run, tasks: vec![range(0, 0, u64::from(TASKS))] };
        core.worker_says(to, FromWorker::Told { told, small: vec![] }, vec![]);
        core.worker_says(to, FromWorker::Copied { copy, failure: None }, vec![]);
    }
}

fn leaves(core: &mut Core, worker: WorkerId, returns: bool) {
    core.worker_says(worker, FromWorker::Leaves { returns }, vec![]);
}

/// Gives the data of a run that nothing is made of: that would keep a worker at work.
fn give_alone(core: &mut Core, client: u32, run: RunId) {
    give(core, client, run);
    core.release_tasks(client, vec![(run, range(1, 0, 3))]).unwrap();
    core.spread_gifts();
}

/// Others take over what it alone has before it goes; where nobody can, it waits for nothing.
#[test]
fn what_a_worker_that_leaves_has_goes_to_others() {
    let mut scene = Scene::new();
    let (client, leaver) = (scene.client(1), scene.worker(2, "leaves"));
    give_alone(&mut scene.core, client, RunId(1));
    holds(&mut scene.core, leaver, RunId(1));
    let other = scene.worker(3, "other");
    let core = &mut scene.core;
    leaves(core, leaver, false);
    assert!(matches!(copies(core)[..], [(_, to)] if to == other) && core.workers.contains_key(&leaver));
    copied(core, RunId(1));
    assert!(!core.workers.contains_key(&leaver), "it goes");
    leaves(core, other, false);
    assert!(core.movements.are_none());
}

/// It may be at work for longer than it has time: what it has by then goes to others meanwhile, and what it has come to have after that.
#[test]
fn what_a_worker_that_leaves_has_goes_to_others_while_it_works() {
    let mut scene = Scene::new();
    let (client, leaver) = (scene.client(1), scene.worker(2, "leaves"));
    give_alone(&mut scene.core, client, RunId(1));
    holds(&mut scene.core, leaver, RunId(1));
    compute(&mut scene.core, client, RunId(2), 1);
    let other = scene.worker(3, "other");
    let core = &mut scene.core;
    leaves(core, leaver, false);
    assert!(matches!(copies(core)[..], [(_, to)] if to == other), "{:?}", copies(core));
    copied(core, RunId(1));
    assert!(core.workers.contains_key(&leaver) && copies(core).is_empty(), "it works");
    give_alone(core, client, RunId(3));
    holds(core, leaver, RunId(3));
    assert_eq!(copies(core), [], "once");
    core.release(RunId(2));
    let gave_up = core.machine.processing(leaver, None, 1);
    assert!(gave_up.is_empty() && copies(core).len() == 1, "{gave_up:?} {:?}", copies(core));
    copied(core, RunId(3));
    assert!(!core.workers.contains_key(&leaver) && core.movements.are_none());
}

/// Workers whose lifetimes end at once, and that others take the places of: each hands on to the next, and the last waits for the first
/// that comes. Who isn't followed by anybody waits for nobody.
#[test]
fn where_all_leave_at_once_the_last_waits_for_who_comes() {
    for returns in [true, false] {
        let mut scene = Scene::new();
        let client = scene.client(1);
        let [first, last] = [2, 3].map(|process| scene.worker(process, &process.to_string()));
        for (run, holder) in [(RunId(1), first), (RunId(2), last)] {
            give_alone(&mut scene.core, client, run);
            holds(&mut scene.core, holder, run);
        }
        let core = &mut scene.core;
        leaves(core, last, returns);
        // Somebody is there yet.
        assert!(matches!(copies(core)[..], [(_, to)] if to == first));
        leaves(core, first, returns);
        copied(core, RunId(2));
        assert_eq!(core.movements.are_none(), !returns);
        if !returns {
            continue;
        }
        // What it had has come back to it, with all that the other had.
        copied(core, RunId(1));
        copied(core, RunId(2));
        assert!(!core.workers.contains_key(&first) && core.workers.contains_key(&last));
        assert!(copies(core).is_empty() && !core.movements.are_none(), "it waits");
        let new = scene.worker(4, "4");
        let core = &mut scene.core;
        copied_to(core, new, &[RunId(1), RunId(2)]);
        assert!(!core.workers.contains_key(&last) && core.movements.are_none());
    }
}

/// Where nobody stays, one of those that leave takes over what another has as soon as it can be reached again.
#[test]
fn those_that_leave_hand_on_to_one_that_is_back() {
    let mut scene = Scene::new();
    let (client, works) = (scene.client(1), scene.worker(2, "works"));
    compute(&mut scene.core, client, RunId(2), 1);
    let gives = scene.worker(3, "gives");
    give_alone(&mut scene.core, client, RunId(1));
    holds(&mut scene.core, gives, RunId(1));
    let core = &mut scene.core;
    leaves(core, works, true);
    core.worker_away(works, true);
    leaves(core, gives, true);
    assert!(copies(core).is_empty() && core.workers.contains_key(&gives), "the other one isn't reached");
    core.worker_away(works, false);
    copied_to(core, works, &[RunId(1)]);
    assert!(!core.workers.contains_key(&gives) && core.workers.contains_key(&works));
}

/// The same of one that retired by an order of a client, and leaves of itself before it is done.
#[test]
fn those_that_leave_hand_on_to_one_that_comes_to_leave() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    let [gives, works] = [2, 3].map(|process| scene.worker(process, &process.to_string()));
    compute(&mut scene.core, client, RunId(2), 2);
    give_alone(&mut scene.core, client, RunId(1));
    holds(&mut scene.core, gives, RunId(1));
    let core = &mut scene.core;
    let is_at_work = |worker| !core.machine.processing(worker, None, 1).is_empty();
    assert!(is_at_work(gives) && is_at_work(works));
    core.set_retiring(works, true);
    leaves(core, gives, true);
    assert_eq!(copies(core), [], "nobody leaves after it yet");
    leaves(core, works, true);
    copied_to(core, works, &[RunId(1)]);
}

/// Those who are out of reach may be so for longer than there is time: who comes meanwhile takes over what they were to.
#[test]
fn who_comes_takes_over_what_one_out_of_reach_was_to() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    let [leaver, stays] = [2, 3].map(|process| scene.worker(process, &process.to_string()));
    give_alone(&mut scene.core, client, RunId(1));
    holds(&mut scene.core, leaver, RunId(1));
    scene.core.worker_away(stays, true);
    leaves(&mut scene.core, leaver, false);
    assert!(matches!(copies(&scene.core)[..], [(_, to)] if to == stays), "there is nobody else");
    let new = scene.worker(4, "new");
    copied_to(&mut scene.core, new, &[RunId(1)]);
    assert!(!scene.core.workers.contains_key(&leaver) && scene.core.movements.are_none());
}

/// All copies of data of these runs that one worker is to make are there.
fn copied_to(core: &mut Core, new: WorkerId, runs: &[RunId]) {
    let asked = copies(core);
    assert!(asked.len() == runs.len() && asked.iter().all(|(_, to)| *to == new), "{asked:?} by {new:?}");
    for &run in runs {
        let told = WorkerTold::Fetched { run, tasks: vec![range(0, 0, u64::from(TASKS))] };
        core.worker_says(new, FromWorker::Told { told, small: vec![] }, vec![]);
    }
    for (copy, _) in asked {
        core.worker_says(new, FromWorker::Copied { copy, failure: None }, vec![]);
    }
}

/// Its work may outlast the time that it has: whoever comes meanwhile takes over what it has.
#[test]
fn what_a_worker_has_that_works_goes_to_who_comes_later() {
    for returns in [true, false] {
        let mut scene = Scene::new();
        let (client, leaver) = (scene.client(1), scene.worker(2, "leaves"));
        give_alone(&mut scene.core, client, RunId(1));
        holds(&mut scene.core, leaver, RunId(1));
        compute(&mut scene.core, client, RunId(2), 1);
        leaves(&mut scene.core, leaver, returns);
        assert_eq!(copies(&scene.core), [], "nobody is there");
        let late = scene.worker(3, "late");
        copied_to(&mut scene.core, late, &[RunId(1)]);
        // And once more, if that one is gone.
        scene.core.worker_lost(late, LossCause::Died);
        assert_eq!(copies(&scene.core), []);
        let later = scene.worker(4, "later");
        copied_to(&mut scene.core, later, &[RunId(1)]);
        let core = &mut scene.core;
        assert!(core.workers.contains_key(&leaver) && copies(core).is_empty(), "it works");
        core.release(RunId(2));
        assert!(!core.workers.contains_key(&leaver) && core.movements.are_none());
    }
}

/// Who has nothing more to do leaves first, and gives what it has to whoever is still at work, which hands all of it on.
#[test]
fn of_two_that_leave_the_one_at_work_is_the_last() {
    let mut scene = Scene::new();
    let (client, works) = (scene.client(1), scene.worker(2, "works"));
    give_alone(&mut scene.core, client, RunId(1));
    holds(&mut scene.core, works, RunId(1));
    compute(&mut scene.core, client, RunId(2), 1);
    let idle = scene.worker(3, "idle");
    give_alone(&mut scene.core, client, RunId(3));
    holds(&mut scene.core, idle, RunId(3));
    leaves(&mut scene.core, works, true);
    copied_to(&mut scene.core, idle, &[RunId(1)]);
    leaves(&mut scene.core, idle, true);
    copied_to(&mut scene.core, works, &[RunId(3)]);
    assert!(!scene.core.workers.contains_key(&idle), "it has nothing of its own");
    let new = scene.worker(4, "idle");
    copied_to(&mut scene.core, new, &[RunId(1), RunId(3)]);
    assert!(scene.core.workers.contains_key(&works));
    scene.core.release(RunId(2));
    assert!(!scene.core.workers.contains_key(&works) && scene.core.movements.are_none());
}

/// One that nobody takes the place of hands on to one that somebody does; and an order of a client that comes to nothing ends nothing of that.
#[test]
fn who_gives_way_keeps_what_others_have_for_who_comes() {
    let mut scene = Scene::new();
    let (client, gives_way) = (scene.client(1), scene.worker(2, "gives way"));
    let other = scene.worker(3, "other");
    for (run, holder) in [(RunId(1), gives_way), (RunId(3), other)] {
        give_alone(&mut scene.core, client, run);
        holds(&mut scene.core, holder, run);
    }
    scene.core.movements.one_returns();
    leaves(&mut scene.core, gives_way, true);
    copied_to(&mut scene.core, other, &[RunId(1)]);
    assert!(!scene.core.workers.contains_key(&gives_way));
    let gives_way = scene.worker(4, "gives way too");
    give_alone(&mut scene.core, client, RunId(4));
    holds(&mut scene.core, gives_way, RunId(4));
    leaves(&mut scene.core, other, false);
    leaves(&mut scene.core, gives_way, true);
    copied_to(&mut scene.core, gives_way, &[RunId(1), RunId(3)]);
    let core = &mut scene.core;
    assert!(!core.workers.contains_key(&other) && core.workers.contains_key(&gives_way));
}

/// What nobody else has memory for keeps nothing else from going, while it works and after.
#[test]
fn of_a_worker_that_leaves_goes_what_others_have_memory_for() {
    for works in [true, false] {
        let mut scene = Scene::new();
        let (client, leaver) = (scene.client(1), scene.worker(2, "leaves"));
        for (run, bytes) in [(RunId(1), 48), (RunId(3), 1 << 50)] {
            give_alone(&mut scene.core, client, run);
            let told = WorkerTold::Scattered { run, tasks: vec![range(0, 0, u64::from(TASKS))], bytes };
            scene.core.worker_says(leaver, FromWorker::Told { told, small: vec![] }, vec![]);
        }
        if works {
            compute(&mut scene.core, client, RunId(2), 1);
        }
        let other = scene.worker_of(3, Offer { name: "other".into(), memory: 1 << 20, ..Offer::slots(1) });
        leaves(&mut scene.core, leaver, false);
        copied_to(&mut scene.core, other, &[RunId(1)]);
        assert!(scene.core.workers.contains_key(&leaver), "{works}");
        scene.core.release(RunId(2));
        assert!(scene.core.movements.are_none());
    }
}

/// Who is out of reach may be so for longer than there is time.
#[test]
fn nothing_is_handed_over_to_who_is_out_of_reach() {
    let mut scene = Scene::new();
    let (client, leaver) = (scene.client(1), scene.worker(2, "leaves"));
    give_alone(&mut scene.core, client, RunId(1));
    holds(&mut scene.core, leaver, RunId(1));
    let [away, goes, there] = [3, 4, 5].map(|process| scene.worker(process, &process.to_string()));
    let core = &mut scene.core;
    core.worker_away(away, true);
    leaves(core, leaver, false);
    let [(copy, first)] = copies(core)[..] else { panic!("{:?}", copies(core)) };
    assert_ne!(first, away);
    let other = if first == goes { there } else { goes };
    core.worker_away(first, true);
    assert!(matches!(copies(core)[..], [(_, to)] if to == other), "{:?}", copies(core));
    // It has made it all the same by the time that it is back.
    core.worker_away(first, false);
    let told = WorkerTold::Fetched { run: RunId(1), tasks: vec![range(0, 0, u64::from(TASKS))] };
    core.worker_says(first, FromWorker::Told { told, small: vec![] }, vec![]);
    core.worker_says(first, FromWorker::Copied { copy, failure: None }, vec![]);
    assert!(core.workers.contains_key(&leaver));
    copied(core, RunId(1));
    assert!(!core.workers.contains_key(&leaver) && core.movements.are_none());
}

/// Who waits for a worker that ends without a word, and for others to come, waits no more.
#[test]
fn of_workers_that_are_gone_nothing_is_awaited() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    let [before, leaver] = [2, 3].map(|process| scene.worker(process, &process.to_string()));
    give_alone(&mut scene.core, client, RunId(1));
    holds(&mut scene.core, leaver, RunId(1));
    let core = &mut scene.core;
    leaves(core, before, true);
    assert!(!core.workers.contains_key(&before), "it has nothing");
    leaves(core, leaver, true);
    assert!(!core.movements.are_none(), "another one is to come");
    core.worker_lost(leaver, LossCause::Died);
    assert!(core.movements.are_none());
    // Who takes the place of the only one begins when that has ended.
    for worker in [4, 5].map(|process| scene.worker(process, "one")) {
        scene.core.worker_lost(worker, LossCause::Died);
    }
    let only = scene.worker(6, "only");
    give_alone(&mut scene.core, client, RunId(5));
    holds(&mut scene.core, only, RunId(5));
    leaves(&mut scene.core, only, true);
    assert!(scene.core.movements.are_none(), "nobody is to come");
    let core = &mut scene.core;
    compute(core, client, RunId(2), 1);
    let works = scene.worker(7, "works");
    let core = &mut scene.core;
    core.spread_gifts();
    assert!(!core.machine.processing(works, None, 1).is_empty());
    leaves(core, works, false);
    assert!(!core.movements.are_none());
    core.worker_lost(works, LossCause::Died);
    assert!(core.movements.are_none());
}

//! Workers that come, are out of reach, and go.

use super::core::Core;
use super::gifts::Place;
use super::tests::{TASKS, graph, range};
use crate::driver::{Incoming, Network, NetworkOptions, Peer, inbox};
use crate::hello::{Identity, Introduction, Role};
use crate::message::{FromWorker, Submission, ToClient, ToWorker};
use crate::{Security, Token};
use bytes::Bytes;
use raskt_schedule::{FailureScope, LossCause, Offer, RunId, Scheduler, TaskRange, WorkerId, WorkerTold};
use std::sync::Arc;

/// A scheduler without a journal, and those who have come to it, none of whom hears anything.
pub(super) struct Scene {
    pub core: Core,
    network: Network,
}

impl Scene {
    pub fn new() -> Self {
        let security = Security { token: Some(Token::random().unwrap()), tls: None };
        let network = Network::start(NetworkOptions::new(Role::Scheduler, security).unwrap()).unwrap();
        Self { core: Core::new(Scheduler::new(1000)), network }
    }

    fn peer(role: Role, process: u128) -> Peer {
        let (identity, introduction) = (Identity { process, incarnation: 1 }, Introduction::default());
        Peer { role, identity, from: String::new(), introduction }
    }

    pub fn client(&mut self, process: u128) -> u32 {
        let (nowhere, ignores) = ("tcp://127.0.0.1:1".parse().unwrap(), inbox(|_: Incoming<ToClient>| {}));
        let outbox = self.network.connect(&nowhere, Role::Client, ignores).unwrap();
        self.core.client_arrived(&Self::peer(Role::Client, process), outbox)
    }

    pub fn worker(&mut self, process: u128, name: &str) -> WorkerId {
        let (nowhere, ignores) = ("tcp://127.0.0.1:1".parse().unwrap(), inbox(|_: Incoming<ToWorker>| {}));
        let outbox = self.network.connect(&nowhere, Role::Worker, ignores).unwrap();
        let worker = self.core.worker_arrived(&Self::peer(Role::Worker, process), outbox);
        let offer = Offer { name: name.into(), ..Offer::slots(1) };
        self.core.worker_says(worker, FromWorker::Join(offer), vec![]);
        worker
    }
}

/// A client gives the data of a run.
pub(super) fn give(core: &mut Core, client: u32, run: RunId) {
    submit(core, client, run, range(1, 0, 3), vec![range(0, 0, u64::from(TASKS))]);
}

/// A client has the first tasks of a run computed.
fn compute(core: &mut Core, client: u32, run: RunId, tasks: u64) {
    submit(core, client, run, range(0, 0, tasks), vec![]);
    core.spread_gifts();
}

pub(super) fn submit(core: &mut Core, client: u32, run: RunId, wanted: TaskRange, given: Vec<TaskRange>) {
    let (graph, bytes) = graph();
    let (wanted, failure) = (vec![wanted], FailureScope::Task);
    let (mark, named, parent, imports, given_at, in_pieces) = Default::default();
    let keeps = false;
    let submission =
        Submission { run, mark, named, parent, wanted, failure, imports, given, given_at, keeps, in_pieces };
    core.submit(client, submission, (bytes, Arc::new(graph))).unwrap();
}

/// A worker can't have what a run is given.
fn not_given(run: RunId) -> FromWorker {
    FromWorker::NotGiven { run, tasks: vec![range(0, 0, u64::from(TASKS))], reason: "it isn't to be had".into() }
}

/// However much waits for a worker that is out of reach, others have nothing to do with it.
#[test]
fn what_waits_for_a_worker_is_looked_at_when_one_comes_or_goes() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    let [there, away] = [2, 3].map(|process| scene.worker(process, &process.to_string()));
    let core = &mut scene.core;
    core.worker_away(away, true);
    let runs = || (0..1000).map(RunId);
    for run in runs() {
        give(core, client, run);
        core.spread_gifts();
        core.worker_says(there, not_given(run), vec![]);
    }
    core.spread_gifts();
    let waits = |core: &Core| (core.ungiven.len(), core.ungiven_for_now.len());
    assert_eq!(waits(core), (0, 1000), "nothing is looked at with each event");
    let new = scene.worker(4, "4");
    let asked = |core: &Core, run, of| !core.runs[&run].gifts.all_at(Place::Asked(of)).is_empty();
    assert!(runs().all(|run| asked(&scene.core, run, new)));
    for run in runs() {
        scene.core.worker_says(new, not_given(run), vec![]);
    }
    scene.core.spread_gifts();
    assert_eq!(waits(&scene.core), (0, 1000));
    let over = runs().next().unwrap();
    scene.core.release(over);
    assert_eq!(waits(&scene.core), (0, 999), "what is over waits for nobody");
    scene.core.worker_away(away, false);
    assert!(runs().skip(1).all(|run| asked(&scene.core, run, away)));
}

/// Whoever is out of reach leaves its name to who comes by it, and has another one: also when it is back. When the one or the other is
/// gone the name is that of the one that is left.
#[test]
fn no_two_workers_ever_have_one_name() {
    let mut scene = Scene::new();
    let names = |core: &Core| core.workers.values().map(|entry| entry.name.clone()).collect::<Vec<_>>();
    // None of them is connected here.
    let [first, second, third] = [2, 3, 4].map(|process| scene.worker(process, "w"));
    assert_eq!(names(&scene.core), ["w-2", "w-3", "w"]);
    scene.core.worker_away(first, false);
    assert_eq!(names(&scene.core), ["w-2", "w-3", "w"]);
    let infos = |core: &Core| core.worker_infos().into_iter().map(|info| info.name).collect::<Vec<_>>();
    assert_eq!(infos(&scene.core), ["w-2", "w-3", "w"]);
    scene.core.worker_lost(third, LossCause::Died);
    assert_eq!(
        (names(&scene.core), infos(&scene.core)),
        (vec!["w".into(), "w-3".into()], vec!["w".into(), "w-3".into()])
    );
    let other = scene.worker(5, "w-3");
    assert_eq!(names(&scene.core), ["w", "w-2", "w-3"]);
    scene.core.worker_lost(first, LossCause::Died);
    assert_eq!(names(&scene.core), ["w", "w-3"]);
    scene.core.worker_lost(second, LossCause::Died);
    scene.core.worker_lost(other, LossCause::Died);
    assert!(names(&scene.core).is_empty());
}

/// Data that one worker couldn't have waits for another one that is out of reach for a moment.
#[test]
fn data_waits_for_workers_that_are_away_before_it_can_not_be_had() {
    let mut scene = Scene::new();
    let client = scene.client(1);
    let workers = [2, 3].map(|process| scene.worker(process, &process.to_string()));
    let core = &mut scene.core;
    let (given, run) = (vec![range(0, 0, u64::from(TASKS))], RunId(0));
    let of_all = given.clone();
    let asked = |core: &Core, of: WorkerId| core.runs[&run].gifts.all_at(Place::Asked(of)) == of_all;
    core.worker_away(workers[1], true);
    give(core, client, run);
    core.spread_gifts();
    assert!(asked(core, workers[0]));
    core.worker_says(workers[0], not_given(run), vec![]);
    core.spread_gifts();
    assert_eq!(core.runs[&run].gifts.all_at(Place::Nowhere), given, "it waits");
    core.worker_away(workers[1], false);
    assert!(asked(core, workers[1]));
    core.worker_says(workers[1], not_given(run), vec![]);
    assert_eq!(core.runs[&run].gifts.all_at(Place::Failed), of_all);
}

/// Who sets plugins up is given nothing before it says that it is ready: others do what there is, or it waits.
#[test]
fn workers_that_set_up_plugins_get_nothing_to_do() {
    let mut scene = Scene::new();
    let (client, first) = (scene.client(1), scene.worker(2, "first"));
    scene.core.plugin_changes(client, 1, "one".into(), vec![Bytes::from_static(b"1")]);
    scene.core.plugin_changes(client, 2, "other".into(), vec![Bytes::from_static(b"2")]);
    compute(&mut scene.core, client, RunId(0), 2);
    let says = |core: &mut Core, worker, message| {
        core.worker_says(worker, message, vec![]);
        core.spread_gifts();
    };
    let assignments = |core: &Core, worker| core.machine.load_of(worker).unwrap().assignments;
    says(&mut scene.core, first, FromWorker::Prepared { number: 1 });
    assert_eq!(assignments(&scene.core, first), 0, "the second isn't there");
    let told = WorkerTold::Resized { slots: 2, memory: 1 << 30 };
    says(&mut scene.core, first, FromWorker::Told { told, small: vec![] });
    assert_eq!(assignments(&scene.core, first), 0);
    says(&mut scene.core, first, FromWorker::Prepared { number: 2 });
    assert!(assignments(&scene.core, first) > 0);
    // One that comes has to set them up first, and is asked for no data meanwhile.
    let late = scene.worker(3, "late");
    let core = &mut scene.core;
    give(core, client, RunId(1));
    core.spread_gifts();
    let facts = core.worker_facts(late, &core.workers[&late]);
    assert!(facts.is_preparing && core.workers[&late].info.as_ref().is_some_and(|info| info.slots == 1));
    let asked = |core: &Core, of| TaskRange::count(&core.runs[&RunId(1)].gifts.all_at(Place::Asked(of)));
    assert_eq!((asked(core, first), asked(core, late)), (u64::from(TASKS), 0));
    says(core, first, not_given(RunId(1)));
    compute(core, client, RunId(2), u64::from(TASKS));
    assert_eq!((assignments(core, late), asked(core, late)), (0, 0));
    says(core, late, FromWorker::Prepared { number: 7 });
    assert_eq!(assignments(core, late), 0, "nobody has asked that");
    says(core, late, FromWorker::Prepared { number: 1 });
    assert!(assignments(core, late) > 0 && asked(core, late) == u64::from(TASKS), "data waited for it as well");
}

/// Who says that it leaves is given nothing more, whatever becomes of orders to retire, and others fetch the data that it was to.
#[test]
fn a_worker_that_leaves_gets_nothing_more() {
    let mut scene = Scene::new();
    let (client, leaves) = (scene.client(1), scene.worker(2, "leaves"));
    let assignments = |core: &Core, worker| core.machine.load_of(worker).unwrap().assignments;
    let asked = |core: &Core, of| TaskRange::count(&core.runs[&RunId(1)].gifts.all_at(Place::Asked(of)));
    compute(&mut scene.core, client, RunId(0), 1);
    give(&mut scene.core, client, RunId(1));
    scene.core.spread_gifts();
    let before = assignments(&scene.core, leaves);
    assert_eq!((before > 0, asked(&scene.core, leaves)), (true, u64::from(TASKS)));
    scene.core.worker_says(leaves, FromWorker::Leaves { returns: false }, vec![]);
    scene.core.spread_gifts();
    assert_eq!((assignments(&scene.core, leaves), asked(&scene.core, leaves)), (before, 0), "what it has may end");
    // It may lend slots meanwhile.
    let told = WorkerTold::Resized { slots: 2, memory: 1 << 30 };
    scene.core.worker_says(leaves, FromWorker::Told { told, small: vec![] }, vec![]);
    scene.core.set_retiring(leaves, false);
    let other = scene.worker(3, "other");
    scene.core.spread_gifts();
    compute(&mut scene.core, client, RunId(2), u64::from(TASKS));
    let core = &scene.core;
    assert_eq!((assignments(core, leaves), asked(core, leaves), asked(core, other)), (before, 0, u64::from(TASKS)));
    assert!(assignments(core, other) > 0);
}

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
        let asked = copies(core);
        assert!(asked.len() == 2 && asked.iter().all(|(_, to)| *to == new), "{asked:?}");
        for run in [RunId(1), RunId(2)] {
            let told = WorkerTold::Fetched { run, tasks: vec![range(0, 0, u64::from(TASKS))] };
            core.worker_says(new, FromWorker::Told { told, small: vec![] }, vec![]);
        }
        for (copy, _) in asked {
            core.worker_says(new, FromWorker::Copied { copy, failure: None }, vec![]);
        }
        assert!(!core.workers.contains_key(&last) && core.movements.are_none());
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

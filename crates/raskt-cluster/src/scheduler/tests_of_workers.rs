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
        self.worker_of(process, Offer { name: name.into(), ..Offer::slots(1) })
    }

    pub fn worker_of(&mut self, process: u128, offer: Offer) -> WorkerId {
        let (nowhere, ignores) = ("tcp://127.0.0.1:1".parse().unwrap(), inbox(|_: Incoming<ToWorker>| {}));
        let outbox = self.network.connect(&nowhere, Role::Worker, ignores).unwrap();
        let worker = self.core.worker_arrived(&Self::peer(Role::Worker, process), outbox);
        self.core.worker_says(worker, FromWorker::Join(offer), vec![]);
        worker
    }
}

/// A client gives the data of a run.
pub(super) fn give(core: &mut Core, client: u32, run: RunId) {
    submit(core, client, run, range(1, 0, 3), vec![range(0, 0, u64::from(TASKS))]);
}

/// A client has the first tasks of a run computed.
pub(super) fn compute(core: &mut Core, client: u32, run: RunId, tasks: u64) {
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

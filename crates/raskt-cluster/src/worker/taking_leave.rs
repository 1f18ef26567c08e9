//! That a worker leaves is said, also to a scheduler that takes nothing for a while, or asks for more.

use super::{SAYS, WorkerOptions, WorkerServer};
use crate::driver::{Inbox, Incoming, Listening, Network, NetworkOptions, Outbox, Peer, Ticket, inbox};
use crate::hello::Role;
use crate::message::{FromWorker, ToWorker};
use crate::native::NativeFace;
use crate::session;
use crate::{Security, Token};
use raskt_execute::{EngineOptions, Limits, Runners, Store};
use raskt_graph::LayerId;
use raskt_schedule::{Attempt, Offer, RunId, TaskRange, WorkerOrder, WorkerTold};
use raskt_sync::Mutex;
use raskt_value::wire::Decoders;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

/// Nothing here takes as long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Takes nothing as long as it holds what it was told.
struct Scheduler {
    network: Network,
    listening: Listening,
    way: Arc<OnceLock<Outbox<ToWorker>>>,
    held: Arc<Mutex<Option<Vec<Ticket>>>>,
    told: Receiver<FromWorker>,
}

impl Scheduler {
    fn start(security: &Security) -> Self {
        let network = Network::start(NetworkOptions::new(Role::Scheduler, security.clone()).unwrap()).unwrap();
        let (sender, told) = channel();
        let (held, way) = (Arc::new(Mutex::new(Some(vec![]))), Arc::new(OnceLock::new()));
        let (holds, ways) = (held.clone(), way.clone());
        let host = move |_: Peer, outbox: Outbox<()>| -> Option<Arc<dyn Inbox>> {
            let _ = ways.set(outbox.typed::<ToWorker>());
            let (sender, holds) = (sender.clone(), holds.clone());
            Some(inbox(move |incoming| {
                if let Incoming::Message { message, ticket, .. } = incoming {
                    let _ = holds.lock().as_mut().map(|held: &mut Vec<Ticket>| held.push(ticket));
                    let _ = sender.send(message);
                }
            }))
        };
        let listening = network.listen(&"tcp://127.0.0.1:0".parse().unwrap(), &[Role::Worker], host).unwrap();
        Self { network, listening, way, held, told }
    }

    fn next(&self) -> FromWorker {
        self.told.recv_timeout(PATIENCE).unwrap()
    }
}

/// A worker that has joined, and may send so many bytes that nobody has taken.
fn started(window_bytes: u64) -> (Scheduler, WorkerServer) {
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let scheduler = Scheduler::start(&security);
    let limits = session::Limits { window_bytes, ..session::Limits::default() };
    let options = NetworkOptions { limits, ..NetworkOptions::new(Role::Worker, security).unwrap() };
    let network = Network::start(options).unwrap();
    let options = WorkerOptions {
        scheduler: scheduler.listening.address().clone(),
        listen: "tcp://127.0.0.1:0".parse().unwrap(),
        offer: Offer::slots(1),
        engine: EngineOptions { threads: 1, memory_limit: 1 << 30 },
    };
    let (store, face) = (Store::new(Limits::of_memory(1 << 30)), Arc::new(NativeFace(Decoders::default())));
    let worker = WorkerServer::start(network, options, Runners::default(), store, face).unwrap();
    assert!(matches!(scheduler.next(), FromWorker::Join(_)));
    (scheduler, worker)
}

#[test]
fn it_is_said_before_anything_else_as_soon_as_there_is_room_to_say_it() {
    let (scheduler, worker) = started(1000);
    let says = worker.last_words();
    // The rest of these is lost for want of room.
    (0..100).for_each(|_| says(&"x".repeat(100)));
    let leaving = std::thread::spawn(move || worker.shut_down(PATIENCE));
    // It was said in vain by then.
    std::thread::sleep(SAYS * 3);
    drop(scheduler.held.lock().take());
    loop {
        match scheduler.next() {
            FromWorker::Leaves { returns: false } => break,
            FromWorker::IsEnded { .. } => {}
            other => panic!("{other:?} before it is said"),
        }
    }
    assert!(matches!(scheduler.next(), FromWorker::Told { .. }));
    scheduler.way.get().unwrap().send(&ToWorker::Leave, vec![]).unwrap();
    leaving.join().unwrap();
}

#[test]
fn it_is_said_again_to_whoever_asks_for_more() {
    let (scheduler, worker) = started(1 << 20);
    drop(scheduler.held.lock().take());
    worker.fetching.leave();
    let tasks = vec![TaskRange { layer: LayerId(0), start: 0, end: 1 }];
    let identity = scheduler.network.options().identity;
    let fetch = ToWorker::Fetch { run: RunId(1), tasks, from: vec![], identity };
    scheduler.way.get().unwrap().send(&fetch, vec![]).unwrap();
    assert!(matches!(scheduler.next(), FromWorker::Leaves { .. }));
}

/// Others take over what it has, and meanwhile all goes on but what it would begin.
#[test]
fn whatever_comes_while_it_is_handed_over_ends_no_wait() {
    let (scheduler, worker) = started(1 << 20);
    drop(scheduler.held.lock().take());
    let leaving = std::thread::spawn(move || worker.shut_down(PATIENCE));
    loop {
        match scheduler.next() {
            FromWorker::Told { told: WorkerTold::Resized { slots: 0, .. }, .. } => break,
            FromWorker::Leaves { .. } => {}
            other => panic!("{other:?}"),
        }
    }
    let say = |message| scheduler.way.get().unwrap().send(&message, vec![]).unwrap();
    let tasks = vec![TaskRange { layer: LayerId(0), start: 0, end: 1 }];
    let (run, attempt) = (RunId(1), Attempt(1));
    say(ToWorker::Order(WorkerOrder::Recall { run, attempt, tasks: tasks.clone() }));
    say(ToWorker::Order(WorkerOrder::Discard { run, tasks, inventory_version: 0 }));
    say(ToWorker::Order(WorkerOrder::Forget { run }));
    say(ToWorker::Ping { number: 7 });
    while !matches!(scheduler.next(), FromWorker::Pong { number: 7 }) {}
    std::thread::sleep(SAYS);
    assert!(!leaving.is_finished(), "nobody has said that it may go");
    say(ToWorker::Leave);
    leaving.join().unwrap();
}

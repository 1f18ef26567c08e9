//! Whatever those say who were let in, in whatever order: the scheduler goes on, and serves others.

use super::SchedulerServer;
use crate::driver::{Incoming, Network, NetworkOptions, Outbox, inbox};
use crate::hello::Role;
use crate::message::{FromClient, FromWorker, ToClient, ToWorker};
use crate::question::{Order, Question};
use crate::testing::{Chance, draw, some_graph};
use crate::{Security, Token};
use bytes::Bytes;
use raskt_graph::LayerId;
use raskt_schedule::{Offer, TaskRange};
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};

/// Messages of each of the two kinds.
const MESSAGES: usize = 3000;
/// Of each kind there are so many at a time: numbers that are made up are often theirs.
const GUESTS: usize = 3;
const PATIENCE: Duration = Duration::from_secs(20);

fn network(token: &Token, role: Role) -> Network {
    let security = Security { token: Some(token.clone()), tls: None };
    Network::start(NetworkOptions::new(role, security).unwrap()).unwrap()
}

/// A message; many of those that submit something can be taken.
fn from_client(chance: &mut Chance) -> Option<(FromClient, Vec<Bytes>)> {
    let mut message: FromClient = draw(chance)?;
    match &mut message {
        // It would be done.
        FromClient::Ask { question: Question::Order(Order::ShutDown), .. } => return None,
        FromClient::Submit(submission) => {
            submission.in_pieces = false;
            if chance.below(4) > 0 {
                let layer = LayerId(chance.below(5) as u32);
                submission.wanted = vec![TaskRange { layer, start: 0, end: 1 }];
                submission.imports.clear();
                submission.given.clear();
            }
        }
        _ => {}
    }
    let bulk = if chance.below(4) == 0 { vec![] } else { some_graph(chance).into_iter().map(Bytes::from).collect() };
    Some((message, bulk))
}

fn from_worker(chance: &mut Chance) -> Option<(FromWorker, Vec<Bytes>)> {
    Some((draw(chance)?, vec![]))
}

/// Waits until all that was said was taken in, or the session is over.
fn is_taken<Out>(outbox: &Outbox<Out>) {
    let deadline = Instant::now() + PATIENCE;
    while outbox.lost().is_none() && outbox.outstanding_bytes() > 0 {
        assert!(Instant::now() < deadline, "somebody isn't heard any more");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn nothing_that_is_said_stops_the_scheduler() {
    // What is reached differs: the first comes to results of whole layers that took long, and that nobody asked for.
    [11, 3].into_iter().for_each(nothing_of_these_stops_it);
}

fn nothing_of_these_stops_it(seed: u64) {
    let token = Token::random().unwrap();
    let (own, of_clients) = (network(&token, Role::Scheduler), network(&token, Role::Client));
    let of_workers = network(&token, Role::Worker);
    let server = SchedulerServer::start(own, &"tcp://127.0.0.1:0".parse().unwrap()).unwrap();
    let client = || -> Outbox<FromClient> {
        let ignores = inbox(|_: Incoming<ToClient>| {});
        of_clients.connect(server.address(), Role::Scheduler, ignores).unwrap()
    };
    let worker = || -> Outbox<FromWorker> {
        let ignores = inbox(|_: Incoming<ToWorker>| {});
        let worker = of_workers.connect(server.address(), Role::Scheduler, ignores).unwrap();
        let offer = Offer { slots: 2, memory: 1 << 30, resources: Default::default(), name: "w".into() };
        worker.send_waiting(&FromWorker::Join(offer), vec![], PATIENCE).unwrap();
        worker
    };
    let mut clients: Vec<_> = (0..GUESTS).map(|_| client()).collect();
    let mut workers: Vec<_> = (0..GUESTS).map(|_| worker()).collect();
    let mut chance = Chance::new(seed);
    for _ in 0..MESSAGES {
        let at = chance.below(GUESTS as u64) as usize;
        if let Some((message, bulk)) = from_client(&mut chance)
            && clients[at].send_waiting(&message, bulk, PATIENCE).is_err()
        {
            // What nobody says ends the session of whoever says it.
            clients[at] = client();
        }
        if let Some((message, bulk)) = from_worker(&mut chance)
            && workers[at].send_waiting(&message, bulk, PATIENCE).is_err()
        {
            workers[at] = worker();
        }
        assert_eq!(server.broken(), None);
    }
    let (heard, hears) = channel();
    let listens = inbox(move |incoming: Incoming<ToClient>| {
        if let Incoming::Message { message: ToClient::Heard { number: 7, refused: None }, .. } = incoming {
            heard.send(()).unwrap_or_default();
        }
    });
    let last: Outbox<FromClient> = of_clients.connect(server.address(), Role::Scheduler, listens).unwrap();
    clients.iter().for_each(is_taken);
    workers.iter().for_each(is_taken);
    last.send_waiting(&FromClient::Barrier { number: 7 }, vec![], PATIENCE).unwrap();
    hears.recv_timeout(PATIENCE).expect("it is there for others");
    assert_eq!(server.broken(), None);
}

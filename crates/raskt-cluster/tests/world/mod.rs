//! A small world for tests: security of each kind, a host that echoes, and what comes back.

#![allow(dead_code, reason = "each test uses some of it")]

use bytes::Bytes;
use raskt_cluster::certs::{Authority, Certified, from_now};
use raskt_cluster::hello::Role;
use raskt_cluster::session::{Event, Limits};
use raskt_cluster::{
    Address, Inbox, Incoming, Listening, Names, Network, NetworkOptions, Outbox, Peer, Security, Tls, Token, channel,
    inbox,
};
use std::sync::mpsc::{Receiver, RecvTimeoutError};
use std::sync::{Arc, Mutex, mpsc};
use std::time::Duration;

/// Nothing in a test takes this long, unless it goes wrong.
pub const PATIENCE: Duration = Duration::from_secs(60);

pub type Message = (u64, String);

/// A message that says this comes back without what it brought along.
pub const BARE: &str = "bare";

pub fn token_only() -> Security {
    Security { token: Some(Token::random().unwrap()), tls: None }
}

pub fn certified(authority: &Authority, role: Role) -> Security {
    let own = authority.issue(role, &["localhost".into(), "127.0.0.1".into()], from_now(1)).unwrap();
    Security { token: None, tls: Some(tls(authority, Some(&own))) }
}

pub fn tls(authority: &Authority, own: Option<&Certified>) -> Tls {
    let own = own.map(|own| (&*own.certificate, &*own.key));
    Tls::new(authority.certificate(), own, Names::Role).unwrap()
}

pub fn network(role: Role, security: Security, limits: Limits) -> Network {
    let options = NetworkOptions { limits, ..NetworkOptions::new(role, security).unwrap() };
    Network::start(options).unwrap()
}

/// Limits by which a dead connection is found soon, and nobody is given up.
pub fn quick() -> Limits {
    const MILLISECOND: u64 = 1_000_000;
    Limits {
        heartbeat_nanoseconds: 50 * MILLISECOND,
        suspect_nanoseconds: 300 * MILLISECOND,
        unreachable_nanoseconds: 700 * MILLISECOND,
        closed_nanoseconds: 300 * MILLISECOND,
        resume_nanoseconds: 600_000 * MILLISECOND,
        ..Limits::default()
    }
}

/// A scheduler that gives every message back, and tells of events.
pub struct Echo {
    pub network: Network,
    pub listening: Listening,
    pub events: Receiver<Event>,
    pub peers: Arc<Mutex<Vec<Peer>>>,
}

pub fn echo(security: Security, address: &str, limits: Limits) -> Echo {
    let network = network(Role::Scheduler, security, limits);
    let (told, events) = mpsc::channel();
    let peers = Arc::new(Mutex::new(vec![]));
    let arrived = peers.clone();
    let host = move |peer: Peer, outbox: Outbox<()>| -> Option<Arc<dyn Inbox>> {
        arrived.lock().unwrap().push(peer);
        let (outbox, told) = (outbox.typed::<Message>(), told.clone());
        Some(inbox(move |incoming: Incoming<Message>| match incoming {
            Incoming::Message { message, bulk, .. } => {
                let bulk = if message.1 == BARE { vec![] } else { bulk };
                let _ = outbox.send(&message, bulk);
            }
            Incoming::Event(event) => {
                if let Event::Lost(lost) = &event {
                    println!("the echo has lost its peer: {lost}");
                }
                let _ = told.send(event);
            }
        }))
    };
    let listening = network.listen(&address.parse().unwrap(), &[Role::Worker, Role::Client], host).unwrap();
    Echo { network, listening, events, peers }
}

/// One end that sends and receives.
pub struct Caller {
    pub network: Network,
    pub outbox: Outbox<Message>,
    pub incoming: Receiver<Incoming<Message>>,
    pub events: Vec<Event>,
}

pub fn call(security: Security, address: &Address, limits: Limits) -> Caller {
    let network = network(Role::Worker, security, limits);
    let (inbox, incoming) = channel();
    let outbox = network.connect(address, Role::Scheduler, inbox).unwrap();
    Caller { network, outbox, incoming, events: vec![] }
}

impl Caller {
    /// The next message; events on the way are kept.
    pub fn receive(&mut self) -> (Message, Vec<Bytes>) {
        loop {
            match self.incoming.recv_timeout(PATIENCE) {
                Ok(Incoming::Message { message, bulk, .. }) => return (message, bulk),
                Ok(Incoming::Event(event @ Event::Lost(_))) => panic!("{event:?} after {:?}", self.events),
                Ok(Incoming::Event(event)) => self.events.push(event),
                Err(error) => panic!("{error} after {:?}", self.events),
            }
        }
    }

    /// The next event of this kind.
    pub fn wait_for(&mut self, is_it: impl Fn(&Event) -> bool) -> Event {
        loop {
            match self.incoming.recv_timeout(PATIENCE) {
                Ok(Incoming::Event(event)) if is_it(&event) => return event,
                Ok(Incoming::Event(event)) => self.events.push(event),
                Ok(Incoming::Message { .. }) => {}
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => {
                    panic!("only {:?} came", self.events)
                }
            }
        }
    }

    /// Waits as long as there is no room.
    pub fn send(&self, message: &Message, bulk: Vec<Bytes>) {
        self.outbox.send_waiting(message, bulk, PATIENCE).unwrap();
    }
}

/// Whether memory was handed over as a file.
pub fn lies_in_a_file(bytes: &Bytes) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let is_at = |line: &&str| {
        let (from, until) = line.split(' ').next().unwrap().split_once('-').unwrap();
        let number = |text| usize::from_str_radix(text, 16).unwrap();
        (number(from)..number(until)).contains(&bytes.as_ptr().addr())
    };
    maps.lines().find(is_at).unwrap().contains("memfd:raskt")
}

//! Sessions over real sockets, whole and broken.

use crate::world::*;
use bytes::Bytes;
use raskt_cluster::certs::Authority;
use raskt_cluster::hello::Role;
use raskt_cluster::session::{Event, Limits, Lost, SendError};
use raskt_cluster::testing::{Chance, FaultProxy, Faults};
use raskt_cluster::{Address, Inbox, Incoming, Outbox, Peer, Security, Token, inbox};
use std::net::ToSocketAddrs;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

fn check_echo(scheduler: Security, worker: Security, address: &str) {
    let echo = echo(scheduler, address, Limits::default());
    let mut caller = call(worker, echo.listening.address(), Limits::default());
    let bulk = vec![Bytes::from(vec![7; 300_000]), Bytes::new(), Bytes::from(vec![8; 10])];
    for at in 0..100 {
        caller.send(&(at, format!("message {at}")), if at % 10 == 0 { bulk.clone() } else { vec![] });
    }
    for at in 0..100 {
        let (message, came) = caller.receive();
        assert_eq!(message, (at, format!("message {at}")));
        assert_eq!(came, if at % 10 == 0 { bulk.clone() } else { vec![] });
    }
    assert_eq!(caller.events, [Event::Connected]);
    assert!(caller.network.close(PATIENCE));
    assert_eq!(caller.wait_for(|_| true), Event::Lost(Lost::Closed));
    assert_eq!(echo.events.recv_timeout(PATIENCE).unwrap(), Event::Connected);
    assert_eq!(echo.events.recv_timeout(PATIENCE).unwrap(), Event::Lost(Lost::Closed));
    assert_eq!(echo.peers.lock().unwrap()[0].role, Role::Worker);
}

#[test]
fn messages_go_and_come_over_tcp_unix_and_tls() {
    let token = token_only();
    check_echo(token.clone(), token.clone(), "tcp://127.0.0.1:0");
    let folder = tempfile::tempdir().unwrap();
    check_echo(token.clone(), token.clone(), &format!("unix://{}/socket", folder.path().display()));
    let authority = Authority::create(1).unwrap();
    let (scheduler, worker) = (certified(&authority, Role::Scheduler), certified(&authority, Role::Worker));
    check_echo(scheduler.clone(), worker, "tls://127.0.0.1:0");
    // Those who come need no certificate if they have the token.
    let scheduler = Security { token: token.token.clone(), ..scheduler };
    let bare = Security { tls: Some(tls(&authority, None)), token: token.token.clone() };
    check_echo(scheduler, bare, "tls://127.0.0.1:0");
}

fn through(proxy: &FaultProxy) -> Address {
    Address::Tcp { host: proxy.address().ip().to_string(), port: proxy.address().port() }
}

fn proxy_before(address: &Address, seed: u64) -> FaultProxy {
    let target = address.to_string().trim_start_matches("tcp://").to_socket_addrs().unwrap().next().unwrap();
    FaultProxy::start(target, seed).unwrap()
}

/// The story of one seed: a worker sends through a proxy that breaks everything, and all comes back once and in order.
fn survive(seed: u64, faults: &Faults) -> FaultProxy {
    const MESSAGES: u64 = 1500;
    let security = token_only();
    let echo = echo(security.clone(), "tcp://127.0.0.1:0", quick());
    let proxy = proxy_before(echo.listening.address(), seed);
    let mut caller = call(security, &through(&proxy), quick());
    assert_eq!(caller.wait_for(|_| true), Event::Connected);
    proxy.set_faults(faults.clone());
    let mut chance = Chance::new(seed);
    let mut sent = vec![];
    for at in 0..MESSAGES {
        let bulk = if chance.below(8) == 0 {
            vec![Bytes::from(vec![at as u8; chance.below(20_000) as usize])]
        } else {
            vec![]
        };
        caller.send(&(at, "x".repeat(chance.below(100) as usize)), bulk.clone());
        sent.push(bulk);
    }
    for at in 0..MESSAGES {
        if let Some(lost) = caller.outbox.lost() {
            panic!("seed {seed}: {lost}; there {:?}", echo.events.try_iter().last());
        }
        // So that it comes to an end.
        if at == MESSAGES * 3 / 4 {
            proxy.set_faults(Faults::default());
        }
        let (message, bulk) = caller.receive();
        assert_eq!((message.0, bulk), (at, std::mem::take(&mut sent[at as usize])), "seed {seed}");
    }
    assert!(!caller.events.iter().any(|event| matches!(event, Event::Lost(_))), "{:?}", caller.events);
    proxy
}

#[test]
fn a_cutting_network_loses_nothing() {
    let faults = Faults { cut: 5_000, ..Faults::default() };
    let cut: u64 = (0..3).map(|seed| survive(seed, &faults).tally().cut.load(Ordering::SeqCst)).sum();
    assert!(cut > 0);
}

#[test]
fn a_network_that_flips_drops_and_doubles_bytes_changes_nothing() {
    let faults = Faults { flip: 5_000, drop: 5_000, double: 5_000, ..Faults::default() };
    let sum = |seed| {
        let proxy = survive(seed, &faults);
        let tally = proxy.tally();
        [&tally.flipped, &tally.dropped, &tally.doubled].map(|count| count.load(Ordering::SeqCst)).iter().sum::<u64>()
    };
    assert!((10..13).map(sum).sum::<u64>() > 0);
}

#[test]
fn half_open_connections_are_given_up_and_delays_are_waited_for() {
    let faults = Faults { half_open: 3_000, delay: 20_000, delay_microseconds: 3_000, ..Faults::default() };
    let half_open: u64 = (20..23).map(|seed| survive(seed, &faults).tally().half_open.load(Ordering::SeqCst)).sum();
    assert!(half_open > 0);
}

#[test]
fn a_link_that_was_down_is_told_of_and_resumed() {
    let security = token_only();
    let echo = echo(security.clone(), "tcp://127.0.0.1:0", quick());
    let proxy = proxy_before(echo.listening.address(), 1);
    let mut caller = call(security, &through(&proxy), quick());
    caller.wait_for(|event| *event == Event::Connected);
    proxy.set_down(true);
    caller.send(&(1, String::new()), vec![]);
    caller.wait_for(|event| *event == Event::Suspect);
    caller.wait_for(|event| *event == Event::Unreachable);
    proxy.set_down(false);
    assert_eq!(caller.receive().0.0, 1);
    assert_eq!(caller.events, [Event::Resumed]);
}

#[test]
fn a_session_that_the_peer_has_given_up_is_fenced() {
    let security = token_only();
    let short = Limits { resume_nanoseconds: 900_000_000, ..quick() };
    let echo = echo(security.clone(), "tcp://127.0.0.1:0", short);
    let proxy = proxy_before(echo.listening.address(), 1);
    let mut caller = call(security, &through(&proxy), quick());
    caller.wait_for(|event| *event == Event::Connected);
    // Before that there is nothing that could be given up.
    assert_eq!(echo.events.recv_timeout(PATIENCE).unwrap(), Event::Connected);
    proxy.set_down(true);
    while !matches!(echo.events.recv_timeout(PATIENCE).unwrap(), Event::Lost(Lost::Expired(_))) {}
    proxy.set_down(false);
    let lost = caller.wait_for(|event| matches!(event, Event::Lost(_)));
    assert!(
        matches!(&lost, Event::Lost(Lost::Forgotten(sentence)) if sentence.contains("begin a new one")),
        "{lost:?}"
    );
    assert_eq!(caller.outbox.send(&(1, String::new()), vec![]), Err(SendError::Closed));
}

#[test]
fn who_does_not_take_what_came_holds_no_more_than_a_window_and_keeps_nobody_else() {
    let security = token_only();
    let limits = Limits { window_bytes: 1 << 20, ..Limits::default() };
    let echo = echo(security.clone(), "tcp://127.0.0.1:0", limits.clone());
    // It sends, and takes nothing of what comes back.
    let slow = call(security.clone(), echo.listening.address(), limits.clone());
    let bulk = vec![Bytes::from(vec![1; 10_000])];
    for at in 0..2000 {
        slow.send(&(at, String::new()), bulk.clone());
    }
    let mut other = call(security, echo.listening.address(), limits);
    other.send(&(5, String::new()), vec![]);
    assert_eq!(other.receive().0.0, 5);
    // What the echo could not send back it dropped, so the number that came is what the window lets be.
    let held: usize = slow.incoming.try_iter().count();
    assert!((1..=110).contains(&held), "{held} messages of 10 kB");
}

#[test]
fn what_is_no_message_ends_the_session() {
    let security = token_only();
    let echo = echo(security.clone(), "tcp://127.0.0.1:0", Limits::default());
    let mut caller = call(security, echo.listening.address(), Limits::default());
    caller.outbox.typed::<u8>().send(&200, vec![]).unwrap();
    caller.wait_for(|event| matches!(event, Event::Lost(_) | Event::Suspect));
    assert_eq!(echo.events.recv_timeout(PATIENCE).unwrap(), Event::Connected);
    assert!(matches!(echo.events.recv_timeout(PATIENCE).unwrap(), Event::Lost(Lost::Violation(_))));
}

#[test]
fn a_handler_that_panics_ends_its_session_alone() {
    let security = token_only();
    let scheduler = network(Role::Scheduler, security.clone(), Limits::default());
    let host = |_, _| {
        Some(inbox(|incoming| {
            if let Incoming::Message::<Message> { .. } = incoming {
                panic!("this is a test of panics");
            }
        }))
    };
    let listening = scheduler.listen(&"tcp://127.0.0.1:0".parse().unwrap(), &[Role::Worker], host).unwrap();
    let (mut one, mut other) = (
        call(security.clone(), listening.address(), Limits::default()),
        call(security, listening.address(), Limits::default()),
    );
    other.wait_for(|event| *event == Event::Connected);
    one.send(&(1, String::new()), vec![]);
    one.wait_for(|event| matches!(event, Event::Lost(_)));
    assert_eq!(other.outbox.lost(), None);
}

#[test]
fn nobody_listens_there_is_told_in_the_end() {
    let limits = Limits { resume_nanoseconds: 400_000_000, ..quick() };
    let mut caller = call(token_only(), &"tcp://127.0.0.1:1".parse().unwrap(), limits);
    assert!(matches!(caller.wait_for(|_| true), Event::Lost(Lost::Expired(_))));
}

#[test]
fn who_waits_for_room_goes_on_when_there_is_some() {
    let security = token_only();
    let limits = Limits { window_bytes: 10_000, ..Limits::default() };
    let echo = echo(security.clone(), "tcp://127.0.0.1:0", Limits::default());
    let mut caller = call(security, echo.listening.address(), limits);
    for at in 0..50 {
        // Never two of them at a time.
        caller.send(&(at, BARE.into()), vec![Bytes::from(vec![1; 9_000])]);
    }
    for at in 0..50 {
        assert_eq!(caller.receive().0.0, at);
    }
}

#[test]
fn sessions_end_with_their_network() {
    let security = token_only();
    let echo = echo(security.clone(), "tcp://127.0.0.1:0", Limits::default());
    let mut caller = call(security, echo.listening.address(), Limits::default());
    caller.wait_for(|event| *event == Event::Connected);
    let Caller { network, outbox, incoming, .. } = caller;
    drop(network);
    assert_eq!(outbox.send(&(1, String::new()), vec![]), Err(SendError::Closed));
    let last = incoming.try_iter().last();
    assert!(matches!(last, Some(Incoming::Event(Event::Lost(Lost::Closed)))), "{last:?}");
}

#[test]
fn a_host_that_takes_nobody_in_or_panics_closes_the_session() {
    let security = token_only();
    let scheduler = network(Role::Scheduler, security.clone(), Limits::default());
    let host = |peer: Peer, _| {
        assert_eq!(peer.role, Role::Client, "this is a test of panics");
        None
    };
    let roles = [Role::Worker, Role::Client];
    let listening = scheduler.listen(&"tcp://127.0.0.1:0".parse().unwrap(), &roles, host).unwrap();
    for role in roles {
        let network = network(role, security.clone(), Limits::default());
        let (inbox, incoming) = raskt_cluster::channel::<Message>();
        let outbox = network.connect::<Message>(listening.address(), Role::Scheduler, inbox).unwrap();
        let events: Vec<_> = std::iter::from_fn(|| incoming.recv_timeout(PATIENCE).ok()).take(2).collect();
        let is_closed =
            |last: Option<&Incoming<Message>>| matches!(last, Some(Incoming::Event(Event::Lost(Lost::Closed))));
        assert!(is_closed(events.last()), "{events:?}");
        assert_eq!(outbox.peer().unwrap().role, Role::Scheduler);
    }
}

/// The process that [`process_that_ends`] starts: it calls where it is told to, says one thing, and ends.
#[test]
fn ends_in_the_middle() {
    let Ok(told) = std::env::var("RASKT_TEST_CALLS") else { return };
    let (token, address) = told.split_once(' ').unwrap();
    let security = Security { token: Some(Token::read(token.as_ref()).unwrap()), tls: None };
    let mut caller = call(security, &address.parse().unwrap(), Limits::default());
    caller.wait_for(|event| *event == Event::Connected);
    caller.send(&(1, "the last word".into()), vec![]);
    caller.receive();
    rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
}

/// How a session ends with a process that calls at `address` and ends in the middle.
fn process_that_ends(address: &str) -> Option<Event> {
    let folder = tempfile::tempdir().unwrap();
    let token = Token::random().unwrap();
    token.create(&folder.path().join("token")).unwrap();
    // No clock says it.
    let never = u64::MAX / 4;
    let limits = Limits {
        suspect_nanoseconds: never,
        unreachable_nanoseconds: never,
        closed_nanoseconds: never,
        resume_nanoseconds: never,
        ..Limits::default()
    };
    let security = Security { token: Some(token), tls: None };
    let echo = echo(security, address, limits);
    let told = format!("{} {}", folder.path().join("token").display(), echo.listening.address());
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child
        .args(["--exact", "sessions::ends_in_the_middle"])
        .env("RASKT_TEST_CALLS", told)
        .stdout(std::process::Stdio::null());
    let status = child.status().unwrap();
    assert!(!status.success());
    let mut events = std::iter::from_fn(|| echo.events.recv_timeout(PATIENCE).ok());
    events.find(|event| matches!(event, Event::Lost(_)))
}

#[test]
fn a_process_that_ends_is_lost_at_once() {
    let folder = tempfile::tempdir().unwrap();
    let last = process_that_ends(&format!("unix://{}/socket", folder.path().display()));
    assert_eq!(last, Some(Event::Lost(Lost::Died)));
}

/// Over TCP nobody but the process itself says which it is.
#[test]
fn a_process_of_this_host_that_ends_is_lost_at_once_over_tcp() {
    assert_eq!(process_that_ends("tcp://127.0.0.1:0"), Some(Event::Lost(Lost::Died)));
}

/// Somebody who is given up without a word, and comes back, hears that there is no such session: he may begin another one.
#[test]
fn who_was_given_up_hears_that_he_is_forgotten() {
    let security = token_only();
    let network = network(Role::Scheduler, security.clone(), Limits::default());
    let (outboxes, given_up) = std::sync::mpsc::channel();
    let host = move |_: Peer, outbox: Outbox<()>| -> Option<Arc<dyn Inbox>> {
        outboxes.send(outbox).unwrap();
        Some(inbox(|_: Incoming<Message>| {}))
    };
    let listening = network.listen(&"tcp://127.0.0.1:0".parse().unwrap(), &[Role::Worker], host).unwrap();
    let mut caller = call(security, listening.address(), Limits::default());
    caller.wait_for(|event| *event == Event::Connected);
    given_up.recv_timeout(PATIENCE).unwrap().abandon();
    let lost = caller.wait_for(|event| matches!(event, Event::Lost(_)));
    assert!(matches!(lost, Event::Lost(Lost::Forgotten(_))), "{lost:?}");
}

/// The thread of the network is kept by what somebody said, for longer than anybody may be silent.
#[test]
fn a_slow_message_silences_nobody_else() {
    const SLOW: Duration = Duration::from_secs(7);
    let security = token_only();
    let limits = Limits {
        heartbeat_nanoseconds: 100_000_000,
        suspect_nanoseconds: 4_000_000_000,
        unreachable_nanoseconds: 5_000_000_000,
        ..Limits::default()
    };
    let network = network(Role::Scheduler, security.clone(), limits.clone());
    let host = move |_: Peer, outbox: Outbox<()>| -> Option<Arc<dyn Inbox>> {
        let outbox = outbox.typed::<Message>();
        Some(inbox(move |incoming: Incoming<Message>| {
            if let Incoming::Message { message, .. } = incoming {
                std::thread::sleep(if message.0 == 0 { Duration::ZERO } else { SLOW });
                outbox.send(&message, vec![]).unwrap();
            }
        }))
    };
    let listening = network.listen(&"tcp://127.0.0.1:0".parse().unwrap(), &[Role::Worker], host).unwrap();
    let [mut slow, mut other] = [(); 2].map(|()| call(security.clone(), listening.address(), limits.clone()));
    for caller in [&mut slow, &mut other] {
        // It is connected here when that thread has still to see to it there.
        caller.send(&(0, String::new()), vec![]);
        assert_eq!(caller.receive().0, (0, String::new()));
    }
    slow.send(&(1, String::new()), vec![]);
    assert_eq!(slow.receive().0, (1, String::new()));
    other.send(&(2, String::new()), vec![]);
    assert_eq!(other.receive().0, (2, String::new()));
    for caller in [&slow, &other] {
        assert!(!caller.events.contains(&Event::Unreachable), "{:?}", caller.events);
    }
}

//! What processes share by name, over real sessions.

use crate::world::*;
use raskt_cluster::coordination::*;
use raskt_cluster::hello::Role;
use raskt_cluster::session::{Event, Limits as SessionLimits};
use raskt_cluster::{Address, Incoming, Listening, Network, Outbox, Peer, Security, inbox};
use raskt_schedule::Time;
use raskt_schedule::coordination::Session;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Mutex};
use std::time::Instant;

/// Messages of a session, of which these are some.
#[derive(Serialize, Deserialize)]
enum FromMember {
    Coordination(Packed<Ask>),
}

#[derive(Serialize, Deserialize)]
enum ToMember {
    Coordination(Packed<Told>),
}

struct Server {
    #[allow(dead_code, reason = "it listens as long as it is there")]
    network: Network,
    listening: Listening,
}

fn serve(security: Security, address: &str) -> Server {
    let network = network(Role::Scheduler, security, SessionLimits::default());
    let (server, began) = (Arc::new(Mutex::new(CoordinationServer::new(0, Limits::default()))), Instant::now());
    let now = move || Time(began.elapsed().as_nanos() as u64);
    let host = move |_: Peer, outbox: Outbox<()>| {
        let session = server.lock().unwrap().arrived(tell_by(outbox.typed(), ToMember::Coordination));
        let server = server.clone();
        Some(inbox(move |incoming| hear(&mut server.lock().unwrap(), now(), session, incoming)))
    };
    let listening = network.listen(&address.parse().unwrap(), &[Role::Client], host).unwrap();
    Server { network, listening }
}

fn hear(server: &mut CoordinationServer, now: Time, session: Session, incoming: Incoming<FromMember>) {
    let keeping = match incoming {
        Incoming::Message { message: FromMember::Coordination(ask), bulk, .. } => server.hear(now, session, ask, &bulk),
        Incoming::Event(Event::Lost(_)) => server.gone(now, session),
        Incoming::Event(_) => vec![],
    };
    assert_eq!(keeping, []);
}

fn member(security: Security, address: &Address) -> (Network, Coordination) {
    let network = network(Role::Client, security, SessionLimits::default());
    let handle = Coordination::new();
    let hearing = handle.session();
    let hears = hearing.clone();
    let outbox = network.connect(
        address,
        Role::Scheduler,
        inbox(move |incoming| match incoming {
            Incoming::Message { message: ToMember::Coordination(told), bulk, .. } => hears.hear(told, &bulk),
            Incoming::Event(Event::Lost(lost)) => hears.lost(&lost.to_string()),
            Incoming::Event(_) => {}
        }),
    );
    let carrier = OverSession::new(outbox.unwrap(), FromMember::Coordination);
    hearing.carried_by(Arc::new(carrier)).unwrap();
    (network, handle)
}

#[test]
fn it_goes_over_sessions_and_what_is_held_passes_on_when_one_ends() {
    let security = token_only();
    let server = serve(security.clone(), "tcp://127.0.0.1:0");
    let (network, one) = member(security.clone(), server.listening.address());
    let (_other_network, other) = member(security, server.listening.address());

    let lock = Request::AcquireLocks { names: vec!["x".into()], count: 1, holder: 0, timeout: None };
    assert_eq!(one.ask(lock.clone()).unwrap(), Reply::Acquired(vec!["x".into()]));
    let mut waits = other.request(lock).unwrap();

    // As large as a value may be, and several in one reply.
    let large = Bytes::from(vec![7; 16 << 20]);
    for bytes in [large.clone(), Bytes::from("small"), Bytes::default()] {
        let value = Value { bytes, results: vec![] };
        assert_eq!(one.ask(Request::Put { name: "q".into(), value, timeout: None }).unwrap(), Reply::Done);
    }
    let Reply::Values { values, .. } = other.ask(Request::GetAll { name: "q".into() }).unwrap() else {
        panic!("values")
    };
    assert!(values.into_iter().map(|value| value.bytes).eq([large, Bytes::from("small"), Bytes::default()]));

    assert!(waits.wait(Some(Instant::now())).is_none());
    assert!(network.close(PATIENCE));
    let passed_on = waits.wait(Some(Instant::now() + PATIENCE)).expect("an answer").expect("a scheduler");
    assert_eq!(*passed_on.reply(), Reply::Acquired(vec!["x".into()]));
    assert!(one.ask(Request::Locked { name: "x".into() }).is_err());
}

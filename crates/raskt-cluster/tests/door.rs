//! Who isn't let in, cell by cell: whoever comes in whatever wrong way is sent away, in bounded time, with a line in the log that
//! has no secret in it, and those who are right come in afterwards.

use crate::world::*;
use raskt_cluster::certs::{Authority, Certified, from_now};
use raskt_cluster::hello::{self, GREETING_BYTES, Greeting, Identity, Refusal, Role, SessionId, VERDICT_BYTES};
use raskt_cluster::session::{Event, Limits, Lost};
use raskt_cluster::testing::FaultProxy;
use raskt_cluster::{
    Address, Inbox, Incoming, Listening, Names, Network, Outbox, Peer, RefusedPeer, Security, Tls, Token, inbox,
};
use std::io::{Read, Write};
use std::net::{SocketAddr, TcpStream, ToSocketAddrs};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant, SystemTime};

/// Nobody is at the door longer than this.
const DOOR: Duration = Duration::from_secs(8);

struct Guarded {
    _network: Network,
    listening: Listening,
    refused: Receiver<RefusedPeer>,
    arrived: Receiver<Role>,
}

fn guard(security: Security, address: &str) -> Guarded {
    let network = network(Role::Scheduler, security, Limits::default());
    let ((told, refused), (came, arrived)) = (channel(), channel());
    let host = move |peer: Peer, _: Outbox<()>| -> Option<Arc<dyn Inbox>> {
        came.send(peer.role).unwrap();
        Some(inbox(|_: Incoming<Message>| {}))
    };
    let told = Arc::new(move |peer: &RefusedPeer| drop(told.send(peer.clone())));
    let listening = network.listen_with(&address.parse().unwrap(), &[Role::Worker], host, told).unwrap();
    Guarded { _network: network, listening, refused, arrived }
}

impl Guarded {
    fn socket(&self) -> SocketAddr {
        let text = self.listening.address().to_string();
        text.split_once("://").unwrap().1.to_socket_addrs().unwrap().next().unwrap()
    }

    /// Somebody comes as `role` with what he has; gives why he isn't let in, as he is told, and as the door says.
    fn turned_away(&self, role: Role, security: Security, address: &Address) -> (String, String) {
        while self.refused.try_recv().is_ok() {}
        let network = network(role, security, Limits { resume_nanoseconds: 6_000_000_000, ..Limits::default() });
        let (inbox, incoming) = raskt_cluster::channel::<Message>();
        let _outbox = network.connect::<Message>(address, Role::Scheduler, inbox).unwrap();
        let lost = match incoming.recv_timeout(DOOR * 2).expect("it comes to an end") {
            Incoming::Event(Event::Lost(lost)) => lost,
            other => panic!("{other:?}"),
        };
        assert!(self.arrived.try_recv().is_err(), "nobody has come in");
        let said = self.refused.recv_timeout(DOOR).map(|refused| refused.to_string()).unwrap_or_default();
        (lost.to_string(), said)
    }

    /// Bytes come, and then nothing; gives what is answered until the door closes, and how long that took.
    fn answer_to(&self, bytes: &[u8]) -> (Vec<u8>, Duration, String) {
        let started = Instant::now();
        let mut stream = TcpStream::connect(self.socket()).unwrap();
        stream.set_read_timeout(Some(DOOR)).unwrap();
        let _ = stream.write_all(bytes);
        let mut answered = vec![];
        let _ = stream.read_to_end(&mut answered);
        let refused = self.refused.recv_timeout(DOOR).expect("a line in the log").to_string();
        assert!(self.arrived.try_recv().is_err());
        (answered, started.elapsed(), refused)
    }

    fn lets_in(&self, security: Security) {
        let mut caller = call(security, self.listening.address(), Limits::default());
        assert_eq!(caller.wait_for(|_| true), Event::Connected);
        assert_eq!(self.arrived.recv_timeout(PATIENCE).unwrap(), Role::Worker);
    }
}

fn with(authority: &Authority, own: Option<&Certified>) -> Security {
    Security { token: None, tls: Some(tls(authority, own)) }
}

fn issue(authority: &Authority, role: Role) -> Certified {
    authority.issue(role, &[], from_now(1)).unwrap()
}

#[test]
fn certificates_that_are_not_right_are_refused() {
    let (ours, others) = (Authority::create(1).unwrap(), Authority::create(1).unwrap());
    let guarded = guard(certified(&ours, Role::Scheduler), "tls://127.0.0.1:0");
    let hour = Duration::from_secs(3600);
    let now = SystemTime::now();
    let expired = ours.issue(Role::Worker, &[], now - hour * 2..now - hour).unwrap();
    let early = ours.issue(Role::Worker, &[], now + hour..now + hour * 2).unwrap();
    // The certificate of somebody else's authority, presented by one who believes ours.
    let foreign = issue(&others, Role::Worker);
    let itself = self_signed();
    let address = guarded.listening.address();
    for (what, own, why) in [
        ("no certificate", None, ""),
        ("expired", Some(&expired), "has expired"),
        ("early", Some(&early), "isn't good yet"),
        ("foreign", Some(&foreign), "is of another authority"),
        ("self-signed", Some(&itself), ""),
    ] {
        let (told, said) = guarded.turned_away(Role::Worker, with(&ours, own), address);
        assert!(said.contains("was not let in: TLS") && said.contains(why), "{what}: {said} / {told}");
        assert!(why.is_empty() || told.contains("to the other side the certificate of this process"), "{what}: {told}");
        assert!(!said.contains("BEGIN"), "{said}");
    }
    // A right certificate of the wrong role, whatever its owner says that he is.
    let client = issue(&ours, Role::Client);
    let (told, said) = guarded.turned_away(Role::Worker, with(&ours, Some(&client)), address);
    assert!(told.contains("certificate") && said.contains("isn't one of a worker"), "{said} / {told}");
    let (told, _) = guarded.turned_away(Role::Client, with(&ours, Some(&client)), address);
    assert!(told.contains("nobody comes here as client"), "{told}");
    guarded.lets_in(certified(&ours, Role::Worker));
}

#[test]
fn a_process_whose_own_certificate_is_not_good_now_does_not_start() {
    let authority = Authority::create(1).unwrap();
    let hour = Duration::from_secs(3600);
    let now = SystemTime::now();
    for (what, valid, word) in [
        ("expired", now - hour * 50..now - hour, Some("expired 60 minutes ago")),
        ("early", now + hour * 100..now + hour * 200, Some("good only from 4 days on")),
        ("good", now - hour..now + hour, None),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("certs");
        authority.write(&path).unwrap();
        authority.issue(Role::Scheduler, &[], valid).unwrap().write(&path, "own").unwrap();
        let own = (path.join("own.pem"), path.join("own-key.pem"));
        let read = Tls::read(&path.join("ca.pem"), Some((&own.0, &own.1)), Names::Role);
        let Some(word) = word else {
            assert!(read.is_ok(), "{what}: {read:?}");
            continue;
        };
        let told = read.unwrap_err().to_string();
        assert!(told.contains(word) && told.contains("own.pem") && told.contains("raskt certs"), "{what}: {told}");
    }
}

/// One that nobody has signed but itself: an authority's own.
fn self_signed() -> Certified {
    let folder = tempfile::tempdir().unwrap();
    Authority::create(1).unwrap().write(folder.path()).unwrap();
    let read = |name: &str| std::fs::read_to_string(folder.path().join(name)).unwrap();
    Certified { certificate: read("ca.pem"), key: read("ca-key.pem") }
}

#[test]
fn a_listener_that_is_not_right_is_not_believed() {
    let (ours, others) = (Authority::create(1).unwrap(), Authority::create(1).unwrap());
    let worker = || certified(&ours, Role::Worker);
    for (what, security) in [
        ("another authority", certified(&others, Role::Scheduler)),
        ("a worker that listens", certified(&ours, Role::Worker)),
    ] {
        let guarded = guard(security, "tls://127.0.0.1:0");
        let (told, _) = guarded.turned_away(Role::Worker, worker(), guarded.listening.address());
        assert!(told.contains("TLS") || told.contains("certificate"), "{what}: {told}");
    }
    // Those who go by hosts: the host must be in the certificate.
    let elsewhere = ours.issue(Role::Scheduler, &["elsewhere.example".into()], from_now(1)).unwrap();
    let token = Token::random().unwrap();
    let listener = Security { token: Some(token.clone()), tls: Some(tls(&ours, Some(&elsewhere))) };
    let guarded = guard(listener, "tls://127.0.0.1:0");
    let by_host = Tls::new(ours.certificate(), None, Names::Host).unwrap();
    let (told, _) = guarded.turned_away(
        Role::Worker,
        Security { token: Some(token), tls: Some(by_host) },
        guarded.listening.address(),
    );
    assert!(told.contains("TLS"), "{told}");
}

#[test]
fn tokens_that_are_not_right_are_refused() {
    let token = Token::random().unwrap();
    let guarded = guard(Security { token: Some(token.clone()), tls: None }, "tcp://127.0.0.1:0");
    let address = guarded.listening.address();
    let (told, said) = guarded.turned_away(Role::Worker, token_only(), address);
    assert!(told.contains("another cluster's") && said.contains("another cluster's"), "{told} / {said}");
    let clients = token.scoped(Role::Client);
    let (told, _) = guarded.turned_away(Role::Worker, Security { token: clients, tls: None }, address);
    assert!(told.contains("nobody comes here as worker"), "{told}");
    let (told, said) = guarded.turned_away(Role::Viewer, Security { token: Some(token.clone()), tls: None }, address);
    assert!(told.contains("nobody comes here as viewer") && said.contains("viewer"), "{told} / {said}");
    guarded.lets_in(Security { token: token.scoped(Role::Worker), tls: None });
    // No token at all, where TLS is spoken and only the token is asked for.
    let authority = Authority::create(1).unwrap();
    let listener = Security { token: Some(token), ..certified(&authority, Role::Scheduler) };
    let guarded = guard(listener.clone(), "tls://127.0.0.1:0");
    let (told, said) = guarded.turned_away(Role::Worker, with(&authority, None), guarded.listening.address());
    assert!(told.contains("token file") && said.contains("token"), "{told} / {said}");
    guarded.lets_in(Security { tls: Some(tls(&authority, None)), ..listener });
}

#[test]
fn a_token_that_nobody_has_given_is_for_who_listens_where_he_was_called() {
    let given = token_only();
    let found = Security { token: given.token.clone().map(Token::found), tls: None };
    let guarded = guard(given.clone(), "tcp://127.0.0.1:0");
    let proxy = FaultProxy::start(guarded.socket(), 0).unwrap();
    let relay = Address::Tcp { host: "127.0.0.1".into(), port: proxy.address().port() };
    let (told, said) = guarded.turned_away(Role::Worker, found.clone(), &relay);
    let sentence = format!("you called {}, and this is {}: ", proxy.address(), guarded.socket());
    assert!(told.contains(&sentence) && told.contains("--token-file"), "{told}");
    assert!(said.contains(&sentence), "{said}");
    // Where it is, and by a way that its user knows.
    guarded.lets_in(found.clone());
    let mut caller = call(given.clone(), &relay, Limits::default());
    assert_eq!(caller.wait_for(|_| true), Event::Connected);
    assert_eq!(guarded.arrived.recv_timeout(PATIENCE).unwrap(), Role::Worker);
    let folder = tempfile::tempdir().unwrap();
    let beside = guard(given, &format!("unix://{}/socket", folder.path().display()));
    beside.lets_in(found);
}

#[test]
fn plain_and_tls_do_not_mix_and_both_sides_are_told() {
    let authority = Authority::create(1).unwrap();
    let token = token_only();
    let at = |guarded: &Guarded, scheme: &str| format!("{scheme}://{}", guarded.socket()).parse::<Address>().unwrap();
    let plain = guard(token.clone(), "tcp://127.0.0.1:0");
    let dialer = Security { tls: Some(tls(&authority, None)), ..token.clone() };
    let (told, said) = plain.turned_away(Role::Worker, dialer, &at(&plain, "tls"));
    assert!(said.contains("one side speaks TLS") && told.contains("one side speaks TLS"), "{told} / {said}");
    let listener = Security { token: token.token.clone(), ..certified(&authority, Role::Scheduler) };
    let encrypted = guard(listener, "tls://127.0.0.1:0");
    let (told, said) = encrypted.turned_away(Role::Worker, token, &at(&encrypted, "tcp"));
    assert!(said.contains("one side speaks TLS") && told.contains("one side speaks TLS"), "{told} / {said}");
}

#[test]
fn strangers_are_turned_away_with_few_bytes_and_in_bounded_time() {
    let token = token_only();
    let guarded = guard(token.clone(), "tcp://127.0.0.1:0");
    let greeting = Greeting::new(Role::Worker, Identity { process: 1, incarnation: 1 }, SessionId(1)).unwrap();
    let greeting = Greeting { has_token: true, ..greeting }.encode().to_vec();
    let patched = |at: usize, with: &[u8]| {
        let mut bytes = greeting.clone();
        bytes[at..at + with.len()].copy_from_slice(with);
        bytes
    };
    let cells: Vec<(&str, Vec<u8>, &str)> = vec![
        ("a browser", b"GET / HTTP/1.1\r\nHost: localhost\r\n\r\n".to_vec(), "no greeting"),
        ("an oversized greeting", [patched(8, &u16::MAX.to_le_bytes()), vec![0; 100_000]].concat(), "no sense"),
        ("a greeting of nothing", patched(8, &0_u16.to_le_bytes()), "no sense"),
        ("another version", patched(10, &[9, 0, 9, 0]), "upgrade"),
        ("an unknown role", patched(14, &[77]), "no sense"),
        ("silence after half of a greeting", greeting[..100].to_vec(), "took longer"),
        ("silence", vec![], "took longer"),
        ("a proof of zeros", [greeting.clone(), vec![0; 32]].concat(), "another cluster's"),
    ];
    for (what, bytes, word) in cells {
        let (answered, took, refused) = guarded.answer_to(&bytes);
        assert!(answered.len() <= GREETING_BYTES + VERDICT_BYTES, "{what}: {} bytes", answered.len());
        assert!(took < DOOR, "{what}: {took:?}");
        assert!(refused.contains(word), "{what}: {refused}");
    }
    guarded.lets_in(token);
}

#[test]
fn a_handshake_that_was_heard_is_of_no_use() {
    let token = token_only();
    let guarded = guard(token.clone(), "tcp://127.0.0.1:0");
    let proxy = FaultProxy::start(guarded.socket(), 0).unwrap();
    proxy.listen_in();
    let address = Address::Tcp { host: "127.0.0.1".into(), port: proxy.address().port() };
    let mut caller = call(token, &address, Limits::default());
    assert_eq!(caller.wait_for(|_| true), Event::Connected);
    assert_eq!(guarded.arrived.recv_timeout(PATIENCE).unwrap(), Role::Worker);
    let heard = proxy.heard();
    assert!(heard.len() >= GREETING_BYTES + 32);
    let (_, _, refused) = guarded.answer_to(&heard);
    assert!(refused.contains("another cluster's"), "{refused}");
    assert_eq!(caller.outbox.lost(), None::<Lost>);
}

#[test]
fn the_crowd_at_the_door_is_bounded_and_goes() {
    let token = token_only();
    let guarded = guard(token.clone(), "tcp://127.0.0.1:0");
    let crowd: Vec<_> = (0..100).map(|_| TcpStream::connect(guarded.socket()).unwrap()).collect();
    let busy = (0..36).map(|_| guarded.refused.recv_timeout(DOOR).unwrap().to_string());
    assert!(busy.filter(|line| line.contains("too many")).count() == 36);
    drop(crowd);
    guarded.lets_in(token);
}

#[test]
fn a_session_belongs_to_the_process_that_began_it() {
    let token = token_only();
    let guarded = guard(token.clone(), "tcp://127.0.0.1:0");
    let proxy = FaultProxy::start(guarded.socket(), 0).unwrap();
    proxy.listen_in();
    let address = Address::Tcp { host: "127.0.0.1".into(), port: proxy.address().port() };
    let mut caller = call(token.clone(), &address, Limits::default());
    assert_eq!(caller.wait_for(|_| true), Event::Connected);
    // Who is called may come to know of it after who calls.
    assert_eq!(guarded.arrived.recv_timeout(PATIENCE).unwrap(), Role::Worker);
    let first = Greeting::decode(&proxy.heard()[..GREETING_BYTES]).unwrap();
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
    let resume = |greeting: Greeting| {
        runtime.block_on(async {
            let mut stream = tokio::net::TcpStream::connect(guarded.socket()).await.unwrap();
            hello::open(&mut stream, greeting, token.token.clone(), vec![]).await.map(|met| met.peer.role)
        })
    };
    let another = Identity { incarnation: first.identity.incarnation + 1, ..first.identity };
    let thief = Greeting { identity: another, is_established: true, attempt: 9, ..first.clone() };
    assert_eq!(resume(thief), Err(Refusal::SessionOver));
    let unknown = Greeting { session: SessionId(5), is_established: true, ..first.clone() };
    assert_eq!(resume(unknown), Err(Refusal::SessionOver));
    let transfers = Greeting { purpose: hello::Purpose::Transfers, ..first.clone() };
    assert!(matches!(resume(transfers), Err(Refusal::NotWanted(_))));
    assert_eq!(caller.outbox.lost(), None);
    assert_eq!(resume(Greeting { is_established: true, attempt: 9, ..first }), Ok(Role::Scheduler));
}

#[test]
fn a_socket_that_a_dead_process_left_is_taken_over_and_a_live_one_is_not() {
    use std::os::unix::fs::MetadataExt;
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("socket");
    drop(std::os::unix::net::UnixListener::bind(&path).unwrap());
    let (address, token) = (format!("unix://{}", path.display()), token_only());
    let guarded = guard(token.clone(), &address);
    assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
    let network = network(Role::Scheduler, token.clone(), Limits::default());
    let host = |_: Peer, _: Outbox<()>| -> Option<Arc<dyn Inbox>> { None };
    assert!(network.listen(&address.parse().unwrap(), &[Role::Worker], host).is_err());
    guarded.lets_in(token);
    drop(guarded);
    assert!(!path.exists());
}

//! Results that go from process to process.

use crate::world::*;
use bytes::Bytes;
use raskt_cluster::bulk::{BulkError, Fetch, Fetcher, Missing, Part, Piece, Provide, Reply, SharedBuffer, Source};
use raskt_cluster::certs::Authority;
use raskt_cluster::hello::{Identity, Role};
use raskt_cluster::session::Limits;
use raskt_cluster::testing::{Chance, FaultProxy, Faults};
use raskt_cluster::{Address, Listening, Network, Security};
use std::collections::HashMap;
use std::net::ToSocketAddrs;
use std::sync::{Arc, Mutex, mpsc};

/// Results by name; those that aren't there are kept waiting if somebody holds them back.
#[derive(Default)]
struct Shelf {
    results: HashMap<Vec<u8>, Vec<Piece>>,
    held_back: Mutex<Vec<Reply>>,
}

impl Provide for Shelf {
    fn provide(&self, result: &[u8], reply: Reply) {
        match self.results.get(result) {
            Some(pieces) => reply.give(pieces.clone()),
            None if result == b"later" => self.held_back.lock().unwrap().push(reply),
            None if result == b"broken" => reply.refuse(Missing::Failed("its file is damaged".into())),
            None => {}
        }
    }
}

fn noise(seed: u64, bytes: usize) -> Bytes {
    let mut chance = Chance::new(seed);
    (0..bytes.div_ceil(8)).flat_map(|_| chance.next_number().to_le_bytes()).take(bytes).collect::<Vec<u8>>().into()
}

fn pieces() -> Vec<Bytes> {
    vec![noise(1, 5 << 20), Bytes::new(), noise(2, 100), noise(3, (1 << 20) + 1)]
}

fn shared(bytes: &Bytes) -> Piece {
    let mut buffer = SharedBuffer::new(bytes.len()).unwrap();
    buffer.as_mut_slice().copy_from_slice(bytes);
    Piece::Shared(buffer.seal().unwrap())
}

fn shelf() -> Shelf {
    let own = |bytes: Bytes| Piece::Own(bytes);
    let results = HashMap::from([
        (b"several".to_vec(), pieces().into_iter().map(own).collect()),
        (b"small".to_vec(), vec![own(Bytes::from_static(b"abcdef"))]),
        (b"none".to_vec(), vec![]),
        (b"shared".to_vec(), pieces().iter().map(shared).collect()),
    ]);
    Shelf { results, ..Shelf::default() }
}

/// A worker that gives, and a fetcher of another one.
struct Scene {
    giver: Option<Network>,
    giving: Listening,
    _network: Network,
    fetcher: Fetcher,
    shelf: Arc<Shelf>,
}

fn scene(security: Security, address: &str) -> Scene {
    let giver = network(Role::Worker, security.clone(), Limits::default());
    let shelf = Arc::new(shelf());
    let giving = giver.serve_results(&address.parse().unwrap(), &[Role::Worker, Role::Client], shelf.clone()).unwrap();
    let network = network(Role::Worker, security, Limits::default());
    Scene { giver: Some(giver), giving, fetcher: network.fetcher(), _network: network, shelf }
}

fn worker_at(addresses: Vec<Address>) -> Source {
    Source { addresses, role: Role::Worker, identity: None }
}

impl Scene {
    fn source(&self) -> Source {
        worker_at(vec![self.giving.address().clone()])
    }

    fn fetch(&self, result: &str, parts: Vec<Part>, reserved: u64) -> Result<Vec<Bytes>, BulkError> {
        let fetch = Fetch { result: result.into(), parts, reserved };
        self.fetcher.fetch_and_wait(&self.source(), fetch)
    }

    fn check(&self) {
        let whole = u64::MAX / 2;
        for name in ["several", "shared"] {
            let came = self.fetch(name, vec![], whole).unwrap();
            assert!(came.iter().all(|piece| piece.is_empty() || piece.as_ptr().addr() % 64 == 0));
            assert!(came == pieces(), "{name}");
            let parts = vec![Part { piece: 0, offset: 77, bytes: 2_000_000 }, Part { piece: 2, offset: 0, bytes: 100 }];
            let came = self.fetch(name, parts, whole).unwrap();
            assert!(came == [pieces()[0].slice(77..2_000_077), pieces()[2].clone()]);
        }
        assert_eq!(self.fetch("small", vec![], 6).unwrap(), [Bytes::from_static(b"abcdef")]);
        assert!(self.fetch("none", vec![], 0).unwrap().is_empty());
        assert_eq!(self.fetch("small", vec![], 5), Err(BulkError::TooLarge { bytes: 6, reserved: 5 }));
        assert_eq!(self.fetch("unknown", vec![], 5), Err(BulkError::Missing(Missing::NotThere)));
        let beyond = vec![Part { piece: 0, offset: 1, bytes: 6 }];
        assert_eq!(self.fetch("small", beyond, 50), Err(BulkError::Missing(Missing::NotThere)));
        assert!(
            matches!(self.fetch("broken", vec![], 5), Err(BulkError::Missing(Missing::Failed(why))) if why.contains("damaged"))
        );
    }
}

#[test]
fn results_come_over_tcp() {
    scene(token_only(), "tcp://127.0.0.1:0").check();
}

#[test]
fn results_come_over_tls() {
    let authority = Authority::create(1).unwrap();
    scene(certified(&authority, Role::Worker), "tls://127.0.0.1:0").check();
}

#[test]
fn results_come_as_memory_over_unix_sockets() {
    let folder = tempfile::tempdir().unwrap();
    let scene = scene(token_only(), &format!("unix://{}/bulk", folder.path().display()));
    scene.check();
    // What was made to be shared is mapped, and other memory read.
    for (name, is_handed_over) in [("shared", true), ("several", false)] {
        let came = scene.fetch(name, vec![], u64::MAX / 2).unwrap();
        assert_eq!(lies_in_a_file(&came[0]), is_handed_over, "{name}");
    }
}

#[test]
fn many_at_a_time_come_each_to_whoever_asked() {
    let scene = scene(token_only(), "tcp://127.0.0.1:0");
    let (sender, receiver) = mpsc::channel();
    for at in 0..40_u64 {
        let (name, sender) = (if at % 3 == 0 { "several" } else { "small" }, sender.clone());
        let fetch = Fetch { result: name.into(), parts: vec![], reserved: 100 << 20 };
        scene.fetcher.fetch(&scene.source(), fetch, move |came| drop(sender.send((at, came))));
    }
    for _ in 0..40 {
        let (at, came) = receiver.recv_timeout(PATIENCE).unwrap();
        let came = came.unwrap();
        assert!(if at % 3 == 0 { came == pieces() } else { came == [Bytes::from_static(b"abcdef")] });
    }
}

/// A worker that comes is asked to fetch what thousands of runs were given before it came.
#[test]
fn however_many_are_asked_for_at_a_time_all_of_them_come() {
    let scene = scene(token_only(), "tcp://127.0.0.1:0");
    let (sender, receiver) = mpsc::channel();
    for _ in 0..10_000 {
        let (fetch, sender) = (Fetch { result: "small".into(), parts: vec![], reserved: 6 }, sender.clone());
        scene.fetcher.fetch(&scene.source(), fetch, move |came| drop(sender.send(came)));
    }
    for _ in 0..10_000 {
        assert_eq!(receiver.recv_timeout(PATIENCE).unwrap(), Ok(vec![Bytes::from_static(b"abcdef")]));
    }
}

#[test]
fn a_peer_that_goes_is_told_from_one_that_was_never_there() {
    let mut scene = scene(token_only(), "tcp://127.0.0.1:0");
    let (sender, receiver) = mpsc::channel();
    let fetch = Fetch { result: "later".into(), parts: vec![], reserved: 10 };
    scene.fetcher.fetch(&scene.source(), fetch, move |came| drop(sender.send(came)));
    while scene.shelf.held_back.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    drop(scene.giver.take());
    assert!(matches!(receiver.recv_timeout(PATIENCE).unwrap(), Err(BulkError::Lost(_))));
    assert!(matches!(scene.fetch("small", vec![], 10), Err(BulkError::Unreached(_))));
}

/// It lives, and says nothing: whoever knows better says that it is gone.
#[test]
fn nobody_waits_for_a_peer_that_is_said_to_be_gone() {
    let scene = scene(token_only(), "tcp://127.0.0.1:0");
    let (sender, receiver) = mpsc::channel();
    // More than go on at a time: some wait for their turn.
    for _ in 0..20 {
        let (fetch, sender) = (Fetch { result: "later".into(), parts: vec![], reserved: 10 }, sender.clone());
        scene.fetcher.fetch(&scene.source(), fetch, move |came| drop(sender.send(came)));
    }
    while scene.shelf.held_back.lock().unwrap().len() < 16 {
        std::thread::yield_now();
    }
    scene.fetcher.drop_source(&scene.source());
    let came: Vec<_> = (0..20).map(|_| receiver.recv_timeout(PATIENCE).unwrap().unwrap_err()).collect();
    assert_eq!(came.iter().filter(|error| matches!(error, BulkError::Lost(_))).count(), 16, "{came:?}");
    assert_eq!(came.iter().filter(|error| matches!(error, BulkError::Unreached(_))).count(), 4, "{came:?}");
    // It may come back.
    assert!(scene.fetch("small", vec![], 6).is_ok());
}

#[test]
fn a_reply_may_come_later() {
    let scene = scene(token_only(), "tcp://127.0.0.1:0");
    let (sender, receiver) = mpsc::channel();
    let fetch = Fetch { result: "later".into(), parts: vec![], reserved: 10 };
    scene.fetcher.fetch(&scene.source(), fetch, move |came| drop(sender.send(came)));
    while scene.shelf.held_back.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    // Others go ahead meanwhile.
    assert!(scene.fetch("small", vec![], 6).is_ok());
    let reply = scene.shelf.held_back.lock().unwrap().pop().unwrap();
    reply.give(vec![Piece::Own(Bytes::from_static(b"now"))]);
    assert_eq!(receiver.recv_timeout(PATIENCE).unwrap().unwrap(), ["now"]);
}

#[test]
fn the_first_address_that_answers_is_taken() {
    let scene = scene(token_only(), "tcp://127.0.0.1:0");
    let addresses: Vec<Address> = vec!["unix:///nowhere/at/all".parse().unwrap(), scene.giving.address().clone()];
    let fetch = Fetch { result: "small".into(), parts: vec![], reserved: 10 };
    assert!(scene.fetcher.fetch_and_wait(&worker_at(addresses), fetch).is_ok());
}

#[test]
fn damage_on_the_way_is_an_error_and_never_another_result() {
    let scene = scene(token_only(), "tcp://127.0.0.1:0");
    let target =
        scene.giving.address().to_string().trim_start_matches("tcp://").to_socket_addrs().unwrap().next().unwrap();
    let (mut failed, mut whole) = (0, 0);
    for seed in 0..12 {
        let proxy = FaultProxy::start(target, seed).unwrap();
        let address = Address::Tcp { host: "127.0.0.1".into(), port: proxy.address().port() };
        let fetch = |name: &str| {
            let fetch = Fetch { result: name.into(), parts: vec![], reserved: 10 << 20 };
            scene.fetcher.fetch_and_wait(&worker_at(vec![address.clone()]), fetch)
        };
        fetch("small").unwrap();
        // So often that about half of the results are hit.
        proxy.set_faults(Faults { flip: 400, cut: 50, ..Faults::default() });
        match fetch("several") {
            Ok(came) => {
                assert!(came == pieces());
                whole += 1;
            }
            Err(BulkError::Lost(_) | BulkError::Violation(_)) => failed += 1,
            Err(other) => panic!("{other}"),
        }
    }
    assert!(failed > 0 && whole > 0, "{failed} failed, {whole} came");
}

#[test]
fn another_process_at_the_same_address_is_not_taken_for_the_one() {
    let scene = scene(token_only(), "tcp://127.0.0.1:0");
    let identity = scene.giver.as_ref().unwrap().options().identity;
    let fetch = |incarnation| {
        let source = Source { identity: Some(Identity { incarnation, ..identity }), ..scene.source() };
        scene.fetcher.fetch_and_wait(&source, Fetch { result: "small".into(), parts: vec![], reserved: 6 })
    };
    assert!(fetch(identity.incarnation).is_ok());
    let refused = fetch(identity.incarnation ^ 1);
    assert!(matches!(&refused, Err(BulkError::Refused(why)) if why.contains("another process")), "{refused:?}");
}

#[test]
fn whoever_panics_when_a_result_comes_keeps_nobody_else_from_his() {
    let scene = scene(token_only(), "tcp://127.0.0.1:0");
    let fetch = |name: &str| Fetch { result: name.into(), parts: vec![], reserved: 10 };
    let (sender, receiver) = mpsc::channel();
    scene.fetcher.fetch(&scene.source(), fetch("later"), move |came| drop(sender.send(came)));
    scene.fetcher.fetch(&scene.source(), fetch("small"), |_| panic!("this is a test of panics"));
    assert!(scene.fetch("small", vec![], 10).is_ok());
    scene.shelf.held_back.lock().unwrap().drain(..).for_each(|reply| reply.give(vec![]));
    assert!(receiver.recv_timeout(PATIENCE).unwrap().unwrap().is_empty());
}

#[test]
fn whoever_waits_is_told_when_the_network_stops() {
    let Scene { giver, giving, _network, fetcher, shelf } = scene(token_only(), "tcp://127.0.0.1:0");
    let source = worker_at(vec![giving.address().clone()]);
    let fetch = || Fetch { result: "later".into(), parts: vec![], reserved: 10 };
    let (sender, receiver) = mpsc::channel();
    let told = sender.clone();
    fetcher.fetch(&source, fetch(), move |came| drop(told.send(came)));
    while shelf.held_back.lock().unwrap().is_empty() {
        std::thread::yield_now();
    }
    drop(_network);
    assert!(matches!(receiver.recv_timeout(PATIENCE).unwrap(), Err(BulkError::Lost(_))));
    fetcher.fetch(&source, fetch(), move |came| drop(sender.send(came)));
    assert!(receiver.recv_timeout(PATIENCE).unwrap().is_err());
    drop(giver);
}

//! Results of many runs that a worker takes over at once: no more of them are on their way than there is room for.

use super::fetching::Fetching;
use super::steps::Steps;
use crate::bulk::{BulkError, Provide, Reply, Source};
use crate::driver::{Listening, Network, NetworkOptions};
use crate::errand::ErrandCall;
use crate::face::Face;
use crate::hello::Role;
use crate::message::{ErrorForm, ResultNames};
use crate::parcels::pack;
use crate::{Security, Token};
use raskt_execute::*;
use raskt_graph::{LayerId, OpBody, OpForm};
use raskt_schedule::{RunId, TaskRange, WorkerTold};
use raskt_sync::Mutex;
use raskt_value::wire::{BodyForm, Decoders};
use raskt_value::{Chunk, TaskError, Value};
use std::any::Any;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

/// Nothing here takes as long.
const PATIENCE: Duration = Duration::from_secs(60);

/// Memory of the worker: a quarter of it may be on its way, and half of that from one peer.
const MEMORY: u64 = 64 << 20;

#[derive(Default)]
struct Plain(Decoders);

impl Face for Plain {
    fn body(&self, _op: OpForm<BodyForm>) -> Result<OpBody, String> {
        Err("there are none".into())
    }

    fn decoders(&self) -> &Decoders {
        &self.0
    }

    fn cause(&self, _error: &TaskError) -> Option<Vec<u8>> {
        None
    }

    fn error(&self, form: ErrorForm) -> TaskError {
        TaskError::new(form.kind, form.message)
    }

    fn errand(&self, _call: ErrandCall<'_>) -> Result<Vec<u8>, TaskError> {
        Ok(vec![])
    }
}

/// An engine of which nobody hears.
struct Nobody;

impl Uplink for Nobody {
    fn tell(&self, _told: WorkerTold) {}

    fn failed(&self, _failure: TaskFailure) {}

    fn fetch(&self, _request: FetchRequest) {}

    fn give_up(&self, _fetch: FetchId) {}

    fn broke(&self, story: &str) {
        panic!("{story}");
    }
}

/// Who gives results, as the test says.
struct Giver {
    network: Network,
    listening: Listening,
}

/// Requests, by their runs.
struct Asked(Mutex<Sender<(u64, Reply)>>);

impl Provide for Asked {
    fn provide(&self, result: &[u8], reply: Reply) {
        let ResultNames(names) = ResultNames::of(result).unwrap();
        let _ = self.0.lock().send((names[0].0.0, reply));
    }
}

impl Giver {
    fn start(security: &Security, asked: Sender<(u64, Reply)>) -> Self {
        let network = Network::start(NetworkOptions::new(Role::Client, security.clone()).unwrap()).unwrap();
        let provider = Arc::new(Asked(Mutex::new(asked)));
        let listening =
            network.serve_results(&"tcp://127.0.0.1:0".parse().unwrap(), &[Role::Worker], provider).unwrap();
        Self { network, listening }
    }

    fn source(&self) -> Source {
        let identity = Some(self.network.options().identity);
        Source { addresses: vec![self.listening.address().clone()], role: Role::Client, identity }
    }
}

fn next(asked: &Receiver<(u64, Reply)>) -> (u64, Reply) {
    asked.recv_timeout(PATIENCE).unwrap()
}

fn give(reply: Reply, bytes: usize) {
    let value: Value = Chunk::from_vec(vec![7_u8; bytes], &[bytes]).unwrap().into();
    let keeper: Arc<dyn Any + Send + Sync> = Arc::new(());
    reply.give(pack(&[value], &keeper).unwrap());
}

fn fetching(security: &Security) -> (Network, Arc<Fetching>) {
    let network = Network::start(NetworkOptions::new(Role::Worker, security.clone()).unwrap()).unwrap();
    let fetching = Fetching::start(&network, Arc::new(Plain::default())).unwrap();
    let options = EngineOptions { threads: 1, memory_limit: MEMORY };
    let store = Store::new(Limits::of_memory(MEMORY));
    fetching.serve(WorkerEngine::with_store(options, store, Runners::default(), Arc::new(Nobody)));
    assert_eq!(fetching.memory(), MEMORY);
    (network, fetching)
}

/// One result of a run.
fn one() -> TaskRange {
    TaskRange { layer: LayerId(0), start: 0, end: 1 }
}

fn take(fetching: &Arc<Fetching>, source: Source, run: u64, done: &Sender<Result<(), String>>) {
    let done = done.clone();
    let done = Box::new(move |put| drop(done.send(put)));
    let put = |_: &Fetching, _: RunId, _: &[TaskRange], values: Vec<Value>| {
        assert_eq!(values.len(), 1);
        Ok(())
    };
    Steps::begin(fetching.clone(), Some(source), (RunId(run), vec![one()]), (put, Duration::ZERO), done);
}

#[test]
fn no_more_is_on_its_way_than_there_is_room_for() {
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let (_network, fetching) = fetching(&security);
    let (sender, asked) = channel();
    let givers = [(); 2].map(|()| Giver::start(&security, sender.clone()));
    let (sender, done) = channel();
    for run in 0..20 {
        take(&fetching, givers[run as usize % 2].source(), run, &sender);
    }
    assert_eq!(fetching.room.taken(), (MEMORY / 4, 2));
    // What is asked for behind all of them comes behind the first: the others weren't asked for.
    for giver in &givers {
        let last = ResultNames(vec![(RunId(99), one())]);
        fetching.fetch_part(Some(&giver.source()), last, 1, Box::new(|came, _| assert!(came.is_err())));
    }
    let mut first: Vec<_> = (0..4).map(|_| next(&asked)).collect();
    first.sort_by_key(|(run, _)| *run);
    assert_eq!(first.iter().map(|(run, _)| *run).collect::<Vec<_>>(), [0, 1, 99, 99]);
    first.into_iter().for_each(|(_, reply)| give(reply, 1000));
    // One doesn't fit into what is set aside: it gets as much as it takes, before the others of its turn.
    let mut turns = [vec![], vec![]];
    for _ in 2..21 {
        let (run, reply) = next(&asked);
        turns[run as usize % 2].push(run);
        assert!(fetching.room.taken().0 <= MEMORY / 4);
        give(reply, if run == 8 { 10 << 20 } else { 1000 });
    }
    assert_eq!(turns, [vec![2, 4, 6, 8, 8, 10, 12, 14, 16, 18], vec![3, 5, 7, 9, 11, 13, 15, 17, 19]]);
    for _ in 0..20 {
        assert_eq!(done.recv_timeout(PATIENCE).unwrap(), Ok(()));
    }
    let deadline = Instant::now() + PATIENCE;
    while fetching.room.taken() != (0, 0) {
        assert!(Instant::now() < deadline, "room is kept for nobody");
        std::thread::yield_now();
    }
}

/// Who gives nothing leaves no room behind that nobody has.
#[test]
fn what_does_not_come_leaves_its_room() {
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let (network, fetching) = fetching(&security);
    let (sender, asked) = channel();
    let giver = Giver::start(&security, sender);
    let (sender, done) = channel();
    (0..6).for_each(|run| take(&fetching, giver.source(), run, &sender));
    // One isn't there, one is larger than all memory, one is on its way when the network stops; and the rest isn't asked for any more.
    drop(next(&asked).1);
    for _ in 0..2 {
        let (run, reply) = next(&asked);
        assert_eq!(run, 1);
        give(reply, MEMORY as usize + 1);
    }
    let last = next(&asked);
    drop(network);
    let failures: Vec<_> = (0..6).map(|_| done.recv_timeout(PATIENCE).unwrap().unwrap_err()).collect();
    assert!(failures[0].contains(&BulkError::Missing(crate::bulk::Missing::NotThere).to_string()), "{failures:?}");
    assert!(failures[1].contains(&format!("{MEMORY} were reserved for it")), "{failures:?}");
    drop(last);
    let deadline = Instant::now() + PATIENCE;
    while fetching.room.taken() != (0, 0) {
        assert!(Instant::now() < deadline, "room is kept for nobody");
        std::thread::yield_now();
    }
}

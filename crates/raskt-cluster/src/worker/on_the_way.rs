//! Results of many runs that a worker takes over at once: no more of them are on their way than there is room for.

use super::fetching::Fetching;
use super::room::Held;
use super::steps::{Steps, Told};
use crate::bulk::{BulkError, Provide, Reply, Source};
use crate::driver::{Inbox, Incoming, Listening, Network, NetworkOptions, Outbox, Peer, Ticket, inbox};
use crate::errand::ErrandCall;
use crate::face::Face;
use crate::hello::Role;
use crate::message::{ErrorForm, FromWorker, ResultNames, WorkerInfo};
use crate::parcels::pack;
use crate::session;
use crate::{Security, Token};
use raskt_execute::*;
use raskt_graph::{LayerId, OpBody, OpForm};
use raskt_schedule::{RunId, TaskRange, WorkerId, WorkerTold};
use raskt_sync::Mutex;
use raskt_value::wire::{BodyForm, Decoders};
use raskt_value::{Chunk, TaskError, Value};
use std::any::Any;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

mod tight;

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

    fn cause(&self, _error: &TaskError, _most: usize) -> Option<Vec<u8>> {
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
        Self::of(Role::Client, security, asked)
    }

    fn of(role: Role, security: &Security, asked: Sender<(u64, Reply)>) -> Self {
        let network = Network::start(NetworkOptions::new(role, security.clone()).unwrap()).unwrap();
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

/// Sends how it ends, and nothing else.
fn tells_end(done: &Sender<Result<(), String>>) -> Arc<dyn Fn(Told) + Send + Sync> {
    let done = done.clone();
    Arc::new(move |told| {
        if let Told::Over(failure) = told {
            drop(done.send(failure.map_or(Ok(()), Err)));
        }
    })
}

fn take(fetching: &Arc<Fetching>, source: Source, run: u64, done: &Sender<Result<(), String>>) {
    let done = tells_end(done);
    let put = |_: &Fetching, _: RunId, _: &[TaskRange], values: Vec<Value>, _: &Held| {
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
    assert!(failures[1].contains(&format!("that may have {MEMORY} in all")), "{failures:?}");
    drop(last);
    let deadline = Instant::now() + PATIENCE;
    while fetching.room.taken() != (0, 0) {
        assert!(Instant::now() < deadline, "room is kept for nobody");
        std::thread::yield_now();
    }
}

/// A scheduler that takes nothing as long as it holds what it was told.
struct Scheduler {
    _network: Network,
    listening: Listening,
    held: Arc<Mutex<Option<Vec<Ticket>>>>,
    told: Receiver<FromWorker>,
}

impl Scheduler {
    fn start(security: &Security) -> Self {
        let network = Network::start(NetworkOptions::new(Role::Scheduler, security.clone()).unwrap()).unwrap();
        let (sender, told) = channel();
        let held = Arc::new(Mutex::new(Some(vec![])));
        let holds = held.clone();
        let host = move |_: Peer, _: Outbox<()>| -> Option<Arc<dyn Inbox>> {
            let (sender, holds) = (sender.clone(), holds.clone());
            Some(inbox(move |incoming| {
                if let Incoming::Message { message, ticket, .. } = incoming {
                    let _ = holds.lock().as_mut().map(|held: &mut Vec<Ticket>| held.push(ticket));
                    let _ = sender.send(message);
                }
            }))
        };
        let listening = network.listen(&"tcp://127.0.0.1:0".parse().unwrap(), &[Role::Worker], host).unwrap();
        Self { _network: network, listening, held, told }
    }

    fn next(&self) -> FromWorker {
        self.told.recv_timeout(PATIENCE).unwrap()
    }
}

/// A scheduler waits for the answer: it is given however much is under way to it.
#[test]
fn that_data_can_not_be_had_is_said_when_there_is_room_to_say_it() {
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let (_network, fetching) = fetching(&security);
    let (sender, asked) = channel();
    let giver = Giver::start(&security, sender);
    let scheduler = Scheduler::start(&security);
    let limits = session::Limits { window_bytes: 1000, ..session::Limits::default() };
    let options = NetworkOptions { limits, ..NetworkOptions::new(Role::Worker, security).unwrap() };
    let network = Network::start(options).unwrap();
    let outbox =
        network.connect::<FromWorker>(scheduler.listening.address(), Role::Scheduler, inbox(|_: Incoming<()>| {}));
    let outbox = outbox.unwrap();
    let mut filling = 0;
    while outbox.send(&FromWorker::IsEnded { why: "x".repeat(100) }, vec![]).is_ok() {
        filling += 1;
    }
    (0..filling).for_each(|_| assert!(matches!(scheduler.next(), FromWorker::IsEnded { .. })));
    let Source { addresses, identity, .. } = giver.source();
    let from = (&[addresses[0].to_string()][..], identity.unwrap());
    fetching.take_given(RunId(5), vec![one()], from, Some(outbox));
    drop(next(&asked));
    // Whoever wouldn't wait for room has said it in vain by now.
    std::thread::sleep(Duration::from_millis(200));
    assert!(scheduler.told.try_recv().is_err());
    drop(scheduler.held.lock().take());
    assert!(matches!(scheduler.next(), FromWorker::NotGiven { run: RunId(5), .. }));
}

/// A worker that stands still gives nothing, and is connected as ever: that it is gone the scheduler says.
#[test]
fn nobody_waits_for_a_worker_that_has_left() {
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let (network, fetching) = fetching(&security);
    let (sender, asked) = channel();
    let giver = Giver::of(Role::Worker, &security, sender);
    let scheduler = Scheduler::start(&security);
    let ignores = inbox(|_: Incoming<()>| {});
    let outbox = network.connect::<FromWorker>(scheduler.listening.address(), Role::Scheduler, ignores).unwrap();
    let (worker, addresses) = (WorkerId(3), vec![giver.listening.address().to_string()]);
    let identity = giver.network.options().identity;
    fetching.joined(vec![WorkerInfo { worker, name: "still".into(), addresses, identity, slots: 1, memory: 1 }]);
    fetching.copy((8, worker), RunId(5), vec![one()], Some(outbox));
    let _unanswered = next(&asked);
    fetching.left(worker);
    assert!(matches!(scheduler.next(), FromWorker::Copied { copy: 8, failure: Some(_) }));
}

/// What is put may panic, too: who waits for the end hears of it, and the next one goes on.
#[test]
fn a_panic_on_the_way_is_an_end_that_is_told() {
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let (_network, fetching) = fetching(&security);
    let (sender, asked) = channel();
    let giver = Giver::start(&security, sender);
    let (sender, done) = channel();
    for run in 0..5 {
        let done = tells_end(&sender);
        let put = |_: &Fetching, _: RunId, _: &[TaskRange], _: Vec<Value>, _: &Held| panic!("this is a test of panics");
        let source = Some(giver.source());
        Steps::begin(fetching.clone(), source, (RunId(run), vec![one()]), (put, Duration::ZERO), done);
    }
    for _ in 0..5 {
        give(next(&asked).1, 10);
        assert!(done.recv_timeout(PATIENCE).unwrap().is_err());
    }
    take(&fetching, giver.source(), 9, &sender);
    give(next(&asked).1, 10);
    assert_eq!(done.recv_timeout(PATIENCE).unwrap(), Ok(()));
}

//! What begins anew with a journal has lost the end of it, was ended in order, or finds what has failed: nothing of before is taken for
//! something of now, nor done again.

use crate::alone;
use crate::workplace::{self, *};
use raskt_cluster::hello::Role;
use raskt_cluster::journal::{Journal, JournalOptions};
use raskt_cluster::testing::FaultProxy;
use raskt_cluster::{
    Address, Client, ClusterError, Job, Order, Question, SchedulerServer, TaskRun, Token, Until, WorkerOptions,
    WorkerServer,
};
use raskt_execute::{EngineOptions, Limits, Runners, Store};
use raskt_graph::{Graph, GraphBuilder, Layer, LayerId, Op, Shape, TaskId};
use raskt_schedule::{Offer, TaskRange};
use raskt_value::NativeOp;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

const ALL: TaskRange = TaskRange { layer: LayerId(0), start: 0, end: 5 };

/// A scheduler of this process that goes without a word, as one that is killed, and a worker that comes to it through a proxy.
struct Place {
    folder: tempfile::TempDir,
    token: Token,
    scheduler: Option<SchedulerServer>,
    address: Address,
    proxy: FaultProxy,
    worker: WorkerServer,
}

impl Place {
    fn new() -> Self {
        let (folder, token) = (tempfile::tempdir().unwrap(), Token::random().unwrap());
        let scheduler = started(&token, &"tcp://127.0.0.1:0".parse().unwrap(), folder.path().join("journal"));
        let address = scheduler.address().clone();
        let target = address.to_string().trim_start_matches("tcp://").parse().unwrap();
        let proxy = FaultProxy::start(target, 0).unwrap();
        let options = WorkerOptions {
            scheduler: format!("tcp://{}", proxy.address()).parse().unwrap(),
            listen: "tcp://127.0.0.1:0".parse().unwrap(),
            offer: Offer { name: "worker".into(), ..Offer::slots(1) },
            engine: EngineOptions { threads: 2, memory_limit: 1 << 30 },
        };
        let (store, network) = (Store::new(Limits::of_memory(1 << 30)), network(&token, Role::Worker));
        let worker = WorkerServer::start(network, options, Runners::default(), store, Native::face()).unwrap();
        Self { folder, token, scheduler: Some(scheduler), address, proxy, worker }
    }

    fn journal(&self) -> PathBuf {
        self.folder.path().join("journal")
    }

    fn bytes(&self) -> u64 {
        std::fs::metadata(self.journal().join("journal")).unwrap().len()
    }

    fn stop(&mut self) {
        drop(self.scheduler.take());
    }

    fn start(&mut self) {
        self.scheduler = Some(started(&self.token, &self.address, self.journal()));
    }

    fn client(&self) -> Client {
        let listen = "tcp://127.0.0.1:0".parse().unwrap();
        Client::connect(network(&self.token, Role::Client), &self.address, &listen, Native::face(), PATIENCE).unwrap()
    }
}

/// Whoever has had the journal open goes a moment after the scheduler.
fn opened(journal: PathBuf) -> Journal {
    let deadline = Instant::now() + PATIENCE;
    loop {
        match Journal::open(&journal, JournalOptions::default()) {
            Ok(journal) => return journal,
            Err(error) => assert!(Instant::now() < deadline, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(1));
    }
}

fn started(token: &Token, address: &Address, journal: PathBuf) -> SchedulerServer {
    SchedulerServer::start_from(network(token, Role::Scheduler), address, opened(journal)).unwrap()
}

/// Tasks that give 1000 each.
fn thousands() -> Graph {
    let mut graph = GraphBuilder::new();
    let heavy = Op { body: Arc::new(NativeOp(Arc::new(Heavy { bytes: vec![200; 5] }))), ..sum(QUICK, 3) };
    let op = graph.op(heavy);
    graph.layer(Layer::new("heavy", op, Shape::source(5))).unwrap();
    graph.finish()
}

fn submit(client: &Client, graph: &Graph) -> TaskRun {
    client.submit_tasks(Job { graph: form(graph), wanted: vec![ALL], ..Job::default() }).unwrap()
}

fn gathered(client: &Client, run: &TaskRun) -> Vec<i64> {
    let values = client.gather(&[(run.id(), vec![ALL])], Some(Instant::now() + PATIENCE)).unwrap();
    values.iter().map(number).collect()
}

/// A client gets the number of one that the journal doesn't know any more; of whose runs a worker still has the results.
#[test]
fn what_workers_have_of_runs_that_were_cut_off_is_nothing_of_those_that_have_their_numbers() {
    let _alone = alone();
    let mut place = Place::new();
    let first = place.client();
    let kept = submit(&first, &sums(5, QUICK, 0));
    assert_eq!(gathered(&first, &kept), [0, 1, 2, 3, 4]);
    let bytes = place.bytes();
    let second = place.client();
    let gone = submit(&second, &thousands());
    assert_eq!(gathered(&second, &gone), [1000; 5]);
    let number = gone.id();
    let task = TaskId::new(LayerId(0), 1);
    let name = (gone.source_of(task), gone.mark_of(task));
    place.proxy.set_down(true);
    place.stop();
    drop((gone, second, kept, first));
    let file = std::fs::OpenOptions::new().write(true).open(place.journal().join("journal")).unwrap();
    file.set_len(bytes).unwrap();
    place.start();
    let third = place.client();
    let new = submit(&third, &sums(5, QUICK, 0));
    assert_eq!(new.id(), number, "it has the number of the one that was cut off");
    place.proxy.set_down(false);
    assert_eq!(gathered(&third, &new), [0, 1, 2, 3, 4]);
    assert!(place.worker.wait(Duration::ZERO).is_none(), "it is there still");
    // Nor is what was named before: only what has that name now.
    let fourth = place.client();
    let refused = fourth.adopt_at_once(name.0, name.1, PATIENCE);
    assert!(matches!(&refused, Err(ClusterError::Refused(why)) if why.contains("another one now")), "{refused:?}");
    let (taken, own) = fourth.adopt_at_once(new.source_of(task), new.mark_of(task), PATIENCE).unwrap();
    assert_eq!((taken.source_of(own), taken.mark_of(own)), (new.source_of(task), new.mark_of(task)));
    let one = TaskRange::one(own);
    let values = fourth.gather(&[(taken.id(), vec![one])], Some(Instant::now() + PATIENCE)).unwrap();
    assert_eq!(values.iter().map(workplace::number).collect::<Vec<_>>(), [1]);
}

/// Whoever stops the scheduler to start it again finds everything as it was.
#[test]
fn a_scheduler_that_is_stopped_leaves_to_the_next() {
    let _alone = alone();
    let mut place = Place::new();
    let client = place.client();
    let run = submit(&client, &thousands());
    assert_eq!(gathered(&client, &run), [1000; 5]);
    let slow = submit(&client, &sums(5, Sum { fails_at: None, milliseconds: 100 }, 0));
    assert!(place.scheduler.as_ref().unwrap().leave_to_next());
    place.stop();
    place.start();
    assert_eq!(gathered(&client, &slow), [0, 1, 2, 3, 4]);
    assert_eq!(gathered(&client, &run), [1000; 5]);
    assert!(client.lost().is_none() && place.worker.wait(Duration::ZERO).is_none());
}

/// What a client ends isn't begun again by the next scheduler, whoever has submitted it.
#[test]
fn a_cluster_that_was_ended_leaves_nothing_to_the_next() {
    let _alone = alone();
    let mut place = Place::new();
    let (first, second) = (place.client(), place.client());
    let runs = [&first, &second].map(|client| submit(client, &sums(5, Sum { fails_at: None, milliseconds: 300 }, 0)));
    // They are taken by then.
    [&first, &second].into_iter().for_each(|client| client.barrier(PATIENCE).unwrap());
    first.ask(Question::Order(Order::ShutDown), PATIENCE).unwrap();
    assert!(place.worker.wait(PATIENCE).is_some());
    let copy = tempfile::tempdir().unwrap();
    std::fs::copy(place.journal().join("journal"), copy.path().join("journal")).unwrap();
    assert_eq!(opened(copy.path().to_owned()).runs(), 0);
    place.stop();
    drop(runs);
}

/// A run of which a task has failed, with nothing of it in what is counted.
fn failed(client: &Client) -> TaskRun {
    let failing = submit(client, &sums(5, Sum { fails_at: Some(2), milliseconds: 0 }, 0));
    settle(client, &failing, ALL);
    RUNS.lock().unwrap().clear();
    failing
}

fn settle(client: &Client, run: &TaskRun, tasks: TaskRange) {
    assert!(client.watch(&[(run.id(), vec![tasks])]).wait(Until::All, Some(Instant::now() + PATIENCE)));
}

fn has_run(index: u64) -> bool {
    RUNS.lock().unwrap().contains_key(&index)
}

/// What has failed for good fails whoever reads it, also after the scheduler has begun anew, and is run by nobody.
#[test]
fn what_has_failed_is_not_run_again_for_those_who_come_to_read_it() {
    let _alone = alone();
    let mut place = killed::Place::of(1);
    let (first, second) = (place.client(), place.client());
    let failing = failed(&first);
    place.kill();
    place.start();
    let reader = second.take_up(&[(failing.id(), TaskRange { start: 2, end: 3, ..ALL })]).unwrap();
    let own = TaskRange { end: 1, ..ALL };
    settle(&second, &reader, own);
    let error = second.gather(&[(reader.id(), vec![own])], Some(Instant::now() + PATIENCE)).unwrap_err();
    assert!(error.to_string().contains("this one fails"), "{error}");
    assert!(!has_run(2), "nobody has run it again");
    failing.retry(&[ALL]).unwrap();
    let deadline = Instant::now() + PATIENCE;
    while !has_run(2) {
        assert!(Instant::now() < deadline, "it is run when somebody wants it to");
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// What is to be run again while there is no scheduler is run by the next.
#[test]
fn a_retry_is_kept_until_it_was_heard() {
    let _alone = alone();
    let mut place = killed::Place::of(1);
    let client = place.client();
    let failing = failed(&client);
    place.kill();
    // Before anybody knows that it is gone, or after.
    failing.retry(&[ALL]).unwrap();
    place.start();
    settle(&client, &failing, ALL);
    assert!(has_run(2), "it has failed again, and not still");
}

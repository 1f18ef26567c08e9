//! Data that clients give, and workers that come late, or go before they have it or with it.

use crate::workplace::*;
use raskt_cluster::{Client, ClusterError, Job, RemoteRun, TaskRun, Until};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{Import, TaskRange};
use raskt_value::{Chunk, Foreign, Parcel, TaskError, Value};
use std::any::Any;
use std::io::ErrorKind;
use std::net::Shutdown;
use std::os::unix::net::{UnixListener, UnixStream};
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// A number that is only given once it may be.
struct Held {
    number: Value,
    asked: Mutex<Sender<()>>,
    may_go: Mutex<Receiver<()>>,
}

impl Foreign for Held {
    fn bytes(&self) -> usize {
        8
    }

    fn type_name(&self) -> &str {
        "held"
    }

    fn as_any(&self) -> &dyn Any {
        self
    }

    fn pack(&self) -> Result<Parcel, TaskError> {
        let _ = self.asked.lock().unwrap().send(());
        let _ = self.may_go.lock().unwrap().recv();
        self.number.pack()
    }
}

/// Stands where the client of a cluster over Unix sockets gives data, and passes calls on as long as it is told to.
struct Before {
    listener: UnixListener,
    there: PathBuf,
    client: PathBuf,
}

impl Before {
    fn client_of(folder: &Path) -> Self {
        let (there, client) = (folder.join("client"), folder.join("behind"));
        std::fs::rename(&there, &client).unwrap();
        let listener = UnixListener::bind(&there).unwrap();
        listener.set_nonblocking(true).unwrap();
        Self { listener, there, client }
    }

    fn accept(&self) -> UnixStream {
        let deadline = Instant::now() + PATIENCE;
        loop {
            match self.listener.accept() {
                Ok((caller, _)) => return caller,
                Err(error) => assert!(error.kind() == ErrorKind::WouldBlock && Instant::now() < deadline, "{error}"),
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// Waits for a call, and hangs up.
    fn refuse(&self) {
        drop(self.accept());
    }

    /// Waits for a call, and passes on what is said until it is given to [`cut`].
    fn pass_on(&self) -> [UnixStream; 2] {
        let caller = self.accept();
        let client = UnixStream::connect(&self.client).unwrap();
        for (from, to) in [(&caller, &client), (&client, &caller)] {
            let (mut from, mut to) = (from.try_clone().unwrap(), to.try_clone().unwrap());
            std::thread::spawn(move || std::io::copy(&mut from, &mut to));
        }
        [caller, client]
    }

    /// Goes out of the way.
    fn leave(self) {
        std::fs::rename(&self.client, &self.there).unwrap();
    }
}

fn cut(line: [UnixStream; 2]) {
    line.iter().for_each(|end| end.shutdown(Shutdown::Both).unwrap());
}

fn numbers(count: i64) -> Vec<Value> {
    (0..count).map(|at| Chunk::from_vec(vec![at; 1000], &[1000]).unwrap().into()).collect()
}

fn job(values: Vec<Value>, kernel: Sum) -> (Job, TaskRange) {
    let (graph, data, sums) = sums_of_given(values.len() as u32, kernel);
    (Job { graph: form(&graph), wanted: vec![sums], given: vec![(data, values)], ..Job::default() }, sums)
}

fn whole(client: &Client, values: Vec<Value>, kernel: Sum) -> RemoteRun {
    client.submit(job(values, kernel).0).unwrap()
}

fn alone(client: &Client, values: Vec<Value>, kernel: Sum) -> (TaskRun, TaskRange) {
    let (job, sums) = job(values, kernel);
    (client.submit_tasks(job).unwrap(), sums)
}

fn expected(count: i64) -> Vec<i64> {
    (0..count).map(|at| at * 1001).collect()
}

#[test]
fn data_waits_for_the_first_worker() {
    let mut cluster = Cluster::of(0);
    let client = cluster.client();
    let run = whole(&client, numbers(10), QUICK);
    assert!(run.wait_timeout(Duration::from_millis(50)).is_none());
    cluster.join("first");
    assert_eq!(wait(&run).unwrap(), expected(10));
}

#[test]
fn a_worker_that_goes_before_it_has_its_share_leaves_it_to_others() {
    let mut cluster = Cluster::of(1);
    let client = cluster.client();
    let (asked, was_asked) = channel();
    let (go, may_go) = channel();
    let (asked, may_go) = (Mutex::new(asked), Mutex::new(may_go));
    let number = Chunk::scalar(7_i64).into();
    let run = whole(&client, vec![Value::Foreign(Arc::new(Held { number, asked, may_go }))], QUICK);
    was_asked.recv_timeout(PATIENCE).unwrap();
    let gone = cluster.workers.pop().unwrap();
    gone.shut_down(Duration::ZERO);
    drop(gone);
    cluster.join("late");
    drop(go);
    assert_eq!(wait(&run).unwrap(), [7]);
}

#[test]
fn a_client_that_is_not_reached_for_a_moment_is_called_again() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::within(1, folder.path().to_str().unwrap());
    let client = cluster.client();
    let before = Before::client_of(folder.path());
    let runs = [whole(&client, numbers(10), QUICK), whole(&client, numbers(5), QUICK)];
    let (apart, sums) = alone(&client, numbers(10), QUICK);
    (0..3).for_each(|_| before.refuse());
    assert!(runs.iter().all(|run| run.wait_timeout(Duration::ZERO).is_none()));
    before.leave();
    assert_eq!(runs.map(|run| wait(&run).unwrap()), [expected(10), expected(5)]);
    let values = client.gather(&[(apart.id(), vec![sums])], Some(Instant::now() + PATIENCE)).unwrap();
    assert_eq!(values.iter().map(number).collect::<Vec<_>>(), expected(10));
}

#[test]
fn what_was_on_its_way_when_a_connection_broke_is_fetched_again() {
    let folder = tempfile::tempdir().unwrap();
    let cluster = Cluster::within(1, folder.path().to_str().unwrap());
    let client = cluster.client();
    let before = Before::client_of(folder.path());
    let (asked, was_asked) = channel();
    let (go, may_go) = channel();
    let (asked, may_go) = (Mutex::new(asked), Mutex::new(may_go));
    let number = Chunk::scalar(7_i64).into();
    let run = whole(&client, vec![Value::Foreign(Arc::new(Held { number, asked, may_go }))], QUICK);
    let line = before.pass_on();
    was_asked.recv_timeout(PATIENCE).unwrap();
    cut(line);
    before.refuse();
    before.leave();
    go.send(()).unwrap();
    was_asked.recv_timeout(PATIENCE).unwrap();
    go.send(()).unwrap();
    assert_eq!(wait(&run).unwrap(), [7]);
}

#[test]
fn data_that_goes_with_a_worker_is_given_anew() {
    let mut cluster = Cluster::of(2);
    let client = cluster.client();
    let slow = Sum { milliseconds: 10, ..QUICK };
    let (one, sums) = alone(&client, numbers(100), slow.clone());
    let run = whole(&client, numbers(100), slow);
    let watch = client.watch(&[(one.id(), vec![sums])]);
    assert!(watch.wait(Until::First, Some(Instant::now() + PATIENCE)));
    let gone = cluster.workers.pop().unwrap();
    gone.shut_down(Duration::ZERO);
    drop(gone);
    let values = client.gather(&[(one.id(), vec![sums])], Some(Instant::now() + PATIENCE)).unwrap();
    assert_eq!(values.iter().map(number).collect::<Vec<_>>(), expected(100));
    assert_eq!(watch.failed(), 0);
    assert_eq!(wait(&run).unwrap(), expected(100));
}

#[test]
fn a_task_that_fails_ends_a_run_that_was_given_data() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let run = whole(&client, numbers(10), Sum { fails_at: Some(3), milliseconds: 0 });
    let error = wait(&run).unwrap_err();
    assert!(error.to_string().contains("this one fails"), "{error}");
    assert_eq!(wait(&whole(&client, numbers(10), QUICK)).unwrap(), expected(10));
}

#[test]
fn a_scheduler_that_breaks_down_tells_all() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let run = whole(&client, numbers(10), Sum { milliseconds: 500, ..QUICK });
    cluster.scheduler.break_down("planted");
    let error = wait(&run).unwrap_err();
    assert!(matches!(&error, ClusterError::Disconnected(why) if why.contains("planted")), "{error}");
    for worker in &cluster.workers {
        let why = worker.wait(PATIENCE).expect("a worker without a scheduler is over");
        assert!(why.contains("planted"), "{why}");
    }
    assert!(cluster.scheduler.broken().is_some_and(|story| story.contains("planted")));
}

/// One sum of results of another run.
fn sum_of(client: &Client, run: &TaskRun, source: TaskRange) -> (TaskRun, TaskRange) {
    let tasks = TaskRange { layer: LayerId(0), start: 0, end: source.len() };
    let import = Import { tasks, run: run.id(), from: TaskId::new(source.layer, source.start) };
    let wanted = TaskRange { layer: LayerId(1), start: 0, end: 1 };
    let graph = form(&sums(1, QUICK, source.len() as u32));
    let job = Job { graph, wanted: vec![wanted], imports: vec![import], ..Job::default() };
    (client.submit_tasks(job).unwrap(), wanted)
}

#[test]
fn what_reads_data_before_it_has_come_waits_for_it() {
    let mut cluster = Cluster::of(0);
    let client = cluster.client();
    let (run, results) = alone(&client, numbers(5), QUICK);
    let (reader, total) = sum_of(&client, &run, results);
    let (last, wanted) = sum_of(&client, &reader, total);
    let (dropped, _) = sum_of(&client, &reader, total);
    drop(dropped);
    cluster.join("first");
    let values = client.gather(&[(last.id(), vec![wanted])], Some(Instant::now() + PATIENCE)).unwrap();
    assert_eq!(number(&values[0]), expected(5).iter().sum::<i64>());
    let released = client.gather(&[(reader.id(), vec![total])], Some(Instant::now() + PATIENCE)).unwrap();
    assert_eq!(number(&released[0]), expected(5).iter().sum::<i64>());
}

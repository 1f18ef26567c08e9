//! What processes share by name, hooked into scheduler, workers and clients: over real sockets, all in this process.

use crate::workplace::*;
use raskt_cluster::coordination::*;
use raskt_cluster::hello::Role;
use raskt_cluster::session::Limits as SessionLimits;
use raskt_cluster::testing::{FaultProxy, Faults};
use raskt_cluster::{
    Client, Job, Network, NetworkOptions, SchedulerServer, Security, TaskRun, TaskState, Token, Until,
};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{RunId, TaskRange};
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

fn range(layer: u32, start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(layer), start, end }
}

fn soon() -> Option<Instant> {
    Some(Instant::now() + PATIENCE)
}

fn lock(name: &str, timeout: Option<u64>) -> Request {
    Request::AcquireLocks { names: vec![name.into()], count: 1, holder: 1, timeout }
}

/// So many sums of nothing, each of which is wanted.
fn sources(client: &Client, count: u32, kernel: Sum) -> TaskRun {
    let wanted = vec![range(0, 0, u64::from(count))];
    client.submit_tasks(Job { graph: form(&sums(count, kernel, 0)), wanted, ..Job::default() }).unwrap()
}

fn referring(results: &[(RunId, TaskRange)]) -> Value {
    Value { bytes: Bytes::from("of results"), results: results.to_vec() }
}

fn publish(client: &Client, name: &str, results: &[(RunId, TaskRange)]) {
    let value = referring(results);
    let publish = Request::PublishDataset { name: name.into(), value, replace: false };
    assert_eq!(client.coordination().ask(publish).unwrap(), Reply::Done);
}

/// Reads a dataset, and takes up what it refers to.
fn read(client: &Client, name: &str) -> (TaskRun, TaskRange) {
    let pending = client.coordination().request(Request::GetDataset { name: name.into() }).unwrap();
    adopt(client, pending)
}

fn adopt(client: &Client, mut pending: Pending) -> (TaskRun, TaskRange) {
    let answer = pending.wait(soon()).expect("an answer").unwrap();
    let Reply::Values { values, .. } = answer.reply() else { panic!("{answer:?}") };
    let results: Vec<_> = values.iter().flat_map(|value| value.results.clone()).collect();
    let all = results.iter().map(|(_, tasks)| tasks.len()).sum();
    (client.take_up(&results).unwrap(), range(0, 0, all))
}

fn gather(client: &Client, (run, tasks): &(TaskRun, TaskRange)) -> Vec<i64> {
    client.gather(&[(run.id(), vec![*tasks])], soon()).unwrap().iter().map(number).collect()
}

/// Leaves as clients do.
fn leave(client: Client) {
    client.close(PATIENCE);
}

/// Waits until something holds.
fn until(what: &str, is_so: impl Fn() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn a_lock_passes_on_when_the_client_that_holds_it_is_gone() {
    let cluster = Cluster::of(1);
    let (one, other) = (cluster.client(), cluster.client());
    assert_eq!(one.coordination().ask(lock("x", None)).unwrap(), Reply::Acquired(vec!["x".into()]));
    assert_eq!(other.coordination().ask(lock("x", Some(0))).unwrap(), Reply::TimedOut);
    let mut of_worker = cluster.workers[0].coordination().request(lock("x", None)).unwrap();
    let mut waits = other.coordination().request(lock("x", None)).unwrap();
    let began = Instant::now();
    drop(one);
    let granted = of_worker.wait(soon()).expect("an answer").unwrap();
    assert_eq!(*granted.reply(), Reply::Acquired(vec!["x".into()]), "the worker came first");
    assert!(began.elapsed() < Duration::from_secs(20), "nobody waits for it to come back");
    assert!(waits.wait(Some(Instant::now())).is_none());
    granted.give_back();
    let granted = waits.wait(soon()).expect("an answer").unwrap();
    assert_eq!(*granted.reply(), Reply::Acquired(vec!["x".into()]));
}

/// Others would take it to be gone at once, if it were a worker.
#[test]
fn a_client_whose_connection_was_closed_holds_what_it_holds_until_it_is_back() {
    let token = Token::random().unwrap();
    let limits = SessionLimits { closed_nanoseconds: 20_000_000, ..SessionLimits::default() };
    let security = Security { token: Some(token.clone()), tls: None };
    let options = NetworkOptions { limits, ..NetworkOptions::new(Role::Scheduler, security).unwrap() };
    let listen = "tcp://127.0.0.1:0".parse().unwrap();
    let scheduler = SchedulerServer::start(Network::start(options).unwrap(), &listen).unwrap();
    let cluster = Cluster { token, scheduler, workers: vec![], folder: None };
    let other = cluster.client();
    let address = cluster.scheduler.address().to_string();
    let proxy = FaultProxy::start(address.trim_start_matches("tcp://").parse().unwrap(), 7).unwrap();
    let through = format!("tcp://{}", proxy.address()).parse().unwrap();
    let network = network(&cluster.token, Role::Client);
    let holder = Client::connect(network, &through, &listen, Native::face(), PATIENCE).unwrap();
    assert!(matches!(holder.coordination().ask(lock("x", None)).unwrap(), Reply::Acquired(_)));
    proxy.set_faults(Faults { cut: 1_000_000, ..Faults::default() });
    let mut said = holder.coordination().request(Request::Locked { name: "x".into() }).unwrap();
    until("the connection is closed", || proxy.tally().cut.load(Ordering::Relaxed) > 0);
    assert_eq!(other.coordination().ask(lock("x", Some(500_000_000))).unwrap(), Reply::TimedOut);
    proxy.set_faults(Faults::default());
    assert_eq!(*said.wait(soon()).expect("an answer").unwrap().reply(), Reply::Flag(true));
    let release = Request::ReleaseLocks { names: vec!["x".into()], holder: 1 };
    assert_eq!(holder.coordination().ask(release).unwrap(), Reply::Done);
    assert!(matches!(other.coordination().ask(lock("x", None)).unwrap(), Reply::Acquired(_)));
}

#[test]
fn an_item_that_was_on_its_way_to_a_client_that_is_gone_is_first_in_its_queue_again() {
    let cluster = Cluster::of(0);
    let (dead, other) = (cluster.client(), cluster.client());
    let get =
        |client: &Client| client.coordination().request(Request::Get { name: "q".into(), timeout: None }).unwrap();
    let mut waits = get(&dead);
    for item in ["a", "b"] {
        let put = Request::Put { name: "q".into(), value: Value::plain(item), timeout: None };
        assert_eq!(other.coordination().ask(put).unwrap(), Reply::Done);
    }
    // It has come, and its client ends before it says to have it.
    let answer = waits.wait(soon()).expect("an answer").unwrap();
    dead.close(PATIENCE);
    std::mem::forget(answer);
    for item in ["a", "b"] {
        let mut pending = get(&other);
        let Reply::Values { values, .. } = pending.wait(soon()).expect("an answer").unwrap().into_reply() else {
            panic!()
        };
        assert_eq!(values, [Value::plain(item)]);
    }
}

#[test]
fn a_lock_of_a_worker_passes_on_when_the_worker_is_gone() {
    let mut cluster = Cluster::of(1);
    let client = cluster.client();
    assert!(matches!(cluster.workers[0].coordination().ask(lock("x", None)).unwrap(), Reply::Acquired(_)));
    let mut waits = client.coordination().request(lock("x", None)).unwrap();
    cluster.workers.pop();
    assert!(matches!(waits.wait(soon()).expect("an answer").unwrap().reply(), Reply::Acquired(_)));
}

#[test]
fn one_who_waits_too_long_is_told_by_the_clock_of_the_scheduler() {
    let cluster = Cluster::of(0);
    let (one, other) = (cluster.client(), cluster.client());
    one.coordination().ask(lock("x", None)).unwrap();
    let began = Instant::now();
    assert_eq!(other.coordination().ask(lock("x", Some(30_000_000))).unwrap(), Reply::TimedOut);
    assert!(began.elapsed() >= Duration::from_millis(30));
}

#[test]
fn a_dataset_is_read_by_another_when_its_publisher_has_gone() {
    let cluster = Cluster::of(2);
    let publisher = cluster.client();
    let run = sources(&publisher, 10, QUICK);
    // Overlapping, and out of order.
    publish(&publisher, "d", &[(run.id(), range(0, 4, 8)), (run.id(), range(0, 2, 5))]);
    drop(run);
    leave(publisher);
    until("the publisher's own handle is gone", || cluster.scheduler.runs() <= 1);
    let reader = cluster.client();
    let found = read(&reader, "d");
    assert_eq!(gather(&reader, &found), [4, 5, 6, 7, 2, 3, 4]);
    assert_eq!(found.0.source_of(TaskId::new(LayerId(0), 0)).1, TaskId::new(LayerId(0), 4));
    // It stays for whoever has it, also when the name is gone; and then nothing is left.
    let unpublish = Request::UnpublishDataset { name: "d".into() };
    assert_eq!(reader.coordination().ask(unpublish).unwrap(), Reply::Flag(true));
    assert_eq!(gather(&reader, &found), [4, 5, 6, 7, 2, 3, 4]);
    drop(found);
    until("nothing is left", || cluster.scheduler.runs() == 0);
}

#[test]
fn what_was_read_is_published_again_under_the_name_that_it_has() {
    let cluster = Cluster::of(1);
    let (one, two) = (cluster.client(), cluster.client());
    let run = sources(&one, 6, QUICK);
    publish(&one, "first", &[(run.id(), range(0, 3, 6))]);
    drop(run);
    leave(one);
    let (read_by_two, all) = read(&two, "first");
    let results: Vec<_> = all.tasks().map(|task| read_by_two.source_of(task)).collect();
    let results: Vec<_> = results.into_iter().map(|(run, task)| (run, TaskRange::one(task))).collect();
    publish(&two, "second", &results);
    two.coordination().ask(Request::UnpublishDataset { name: "first".into() }).unwrap();
    drop(read_by_two);
    leave(two);
    let three = cluster.client();
    assert_eq!(gather(&three, &read(&three, "second")), [3, 4, 5]);
}

#[test]
fn what_is_still_to_come_and_what_fails_is_told_to_whoever_took_it_up() {
    let cluster = Cluster::of(1);
    let (one, two) = (cluster.client(), cluster.client());
    let slow = sources(&one, 2, Sum { fails_at: Some(1), milliseconds: 50 });
    publish(&one, "d", &[(slow.id(), range(0, 0, 2))]);
    let (run, all) = read(&two, "d");
    drop(slow);
    leave(one);
    let watch = two.watch(&[(run.id(), vec![all])]);
    assert!(watch.wait(Until::All, soon()));
    assert!(matches!(run.state(TaskId::new(LayerId(0), 0)), TaskState::Available));
    let TaskState::Failed(failed) = run.state(TaskId::new(LayerId(0), 1)) else { panic!("it fails") };
    assert!(failed.error().to_string().contains("this one fails"), "{}", failed.error());
}

#[test]
fn what_nobody_knows_any_more_fails_and_says_so() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let run = client.take_up(&[(RunId(77), range(0, 0, 2))]).unwrap();
    let watch = client.watch(&[(run.id(), vec![range(0, 0, 2)])]);
    assert!(watch.wait(Until::All, soon()));
    let TaskState::Failed(failed) = run.state(TaskId::new(LayerId(0), 1)) else { panic!("it fails") };
    assert!(failed.error().to_string().contains("run 77"), "{}", failed.error());
}

#[test]
fn a_value_that_refers_to_what_is_gone_keeps_the_rest() {
    let cluster = Cluster::of(1);
    let one = cluster.client();
    let run = sources(&one, 3, QUICK);
    publish(&one, "d", &[(RunId(77), range(0, 0, 2)), (run.id(), range(0, 0, 3)), (run.id(), range(5, 0, 3))]);
    let id = run.id();
    drop(run);
    leave(one);
    let two = cluster.client();
    let found = (two.take_up(&[(id, range(0, 0, 3))]).unwrap(), range(0, 0, 3));
    assert_eq!(gather(&two, &found), [0, 1, 2]);
}

#[test]
fn an_item_that_is_given_back_is_first_in_its_queue_again_with_its_result() {
    let cluster = Cluster::of(1);
    let (one, two) = (cluster.client(), cluster.client());
    let run = sources(&one, 2, QUICK);
    for at in 0..2 {
        let value = referring(&[(run.id(), range(0, at, at + 1))]);
        one.coordination().ask(Request::Put { name: "q".into(), value, timeout: None }).unwrap();
    }
    drop(run);
    leave(one);
    let get = || two.coordination().request(Request::Get { name: "q".into(), timeout: None }).unwrap();
    get().wait(soon()).expect("an answer").unwrap().give_back();
    assert_eq!(gather(&two, &adopt(&two, get())), [0]);
    assert_eq!(gather(&two, &adopt(&two, get())), [1]);
    until("nothing is kept for a queue that is empty", || cluster.scheduler.runs() == 0);
}

#[test]
fn whoever_reads_data_that_its_client_never_gave_is_told_so() {
    // There is no worker that could have fetched it.
    let cluster = Cluster::of(0);
    let (one, two) = (cluster.client(), cluster.client());
    let (graph, data, _) = sums_of_given(2, QUICK);
    let values = vec![raskt_value::Chunk::scalar(1_i64).into(), raskt_value::Chunk::scalar(2_i64).into()];
    let job = Job { graph: form(&graph), wanted: vec![data], given: vec![(data, values)], ..Job::default() };
    let given = one.submit_tasks(job).unwrap();
    publish(&one, "d", &[(given.id(), data)]);
    let (run, all) = read(&two, "d");
    let watch = two.watch(&[(run.id(), vec![all])]);
    assert!(!watch.wait(Until::First, Some(Instant::now() + Duration::from_millis(20))));
    drop(given);
    leave(one);
    assert!(watch.wait(Until::All, soon()));
    let TaskState::Failed(failed) = run.state(TaskId::new(LayerId(0), 1)) else { panic!("it fails") };
    assert!(failed.error().to_string().contains("has left"), "{}", failed.error());
}

#[test]
fn results_that_a_name_keeps_are_made_again_when_their_worker_is_lost() {
    let mut cluster = Cluster::of(1);
    let one = cluster.client();
    let run = sources(&one, 4, QUICK);
    publish(&one, "d", &[(run.id(), range(0, 0, 4))]);
    assert!(one.watch(&[(run.id(), vec![range(0, 0, 4)])]).wait(Until::All, soon()));
    drop(run);
    leave(one);
    cluster.join("another");
    drop(cluster.workers.remove(0));
    let two = cluster.client();
    assert_eq!(gather(&two, &read(&two, "d")), [0, 1, 2, 3]);
}

#[test]
fn what_was_said_to_an_earlier_subscription_is_not_said_to_the_next() {
    let cluster = Cluster::of(0);
    let (one, two) = (cluster.client(), cluster.client());
    let log = |event: &str| {
        one.coordination().ask(Request::Log { topic: "t".into(), event: Bytes::from(event) }).unwrap();
    };
    for _ in 0..50 {
        let mut first = two.coordination().subscribe("t".into()).unwrap().unwrap();
        log("to the first");
        assert!(two.coordination().unsubscribe(&"t".into()));
        assert!(first.is_over() && first.next(Duration::from_secs(1)).is_none_or(|it| it.event.bytes.len() == 12));
        let mut second = two.coordination().subscribe("t".into()).unwrap().unwrap();
        // It isn't its own any more.
        drop(first);
        log("to the second");
        let delivery = second.next(PATIENCE).unwrap();
        assert_eq!(delivery.event.bytes, Bytes::from("to the second"));
    }
    assert!(!two.coordination().unsubscribe(&"t".into()));
}

//! Futures, arrays and frames on clusters of this process, as a program of a user has them.

use raskt::array::{Array, AxisChunks, Chunks, Operand, Reduction, Ufunc, kernel::Distribution};
use raskt::cluster::{ClusterError, ConnectOptions, EngineOptions, FutureError, Security, Status, Token, Worker};
use raskt::frame::{Aggregation, Frame, memory, polars::prelude::df};
use raskt::prelude::*;
use raskt::value::{Chunk, DType};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex};
use std::time::Duration;

const ADD: Function<(i64, i64), i64> = Function::named("add");
const SUM: Function<(Vec<i64>,), i64> = Function::named("sum");
const PARSE: Function<(String,), u8> = Function::named("parse");
const LENGTH: Function<(Vec<u8>,), u64> = Function::named("length");
const WAIT: Function<(), ()> = Function::named("wait");
const FLAKY: Function<(), u32> = Function::named("flaky");

/// Calls of `wait` end when this is open.
static GATE: (Mutex<bool>, Condvar) = (Mutex::new(false), Condvar::new());

/// How often `flaky` was called; it fails the first time.
static CALLED: AtomicU32 = AtomicU32::new(0);

fn wait() {
    drop(GATE.1.wait_while(GATE.0.lock().unwrap(), |is_open| !*is_open).unwrap());
}

fn flaky() -> Result<u32, &'static str> {
    match CALLED.fetch_add(1, Ordering::SeqCst) {
        0 => Err("not yet"),
        before => Ok(before),
    }
}

fn functions() -> Functions {
    Functions::new()
        .with(ADD, |a: i64, b: i64| a + b)
        .with(SUM, |all: Vec<i64>| all.iter().sum::<i64>())
        .with_fallible(PARSE, |text: String| text.parse::<u8>())
        .with(LENGTH, |bytes: Vec<u8>| bytes.len() as u64)
        .with(WAIT, wait)
        .with_fallible(FLAKY, flaky)
}

fn cluster(workers: usize) -> (LocalCluster, Client) {
    let cluster = LocalCluster::of_workers(workers, &functions()).unwrap();
    let client = cluster.client().unwrap();
    (cluster, client)
}

#[test]
fn calls_read_values_futures_and_lists_of_futures() {
    let (_cluster, client) = cluster(2);
    let three = client.submit(ADD, (1, 2)).unwrap();
    let ten = client.submit(ADD, (&three, 7)).unwrap();
    assert_eq!(client.submit(ADD, (&ten, &ten)).unwrap().result().unwrap(), 20);
    let many = client.map(ADD, (0..1000).map(|at| (at, &three))).unwrap();
    let sum = client.submit(SUM, (&many,)).unwrap();
    assert_eq!(sum.result().unwrap(), (0..1000).map(|at| at + 3).sum::<i64>());
    assert_eq!(client.gather(&many).unwrap(), (3..1003).collect::<Vec<_>>());
    assert_eq!(client.gather(&[ten.clone(), three, ten]).unwrap(), [10, 3, 10]);
    assert_eq!(client.submit(SUM, (vec![5, 6],)).unwrap().result().unwrap(), 11);
    assert!(client.map(ADD, Vec::<(i64, i64)>::new()).unwrap().is_empty());
    assert!(client.gather::<i64>(&[]).unwrap().is_empty());
}

#[test]
fn an_error_of_a_function_is_that_of_its_future_and_of_those_that_read_it() {
    let (_cluster, client) = cluster(1);
    let (good, bad) = (client.submit(PARSE, ("7",)).unwrap(), client.submit(PARSE, ("seven",)).unwrap());
    assert_eq!(good.result().unwrap(), 7);
    let error = bad.result().unwrap_err();
    assert!(matches!(error, FutureError::Cluster(ClusterError::Task { .. })), "{error:?}");
    assert!(error.to_string().contains("invalid digit"), "{error}");
    assert_eq!((good.status(), bad.status()), (Status::Finished, Status::Failed));
    let error = client.gather(&[good, bad]).unwrap_err().to_string();
    assert!(error.contains("`parse"), "{error}");
}

#[test]
fn what_is_given_once_is_read_by_many_and_what_is_large_is_refused_in_a_call() {
    let (_cluster, client) = cluster(2);
    let refused = client.submit(LENGTH, (vec![7; 65 << 20],)).unwrap_err();
    assert!(matches!(refused, FutureError::Stays(_)), "{refused:?}");
    assert!(refused.to_string().contains("`length`") && refused.to_string().contains("scatter"), "{refused}");
    let given = client.scatter(&[vec![7; 8 << 20]]).unwrap();
    let lengths = client.map(LENGTH, (0..4).map(|_| (&given[0],))).unwrap();
    drop(given);
    assert_eq!(client.gather(&lengths).unwrap(), [8 << 20; 4]);
}

#[test]
fn a_cancelled_future_has_no_result_and_isnt_pending() {
    let (_cluster, client) = cluster(1);
    let waits = client.submit(WAIT, ()).unwrap();
    assert!(!waits.is_done() && !waits.wait_timeout(Duration::from_millis(1)));
    let late = waits.result_timeout(Duration::from_millis(1)).unwrap_err();
    assert!(late.to_string().contains("in the time"), "{late}");
    assert!(waits.cancel() && !waits.cancel());
    assert_eq!(waits.status(), Status::Cancelled);
    assert!(waits.result().is_err());
    *GATE.0.lock().unwrap() = true;
    GATE.1.notify_all();
}

#[test]
fn what_has_failed_is_called_again_when_that_is_asked_for() {
    let (_cluster, client) = cluster(1);
    let flaky = client.submit(FLAKY, ()).unwrap();
    assert!(flaky.result().unwrap_err().to_string().contains("not yet"));
    flaky.retry().unwrap();
    assert_eq!(flaky.result().unwrap(), 1);
}

#[test]
fn functions_that_workers_dont_know_are_refused_by_name() {
    const OTHER: Function<(i64,), i64> = Function::named("other");
    const ADD_OTHERWISE: Function<(i32, i32), i32> = Function::named("add");
    let (_cluster, client) = cluster(1);
    let error = client.submit(OTHER, (1,)).unwrap().result().unwrap_err().to_string();
    assert!(error.contains("`other`") && error.contains("add"), "{error}");
    let error = client.submit(ADD_OTHERWISE, (1, 2)).unwrap().result().unwrap_err().to_string();
    assert!(error.contains("(i32, i32) -> i32") && error.contains("(i64, i64) -> i64"), "{error}");
    let closure = delayed(|| 1);
    let error = client.compute(&closure).unwrap_err().to_string();
    assert!(error.contains("closure") && error.contains("`delayed`"), "{error}");
}

fn random(elements: usize) -> Array {
    let chunks = Chunks::new([AxisChunks::regular(elements, elements.div_ceil(7))]);
    Array::random(Distribution::Uniform { low: 0.0, high: 1.0 }, 3, 0, DType::F64, chunks).unwrap()
}

fn twice(x: &Array) -> Array {
    Array::map(Ufunc::from_name("add").unwrap(), &[Operand::from(x), Operand::from(x)]).unwrap()
}

fn elements(chunk: &Chunk) -> &[f64] {
    chunk.as_slice::<f64>().unwrap()
}

#[test]
fn arrays_are_the_same_there_and_here_to_the_bit() {
    let (_cluster, client) = cluster(2);
    let x = twice(&random(10_000));
    let here = x.compute().unwrap();
    assert_eq!(elements(&client.compute(&x).unwrap().result().unwrap()), elements(&here));
    let total = x.reduce(Reduction::Sum, &Default::default()).unwrap();
    let there = client.compute(&total).unwrap().result().unwrap();
    assert_eq!(elements(&there), elements(&total.compute().unwrap()));
}

#[test]
fn blocks_that_stay_go_on_on_their_cluster_on_another_and_here() {
    let (_cluster, client) = cluster(2);
    let (_another, other) = cluster(1);
    let x = random(10_000);
    let kept = client.persist(&x).unwrap();
    let expected = twice(&x).compute().unwrap();
    assert_eq!(elements(&client.compute(&twice(&kept)).unwrap().result().unwrap()), elements(&expected));
    assert_eq!(elements(&other.compute(&twice(&kept)).unwrap().result().unwrap()), elements(&expected));
    assert_eq!(elements(&twice(&kept).compute().unwrap()), elements(&expected));
    // Nobody has the futures of what it was made of any more.
    let again = client.persist(&twice(&kept)).unwrap();
    drop(kept);
    assert_eq!(elements(&client.compute(&again).unwrap().result().unwrap()), elements(&expected));
}

fn delays(parts: i64) -> Frame {
    let part = |at| df!["carrier" => [at % 3, (at + 1) % 3], "delay" => [at as f64, -1.0]].unwrap();
    let flights = memory((0..parts).map(part).collect(), &[], &[], None);
    let mean = Aggregation {
        name: "delay".into(),
        column: flights.column("delay").unwrap(),
        function: "mean".into(),
        options: Default::default(),
    };
    flights.group(&[flights.column("carrier").unwrap()], &[mean], true, true, false).unwrap()
}

#[test]
fn frames_are_the_same_there_and_here() {
    let (_cluster, client) = cluster(2);
    for parts in [1, 9] {
        let frame = delays(parts);
        assert_eq!(client.compute(&frame).unwrap().result().unwrap(), frame.compute().unwrap());
    }
}

#[test]
fn what_a_worker_had_is_made_again_when_it_has_ended() {
    let (mut cluster, client) = cluster(2);
    let parts = client.map(ADD, (0..100).map(|at| (at, 1))).unwrap();
    parts.iter().for_each(Future::wait);
    assert!(cluster.stop_worker());
    assert_eq!(client.submit(SUM, (&parts,)).unwrap().result().unwrap(), (1..=100).sum::<i64>());
    assert_eq!(client.gather(&parts).unwrap(), (1..=100).collect::<Vec<_>>());
}

#[test]
fn programs_join_with_functions_of_their_own_and_by_the_token_alone() {
    let cluster = LocalCluster::of_workers(0, &Functions::new()).unwrap();
    let (address, security) = (cluster.address().to_string(), Some(cluster.security().clone()));
    let engine = EngineOptions { threads: 1, ..EngineOptions::default() };
    let worker = Worker::join(&address, "own", &functions(), security.clone(), engine).unwrap();
    let client = Client::connect_with(&address, ConnectOptions { security, ..ConnectOptions::default() }).unwrap();
    assert!(client.wait_for_workers(1, Duration::from_secs(60)));
    assert_eq!(client.workers()[0].name, "own");
    assert_eq!(client.submit(ADD, (20, 3)).unwrap().result().unwrap(), 23);
    drop(cluster);
    assert!(!worker.wait().is_empty());
}

#[test]
fn who_has_no_token_or_no_scheduler_is_told_so() {
    for (address, word) in [("nonsense", "like `tls://"), ("tls://127.0.0.1:1", "certificates")] {
        let error = Client::connect(address).err().unwrap().to_string();
        assert!(error.contains(word), "{address}: {error}");
    }
    let cluster = LocalCluster::of_workers(0, &Functions::new()).unwrap();
    let security = Some(Security { token: Some(Token::random().unwrap()), tls: None });
    let options = ConnectOptions { security, ..ConnectOptions::default() };
    let error = Client::connect_with(&cluster.address().to_string(), options).err().unwrap().to_string();
    assert!(error.contains("no scheduler at"), "{error}");
}

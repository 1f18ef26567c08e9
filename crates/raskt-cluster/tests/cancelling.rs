//! Calls that clients cancel, and what depends on them: over real sockets, all in this process.

use crate::workplace::*;
use raskt_cluster::coordination::{Bytes, Reply, Request, Value};
use raskt_cluster::{Client, ClusterError, Job, TaskRun, TaskState, Until};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{Import, RunId, TaskRange};
use raskt_value::ErrorKind;
use std::time::{Duration, Instant};

fn range(layer: u32, start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(layer), start, end }
}

fn calls(client: &Client, count: u32) -> TaskRun {
    let wanted = vec![range(0, 0, u64::from(count))];
    client.submit_tasks(Job { graph: form(&sums(count, QUICK, 0)), wanted, ..Job::default() }).unwrap()
}

/// A call that reads another one: its result is task 0 of layer 1.
fn job(run: RunId, layer: u32, index: u64) -> Job {
    let import = Import { tasks: range(0, 0, 1), run, from: TaskId::new(LayerId(layer), index) };
    Job { graph: form(&sums(1, QUICK, 1)), wanted: vec![range(1, 0, 1)], imports: vec![import], ..Job::default() }
}

fn reads(client: &Client, run: RunId, layer: u32, index: u64) -> TaskRun {
    client.submit_tasks(job(run, layer, index)).unwrap()
}

fn settled(client: &Client, run: &TaskRun, tasks: TaskRange) -> TaskState {
    let watch = client.watch(&[(run.id(), vec![tasks])]);
    assert!(watch.wait(Until::All, Some(Instant::now() + PATIENCE)), "somebody waits for ever");
    run.state(TaskId::new(tasks.layer, tasks.start))
}

fn assert_cancelled(client: &Client, run: &TaskRun, tasks: TaskRange) {
    match settled(client, run, tasks) {
        TaskState::Failed(failed) => {
            assert!(failed.is_cancelled());
            assert!(failed.error().to_string().contains("cancelled"), "{}", failed.error());
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_depends_on_a_cancelled_call_is_cancelled_and_nothing_else() {
    // Nothing begins before somebody is there.
    let mut cluster = Cluster::of(0);
    let client = cluster.client();
    let called = calls(&client, 2);
    let (first, second) = (reads(&client, called.id(), 0, 0), reads(&client, called.id(), 0, 1));
    let after = reads(&client, first.id(), 1, 0);
    let whole = client.submit(job(first.id(), 1, 0)).unwrap();
    called.cancel(&[range(0, 0, 1)], false);
    assert_cancelled(&client, &first, range(1, 0, 1));
    assert_cancelled(&client, &after, range(1, 0, 1));
    assert!(matches!(wait(&whole), Err(ClusterError::Task { error, .. }) if error.kind == ErrorKind::Cancelled));
    assert!(matches!(called.state(TaskId::new(LayerId(0), 0)), TaskState::Released));
    cluster.join("one");
    assert!(matches!(settled(&client, &second, range(1, 0, 1)), TaskState::Available));
    // Also what would read it later, and what would read what is there.
    let there = reads(&client, called.id(), 0, 1);
    assert!(matches!(settled(&client, &there, range(1, 0, 1)), TaskState::Available));
    assert_cancelled(&client, &reads(&client, first.id(), 1, 0), range(1, 0, 1));
}

#[test]
fn what_others_want_too_is_cancelled_only_by_force() {
    let mut cluster = Cluster::of(0);
    let (one, other) = (cluster.client(), cluster.client());
    let (called, named, forced, last) = (calls(&one, 1), calls(&one, 1), calls(&one, 1), calls(&one, 1));
    let value = Value { bytes: Bytes::from("of results"), results: vec![(named.id(), range(0, 0, 1))] };
    let publish = Request::PublishDataset { name: "named".into(), value, replace: false };
    assert_eq!(one.coordination().ask(publish).unwrap(), Reply::Done);
    let take_up = |run: &TaskRun| other.take_up(&[(run.id(), range(0, 0, 1))]).unwrap();
    let (taken, taken_by_force) = (take_up(&called), take_up(&forced));
    let (theirs, theirs_by_force) = (reads(&other, called.id(), 0, 0), reads(&other, forced.id(), 0, 0));
    let (of_named, of_last) = (reads(&one, named.id(), 0, 0), reads(&one, last.id(), 0, 0));
    other.barrier(PATIENCE).unwrap();
    [&called, &named, &last].into_iter().for_each(|run| run.cancel(&[range(0, 0, 1)], false));
    // When the last of them is, all have been.
    assert_cancelled(&one, &of_last, range(1, 0, 1));
    forced.cancel(&[range(0, 0, 1)], true);
    assert_cancelled(&other, &taken_by_force, range(0, 0, 1));
    assert_cancelled(&other, &theirs_by_force, range(1, 0, 1));
    cluster.join("one");
    assert!(matches!(settled(&other, &taken, range(0, 0, 1)), TaskState::Available));
    assert!(matches!(settled(&other, &theirs, range(1, 0, 1)), TaskState::Available));
    assert!(matches!(settled(&one, &of_named, range(1, 0, 1)), TaskState::Available));
}

#[test]
fn what_others_would_lose_is_cancelled_only_by_force() {
    let mut cluster = Cluster::of(0);
    let (one, other) = (cluster.client(), cluster.client());
    let (called, forced, own) = (calls(&one, 1), calls(&one, 1), calls(&one, 1));
    let of = |run: &TaskRun| reads(&one, run.id(), 0, 0);
    let (first, first_forced, first_own) = (of(&called), of(&forced), of(&own));
    one.barrier(PATIENCE).unwrap();
    // What they want is computed from what is cancelled, and nothing else is.
    let take_up = |run: &TaskRun| other.take_up(&[(run.id(), range(1, 0, 1))]).unwrap();
    let (theirs, theirs_forced) = (take_up(&first), take_up(&first_forced));
    let last = reads(&other, first.id(), 1, 0);
    other.barrier(PATIENCE).unwrap();
    [&called, &own].into_iter().for_each(|run| run.cancel(&[range(0, 0, 1)], false));
    assert_cancelled(&one, &first_own, range(1, 0, 1));
    forced.cancel(&[range(0, 0, 1)], true);
    assert_cancelled(&one, &first_forced, range(1, 0, 1));
    assert_cancelled(&other, &theirs_forced, range(0, 0, 1));
    cluster.join("one");
    assert!(matches!(settled(&other, &theirs, range(0, 0, 1)), TaskState::Available));
    assert!(matches!(settled(&other, &last, range(1, 0, 1)), TaskState::Available));
    assert!(matches!(settled(&one, &first, range(1, 0, 1)), TaskState::Available));
}

#[test]
fn whoever_holds_what_is_cancelled_by_force_hears_so() {
    let cluster = Cluster::of(1);
    let (one, other) = (cluster.client(), cluster.client());
    let called = calls(&one, 2);
    let first = reads(&one, called.id(), 0, 0);
    assert!(matches!(settled(&one, &called, range(0, 0, 2)), TaskState::Available));
    assert!(matches!(settled(&one, &first, range(1, 0, 1)), TaskState::Available));
    let again = one.take_up(&[(called.id(), range(0, 0, 1))]).unwrap();
    let theirs = other.take_up(&[(called.id(), range(0, 0, 1))]).unwrap();
    assert!(matches!(settled(&other, &theirs, range(0, 0, 1)), TaskState::Available));
    assert!(matches!(settled(&one, &again, range(0, 0, 1)), TaskState::Available));
    theirs.cancel(&[range(0, 0, 1)], true);
    let is_failed = |run: &TaskRun| matches!(run.state(TaskId::new(LayerId(0), 0)), TaskState::Failed(_));
    let deadline = Instant::now() + PATIENCE;
    while ![&called, &again].into_iter().all(is_failed) {
        assert!(Instant::now() < deadline, "nobody hears of it");
        std::thread::sleep(Duration::from_millis(2));
    }
    for run in [&called, &again] {
        assert_cancelled(&one, run, range(0, 0, 1));
        let gathered = one.gather(&[(run.id(), vec![range(0, 0, 1)])], Some(deadline));
        assert!(matches!(gathered, Err(ClusterError::Task { error, .. }) if error.kind == ErrorKind::Cancelled));
    }
    // What was computed from it stays, and so does what else there is.
    assert_eq!(one.gather(&[(first.id(), vec![range(1, 0, 1)])], Some(deadline)).unwrap().len(), 1);
    assert_eq!(one.gather(&[(called.id(), vec![range(0, 1, 2)])], Some(deadline)).unwrap().len(), 1);
    // Whoever comes later hears the same, until it is run again.
    assert_cancelled(&other, &reads(&other, called.id(), 0, 0), range(1, 0, 1));
    called.retry(&[range(0, 0, 1)]).unwrap();
    assert!(matches!(settled(&one, &called, range(0, 0, 1)), TaskState::Available));
}

#[test]
fn what_is_held_back_is_cancelled_when_it_is_let_on() {
    let mut cluster = Cluster::of(0);
    let client = cluster.client();
    let given = || {
        let (graph, data, sums) = sums_of_given(2, QUICK);
        let value = |at: i64| raskt_value::Chunk::from_vec(vec![at; 10], &[10]).unwrap().into();
        let given = vec![(data, (0..2).map(value).collect())];
        client.submit_tasks(Job { graph: form(&graph), wanted: vec![data, sums], given, ..Job::default() }).unwrap()
    };
    let (of_data, of_sum) = (given(), given());
    let from = |run: &TaskRun, layer, index| reads(&client, run.id(), layer, index);
    let (none, one) = (from(&of_data, 0, 0), from(&of_data, 0, 1));
    let (no_sum, sum) = (from(&of_sum, 1, 0), from(&of_sum, 1, 1));
    let after = reads(&client, no_sum.id(), 1, 0);
    of_data.cancel(&[range(0, 0, 1)], false);
    of_sum.cancel(&[range(1, 0, 1)], false);
    client.barrier(PATIENCE).unwrap();
    cluster.join("one");
    for run in [&none, &no_sum, &after] {
        assert_cancelled(&client, run, range(1, 0, 1));
    }
    for run in [&one, &sum] {
        assert!(matches!(settled(&client, run, range(1, 0, 1)), TaskState::Available));
    }
    assert!(matches!(settled(&client, &of_data, range(1, 1, 2)), TaskState::Available));
    assert_cancelled(&client, &of_data, range(1, 0, 1));
}

#[test]
fn what_went_wrong_before_is_not_the_reason() {
    let mut cluster = Cluster::of(1);
    let client = cluster.client();
    let fails = Sum { fails_at: Some(0), milliseconds: 0 };
    let wanted = vec![range(0, 0, 1)];
    let called = client.submit_tasks(Job { graph: form(&sums(1, fails, 0)), wanted, ..Job::default() }).unwrap();
    assert!(matches!(settled(&client, &called, range(0, 0, 1)), TaskState::Failed(_)));
    // It is tried again, which takes a while.
    cluster.workers.clear();
    let deadline = Instant::now() + PATIENCE;
    while !client.workers().is_empty() {
        assert!(Instant::now() < deadline, "the worker doesn't go");
        std::thread::sleep(Duration::from_millis(2));
    }
    called.retry(&[range(0, 0, 1)]).unwrap();
    let first = reads(&client, called.id(), 0, 0);
    client.barrier(PATIENCE).unwrap();
    called.cancel(&[range(0, 0, 1)], false);
    assert_cancelled(&client, &first, range(1, 0, 1));
}

//! Calls that clients cancel, and what depends on them: over real sockets, all in this process.

mod workplace;

use raskt_cluster::coordination::{Bytes, Reply, Request, Value};
use raskt_cluster::{Client, ClusterError, Job, TaskRun, TaskState, Until};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{Import, RunId, TaskRange};
use raskt_value::ErrorKind;
use std::time::Instant;
use workplace::*;

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

//! What doesn't fit: results of workers that retire, and data that clients give.

use crate::workplace::*;
use raskt_cluster::{Answer, Client, ClusterError, Job, Order, Question, TaskRun, Until};
use raskt_graph::LayerId;
use raskt_schedule::{TaskRange, WorkerId};
use raskt_value::{Chunk, Value};
use std::time::{Duration, Instant};

const MIB: u64 = 1 << 20;

fn soon() -> Option<Instant> {
    Some(Instant::now() + PATIENCE)
}

fn numbers(at: i64, bytes: u64) -> Value {
    let len = bytes as usize / 8;
    Chunk::from_vec(vec![at; len], &[len]).unwrap().into()
}

/// Gives so many values of so many bytes each, which stand for themselves.
fn give(client: &Client, count: u32, bytes: u64) -> Result<(TaskRun, TaskRange), ClusterError> {
    let (graph, data, _) = sums_of_given(count, QUICK);
    let values = (0..i64::from(count)).map(|at| numbers(at, bytes)).collect();
    let job = Job { graph: form(&graph), wanted: vec![data], given: vec![(data, values)], ..Job::default() };
    client.submit_tasks(job).map(|run| (run, data))
}

fn gathered(client: &Client, (run, data): &(TaskRun, TaskRange)) -> Vec<i64> {
    client.gather(&[(run.id(), vec![*data])], soon()).unwrap().iter().map(number).collect()
}

fn retire(client: &Client, worker: u32) -> Result<Vec<WorkerId>, ClusterError> {
    match client.ask(Question::Order(Order::Retire { workers: vec![WorkerId(worker)], leaves: true }), PATIENCE)? {
        Answer::Done(workers) => Ok(workers),
        other => panic!("{other:?}"),
    }
}

#[test]
fn what_is_given_may_be_more_than_a_worker_has_memory() {
    let mut cluster = Cluster::of(0);
    cluster.join_with("small", 4 * MIB);
    let client = cluster.client();
    let given = give(&client, 100, MIB / 4).unwrap();
    let expected: Vec<_> = (0..100).map(|at| at * (MIB as i64 / 32)).collect();
    assert_eq!(gathered(&client, &given), expected);
    // One that nobody could hold isn't taken, and nothing else is harmed by it.
    let refused = give(&client, 2, 5 * MIB);
    assert!(matches!(&refused, Err(ClusterError::TooLarge(why)) if why.contains("give it in parts")), "{refused:?}");
    assert_eq!(gathered(&client, &given), expected);
    // What it holds beyond its memory goes to others that have no more.
    cluster.join_with("other", 4 * MIB);
    assert!(client.wait_for_workers(2, PATIENCE));
    assert_eq!(retire(&client, 0).unwrap(), [WorkerId(0)]);
    cluster.workers.remove(0).shut_down(Duration::ZERO);
    assert_eq!(gathered(&client, &given), expected);
}

#[test]
fn a_worker_whose_results_nobody_else_could_hold_stays_and_nothing_is_lost() {
    let mut cluster = Cluster::of(0);
    cluster.join_with("large", 64 * MIB);
    let client = cluster.client();
    let (small, large) = (give(&client, 20, MIB / 8).unwrap(), give(&client, 1, 8 * MIB).unwrap());
    for (run, data) in [&small, &large] {
        assert!(client.watch(&[(run.id(), vec![*data])]).wait(Until::All, soon()));
    }
    cluster.join_with("small", 4 * MIB);
    assert!(client.wait_for_workers(2, PATIENCE));
    let refused = retire(&client, 0);
    assert!(matches!(&refused, Err(ClusterError::Refused(why)) if why.contains("as much memory")), "{refused:?}");
    assert_eq!(gathered(&client, &large), [0]);
    assert_eq!(gathered(&client, &small).len(), 20);
    // A larger one takes it.
    cluster.join_with("as large", 64 * MIB);
    assert!(client.wait_for_workers(3, PATIENCE));
    retire(&client, 0).unwrap();
    cluster.workers.remove(0).shut_down(Duration::ZERO);
    assert_eq!(gathered(&client, &large), [0]);
    assert_eq!(gathered(&client, &small).len(), 20);
}

/// More than the requests that one worker may have open with another.
#[test]
fn one_that_retires_may_hold_very_many_small_results_each_of_a_run_of_its_own() {
    let mut cluster = Cluster::of(1);
    let client = cluster.client();
    let graph = form(&sums(1, QUICK, 0));
    let data = TaskRange { layer: LayerId(0), start: 0, end: 1 };
    let submit = |_| client.submit_tasks(Job { graph: graph.clone(), wanted: vec![data], ..Job::default() }).unwrap();
    let runs: Vec<_> = (0..6000).map(submit).collect();
    let all: Vec<_> = runs.iter().map(|run| (run.id(), vec![data])).collect();
    assert!(client.watch(&all).wait(Until::All, soon()));
    cluster.join("other");
    assert!(client.wait_for_workers(2, PATIENCE));
    assert_eq!(retire(&client, 0).unwrap(), [WorkerId(0)]);
    cluster.workers.remove(0).shut_down(Duration::ZERO);
    let watch = client.watch(&all);
    assert!(watch.wait(Until::All, soon()) && watch.failed() == 0);
    assert_eq!(client.gather(&all[..10], soon()).unwrap().len(), 10);
}

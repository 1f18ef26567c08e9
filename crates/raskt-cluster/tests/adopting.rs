//! Results that clients have of each other, and plugins: over real sockets, all in this process.

use crate::workplace::*;
use raskt_cluster::{Client, ClusterError, Job, TaskRun};
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{Import, RunId, TaskRange};
use std::time::{Duration, Instant};

fn source(client: &Client, kernel: Sum) -> TaskRun {
    let wanted = TaskRange { layer: LayerId(0), start: 0, end: 8 };
    client.submit_tasks(Job { graph: form(&sums(8, kernel, 0)), wanted: vec![wanted], ..Job::default() }).unwrap()
}

fn at(index: u64) -> TaskId {
    TaskId::new(LayerId(0), index)
}

fn value(client: &Client, (run, task): &(TaskRun, TaskId)) -> Result<i64, ClusterError> {
    let wanted = [(run.id(), vec![TaskRange::one(*task)])];
    client.gather(&wanted, Some(Instant::now() + PATIENCE)).map(|values| number(&values[0]))
}

/// Waits until the scheduler has no other runs than so many.
fn await_runs(cluster: &Cluster, runs: usize) {
    let deadline = Instant::now() + PATIENCE;
    while cluster.scheduler.runs() != runs {
        assert!(Instant::now() < deadline, "{} runs are left", cluster.scheduler.runs());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn a_result_of_another_client_outlives_that_client() {
    let cluster = Cluster::of(2);
    let (giver, taker) = (cluster.client(), cluster.client());
    let run = source(&giver, Sum { milliseconds: 20, ..QUICK });
    giver.barrier(PATIENCE).unwrap();
    let origin = (run.id(), at(5));
    let adopted = taker.adopt_at_once(origin, None, PATIENCE).unwrap();
    drop(run);
    giver.close(PATIENCE);
    drop(giver);
    assert_eq!(value(&taker, &adopted).unwrap(), 5);
    // It may be read by further runs, also by one of a third client, under the name that it has where it was made.
    assert_eq!(adopted.0.source_of(adopted.1), origin);
    let third = cluster.client();
    let again = third.adopt_at_once(origin, None, PATIENCE).unwrap();
    drop(adopted);
    taker.close(PATIENCE);
    let tasks = TaskRange::one(at(0));
    let import = Import { tasks, run: again.0.id(), from: again.1 };
    let wanted = TaskRange { layer: LayerId(1), start: 0, end: 1 };
    let job = Job { graph: form(&sums(1, QUICK, 1)), wanted: vec![wanted], imports: vec![import], ..Job::default() };
    let reader = (third.submit_tasks(job).unwrap(), TaskId::new(LayerId(1), 0));
    assert_eq!((value(&third, &reader).unwrap(), value(&third, &again).unwrap()), (5, 5));
    drop((again, reader));
    await_runs(&cluster, 0);
}

#[test]
fn a_failure_of_another_client_is_the_same_one_here() {
    let cluster = Cluster::of(1);
    let (giver, taker) = (cluster.client(), cluster.client());
    let run = source(&giver, Sum { fails_at: Some(3), milliseconds: 0 });
    giver.barrier(PATIENCE).unwrap();
    let adopted = taker.adopt_at_once((run.id(), at(3)), None, PATIENCE).unwrap();
    drop(run);
    let error = value(&taker, &adopted).unwrap_err();
    assert!(error.to_string().contains("this one fails"), "{error}");
}

#[test]
fn what_is_not_there_is_not_adopted() {
    let cluster = Cluster::of(1);
    let (giver, taker) = (cluster.client(), cluster.client());
    let run = source(&giver, QUICK);
    giver.barrier(PATIENCE).unwrap();
    let gone = run.id();
    assert!(matches!(taker.adopt_at_once((gone, at(9)), None, PATIENCE), Err(ClusterError::Refused(_))));
    drop(run);
    await_runs(&cluster, 0);
    for run in [gone, RunId(u64::MAX)] {
        assert!(matches!(taker.adopt_at_once((run, at(0)), None, PATIENCE), Err(ClusterError::Refused(_))));
    }
    assert_eq!(value(&taker, &(source(&taker, QUICK), at(7))).unwrap(), 7);
}

#[test]
fn a_result_that_is_lost_is_made_again_for_whoever_adopted_it() {
    let mut cluster = Cluster::of(2);
    let (giver, taker) = (cluster.client(), cluster.client());
    let run = source(&giver, QUICK);
    giver.barrier(PATIENCE).unwrap();
    let all: Vec<_> = (0..8).map(|index| taker.adopt_at_once((run.id(), at(index)), None, PATIENCE).unwrap()).collect();
    for (adopted, expected) in all.iter().zip(0..) {
        assert_eq!(value(&taker, adopted).unwrap(), expected);
    }
    drop(run);
    let gone = cluster.workers.pop().unwrap();
    gone.shut_down(Duration::ZERO);
    drop(gone);
    for (adopted, expected) in all.iter().zip(0..) {
        assert_eq!(value(&taker, adopted).unwrap(), expected);
    }
}

#[test]
fn what_a_client_says_of_plugins_is_answered() {
    let _alone = tell_of_plugins_alone();
    let cluster = Cluster::of(1);
    let client = cluster.client();
    client.plugin("a", Some(vec![1; 10].into()), PATIENCE).unwrap();
    client.plugin("a", None, PATIENCE).unwrap();
    let error = client.plugin("a", None, PATIENCE).unwrap_err();
    assert!(matches!(&error, ClusterError::Refused(why) if why.contains("no plugin `a`")), "{error}");
    client.barrier(PATIENCE).unwrap();
}

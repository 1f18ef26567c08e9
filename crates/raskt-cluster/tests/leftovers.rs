//! Whoever drops a server or a client gets everything back: one test, since it counts what the process has.

mod workplace;

use raskt_cluster::Job;
use raskt_graph::LayerId;
use raskt_schedule::TaskRange;
use std::time::{Duration, Instant};
use workplace::*;

fn count(folder: &str) -> usize {
    std::fs::read_dir(format!("/proc/self/{folder}")).unwrap().count()
}

fn round() {
    let cluster = Cluster::of(5);
    let client = cluster.client();
    let range = TaskRange { layer: LayerId(0), start: 0, end: 100 };
    let job = Job { graph: form(&sums(100, QUICK, 0)), wanted: vec![range], ..Job::default() };
    let run = client.submit_tasks(job).unwrap();
    assert_eq!(client.gather(&[(run.id(), vec![range])], None).unwrap().len(), 100);
    let watched = client.watch(&[(run.id(), vec![range])]);
    drop((cluster, client));
    // Handles that outlive the client keep nothing alive but themselves.
    drop((run, watched));
}

/// What there is once what was let go has ended; threads may take a moment.
fn settled(most: (usize, usize)) -> (usize, usize) {
    let deadline = Instant::now() + Duration::from_secs(20);
    loop {
        let found = (count("task"), count("fd"));
        if (found.0 <= most.0 && found.1 <= most.1) || Instant::now() > deadline {
            return found;
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

#[test]
fn threads_and_files_are_as_many_as_before() {
    // The first round may leave what the process has once.
    let (threads, files) = (count("task"), count("fd") + 8);
    round();
    let before = settled((threads, files));
    (0..10).for_each(|_| round());
    let after = settled(before);
    assert!(after.0 <= before.0 && after.1 <= before.1, "{before:?} threads and files before, {after:?} after");
}

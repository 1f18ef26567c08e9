//! What it takes to have something done by a cluster: one task from its submission to its result, and many at once.
//!
//! ```text
//! cargo run --release -p raskt-cluster --example roundtrip
//! ```
//!
//! Scheduler, worker and client are in this process, and speak over TCP or Unix sockets.

#[path = "../tests/workplace/mod.rs"]
mod workplace;

use raskt_cluster::{Client, Job};
use raskt_graph::LayerId;
use raskt_schedule::TaskRange;
use std::time::{Duration, Instant};
use workplace::*;

const ROUNDS: usize = 3000;
const MANY: u32 = 50_000;
const RUNS: usize = 20_000;

fn main() {
    let folder = std::env::temp_dir().join(format!("raskt-roundtrip-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    for address in ["tcp://127.0.0.1:0".to_owned(), format!("unix://{}", folder.display())] {
        let cluster = match address.strip_prefix("unix://") {
            Some(folder) => Cluster::within(1, folder),
            None => Cluster::of(1),
        };
        let client = cluster.client();
        println!("{address}");
        one_by_one(&client);
        many_in_one_run(&client);
        many_runs(&client);
    }
    let _ = std::fs::remove_dir_all(folder);
}

fn one(client: &Client, count: u32) -> (raskt_cluster::TaskRun, TaskRange) {
    let range = TaskRange { layer: LayerId(0), start: 0, end: u64::from(count) };
    let job = Job { graph: form(&sums(count, QUICK, 0)), wanted: vec![range], ..Job::default() };
    (client.submit_tasks(job).unwrap(), range)
}

fn one_by_one(client: &Client) {
    let mut times: Vec<Duration> = (0..ROUNDS)
        .map(|_| {
            let start = Instant::now();
            let (run, range) = one(client, 1);
            client.gather(&[(run.id(), vec![range])], None).unwrap();
            start.elapsed()
        })
        .collect();
    times.sort_unstable();
    println!("  one task: median {:?}, p99 {:?}", times[ROUNDS / 2], times[ROUNDS * 99 / 100]);
}

fn many_in_one_run(client: &Client) {
    let start = Instant::now();
    let (run, range) = one(client, MANY);
    client.gather(&[(run.id(), vec![range])], None).unwrap();
    rate("tasks of one run", MANY as usize, start.elapsed());
}

fn many_runs(client: &Client) {
    let start = Instant::now();
    let runs: Vec<_> = (0..RUNS).map(|_| one(client, 1)).collect();
    let submitted = start.elapsed();
    let wanted: Vec<_> = runs.iter().map(|(run, range)| (run.id(), vec![*range])).collect();
    client.gather(&wanted, None).unwrap();
    rate("runs of one task", RUNS, start.elapsed());
    println!("    of that to submit {submitted:?}");
}

fn rate(what: &str, count: usize, time: Duration) {
    println!("  {count} {what}: {time:?}, {:.0}/s", count as f64 / time.as_secs_f64());
}

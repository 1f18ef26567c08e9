//! What a journal costs: the same work with and without one, in turns.
//!
//! ```text
//! cargo run --release -p raskt-cluster --example journal
//! ```
//!
//! Scheduler, two workers and the client are in this process; tasks do nothing.

#[path = "../tests/workplace/mod.rs"]
mod workplace;

use raskt_cluster::hello::Role;
use raskt_cluster::journal::{Journal, JournalOptions};
use raskt_cluster::{Client, Job, SchedulerServer, Token, Until};
use raskt_graph::LayerId;
use raskt_schedule::TaskRange;
use std::path::Path;
use std::time::{Duration, Instant};
use workplace::*;

const ROUNDS: usize = 15;
/// Tasks of one run.
const MANY: u32 = 50_000;
/// Runs of one task, as calls of `submit` make.
const RUNS_OF_ONE: usize = 10_000;

fn main() {
    let folder = tempfile::tempdir().unwrap();
    let mut times: [[Vec<Duration>; 3]; 2] = Default::default();
    for round in 0..ROUNDS {
        for has_journal in [round % 2 == 0, round % 2 == 1] {
            let path = folder.path().join(round.to_string());
            let journal = has_journal.then(|| Journal::open(&path, JournalOptions::default()).unwrap());
            let cluster = cluster(journal);
            let client = cluster.client();
            // The first of a process is slower.
            one_run(&client, 1000);
            let times = &mut times[usize::from(has_journal)];
            times[0].push(one_run(&client, MANY));
            times[1].push(many_runs(&client));
            times[2].push(one_by_one(&client));
        }
    }
    for (at, what) in
        ["one run of 50,000 tasks", "10,000 runs of one task", "1,000 runs, one by one"].iter().enumerate()
    {
        let [without, with] = [0, 1].map(|has| median(&mut times[has][at]));
        let part = 100.0 * (with.as_secs_f64() / without.as_secs_f64() - 1.0);
        println!("{what}: {without:.1?} without a journal, {with:.1?} with one ({part:+.1} %)");
    }
    restart(&folder.path().join("restart"));
}

/// Tasks whose results are there when the scheduler begins anew.
const THERE: u32 = 1_000_000;

/// How long it takes until a scheduler that begins anew knows where results are that workers hold.
fn restart(folder: &Path) {
    // Who has it open goes a moment after the scheduler.
    let open = || {
        let tries = std::iter::repeat_with(|| Journal::open(folder, JournalOptions::default()));
        let tries = tries.inspect(|_| std::thread::sleep(Duration::from_millis(1)));
        tries.flatten().next().expect("there is no end of tries")
    };
    let mut cluster = cluster(Some(open()));
    let client = cluster.client();
    let (run, range) = submit(&client, THERE);
    let all = || client.watch(&[(run.id(), vec![range])]);
    assert!(all().wait(Until::All, None));
    let address = cluster.scheduler.address().clone();
    let (network, elsewhere) = (network(&cluster.token, Role::Scheduler), "tcp://127.0.0.1:0".parse().unwrap());
    // It goes without a word, as a process does that is killed; somebody has to stand in its place meanwhile.
    let nobody = SchedulerServer::start(network, &elsewhere).unwrap();
    let gone = std::mem::replace(&mut cluster.scheduler, nobody);
    let start = Instant::now();
    drop(gone);
    let network = workplace::network(&cluster.token, Role::Scheduler);
    cluster.scheduler = SchedulerServer::start_from(network, &address, open()).unwrap();
    let listens = start.elapsed();
    while all().pending() == 0 && start.elapsed() < Duration::from_secs(5) {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(all().wait(Until::All, None));
    println!(
        "begun anew with {THERE} results: it listens after {listens:.1?}, and all are there again after {:.1?}",
        start.elapsed()
    );
}

fn median(times: &mut [Duration]) -> Duration {
    times.sort_unstable();
    times[times.len() / 2]
}

fn cluster(journal: Option<Journal>) -> Cluster {
    let token = Token::random().unwrap();
    let (network, address) = (network(&token, Role::Scheduler), "tcp://127.0.0.1:0".parse().unwrap());
    let scheduler = match journal {
        Some(journal) => SchedulerServer::start_from(network, &address, journal),
        None => SchedulerServer::start(network, &address),
    };
    let mut cluster = Cluster { token, scheduler: scheduler.unwrap(), workers: vec![], folder: None };
    (0..2).for_each(|at| cluster.join(&format!("worker-{at}")));
    cluster
}

fn submit(client: &Client, count: u32) -> (raskt_cluster::TaskRun, TaskRange) {
    let range = TaskRange { layer: LayerId(0), start: 0, end: u64::from(count) };
    let job = Job { graph: form(&sums(count, QUICK, 0)), wanted: vec![range], ..Job::default() };
    (client.submit_tasks(job).unwrap(), range)
}

fn one_run(client: &Client, count: u32) -> Duration {
    let start = Instant::now();
    let (run, range) = submit(client, count);
    client.gather(&[(run.id(), vec![range])], None).unwrap();
    start.elapsed()
}

fn many_runs(client: &Client) -> Duration {
    let start = Instant::now();
    let runs: Vec<_> = (0..RUNS_OF_ONE).map(|_| submit(client, 1)).collect();
    let wanted: Vec<_> = runs.iter().map(|(run, range)| (run.id(), vec![*range])).collect();
    client.gather(&wanted, None).unwrap();
    start.elapsed()
}

fn one_by_one(client: &Client) -> Duration {
    let start = Instant::now();
    (0..1000).for_each(|_| _ = one_run(client, 1));
    start.elapsed()
}

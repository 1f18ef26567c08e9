//! Worlds on all threads there are.

use raskt_simulate::{Failure, Outcome, Scenario, simulate};
use std::sync::atomic::{AtomicU64, Ordering};

/// The outcomes of the worlds of `seeds`, in order.
pub fn run_all(seeds: std::ops::Range<u64>) -> Vec<(u64, Outcome)> {
    let next = AtomicU64::new(seeds.start);
    let run = || {
        let taken = std::iter::from_fn(|| Some(next.fetch_add(1, Ordering::Relaxed)).filter(|&seed| seed < seeds.end));
        taken.map(|seed| (seed, simulate(&Scenario::draw(seed)))).collect::<Vec<_>>()
    };
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    let mut outcomes = std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(run)).collect();
        workers.into_iter().flat_map(|worker| worker.join().expect("a world catches its panics")).collect::<Vec<_>>()
    });
    outcomes.sort_by_key(|(seed, _)| *seed);
    outcomes
}

/// The failure of the first world of `seeds` that fails, or of one of the first.
#[allow(dead_code)]
pub fn find_failure(seeds: std::ops::Range<u64>) -> Option<Failure> {
    let step = 2 * std::thread::available_parallelism().map_or(1, usize::from) as u64;
    let starts = seeds.clone().step_by(step as usize);
    let mut parts = starts.map(|start| run_all(start..(start + step).min(seeds.end)));
    parts.find_map(|outcomes| outcomes.into_iter().find_map(|(_, outcome)| outcome.failure))
}

/// Assertions of the machines are findings, which are reported with their story: they needn't be printed as they fail.
pub fn silence_panics() {
    std::panic::set_hook(Box::new(|_| {}));
}

/// What the program was built from, as far as that can be told: a seed says nothing about another version.
pub fn commit() -> String {
    let git = std::process::Command::new("git").args(["describe", "--always", "--dirty"]).output();
    let told = git.ok().and_then(|output| String::from_utf8(output.stdout).ok()).filter(|text| !text.is_empty());
    told.map_or_else(|| "unknown".into(), |text| text.trim().into())
}

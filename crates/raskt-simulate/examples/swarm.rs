//! Many worlds, one for each seed.
//!
//!     cargo run --release -p raskt-simulate --example swarm -- --seeds 1000
//!     cargo run --release -p raskt-simulate --example swarm -- --from 17 --seeds 1 --shrink
//!     cargo run -p raskt-simulate --example swarm -- --seeds 60 --digests

#[path = "../tests/common/mod.rs"]
mod common;

use common::{commit, run_all, silence_panics};
use raskt_simulate::{Outcome, Sometimes, Tally, shrink};
use std::process::ExitCode;
use std::time::Instant;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().collect();
    let number = |name: &str| {
        let at = arguments.iter().position(|argument| argument == name)?;
        arguments.get(at + 1)?.parse::<u64>().ok()
    };
    let has = |name: &str| arguments.iter().any(|argument| argument == name);
    let (from, seeds) = (number("--from").unwrap_or(0), number("--seeds").unwrap_or(100));
    silence_panics();
    let began = Instant::now();
    let outcomes = run_all(from..from + seeds);
    let seconds = began.elapsed().as_secs_f64();
    if has("--digests") {
        outcomes.iter().for_each(|(seed, outcome)| println!("{seed} {:016x}", outcome.digest));
        return ExitCode::SUCCESS;
    }
    report(&outcomes, seconds, has("--shrink"))
}

fn report(outcomes: &[(u64, Outcome)], seconds: f64, shrinks: bool) -> ExitCode {
    let mut tally = Tally::default();
    outcomes.iter().for_each(|(_, outcome)| tally.merge(&outcome.tally));
    let sum = |of: fn(&Outcome) -> u64| outcomes.iter().map(|(_, outcome)| of(outcome)).sum::<u64>();
    let (events, machine_events) = (sum(|outcome| outcome.events), sum(|outcome| outcome.machine_events));
    let failures: Vec<_> = outcomes.iter().filter_map(|(_, outcome)| outcome.failure.clone()).collect();
    for what in Sometimes::ALL {
        println!("{:>10}  {what:?}", tally.count(what));
    }
    println!(
        "{} seeds, {events} events ({machine_events} of the machines), {seconds:.1} s, {} violations",
        outcomes.len(),
        failures.len()
    );
    for failure in &failures {
        println!("seed {}: {}", failure.scenario.seed, failure.text);
    }
    if let Some(failure) = failures.into_iter().min_by_key(|failure| failure.scenario.jobs.len()) {
        println!("commit {}, {}", commit(), if shrinks { shrink(failure) } else { failure });
        return ExitCode::FAILURE;
    }
    ExitCode::SUCCESS
}

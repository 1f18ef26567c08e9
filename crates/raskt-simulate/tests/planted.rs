//! Mistakes that are made on purpose, one after the other: a thousand worlds find each of them.
#![cfg(feature = "planted")]

mod common;

use common::{commit, find_failure, silence_panics};
use raskt_schedule::{Bug, plant};
use raskt_simulate::{Failure, shrink};

/// Worlds that are tried to find one of them.
const SEEDS: u64 = 1000;

#[test]
fn every_planted_bug_is_found() {
    silence_panics();
    let found: Vec<_> = Bug::ALL.into_iter().map(|bug| (bug, find(bug))).collect();
    plant(None);
    let _ = std::panic::take_hook();
    for (bug, failure) in &found {
        let text = failure.as_ref().map(|failure| format!("seed {}: {}", failure.scenario.seed, failure.text));
        println!("{bug:?}: {}", text.unwrap_or_else(|| "nothing".into()));
    }
    let unseen: Vec<_> = found.iter().filter(|(_, failure)| failure.is_none()).map(|(bug, _)| bug).collect();
    assert!(unseen.is_empty(), "a thousand worlds don't find {unseen:?}");
    let worst = found.iter().filter_map(|(_, failure)| failure.as_ref()).max_by_key(|failure| size(failure));
    assert!(worst.is_some_and(|failure| failure.story.len() > 10), "it tells how it came to that");
}

#[test]
#[ignore = "it takes a minute: for whoever changes the shrinker"]
fn what_is_found_is_cut_down() {
    silence_panics();
    for bug in Bug::ALL {
        let Some(failure) = find(bug) else { continue };
        let cut_down = shrink(failure.clone());
        println!("{bug:?}, commit {}, from {} to {}: {}", commit(), size(&failure), size(&cut_down), cut_down.text);
        assert!(size(&cut_down) <= size(&failure).div_ceil(2), "half of the scenario has nothing to do with {bug:?}");
    }
    plant(None);
}

fn find(bug: Bug) -> Option<Failure> {
    plant(Some(bug));
    find_failure(0..SEEDS)
}

fn size(failure: &Failure) -> usize {
    failure.scenario.hosts.len() + failure.scenario.jobs.len() + failure.scenario.faults.len()
}

use crate::outcome::{Failure, fails, simulate};
use crate::scenario::{Scenario, Weather};

/// Events that happen, all told, in the worlds that are tried to find a smaller one that fails.
const EVENTS: u64 = 20_000_000;

/// Cuts a failing scenario down for as long as it fails: faults, jobs, layers, bad weather. What is left is what
/// the failure needs, or nearly.
pub fn shrink(failure: Failure) -> Failure {
    let mut best = failure.scenario.clone();
    let mut events = 0;
    loop {
        let smaller = candidates(&best).into_iter().find(|candidate| events < EVENTS && fails(candidate, &mut events));
        match smaller {
            Some(smaller) => best = smaller,
            None => break,
        }
    }
    simulate(&best).failure.unwrap_or(failure)
}

/// Scenarios that are a step smaller, large steps first.
fn candidates(scenario: &Scenario) -> Vec<Scenario> {
    let with = |change: &dyn Fn(&mut Scenario)| {
        let mut smaller = scenario.clone();
        change(&mut smaller);
        smaller
    };
    let mut found = vec![
        with(&|scenario| scenario.faults.clear()),
        with(&|scenario| scenario.weather = Weather::fair(scenario.weather.delay_nanoseconds)),
        with(&|scenario| scenario.weather.duplicate_per_million = 0),
        with(&|scenario| scenario.weather.drop_per_million = 0),
        with(&|scenario| scenario.weather.tail_per_million = 0),
    ];
    for length in halves(scenario.faults.len()) {
        for start in (0..scenario.faults.len()).step_by(length) {
            let end = (start + length).min(scenario.faults.len());
            found.push(with(&|scenario| drop(scenario.faults.drain(start..end))));
        }
    }
    for at in 0..scenario.jobs.len() {
        found.push(with(&|scenario| _ = scenario.jobs.remove(at)));
        found.push(with(&|scenario| scenario.jobs[at].cancel_after = None));
        found.push(with(&|scenario| scenario.jobs[at].flaky_per_million = 0));
        found.push(with(&|scenario| scenario.jobs[at].deadly_per_million = 0));
        found.push(with(&|scenario| scenario.jobs[at].doomed = false));
        found.push(with(&|scenario| scenario.jobs[at].keep = false));
        found.push(with(&|scenario| scenario.jobs[at].wrong_sizes = false));
        found.push(with(&|scenario| scenario.jobs[at].layers = scenario.jobs[at].layers.saturating_sub(1).max(1)));
        found.push(with(&|scenario| scenario.jobs[at].width = (scenario.jobs[at].width / 2).max(2)));
    }
    found.retain(|candidate| candidate != scenario);
    found
}

/// `length`, half of it, and so on down to one.
fn halves(length: usize) -> impl Iterator<Item = usize> {
    std::iter::successors(Some(length / 2), |length| Some(length / 2)).take_while(|&length| length > 0)
}

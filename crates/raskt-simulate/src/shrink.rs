use crate::outcome::{Failure, fails, simulate};
use crate::scenario::{JobPlan, Scenario, Weather};

/// Events that happen, all told, in the worlds that are tried to find a smaller one that fails.
const EVENTS: u64 = 8_000_000;

/// Cuts a failing scenario down for as long as it fails: jobs, faults, bad weather, layers. What is left is what the
/// failure needs, or nearly.
pub fn shrink(failure: Failure) -> Failure {
    let mut search = Search { best: failure.scenario.clone(), events: 0 };
    loop {
        let before = search.best.clone();
        search.drop_parts(|scenario| &mut scenario.jobs);
        search.drop_parts(|scenario| &mut scenario.faults);
        search.calm_weather();
        search.simplify_jobs();
        if search.best == before || search.events >= EVENTS {
            break;
        }
    }
    simulate(&search.best).failure.unwrap_or(failure)
}

struct Search {
    best: Scenario,
    events: u64,
}

impl Search {
    /// Changes the best scenario if what comes of it is another one, and still fails.
    fn attempt(&mut self, change: impl FnOnce(&mut Scenario)) -> bool {
        let mut smaller = self.best.clone();
        change(&mut smaller);
        let fails = smaller != self.best && self.events < EVENTS && fails(&smaller, &mut self.events);
        if fails {
            self.best = smaller;
        }
        fails
    }

    /// Leaves out a half, then quarters, and so on down to single ones.
    fn drop_parts<T>(&mut self, parts: impl Fn(&mut Scenario) -> &mut Vec<T>) {
        let mut length = parts(&mut self.best).len();
        while length > 0 {
            let mut at = 0;
            while at < parts(&mut self.best).len() {
                let end = (at + length).min(parts(&mut self.best).len());
                if !self.attempt(|scenario| drop(parts(scenario).drain(at..end))) {
                    at = end;
                }
            }
            length /= 2;
        }
    }

    fn calm_weather(&mut self) {
        self.attempt(|scenario| scenario.weather = Weather::fair(scenario.weather.delay_nanoseconds));
        self.attempt(|scenario| scenario.weather.duplicate_per_million = 0);
        self.attempt(|scenario| scenario.weather.drop_per_million = 0);
        self.attempt(|scenario| scenario.weather.tail_per_million = 0);
    }

    fn simplify_jobs(&mut self) {
        const SIMPLER: [fn(&mut JobPlan); 10] = [
            |job| job.changes = 0,
            |job| job.changes /= 2,
            |job| job.cancel_after = None,
            |job| (job.flaky_per_million, job.doomed) = (0, false),
            |job| job.deadly = 0,
            |job| job.keep = false,
            |job| job.gives = false,
            |job| job.wrong_sizes = false,
            |job| job.layers = (job.layers / 2).max(1),
            |job| job.width = (job.width / 2).max(2),
        ];
        for at in 0..self.best.jobs.len() {
            for simplify in SIMPLER {
                while self.attempt(|scenario| simplify(&mut scenario.jobs[at])) {}
            }
        }
    }
}

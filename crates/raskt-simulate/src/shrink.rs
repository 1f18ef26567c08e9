use crate::outcome::{Failure, fails, simulate};
use crate::scenario::{JobPlan, LayerPlan, Requires, Scenario, ShapePlan, Weather};

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
        const SIMPLER: [fn(&mut JobPlan); 6] = [
            |job| job.changes = 0,
            |job| job.changes /= 2,
            |job| job.cancel_after = None,
            |job| job.keep = false,
            |job| job.gives = false,
            |job| job.wrong_sizes = false,
        ];
        for at in 0..self.best.jobs.len() {
            self.drop_parts(|scenario| &mut scenario.jobs[at].wanted);
            self.drop_parts(|scenario| &mut scenario.jobs[at].failures);
            self.drop_parts(|scenario| &mut scenario.jobs[at].deaths);
            for simplify in SIMPLER {
                while self.attempt(|scenario| simplify(&mut scenario.jobs[at])) {}
            }
            while self.attempt(|scenario| drop_last_layer(&mut scenario.jobs[at])) {}
            for layer in 0..self.best.jobs[at].layers.len() {
                self.simplify_layer(at, layer);
            }
        }
    }

    fn simplify_layer(&mut self, job: usize, layer: usize) {
        const SIMPLER: [fn(&mut LayerPlan); 4] = [
            |layer| layer.requires = Requires::Nothing,
            |layer| layer.priority = 0,
            |layer| layer.scratch_bytes = 0,
            |layer| layer.nanoseconds = 0,
        ];
        for simplify in SIMPLER {
            self.attempt(|scenario| simplify(&mut scenario.jobs[job].layers[layer]));
        }
        let tasks = self.best.jobs[job].lengths()[layer];
        self.attempt(|scenario| scenario.jobs[job].layers[layer].shape = ShapePlan::Source { tasks });
        if let ShapePlan::Explicit { .. } = self.best.jobs[job].layers[layer].shape {
            self.drop_parts(|scenario| match &mut scenario.jobs[job].layers[layer].shape {
                ShapePlan::Explicit { reads, .. } => reads,
                _ => unreachable!("dropping reads doesn't change what a layer is"),
            });
        }
    }
}

fn drop_last_layer(job: &mut JobPlan) {
    if job.layers.len() > 1 {
        job.layers.pop();
        let end = job.layers.len() as u32;
        job.wanted.retain(|&(layer, _)| layer < end);
        job.failures.retain(|&(layer, ..)| layer < end);
        job.deaths.retain(|&(layer, ..)| layer < end);
    }
}

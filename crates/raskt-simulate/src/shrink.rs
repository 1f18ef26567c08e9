//! From a scenario that fails to a smaller one that fails in the same way.

use crate::outcome::{Failure, simulate, try_out};
use crate::scenario::{FaultKind, JobPlan, LayerPlan, Requires, Scenario, ShapePlan, Weather};

/// Work that is put into the worlds that are tried to find a smaller one that fails: about a minute.
const WORK: u64 = 24_000_000;

/// A world that is tried may take so many times as long as the smallest that fails so far.
const PATIENCE: u64 = 2;

/// Cuts a failing scenario down for as long as it fails in the same way: machines, jobs, faults, bad weather, layers. What is
/// left is what the failure needs, or nearly.
pub fn shrink(failure: Failure) -> Failure {
    let (_, work) = try_out(&failure.scenario, u64::MAX);
    let kind = kind_of(&failure.text);
    let mut search = Search { best: failure.scenario.clone(), best_work: work, kind, work };
    loop {
        let before = search.best.clone();
        search.drop_parts(|scenario| &mut scenario.jobs);
        search.drop_hosts();
        search.drop_parts(|scenario| &mut scenario.faults);
        search.calm_weather();
        search.simplify_hosts();
        search.simplify_jobs();
        if search.best == before || search.work >= WORK {
            break;
        }
    }
    simulate(&search.best).failure.unwrap_or(failure)
}

/// Failures of one kind tell the same, but for numbers.
fn kind_of(text: &str) -> String {
    text.chars().filter(|letter| !letter.is_ascii_digit()).take(KIND_LETTERS).collect()
}

/// Letters of what a failure tells by which it is known again.
const KIND_LETTERS: usize = 60;

struct Search {
    best: Scenario,
    /// What it takes to let it happen.
    best_work: u64,
    kind: String,
    /// Put into it so far.
    work: u64,
}

impl Search {
    /// Changes the best scenario if what comes of it is another one, and still fails.
    fn attempt(&mut self, change: impl FnOnce(&mut Scenario)) -> bool {
        let mut smaller = self.best.clone();
        change(&mut smaller);
        let fits = |(at, job): (usize, &JobPlan)| job.is_sound() && job.imports_are_sound(&smaller.jobs, at);
        if smaller == self.best || self.work >= WORK || !smaller.jobs.iter().enumerate().all(fits) {
            return false;
        }
        let (found, work) = try_out(&smaller, PATIENCE * self.best_work + LEAST_WORK);
        // Whoever draws and builds a world works as well.
        self.work += work + LEAST_WORK;
        let fails = found.is_some_and(|text| kind_of(&text) == self.kind);
        if fails {
            (self.best, self.best_work) = (smaller, work);
        }
        fails
    }

    /// Leaves out the last half of the machines, then fewer, with the faults that name them.
    fn drop_hosts(&mut self) {
        let mut less = self.best.hosts.len() / 2;
        while less > 0 {
            while self.best.hosts.len() > less && self.attempt(|scenario| keep_hosts(scenario, less)) {}
            less /= 2;
        }
    }

    fn simplify_hosts(&mut self) {
        self.attempt(|scenario| scenario.hosts.iter_mut().for_each(|host| host.slots = 1));
        self.attempt(|scenario| scenario.hosts.iter_mut().for_each(|host| host.slowness_percent = 100));
        self.attempt(|scenario| scenario.hosts.iter_mut().for_each(|host| host.joins_at = 0));
        self.attempt(|scenario| scenario.prefill_nanoseconds = 0);
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
            |job| job.imports.clear(),
            |job| job.alone = None,
            |job| job.nested.clear(),
            |job| job.changes = 0,
            |job| job.changes /= 2,
            |job| job.rounds /= 2,
            |job| job.cancel_after = None,
            |job| job.keep = false,
            |job| job.gives = false,
            |job| job.wrong_sizes = false,
        ];
        for at in 0..self.best.jobs.len() {
            self.drop_parts(|scenario| &mut scenario.jobs[at].wanted);
            self.drop_parts(|scenario| &mut scenario.jobs[at].failures);
            self.drop_parts(|scenario| &mut scenario.jobs[at].deaths);
            self.drop_parts(|scenario| &mut scenario.jobs[at].nested);
            for nested in 0..self.best.jobs[at].nested.len() {
                self.drop_parts(|scenario| &mut scenario.jobs[at].nested[nested].callers);
            }
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
        while self.attempt(|scenario| halve(&mut scenario.jobs[job], layer)) {}
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

/// Half as many sources; what no longer fits isn't tried.
fn halve(job: &mut JobPlan, layer: usize) {
    if let ShapePlan::Source { tasks } = &mut job.layers[layer].shape {
        *tasks = (*tasks / 2).max(1);
        job.drop_absent_tasks();
    }
}

/// Work that the smallest world is.
const LEAST_WORK: u64 = 2_000;

/// The last `less` machines are no more, nor are faults of machines that have another number then.
fn keep_hosts(scenario: &mut Scenario, less: usize) {
    let left = scenario.hosts.len() - less;
    scenario.hosts.truncate(left);
    scenario.faults.retain(|fault| match fault.kind {
        FaultKind::Crash { host }
        | FaultKind::Leave { host }
        | FaultKind::Freeze { host }
        | FaultKind::Slow { host, .. }
        | FaultKind::SlowDisk { host, .. }
        | FaultKind::FullDisk { host }
        | FaultKind::LoseSpilled { host }
        | FaultKind::Retire { host }
        | FaultKind::Killer { host }
        | FaultKind::Resize { host, .. } => host < left,
        FaultKind::CutOneWay { from, to } => from <= left && to <= left,
        FaultKind::Isolate { node } => node <= left,
        FaultKind::Clog { .. } | FaultKind::LoseClient { .. } | FaultKind::RestartScheduler => true,
    });
    for layer in scenario.jobs.iter_mut().flat_map(|job| &mut job.layers) {
        if matches!(layer.requires, Requires::Host { host, .. } if host >= left) {
            layer.requires = Requires::Nothing;
        }
    }
}

//! Random jobs.

use super::graphs::{self, Form};
use super::{MICROSECOND, MILLISECOND};
use crate::job::Job;
use crate::random::Random;
use crate::scenario::{HostPlan, JobPlan, Requires};
use raskt_graph::TaskId;
use std::collections::BTreeMap;

/// How often what goes wrong in a job by itself does.
struct Troubles {
    /// Tasks that fail at first, in a million.
    flaky_per_million: u32,
    /// Whether one of the flaky tasks fails more often than it may.
    doomed: bool,
    /// Tasks that kill their worker, a few times or always.
    deadly: u32,
}

pub(super) fn draw(random: &mut Random, clients: u32, calm_at: u64, hosts: &[HostPlan]) -> Vec<JobPlan> {
    let count = random.scaled(1, 130);
    let flaky_per_million = if random.chance(400_000) { random.scaled(1_000, 100_000) as u32 } else { 0 };
    let is_deadly = random.chance(250_000);
    let width = random.scaled(4, 4_000);
    // Work for about the time that faults last, so that they meet it.
    let slots: u64 = hosts.iter().map(|host| u64::from(host.slots)).sum();
    let mut one = |_| {
        let (layers, width) = (random.between(1, 8) as u32, random.scaled(2, width));
        let share = calm_at * slots / (count * u64::from(layers) * width);
        let gives = random.chance(80_000);
        let (seed, client) = (random.bits(), random.below(u64::from(clients)) as u32);
        let at = random.below(calm_at * 3 / 4);
        let task_nanoseconds = (share * random.between(10, 300) / 100).clamp(20 * MICROSECOND, 40 * MILLISECOND);
        let retries = random.below(4) as u32;
        let doomed = flaky_per_million > 0 && random.chance(150_000);
        let deadly = if is_deadly && random.chance(200_000) { random.between(1, 2) as u32 } else { 0 };
        let requires = draw_requirement(random, hosts);
        let plan = JobPlan {
            seed,
            client,
            at,
            layers: vec![],
            wanted: vec![],
            gives,
            task_nanoseconds,
            wrong_sizes: random.chance(250_000),
            retries,
            failures: vec![],
            deaths: vec![],
            changes: if !gives && random.chance(300_000) { random.scaled(1, 60) as u32 } else { 0 },
            cancel_after: random.chance(150_000).then(|| random.below(calm_at / 2)),
            resubmit: random.chance(500_000),
            keep: random.chance(300_000),
        };
        let form = Form { seed, layers, width, task_nanoseconds, requires };
        fill(plan, &form, &Troubles { flaky_per_million, doomed, deadly })
    };
    (0..count).map(&mut one).collect()
}

fn draw_requirement(random: &mut Random, hosts: &[HostPlan]) -> Requires {
    match random.below(16) {
        0 | 1 => Requires::Gpu(random.between(1, 3) * 500),
        2 => {
            let host = random.below(hosts.len() as u64) as usize;
            Requires::Host { host, allows_others: random.chance(500_000) }
        }
        _ => Requires::Nothing,
    }
}

/// Draws what a job is about, from its own seed.
fn fill(plan: JobPlan, form: &Form, troubles: &Troubles) -> JobPlan {
    let mut random = Random::new(plan.seed);
    let plan = JobPlan { layers: graphs::draw(&mut random, form), ..plan };
    let wanted = draw_wanted(&mut random, &plan.lengths());
    let plan = JobPlan { wanted, ..plan };
    let job = Job::new(&plan);
    let tasks: Vec<_> = job.all_needed().filter(|task| !job.given.contains(task)).collect();
    let mut failures = draw_failures(&mut random, plan.retries, troubles.flaky_per_million, &tasks);
    let mut deaths = BTreeMap::new();
    for _ in 0..troubles.deadly.min(tasks.len() as u32) {
        let times = if random.chance(300_000) { u32::MAX } else { random.between(1, 6) as u32 };
        deaths.insert(*random.pick(&tasks), times);
    }
    if troubles.doomed && !tasks.is_empty() {
        failures.insert(*random.pick(&tasks), u32::MAX);
    }
    let listed = |times: BTreeMap<TaskId, u32>| {
        times.into_iter().map(|(task, times)| (task.layer.0, task.index, times)).collect::<Vec<_>>()
    };
    JobPlan { failures: listed(failures), deaths: listed(deaths), ..plan }
}

fn draw_failures(random: &mut Random, retries: u32, per_million: u32, tasks: &[TaskId]) -> BTreeMap<TaskId, u32> {
    let mut failures = BTreeMap::new();
    for &task in tasks {
        if random.chance(per_million) && retries > 0 {
            failures.insert(task, random.between(1, u64::from(retries)) as u32);
        }
    }
    failures
}

/// Whole last layers are what collections want; single tasks anywhere are what futures want.
fn draw_wanted(random: &mut Random, lengths: &[u64]) -> Vec<(u32, u64)> {
    let last = lengths.len() - 1;
    if random.chance(500_000) {
        return (0..lengths[last]).map(|index| (last as u32, index)).collect();
    }
    let all: Vec<_> =
        (0..).zip(lengths).flat_map(|(layer, &length)| (0..length).map(move |index| (layer, index))).collect();
    let mut wanted: Vec<_> = (0..random.scaled(1, 8)).map(|_| *random.pick(&all)).collect();
    wanted.sort_unstable();
    wanted.dedup();
    wanted
}

//! Random jobs.

use super::graphs::{self, Form};
use super::{MICROSECOND, MILLISECOND, nested};
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

/// What the jobs of a world are like.
pub(super) struct Kind {
    pub count: u64,
    /// Tasks of a layer, and layers of a job, at most.
    pub width: u64,
    /// Of the widest layer, at least.
    pub narrowest: u64,
    pub layers: u64,
    /// Jobs with tasks that submit jobs, in a million.
    pub nesting_per_million: u32,
    /// Jobs that require something of workers, in a million.
    pub demanding_per_million: u32,
}

pub(super) fn draw(random: &mut Random, kind: &Kind, clients: u32, calm_at: u64, hosts: &[HostPlan]) -> Vec<JobPlan> {
    let &Kind { count, width, .. } = kind;
    let flaky_per_million = if random.chance(400_000) { random.scaled(1_000, 100_000) as u32 } else { 0 };
    let is_deadly = random.chance(250_000);
    // Work for about the time that faults last, so that they meet it.
    let slots: u64 = hosts.iter().map(|host| u64::from(host.slots)).sum();
    let mut one = |_| {
        let (layers, width) = (random.between(1, kind.layers) as u32, random.scaled(kind.narrowest, width));
        let share = calm_at * slots / (count * u64::from(layers) * width);
        let gives = random.chance(80_000);
        let (seed, client) = (random.bits(), random.below(u64::from(clients)) as u32);
        let at = random.below(calm_at * 3 / 4);
        let task_nanoseconds = (share * random.between(10, 300) / 100).clamp(20 * MICROSECOND, 40 * MILLISECOND);
        let retries = random.below(4) as u32;
        let doomed = flaky_per_million > 0 && random.chance(150_000);
        let deadly = if is_deadly && random.chance(200_000) { random.between(1, 2) as u32 } else { 0 };
        let requires = match random.chance(kind.demanding_per_million) {
            true => draw_requirement(random, hosts),
            false => Requires::Nothing,
        };
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
            rounds: 0,
            nested: vec![],
            alone: None,
            imports: vec![],
        };
        let form = Form { seed, layers, width, task_nanoseconds, requires };
        let mut plan = fill(plan, &form, &Troubles { flaky_per_million, doomed, deadly });
        if !gives && random.chance(kind.nesting_per_million) {
            let has_gpu = hosts.iter().any(|host| host.gpu > 0);
            plan.nested = nested::draw(random, &plan, has_gpu);
        }
        plan
    };
    (0..count).map(&mut one).collect()
}

fn draw_requirement(random: &mut Random, hosts: &[HostPlan]) -> Requires {
    match random.below(3) {
        0 | 1 => Requires::Gpu(random.between(1, 3) * 500),
        _ => {
            let host = random.below(hosts.len() as u64) as usize;
            Requires::Host { host, allows_others: random.chance(500_000) }
        }
    }
}

/// Draws what a job is about, from its own seed.
fn fill(plan: JobPlan, form: &Form, troubles: &Troubles) -> JobPlan {
    let mut random = Random::new(plan.seed);
    let is_stack = random.chance(50_000);
    let layers = if is_stack { graphs::draw_stack(&mut random, form) } else { graphs::draw(&mut random, form) };
    let plan = JobPlan { layers, ..plan };
    let wanted = draw_wanted(&mut random, &plan.lengths());
    let plan = JobPlan { wanted, ..plan };
    let job = Job::new(&plan, &[]);
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

pub(super) fn draw_failures(
    random: &mut Random,
    retries: u32,
    per_million: u32,
    tasks: &[TaskId],
) -> BTreeMap<TaskId, u32> {
    let mut failures = BTreeMap::new();
    for &task in tasks {
        if random.chance(per_million) && retries > 0 {
            failures.insert(task, random.between(1, u64::from(retries)) as u32);
        }
    }
    failures
}

/// Whole last layers are what collections want; single tasks anywhere are what futures want.
pub(super) fn draw_wanted(random: &mut Random, lengths: &[u64]) -> Vec<(u32, u64)> {
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

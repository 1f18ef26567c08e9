//! Jobs whose tasks stand alone, and jobs that read results of others. They are made of what was drawn without them, with chance of
//! their own, so that all other worlds stay what they are.

use super::special::draw_rival;
use super::{MICROSECOND, MILLISECOND, draw_frame, draw_host, finish};
use crate::random::Random;
use crate::scenario::{AlonePlan, ImportPlan, JobPlan, LayerPlan, Scenario, ShapePlan};

/// The most tasks of such a job: what is checked of them is checked after each event.
const TASKS: u64 = 160;

/// Jobs before one that are looked at to import from.
const NEAR: usize = 24;

/// In a part of the jobs of a world tasks stand alone, and some read results of others.
pub(super) fn mix(seed: u64, scenario: &mut Scenario) {
    let mut random = Random::new(seed ^ 0x6675_7475_7265_7321);
    let (alone, importing) = (random.between(200_000, 900_000) as u32, random.between(200_000, 900_000) as u32);
    for at in 0..scenario.jobs.len() {
        if !is_small(&scenario.jobs[at]) {
            continue;
        }
        if random.chance(alone) {
            stand_alone(&mut random, &mut scenario.jobs[at]);
        }
        if random.chance(importing) && !scenario.jobs[at].gives {
            import(&mut random, &mut scenario.jobs, at);
        }
    }
}

fn is_small(job: &JobPlan) -> bool {
    job.lengths().iter().sum::<u64>() <= TASKS
}

fn stand_alone(random: &mut Random, job: &mut JobPlan) {
    let retries = if random.chance(500_000) { 0 } else { random.between(1, 3) as u32 };
    let releases_per_million = if random.chance(500_000) { 0 } else { random.scaled(50_000, 1_000_000) as u32 };
    job.alone = Some(AlonePlan { retries, releases_per_million });
    for _ in 0..random.below(4) {
        let lengths = job.lengths();
        let layer = random.below(lengths.len() as u64) as u32;
        if lengths[layer as usize] == 0 || (layer == 0 && job.gives) {
            continue;
        }
        let index = random.below(lengths[layer as usize]);
        // Always, or until it is run again a few times.
        let times = if random.chance(300_000) { u32::MAX } else { job.retries + random.between(1, 3) as u32 };
        job.failures.retain(|&(of, at, _)| (of, at) != (layer, index));
        job.failures.push((layer, index, times));
    }
    job.failures.sort_unstable();
}

/// A layer of sources of the job `at` stands for tasks of one or several jobs before it.
fn import(random: &mut Random, jobs: &mut [JobPlan], at: usize) {
    let lengths = jobs[at].lengths();
    let is_source = |&layer: &u32| matches!(jobs[at].layers[layer as usize].shape, ShapePlan::Source { .. });
    let sources: Vec<u32> = (0..lengths.len() as u32).filter(is_source).collect();
    let earlier: Vec<usize> = (at.saturating_sub(NEAR)..at).filter(|&job| is_small(&jobs[job])).collect();
    if sources.is_empty() || earlier.is_empty() {
        return;
    }
    let layer = *random.pick(&sources);
    let (mut start, mut imports, mut latest) = (0, vec![], jobs[at].at);
    while start < lengths[layer as usize] {
        let job = *random.pick(&earlier);
        let of: Vec<(u32, u64)> = (0..).zip(jobs[job].lengths()).filter(|(_, length)| *length > 0).collect();
        if of.is_empty() {
            return;
        }
        // Mostly the last layer, which is what is wanted.
        let &(from, length) = if random.chance(600_000) { &of[of.len() - 1] } else { random.pick(&of) };
        let first = random.below(length);
        let count = random.between(1, length - first).min(lengths[layer as usize] - start);
        imports.push(ImportPlan { layer, start, count, job, from: (from, first) });
        start += count;
        latest = latest.max(jobs[job].at);
    }
    for import in &imports {
        // Kept to the end, or for a while.
        let source = &mut jobs[import.job];
        source.keep |= random.chance(700_000);
        if source.keep && source.cancel_after.is_none() && random.chance(400_000) {
            source.cancel_after = Some(random.scaled(MILLISECOND, 400 * MILLISECOND));
            source.resubmit = false;
        }
    }
    let job = &mut jobs[at];
    job.at = latest + random.scaled(MICROSECOND, 60 * MILLISECOND);
    job.imports = imports;
    job.failures.retain(|&(of, ..)| of != layer);
    job.deaths.retain(|&(of, ..)| of != layer);
    job.nested.iter_mut().for_each(|nested| nested.callers.retain(|&(of, _)| of != layer));
    job.nested.retain(|nested| !nested.callers.is_empty());
}

/// Chains and fans: very many small runs, each of which reads what the one before has made, or all the same.
pub(super) fn draw(random: &mut Random, seed: u64) -> Scenario {
    let calm_at = random.scaled(500, 4_000) * MILLISECOND;
    let hosts: Vec<_> = (0..random.between(1, 6)).map(|_| draw_host(random, calm_at)).collect();
    let clients = random.between(1, 6) as u32;
    let mut scenario = Scenario { hosts, clients, calm_at, ..draw_frame(random, seed) };
    let task_nanoseconds = random.scaled(100 * MICROSECOND, 10 * MILLISECOND);
    let is_chain = random.chance(500_000);
    let (roots, spread) = (random.between(1, 3), random.scaled(10, 800) * MILLISECOND);
    for at in 0..random.between(20, 120) {
        let tasks = if at < roots { random.between(1, 8) } else { random.between(1, 3) };
        let mut job = draw_rival(random, at * spread / 100, tasks, task_nanoseconds);
        job.client = random.below(u64::from(clients)) as u32;
        job.retries = random.below(2) as u32;
        if at >= roots {
            let rows = LayerPlan { shape: ShapePlan::Map { inputs: vec![0] }, ..job.layers[0].clone() };
            job.layers.push(rows);
            job.wanted = (0..tasks).map(|index| (1, index)).collect();
        }
        job.keep = random.chance(600_000);
        job.cancel_after = random.chance(300_000).then(|| random.scaled(MILLISECOND, calm_at / 2));
        scenario.jobs.push(job);
        let at = at as usize;
        if random.chance(800_000) {
            stand_alone(random, &mut scenario.jobs[at]);
        }
        if at as u64 >= roots {
            let job = if is_chain { at - 1 } else { random.below(roots) as usize };
            link(random, &mut scenario.jobs, at, job);
        }
    }
    finish(random, scenario)
}

/// All of the first layer of the job `at` stands for tasks of the last of `job`, again and again.
fn link(random: &mut Random, jobs: &mut [JobPlan], at: usize, job: usize) {
    let (tasks, of) = (jobs[at].lengths()[0], jobs[job].lengths());
    let from = of.len() - 1;
    let one = |index| {
        let first = random.below(of[from]);
        ImportPlan { layer: 0, start: index, count: 1, job, from: (from as u32, first) }
    };
    let imports = (0..tasks).map(one).collect();
    jobs[at].imports = imports;
    jobs[at].at = jobs[at].at.max(jobs[job].at + 1);
    jobs[at].failures.retain(|&(layer, ..)| layer != 0);
}

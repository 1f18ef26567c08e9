//! Worlds that are unlike the usual ones: rare, since they take long, or are about one thing.

use super::jobs::Kind;
use super::{MICROSECOND, MILLISECOND, draw_frame, draw_host, finish, jobs, tight_memory};
use crate::random::Random;
use crate::scenario::{
    Fault, FaultKind, HostPlan, JobPlan, LayerPlan, ReadPlan, Requires, Scenario, ShapePlan, Weather, blocks,
};

/// Hundreds of machines with many slots each, and tiny tasks by the ten thousand. Machines are reclaimed in waves.
pub(super) fn draw_giant(random: &mut Random, seed: u64) -> Scenario {
    let calm_at = random.scaled(200, 2_000) * MILLISECOND;
    let (count, slots) = (random.between(50, 200), random.scaled(16, 64) as u32);
    let is_tight = random.chance(300_000);
    let host = |random: &mut Random| {
        let (memory, disk) = tight_memory(random);
        HostPlan {
            slots,
            memory: if is_tight { u64::from(slots) * memory } else { 1 << 30 },
            disk: if is_tight { u64::from(slots) * disk } else { 1 << 30 },
            slowness_percent: 100,
            joins_at: if random.chance(100_000) { random.below(calm_at) } else { 0 },
            gpu: if random.chance(900_000) { 0 } else { 4_000 },
        }
    };
    let hosts: Vec<_> = (0..count).map(|_| host(random)).collect();
    let clients = random.between(1, 8) as u32;
    let kind = Kind {
        count: random.scaled(1, 6),
        width: 40_000,
        narrowest: 4_000,
        layers: 4,
        nesting_per_million: 200_000,
        demanding_per_million: 100_000,
    };
    let mut jobs = jobs::draw(random, &kind, clients, calm_at, &hosts);
    for job in &mut jobs {
        job.at %= calm_at / 4;
        job.changes = job.changes.min(4);
        job.task_nanoseconds = random.scaled(10, 500) * MICROSECOND;
    }
    jobs.push(draw_wide(random));
    let mut scenario = Scenario { hosts, clients, jobs, calm_at, ..draw_frame(random, seed) };
    scenario.credit_nanoseconds = random.scaled(100 * MICROSECOND, 10 * MILLISECOND);
    scenario.faults = draw_waves(random, &scenario);
    scenario
}

/// Up to a hundred thousand tiny tasks that are all wanted, or read by others that are.
fn draw_wide(random: &mut Random) -> JobPlan {
    let rows = random.scaled(100, 256) as u32;
    let grid = vec![rows, random.between(100, 250) as u32];
    let (tasks, task_nanoseconds) = (blocks(&grid), random.scaled(10, 200) * MICROSECOND);
    let plan = draw_rival(random, MILLISECOND, tasks, task_nanoseconds);
    let layer = |shape: ShapePlan| LayerPlan { shape, ..plan.layers[0].clone() };
    let fan_in = random.between(2, 8) as u32;
    let more = match random.below(4) {
        0 => vec![],
        1 => vec![layer(ShapePlan::Reduce { input: 0, fan_in }), layer(ShapePlan::Reduce { input: 1, fan_in })],
        // Means of rows, and what is left without them: each is read by many.
        2 => {
            let whole = |input: u32| ReadPlan { input, grid: grid.clone(), axes: vec![Some(0), Some(1)] };
            let means = ReadPlan { input: 1, grid: vec![rows, 1], axes: vec![Some(0), None] };
            vec![
                layer(ShapePlan::GridReduce { input: 0, grid: grid.clone(), fan_in: vec![1, grid[1]] }),
                layer(ShapePlan::GridMap { grid: grid.clone(), inputs: vec![whole(0), means] }),
            ]
        }
        _ => {
            let ranges = (0..tasks as u32 / 2).map(|at| (at.saturating_sub(1), (at + 2).min(tasks as u32))).collect();
            vec![layer(ShapePlan::GridOverlap { input: 0, grid: vec![tasks as u32], ranges: vec![ranges] })]
        }
    };
    let mut plan = JobPlan { layers: plan.layers.iter().cloned().chain(more).collect(), ..plan };
    let last = plan.layers.len() as u32 - 1;
    plan.wanted = (0..plan.lengths()[last as usize]).map(|index| (last, index)).collect();
    plan
}

/// Machines that are reclaimed together, the most in a wave.
const RECLAIMED: u64 = 4;

/// Some machines vanish within a few milliseconds, with notice or without, and others come in their place.
fn draw_waves(random: &mut Random, scenario: &Scenario) -> Vec<Fault> {
    let mut faults = vec![];
    for _ in 0..random.between(1, 4) {
        let (begin, has_notice) = (random.below(scenario.calm_at), random.chance(300_000));
        for _ in 0..random.between(1, RECLAIMED) {
            let host = random.below(scenario.hosts.len() as u64) as usize;
            let kind = if has_notice { FaultKind::Retire { host } } else { FaultKind::Crash { host } };
            let at = begin + random.below(5 * MILLISECOND);
            faults.push(Fault { at, lasts: random.scaled(50, 1_000) * MILLISECOND, kind });
        }
    }
    faults
}

/// Hundreds of small runs of several clients; many of them require something that few workers have, or submit others.
pub(super) fn draw_crowd(random: &mut Random, seed: u64) -> Scenario {
    let calm_at = random.scaled(500, 5_000) * MILLISECOND;
    let mut hosts: Vec<_> = (0..random.between(2, 20)).map(|_| draw_host(random, calm_at)).collect();
    if random.chance(200_000) {
        hosts.iter_mut().for_each(|host| (host.memory, host.disk) = tight_memory(random));
    }
    let clients = random.between(2, 12) as u32;
    let kind = Kind {
        count: random.scaled(100, 400),
        width: random.scaled(2, 40),
        narrowest: 2,
        layers: 3,
        nesting_per_million: if random.chance(500_000) { 200_000 } else { 0 },
        demanding_per_million: if random.chance(500_000) { 700_000 } else { 50_000 },
    };
    let jobs = jobs::draw(random, &kind, clients, calm_at, &hosts);
    let scenario = Scenario { hosts, clients, jobs, calm_at, ..draw_frame(random, seed) };
    finish(random, scenario)
}

/// Nothing goes wrong, and few slots are shared: a run or two take long, and many short ones come meanwhile.
pub(super) fn draw_rivals(random: &mut Random, seed: u64) -> Scenario {
    let host = HostPlan {
        slots: random.between(1, 4) as u32,
        memory: 1 << 30,
        disk: 1 << 30,
        slowness_percent: 100,
        joins_at: 0,
        gpu: 0,
    };
    let hosts = vec![host; random.between(1, 3) as usize];
    let clients = random.between(2, 6) as u32;
    let task_nanoseconds = random.scaled(1, 10) * MILLISECOND;
    let slots = u64::from(host.slots) * hosts.len() as u64;
    // It takes as long as some three thousand tasks do one after the other.
    let length = 3_000 * task_nanoseconds;
    let mut jobs = vec![];
    for at in 0..random.between(1, 2) {
        jobs.push(draw_rival(random, at * length / 4, 1_500 * slots, task_nanoseconds));
    }
    for _ in 0..random.between(10, 60) {
        let (at, tasks) = (random.below(length), random.between(1, 3));
        let nanoseconds = task_nanoseconds / random.between(1, 4);
        jobs.push(draw_rival(random, at, tasks, nanoseconds));
    }
    jobs.iter_mut().for_each(|job| job.client = random.below(u64::from(clients)) as u32);
    let mut scenario = Scenario { hosts, clients, jobs, calm_at: MILLISECOND, ..draw_frame(random, seed) };
    scenario.weather = Weather::fair(random.scaled(20, 500) * MICROSECOND);
    scenario.credit_nanoseconds = random.scaled(100 * MICROSECOND, 2 * MILLISECOND);
    scenario.prefill_nanoseconds = if random.chance(700_000) { 0 } else { random.scaled(MICROSECOND, MILLISECOND) };
    scenario
}

/// Tasks that have nothing to do with one another.
pub(super) fn draw_rival(random: &mut Random, at: u64, tasks: u64, task_nanoseconds: u64) -> JobPlan {
    let layer = LayerPlan {
        shape: ShapePlan::Source { tasks },
        nanoseconds: if random.chance(300_000) { task_nanoseconds } else { 0 },
        output_bytes: 64,
        scratch_bytes: 0,
        priority: 0,
        requires: Requires::Nothing,
    };
    JobPlan {
        seed: random.bits(),
        client: 0,
        at,
        layers: vec![layer],
        wanted: (0..tasks).map(|index| (0, index)).collect(),
        gives: false,
        task_nanoseconds,
        wrong_sizes: false,
        retries: 0,
        failures: vec![],
        deaths: vec![],
        changes: 0,
        cancel_after: None,
        resubmit: false,
        keep: false,
        rounds: 0,
        nested: vec![],
        alone: None,
        imports: vec![],
    }
}

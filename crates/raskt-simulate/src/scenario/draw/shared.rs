//! Worlds where few slots are shared for long by clients that never stop asking.

use super::special::draw_rival;
use super::{MICROSECOND, MILLISECOND, draw_frame};
use crate::random::Random;
use crate::scenario::{HostPlan, JobPlan, LayerPlan, Requires, Scenario, ShapePlan, Weather};

/// Tasks that the long runs of such a world do one after the other.
const LENGTH: u64 = 900;

/// A result of the runs that mind memory.
const BLOCK: u64 = 4 << 10;

/// Nothing goes wrong. There are runs that can fill all slots for long, and beside them one or the other of: clients in a closed loop,
/// which submit a task, and the next when they have its result; a run whose sources fill the memory until all of them are read;
/// and runs that ask for more of a resource than comes free at a time.
pub(super) fn draw(random: &mut Random, seed: u64) -> Scenario {
    let slots = random.between(1, 4) as u32;
    let host = HostPlan {
        slots,
        memory: 16 * BLOCK,
        disk: 1 << 30,
        slowness_percent: 100,
        joins_at: 0,
        gpu: u64::from(slots) * 1_000,
    };
    let task_nanoseconds = random.scaled(2, 10) * MILLISECOND;
    let mut jobs = vec![draw_long(random, slots, task_nanoseconds)];
    let clients = random.between(u64::from(slots) + 2, u64::from(slots) + 6) as u32;
    if random.chance(500_000) {
        jobs.extend((0..clients).map(|client| draw_loop(random, client, task_nanoseconds)));
    }
    if random.chance(500_000) {
        jobs.push(draw_sum(random, task_nanoseconds));
    }
    if random.chance(500_000) && slots > 1 {
        jobs.extend(draw_demanding(random, slots, task_nanoseconds));
    }
    let hosts = vec![host];
    let mut scenario = Scenario { hosts, clients, jobs, calm_at: MILLISECOND, ..draw_frame(random, seed) };
    scenario.weather = Weather::fair(random.scaled(20, 200) * MICROSECOND);
    scenario.credit_nanoseconds = random.scaled(100 * MICROSECOND, 2 * MILLISECOND);
    scenario.prefill_nanoseconds = if random.chance(700_000) { 0 } else { random.scaled(MICROSECOND, MILLISECOND) };
    scenario
}

/// A run that fills all slots, with a wrong idea of how long that takes, or the right one, or none.
fn draw_long(random: &mut Random, slots: u32, task_nanoseconds: u64) -> JobPlan {
    let mut job = draw_rival(random, 0, LENGTH * u64::from(slots), task_nanoseconds);
    if random.chance(300_000) {
        job.layers[0].nanoseconds = 2_000 * task_nanoseconds;
    }
    job
}

fn draw_loop(random: &mut Random, client: u32, task_nanoseconds: u64) -> JobPlan {
    let at = random.below(20 * task_nanoseconds);
    JobPlan { client, rounds: LENGTH as u32 / 2, ..draw_rival(random, at, 1, task_nanoseconds) }
}

/// Sources of which half fit into what producers may fill, and a sum that reads all of them.
fn draw_sum(random: &mut Random, task_nanoseconds: u64) -> JobPlan {
    let at = random.below(100 * task_nanoseconds);
    let job = draw_rival(random, at, 16, task_nanoseconds);
    let source = LayerPlan { output_bytes: BLOCK, ..job.layers[0].clone() };
    let shape = ShapePlan::Exchange { input: 0, consumers: 1 };
    let sum = LayerPlan { shape, ..job.layers[0].clone() };
    JobPlan { layers: vec![source, sum], wanted: vec![(1, 0)], ..job }
}

/// Runs that ask for a part of what there is of a resource, and then one that asks for all of it.
fn draw_demanding(random: &mut Random, slots: u32, task_nanoseconds: u64) -> Vec<JobPlan> {
    let mut one = |at: u64, tasks: u64, gpu: u64| {
        let mut job = draw_rival(random, at, tasks, task_nanoseconds);
        job.layers[0].requires = Requires::Gpu(gpu);
        job
    };
    let (part, all) = (1_000, u64::from(slots) * 1_000);
    vec![one(0, LENGTH * u64::from(slots), part), one(30 * task_nanoseconds, 3, all)]
}

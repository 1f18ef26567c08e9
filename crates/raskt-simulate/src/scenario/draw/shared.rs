//! Worlds where few slots are shared for long by clients that never stop asking.

use super::special::draw_rival;
use super::{MICROSECOND, MILLISECOND, draw_frame};
use crate::random::Random;
use crate::scenario::{HostPlan, JobPlan, LayerPlan, Requires, Scenario, ShapePlan, Weather};

/// Tasks that the long runs of such a world do one after the other.
const LENGTH: u64 = 900;

/// A result of the runs that mind memory.
const BLOCK: u64 = 4 << 10;

/// Nothing goes wrong. There are
///
/// - a run that can fill all slots for long, and clients in a closed loop, which submit a task, and the next when they have its
///   result;
/// - or the same with a run whose sources fill the memory until all of them are read;
/// - or runs that ask for a part of a resource for long, and one that asks for all of it.
pub(super) fn draw(random: &mut Random, seed: u64) -> Scenario {
    let task_nanoseconds = random.scaled(2, 10) * MILLISECOND;
    let what = random.below(3);
    let gpus = if what == 2 { random.between(2, 3) } else { 0 };
    // Enough for the resource to be in use all the time.
    let slots = if gpus > 0 { gpus + random.between(1, 2) } else { random.between(1, 4) };
    let clients = slots + random.between(2, 6);
    let mut jobs = vec![];
    if what < 2 {
        jobs.push(draw_long(random, slots, task_nanoseconds));
    }
    if what == 0 || (what == 1 && random.chance(300_000)) {
        jobs.extend((0..clients).map(|client| draw_loop(random, client as u32, task_nanoseconds)));
    }
    match what {
        1 => jobs.push(draw_sum(random, task_nanoseconds)),
        2 => jobs.extend(draw_demanding(random, gpus, task_nanoseconds)),
        _ => {}
    }
    let (memory, gpu) = (16 * BLOCK, gpus * 1_000);
    let host = HostPlan { slots: slots as u32, memory, disk: 1 << 30, slowness_percent: 100, joins_at: 0, gpu };
    let (hosts, clients) = (vec![host], clients as u32);
    let mut scenario = Scenario { hosts, clients, jobs, calm_at: MILLISECOND, ..draw_frame(random, seed) };
    scenario.weather = Weather::fair(random.scaled(20, 200) * MICROSECOND);
    scenario.credit_nanoseconds = random.scaled(100 * MICROSECOND, 2 * MILLISECOND);
    scenario.prefill_nanoseconds = if random.chance(700_000) { 0 } else { random.scaled(MICROSECOND, MILLISECOND) };
    scenario
}

/// A run that fills all slots, with a wrong idea of how long that takes, or the right one, or none.
fn draw_long(random: &mut Random, slots: u64, task_nanoseconds: u64) -> JobPlan {
    let mut job = draw_rival(random, 0, LENGTH * slots, task_nanoseconds);
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
fn draw_demanding(random: &mut Random, gpus: u64, task_nanoseconds: u64) -> Vec<JobPlan> {
    let mut one = |at: u64, tasks: u64, gpu: u64| {
        let mut job = draw_rival(random, at, tasks, task_nanoseconds);
        job.layers[0].requires = Requires::Gpu(gpu);
        job
    };
    vec![one(0, 4 * LENGTH * gpus, 1_000), one(30 * task_nanoseconds, 3, gpus * 1_000)]
}

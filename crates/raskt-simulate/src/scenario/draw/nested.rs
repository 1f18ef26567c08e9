//! Jobs that tasks submit.

use super::graphs::{self, Form};
use super::{MICROSECOND, jobs};
use crate::job::Job;
use crate::random::Random;
use crate::scenario::{JobPlan, NestedPlan, Requires};

/// How deep jobs submit jobs, at most, and tasks of the outermost that do.
const DEEPEST: u32 = 6;
const CALLERS: u64 = 24;

/// One or two jobs for tasks of `plan` to submit, where some host may have a GPU.
pub(super) fn draw(random: &mut Random, plan: &JobPlan, has_gpu: bool) -> Vec<NestedPlan> {
    // Many callers, or a deep chain.
    let (callers, depth) = if random.chance(700_000) { (CALLERS, 2) } else { (2, DEEPEST) };
    (0..random.between(1, 2)).filter_map(|_| draw_one(random, plan, (callers, depth), has_gpu)).collect()
}

fn draw_one(random: &mut Random, plan: &JobPlan, (most, depth): (u64, u32), has_gpu: bool) -> Option<NestedPlan> {
    let tasks: Vec<_> = Job::new(plan, &[]).all_needed().collect();
    if tasks.is_empty() {
        return None;
    }
    let mut callers: Vec<_> = (0..random.scaled(1, most)).map(|_| *random.pick(&tasks)).collect();
    callers.sort_unstable();
    callers.dedup();
    let mut job = draw_job(random, plan.task_nanoseconds / 2, has_gpu);
    if depth > 1 && random.chance(if most > 2 { 300_000 } else { 900_000 }) {
        job.nested = draw_one(random, &job, (2, depth - 1), has_gpu).into_iter().collect();
    }
    Some(NestedPlan { callers: callers.into_iter().map(|task| (task.layer.0, task.index)).collect(), job })
}

/// A small job that doesn't fail for good.
fn draw_job(random: &mut Random, task_nanoseconds: u64, has_gpu: bool) -> JobPlan {
    let seed = random.bits();
    let (layers, width) = (random.between(1, 3) as u32, random.scaled(1, 24));
    let task_nanoseconds = task_nanoseconds.max(MICROSECOND);
    // What some host has, and the least there is: who asks for more than each of those has that wait may wait for ever.
    let requires = if has_gpu && random.chance(400_000) { Requires::Gpu(500) } else { Requires::Nothing };
    let form = Form { seed, layers, width, task_nanoseconds, requires };
    let mut plan = JobPlan {
        seed,
        client: 0,
        at: 0,
        layers: graphs::draw(random, &form),
        wanted: vec![],
        gives: false,
        task_nanoseconds,
        wrong_sizes: random.chance(250_000),
        retries: 3,
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
    };
    plan.wanted = jobs::draw_wanted(random, &plan.lengths());
    if random.chance(200_000) {
        let tasks: Vec<_> = Job::new(&plan, &[]).all_needed().collect();
        let failures = jobs::draw_failures(random, plan.retries, 50_000, &tasks);
        plan.failures = failures.into_iter().map(|(task, times)| (task.layer.0, task.index, times)).collect();
    }
    plan
}

//! When everything must have ended.

use super::PATIENCE_NANOSECONDS;
use crate::job::Job;
use crate::scenario::{FaultKind, Scenario};
use std::rc::Rc;

/// Deaths until a deadly task is failed, and time until a worker is back.
const DEATHS: u64 = 8;
const RESTART_NANOSECONDS: u64 = 400_000_000;

/// Packets that go back and forth for a task before the next can start, late ones included.
const WAYS_PER_TASK: u64 = 8;

/// When the slowest host alone would have done all the work a few times over, task by task.
pub(super) fn of(scenario: &Scenario, plans: &[Rc<Job>]) -> u64 {
    let again = |job: &Job| job.plan.alone.map_or(0, |alone| alone.retries);
    let times = |job: &Job| 1 + u64::from(job.plan.rounds) + u64::from(again(job));
    let work: u64 = plans.iter().map(|job| job.nanoseconds() * times(job)).sum();
    let tasks: u64 = plans.iter().map(|job| job.tasks() * times(job)).sum();
    let ways = tasks * WAYS_PER_TASK * scenario.weather.delay_nanoseconds;
    let slowest = scenario.hosts.iter().map(|host| host.slowness_percent).max().unwrap_or(100);
    let deadly: u64 = scenario.jobs.iter().map(|job| job.deaths.len() as u64).sum();
    let work = work * slowest / 100 + ways;
    // With its worker die the results that are there, and where there is no other worker, all of them are made again.
    let death = 2 * scenario.lease_nanoseconds + RESTART_NANOSECONDS + work;
    // What was begun while its host was slow ends as late as it would have.
    let longest = plans.iter().map(|job| job.longest_nanoseconds()).max().unwrap_or(0);
    let slow =
        scenario.faults.iter().map(|fault| if let FaultKind::Slow { times, .. } = fault.kind { times } else { 1 });
    let begun = slow.max().unwrap_or(1) * longest * slowest / 100;
    scenario.calm_at + begun + PATIENCE_NANOSECONDS + 4 * work + deadly * DEATHS * death
}

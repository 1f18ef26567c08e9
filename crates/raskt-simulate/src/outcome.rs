//! A world from its beginning to its end, and what is told of it.

use crate::check::{Tally, Violation};
use crate::scenario::Scenario;
use crate::story::{self, Line};
use crate::world::World;
use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How a world went.
#[derive(Clone, Debug)]
pub struct Outcome {
    /// Of everything that happened: the same for the same scenario, on every machine and in every profile.
    pub digest: u64,
    /// What happened, all told.
    pub events: u64,
    /// Events that the scheduler machine or a worker machine took in.
    pub machine_events: u64,
    /// What it took to let it happen: its events, and the tasks that were looked at between them.
    pub work: u64,
    /// Nanoseconds of virtual time.
    pub lasted: u64,
    /// The most bytes of results that a worker held in memory, in percent of what it may hold.
    pub fullest_percent: u64,
    /// Rare things that happened.
    pub tally: Tally,
    /// What was found wrong, if anything.
    pub failure: Option<Failure>,
}

/// Something that must never be happened.
#[derive(Clone, Debug)]
pub struct Failure {
    /// The world in which it happened.
    pub scenario: Scenario,
    /// What it was.
    pub text: String,
    /// How it came to that: what concerns the tasks in it, and the last that happened at all.
    pub story: Vec<String>,
}

/// Lines of the story that are told about the tasks in a failure, and of what happened last.
const STORY_LINES: usize = 60;
const LAST_LINES: usize = 25;

/// Lets a scenario happen.
pub fn simulate(scenario: &Scenario) -> Outcome {
    let outcome = attempt(scenario, false, u64::MAX);
    if outcome.failure.is_none() {
        return outcome;
    }
    // Once more, with somebody who takes notes: the same happens again.
    attempt(scenario, true, u64::MAX)
}

/// Lets it happen without a story, and without an end beyond `most` of work: for the shrinker, which tries many. Gives what
/// is found wrong, and the work that it was.
pub(crate) fn try_out(scenario: &Scenario, most: u64) -> (Option<String>, u64) {
    let outcome = attempt(scenario, false, most);
    (outcome.failure.map(|failure| failure.text), outcome.work)
}

fn attempt(scenario: &Scenario, tells: bool, most: u64) -> Outcome {
    let mut world = World::new(scenario, tells);
    world.bound_work(most);
    // The machines assert their invariants; an assertion that fails is a finding like any other.
    let ran = catch_unwind(AssertUnwindSafe(|| world.run()));
    let panicked = ran.err().map(|panic| {
        let text = panic.downcast_ref::<String>().cloned();
        let text = text.or_else(|| panic.downcast_ref::<&str>().map(|text| (*text).to_owned()));
        Violation::new(text.unwrap_or_else(|| "a machine panicked".into()))
    });
    let violation = panicked.or_else(|| world.context().violation.clone());
    let context = world.context();
    let (digest, events, machine_events) = (context.digest, context.events, context.machine_events);
    let work = context.work;
    let (lasted, tally, fullest_percent) = (context.now(), context.tally.clone(), context.fullest_percent);
    let failure = violation.map(|violation| {
        let story = tell(&violation, world.story());
        Failure { scenario: scenario.clone(), text: violation.text, story }
    });
    Outcome { digest, events, machine_events, work, lasted, fullest_percent, tally, failure }
}

fn tell(violation: &Violation, lines: Vec<Line>) -> Vec<String> {
    let concerns = |line: &&Line| match violation.tasks.as_slice() {
        [] => line.is_named_in(&violation.text),
        tasks => tasks.iter().any(|&(run, task)| line.is_about(run, task)),
    };
    let about: Vec<_> = lines.iter().filter(concerns).collect();
    let mut story: Vec<_> = about.iter().rev().take(STORY_LINES).rev().map(|line| line.to_string()).collect();
    story.push("last of all:".into());
    story.extend(lines.iter().rev().take(LAST_LINES).rev().map(Line::to_string));
    story
}

impl fmt::Display for Failure {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "seed {}: {}", self.scenario.seed, self.text)?;
        writeln!(f, "{}", story::scenario(&self.scenario))?;
        self.story.iter().try_for_each(|line| writeln!(f, "{line}"))
    }
}

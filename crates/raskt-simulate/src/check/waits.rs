//! For how long runs wait though they could start: but for others, for memory, or for a resource that is there.
//!
//! Runs of equal priority share the workers' time by families: a run, and those that its tasks submit. When a slot comes free
//! the family that has had the least goes first; so one waits for at most one turn of each other, beside what was handed out
//! when it came. That is a bound on how long a family is passed over, and no scheduler that lets one starve keeps it. Where its
//! tasks lack memory the scheduler's patience comes on top, whatever it says that they wait for; and where they ask for a resource,
//! each of those that do may first wait until there is enough.

use super::{Sometimes, Tally, Violation};
use crate::job::Job;
use raskt_graph::{Resources, TaskId};
use raskt_schedule::{RunId, Scheduler, TaskState};
use std::collections::{BTreeMap, BTreeSet};
use std::rc::Rc;

/// How long work may be held back for memory without a hand-out: as long as the scheduler has patience, and time for messages.
const HELD_BACK_NANOSECONDS: u64 = 1_000_000_000 + SLACK_NANOSECONDS;

/// Assignments that a slot is given in advance, at most, if it is given any.
const AHEAD_PER_SLOT: u64 = 16;

/// Time for messages, and for memory to come free.
const SLACK_NANOSECONDS: u64 = 1_000_000_000;

/// A family is said to have waited its turn after so long.
const NOTED_NANOSECONDS: u64 = 50_000_000;

/// Notes about all runs.
#[derive(Debug, Default)]
pub(crate) struct Waits {
    /// The oldest run of the family of each run.
    families: BTreeMap<RunId, RunId>,
    /// Families that were handed something since the last look.
    served: BTreeSet<RunId>,
    /// Families that are in line and were handed nothing; by run, since when it has been held back.
    in_line: BTreeMap<RunId, InLine>,
    held_back: BTreeMap<RunId, u64>,
}

/// A family that waits its turn.
#[derive(Debug)]
struct InLine {
    since: u64,
    /// How long it may wait. Whoever was there at any time of it may have had his turn before, or had a slot when it began; that
    /// his run has ended since makes the wait no shorter.
    bound: u64,
}

/// What is looked at.
pub(crate) struct Look<'a> {
    pub scheduler: &'a Scheduler,
    pub now: u64,
    /// Nothing goes wrong in this world.
    pub is_peaceful: bool,
    /// Time of a task on the slowest host, in percent of what it says.
    pub slowness_percent: u64,
    /// Of all workers.
    pub slots: u64,
    /// What workers offer.
    pub resources: Vec<Resources>,
    /// Work that is handed out at a time, and in advance for each slot.
    pub credit: u64,
    pub prefill: u64,
}

impl Waits {
    pub fn open(&mut self, run: RunId, parent: Option<RunId>) {
        let family = parent.and_then(|parent| self.families.get(&parent)).copied();
        self.families.insert(run, family.unwrap_or(run));
    }

    pub fn close(&mut self, run: RunId) {
        self.held_back.remove(&run);
        let Some(family) = self.families.remove(&run) else { return };
        if !self.families.values().any(|other| *other == family) {
            self.in_line.remove(&family);
        }
    }

    /// `run` is handed something.
    pub fn serve(&mut self, run: RunId) {
        self.served.extend(self.families.get(&run));
        self.held_back.remove(&run);
    }

    /// Forgets how long everybody has waited.
    pub fn begin_anew(&mut self) {
        self.in_line.clear();
        self.held_back.clear();
    }

    /// Notes who waits, and finds whoever has waited for too long.
    pub fn look<'a>(
        &mut self,
        look: &Look,
        tally: &mut Tally,
        runs: impl Iterator<Item = (RunId, &'a Rc<Job>)>,
    ) -> Result<(), Violation> {
        let jobs: Vec<_> = runs.collect();
        self.look_at_held_back(look)?;
        if !look.is_peaceful {
            // What took long while faults lasted counts, and is to be made up for.
            return Ok(());
        }
        let first = jobs.iter().map(|(_, job)| job.highest_priority()).max().unwrap_or(0);
        let bound = self.bound(look, &jobs) + HELD_BACK_NANOSECONDS;
        let gathering = look.gathering(&jobs);
        let served = std::mem::take(&mut self.served);
        let mut waiting = BTreeSet::new();
        for (run, job) in jobs {
            // What isn't for all, or isn't of the highest priority, waits for others.
            let (is_met, asks) = (job.is_met_by_any(&look.resources), !job.is_for_all());
            let is_equal = is_met && job.lowest_priority() == first;
            let family = self.families.get(&run).copied().unwrap_or(run);
            if !is_equal || served.contains(&family) || !look.is_waiting(run) {
                continue;
            }
            waiting.insert(family);
            let bound = if asks { bound + gathering } else { bound };
            let line = self.in_line.entry(family).or_insert(InLine { since: look.now, bound });
            line.bound = line.bound.max(bound);
            let InLine { since, bound } = *line;
            let what = if asks { Sometimes::WaitedForResource } else { Sometimes::WaitedItsTurn };
            tally.add(what, u64::from(look.now - since > NOTED_NANOSECONDS));
            if look.now - since > bound
                && let Some(task) = look.find_ready(run, job)
            {
                let text = format!(
                    "it could start, and nothing of its family was handed out for {} ms, which is beyond {} ms",
                    (look.now - since) / 1_000_000,
                    bound / 1_000_000,
                );
                return Err(Violation::of(run, task, &text));
            }
        }
        self.in_line.retain(|family, _| waiting.contains(family));
        Ok(())
    }

    /// A turn of each family, which may take as many slots as it has tasks; what is under way, and what is given in advance.
    fn bound(&self, look: &Look, jobs: &[(RunId, &Rc<Job>)]) -> u64 {
        let slots = look.slots.max(1);
        let turn = |job: &Job| job.tasks().min(slots) * job.longest_nanoseconds() / slots;
        let turns: u64 = jobs.iter().map(|(_, job)| turn(job)).sum();
        let longest = jobs.iter().map(|(_, job)| job.longest_nanoseconds()).max().unwrap_or(0);
        let ahead = if look.prefill > 0 { AHEAD_PER_SLOT } else { 0 };
        (turns + (2 + ahead) * (longest + look.credit)) * look.slowness_percent / 100 + SLACK_NANOSECONDS
    }

    fn look_at_held_back(&mut self, look: &Look) -> Result<(), Violation> {
        let held_back: BTreeSet<_> = look.scheduler.all_held_back().map(|(run, _)| run).collect();
        self.held_back.retain(|run, _| held_back.contains(run));
        for run in held_back {
            let since = *self.held_back.entry(run).or_insert(look.now);
            if look.now - since > HELD_BACK_NANOSECONDS {
                let seconds = (look.now - since) / 1_000_000_000;
                return Err(Violation::new(format!("run {} has been held back for {seconds} s", run.0)));
            }
        }
        Ok(())
    }
}

impl Look<'_> {
    /// Whether `run` may have something to start, be there memory or not.
    fn is_waiting(&self, run: RunId) -> bool {
        self.scheduler.is_in_line(run)
    }

    /// A turn of each that asks for a resource, which waits until there is enough.
    fn gathering(&self, jobs: &[(RunId, &Rc<Job>)]) -> u64 {
        let longest = jobs.iter().map(|(_, job)| job.longest_nanoseconds()).max().unwrap_or(0);
        let ahead = if self.prefill > 0 { AHEAD_PER_SLOT } else { 0 };
        let turn = HELD_BACK_NANOSECONDS + (2 + ahead) * (longest + self.credit) * self.slowness_percent / 100;
        jobs.iter().filter(|(_, job)| !job.is_for_all()).count() as u64 * turn
    }

    /// A task of `run` that could start. What stands in line may do so in vain.
    fn find_ready(&self, run: RunId, job: &Job) -> Option<TaskId> {
        let is_ready = |task: TaskId| match self.scheduler.task_state(run, task) {
            Some(TaskState::Ready) => true,
            // Nobody has looked at it yet.
            Some(TaskState::Waiting { unfinished: 0 }) => job.graph.input_count(task) == 0,
            _ => false,
        };
        let could_start = |&task: &TaskId| is_ready(task) && !self.scheduler.is_suspect(run, task);
        crate::job::all_tasks(&job.graph).find(could_start)
    }
}

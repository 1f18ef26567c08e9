//! What a server asks a scheduler for clients and for those who look on. Each answer is as long as was asked for, at most.

mod overview;

pub use overview::{BEGINNING, Cursor, Resident, WorkerLoad};

use crate::scheduler::{Scheduler, by_place};
use crate::{Attempt, Death, Failure, Held, Import, RunId, TaskRange, TaskState, Time, WorkerId};
use raskt_graph::{LayerId, TaskId};
use std::ops::Bound;

/// An assignment that a worker has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Processing {
    /// The run.
    pub run: RunId,
    /// The hand-out.
    pub attempt: Attempt,
    /// The tasks.
    pub tasks: Vec<TaskRange>,
    /// When it was handed out.
    pub since: Time,
    /// The worker has said that it has begun.
    pub is_started: bool,
}

/// What is known of a task.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TaskStory {
    /// Where it stands; nothing if nobody needs it, or it has failed.
    pub state: Option<TaskState>,
    /// Why it can't be computed, if it has failed.
    pub failure: Option<Failure>,
    /// How often it has failed and was tried again.
    pub failures: u32,
    /// The deaths of workers that had it, as far as they are remembered, in order.
    pub deaths: Vec<Death>,
}

impl Scheduler {
    /// Who holds what a client wants of `run`, in ranges by holder; of several that hold a result, one is named. What has failed is
    /// left out. Nothing if the run isn't known, or if something else of it isn't there.
    pub fn wanted_at(&self, run: RunId) -> Option<Vec<(WorkerId, Vec<TaskRange>)>> {
        let run = self.runs.get(&run).filter(|run| run.tasks.counts.unfinished_wanted == 0)?;
        let tasks = &run.tasks;
        let mut held: Vec<(WorkerId, TaskRange)> = vec![];
        for (layer, state) in (0..).map(LayerId).zip(&tasks.layers) {
            let ranges = state.wanted.ranges(state.len).into_iter();
            let ranges = ranges.map(|range| TaskRange { layer, start: range.start, end: range.end });
            for task in ranges.flat_map(TaskRange::tasks).filter(|&task| tasks.is_in_memory(task)) {
                let worker = run.locate(self.runs.others(), task).holder();
                match held.last_mut() {
                    Some((last, range)) if *last == worker && range.layer == layer && range.end == task.index => {
                        range.end += 1;
                    }
                    _ => held.push((worker, TaskRange::one(task))),
                }
            }
        }
        Some(by_place(&mut held))
    }

    /// Runs that are known, from `from` on: `most` of them at most.
    pub fn known_runs(&self, from: RunId, most: usize) -> Vec<RunId> {
        self.runs.keys_from(from).take(most).copied().collect()
    }

    /// Who holds those of `tasks` that are in memory, and their bytes: `most` entries at most. Of several that hold a result one is
    /// named. Whoever got as many as he asked for asks again, from the end of the last on.
    pub fn who_has(&self, run: RunId, tasks: TaskRange, most: usize) -> Vec<Held> {
        let Some(run) = self.runs.get(&run).filter(|run| (tasks.layer.0 as usize) < run.tasks.layers.len()) else {
            return vec![];
        };
        let len = run.tasks.layers[tasks.layer.0 as usize].len;
        let within = TaskRange { end: tasks.end.min(len), ..tasks };
        let live = run.tasks.live_parts(within).flat_map(TaskRange::tasks);
        let there = live.filter(|&task| run.tasks.is_needed(task) && run.tasks.is_in_memory(task));
        run.held(self.runs.others(), there, most)
    }

    /// Why `task` of `run` has failed, if it has, and others went on.
    pub fn failure(&self, run: RunId, task: TaskId) -> Option<&Failure> {
        self.runs.get(&run)?.tasks.failure_of(task)
    }

    /// Wanted tasks of `run` that have failed: `most` ranges at most, from the task `from` on.
    pub fn failed(&self, run: RunId, from: TaskId, most: usize) -> Vec<(TaskRange, &Failure)> {
        let Some(run) = self.runs.get(&run) else { return vec![] };
        let failed = run.tasks.failures.iter().flat_map(|failures| failures.all_from(from));
        let wanted = failed.filter(|(range, _)| {
            run.tasks.layers[range.layer.0 as usize].wanted.next(range.start, range.end).is_some()
        });
        wanted.take(most).collect()
    }

    /// What the tasks of `run` stand for that it imports. None is of a task that stands for another itself: so whoever runs tasks of
    /// it finds their inputs under the names that they have with workers.
    pub fn imports_of(&self, run: RunId) -> &[Import] {
        let imports = self.runs.get(&run).and_then(|run| run.tasks.imports.as_ref());
        imports.map_or(&[], |imports| imports.parts())
    }

    /// Whether `worker` has begun something that it hasn't ended, be it cancelled meanwhile.
    pub fn has_begun_something(&self, worker: WorkerId) -> bool {
        self.workers.get(worker).is_some_and(|state| state.placed_sums().1 > 0 || state.orphans() > 0)
    }

    /// What `worker` was handed out and hasn't ended, after the hand-out `after`: `most` of it at most.
    pub fn processing(&self, worker: WorkerId, after: Option<(RunId, Attempt)>, most: usize) -> Vec<Processing> {
        let Some(state) = self.workers.get(worker) else { return vec![] };
        let placed = state.placed_from(after.map_or(Bound::Unbounded, Bound::Excluded)).take(most);
        let processing = placed.map(|(&(run, attempt), placed)| Processing {
            run,
            attempt,
            tasks: placed.tasks.clone(),
            since: placed.since,
            is_started: placed.is_started,
        });
        processing.collect()
    }

    /// What is known of `task` of `run`; nothing if the run isn't.
    pub fn story(&self, run: RunId, task: TaskId) -> Option<TaskStory> {
        let found = self.runs.get(&run)?;
        let layer = found.tasks.layers.get(task.layer.0 as usize)?;
        (task.index < layer.len).then(|| TaskStory {
            state: self.task_state(run, task),
            failure: found.tasks.failure_of(task).cloned(),
            failures: u32::from(found.tasks.record(task).failures),
            deaths: found.suspects.story_of(task),
        })
    }
}

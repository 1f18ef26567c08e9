//! Where results are that a client wants.

use crate::scheduler::{Scheduler, by_place};
use crate::{RunId, TaskRange, WorkerId};
use raskt_graph::LayerId;

impl Scheduler {
    /// Who holds what a client wants of `run`, in ranges by holder; of several that hold a result, one is named. Nothing if the run
    /// isn't known, or if something of it isn't there.
    pub fn wanted_at(&self, run: RunId) -> Option<Vec<(WorkerId, Vec<TaskRange>)>> {
        let tasks = &self.runs.get(&run).filter(|run| run.tasks.counts.unfinished_wanted == 0)?.tasks;
        let mut held: Vec<(WorkerId, TaskRange)> = vec![];
        for (layer, state) in (0..).map(LayerId).zip(&tasks.layers) {
            let ranges = state.wanted.ranges(state.len).into_iter();
            let ranges = ranges.map(|range| TaskRange { layer, start: range.start, end: range.end });
            for task in ranges.flat_map(TaskRange::tasks) {
                let worker = tasks.record(task).worker;
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
}

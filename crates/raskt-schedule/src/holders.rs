//! Where results are that a client wants.

use crate::scheduler::{Scheduler, by_place};
use crate::{RunId, TaskRange, WorkerId};
use raskt_graph::LayerId;

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
}

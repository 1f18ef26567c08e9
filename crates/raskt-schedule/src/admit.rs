//! Which tasks have to wait for memory.
//!
//! A task that leaves more behind than goes with it is a *producer*: sources above all. Where producers outrun those that read
//! what they make, memory fills up with results that wait. A producer is therefore admitted to a worker only while what the
//! worker holds, what it was promised and what the task adds stay within a part of its memory ([`crate::Admission`]). Tasks
//! that leave less than goes with them are always admitted.
//!
//! To wait makes sense only where it helps. Producers wait while a task is under way that gives back more than it makes; its end
//! is the next event that can change anything. If there is none, because those that would free memory miss inputs that have
//! still to be made, or because all results are wanted and stay, producers go on, and workers make room by spilling. So no
//! run ever stands still because of this, and none is run task by task.

use crate::estimate::Estimate;
use crate::links::located::OtherRuns;
use crate::run::Run;
use crate::take::batch::INPUTS_LOOKED_AT;
use crate::task::Tag;
use raskt_graph::{Shape, TaskId};

/// What a task does to the memory of its worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Effect {
    /// Bytes of its result, if it goes when it has been read, and of its scratch space.
    pub adds: u64,
    /// Bytes of its part of what it reads: what several tasks read goes with each of them by a part.
    pub frees: u64,
}

impl Effect {
    /// Bytes that it adds in all. Sizes are estimates: a task that makes about as much as goes with it adds nothing.
    pub fn net(self) -> u64 {
        if self.adds <= self.frees.saturating_add(self.frees / 4) { 0 } else { self.adds - self.frees }
    }

    /// Whether it gives back more than it makes, so that waiting for it is worth it.
    pub fn gives_back(self) -> bool {
        self.frees > 2 * self.adds
    }
}

impl Run {
    /// What `task` does to the memory of the worker that runs it, as far as sizes are known.
    pub fn effect(&self, others: OtherRuns, task: TaskId) -> Effect {
        let output = if self.tasks.is_wanted(task) { 0 } else { self.output_bytes(task.layer) };
        let adds = output + Estimate::scratch_bytes(&self.graph.layer(task.layer).cost);
        // All that they read is alike, and only a part of it or nothing is left to others.
        if let Shape::Exchange { input, .. } | Shape::Reduce { input, .. } = self.graph.layer(task.layer).shape {
            let first = TaskId::new(input, 0);
            let is_kept = self.tasks.is_wanted(first) || self.locate(others, first).stays();
            return Effect { adds, frees: if is_kept { 0 } else { self.input_bytes(task) } };
        }
        let (mut frees, inputs) = (0_u64, self.graph.input_count(task));
        self.graph.for_first_inputs(task, INPUTS_LOOKED_AT, |input| {
            let located = self.locate(others, input);
            if self.tasks.is_wanted(input) || located.stays() {
                return;
            }
            let record = self.tasks.record(input);
            if record.tag == Tag::InMemory {
                let unread = self.tasks.all_unread(&self.graph, input, record) + located.reads_elsewhere();
                frees += self.output_bytes(input.layer) / unread.max(1);
            }
        });
        Effect { adds, frees: frees.saturating_mul(inputs.div_ceil(INPUTS_LOOKED_AT).max(1)) }
    }
}

//! One submitted graph.

use crate::estimate::Estimate;
use crate::members::{Members, needed_for};
use crate::queue::Head;
use crate::task::Tag;
use crate::tasks::Tasks;
use crate::{Attempt, TaskRange, WorkerId};
use raskt_graph::{Graph, LayerId, Shape, TaskId};
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Run {
    pub graph: Arc<Graph>,
    pub tasks: Tasks,
    /// By layer.
    pub estimates: Vec<Estimate>,
    /// The client knows that all that it wants is there.
    pub is_finished: bool,
    /// The priority under which it stands in line for workers; nothing if it has nothing to start.
    pub in_line: Option<i32>,
}

/// How much is handed out at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Nanoseconds of work.
    pub credit: u64,
    /// Tasks: a fair part of what is ready.
    pub share: u64,
}

/// Tasks that were taken from the queue to be run one after the other.
#[derive(Debug)]
pub(crate) struct Batch {
    pub tasks: Vec<TaskRange>,
    pub attempt: Attempt,
    pub memory: u64,
}

/// The most tasks that are handed out in one assignment.
const BATCH_TASKS: u64 = 1024;

/// The most bytes that the tasks of one assignment may read and hold, where it has more than one.
const BATCH_BYTES: u64 = 64 << 20;

/// Inputs of a task that are looked at to tell how much it reads; of more, the rest is taken to be alike.
const INPUTS_LOOKED_AT: u64 = 32;

impl Run {
    pub fn new(graph: Arc<Graph>, wanted: &[TaskRange]) -> Self {
        let mut members = vec![Members::Nothing; graph.layers().len()];
        for range in wanted {
            members[range.layer.0 as usize].insert(range.start..range.end, graph.layer(range.layer).len());
        }
        let needed = needed_for(&graph, &members);
        let tasks = Tasks::new(&graph, members, needed);
        let estimates = vec![Estimate::default(); graph.layers().len()];
        Self { graph, tasks, estimates, is_finished: false, in_line: None }
    }

    /// Takes ready tasks of one layer off the queue and gives them to `worker`: about as much as the credit, one task if
    /// nothing is known about their time.
    pub fn take(&mut self, worker: WorkerId, limits: Limits) -> Option<Batch> {
        let mut head = self.find_startable()?;
        let layer = head.layer;
        let limit = self.batch_limit(self.task_at(layer, head.start), limits);
        let attempt = self.tasks.next_attempt;
        self.tasks.next_attempt = attempt.next();
        let (mut tasks, mut count) = (vec![], 0);
        loop {
            count += self.take_from(head, limit - count, &mut |found: &mut Tasks, task| {
                found.hand_out(task, worker, attempt);
                TaskRange::push(&mut tasks, task);
            });
            match self.find_startable() {
                Some(next) if next.layer == layer && count < limit => head = next,
                _ => break,
            }
        }
        let cost = &self.graph.layer(layer).cost;
        let estimate = &self.estimates[layer.0 as usize];
        let memory = count * (estimate.output_bytes(cost) + cost.scratch_bytes);
        Some(Batch { tasks, attempt, memory })
    }

    /// Takes up to `limit` of the tasks of `head`, and says how many.
    fn take_from(&mut self, head: Head, limit: u64, take: &mut impl FnMut(&mut Tasks, TaskId)) -> u64 {
        let mut count = 0;
        while count < limit && head.start + count < head.end {
            let task = self.task_at(head.layer, head.start + count);
            if !self.may_start(task, head.is_source) {
                break;
            }
            take(&mut self.tasks, task);
            count += 1;
        }
        self.tasks.queue.advance(head, count, count);
        count
    }

    /// The head of the queue, without the tasks that stand there in vain.
    pub fn find_startable(&mut self) -> Option<Head> {
        loop {
            let head = self.tasks.queue.head()?;
            let vain = (head.start..head.end).take_while(|&rank| {
                let task = self.task_at(head.layer, rank);
                !self.may_start(task, head.is_source)
            });
            match vain.count() as u64 {
                0 => return Some(head),
                vain => self.tasks.queue.advance(head, vain, 0),
            }
        }
    }

    fn task_at(&self, layer: LayerId, rank: u64) -> TaskId {
        match &self.graph.layer(layer).shape {
            Shape::Explicit(explicit) => TaskId::new(layer, explicit.at_rank(rank)),
            _ => TaskId::new(layer, rank),
        }
    }

    fn may_start(&self, task: TaskId, is_source: bool) -> bool {
        match self.tasks.record(task).tag {
            Tag::Ready => true,
            Tag::Untouched if is_source => {
                let reads_nothing = match &self.graph.layer(task.layer).shape {
                    Shape::Explicit(_) | Shape::Overlap { .. } => self.graph.input_count(task) == 0,
                    // Its cursor is there only while all that it reads is in memory.
                    _ => true,
                };
                reads_nothing && self.tasks.is_needed(task)
            }
            _ => false,
        }
    }

    /// How many tasks like `task` are handed out together.
    fn batch_limit(&self, task: TaskId, limits: Limits) -> u64 {
        let cost = &self.graph.layer(task.layer).cost;
        let estimate = &self.estimates[task.layer.0 as usize];
        let by_time = estimate.nanoseconds(cost).map_or(1, |one| limits.credit / one.max(1));
        if by_time <= 1 || limits.share <= 1 {
            return 1;
        }
        let bytes = estimate.output_bytes(cost) + cost.scratch_bytes + self.input_bytes(task);
        let by_bytes = BATCH_BYTES / bytes.max(1);
        by_time.min(by_bytes).min(limits.share).clamp(1, BATCH_TASKS)
    }

    /// About how many bytes `task` reads.
    pub fn input_bytes(&self, task: TaskId) -> u64 {
        let output_bytes =
            |layer: LayerId| self.estimates[layer.0 as usize].output_bytes(&self.graph.layer(layer).cost);
        match &self.graph.layer(task.layer).shape {
            // Of each producer it reads only its own part.
            Shape::Exchange { input, producers, consumers } => {
                output_bytes(*input).saturating_mul(*producers) / (*consumers).max(1)
            }
            Shape::Reduce { input, .. } | Shape::Overlap { input, .. } => {
                output_bytes(*input).saturating_mul(self.graph.input_count(task))
            }
            Shape::Map { inputs, .. } => inputs.iter().map(|input| output_bytes(input.layer)).sum(),
            Shape::Explicit(explicit) => {
                let count = self.graph.input_count(task);
                let looked_at = explicit.inputs(task.layer, task.index).take(INPUTS_LOOKED_AT as usize);
                let bytes: u64 = looked_at.map(|input| output_bytes(input.layer)).sum();
                bytes * count.div_ceil(INPUTS_LOOKED_AT).max(1)
            }
        }
    }
}

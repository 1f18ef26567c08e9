//! Which ready tasks are handed out together, and what they hold and read.

use crate::queue::{Head, push_for};
use crate::run::Run;
use crate::task::Tag;
use crate::{Attempt, Fetch, TaskRange, WorkerId};
use raskt_graph::{LayerId, Shape, TaskId};
use smallvec::SmallVec;

/// How much is handed out at a time.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Limits {
    /// Nanoseconds of work.
    pub credit: u64,
    /// Tasks: a fair part of what is ready.
    pub share: u64,
    /// There are several workers, so that it matters who holds what.
    pub minds_holders: bool,
}

/// Tasks that are to be run one after the other.
#[derive(Debug)]
pub(crate) struct Batch {
    pub tasks: Vec<TaskRange>,
    pub attempt: Attempt,
    pub memory: u64,
    pub nanoseconds: u64,
    pub fetches: Vec<Fetch>,
}

/// The most tasks that are handed out in one assignment.
const BATCH_TASKS: u64 = 1024;

/// The most bytes that the tasks of one assignment may read and hold, where it has more than one.
const BATCH_BYTES: u64 = 64 << 20;

/// Inputs of a task that are looked at to tell how much it reads and who holds it; of more, the rest is taken to be alike.
const INPUTS_LOOKED_AT: usize = 16;

impl Run {
    /// Takes ready tasks of one layer off a queue and gives them to `worker`: about as much as the credit, one task if nothing
    /// is known about their time.
    pub fn take(&mut self, class: usize, worker: WorkerId, limits: Limits) -> Option<Batch> {
        let mut head = self.find_startable(class)?;
        let layer = head.layer;
        let first = self.task_at(layer, head.start);
        let limit = self.batch_limit(first, limits);
        let minds_holders = limits.minds_holders && limit > 1 && self.is_far(first);
        let holder = if minds_holders { self.first_holder(first) } else { None };
        let attempt = self.next_attempt();
        let (mut tasks, mut count) = (vec![], 0);
        loop {
            let mut is_elsewhere = false;
            let taken = self.take_from(class, head, limit - count, |run, task| {
                is_elsewhere = minds_holders && count > 0 && run.first_holder(task) != holder;
                if !is_elsewhere {
                    run.tasks.hand_out(task, worker, attempt);
                    TaskRange::push(&mut tasks, task);
                    count += 1;
                }
                !is_elsewhere
            });
            match self.find_startable(class).filter(|_| taken > 0 && !is_elsewhere) {
                Some(next) if next.layer == layer && count < limit => head = next,
                _ => break,
            }
        }
        Some(self.batch(worker, attempt, tasks, limits))
    }

    /// Gives those of `tasks`, which are of one layer, that are ready to `worker`, past the queue.
    pub fn take_these(&mut self, tasks: &[TaskRange], worker: WorkerId, limits: Limits) -> Option<Batch> {
        let is_ready = |task: &TaskId| self.tasks.is_needed(*task) && self.tasks.record(*task).tag == Tag::Ready;
        let ready = TaskRange::of(tasks.iter().flat_map(|range| range.tasks()).filter(is_ready));
        if ready.is_empty() {
            return None;
        }
        let attempt = self.next_attempt();
        for task in ready.iter().flat_map(|range| range.tasks()) {
            self.tasks.hand_out(task, worker, attempt);
        }
        Some(self.batch(worker, attempt, ready, limits))
    }

    fn next_attempt(&mut self) -> Attempt {
        let attempt = self.tasks.next_attempt;
        self.tasks.next_attempt = attempt.next();
        attempt
    }

    fn batch(&self, worker: WorkerId, attempt: Attempt, tasks: Vec<TaskRange>, limits: Limits) -> Batch {
        let layer = tasks[0].layer;
        let cost = &self.graph.layer(layer).cost;
        let estimate = &self.estimates[layer.0 as usize];
        let count = TaskRange::count(&tasks);
        let fetches = if limits.minds_holders { self.fetches(worker, &tasks) } else { vec![] };
        let fetched: u64 = fetches.iter().map(|fetch| fetch.tasks.len() * self.output_bytes(fetch.tasks.layer)).sum();
        let memory = count * (estimate.output_bytes(cost) + cost.scratch_bytes) + fetched;
        let nanoseconds = estimate.nanoseconds(cost).map_or(limits.credit, |one| count * one);
        Batch { tasks, attempt, memory, nanoseconds, fetches }
    }

    /// Takes tasks of `head` while `take` takes them, up to `limit`, and says how many.
    fn take_from(
        &mut self,
        class: usize,
        head: Head,
        limit: u64,
        mut take: impl FnMut(&mut Self, TaskId) -> bool,
    ) -> u64 {
        let mut count = 0;
        while count < limit && head.start + count < head.end {
            let task = self.task_at(head.layer, head.start + count);
            if !self.may_start(task, head.is_source()) || !take(self, task) {
                break;
            }
            count += 1;
        }
        self.tasks.queues[class].advance(head, count, count);
        count
    }

    /// The head of a queue, without the tasks that stand there in vain.
    pub fn find_startable(&mut self, class: usize) -> Option<Head> {
        loop {
            let head = self.tasks.queues[class].head()?;
            let vain = (head.start..head.end).take_while(|&rank| {
                let task = self.task_at(head.layer, rank);
                !self.may_start(task, head.is_source())
            });
            match vain.count() as u64 {
                0 => return Some(head),
                vain => self.tasks.queues[class].advance(head, vain, 0),
            }
        }
    }

    pub fn task_at(&self, layer: LayerId, rank: u64) -> TaskId {
        match &self.graph.layer(layer).shape {
            Shape::Explicit(explicit) => TaskId::new(layer, explicit.at_rank(rank)),
            _ => TaskId::new(layer, rank),
        }
    }

    fn may_start(&self, task: TaskId, is_source: bool) -> bool {
        match self.tasks.record(task).tag {
            Tag::Ready => self.tasks.is_needed(task) && !self.suspects.contains(task),
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

    fn output_bytes(&self, layer: LayerId) -> u64 {
        self.estimates[layer.0 as usize].output_bytes(&self.graph.layer(layer).cost)
    }

    /// About how many bytes `task` reads.
    fn input_bytes(&self, task: TaskId) -> u64 {
        match &self.graph.layer(task.layer).shape {
            // Of each producer it reads only its own part.
            Shape::Exchange { input, producers, consumers } => {
                self.output_bytes(*input).saturating_mul(*producers) / (*consumers).max(1)
            }
            Shape::Reduce { input, .. } | Shape::Overlap { input, .. } => {
                self.output_bytes(*input).saturating_mul(self.graph.input_count(task))
            }
            Shape::Map { inputs, .. } => inputs.iter().map(|input| self.output_bytes(input.layer)).sum(),
            Shape::Explicit(explicit) => {
                let looked_at = explicit.inputs(task.layer, task.index).take(INPUTS_LOOKED_AT);
                let bytes: u64 = looked_at.map(|input| self.output_bytes(input.layer)).sum();
                bytes * self.graph.input_count(task).div_ceil(INPUTS_LOOKED_AT as u64).max(1)
            }
        }
    }

    /// Who holds inputs of `task`, and how many bytes each, as far as they are looked at.
    pub fn holders(&self, task: TaskId) -> SmallVec<[(WorkerId, u64); 8]> {
        let mut holders = SmallVec::<[(WorkerId, u64); 8]>::new();
        let mut looked_at = 0;
        self.graph.for_each_input(task, |input| {
            looked_at += 1;
            if looked_at > INPUTS_LOOKED_AT {
                return;
            }
            // A result without bytes still has to be fetched, which takes as long as a few thousand bytes would.
            let bytes = self.output_bytes(input.layer).max(4096);
            let record = self.tasks.record(input);
            let others = self.tasks.replicas.get(&input).filter(|_| record.is_special);
            for worker in std::iter::once(record.worker).chain(others.into_iter().flatten().copied()) {
                match holders.iter_mut().find(|(holder, _)| *holder == worker) {
                    Some((_, held)) => *held += bytes,
                    None => holders.push((worker, bytes)),
                }
            }
        });
        holders
    }

    /// Whether fetching what `task` reads takes so long that it should be where its inputs are: at a gigabyte a second, as
    /// long as running it.
    fn is_far(&self, task: TaskId) -> bool {
        let cost = &self.graph.layer(task.layer).cost;
        let nanoseconds = self.estimates[task.layer.0 as usize].nanoseconds(cost).unwrap_or(0);
        self.input_bytes(task) >= nanoseconds
    }

    /// Who holds the first of what `task` reads: neighbours that agree in it may go together.
    fn first_holder(&self, task: TaskId) -> Option<WorkerId> {
        let mut holder = None;
        self.graph.for_each_input(task, |input| {
            holder.get_or_insert(self.tasks.record(input).worker);
        });
        holder
    }

    /// What `worker` has to fetch for `tasks`.
    fn fetches(&self, worker: WorkerId, tasks: &[TaskRange]) -> Vec<Fetch> {
        let mut missing = vec![];
        // Tasks of an all-to-all layer read the same.
        let is_exchange = matches!(self.graph.layer(tasks[0].layer).shape, Shape::Exchange { .. });
        let readers = tasks.iter().flat_map(|range| range.tasks()).take(if is_exchange { 1 } else { usize::MAX });
        for reader in readers {
            self.graph.for_each_input(reader, |input| {
                if !self.tasks.holds(worker, input) {
                    let record = self.tasks.record(input);
                    missing.push(((record.worker, record.count > 1), input));
                }
            });
        }
        missing.sort_unstable();
        missing.dedup();
        let mut ranges = vec![];
        missing.into_iter().for_each(|(from, input)| push_for(&mut ranges, from, input));
        ranges.into_iter().map(|((from, keep), tasks)| Fetch { from, tasks, keep }).collect()
    }
}

//! What tasks that are handed out together hold and read.

use crate::estimate::Estimate;
use crate::gates::for_each_told;
use crate::links::located::{OtherRuns, bytes_of};
use crate::queue::{Head, push_for};
use crate::run::Run;
use crate::take::draft::Draft;
use crate::task::Tag;
use crate::{Attempt, Fetch, TaskRange, WorkerId};
use raskt_graph::{LayerId, Shape, TaskId};
use smallvec::SmallVec;

/// Tasks that are to be run one after the other.
#[derive(Debug)]
pub(crate) struct Batch {
    pub tasks: Vec<TaskRange>,
    pub transient: Vec<TaskRange>,
    pub attempt: Attempt,
    pub memory: u64,
    pub fetched: u64,
    pub nanoseconds: u64,
    pub fetches: Vec<Fetch>,
}

/// Inputs of a task that are looked at to tell how much it reads and who holds it; of more, the rest is taken to be alike.
pub(crate) const INPUTS_LOOKED_AT: u64 = 16;

/// Copies of an input that are looked at, beside the first: what many hold is near everywhere.
const COPIES_LOOKED_AT: usize = 16;

impl Run {
    /// What comes of a draft.
    pub fn batch(&self, draft: Draft) -> Batch {
        let Draft { worker, attempt, limits, tasks, nanoseconds, .. } = draft;
        let fetches = match limits.locality_matters {
            true => self.fetches(draft.others, worker, attempt, &tasks),
            false => vec![],
        };
        let owner = |fetch: &Fetch| draft.others.get(&fetch.run).filter(|_| fetch.run != self.id);
        let bytes = |fetch: &Fetch| fetch.tasks.len().saturating_mul(bytes_of(self, owner(fetch), fetch.tasks.layer));
        let fetched = fetches.iter().map(bytes).fold(0, u64::saturating_add);
        let held = |range: &TaskRange| {
            let cost = &self.graph.layer(range.layer).cost;
            range.len().saturating_mul(
                self.estimates[range.layer.0 as usize].output_bytes(cost) + Estimate::scratch_bytes(cost),
            )
        };
        let memory = tasks.iter().map(held).fold(fetched, u64::saturating_add);
        let transient = if draft.has_followers { self.transient(attempt, &tasks) } else { vec![] };
        Batch { tasks, transient, attempt, memory, fetched, nanoseconds, fetches }
    }

    /// Those of `tasks` whose results nobody wants, and nobody reads but tasks of the same hand-out.
    fn transient(&self, attempt: Attempt, tasks: &[TaskRange]) -> Vec<TaskRange> {
        let all = tasks.iter().flat_map(|range| range.tasks());
        TaskRange::of(all.filter(|&task| !self.tasks.is_kept(task) && self.is_read_within(attempt, task)))
    }

    /// Whether somebody reads `task`, and all who will are on the same hand-out.
    fn is_read_within(&self, attempt: Attempt, task: TaskId) -> bool {
        let (mut within, mut outside) = (0, 0);
        for &id in self.graph.readers_of(task) {
            let layer = &self.tasks.layers[id.0 as usize];
            if let Some(exchange) = layer.exchange {
                outside += exchange.consumers_left;
                continue;
            }
            outside += self.tasks.reads_at_gates(&self.graph, id, task).fold(0, u64::saturating_add);
            for_each_told(&self.graph, id, layer.gated(), task, |index| {
                let record = layer.pages.get(index);
                if layer.needed.contains(index) && record.tag.is_unfinished() {
                    let is_within = record.tag == Tag::Running && record.attempt == attempt;
                    *if is_within { &mut within } else { &mut outside } += 1;
                }
            });
        }
        within > 0 && outside == 0
    }

    /// The head of a queue, without the tasks that stand there in vain.
    pub fn find_startable(&mut self, class: usize) -> Option<Head> {
        self.find_startable_past(class, &[])
    }

    /// The same, but for tasks of some layers.
    pub fn find_startable_past(&mut self, class: usize, passed: &[LayerId]) -> Option<Head> {
        loop {
            let head = self.tasks.queues[class].head_past(passed)?;
            if self.skip_to_source(class, head) {
                continue;
            }
            match self.in_vain(&head) {
                0 => return Some(head),
                vain => {
                    self.pass_suspects(head, vain);
                    self.tasks.queues[class].advance(head, vain, 0);
                }
            }
        }
    }

    /// Moves a cursor over tasks that nobody needs, or that read something, without looking at each; whether there were any.
    fn skip_to_source(&mut self, class: usize, head: Head) -> bool {
        let shape = &self.graph.layer(head.layer).shape;
        // Listed tasks stand by rank, and have no order by which to find the next.
        if !head.is_source() || matches!(shape, Shape::Explicit(_)) {
            return false;
        }
        let next = self.tasks.next_source(shape, head.layer, head.start).unwrap_or(head.end);
        let passed = next.min(head.end) - head.start;
        if passed > 0 {
            self.tasks.queues[class].advance(head, passed, 0);
        }
        passed > 0
    }

    /// How many tasks at the beginning of `head` can't start.
    fn in_vain(&self, head: &Head) -> u64 {
        let mut index = head.start;
        while index < head.end {
            let task = TaskId::new(head.layer, index);
            if self.may_start(task, head) {
                break;
            }
            index = if head.is_opened() { self.tasks.next_in_vain(&self.graph, task) } else { index + 1 };
        }
        index.min(head.end) - head.start
    }

    pub fn may_start(&self, task: TaskId, head: &Head) -> bool {
        match self.tasks.record(task).tag {
            Tag::Ready => self.tasks.is_needed(task) && !self.suspects.contains(task),
            Tag::Untouched if head.is_opened() => {
                self.tasks.is_needed(task) && self.tasks.count_missing(&self.graph, task) == 0
            }
            Tag::Untouched if head.is_source() => {
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

    pub fn output_bytes(&self, layer: LayerId) -> u64 {
        self.estimates[layer.0 as usize].output_bytes(&self.graph.layer(layer).cost)
    }

    /// About how many bytes `task` reads.
    pub fn input_bytes(&self, task: TaskId) -> u64 {
        match &self.graph.layer(task.layer).shape {
            // Of each producer it reads only its own part.
            Shape::Exchange { input, producers, consumers } => {
                self.output_bytes(*input).saturating_mul(*producers) / (*consumers).max(1)
            }
            Shape::Reduce { input, .. } | Shape::Overlap { input, .. } => {
                self.output_bytes(*input).saturating_mul(self.graph.input_count(task))
            }
            Shape::Map { inputs, .. } => {
                inputs.iter().map(|input| self.output_bytes(input.layer)).fold(0, u64::saturating_add)
            }
            Shape::Concatenate(parts) => self.output_bytes(parts.input_of(task.index).layer),
            Shape::Explicit(explicit) => {
                let looked_at = explicit.inputs(task.layer, task.index).take(INPUTS_LOOKED_AT as usize);
                let bytes: u64 = looked_at.map(|input| self.output_bytes(input.layer)).sum();
                bytes.saturating_mul(self.graph.input_count(task).div_ceil(INPUTS_LOOKED_AT).max(1))
            }
        }
    }

    /// Who holds inputs of `task`, and how many bytes each, as far as they are looked at: what `known` holds is.
    pub fn holders(&self, others: OtherRuns, task: TaskId, known: WorkerId) -> SmallVec<[(WorkerId, u64); 8]> {
        let mut holders = SmallVec::<[(WorkerId, u64); 8]>::new();
        self.graph.for_first_inputs(task, INPUTS_LOOKED_AT, |input| {
            // A result without bytes still has to be fetched, which takes as long as a few thousand bytes would.
            let bytes = self.output_bytes(input.layer).max(4096);
            let located = self.locate(others, input);
            let first = located.holder();
            let copies = located.copies().filter(|&other| other != known).take(COPIES_LOOKED_AT);
            let known = Some(known).filter(|&known| known != first && located.is_at(known));
            for worker in std::iter::once(first).chain(known).chain(copies) {
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
    pub fn transfer_dominates(&self, task: TaskId) -> bool {
        let cost = &self.graph.layer(task.layer).cost;
        let nanoseconds = self.estimates[task.layer.0 as usize].nanoseconds(cost).unwrap_or(0);
        self.input_bytes(task) >= nanoseconds
    }

    /// Who holds the first of what `task` reads: neighbours that agree in it may go together.
    pub fn first_holder(&self, others: OtherRuns, task: TaskId) -> Option<WorkerId> {
        let mut holder = None;
        self.graph.for_first_inputs(task, 1, |input| {
            holder.get_or_insert_with(|| self.locate(others, input).holder());
        });
        holder
    }

    /// What `worker` has to fetch for `tasks`, beside what they make for one another.
    fn fetches(&self, others: OtherRuns, worker: WorkerId, attempt: Attempt, tasks: &[TaskRange]) -> Vec<Fetch> {
        let mut missing = vec![];
        let mut exchanges = SmallVec::<[LayerId; 4]>::new();
        for range in tasks {
            // Tasks of an all-to-all layer read the same.
            let is_exchange = matches!(self.graph.layer(range.layer).shape, Shape::Exchange { .. });
            if is_exchange && exchanges.contains(&range.layer) {
                continue;
            }
            exchanges.extend(is_exchange.then_some(range.layer));
            for reader in range.tasks().take(if is_exchange { 1 } else { usize::MAX }) {
                self.graph.for_each_input(reader, |input| {
                    let located = self.locate(others, input);
                    if !located.is_at(worker) && !self.tasks.is_current(input, attempt) {
                        let unread = self.tasks.all_unread(&self.graph, input, self.tasks.record(input));
                        let is_read_again = located.stays() || unread + located.reads_elsewhere() > 1;
                        let run = located.owner.map_or(self.id, |(run, _)| run);
                        missing.push(((located.holder(), is_read_again, run), located.task));
                    }
                });
            }
        }
        missing.sort_unstable();
        missing.dedup();
        let mut ranges = vec![];
        missing.into_iter().for_each(|(from, input)| push_for(&mut ranges, from, input));
        ranges.into_iter().map(|((from, keep, run), tasks)| Fetch { run, from, tasks, keep }).collect()
    }
}

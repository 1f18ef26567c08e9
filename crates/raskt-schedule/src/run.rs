//! One submitted graph.

use crate::estimate::Estimate;
use crate::links::imports::Imports;
use crate::needed::needed_for;
use crate::needs::Need;
use crate::queue::{Head, HeadTurn};
use crate::requirement::Requirement;
use crate::suspects::{CrashSuspects, Group, InVain};
use crate::task::Tag;
use crate::task_set::TaskSet;
use crate::tasks::Tasks;
use crate::{Attempt, Failure, FailureScope, Progress, RunId, StallCause, TaskRange, WorkerId};
use raskt_graph::{Graph, LayerId, TaskId};
use smallvec::SmallVec;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;

#[derive(Debug)]
pub(crate) struct Run {
    /// Its number, once a scheduler has it.
    pub id: RunId,
    pub graph: Arc<Graph>,
    pub tasks: Tasks,
    /// By layer.
    pub estimates: Vec<Estimate>,
    /// What layers ask of workers, by class; the first asks for nothing.
    pub classes: Vec<Option<Arc<Requirement>>>,
    /// The numbers of these, among those of all runs.
    pub needs: Vec<Need>,
    /// Tasks that may have killed workers.
    pub suspects: CrashSuspects,
    /// Whether it comes further though workers die.
    pub in_vain: InVain,
    /// What those of them require that look for a worker, and its class.
    pub sought: SmallVec<[(Need, u32); 2]>,
    /// How often workers have said of a task that they didn't run it, without a cause that is known here.
    refusals: BTreeMap<TaskId, Refusals>,
    /// Workers that were given something of it, and have to be told when it is forgotten.
    known_to: BTreeSet<WorkerId>,
    /// Slots that tasks have lent while they wait for it, by their workers, until it has ended.
    lenders: BTreeMap<WorkerId, u64>,
    /// The run whose task submitted it, if that was there.
    pub parent: Option<RunId>,
    /// Whether tasks of that require something, which those that wait may lend.
    pub parent_requires: bool,
    /// The same of any run above.
    pub may_borrow: bool,
    /// Classes of it that require something and stand in line.
    requiring: u32,
    /// The client knows that all that it wants is there.
    pub is_finished: bool,
    /// What ends when a task of it fails.
    pub failure: FailureScope,
    /// What the client was told that it waits for.
    pub stalled: Option<StallCause>,
    /// Why it can't go on as things are, where others import from it and nobody may have to be told.
    pub blocked: Option<StallCause>,
    /// Its client has released it, and others import from it still.
    pub is_released: bool,
    /// How far it had come when that was added to what all runs have.
    pub counted: Progress,
}

impl Run {
    pub fn new(
        graph: Arc<Graph>,
        wanted: &[TaskRange],
        heeds_requirements: bool,
        imports: Option<Box<Imports>>,
    ) -> Self {
        let mut members = vec![TaskSet::Nothing; graph.layers().len()];
        for range in wanted {
            members[range.layer.0 as usize].insert(range.start..range.end, graph.layer(range.layer).len());
        }
        let (needed, steps) = needed_for(&graph, &members);
        let (classes, class_of_layers) = classes(&graph, heeds_requirements);
        let mut tasks = Tasks::new(&graph, members, needed, class_of_layers, imports);
        tasks.steps += steps;
        let estimates = vec![Estimate::default(); graph.layers().len()];
        Self {
            id: RunId(0),
            graph,
            tasks,
            estimates,
            needs: vec![],
            classes,
            suspects: CrashSuspects::default(),
            in_vain: InVain::default(),
            sought: SmallVec::new(),
            refusals: BTreeMap::new(),
            known_to: BTreeSet::new(),
            lenders: BTreeMap::new(),
            parent: None,
            parent_requires: false,
            may_borrow: false,
            requiring: 0,
            is_finished: false,
            failure: FailureScope::Run,
            stalled: None,
            blocked: None,
            is_released: false,
            counted: Progress::default(),
        }
    }

    /// Its tasks stand alone, or fail together.
    pub fn with_failure(mut self, failure: FailureScope) -> Self {
        self.failure = failure;
        self.tell_of_each();
        self
    }

    /// `worker` is given something of it; whether that is the first.
    pub fn know(&mut self, worker: WorkerId) -> bool {
        self.known_to.insert(worker)
    }

    /// Workers that were given something of it.
    pub fn known_to(&self) -> impl Iterator<Item = WorkerId> {
        self.known_to.iter().copied()
    }

    pub fn is_known_to(&self, worker: WorkerId) -> bool {
        self.known_to.contains(&worker)
    }

    /// Tasks of `worker` lend slots while they wait for it.
    pub fn lend(&mut self, worker: WorkerId, slots: u64) {
        *self.lenders.entry(worker).or_default() += slots;
    }

    /// `worker` gets back so many slots of those that it lends, at most: how many, and whether these were the last.
    pub fn take_back_lent(&mut self, worker: WorkerId, slots: u64) -> Option<(u64, bool)> {
        let lent = self.lenders.get_mut(&worker)?;
        let slots = slots.min(*lent);
        *lent -= slots;
        let is_over = *lent == 0;
        if is_over {
            self.lenders.remove(&worker);
        }
        Some((slots, is_over))
    }

    /// Nobody waits for it any more: who has lent slots, and how many.
    pub fn end_lending(&mut self) -> BTreeMap<WorkerId, u64> {
        mem::take(&mut self.lenders)
    }

    /// Workers whose tasks lend slots while they wait for it, and how many.
    pub fn lenders(&self) -> impl Iterator<Item = (WorkerId, u64)> {
        self.lenders.iter().map(|(&worker, &slots)| (worker, slots))
    }

    /// Slots that tasks of `worker` lend while they wait for it; never none.
    pub fn lent_by(&self, worker: WorkerId) -> Option<u64> {
        self.lenders.get(&worker).copied()
    }

    /// A worker is gone, with what it `held` of the run by layer, and all that waited for it there.
    pub fn lose_worker(&mut self, worker: WorkerId, held: &[(LayerId, u64)]) {
        self.known_to.remove(&worker);
        self.lenders.remove(&worker);
        self.tasks.lose_all_of(&self.graph, worker, held);
    }

    /// A class of it that requires something has come to stand in line, or stands there no longer.
    pub fn demand(&mut self, begins: bool) {
        self.requiring = if begins { self.requiring + 1 } else { self.requiring - 1 };
    }

    /// Classes of it that require something and stand in line.
    pub fn requiring(&self) -> u32 {
        self.requiring
    }

    /// Tasks of `attempt` that are still on it go back to be tried again.
    pub fn requeue(&mut self, attempt: Attempt, tasks: &[TaskRange]) {
        for &range in tasks {
            for task in self.tasks.current(range, attempt).collect::<SmallVec<[_; 64]>>() {
                self.tasks.again(&self.graph, task);
            }
        }
    }

    /// `worker` holds the result of `task`, which a client put there: it is done, though it hasn't run.
    pub fn give(&mut self, task: TaskId, worker: WorkerId) {
        self.tasks.give(&self.graph, task, worker);
        self.clear(task);
    }

    /// Something happened to the run. Suspects that aren't ready any more, whatever the reason, look for no worker, and the workers
    /// that were kept for them are given; if they get ready again they are suspects as before.
    pub fn withdraw_unready(&mut self) -> Vec<(Group, WorkerId)> {
        let unready = self.tasks.unready.iter_mut().flat_map(|unready| unready.drain(..));
        unready.for_each(|range| self.suspects.doubt_those_of(range));
        while let Some(group) = self.suspects.next_doubtful() {
            let mut tasks = self.suspects.tasks_of(group).into_iter().flat_map(TaskRange::tasks);
            if !tasks.any(|task| self.is_ready(task)) {
                self.suspects.withdraw(group);
            }
        }
        if self.suspects.is_empty() {
            self.tasks.unready = None;
        }
        self.suspects.take_freed()
    }

    fn is_ready(&self, task: TaskId) -> bool {
        self.tasks.is_needed(task) && self.tasks.record(task).tag == Tag::Ready
    }

    /// The first tasks of `head` can't start from there: suspects among them that are ready look for a worker of their own.
    pub fn pass_suspects(&mut self, head: Head, count: u64) {
        if self.suspects.is_empty() {
            return;
        }
        let passed = TaskRange { layer: head.layer, start: head.start, end: head.start + count };
        for task in self.suspects.within(passed).into_iter().flat_map(TaskRange::tasks) {
            self.tasks.steps += 1;
            if self.is_ready(task) {
                self.suspects.pass(task);
            }
        }
    }

    /// When the head of the queue of `class` has its turn.
    pub fn head_turn(&self, class: usize) -> Option<HeadTurn> {
        let head = self.tasks.queues[class].head()?;
        // There is nothing to compare the only one with: it isn't put in line anew with each hand-out.
        Some(if self.classes.len() == 1 { HeadTurn::of_only(head.priority) } else { head.turn() })
    }

    /// What the tasks of `class` require.
    pub fn requirement_of(&self, class: u32) -> Option<Arc<Requirement>> {
        self.classes[class as usize].clone()
    }

    /// Counts that a worker didn't run `task` and gave no cause; whether that counts as a failure by now.
    pub fn is_refused_too_often(&mut self, task: TaskId) -> bool {
        self.refusals.entry(task).or_default().add(1)
    }

    /// The same, where `worker` couldn't have what it reads of `from`, since whoever was to send that has died each time. Told by the one
    /// who held what couldn't be had before, it is of something else, which lies apart.
    pub fn is_deadly_too_often(&mut self, task: TaskId, worker: WorkerId, from: WorkerId) -> bool {
        let refusals = self.refusals.entry(task).or_default();
        let lie_apart = refusals.deadly_at.replace(from) == Some(worker);
        refusals.add(if lie_apart { REFUSALS } else { 1 })
    }

    /// `task` is done.
    pub fn clear(&mut self, task: TaskId) {
        self.suspects.clear(task);
        if !self.refusals.is_empty() {
            self.refusals.remove(&task);
        }
    }

    /// `task`, which isn't done, has failed for good, and with it what can't be computed without it. If it is run again one day it
    /// begins anew.
    pub fn fail(&mut self, task: TaskId, failure: Failure) {
        if self.is_unfinished(task) {
            self.clear(task);
            self.tasks.fail(&self.graph, &[TaskRange::one(task)], failure);
        }
    }

    /// Whether `task` is needed and has still to be done.
    pub fn is_unfinished(&self, task: TaskId) -> bool {
        self.tasks.is_needed(task) && self.tasks.record(task).tag.is_unfinished()
    }

    /// What `task` stands for has come into memory, and is about so large.
    pub fn come(&mut self, task: TaskId, bytes: u64) {
        self.estimates[task.layer.0 as usize].learn_bytes(1, bytes);
        self.tasks.come(&self.graph, task, bytes);
    }

    /// Bytes of the result of `task`, as those of its layer were told last.
    pub fn result_bytes(&self, task: TaskId) -> u64 {
        self.tasks.layers[task.layer.0 as usize].result_bytes
    }

    /// Given data is gone of which somebody needs something.
    pub fn fail_lost(&mut self) {
        for task in mem::take(&mut self.tasks.lost).into_iter().flat_map(TaskRange::tasks) {
            self.fail(task, Failure { run: self.id, task, worker: None, story: vec![] });
        }
    }

    /// Where nothing is missing that anybody needs, what it loses from now on is another matter than what it couldn't get together: its
    /// client may have let go of it, and others read it.
    pub fn note_whole(&mut self) {
        if self.tasks.counts.done == self.tasks.counts.total {
            self.in_vain = InVain::default();
        }
    }

    /// A task that fails ends no more than what can't be computed without it.
    pub fn goes_on(&self) -> bool {
        self.failure == FailureScope::Task || self.is_released
    }

    /// Whether others import tasks of it.
    pub fn has_importers(&self) -> bool {
        self.tasks.exports.as_ref().is_some_and(|exports| !exports.is_empty())
    }

    /// Whether nothing of it runs and nothing is ready, though results are missing.
    pub fn is_stuck(&self) -> bool {
        let counts = &self.tasks.counts;
        counts.unfinished_wanted > 0 && counts.running == 0 && counts.ready == 0
    }
}

/// Refusals without a cause that count as one failure: a worker that always refuses mustn't be asked for ever.
const REFUSALS: u32 = 16;

#[derive(Debug, Default)]
struct Refusals {
    count: u32,
    /// Who holds what couldn't be had last since its holders die of it.
    deadly_at: Option<WorkerId>,
}

impl Refusals {
    fn add(&mut self, weight: u32) -> bool {
        self.count += weight;
        let is_too_often = self.count >= REFUSALS;
        self.count %= REFUSALS;
        is_too_often
    }
}

/// The different requirements of a graph, and which of them each layer has.
fn classes(graph: &Graph, heeds_requirements: bool) -> (Vec<Option<Arc<Requirement>>>, Vec<u32>) {
    let mut classes: Vec<Option<Arc<Requirement>>> = Vec::from([None]);
    let mut known: BTreeMap<Requirement, u32> = BTreeMap::new();
    let of_layers = graph.layers().map(|(_, layer)| {
        let requirement = Requirement::of(&layer.annotations);
        if requirement.is_none() || !heeds_requirements {
            return 0;
        }
        // There are no more classes than layers, which are numbered by `u32`.
        let next = classes.len() as u32;
        *known.entry(requirement).or_insert_with_key(|requirement| {
            classes.push(Some(Arc::new(requirement.clone())));
            next
        })
    });
    let of_layers = of_layers.collect();
    (classes, of_layers)
}

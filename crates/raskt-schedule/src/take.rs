//! Which tasks are handed out together: ready ones, and those that become ready by them.
//!
//! An assignment is put together as if its tasks were run while they are chosen: a task that waits for nothing but tasks of the
//! assignment (a *follower*) stands in line with the ready ones, in the same order. So a chain, or a small graph altogether,
//! costs one way to the worker and back.
//!
//! What an assignment makes is told when all of it has run. Followers are therefore taken only as long as nobody else could
//! have run them meanwhile (there is one), or others have enough to do (the share), or waiting is less than handing over.

pub(crate) mod batch;
pub(crate) mod draft;

use crate::estimate::Estimate;
use crate::gates::for_each_told;
use crate::links::located::OtherRuns;
use crate::queue::Head;
use crate::run::Run;
use crate::take::batch::Batch;
use crate::take::draft::{Draft, Kind, Limits, Root, Roots, Turn, Weight};
use crate::task::Tag;
use crate::task_set::TaskSet;
use crate::{TaskRange, WorkerId};
use raskt_graph::TaskId;
use smallvec::SmallVec;
use std::cmp::Reverse;
use std::collections::BinaryHeap;

/// Readers of a task that are looked at for followers; of more, the rest counts as left behind.
const READERS_LOOKED_AT: usize = 64;

impl Run {
    /// Takes ready tasks off a queue, from its `head` on, and what follows from them, and gives all of it to `worker`: about as
    /// much as the credit, one task if nothing is known about its time.
    pub fn take(&mut self, others: OtherRuns, class: usize, head: Head, worker: WorkerId, limits: Limits) -> Batch {
        let first = TaskId::new(head.layer, head.start);
        let mut draft = self.draft(others, first, worker, limits);
        let locality_matters = limits.locality_matters && self.transfer_dominates(first);
        let holder = locality_matters.then(|| self.first_holder(others, first));
        let mut roots = Roots { class, head: Some(head), taken: 1, next: None, holder };
        // It was admitted already.
        self.admits(&mut draft, first);
        let weight = self.weight(first);
        let with_followers = !self.is_filled_by_ready(first, weight, limits);
        self.add(&mut draft, first, weight, with_followers);
        while let Some((task, weight)) = self.next_task(&mut draft, &mut roots) {
            self.add(&mut draft, task, Some(weight), with_followers);
        }
        self.leave(&mut roots);
        self.batch(draft)
    }

    /// Gives those of `tasks`, which are of one class, that are ready to `worker`, past the queue; with what follows from them,
    /// if so it is said.
    pub fn take_these(
        &mut self,
        others: OtherRuns,
        tasks: &[TaskRange],
        worker: WorkerId,
        limits: Limits,
        with_followers: bool,
    ) -> Option<Batch> {
        let mut ready = self.ready_of(tasks).into_iter().flat_map(TaskRange::tasks);
        let first = ready.next()?;
        let mut draft = self.draft(others, first, worker, limits);
        for task in std::iter::once(first).chain(ready) {
            let weight = self.weight(task);
            self.add(&mut draft, task, weight, with_followers);
        }
        let mut roots = Roots { class: 0, head: None, taken: 0, next: None, holder: None };
        while let Some((task, weight)) = self.next_task(&mut draft, &mut roots) {
            self.add(&mut draft, task, Some(weight), true);
        }
        Some(self.batch(draft))
    }

    /// Those of `tasks` that are ready.
    pub fn ready_of(&self, tasks: &[TaskRange]) -> Vec<TaskRange> {
        let is_ready = |task: &TaskId| self.tasks.is_needed(*task) && self.tasks.record(*task).tag == Tag::Ready;
        let live = tasks.iter().flat_map(|&range| self.tasks.live_parts(range)).flat_map(TaskRange::tasks);
        TaskRange::of(live.filter(is_ready))
    }

    /// How many tasks like `task` make an assignment; one, where nobody knows how long they take.
    pub fn tasks_a_batch(&self, task: TaskId, limits: Limits) -> u64 {
        let each = self.weight(task).map(|weight| limits.credit / weight.nanoseconds.max(1));
        each.unwrap_or(1).max(1)
    }

    /// Gives `tasks`, which could all begin and have begun at `worker`, to it: these and no others.
    pub fn take_begun(
        &mut self,
        others: OtherRuns,
        tasks: &[TaskRange],
        worker: WorkerId,
        limits: Limits,
    ) -> Option<Batch> {
        let first = tasks.first().map(|range| TaskId::new(range.layer, range.start))?;
        let mut draft = self.draft(others, first, worker, limits);
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            let weight = self.weight(task);
            self.add(&mut draft, task, weight, false);
        }
        Some(self.batch(draft))
    }

    fn draft<'a>(&mut self, others: OtherRuns<'a>, first: TaskId, worker: WorkerId, limits: Limits) -> Draft<'a> {
        let attempt = self.tasks.begin_attempt();
        Draft {
            others,
            worker,
            attempt,
            limits,
            tasks: vec![],
            nanoseconds: 0,
            bytes: 0,
            kind: self.kind(first),
            layer: first.layer,
            count: 0,
            followers: BinaryHeap::new(),
            left_behind: 0,
            has_followers: false,
            added: 0,
            net: (limits.room < u64::MAX).then_some((first.layer, limits.net)),
        }
    }

    /// Whether the worker has memory for one more ready task.
    fn admits(&self, draft: &mut Draft, task: TaskId) -> bool {
        if draft.limits.room == u64::MAX {
            return true;
        }
        // Tasks of a layer are alike.
        let known = draft.net.filter(|(layer, _)| *layer == task.layer).map(|(_, net)| net);
        let net = known.unwrap_or_else(|| self.effect(draft.others, task).net());
        draft.net = Some((task.layer, net));
        let added = draft.added.saturating_add(net);
        if added <= draft.limits.room {
            draft.added = added;
        }
        added <= draft.limits.room
    }

    /// Whether ready tasks like `task` make an assignment by themselves, and nothing could be let go on the way, since all of it
    /// is wanted: followers would bring nothing.
    fn is_filled_by_ready(&self, task: TaskId, weight: Option<Weight>, limits: Limits) -> bool {
        let ready = limits.share.min(limits.ready);
        let is_filled = weight.is_none_or(|weight| ready.saturating_mul(weight.nanoseconds) >= limits.credit);
        is_filled && self.tasks.layers[task.layer.0 as usize].wanted == TaskSet::Everything
    }

    /// `Ready` or `Waiting` → `Running`, and looks at what follows.
    fn add(&mut self, draft: &mut Draft, task: TaskId, weight: Option<Weight>, with_followers: bool) {
        let nanoseconds = weight.map_or(draft.limits.credit, |weight| weight.nanoseconds);
        draft.nanoseconds = draft.nanoseconds.saturating_add(nanoseconds);
        draft.bytes = draft.bytes.saturating_add(weight.map_or(0, |weight| weight.bytes));
        draft.count += 1;
        TaskRange::push(&mut draft.tasks, task);
        self.tasks.hand_out(task, draft.worker, draft.attempt);
        if with_followers && !draft.is_full() {
            self.find_followers(draft, task);
        }
    }

    /// The next task of the draft: a ready one or a follower, whichever has its turn first.
    fn next_task(&mut self, draft: &mut Draft, roots: &mut Roots) -> Option<(TaskId, Weight)> {
        if draft.is_full() {
            return None;
        }
        if roots.next.is_none() {
            roots.next = self.next_root(draft, roots);
        }
        let follower = draft.followers.peek().copied();
        // What is left behind has its turn before tasks of other layers that are ready: nobody can start it before this
        // assignment ends, so nothing of theirs may make that later.
        let is_beside = |root: &Root| draft.left_behind == 0 || root.1.layer == draft.layer;
        // One without a turn, a source, is less than any turn: new work comes after what frees what was made.
        let is_first = |root: &Root| follower.is_none_or(|(turn, ..)| root.0 > Some(turn));
        if let Some((_, task, weight)) = roots.next.filter(|root| is_first(root) && is_beside(root)) {
            (roots.next, roots.taken) = (None, roots.taken + 1);
            return Some((task, weight));
        }
        let (_, task, weight) = follower?;
        // Then waiting for it costs nobody anything: nothing else could begin meanwhile.
        let is_only_one = draft.followers.len() as u64 + draft.left_behind == 1;
        if !draft.has_room_for(weight, is_only_one) {
            return None;
        }
        draft.followers.pop();
        draft.has_followers = true;
        Some((task, weight))
    }

    /// The next ready task, if it goes along; after one that doesn't, no more are taken.
    fn next_root(&mut self, draft: &mut Draft, roots: &mut Roots) -> Option<Root> {
        let (head, task) = self.peek(roots)?;
        let weight = self.weight(task).filter(|&weight| {
            let is_there = roots.holder.is_none_or(|holder| self.first_holder(draft.others, task) == holder);
            // What is admitted is counted at once: it is asked last, when nothing else can refuse the task.
            is_there && self.kind(task) == draft.kind && draft.has_room_for(weight, false) && self.admits(draft, task)
        });
        // Without a head none is ever found again: those behind it would overtake it.
        if weight.is_none() {
            self.leave(roots);
        }
        let turn = (!head.is_source()).then_some(Turn(head.layer, Reverse(head.start + roots.taken)));
        weight.map(|weight| (turn, task, weight))
    }

    /// The ready task at the head of the queue.
    fn peek(&mut self, roots: &mut Roots) -> Option<(Head, TaskId)> {
        let head = roots.head?;
        if head.start + roots.taken < head.end {
            // A queue says who may be ready: since it was put there it may have run, or not be needed any more.
            let task = TaskId::new(head.layer, head.start + roots.taken);
            if self.may_start(task, &head) {
                return Some((head, task));
            }
        }
        self.leave(roots);
        let head = self.find_startable(roots.class)?;
        (roots.head, roots.taken) = (Some(head), 0);
        Some((head, TaskId::new(head.layer, head.start)))
    }

    /// Takes what was taken off the queue.
    fn leave(&mut self, roots: &mut Roots) {
        if let Some(head) = roots.head.take() {
            self.tasks.queues[roots.class].advance(head, roots.taken, roots.taken);
        }
    }

    /// Finds the tasks that waited for nothing but `task` and others of the draft.
    fn find_followers(&mut self, draft: &mut Draft, task: TaskId) {
        let Self { graph, tasks, .. } = self;
        if graph.op_of(task.layer).flags.gives_stored {
            return;
        }
        let (mut found, mut looked_at) = (SmallVec::<[TaskId; 8]>::new(), 0);
        for &id in graph.readers_of(task) {
            tasks.steps += 1;
            let layer = &tasks.layers[id.0 as usize];
            if layer.exchange.is_some() {
                // Its consumers wait for all producers, and are counted and not listed.
                continue;
            }
            // Many wait for it at a gate, which opens when all of the assignment has run.
            if tasks.feeds_gates(task.layer) {
                let behind = tasks.reads_at_gates(graph, id, task).fold(0, u64::saturating_add);
                draft.left_behind = draft.left_behind.saturating_add(behind);
            }
            for_each_told(graph, id, layer.gated(), task, |index| {
                looked_at += 1;
                if looked_at > READERS_LOOKED_AT {
                    draft.left_behind += 1;
                } else if tasks.waits_only_for(graph, draft.attempt, TaskId::new(id, index)) {
                    found.push(TaskId::new(id, index));
                }
            });
        }
        // Nobody but this assignment can start what waits for nothing else: it goes along, or counts as kept waiting.
        for follower in found {
            let turn = Turn(follower.layer, Reverse(follower.index));
            match self.weight(follower).filter(|_| self.may_follow(draft, follower)) {
                Some(weight) => draft.followers.push((turn, follower, weight)),
                None => draft.left_behind += 1,
            }
        }
    }

    fn may_follow(&self, draft: &Draft, task: TaskId) -> bool {
        let is_fit = self.kind(task) == draft.kind && !self.suspects.contains(task);
        is_fit && (!draft.limits.locality_matters || self.is_all_at(draft, task))
    }

    /// Whether all that `task` reads and isn't made by the draft is held by the draft's worker.
    fn is_all_at(&self, draft: &Draft, task: TaskId) -> bool {
        let mut all = true;
        self.graph.for_each_input(task, |input| {
            all &= self.tasks.is_current(input, draft.attempt) || self.locate(draft.others, input).is_at(draft.worker);
        });
        all
    }

    fn kind(&self, task: TaskId) -> Kind {
        let layer = &self.tasks.layers[task.layer.0 as usize];
        Kind { class: layer.class, priority: layer.priority, op: self.graph.op_of(task.layer).kind }
    }

    /// What `task` adds to an assignment; nothing if nobody knows how long it takes.
    fn weight(&self, task: TaskId) -> Option<Weight> {
        let cost = &self.graph.layer(task.layer).cost;
        let estimate = &self.estimates[task.layer.0 as usize];
        let nanoseconds = estimate.nanoseconds(cost)?;
        let own = estimate.output_bytes(cost) + Estimate::scratch_bytes(cost);
        let bytes = own.saturating_add(self.input_bytes(task));
        Some(Weight { nanoseconds: nanoseconds.max(1), bytes })
    }
}

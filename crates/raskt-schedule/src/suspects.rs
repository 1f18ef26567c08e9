//! Tasks of a run that may be what killed their workers.
//!
//! What a worker was executing when it died comes back as if nothing had been, and is remembered. What was there again when
//! another one died is suspected, and so is what was only near too often (a worker may die before it can say that it has begun).
//! Suspects run alone from then on: nothing else is on their worker. But not one by one: those that a worker was executing when it
//! died are a *group*, which runs as a whole, as many of it at a time as there are threads, and only if its worker dies as well is it
//! split. So deaths cost little where nobody is to blame, be the tasks as long as they may and the threads many, and a poisonous task
//! among a thousand is found by a few deaths. Groups of other runs may be with it: of these ever fewer are as well. Deaths while a task was alone count against it; with the last one allowed it is failed.
//! Whatever ends without a death is forgotten here.
//!
//! While a suspect waits for a run, others may use its slot, and what it waits for may run there: when the worker dies then, or when
//! the suspect has gone on beside them, nobody knows which of them it was. It may be the same each time, though. So of such deaths
//! three count as one, whoever was beside it: no task kills workers without end.

mod vain;

pub(crate) use vain::InVain;

use crate::{Attempt, RunId, TaskRange, WorkerId};
use raskt_graph::TaskId;
use serde::{Deserialize, Serialize};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// What is remembered of the tasks of a run that were near the deaths of workers.
#[derive(Debug, Default)]
pub(crate) struct CrashSuspects {
    /// By their first task; none touches the next. Empty as long as no worker dies.
    stretches: BTreeMap<TaskId, Stretch>,
    groups: BTreeMap<Group, Members>,
    next: u32,
    /// Groups that have ready tasks and that no worker is kept for, by what they require.
    ready: BTreeSet<(u32, Group)>,
    /// Groups that look for a worker or have one, and of which it isn't known whether any task is still ready.
    doubtful: BTreeSet<Group>,
    /// Workers that were kept for groups which need them no longer.
    freed: Vec<(Group, WorkerId)>,
}

/// The number of a group of suspects in its run.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Group(u32);

/// Neighbours with the same past.
#[derive(Clone, Debug)]
struct Stretch {
    end: u64,
    story: Arc<Story>,
    /// The group that they run with, if they are suspects.
    group: Option<Group>,
}

/// Suspects that run together, and nothing with them.
#[derive(Debug)]
struct Members {
    /// Where their stretches begin.
    starts: BTreeSet<TaskId>,
    /// What they require, by its class in their run.
    class: u32,
    /// With how many groups they may be on a worker, themselves included: of other runs, which looked as they do.
    together: u64,
    /// The worker that is kept for them, which has still other things to do.
    worker: Option<WorkerId>,
}

/// The deaths that tasks were near, the last first.
#[derive(Debug)]
struct Story {
    death: Death,
    /// It was a suspect that had begun, and not alone with its group, which was so large.
    beside: Option<u64>,
    before: Option<Arc<Story>>,
}

/// The death of a worker that had a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Death {
    /// The worker.
    pub worker: WorkerId,
    /// Tasks of other assignments that it was executing, and tasks of the same assignment.
    pub others: u64,
    /// It had nothing but this task, so that nothing else can be to blame.
    pub alone: bool,
    /// It had said that it had begun.
    pub started: bool,
    /// It counts in part: as many of such make one of those that the task is the only reason of.
    pub in_part: bool,
}

impl Death {
    /// How many of these count, as one each.
    pub fn count(deaths: impl IntoIterator<Item = Self>) -> usize {
        let (parts, others): (Vec<_>, Vec<_>) = deaths.into_iter().partition(|death| death.in_part);
        others.into_iter().filter(|death| death.alone).count() + parts.len() / NEAR_DEATHS
    }
}

/// The groups that a worker had when it died.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Company {
    pub groups: u64,
    /// It had nothing else.
    pub is_all: bool,
}

/// What was being executed in so many deaths is suspected.
const STARTED_DEATHS: usize = 2;

/// After so many deaths near a task it is a suspect, whether it had begun or not. And so many deaths of workers that had a
/// suspect alone, and didn't say that they had begun, count as one; and so many of those that had something beside it.
const NEAR_DEATHS: usize = 3;

/// Parts into which a group is split whose worker died: as many runs as with halves until one task is left, and half the deaths.
const PARTS: u64 = 4;

impl Story {
    fn all(&self) -> impl Iterator<Item = &Self> {
        std::iter::successors(Some(self), |story| story.before.as_deref())
    }

    fn deaths(&self) -> impl Iterator<Item = Death> {
        self.all().map(|story| story.death)
    }

    fn makes_suspects(&self) -> bool {
        let started = self.deaths().filter(|death| death.started).take(STARTED_DEATHS).count();
        started == STARTED_DEATHS || self.deaths().take(NEAR_DEATHS).count() == NEAR_DEATHS
    }

    /// How many deaths count against the task.
    fn count(&self) -> u32 {
        Death::count(self.deaths()) as u32
    }

    /// In how many deaths something was beside the suspect, when it was in such a group.
    fn count_beside(&self, is_group: impl Fn(u64) -> bool) -> usize {
        self.all().filter_map(|story| story.beside).filter(|&group| is_group(group)).count()
    }
}

impl CrashSuspects {
    pub fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    /// Whether `task` may run only alone with its group.
    pub fn contains(&self, task: TaskId) -> bool {
        !self.groups.is_empty() && self.group_of(task).is_some()
    }

    /// Those of `tasks` that were near the death of a worker.
    pub fn within(&self, tasks: TaskRange) -> Vec<TaskRange> {
        let (from, to) = (TaskId::new(tasks.layer, tasks.start), TaskId::new(tasks.layer, tasks.end));
        let before = self.find(from).map(|(start, stretch)| (start, stretch.end));
        let later = self.stretches.range(from..to).map(|(&start, stretch)| (start, stretch.end));
        let all = before.filter(|(start, _)| *start < from).into_iter().chain(later);
        let cut = |(start, end): (TaskId, u64)| TaskRange {
            layer: tasks.layer,
            start: start.index.max(tasks.start),
            end: end.min(tasks.end),
        };
        all.map(cut).filter(|range| !range.is_empty()).collect()
    }

    fn find(&self, task: TaskId) -> Option<(TaskId, &Stretch)> {
        let (&start, stretch) = self.stretches.range(..=task).next_back()?;
        (start.layer == task.layer && task.index < stretch.end).then_some((start, stretch))
    }

    pub fn group_of(&self, task: TaskId) -> Option<Group> {
        self.find(task).and_then(|(_, stretch)| stretch.group)
    }

    /// A worker died that had `tasks`, all of which require the same `class`: what it had of one group, or of no group. If it had
    /// nothing else (`death.alone`), one of them is to blame, or nobody: they are split. The same if it had something else for the
    /// third time. Where it had other groups as well (`company`), fewer of them are together from now on. Says of a single suspect how
    /// many deaths count against it. Of what `only_waits` while something else runs none does, and nobody is split.
    pub fn note(
        &mut self,
        tasks: &[TaskRange],
        class: u32,
        death: Death,
        company: Option<Company>,
        only_waits: bool,
    ) -> Option<(TaskId, u32)> {
        let count = TaskRange::count(tasks);
        // Taken out first: what they were near decides what becomes of them, and they are put back with one death more.
        let (mut noted, mut group) = (0, None);
        let before = tasks.first().and_then(|range| self.group_of(TaskId::new(range.layer, range.start)));
        let before = before.map_or(u64::MAX, |group| self.together_of(group));
        let together = company.map_or(before, |company| (before.min(company.groups) / PARTS).max(1));
        // Who may be with others and was with them alone: one of these is to blame, or nobody.
        let is_tried = before > 1 && company.is_some_and(|company| company.is_all);
        let pieces: Vec<_> = tasks.iter().flat_map(|&range| self.cut(range)).collect();
        let suspects =
            || pieces.iter().filter_map(|(_, before)| before.as_ref().filter(|before| before.group.is_some()));
        let is_beside = !is_tried && !only_waits && death.started && !death.alone && suspects().next().is_some();
        let beside = is_beside.then_some(count);
        let times = suspects().map(|before| before.story.count_beside(|group| group > 1)).max().unwrap_or(0) + 1;
        let is_split = death.alone || beside.is_some() && times.is_multiple_of(NEAR_DEATHS);
        let part = if is_split { count.div_ceil(PARTS) } else { count };
        let alone = death.alone && count == 1;
        let death = Death { alone, in_part: alone && !death.started || beside == Some(1), ..death };
        for (mut piece, before) in pieces {
            let was_suspect = before.as_ref().is_some_and(|before| before.group.is_some());
            let story = Arc::new(Story { death, beside, before: before.map(|before| before.story) });
            let is_suspect = was_suspect || story.makes_suspects();
            while !piece.is_empty() {
                // Parts are counted over all pieces: a group may have some of several.
                if noted % part == 0 {
                    group = None;
                }
                let end = piece.end.min(piece.start + part - noted % part);
                if is_suspect && group.is_none() {
                    group = Some(self.add_group(class, together));
                }
                let stretch = Stretch { end, story: story.clone(), group: group.filter(|_| is_suspect) };
                self.put(TaskId::new(piece.layer, piece.start), stretch);
                (noted, piece.start) = (noted + end - piece.start, end);
            }
        }
        let is_counted = death.alone || beside == Some(1);
        let only = tasks.first().filter(|_| is_counted).map(|range| TaskId::new(range.layer, range.start))?;
        Some((only, self.find(only)?.1.story.count()))
    }

    fn add_group(&mut self, class: u32, together: u64) -> Group {
        let group = Group(self.next);
        self.next += 1;
        self.groups.insert(group, Members { starts: BTreeSet::new(), class, together, worker: None });
        group
    }

    fn put(&mut self, start: TaskId, stretch: Stretch) {
        if let Some(members) = stretch.group.and_then(|group| self.groups.get_mut(&group)) {
            members.starts.insert(start);
        }
        self.stretches.insert(start, stretch);
    }

    /// Takes `range` out, in pieces of one past each.
    fn cut(&mut self, range: TaskRange) -> Vec<(TaskRange, Option<Stretch>)> {
        let TaskRange { layer, mut start, end } = range;
        let mut pieces = vec![];
        while start < end {
            let first = TaskId::new(layer, start);
            let (next, found) = match self.find(first).map(|(at, stretch)| (at, stretch.end.min(end))) {
                Some((at, next)) => (next, self.cut_out(at, start, next)),
                // Nothing is known of it up to the next stretch.
                None => {
                    let next = self.stretches.range(first..).next().filter(|(next, _)| next.layer == layer);
                    (next.map_or(end, |(next, _)| next.index.min(end)), None)
                }
            };
            pieces.push((TaskRange { layer, start, end: next }, found));
            start = next;
        }
        pieces
    }

    /// Takes the tasks from `start` to `end` out of the stretch that begins at `at`.
    fn cut_out(&mut self, at: TaskId, start: u64, end: u64) -> Option<Stretch> {
        let stretch = self.stretches.remove(&at)?;
        if let Some(members) = stretch.group.and_then(|group| self.groups.get_mut(&group)) {
            members.starts.remove(&at);
        }
        if at.index < start {
            self.put(at, Stretch { end: start, ..stretch.clone() });
        }
        if end < stretch.end {
            self.put(TaskId::new(at.layer, end), stretch.clone());
        }
        // Not before what is left of it is back: a group that still has members keeps its worker.
        stretch.group.into_iter().for_each(|group| self.shrink(group));
        Some(stretch)
    }

    /// Some tasks of `group` are gone: so is the group if they were the last, and what is left may not be ready.
    fn shrink(&mut self, group: Group) {
        if self.groups.get(&group).is_some_and(|members| members.starts.is_empty()) {
            self.withdraw(group);
            self.groups.remove(&group);
        }
        self.doubt(group);
    }

    fn doubt(&mut self, group: Group) {
        if self.is_sought(group) {
            self.doubtful.insert(group);
        }
    }

    /// Some of `tasks` were ready, and aren't any more.
    pub fn doubt_those_of(&mut self, tasks: TaskRange) {
        for part in self.within(tasks) {
            self.group_of(TaskId::new(part.layer, part.start)).into_iter().for_each(|group| self.doubt(group));
        }
    }

    /// A group of which it has to be found out whether any task is ready.
    pub fn next_doubtful(&mut self) -> Option<Group> {
        self.doubtful.pop_first()
    }

    /// `task` ended without a death.
    pub fn clear(&mut self, task: TaskId) {
        if !self.is_empty()
            && let Some((at, _)) = self.find(task)
        {
            self.cut_out(at, task.index, task.index + 1);
        }
    }

    /// The deaths that `task` was near, in order.
    pub fn story_of(&self, task: TaskId) -> Vec<Death> {
        let mut deaths: Vec<_> =
            self.find(task).map(|(_, stretch)| stretch.story.deaths().collect()).unwrap_or_default();
        deaths.reverse();
        deaths
    }

    /// Forgets `task`, and gives the deaths that it was near, in order.
    pub fn take_story(&mut self, task: TaskId) -> Vec<Death> {
        let deaths = self.story_of(task);
        self.clear(task);
        deaths
    }

    /// `task` stood in line and was passed, since only its group may be handed out.
    pub fn pass(&mut self, task: TaskId) {
        if let Some(group) = self.group_of(task) {
            self.offer(group, false);
        }
    }

    /// A group may have ready tasks, and looks for a worker unless it has one; or it has lost the one it had.
    pub fn offer(&mut self, group: Group, has_lost_worker: bool) {
        if let Some(members) = self.groups.get_mut(&group) {
            members.worker = members.worker.filter(|_| !has_lost_worker);
            if members.worker.is_none() {
                self.ready.insert((members.class, group));
            }
        }
    }

    /// No task of `group` is ready any more: it looks for no worker, and has none.
    pub fn withdraw(&mut self, group: Group) {
        if let Some(members) = self.groups.get_mut(&group) {
            self.freed.extend(members.worker.take().map(|worker| (group, worker)));
            self.ready.remove(&(members.class, group));
        }
    }

    /// Nobody needs the tasks of any group.
    pub fn withdraw_all(&mut self) {
        let groups: Vec<_> = self.groups.keys().copied().collect();
        groups.into_iter().for_each(|group| self.withdraw(group));
    }

    /// Workers that were kept for groups which need them no longer, since this was last asked.
    pub fn take_freed(&mut self) -> Vec<(Group, WorkerId)> {
        std::mem::take(&mut self.freed)
    }

    /// The worker that is kept for `group`, which it hasn't been given yet.
    pub fn worker_of(&self, group: Group) -> Option<WorkerId> {
        self.groups.get(&group)?.worker
    }

    /// Whether a group looks for a worker, or has one that it hasn't been given to yet.
    fn is_sought(&self, group: Group) -> bool {
        let is_sought = |members: &Members| members.worker.is_some() || self.ready.contains(&(members.class, group));
        self.groups.get(&group).is_some_and(is_sought)
    }

    /// All groups of which that is so.
    pub fn all_sought(&self) -> impl Iterator<Item = Group> {
        self.groups.keys().copied().filter(|&group| self.is_sought(group))
    }

    /// Whether a group looks for a worker.
    pub fn has_ready(&self) -> bool {
        !self.ready.is_empty()
    }

    /// The first group that looks for a worker and requires `class` or a later one.
    pub fn first_ready(&self, class: u32) -> Option<(u32, Group)> {
        self.ready.range((class, Group(0))..).next().copied()
    }

    /// `worker` is kept for `group`, and no other one is.
    pub fn found_worker(&mut self, group: Group, worker: WorkerId) {
        if let Some(members) = self.groups.get_mut(&group) {
            members.worker = Some(worker);
            self.ready.remove(&(members.class, group));
        }
    }

    /// The worker of `group` is free for its tasks, of which those are handed out that are ready. Others may become so.
    pub fn leave_to_worker(&mut self, group: Group) -> Vec<TaskRange> {
        let Some(members) = self.groups.get_mut(&group) else { return vec![] };
        members.worker = None;
        self.tasks_of(group)
    }

    pub fn tasks_of(&self, group: Group) -> Vec<TaskRange> {
        let Some(members) = self.groups.get(&group) else { return vec![] };
        let range = |&TaskId { layer, index }: &TaskId| {
            let end = self.stretches.get(&TaskId::new(layer, index))?.end;
            Some(TaskRange { layer, start: index, end })
        };
        members.starts.iter().filter_map(range).collect()
    }

    /// The requirement of `group`, by its class.
    pub fn class_of(&self, group: Group) -> Option<u32> {
        self.groups.get(&group).map(|members| members.class)
    }

    /// With how many groups this one may be on a worker, itself included.
    pub fn together_of(&self, group: Group) -> u64 {
        self.groups.get(&group).map_or(1, |members| members.together)
    }

    /// Asserts that each fact is told once, and alike; gives each suspect, and whether its group looks for a worker or has one.
    pub fn validate(&self) -> Vec<(TaskId, bool)> {
        let mut suspects = vec![];
        let mut end = TaskId::new(raskt_graph::LayerId(0), 0);
        for (&start, stretch) in &self.stretches {
            assert!(start >= end && stretch.end > start.index, "stretches of what was near deaths overlap at {start}");
            end = TaskId::new(start.layer, stretch.end);
            let Some(group) = stretch.group else { continue };
            let members = self.groups.get(&group).expect("suspects are in a group that is there");
            assert!(members.starts.contains(&start), "{start} is in {group:?}, which doesn't know");
            let is_sought = self.is_sought(group);
            suspects.extend((start.index..stretch.end).map(|index| (TaskId::new(start.layer, index), is_sought)));
        }
        for (&group, members) in &self.groups {
            let is_of_group = |start| self.stretches.get(start).is_some_and(|stretch| stretch.group == Some(group));
            assert!(!members.starts.is_empty() && members.starts.iter().all(is_of_group), "members of {group:?}");
            let looks_for_one = self.ready.contains(&(members.class, group));
            assert!(members.worker.is_none() || !looks_for_one, "{group:?} has a worker");
        }
        assert!(self.doubtful.is_empty() && self.freed.is_empty(), "groups that may not be ready any more");
        let is_there = |(class, group): &(u32, Group)| self.class_of(*group) == Some(*class);
        assert!(self.ready.iter().all(is_there), "a group that is gone looks for a worker");
        suspects
    }
}

/// Why a worker gets nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Quarantine {
    pub run: RunId,
    pub group: Group,
    /// The hand-out; nothing while the worker has still other things to do.
    pub attempt: Option<Attempt>,
    /// It isn't moved to another worker: what they read is here, and nobody else can have it.
    pub stays: bool,
}

impl Quarantine {
    /// Whether a worker is kept for `group`, which it hasn't been given yet.
    pub fn awaits(&self, run: RunId, group: Group) -> bool {
        (self.run, self.group, self.attempt) == (run, group, None)
    }
}

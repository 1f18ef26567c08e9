//! What a client knows of the tasks of a run, where each stands alone: by ranges, and who watches which of them.

use super::failed::TaskFailed;
use super::kept::Kept;
use crate::ranges::RangeMap;
use crate::standing::meeting;
use raskt_graph::TaskId;
use raskt_schedule::{Held, Import, RunId, TaskRange, WorkerId};
use std::sync::Arc;

/// Where a task stands, as its client knows it.
#[derive(Clone, Debug)]
pub enum TaskState {
    /// Its result is still to come, or to come again.
    Pending,
    /// Its result is with a worker.
    Available,
    /// It won't come, unless that is asked for.
    Failed(Arc<TaskFailed>),
    /// Nobody wants it any more, or ever did.
    Released,
}

/// The same, with what is needed to fetch a result.
#[derive(Clone, Debug)]
pub(super) enum Place {
    Pending,
    Available {
        worker: WorkerId,
        /// Bytes of each, as far as is known.
        each: u64,
    },
    Failed(Arc<TaskFailed>),
    Released,
}

impl PartialEq for Place {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Pending, Self::Pending) | (Self::Released, Self::Released) => true,
            (Self::Available { worker, each }, Self::Available { worker: other, each: bytes }) => {
                (worker, each) == (other, bytes)
            }
            (Self::Failed(failed), Self::Failed(other)) => Arc::ptr_eq(failed, other),
            _ => false,
        }
    }
}

impl Place {
    /// Whether whoever waits for it needn't wait any more.
    pub fn is_settled(&self) -> bool {
        !matches!(self, Self::Pending)
    }

    /// Whether there will be no result.
    pub fn is_failed(&self) -> bool {
        matches!(self, Self::Failed(_) | Self::Released)
    }
}

/// The number of a watch.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct WatchId(pub u64);

/// The tasks of a run.
#[derive(Default)]
pub(super) struct TaskTable {
    places: RangeMap<Place>,
    watchers: RangeMap<Arc<[WatchId]>>,
    /// Small results that came along.
    small: RangeMap<Kept>,
    /// What of it stands for tasks of other runs.
    imports: Arc<[Import]>,
    /// Runs of data that have to come before anything of it is made; nothing if they are too many to tell.
    pub awaits: Option<Arc<[RunId]>>,
    pub stalled: Option<String>,
}

/// Tasks that stand otherwise than before, and one who watches them.
pub(super) struct Change {
    pub watch: WatchId,
    pub tasks: TaskRange,
    pub before: Place,
    pub now: Place,
}

impl TaskTable {
    /// One of which `wanted` is to come.
    pub fn new(wanted: &[TaskRange]) -> Self {
        let mut table = Self { awaits: Some(Arc::default()), ..Self::default() };
        wanted.iter().for_each(|&range| table.want(range));
        table
    }

    /// The same, some of whose tasks stand for those of other runs.
    pub fn standing_for(self, imports: Arc<[Import]>) -> Self {
        debug_assert!(imports.is_sorted_by_key(|import| import.tasks));
        Self { imports, ..self }
    }

    /// The same, which waits for the data of these runs.
    pub fn awaiting(self, awaits: Option<Arc<[RunId]>>) -> Self {
        Self { awaits, ..self }
    }

    /// These tasks, of which nothing was known so far, are to come as well.
    pub fn want(&mut self, tasks: TaskRange) {
        self.places.set(tasks, Place::Pending);
    }

    /// Whether some of these tasks have still to come.
    pub fn is_to_come(&self, tasks: TaskRange) -> bool {
        self.places.within(tasks).iter().any(|(_, place)| *place == Place::Pending)
    }

    /// Under which names workers know the results of `tasks` of this run: parts of it, and what each is called.
    pub fn names(&self, run: RunId, tasks: TaskRange) -> Vec<(TaskRange, RunId, TaskRange)> {
        let (mut names, mut next) = (vec![], tasks.start);
        let own = |start, end| (TaskRange { start, end, ..tasks }, run, TaskRange { start, end, ..tasks });
        for import in meeting(&self.imports, tasks) {
            let (start, end) = (import.tasks.start.max(tasks.start), import.tasks.end.min(tasks.end));
            names.push(own(next, start));
            let from = import.source_of(TaskId::new(tasks.layer, start)).index;
            let source = TaskRange { layer: import.from.layer, start: from, end: from + (end - start) };
            names.push((TaskRange { start, end, ..tasks }, import.run, source));
            next = end;
        }
        names.push(own(next, tasks.end));
        names.retain(|(part, ..)| !part.is_empty());
        names
    }

    pub fn place(&self, task: TaskId) -> Place {
        self.places.get(task).cloned().unwrap_or(Place::Released)
    }

    /// Where tasks stand, all of them, in order.
    pub fn within(&self, tasks: TaskRange) -> Vec<(TaskRange, Place)> {
        let (mut all, mut next) = (vec![], tasks.start);
        for (part, place) in self.places.within(tasks) {
            all.push((TaskRange { start: next, end: part.start, ..tasks }, Place::Released));
            all.push((part, place));
            next = part.end;
        }
        all.push((TaskRange { start: next, ..tasks }, Place::Released));
        all.retain(|(part, _)| !part.is_empty());
        all
    }

    /// `tasks` stand there from now on, but for those that aren't wanted. Gives what that is to those who watch them.
    pub fn set(&mut self, tasks: TaskRange, now: &Place) -> Vec<Change> {
        let mut changes = vec![];
        for (part, before) in self.places.within(tasks) {
            if before == Place::Released || before == *now {
                continue;
            }
            self.places.set(part, now.clone());
            self.small.cut(part);
            if before.is_settled() == now.is_settled() && before.is_failed() == now.is_failed() {
                continue;
            }
            for (tasks, watchers) in self.watchers.within(part) {
                let change = |&watch| Change { watch, tasks, before: before.clone(), now: now.clone() };
                changes.extend(watchers.iter().map(change));
            }
        }
        changes
    }

    /// Results have come.
    pub fn come(&mut self, results: &[Held]) -> Vec<Change> {
        let place = |held: &Held| Place::Available { worker: held.worker, each: held.bytes / held.tasks.len().max(1) };
        results.iter().flat_map(|held| self.set(held.tasks, &place(held))).collect()
    }

    /// Results are here.
    pub fn keep(&mut self, small: Kept) {
        for (part, place) in self.places.within(small.0.tasks()) {
            if matches!(place, Place::Available { .. }) {
                self.small.set(part, small.clone());
            }
        }
    }

    /// Those of `tasks` that are here.
    pub fn kept(&self, tasks: TaskRange) -> Vec<(TaskRange, Kept)> {
        self.small.within(tasks)
    }

    /// Results that were there are not any more.
    pub fn go(&mut self, tasks: TaskRange) -> Vec<Change> {
        let there = self.places.within(tasks).into_iter();
        let there: Vec<_> = there.filter(|(_, place)| matches!(place, Place::Available { .. })).collect();
        there.into_iter().flat_map(|(part, _)| self.set(part, &Place::Pending)).collect()
    }

    /// All that hasn't failed has.
    pub fn fail_all(&mut self, failed: Arc<TaskFailed>) -> Vec<Change> {
        let open = self.places.all().filter(|(_, place)| !place.is_failed()).map(|(part, _)| part).collect::<Vec<_>>();
        let failed = Place::Failed(failed);
        open.into_iter().flat_map(|part| self.set(part, &failed)).collect()
    }

    /// No result is there any more.
    pub fn go_all(&mut self) -> Vec<Change> {
        let all: Vec<_> = self.places.all().map(|(part, _)| part).collect();
        all.into_iter().flat_map(|part| self.go(part)).collect()
    }

    /// What of it is wanted.
    pub fn wanted(&self) -> Vec<TaskRange> {
        let wanted = self.places.all().filter(|(_, place)| **place != Place::Released);
        wanted.map(|(part, _)| part).collect()
    }

    /// Nothing of it is wanted any more.
    pub fn release_all(&mut self) -> Vec<Change> {
        let all: Vec<_> = self.places.all().map(|(part, _)| part).collect();
        all.into_iter().flat_map(|part| self.set(part, &Place::Released)).collect()
    }

    /// Because of what tasks of `tasks` have failed.
    pub fn roots(&self, tasks: &[TaskRange]) -> Vec<(RunId, TaskId)> {
        let places = tasks.iter().flat_map(|&range| self.places.within(range));
        let mut roots: Vec<_> = places.filter_map(|(_, place)| root_of(&place)).collect();
        roots.sort_unstable();
        roots.dedup();
        roots
    }

    /// What has failed because of one of `roots`, which are in order, is to come again.
    pub fn take_up(&mut self, roots: &[(RunId, TaskId)]) -> Vec<Change> {
        let is_of = |place: &Place| root_of(place).is_some_and(|root| roots.binary_search(&root).is_ok());
        let again: Vec<_> = self.places.all().filter(|(_, place)| is_of(place)).map(|(part, _)| part).collect();
        again.into_iter().flat_map(|part| self.set(part, &Place::Pending)).collect()
    }

    /// Somebody watches `tasks` from now on.
    pub fn add_watcher(&mut self, tasks: TaskRange, watch: WatchId) {
        let known = self.watchers.within(tasks);
        self.watchers.set(tasks, [watch].into());
        for (part, others) in known {
            self.watchers.set(part, others.iter().copied().chain([watch]).collect());
        }
    }

    /// Nobody of that number does.
    pub fn remove_watcher(&mut self, tasks: TaskRange, watch: WatchId) {
        for (part, watchers) in self.watchers.cut(tasks) {
            let left: Arc<[WatchId]> = watchers.iter().copied().filter(|other| *other != watch).collect();
            if !left.is_empty() {
                self.watchers.set(part, left);
            }
        }
    }

    #[cfg(test)]
    pub fn ranges(&self) -> usize {
        self.places.all().count()
    }
}

fn root_of(place: &Place) -> Option<(RunId, TaskId)> {
    match place {
        Place::Failed(failed) => failed.root(),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use raskt_graph::LayerId;

    const LAYER: LayerId = LayerId(0);

    fn range(start: u64, end: u64) -> TaskRange {
        TaskRange { layer: LAYER, start, end }
    }

    fn held(worker: u32, start: u64, end: u64) -> Held {
        Held { worker: WorkerId(worker), tasks: range(start, end), bytes: (end - start) * 8 }
    }

    #[test]
    fn a_million_results_take_as_many_entries_as_there_are_stretches_of_one_holder() {
        let mut table = TaskTable::new(&[range(0, 1_000_000)]);
        table.add_watcher(range(700_000, 700_001), WatchId(1));
        let mut seen = 0;
        for start in (0..1_000_000).step_by(100) {
            seen += table.come(&[held(u32::from(start >= 500_000), start, start + 100)]).len();
        }
        assert_eq!((table.ranges(), seen), (2, 1), "the one who watches a task hears of that alone");
        assert_eq!(table.go(range(10, 20)).len(), 0);
        assert_eq!(table.ranges(), 4);
    }

    proptest! {
        /// Whatever stands for something else has the name of that, and everything else its own.
        #[test]
        fn each_result_has_the_name_that_workers_know(
            parts in prop::collection::vec((0..3_u64, 1..5_u64, 0..90_u64), 0..12), (start, len) in (0..40_u64, 0..30_u64),
        ) {
            let (mut next, mut imports) = (0, vec![]);
            for (gap, len, from) in parts {
                let tasks = range(next + gap, next + gap + len);
                next = tasks.end;
                imports.push(Import { tasks, run: RunId(from), from: TaskId::new(LayerId(3), from) });
            }
            let table = TaskTable::new(&[]).standing_for(imports.clone().into());
            let (tasks, own) = (range(start, start + len), RunId(1000));
            let names = table.names(own, tasks).into_iter().flat_map(|(part, run, source)| {
                part.tasks().zip(source.tasks()).map(move |(task, source)| (task, run, source))
            });
            let expected = tasks.tasks().map(|task| {
                let import = imports.iter().find(|import| import.tasks.contains(task));
                import.map_or((task, own, task), |import| (task, import.run, import.source_of(task)))
            });
            prop_assert!(names.eq(expected));
        }

        /// Whoever watches tasks hears of each of them whenever it settles or no longer is, and of no others.
        #[test]
        fn watchers_hear_of_their_tasks(
            watches in prop::collection::vec((0..40_u64, 0..12_u64), 1..5),
            gone in 0..6_usize,
            steps in prop::collection::vec((0..4_u32, 0..40_u64, 1..9_u64), 0..40),
        ) {
            let mut table = TaskTable::new(&[range(0, 30)]);
            for (id, &(start, len)) in (0..).map(WatchId).zip(&watches) {
                table.add_watcher(range(start, start + len), id);
            }
            if let Some(&(start, len)) = watches.get(gone) {
                table.remove_watcher(range(start, start + len), WatchId(gone as u64));
            }
            let mut model: Vec<u8> = (0..60).map(|at| if at < 30 { 0 } else { 3 }).collect();
            for (step, start, len) in steps {
                let tasks = range(start, start + len);
                let (changes, now) = match step {
                    0 => (table.set(tasks, &Place::Pending), 0),
                    3 => (table.set(tasks, &Place::Released), 3),
                    worker => (table.come(&[held(worker, start, start + len)]), 1),
                };
                let mut heard: Vec<_> =
                    changes.iter().flat_map(|change| change.tasks.tasks().map(|task| (change.watch.0, task.index))).collect();
                let mut expected = vec![];
                for at in start..start + len {
                    let before = std::mem::replace(&mut model[at as usize], now);
                    if before == 3 {
                        model[at as usize] = 3;
                        continue;
                    }
                    let hears = |&(id, &(first, len)): &(usize, &(u64, u64))| id != gone && (first..first + len).contains(&at);
                    if before != now {
                        expected.extend(watches.iter().enumerate().filter(hears).map(|(id, _)| (id as u64, at)));
                    }
                }
                heard.sort_unstable();
                expected.sort_unstable();
                prop_assert_eq!(heard, expected);
            }
        }
    }
}

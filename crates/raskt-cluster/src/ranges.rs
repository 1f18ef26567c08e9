//! Something for each of many tasks, kept by ranges of neighbours of which the same is known.

use raskt_graph::{LayerId, TaskId};
use raskt_schedule::TaskRange;
use std::collections::BTreeMap;

/// By layer and first task, where a range ends and what is known of its tasks. None are empty, no two have a task in common, and
/// no two neighbours are alike.
#[derive(Clone, Debug)]
pub(crate) struct RangeMap<T>(BTreeMap<(LayerId, u64), (u64, T)>);

impl<T> Default for RangeMap<T> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<T: Clone + PartialEq> RangeMap<T> {
    /// What is known of `task`.
    pub fn get(&self, task: TaskId) -> Option<&T> {
        let (&(layer, _), (end, known)) = self.0.range(..=(task.layer, task.index)).next_back()?;
        (layer == task.layer && task.index < *end).then_some(known)
    }

    /// What is known of tasks of `tasks`, in order.
    pub fn within(&self, tasks: TaskRange) -> Vec<(TaskRange, T)> {
        let TaskRange { layer, start, end } = tasks;
        let before = self.0.range(..(layer, start)).next_back();
        let before = before.filter(|((of, _), (last, _))| *of == layer && *last > start);
        let after = self.0.range((layer, start)..(layer, end.max(start)));
        let part = |(&(_, first), (last, known)): (&(LayerId, u64), &(u64, T))| {
            (TaskRange { layer, start: first.max(start), end: end.min(*last) }, known.clone())
        };
        before.into_iter().chain(after).map(part).collect()
    }

    /// Everything that is known, in order.
    pub fn all(&self) -> impl Iterator<Item = (TaskRange, &T)> {
        self.0.iter().map(|(&(layer, start), (end, known))| (TaskRange { layer, start, end: *end }, known))
    }

    /// Nothing is known of `tasks` any more; gives what was, in order.
    pub fn cut(&mut self, tasks: TaskRange) -> Vec<(TaskRange, T)> {
        let TaskRange { layer, start, end } = tasks;
        let mut parts = vec![];
        if tasks.is_empty() {
            return parts;
        }
        // From the last one on, which may reach beyond; the first may begin before.
        while let Some((&(of, first), (last, _))) = self.0.range(..(layer, end)).next_back()
            && of == layer
            && *last > start
            && let Some((last, known)) = self.0.remove(&(of, first))
        {
            if last > end {
                self.0.insert((layer, end), (last, known.clone()));
            }
            if first < start {
                self.0.insert((layer, first), (start, known.clone()));
            }
            parts.push((TaskRange { layer, start: first.max(start), end: last.min(end) }, known));
        }
        parts.reverse();
        parts
    }

    /// This is what is known of `tasks` from now on.
    pub fn set(&mut self, tasks: TaskRange, known: T) {
        self.cut(tasks);
        let TaskRange { layer, mut start, mut end } = tasks;
        if tasks.is_empty() {
            return;
        }
        if let Some((&(of, first), (last, before))) = self.0.range(..(layer, start)).next_back()
            && of == layer
            && *last == start
            && *before == known
        {
            self.0.remove(&(layer, first));
            start = first;
        }
        if let Some((last, after)) = self.0.get(&(layer, end))
            && *after == known
        {
            let last = *last;
            self.0.remove(&(layer, end));
            end = last;
        }
        self.0.insert((layer, start), (end, known));
    }

    /// Of how many tasks something is known.
    pub fn count(&self) -> u64 {
        self.0.iter().map(|(&(_, start), (end, _))| end - start).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// It is a map from tasks, in as few ranges as can be.
        #[test]
        fn ranges_are_a_map(steps in prop::collection::vec((0..5_u32, 0..2_u32, 0..30_u64, 0..12_u64), 0..60)) {
            let (mut ranges, mut model) = (RangeMap::default(), BTreeMap::<TaskId, u32>::new());
            for (step, layer, start, len) in steps {
                let tasks = TaskRange { layer: LayerId(layer), start, end: start + len };
                let expected: Vec<_> = tasks.tasks().filter_map(|task| Some((task, *model.get(&task)?))).collect();
                let flat = |parts: Vec<(TaskRange, u32)>| {
                    parts.into_iter().flat_map(|(part, known)| part.tasks().map(move |task| (task, known))).collect::<Vec<_>>()
                };
                prop_assert_eq!(flat(ranges.within(tasks)), expected.clone());
                match step {
                    0 => {
                        prop_assert_eq!(flat(ranges.cut(tasks)), expected);
                        tasks.tasks().for_each(|task| _ = model.remove(&task));
                    }
                    known => {
                        ranges.set(tasks, known);
                        model.extend(tasks.tasks().map(|task| (task, known)));
                    }
                }
                prop_assert_eq!(ranges.count(), model.len() as u64);
                prop_assert_eq!(flat(ranges.all().map(|(part, &known)| (part, known)).collect()), model.clone().into_iter().collect::<Vec<_>>());
                for task in (0..45).map(|index| TaskId::new(LayerId(layer), index)) {
                    prop_assert_eq!(ranges.get(task), model.get(&task));
                }
                prop_assert_eq!(ranges.is_empty(), model.is_empty());
            }
        }
    }
}

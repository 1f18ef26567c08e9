//! Tasks that are still to be looked at.

use crate::TaskRange;
use crate::pages::Pages;
use raskt_graph::TaskId;
use std::collections::BTreeMap;

/// Tasks to be looked at, the last first: whoever reads a task comes after it, so that all readers are settled before
/// it. Neighbours are one entry, by the first of them; no two touch.
#[derive(Debug, Default)]
pub(crate) struct Worklist(BTreeMap<TaskId, u64>);

impl Worklist {
    /// Adds tasks; those that are in it already stay.
    pub fn insert(&mut self, tasks: TaskRange) {
        let TaskRange { layer, mut start, mut end } = tasks;
        if tasks.is_empty() {
            return;
        }
        while let Some((&first, &its_end)) = self.0.range(..=TaskId::new(layer, end)).next_back() {
            if first.layer != layer || its_end < start {
                break;
            }
            if first.index <= start && end <= its_end {
                return;
            }
            (start, end) = (start.min(first.index), end.max(its_end));
            self.0.remove(&first);
        }
        self.0.insert(TaskId::new(layer, start), end);
    }

    /// Takes the last of them: neighbours of one page, or one task if `is_single` says so of the last.
    pub fn pop(&mut self, is_single: impl Fn(TaskId) -> bool) -> Option<TaskRange> {
        let mut last = self.0.last_entry()?;
        let (first, end) = (*last.key(), *last.get());
        let start = match is_single(first) {
            true => end - 1,
            false => Pages::last_page(first.index..end).start,
        };
        if start > first.index {
            *last.get_mut() = start;
        } else {
            last.remove();
        }
        Some(TaskRange { layer: first.layer, start, end })
    }

    /// Takes the first of them, up to where `end_of` says of the first neighbours.
    pub fn pop_first(&mut self, end_of: impl Fn(TaskRange) -> u64) -> Option<TaskRange> {
        let (first, its_end) = self.0.pop_first()?;
        let tasks = TaskRange { layer: first.layer, start: first.index, end: its_end };
        let end = end_of(tasks).min(its_end);
        if end < its_end {
            self.0.insert(TaskId::new(first.layer, end), its_end);
        }
        Some(TaskRange { end, ..tasks })
    }

    /// All that is in it.
    pub fn ranges(&self) -> impl Iterator<Item = TaskRange> {
        self.0.iter().map(|(first, &end)| TaskRange { layer: first.layer, start: first.index, end })
    }

    /// Those of `tasks` that are in it.
    pub fn within(&self, tasks: TaskRange) -> Vec<TaskRange> {
        let TaskRange { layer, start, end } = tasks;
        let (from, to) = (TaskId::new(layer, start), TaskId::new(layer, end.max(start)));
        let before = self.0.range(..from).next_back().filter(|(first, _)| first.layer == layer);
        let all = before.into_iter().chain(self.0.range(from..to));
        let cut = |(first, its_end): (&TaskId, &u64)| TaskRange {
            layer,
            start: first.index.max(start),
            end: (*its_end).min(end),
        };
        all.map(cut).filter(|range| range.start < range.end).collect()
    }

    /// Those that aren't.
    pub fn gaps_in(&self, tasks: TaskRange) -> Vec<TaskRange> {
        let (mut gaps, mut start) = (vec![], tasks.start);
        for known in self.within(tasks) {
            gaps.push(TaskRange { start, end: known.start, ..tasks });
            start = known.end;
        }
        gaps.push(TaskRange { start, ..tasks });
        gaps.retain(|range| !range.is_empty());
        gaps
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use raskt_graph::LayerId;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn each_task_comes_once_and_the_last_first(
            added in prop::collection::vec((0..2_u32, 0..1500_u64, 0..600_u64), 0..12),
        ) {
            let (mut list, mut reference) = (Worklist::default(), BTreeSet::new());
            for (layer, start, count) in added {
                let tasks = TaskRange { layer: LayerId(layer), start, end: start + count };
                list.insert(tasks);
                reference.extend(tasks.tasks());
            }
            let mut found = vec![];
            while let Some(tasks) = list.pop(|task| task.layer == LayerId(1)) {
                prop_assert!(tasks.len() == 1 || tasks.layer == LayerId(0) && tasks.len() <= 512);
                found.extend(tasks.tasks().rev());
            }
            prop_assert!(found.into_iter().eq(reference.into_iter().rev()));
        }

        #[test]
        fn each_task_comes_once_and_the_first_first(
            added in prop::collection::vec((0..2_u32, 0..1500_u64, 0..600_u64), 0..12),
        ) {
            let (mut list, mut reference) = (Worklist::default(), BTreeSet::new());
            for (layer, start, count) in added {
                let tasks = TaskRange { layer: LayerId(layer), start, end: start + count };
                list.insert(tasks);
                reference.extend(tasks.tasks());
            }
            let mut found = vec![];
            for layer in (0..2).map(LayerId) {
                let asked = TaskRange { layer, start: 300, end: 1700 };
                let (within, gaps) = (list.within(asked), list.gaps_in(asked));
                let is_in = |tasks: &[TaskRange], task| tasks.iter().any(|range| range.contains(task));
                for task in asked.tasks() {
                    prop_assert_eq!((is_in(&within, task), is_in(&gaps, task)), (reference.contains(&task), !reference.contains(&task)));
                }
                prop_assert_eq!(TaskRange::count(&within) + TaskRange::count(&gaps), asked.len());
            }
            let one_or_a_page = |tasks: TaskRange| match tasks.layer {
                LayerId(1) => tasks.start + 1,
                _ => Pages::first_page(tasks.start..tasks.end).end,
            };
            while let Some(tasks) = list.pop_first(one_or_a_page) {
                prop_assert!(tasks.len() == 1 || tasks.layer == LayerId(0) && tasks.len() <= 512);
                found.extend(tasks.tasks());
            }
            prop_assert!(found.into_iter().eq(reference));
        }
    }
}

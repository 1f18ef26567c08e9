//! Who imports tasks of a run.
//!
//! An import is a range of any length. It is kept as blocks whose lengths are powers of two, and which begin at multiples of that: so
//! whoever imports a task is found with a search for each length that there is, however many others import its neighbours.

use crate::{Import, RunId, TaskRange};
use raskt_graph::{LayerId, TaskId};
use std::collections::{BTreeMap, BTreeSet};

/// The imports that others have of the tasks of a run, and what has become of these since they were last told.
#[derive(Debug, Default)]
pub(crate) struct Exports {
    /// By block: who imports it, and which task of his stands for the first of it.
    blocks: BTreeSet<(Block, RunId, TaskId)>,
    /// How many blocks there are of each length.
    lengths: BTreeMap<(LayerId, u32), u64>,
    /// Tasks that others need, and that have come, gone or failed.
    pub changed: Vec<TaskRange>,
}

/// Tasks of a layer: two to the power of the length, and so many such blocks after its first.
type Block = (LayerId, u32, u64);

impl Exports {
    pub fn is_empty(&self) -> bool {
        self.blocks.is_empty()
    }

    /// `run` imports some tasks.
    pub fn add(&mut self, run: RunId, import: &Import) {
        for (block, task) in blocks(import) {
            if self.blocks.insert((block, run, task)) {
                *self.lengths.entry((block.0, block.1)).or_default() += 1;
            }
        }
    }

    /// `run` is no more.
    pub fn remove(&mut self, run: RunId, import: &Import) {
        for (block, task) in blocks(import) {
            let length = (block.0, block.1);
            if self.blocks.remove(&(block, run, task))
                && let Some(count) = self.lengths.get_mut(&length)
            {
                *count -= 1;
                if *count == 0 {
                    self.lengths.remove(&length);
                }
            }
        }
    }

    /// Who imports some of `tasks`: the tasks of theirs that stand for these.
    pub fn within(&self, tasks: TaskRange) -> Vec<(RunId, TaskRange)> {
        let mut found = vec![];
        let TaskRange { layer, start, end } = tasks;
        if tasks.is_empty() {
            return found;
        }
        for &(_, length) in self.lengths.range((layer, 0)..=(layer, u32::MAX)).map(|(length, _)| length) {
            let first = ((layer, length, start >> length), RunId(0), TaskId::new(LayerId(0), 0));
            let past = ((layer, length, ((end - 1) >> length) + 1), RunId(0), TaskId::new(LayerId(0), 0));
            for &((_, _, at), run, task) in self.blocks.range(first..past) {
                let block = at << length;
                let (from, to) = (start.max(block), end.min(block + (1 << length)));
                let of_reader = |index: u64| task.index + (index - block);
                found.push((run, TaskRange { layer: task.layer, start: of_reader(from), end: of_reader(to) }));
            }
        }
        found
    }

    /// All that import something.
    pub fn importers(&self) -> BTreeSet<RunId> {
        self.blocks.iter().map(|&(_, run, _)| run).collect()
    }
}

/// The blocks of an import, with the tasks that stand for the first of each.
fn blocks(import: &Import) -> impl Iterator<Item = (Block, TaskId)> {
    let TaskRange { layer, start, end } = import.source();
    let (first, own) = (start, import.tasks);
    let mut next = start;
    std::iter::from_fn(move || {
        let left = end.checked_sub(next).filter(|left| *left > 0)?;
        let length = next.trailing_zeros().min(left.ilog2());
        let (block, task) = ((layer, length, next >> length), TaskId::new(own.layer, own.start + (next - first)));
        next += 1 << length;
        Some((block, task))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn import((own, from, len): (u64, u64, u64)) -> Import {
        let tasks = TaskRange { layer: LayerId(3), start: own, end: own + len };
        Import { tasks, run: RunId(0), from: TaskId::new(LayerId(1), from) }
    }

    proptest! {
        #[test]
        fn whoever_imports_a_task_is_found(
            imports in prop::collection::vec((0..90_u64, 0..200_u64, 1..70_u64), 1..12),
            removed in prop::collection::vec(any::<bool>(), 12),
            (start, len) in (0..260_u64, 0..40_u64),
        ) {
            let mut exports = Exports::default();
            let all: Vec<_> = (0..).map(RunId).zip(imports.into_iter().map(import)).collect();
            all.iter().for_each(|(run, import)| exports.add(*run, import));
            all.iter().zip(&removed).filter(|(_, gone)| **gone).for_each(|((run, import), _)| exports.remove(*run, import));
            let tasks = TaskRange { layer: LayerId(1), start, end: start + len };
            let found: BTreeSet<_> = exports.within(tasks).into_iter()
                .flat_map(|(run, range)| range.tasks().map(move |task| (run, task))).collect();
            let left = all.iter().zip(&removed).filter(|(_, gone)| !**gone).map(|(one, _)| one);
            let expected: BTreeSet<_> = left.flat_map(|(run, import)| {
                import.tasks.tasks().filter(|&task| tasks.contains(import.source_of(task))).map(move |task| (*run, task))
            }).collect();
            prop_assert_eq!(found, expected);
            prop_assert_eq!(exports.is_empty(), removed.iter().take(all.len()).all(|gone| *gone));
            prop_assert_eq!(exports.lengths.values().sum::<u64>(), exports.blocks.len() as u64);
        }
    }
}

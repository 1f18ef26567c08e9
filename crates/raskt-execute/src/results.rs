//! The results that a run has in memory, or in the store.

use raskt_graph::TaskId;
use raskt_schedule::TaskRange;
use raskt_value::Value;

/// The results of one run, by layer and index: small ones as they are, large ones as a [`Value::Stored`].
///
/// They are in pages of neighbours, which go with the last result that is in them: memory follows the results that are there, and
/// not the size of the layers. (What stays of a page is 32 bytes for 512 tasks.)
///
/// What is taken out, or takes another's place, is handed to the caller, who drops it where that is safe: the last owner of a
/// Python object may run Python code when it goes.
#[derive(Debug, Default)]
pub(crate) struct Results {
    layers: Vec<Vec<Page>>,
    /// The results of a page that went, all of them gone, for the next one that comes: tasks that come and go at one page
    /// make and free none.
    spare: Vec<Option<Value>>,
}

/// Tasks of one page.
const PAGE: u64 = 512;

#[derive(Debug, Default)]
struct Page {
    /// From the first task of the page up to the last one that has had a result; nothing if there is none.
    results: Vec<Option<Value>>,
    /// How many are there.
    there: u32,
}

impl Results {
    /// Puts in the result of `task`; gives the one that was there.
    pub fn put(&mut self, task: TaskId, value: Value) -> Option<Value> {
        let (layer, page, at) = place(task);
        if layer >= self.layers.len() {
            self.layers.resize_with(layer + 1, Vec::new);
        }
        let pages = &mut self.layers[layer];
        if page >= pages.len() {
            pages.resize_with(page + 1, Page::default);
        }
        let page = &mut pages[page];
        if page.there == 0 {
            page.results = std::mem::take(&mut self.spare);
        }
        if at >= page.results.len() {
            page.results.resize(at + 1, None);
        }
        let before = page.results[at].replace(value);
        page.there += u32::from(before.is_none());
        before
    }

    /// The result of `task`, if it is there.
    pub fn get(&self, task: TaskId) -> Option<&Value> {
        let (layer, page, at) = place(task);
        self.layers.get(layer)?.get(page)?.results.get(at)?.as_ref()
    }

    /// Takes out the result of `task`.
    pub fn take(&mut self, task: TaskId) -> Option<Value> {
        let (layer, page, at) = place(task);
        let page = self.layers.get_mut(layer)?.get_mut(page)?;
        let value = page.results.get_mut(at)?.take()?;
        page.there -= 1;
        if page.there == 0 {
            let emptied = std::mem::take(&mut page.results);
            if emptied.len() > self.spare.len() {
                self.spare = emptied;
            }
        }
        Some(value)
    }

    /// The results of `wanted`, all of which are there, in that order; a task may stand there several times.
    pub fn collect(mut self, wanted: &[TaskRange]) -> Option<Vec<Value>> {
        let is_once = wanted.windows(2).all(|pair| (pair[0].layer, pair[0].end) <= (pair[1].layer, pair[1].start));
        let mut collected = Vec::with_capacity(TaskRange::count(wanted) as usize);
        for task in wanted.iter().flat_map(|range| range.tasks()) {
            collected.push(if is_once { self.take(task)? } else { self.get(task)?.clone() });
        }
        Some(collected)
    }

    /// All of them.
    pub fn into_values(self) -> impl Iterator<Item = Value> {
        self.layers.into_iter().flatten().flat_map(|page| page.results.into_iter().flatten())
    }

    /// Bytes that its own tables take.
    #[cfg(test)]
    fn table_bytes(&self) -> usize {
        let of_page = |page: &Page| page.results.capacity() * size_of::<Option<Value>>();
        let of_pages =
            |pages: &Vec<Page>| pages.capacity() * size_of::<Page>() + pages.iter().map(of_page).sum::<usize>();
        self.layers.iter().map(of_pages).sum::<usize>() + self.spare.capacity() * size_of::<Option<Value>>()
    }
}

/// The layer, the page in it, and the place on the page.
fn place(task: TaskId) -> (usize, usize, usize) {
    (task.layer.0 as usize, (task.index / PAGE) as usize, (task.index % PAGE) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use raskt_graph::LayerId;
    use raskt_value::Chunk;
    use std::collections::BTreeMap;

    fn value(number: i64) -> Value {
        Chunk::scalar(number).into()
    }

    fn number(value: &Value) -> i64 {
        value.as_chunk().and_then(Chunk::as_slice::<i64>).expect("integers")[0]
    }

    #[test]
    fn memory_follows_the_results_that_are_there() {
        let mut results = Results::default();
        let task = |index| TaskId::new(LayerId(0), index);
        let one = value(1);
        // A hundred at a time, up to two million: in a table of them all, 48 MB.
        for index in 0..2_000_000 {
            assert!(results.put(task(index), one.clone()).is_none());
            if let Some(old) = index.checked_sub(100) {
                assert!(results.take(task(old)).is_some());
            }
        }
        assert!(results.table_bytes() < 512 << 10, "{} bytes", results.table_bytes());
        assert_eq!(results.into_values().count(), 100);
    }

    #[test]
    fn what_is_wanted_twice_comes_twice() {
        let layer = LayerId(1);
        let results = || {
            let mut results = Results::default();
            (0..1500).for_each(|index| drop(results.put(TaskId::new(layer, index), value(index as i64))));
            results
        };
        for wanted in [vec![3, 3], vec![7, 5, 7], vec![0, 1, 1499], (0..1500).collect(), vec![1499, 0]] {
            let ranges = TaskRange::of(wanted.iter().map(|&index| TaskId::new(layer, index)));
            let collected = results().collect(&ranges).unwrap();
            assert_eq!(
                collected.iter().map(number).collect::<Vec<_>>(),
                wanted.iter().map(|&at| at as i64).collect::<Vec<_>>()
            );
        }
        assert!(results().collect(&[TaskRange::one(TaskId::new(layer, 1500))]).is_none());
    }

    proptest! {
        #[test]
        fn they_are_a_map_from_tasks(steps in prop::collection::vec((0..3_u32, 0..1600_u64, any::<bool>()), 0..300)) {
            let (mut results, mut model) = (Results::default(), BTreeMap::new());
            for (at, (layer, index, puts)) in steps.into_iter().enumerate() {
                let task = TaskId::new(LayerId(layer), index);
                let (found, expected) = match puts {
                    true => (results.put(task, value(at as i64)), model.insert(task, at as i64)),
                    false => (results.take(task), model.remove(&task)),
                };
                prop_assert_eq!(found.as_ref().map(number), expected);
                prop_assert!(results.get(task).is_some() == model.contains_key(&task));
            }
            let found: Vec<_> = results.into_values().map(|value| number(&value)).collect();
            prop_assert_eq!(found, model.into_values().collect::<Vec<_>>());
        }
    }
}

//! How many bytes of results each worker holds.

use crate::WorkerId;
use raskt_graph::LayerId;
use std::collections::BTreeMap;

/// Results of a run that tasks will read, by layer and worker. Those that a client wants don't count: no order of the tasks
/// makes them go.
///
/// Each counts as much as results of its layer took on the average when it came, so that what is taken away in the end is what
/// was added.
#[derive(Debug)]
pub(crate) struct Holdings {
    layers: Vec<BTreeMap<WorkerId, Holding>>,
    /// What was added last, and what was taken away last, not yet noted in `layers`: neighbours mostly come and go together.
    added: Option<Stretch>,
    removed: Option<Stretch>,
    /// Bytes by which what workers hold has changed.
    changes: Vec<(WorkerId, i64)>,
}

/// Results of one layer on one worker.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holding {
    pub count: u64,
    pub bytes: u64,
}

#[derive(Clone, Copy, Debug)]
struct Stretch {
    layer: LayerId,
    worker: WorkerId,
    holding: Holding,
}

impl Holdings {
    pub fn new(layers: usize) -> Self {
        Self { layers: vec![BTreeMap::new(); layers], added: None, removed: None, changes: vec![] }
    }

    /// `worker` has come to hold a result of `bytes` bytes.
    pub fn add(&mut self, layer: LayerId, worker: WorkerId, bytes: u64) {
        match &mut self.added {
            Some(added) if (added.layer, added.worker) == (layer, worker) => {
                added.holding.count += 1;
                added.holding.bytes += bytes;
            }
            _ => {
                self.note_added();
                self.added = Some(Stretch { layer, worker, holding: Holding { count: 1, bytes } });
            }
        }
    }

    /// `worker` holds a result less.
    pub fn remove(&mut self, layer: LayerId, worker: WorkerId) {
        match &mut self.removed {
            Some(removed) if (removed.layer, removed.worker) == (layer, worker) => removed.holding.count += 1,
            _ => {
                self.note_removed();
                self.removed = Some(Stretch { layer, worker, holding: Holding { count: 1, bytes: 0 } });
            }
        }
    }

    fn note_added(&mut self) {
        let Some(Stretch { layer, worker, holding }) = self.added.take() else { return };
        let held = self.layers[layer.0 as usize].entry(worker).or_default();
        held.count += holding.count;
        held.bytes += holding.bytes;
        self.note_change(worker, holding.bytes as i64);
    }

    fn note_removed(&mut self) {
        let Some(Stretch { layer, worker, holding }) = self.removed.take() else { return };
        // What goes may just have come.
        self.note_added();
        let workers = &mut self.layers[layer.0 as usize];
        let Some(held) = workers.get_mut(&worker) else { return };
        let bytes = (u128::from(held.bytes) * u128::from(holding.count) / u128::from(held.count)) as u64;
        held.count -= holding.count;
        held.bytes -= bytes;
        if held.count == 0 {
            workers.remove(&worker);
        }
        self.note_change(worker, -(bytes as i64));
    }

    fn note_change(&mut self, worker: WorkerId, bytes: i64) {
        match self.changes.last_mut() {
            _ if bytes == 0 => {}
            Some((last, sum)) if *last == worker => *sum += bytes,
            _ => self.changes.push((worker, bytes)),
        }
    }

    /// Bytes by which what workers hold has changed since this was last asked.
    pub fn take_changes(&mut self) -> impl Iterator<Item = (WorkerId, i64)> {
        self.note_removed();
        self.note_added();
        self.changes.drain(..)
    }

    /// Everything, by layer and worker. Nothing may have changed since the changes were taken.
    pub fn iter(&self) -> impl Iterator<Item = (LayerId, WorkerId, Holding)> {
        let layers = (0..).map(LayerId).zip(&self.layers);
        layers.flat_map(|(layer, workers)| workers.iter().map(move |(&worker, &holding)| (layer, worker, holding)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// Whatever comes and goes in whatever order, the changes add up to what is held, and nothing is left of nothing.
        #[test]
        fn changes_add_up(steps in prop::collection::vec((any::<bool>(), 0..3_u32, 0..3_u32, 0..1000_u64), 0..80)) {
            let mut holdings = Holdings::new(3);
            let mut counts = BTreeMap::<_, u64>::new();
            let mut sums = BTreeMap::<WorkerId, i64>::new();
            for (at, &(adds, layer, worker, bytes)) in steps.iter().enumerate() {
                let (layer, worker) = (LayerId(layer), WorkerId(worker));
                let count = counts.entry((layer, worker)).or_default();
                if adds {
                    *count += 1;
                    holdings.add(layer, worker, bytes);
                } else if *count > 0 {
                    *count -= 1;
                    holdings.remove(layer, worker);
                }
                if at % 7 == 0 {
                    holdings.take_changes().for_each(|(worker, bytes)| *sums.entry(worker).or_default() += bytes);
                }
            }
            holdings.take_changes().for_each(|(worker, bytes)| *sums.entry(worker).or_default() += bytes);
            let mut held = BTreeMap::<WorkerId, i64>::new();
            for (layer, worker, holding) in holdings.iter() {
                prop_assert_eq!(counts.remove(&(layer, worker)), Some(holding.count));
                *held.entry(worker).or_default() += holding.bytes as i64;
            }
            prop_assert!(counts.values().all(|&count| count == 0));
            sums.retain(|worker, sum| *sum != 0 || held.contains_key(worker));
            prop_assert_eq!(sums, held);
        }
    }
}

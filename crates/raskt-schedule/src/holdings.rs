//! How many bytes of results each worker holds.
//!
//! Counted are results that tasks will read. Those that a client wants aren't: no order of the tasks makes them go. Runs write
//! down what comes and goes ([`Moves`]), and each seat keeps the sums ([`Holdings`]). A result counts as much as those of its
//! layer there take on the average, so that what is taken away in the end is what was added.

use crate::{RunId, WorkerId};
use raskt_graph::LayerId;
use std::collections::BTreeMap;

/// What results of a run have come and gone since it was last asked.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    /// What came last, and what went last: neighbours mostly come and go together.
    added: Option<Move>,
    removed: Option<Move>,
    log: Vec<Move>,
}

/// Results of one layer that one worker has come to hold, or holds no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub worker: WorkerId,
    pub layer: LayerId,
    pub count: u64,
    /// What they take; nothing if they have gone.
    pub bytes: Option<u64>,
}

/// What one worker holds.
#[derive(Debug, Default)]
pub(crate) struct Holdings {
    layers: BTreeMap<(RunId, LayerId), Holding>,
    /// The sum over these: of more layers than that of one could tell.
    bytes: u128,
}

/// Results of one layer on one worker; never none. More bytes than can be told are as many as can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holding {
    pub count: u64,
    pub bytes: u64,
}

impl Moves {
    /// `worker` has come to hold a result of `bytes` bytes.
    pub fn add(&mut self, layer: LayerId, worker: WorkerId, bytes: u64) {
        match &mut self.added {
            Some(Move { worker: last, layer: of, count, bytes: Some(sum) }) if (*of, *last) == (layer, worker) => {
                *count += 1;
                *sum = sum.saturating_add(bytes);
            }
            added => self.log.extend(added.replace(Move { worker, layer, count: 1, bytes: Some(bytes) })),
        }
    }

    /// `worker` holds a result less.
    pub fn remove(&mut self, layer: LayerId, worker: WorkerId) {
        match &mut self.removed {
            Some(removed) if (removed.layer, removed.worker) == (layer, worker) => removed.count += 1,
            removed => {
                let before = removed.replace(Move { worker, layer, count: 1, bytes: None });
                if let Some(before) = before {
                    // What goes may just have come.
                    self.log.extend(self.added.take());
                    self.log.push(before);
                }
            }
        }
    }

    /// Everything that was written down.
    pub fn take(&mut self) -> impl Iterator<Item = Move> {
        self.log.extend(self.added.take());
        self.log.extend(self.removed.take());
        self.log.drain(..)
    }
}

impl Holdings {
    /// Bytes of all of it.
    pub fn bytes(&self) -> u128 {
        self.bytes
    }

    pub fn apply(&mut self, run: RunId, moved: Move) {
        let held = self.layers.entry((run, moved.layer)).or_default();
        match moved.bytes {
            Some(bytes) => {
                let before = held.bytes;
                held.count += moved.count;
                held.bytes = before.saturating_add(bytes);
                self.bytes += u128::from(held.bytes - before);
            }
            None => {
                let part = u128::from(held.bytes) * u128::from(moved.count) / u128::from(held.count.max(1));
                held.count -= moved.count;
                held.bytes -= part as u64;
                self.bytes -= part;
                if held.count == 0 {
                    self.layers.remove(&(run, moved.layer));
                }
            }
        }
    }

    /// Nothing of `run` is held any more.
    pub fn forget(&mut self, run: RunId) {
        let of_run = self.layers.extract_if((run, LayerId(0))..=(run, LayerId(u32::MAX)), |_, _| true);
        self.bytes -= of_run.map(|(_, holding)| u128::from(holding.bytes)).sum::<u128>();
    }

    pub fn iter(&self) -> impl Iterator<Item = (RunId, LayerId, Holding)> {
        self.layers.iter().map(|(&(run, layer), &holding)| (run, layer, holding))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// What a result takes, as it is said: now and then that is out of all bounds.
    fn bytes() -> impl Strategy<Value = u64> {
        prop_oneof![9 => 0..1000_u64, 1 => prop_oneof![Just(u64::MAX), Just(1 << 63), Just(1 << 48)]]
    }

    proptest! {
        /// Whatever comes and goes in whatever order, the sums are those of what is there.
        #[test]
        fn moves_add_up(steps in prop::collection::vec((any::<bool>(), 0..3_u32, 0..3_u32, bytes()), 0..80)) {
            const RUN: RunId = RunId(1);
            let mut moves = Moves::default();
            let mut workers: [Holdings; 3] = std::array::from_fn(|_| Holdings::default());
            let mut counts = BTreeMap::<_, u64>::new();
            for (at, &(adds, layer, worker, bytes)) in steps.iter().enumerate() {
                let (layer, worker) = (LayerId(layer), WorkerId(worker));
                let count = counts.entry((layer, worker)).or_default();
                if adds {
                    *count += 1;
                    moves.add(layer, worker, bytes);
                } else if *count > 0 {
                    *count -= 1;
                    moves.remove(layer, worker);
                }
                if at % 7 == 0 || at + 1 == steps.len() {
                    moves.take().for_each(|moved| workers[moved.worker.0 as usize].apply(RUN, moved));
                }
            }
            for (worker, holdings) in (0..).map(WorkerId).zip(&mut workers) {
                prop_assert_eq!(holdings.iter().map(|(.., holding)| u128::from(holding.bytes)).sum::<u128>(), holdings.bytes());
                for (_, layer, holding) in holdings.iter() {
                    prop_assert_eq!(counts.remove(&(layer, worker)), Some(holding.count));
                }
                holdings.forget(RUN);
                prop_assert_eq!((holdings.bytes(), holdings.iter().count()), (0, 0));
            }
            prop_assert!(counts.values().all(|&count| count == 0));
        }
    }
}

//! How many bytes of results each worker holds.
//!
//! Counted are the bytes of results that tasks will read. Those of results that a client wants aren't: no order of the
//! tasks makes them go; of them it is known how many there are, so that those of a worker that is lost are found. Runs
//! write down what comes and goes ([`Moves`]), and what is known of each worker has the sums ([`Holdings`]). A result counts as much as
//! those of its layer there take on the average, so that what is taken away in the end is what was added.

use crate::{RunId, WorkerId};
use raskt_graph::LayerId;
use std::collections::BTreeMap;

/// What results of a run have come and gone since it was last asked.
#[derive(Debug, Default)]
pub(crate) struct Moves {
    /// What came last, and what went last: neighbours mostly come and go together.
    added: Option<Move>,
    removed: Option<Move>,
    /// The same of results that a client wants.
    wanted: Option<Move>,
    log: Vec<Move>,
}

/// Results of one layer that one worker has come to hold, or holds no longer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Move {
    pub worker: WorkerId,
    pub layer: LayerId,
    pub count: u64,
    pub what: What,
}

/// What has happened to them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
    /// They came, and take so many bytes.
    Came(u64),
    Went,
    /// They came, or a client wants them by now.
    WantedCame,
    /// They went, or nobody wants them any more.
    WantedWent,
}

/// What one worker holds.
#[derive(Debug, Default)]
pub(crate) struct Holdings {
    layers: BTreeMap<(RunId, LayerId), Holding>,
    /// The sums over these: of more layers than that of one could tell.
    bytes: u128,
    wanted_bytes: u128,
    results: u64,
}

/// Results of one layer on one worker; never none. More bytes than can be told are as many as can be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Holding {
    /// Those that tasks will read, and what they take.
    pub count: u64,
    pub bytes: u64,
    /// Those that a client wants, and what they take.
    pub wanted: u64,
    pub wanted_bytes: u64,
}

impl Moves {
    /// `worker` has come to hold `count` results of `each` bytes.
    pub fn add(&mut self, layer: LayerId, worker: WorkerId, count: u64, each: u64) {
        let bytes = each.saturating_mul(count);
        match &mut self.added {
            Some(Move { worker: last, layer: of, count: all, what: What::Came(sum) })
                if (*of, *last) == (layer, worker) =>
            {
                *all += count;
                *sum = sum.saturating_add(bytes);
            }
            added => self.log.extend(added.replace(Move { worker, layer, count, what: What::Came(bytes) })),
        }
    }

    /// `worker` holds so many results less.
    pub fn remove(&mut self, layer: LayerId, worker: WorkerId, count: u64) {
        match &mut self.removed {
            Some(removed) if (removed.layer, removed.worker) == (layer, worker) => removed.count += count,
            removed => {
                let before = removed.replace(Move { worker, layer, count, what: What::Went });
                if let Some(before) = before {
                    // What goes may just have come, and a sum must have what is taken from it: what came goes down
                    // first. What comes may go down late, since that takes nothing away.
                    self.log.extend(self.added.take());
                    self.log.push(before);
                }
            }
        }
    }

    /// `worker` has come to hold so many results that a client wants, or holds so many less.
    pub fn change_wanted(&mut self, layer: LayerId, worker: WorkerId, count: u64, comes: bool) {
        let what = if comes { What::WantedCame } else { What::WantedWent };
        match &mut self.wanted {
            Some(last) if (last.layer, last.worker, last.what) == (layer, worker, what) => last.count += count,
            last => self.log.extend(last.replace(Move { worker, layer, count, what })),
        }
    }

    /// Everything that was written down.
    pub fn take(&mut self) -> impl Iterator<Item = Move> {
        self.log.extend(self.added.take());
        self.log.extend(self.removed.take());
        self.log.extend(self.wanted.take());
        self.log.drain(..)
    }
}

impl Holdings {
    /// Bytes of all of it.
    pub fn bytes(&self) -> u128 {
        self.bytes
    }

    /// How many results that is, also those that clients want.
    pub fn results(&self) -> u64 {
        self.results
    }

    /// Bytes of these.
    pub fn all_bytes(&self) -> u128 {
        self.bytes + self.wanted_bytes
    }

    /// Results of a layer have come or gone; those that a client wants take `each`, as far as is known.
    pub fn apply(&mut self, run: RunId, moved: Move, each: u64) {
        match moved.what {
            What::Came(_) | What::WantedCame => self.results += moved.count,
            What::Went | What::WantedWent => self.results -= moved.count,
        }
        let held = self.layers.entry((run, moved.layer)).or_default();
        match moved.what {
            What::Came(bytes) => {
                let before = held.bytes;
                held.count += moved.count;
                held.bytes = before.saturating_add(bytes);
                self.bytes += u128::from(held.bytes - before);
            }
            What::Went => {
                let part = u128::from(held.bytes) * u128::from(moved.count) / u128::from(held.count.max(1));
                held.count -= moved.count;
                held.bytes -= part as u64;
                self.bytes -= part;
            }
            What::WantedCame => {
                let before = held.wanted_bytes;
                held.wanted += moved.count;
                held.wanted_bytes = before.saturating_add(each.saturating_mul(moved.count));
                self.wanted_bytes += u128::from(held.wanted_bytes - before);
            }
            What::WantedWent => {
                let part = u128::from(held.wanted_bytes) * u128::from(moved.count) / u128::from(held.wanted.max(1));
                held.wanted -= moved.count;
                held.wanted_bytes -= part as u64;
                self.wanted_bytes -= part;
            }
        }
        if held.count == 0 && held.wanted == 0 {
            self.layers.remove(&(run, moved.layer));
        }
    }

    /// Layers of `run` of which something is held, and how many results of each.
    pub fn of(&self, run: RunId) -> Vec<(LayerId, u64)> {
        let of_run = self.layers.range((run, LayerId(0))..=(run, LayerId(u32::MAX)));
        of_run.map(|(&(_, layer), holding)| (layer, holding.count + holding.wanted)).collect()
    }

    /// Nothing of `run` is held any more.
    pub fn forget(&mut self, run: RunId) {
        let of_run = self.layers.extract_if((run, LayerId(0))..=(run, LayerId(u32::MAX)), |_, _| true);
        for (_, holding) in of_run {
            self.bytes -= u128::from(holding.bytes);
            self.wanted_bytes -= u128::from(holding.wanted_bytes);
            self.results -= holding.count + holding.wanted;
        }
    }

    /// Layers of which something is held, in order, from that one on.
    pub fn layers_from(&self, run: RunId, layer: LayerId) -> impl Iterator<Item = (RunId, LayerId)> {
        self.layers.range((run, layer)..).map(|(&layer, _)| layer)
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

    /// Whether results come, and a client wants them; of which layer, with which worker, and what each takes.
    type Step = (bool, bool, u32, u32, u64);

    fn steps() -> impl Strategy<Value = Vec<Step>> {
        prop::collection::vec((any::<bool>(), any::<bool>(), 0..3_u32, 0..3_u32, bytes()), 0..80)
    }

    proptest! {
        /// Whatever comes and goes in whatever order, the sums are those of what is there.
        #[test]
        fn moves_add_up(steps in steps()) {
            const RUN: RunId = RunId(1);
            let mut moves = Moves::default();
            let mut workers: [Holdings; 3] = std::array::from_fn(|_| Holdings::default());
            let mut counts = BTreeMap::<_, u64>::new();
            for (at, &(adds, is_wanted, layer, worker, bytes)) in steps.iter().enumerate() {
                let (layer, worker) = (LayerId(layer), WorkerId(worker));
                let count = counts.entry((layer, worker, is_wanted)).or_default();
                if adds || *count > 0 {
                    *count = if adds { *count + 2 } else { *count - 1 };
                    match (is_wanted, adds) {
                        (true, adds) => moves.change_wanted(layer, worker, if adds { 2 } else { 1 }, adds),
                        (false, true) => moves.add(layer, worker, 2, bytes),
                        (false, false) => moves.remove(layer, worker, 1),
                    }
                }
                if at % 7 == 0 || at + 1 == steps.len() {
                    moves.take().for_each(|moved| workers[moved.worker.0 as usize].apply(RUN, moved, bytes));
                }
            }
            for (worker, holdings) in (0..).map(WorkerId).zip(&mut workers) {
                prop_assert_eq!(holdings.iter().map(|(.., holding)| u128::from(holding.bytes)).sum::<u128>(), holdings.bytes());
                let wanted: u128 = holdings.iter().map(|(.., holding)| u128::from(holding.wanted_bytes)).sum();
                prop_assert_eq!(holdings.bytes() + wanted, holdings.all_bytes());
                let results: u64 = holdings.iter().map(|(.., holding)| holding.count + holding.wanted).sum();
                prop_assert_eq!(results, holdings.results());
                for (_, layer, holding) in holdings.iter() {
                    prop_assert_eq!(counts.remove(&(layer, worker, false)).unwrap_or(0), holding.count);
                    prop_assert_eq!(counts.remove(&(layer, worker, true)).unwrap_or(0), holding.wanted);
                    prop_assert!(holding.count + holding.wanted > 0);
                }
                holdings.forget(RUN);
                prop_assert_eq!((holdings.all_bytes(), holdings.results(), holdings.iter().count()), (0, 0, 0));
            }
            prop_assert!(counts.values().all(|&count| count == 0));
        }
    }
}

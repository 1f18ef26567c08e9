//! Memory that more than one result holds: it is there once.

use raskt_value::{Part, Value};
use std::collections::BTreeMap;

/// Which results in memory hold the same pieces of memory. Each result counts with all of its bytes; what is counted more than once
/// by that is known here.
#[derive(Default)]
pub(crate) struct Sharing {
    holders: BTreeMap<usize, Holders>,
    repeated: u64,
}

/// Those who hold one piece: how many hold so many bytes of it.
#[derive(Default)]
struct Holders {
    counts: BTreeMap<u64, u32>,
    total: u64,
}

impl Holders {
    /// Bytes that are counted beside those of the one who holds most.
    fn repeated(&self) -> u64 {
        self.total - self.counts.last_key_value().map_or(0, |(bytes, _)| *bytes)
    }

    fn add(&mut self, bytes: u64) {
        *self.counts.entry(bytes).or_insert(0) += 1;
        self.total += bytes;
    }

    fn remove(&mut self, bytes: u64) {
        let Some(count) = self.counts.get_mut(&bytes) else { return };
        *count -= 1;
        if *count == 0 {
            self.counts.remove(&bytes);
        }
        self.total -= bytes;
    }
}

impl Sharing {
    /// Bytes that results hold and another one has been counted for.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// A result has come into memory.
    pub fn enter(&mut self, value: &Value) {
        parts(value).iter().for_each(|part| self.change(part, Holders::add));
    }

    /// It leaves memory: the same value as came.
    pub fn leave(&mut self, value: &Value) {
        parts(value).iter().for_each(|part| self.change(part, Holders::remove));
    }

    fn change(&mut self, part: &Part, change: fn(&mut Holders, u64)) {
        let holders = self.holders.entry(part.identity).or_default();
        self.repeated -= holders.repeated();
        change(holders, most(part.bytes));
        self.repeated += holders.repeated();
        if holders.counts.is_empty() {
            self.holders.remove(&part.identity);
        }
    }
}

/// What can be added up, whatever an object says of its size.
fn most(bytes: usize) -> u64 {
    (bytes as u64).min(1 << 40)
}

fn parts(value: &Value) -> &[Part] {
    match value {
        Value::Foreign(object) => object.parts(),
        _ => &[],
    }
}

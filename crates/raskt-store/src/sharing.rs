//! Memory that more than one result holds: it is there once, until the last of them has left.

use crate::broker::Sums;
use crate::sizes::KEPT_BYTES;
use crate::slot::SlotId;
use raskt_value::{Chunk, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Range};
use std::sync::Arc;

/// Which results in memory hold the same pieces of memory. Each result counts with all of its bytes; what pieces have of these, and
/// how often they are counted, is known here.
#[derive(Default)]
pub(crate) struct Sharing {
    pieces: BTreeMap<Identity, Piece>,
    sums: Sums,
}

/// What a piece is told from others by, as long as it is there.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Identity {
    /// Of blocks: where that lies which keeps their elements alive.
    Owner(usize),
    /// Of objects: what they say of themselves.
    Part(usize),
}

/// A piece of memory, and those who hold it.
#[derive(Default)]
struct Piece {
    holders: BTreeMap<SlotId, u64>,
    /// How many of them are about to leave memory.
    leaving: usize,
    total: u64,
    /// Where the bytes lie that any of them has shown: there are no more than that.
    shown: Range<usize>,
    /// The most that they were known to hold together. It is there as long as any of them is: memory is freed in one piece.
    bytes: u64,
}

/// What one result holds of a piece.
struct Holding {
    bytes: u64,
    /// Where the bytes lie of which it shows some.
    shown: Range<usize>,
}

impl Sharing {
    /// Bytes of all pieces.
    pub fn sums(&self) -> Sums {
        self.sums
    }

    /// A result has come into memory.
    pub fn enter(&mut self, id: SlotId, value: &Value) {
        // What it counts for its pieces is among what it counts.
        let mut left = value.bytes() as u64;
        for (identity, holding) in holdings(value) {
            let bytes = holding.bytes.min(left);
            left -= bytes;
            self.change(identity, |piece| piece.enter(id, Holding { bytes, ..holding }));
        }
    }

    /// It leaves memory: the same value as came, which isn't among those that are about to any more.
    pub fn leave(&mut self, id: SlotId, value: &Value) {
        for identity in holdings(value).into_keys() {
            self.change(identity, |piece| piece.leave(id));
        }
    }

    /// A result is about to leave memory, or (`false`) isn't any more.
    pub fn set_leaving(&mut self, value: &Value, is_leaving: bool) {
        for identity in holdings(value).into_keys() {
            self.change(identity, |piece| {
                piece.leaving = if is_leaving { piece.leaving + 1 } else { piece.leaving.saturating_sub(1) };
            });
        }
    }

    /// None of them is about to leave any more.
    pub fn forget_leaving(&mut self) {
        self.pieces.values_mut().for_each(|piece| piece.leaving = 0);
        self.sums.leaving = 0;
    }

    fn change(&mut self, identity: Identity, change: impl FnOnce(&mut Piece)) {
        let piece = self.pieces.entry(identity).or_default();
        self.sums.subtract(piece.sums());
        change(piece);
        self.sums.add(piece.sums());
        if piece.holders.is_empty() {
            self.pieces.remove(&identity);
        }
    }

    /// Of the bytes that a result counts those that belong to pieces.
    pub fn held_of_pieces(&self, id: SlotId, value: &Value) -> u64 {
        let pieces = holdings(value).into_keys().filter_map(|identity| self.pieces.get(&identity));
        pieces.filter_map(|piece| piece.holders.get(&id)).sum()
    }

    /// Others that hold memory of blocks that this one holds, some maybe more than once: of very many who hold a piece `most`.
    /// Only of pieces that aren't among those that were `seen`.
    pub fn holders(
        &self,
        id: SlotId,
        value: &Value,
        (seen, most): (&mut BTreeSet<Identity>, usize),
    ) -> impl Iterator<Item = SlotId> {
        let identities: Vec<Identity> = blocks(value).filter(|identity| seen.insert(*identity)).collect();
        let pieces = identities.into_iter().filter_map(|identity| self.pieces.get(&identity));
        pieces.flat_map(move |piece| nearest(&piece.holders, id, most))
    }

    /// Of those who hold memory of blocks that this one holds, the last before it: one for each piece.
    pub fn before(&self, id: SlotId, value: &Value) -> impl Iterator<Item = SlotId> {
        let pieces = blocks(value).filter_map(|identity| self.pieces.get(&identity));
        pieces.filter_map(move |piece| piece.holders.range(..id).next_back().map(|(&other, _)| other))
    }

    /// What is summed up is counted again.
    #[cfg(test)]
    pub fn validate(&self, leaving: &BTreeSet<SlotId>) {
        let mut sums = Sums::default();
        for piece in self.pieces.values() {
            assert_eq!(piece.total, piece.holders.values().sum::<u64>());
            assert_eq!(piece.leaving, piece.holders.keys().filter(|id| leaving.contains(id)).count());
            sums.add(piece.sums());
        }
        assert_eq!(self.sums, sums, "bytes of pieces");
    }
}

impl Piece {
    fn enter(&mut self, id: SlotId, holding: Holding) {
        *self.holders.entry(id).or_insert(0) += holding.bytes;
        self.total += holding.bytes;
        self.shown = hull(&self.shown, &holding.shown);
        self.bytes = self.bytes.max(self.total.min(self.shown.len() as u64));
    }

    fn leave(&mut self, id: SlotId) {
        self.total -= self.holders.remove(&id).unwrap_or(0);
    }

    fn sums(&self) -> Sums {
        let once = if self.holders.is_empty() { 0 } else { self.bytes };
        let leaving = if self.leaving == self.holders.len() { once } else { 0 };
        Sums { counted: self.total, once, leaving }
    }
}

/// Those of `holders` that are nearest to `id`, it not among them: about as many on either side.
fn nearest(holders: &BTreeMap<SlotId, u64>, id: SlotId, most: usize) -> impl Iterator<Item = SlotId> {
    let before = holders.range(..id).rev().take(most / 2);
    let after = holders.range((Bound::Excluded(id), Bound::Unbounded)).take(most / 2);
    before.chain(after).map(|(&other, _)| other)
}

/// The pieces of blocks that a value holds.
fn blocks(value: &Value) -> impl Iterator<Item = Identity> {
    holdings(value).into_keys().filter(|identity| matches!(identity, Identity::Owner(_)))
}

fn holdings(value: &Value) -> BTreeMap<Identity, Holding> {
    let mut holdings = BTreeMap::new();
    match value {
        Value::Chunk(chunk) => hold_block(&mut holdings, chunk),
        // There may be very many that are small. Those that have memory of their own have it for themselves.
        Value::Manifest(manifest) => {
            let chunks = manifest.parts.iter().filter_map(Value::as_chunk);
            let large = chunks.filter(|chunk| chunk.buffer().len().max(chunk.held_bytes()) >= KEPT_BYTES);
            large.for_each(|chunk| hold_block(&mut holdings, chunk));
        }
        Value::Foreign(object) => {
            for part in object.parts() {
                // What can be added up, whatever an object says of its size.
                let bytes = part.bytes.min(1 << 40);
                hold(&mut holdings, Identity::Part(part.identity), Holding { bytes: bytes as u64, shown: 0..bytes });
            }
        }
        Value::Table(_) | Value::Stored(_) => {}
    }
    holdings
}

fn hold_block(holdings: &mut BTreeMap<Identity, Holding>, chunk: &Chunk) {
    let (buffer, bytes) = (chunk.buffer(), chunk.held_bytes() as u64);
    let (owner, start) = (Arc::as_ptr(buffer.owner()).addr(), buffer.as_ptr().addr());
    hold(holdings, Identity::Owner(owner), Holding { bytes, shown: start..start + buffer.len() });
}

/// Adds what one part of a value holds of a piece to what others do.
fn hold(holdings: &mut BTreeMap<Identity, Holding>, identity: Identity, more: Holding) {
    let all = holdings.entry(identity).or_insert(Holding { bytes: 0, shown: 0..0 });
    all.bytes = all.bytes.saturating_add(more.bytes);
    all.shown = hull(&all.shown, &more.shown);
}

/// What lies between the ends of both.
fn hull(one: &Range<usize>, other: &Range<usize>) -> Range<usize> {
    match (one.is_empty(), other.is_empty()) {
        (true, _) => other.clone(),
        (_, true) => one.clone(),
        _ => one.start.min(other.start)..one.end.max(other.end),
    }
}

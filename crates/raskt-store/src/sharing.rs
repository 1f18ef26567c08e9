//! Memory that more than one result holds: it is there once.

use crate::slot::{KEPT_BYTES, SlotId};
use raskt_value::{Chunk, Value};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{Bound, Range};
use std::sync::Arc;

/// Which results in memory hold the same pieces of memory. Each result counts with all of its bytes; what is counted more than once
/// by that is known here.
#[derive(Default)]
pub(crate) struct Sharing {
    pieces: BTreeMap<Identity, Piece>,
    repeated: u64,
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
    total: u64,
    /// Where the bytes lie that any of them has shown: there are no more than that.
    shown: Range<usize>,
}

impl Piece {
    /// Bytes that are counted, and aren't there once more.
    fn repeated(&self) -> u64 {
        self.total.saturating_sub(self.shown.len() as u64)
    }
}

/// What one result holds of a piece.
struct Holding {
    identity: Identity,
    bytes: u64,
    /// Where the bytes lie of which it shows some.
    shown: Range<usize>,
}

impl Sharing {
    /// Bytes that results hold and another one has been counted for.
    pub fn repeated(&self) -> u64 {
        self.repeated
    }

    /// A result has come into memory.
    pub fn enter(&mut self, id: SlotId, value: &Value) {
        for Holding { identity, bytes, shown } in holdings(value) {
            let piece = self.pieces.entry(identity).or_default();
            self.repeated -= piece.repeated();
            *piece.holders.entry(id).or_insert(0) += bytes;
            piece.total += bytes;
            let known = std::mem::replace(&mut piece.shown, shown);
            if !known.is_empty() {
                piece.shown = known.start.min(piece.shown.start)..known.end.max(piece.shown.end);
            }
            self.repeated += piece.repeated();
        }
    }

    /// It leaves memory: the same value as came.
    pub fn leave(&mut self, id: SlotId, value: &Value) {
        for Holding { identity, .. } in holdings(value) {
            let Some(piece) = self.pieces.get_mut(&identity) else { continue };
            let Some(bytes) = piece.holders.remove(&id) else { continue };
            self.repeated -= piece.repeated();
            piece.total -= bytes;
            self.repeated += piece.repeated();
            if piece.holders.is_empty() {
                self.pieces.remove(&identity);
            }
        }
    }

    /// Others that hold memory of blocks that this one holds, some maybe more than once: of very many who hold a piece `most`.
    /// Only of pieces that aren't among those that were `seen`.
    pub fn holders(
        &self,
        id: SlotId,
        value: &Value,
        (seen, most): (&mut BTreeSet<Identity>, usize),
    ) -> impl Iterator<Item = SlotId> {
        let mut identities: Vec<Identity> = holdings(value).into_iter().map(|holding| holding.identity).collect();
        identities.retain(|identity| matches!(identity, Identity::Owner(_)) && seen.insert(*identity));
        let pieces = identities.into_iter().filter_map(|identity| self.pieces.get(&identity));
        pieces.flat_map(move |piece| nearest(&piece.holders, id, most))
    }

    /// Bytes that several results hold together, each piece once.
    pub fn bytes<'a>(&self, values: impl Iterator<Item = &'a Value>) -> u64 {
        let identities: BTreeSet<Identity> =
            values.flat_map(|value| holdings(value).into_iter().map(|holding| holding.identity)).collect();
        let pieces = identities.iter().filter_map(|identity| self.pieces.get(identity));
        pieces.map(|piece| piece.total - piece.repeated()).sum()
    }
}

/// Those of `holders` that are nearest to `id`, it not among them: about as many on either side.
fn nearest(holders: &BTreeMap<SlotId, u64>, id: SlotId, most: usize) -> impl Iterator<Item = SlotId> {
    let before = holders.range(..id).rev().take(most / 2);
    let after = holders.range((Bound::Excluded(id), Bound::Unbounded)).take(most / 2);
    before.chain(after).map(|(&other, _)| other)
}

fn holdings(value: &Value) -> Vec<Holding> {
    match value {
        Value::Chunk(chunk) => vec![of_block(chunk)],
        // There may be very many small ones, which nobody else has.
        Value::Manifest(manifest) => {
            let large = manifest.parts.iter().filter(|part| part.bytes() >= KEPT_BYTES);
            large.filter_map(Value::as_chunk).map(of_block).collect()
        }
        Value::Foreign(object) => object
            .parts()
            .iter()
            .map(|part| {
                // What can be added up, whatever an object says of its size.
                let bytes = part.bytes.min(1 << 40);
                Holding { identity: Identity::Part(part.identity), bytes: bytes as u64, shown: 0..bytes }
            })
            .collect(),
        Value::Table(_) | Value::Stored(_) => vec![],
    }
}

fn of_block(chunk: &Chunk) -> Holding {
    let (buffer, bytes) = (chunk.buffer(), chunk.held_bytes() as u64);
    let (owner, start) = (Arc::as_ptr(buffer.owner()).addr(), buffer.as_ptr().addr());
    Holding { identity: Identity::Owner(owner), bytes, shown: start..start + buffer.len() }
}

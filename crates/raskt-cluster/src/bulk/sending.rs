//! Transfers that go out over one connection: whose turn it is, and how far each may go.

use super::step::Step;
use super::{CHUNK_BYTES, Missing, Part};
use bytes::Bytes;
use std::collections::VecDeque;

/// Transfers under way; they take turns chunk by chunk.
#[derive(Debug, Default)]
pub(super) struct Sending {
    transfers: VecDeque<Transfer>,
}

#[derive(Debug)]
struct Transfer {
    number: u32,
    pieces: Vec<Bytes>,
    /// Which piece is being sent, and what of it has been.
    piece: usize,
    sent: usize,
    credit: u64,
}

impl Sending {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.transfers.len()
    }

    pub fn begin(&mut self, number: u32, pieces: Vec<Bytes>, credit: u64) {
        let mut transfer = Transfer { number, pieces, piece: 0, sent: 0, credit };
        transfer.skip_what_is_done();
        if !transfer.is_done() {
            self.transfers.push_back(transfer);
        }
    }

    /// So many bytes more may go.
    pub fn add_credit(&mut self, number: u32, bytes: u64) {
        if let Some(transfer) = self.transfers.iter_mut().find(|transfer| transfer.number == number) {
            transfer.credit = transfer.credit.saturating_add(bytes);
        }
    }

    pub fn cancel(&mut self, number: u32) {
        self.transfers.retain(|transfer| transfer.number != number);
    }

    /// The next chunk of the transfer whose turn it is, of those that have credit.
    pub fn next_chunk(&mut self) -> Option<(Step, Bytes)> {
        let at = self.transfers.iter().position(|transfer| transfer.credit > 0)?;
        let mut transfer = self.transfers.remove(at)?;
        let chunk = transfer.next_chunk();
        if !transfer.is_done() {
            self.transfers.push_back(transfer);
        }
        Some(chunk)
    }
}

impl Transfer {
    fn is_done(&self) -> bool {
        self.piece == self.pieces.len()
    }

    fn skip_what_is_done(&mut self) {
        while self.pieces.get(self.piece).is_some_and(|piece| self.sent == piece.len()) {
            (self.piece, self.sent) = (self.piece + 1, 0);
        }
    }

    fn next_chunk(&mut self) -> (Step, Bytes) {
        let piece = &self.pieces[self.piece];
        let most = CHUNK_BYTES.min(usize::try_from(self.credit).unwrap_or(usize::MAX));
        let chunk = piece.slice(self.sent..piece.len().min(self.sent + most));
        let step = Step::Chunk { transfer: self.number, piece: self.piece as u32 };
        self.sent += chunk.len();
        self.credit -= chunk.len() as u64;
        self.skip_what_is_done();
        (step, chunk)
    }
}

/// The parts of a result that are wanted; all of it if none are named.
pub(super) fn cut(pieces: Vec<Bytes>, parts: &[Part]) -> Result<Vec<Bytes>, Missing> {
    if parts.is_empty() {
        return Ok(pieces);
    }
    parts.iter().map(|part| cut_part(&pieces, part).ok_or(Missing::NotThere)).collect()
}

fn cut_part(pieces: &[Bytes], part: &Part) -> Option<Bytes> {
    let piece = pieces.get(part.piece as usize)?;
    let (from, bytes) = (usize::try_from(part.offset).ok()?, usize::try_from(part.bytes).ok()?);
    let until = from.checked_add(bytes).filter(|until| *until <= piece.len())?;
    Some(piece.slice(from..until))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn transfers_take_turns_and_go_as_far_as_their_credit() {
        let mut sending = Sending::default();
        let piece = Bytes::from(vec![0; 2 * CHUNK_BYTES + 10]);
        sending.begin(1, vec![Bytes::new(), piece.clone()], u64::MAX);
        sending.begin(2, vec![piece], 100);
        sending.begin(3, vec![Bytes::new()], 100);
        let mut order = vec![];
        while let Some((Step::Chunk { transfer, piece }, chunk)) = sending.next_chunk() {
            order.push((transfer, piece, chunk.len()));
        }
        assert_eq!(order, [(1, 1, CHUNK_BYTES), (2, 0, 100), (1, 1, CHUNK_BYTES), (1, 1, 10)]);
        assert_eq!(sending.len(), 1);
        sending.add_credit(2, 5);
        assert_eq!(sending.next_chunk().unwrap().1.len(), 5);
        sending.cancel(2);
        assert_eq!(sending.len(), 0);
    }

    #[test]
    fn parts_are_cut_or_not_there() {
        let pieces = vec![Bytes::from_static(b"abcdef"), Bytes::from_static(b"gh")];
        let part = |piece, offset, bytes| Part { piece, offset, bytes };
        assert_eq!(cut(pieces.clone(), &[]).unwrap(), pieces);
        assert_eq!(cut(pieces.clone(), &[part(0, 2, 3), part(1, 2, 0)]).unwrap(), ["cde", ""]);
        for wrong in [part(2, 0, 0), part(0, 5, 2), part(0, u64::MAX, 2), part(1, 0, u64::MAX)] {
            assert_eq!(cut(pieces.clone(), &[wrong]), Err(Missing::NotThere));
        }
    }
}

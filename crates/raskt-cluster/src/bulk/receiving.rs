//! One transfer that comes in.

use super::{BulkError, CREDIT_BYTES, PIECES_MAX};
use crate::frame::AlignedBuffer;
use bytes::Bytes;

/// What of a result has come.
#[derive(Debug)]
pub(super) struct Receiving {
    reserved: u64,
    pieces: Vec<Coming>,
    missing: u64,
    /// Bytes that came since the peer was given credit.
    ungranted: u64,
    is_opened: bool,
}

#[derive(Debug)]
enum Coming {
    Buffer(AlignedBuffer),
    /// A chunk is being read into it; so much was missing before.
    Lent(u64),
    Whole(Bytes),
}

impl Receiving {
    /// One for which so many bytes have been reserved.
    pub fn new(reserved: u64) -> Self {
        Self { reserved, pieces: vec![], missing: 0, ungranted: 0, is_opened: false }
    }

    /// Bytes that were reserved for it.
    pub fn reserved(&self) -> u64 {
        self.reserved
    }

    /// The credit that it begins with.
    pub fn first_credit(&self) -> u64 {
        self.reserved.min(CREDIT_BYTES)
    }

    /// The peer says how long the pieces are.
    pub fn open(&mut self, lengths: &[u64]) -> Result<(), BulkError> {
        if self.is_opened || lengths.len() > PIECES_MAX {
            return Err(BulkError::Violation("a transfer was opened twice, or into too many pieces".to_owned()));
        }
        let bytes = lengths.iter().fold(0_u64, |sum, length| sum.saturating_add(*length));
        if bytes > self.reserved {
            return Err(BulkError::TooLarge { bytes, reserved: self.reserved });
        }
        self.is_opened = true;
        self.missing = bytes;
        self.pieces = lengths.iter().map(|length| Coming::of(*length as usize)).collect();
        Ok(())
    }

    /// The memory of a piece, to read a chunk of so many bytes into.
    pub fn lend(&mut self, piece: u32, bytes: usize) -> Option<AlignedBuffer> {
        let piece = self.pieces.get_mut(piece as usize)?;
        let missing = piece.missing();
        match std::mem::replace(piece, Coming::Lent(missing)) {
            Coming::Buffer(buffer) if buffer.missing() >= bytes => Some(buffer),
            other => {
                *piece = other;
                None
            }
        }
    }

    /// Takes it back with the chunk in it, and says how much credit the peer gets.
    pub fn take_back(&mut self, piece: u32, buffer: AlignedBuffer) -> Result<u64, BulkError> {
        let wrong = || BulkError::Violation("a chunk came for a piece that isn't there, or is whole".to_owned());
        let place =
            self.pieces.get_mut(piece as usize).filter(|place| matches!(place, Coming::Lent(_))).ok_or_else(wrong)?;
        let is_whole = buffer.missing() == 0;
        let (before, after) = (place.missing(), buffer.missing() as u64);
        *place = if is_whole { Coming::Whole(buffer.finish()) } else { Coming::Buffer(buffer) };
        let came = before.saturating_sub(after);
        self.missing -= came;
        self.ungranted += came;
        // Half of it at a time, as long as that much is still to be sent.
        let is_time = self.ungranted >= CREDIT_BYTES / 2 && self.missing > 0;
        Ok(if is_time { std::mem::take(&mut self.ungranted) } else { 0 })
    }

    /// The pieces, if all are whole.
    pub fn finish(&mut self) -> Option<Vec<Bytes>> {
        let is_whole =
            self.is_opened && self.missing == 0 && self.pieces.iter().all(|piece| matches!(piece, Coming::Whole(_)));
        let pieces = is_whole.then(|| std::mem::take(&mut self.pieces))?;
        Some(
            pieces
                .into_iter()
                .filter_map(|piece| if let Coming::Whole(bytes) = piece { Some(bytes) } else { None })
                .collect(),
        )
    }

    /// How long the pieces are, of which nothing has come yet; none before it is known.
    pub fn lengths(&self) -> Option<Vec<u64>> {
        self.is_opened.then(|| self.pieces.iter().map(Coming::missing).collect())
    }

    /// Whether memory of so many bytes that was handed over is what was asked for.
    pub fn fits(&self, lengths: impl Iterator<Item = u64>) -> bool {
        self.lengths().is_some_and(|own| lengths.eq(own))
    }
}

impl Coming {
    fn of(bytes: usize) -> Self {
        if bytes == 0 { Self::Whole(Bytes::new()) } else { Self::Buffer(AlignedBuffer::reserved(bytes)) }
    }

    fn missing(&self) -> u64 {
        match self {
            Self::Buffer(buffer) => buffer.missing() as u64,
            Self::Lent(missing) => *missing,
            Self::Whole(_) => 0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn chunks_fill_pieces_and_no_more_than_was_reserved_comes() {
        let mut receiving = Receiving::new(10);
        assert_eq!(receiving.first_credit(), 10);
        assert!(matches!(receiving.open(&[6, 5]), Err(BulkError::TooLarge { bytes: 11, reserved: 10 })));
        assert!(matches!(receiving.open(&[u64::MAX, 5]), Err(BulkError::TooLarge { .. })));
        receiving.open(&[4, 0, 3]).unwrap();
        assert!(receiving.finish().is_none());
        assert!(receiving.lend(0, 5).is_none() && receiving.lend(1, 1).is_none() && receiving.lend(9, 1).is_none());
        for (piece, chunk) in [(0, "ab"), (2, "xyz"), (0, "cd")] {
            let mut buffer = receiving.lend(piece, chunk.len()).unwrap();
            assert!(receiving.lend(piece, 1).is_none());
            buffer.fill(chunk.as_bytes());
            assert_eq!(receiving.take_back(piece, buffer), Ok(0));
        }
        assert!(receiving.take_back(0, AlignedBuffer::reserved(0)).is_err());
        assert_eq!(receiving.finish().unwrap(), ["abcd", "", "xyz"]);
    }

    #[test]
    fn credit_is_given_as_chunks_come() {
        let mut receiving = Receiving::new(64 << 20);
        receiving.open(&[32 << 20]).unwrap();
        let chunk = vec![0; 1 << 20];
        let granted: Vec<u64> = (0..32)
            .map(|_| {
                let mut buffer = receiving.lend(0, chunk.len()).unwrap();
                buffer.fill(&chunk);
                receiving.take_back(0, buffer).unwrap()
            })
            .collect();
        assert_eq!(granted.iter().sum::<u64>(), 28 << 20, "the last ones need none");
        assert!(granted.iter().all(|bytes| *bytes == 0 || *bytes == CREDIT_BYTES / 2));
    }
}

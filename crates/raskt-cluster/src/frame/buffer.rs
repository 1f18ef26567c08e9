//! Memory that begins at a multiple of 64 bytes, and grows as bytes come.

use super::ALIGNMENT_BYTES;
use bytes::Bytes;
use std::mem::MaybeUninit;

/// The first piece of memory for announced bytes; what really comes makes it grow.
const FIRST_BYTES: usize = 1 << 20;
/// How many times as large it is each time.
const GROWTH: usize = 4;

/// Bytes that are being read, of a length that was announced.
#[derive(Debug)]
pub struct AlignedBuffer {
    /// Its first `start` bytes are skipped, so that what follows is aligned.
    memory: Vec<u8>,
    start: usize,
    announced: usize,
}

impl AlignedBuffer {
    /// Room for what is announced, of which no more than a first part is taken now.
    pub fn announced(announced: usize) -> Self {
        Self::with_room(announced, announced.min(FIRST_BYTES))
    }

    /// Room for all of `bytes` at once, for what was reserved.
    pub fn reserved(bytes: usize) -> Self {
        Self::with_room(bytes, bytes)
    }

    fn with_room(announced: usize, room: usize) -> Self {
        let mut memory: Vec<u8> = Vec::with_capacity(room + ALIGNMENT_BYTES - 1);
        let start = memory.as_ptr().align_offset(ALIGNMENT_BYTES).min(ALIGNMENT_BYTES - 1);
        memory.resize(start, 0);
        Self { memory, start, announced }
    }

    /// Bytes that are there.
    pub fn filled(&self) -> usize {
        self.memory.len() - self.start
    }

    /// Bytes that are still to come.
    pub fn missing(&self) -> usize {
        self.announced - self.filled()
    }

    /// What is there.
    pub fn as_slice(&self) -> &[u8] {
        &self.memory[self.start..]
    }

    /// Takes what it can use of `bytes`, and says how much that is.
    pub fn fill(&mut self, bytes: &[u8]) -> usize {
        let mut done = 0;
        while done < bytes.len() && self.missing() > 0 {
            let room = self.room().len();
            let part = room.min(bytes.len() - done);
            self.memory.extend_from_slice(&bytes[done..done + part]);
            done += part;
        }
        done
    }

    /// Where the next bytes go; empty when all are there.
    pub fn room(&mut self) -> &mut [MaybeUninit<u8>] {
        let missing = self.missing();
        if missing > 0 && self.memory.len() == self.memory.capacity() {
            self.grow();
        }
        let spare = self.memory.spare_capacity_mut();
        let usable = spare.len().min(missing);
        &mut spare[..usable]
    }

    /// Says that the first `bytes` of the room are filled.
    ///
    /// # Safety
    /// They are.
    pub unsafe fn advance(&mut self, bytes: usize) {
        assert!(bytes <= self.missing() && self.memory.len() + bytes <= self.memory.capacity());
        // SAFETY: the caller has filled them, and they lie within what was allocated.
        unsafe { self.memory.set_len(self.memory.len() + bytes) }
    }

    /// The whole, when all bytes are there.
    pub fn finish(self) -> Bytes {
        debug_assert_eq!(self.missing(), 0);
        Bytes::from_owner(self)
    }

    /// Moves to a larger piece of memory, since one that grows in place needn't stay aligned.
    fn grow(&mut self) {
        let room = (self.filled() * GROWTH).clamp(FIRST_BYTES, self.announced.max(FIRST_BYTES)).min(self.announced);
        let mut larger = Self::with_room(self.announced, room);
        larger.memory.extend_from_slice(self.as_slice());
        *self = larger;
    }
}

impl AsRef<[u8]> for AlignedBuffer {
    fn as_ref(&self) -> &[u8] {
        self.as_slice()
    }
}

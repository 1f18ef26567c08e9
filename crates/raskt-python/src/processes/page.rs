use super::channel::{anonymous_memory, check};
use std::io;
use std::os::fd::{AsFd, AsRawFd, BorrowedFd, OwnedFd};

/// A few words that a process and its parent both see: how far the process is, and whether it is to stop.
///
/// The parent reads it when the process is dead, and writes it while the process is idle or to be stopped; so no side
/// ever waits for the other here.
pub(super) struct Page(OwnedFd);

/// What a process was at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum At {
    /// It hadn't come so far as to take a batch.
    Starting,
    /// It waited for a batch.
    Idle,
    /// It ran this task of its batch.
    Task(usize),
}

/// Bytes of a page: two words.
const LENGTH: usize = 16;

impl Page {
    pub fn new() -> io::Result<Self> {
        Ok(Self(anonymous_memory(LENGTH)?))
    }

    pub fn memory(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }

    /// What the process was at when it last said so.
    pub fn at(&self) -> At {
        match self.read(0) {
            0 => At::Starting,
            1 => At::Idle,
            word => At::Task(word as usize - 2),
        }
    }

    /// Asks the process to end its batch before the next task, or takes that back.
    pub fn set_stop(&self, stop: bool) {
        let word = u64::from(stop).to_ne_bytes();
        // SAFETY: eight bytes are read from `word`.
        unsafe { libc::pwrite(self.0.as_raw_fd(), word.as_ptr().cast(), 8, 8) };
    }

    fn read(&self, offset: i64) -> u64 {
        let mut word = [0; 8];
        // SAFETY: eight bytes are written to `word`.
        let read = unsafe { libc::pread(self.0.as_raw_fd(), word.as_mut_ptr().cast(), 8, offset) };
        if check(read).is_ok() { u64::from_ne_bytes(word) } else { 0 }
    }
}

//! Memory that was asked of the system itself, and goes back to it whole.

use rustix::mm::{Advice, MapFlags, ProtFlags};
use std::ffi::c_void;
use std::io;
use std::os::fd::AsFd;
use std::ptr::NonNull;

/// Large pages begin at multiples of this.
const LARGE_PAGE_BYTES: usize = 2 << 20;
/// Small ones are no larger than this on any machine.
const PAGE_BYTES_MOST: usize = 64 << 10;

/// Pages in the memory of this process.
#[derive(Debug)]
pub(super) struct Mapping {
    /// What was mapped, of which only a part may be used.
    whole: NonNull<c_void>,
    whole_bytes: usize,
    start: NonNull<u8>,
    bytes: usize,
}

// SAFETY: it is memory like any other, which goes with this.
unsafe impl Send for Mapping {}
// SAFETY: shared, it is only read.
unsafe impl Sync for Mapping {}

impl Mapping {
    /// Pages of a file, to which nobody else writes.
    pub fn of_file(file: impl AsFd, bytes: usize, flags: MapFlags) -> io::Result<Self> {
        if bytes == 0 {
            return Ok(Self::empty());
        }
        // SAFETY: the system chooses the place, so no memory of this process is replaced.
        let start = unsafe { rustix::mm::mmap(std::ptr::null_mut(), bytes, READ_AND_WRITE, flags, file, 0)? };
        Self::at(start, bytes, 0)
    }

    /// So many zeros, of this process alone; in large pages where the system has them, which are given and cleared far faster.
    pub fn private(bytes: usize) -> io::Result<Self> {
        if bytes == 0 {
            return Ok(Self::empty());
        }
        // What is never touched before the first large page, and behind the last byte, costs nothing.
        let spare = if bytes < LARGE_PAGE_BYTES { 0 } else { LARGE_PAGE_BYTES };
        let whole = bytes.checked_add(spare).ok_or(io::ErrorKind::OutOfMemory)?;
        // SAFETY: the system chooses the place, so no memory of this process is replaced.
        let start =
            unsafe { rustix::mm::mmap_anonymous(std::ptr::null_mut(), whole, READ_AND_WRITE, MapFlags::PRIVATE)? };
        let mut mapping = Self::at(start, whole, spare)?;
        if spare > 0 {
            advise(mapping.as_mut_slice(), Advice::LinuxHugepage);
        }
        Ok(mapping)
    }

    fn empty() -> Self {
        Self { whole: NonNull::dangling(), whole_bytes: 0, start: NonNull::dangling(), bytes: 0 }
    }

    /// What was mapped, without `spare` bytes of it: it begins with a large page if there are some.
    fn at(start: *mut c_void, whole_bytes: usize, spare: usize) -> io::Result<Self> {
        let whole = NonNull::new(start).ok_or_else(|| io::Error::other("memory was mapped to address zero"))?;
        let before = if spare > 0 { whole.cast::<u8>().align_offset(LARGE_PAGE_BYTES).min(spare) } else { 0 };
        // SAFETY: there are as many bytes to spare, so it lies within what was mapped.
        let start = unsafe { whole.cast::<u8>().add(before) };
        Ok(Self { whole, whole_bytes, start, bytes: whole_bytes - spare })
    }

    /// To write to.
    pub fn as_mut_slice(&mut self) -> &mut [u8] {
        // SAFETY: so many bytes are mapped, readable and writable, and nobody else has them as long as this is borrowed.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

/// What of it isn't there yet comes in small pages.
pub(super) fn use_small_pages(memory: &mut [u8]) {
    let start = memory.as_ptr().align_offset(LARGE_PAGE_BYTES).min(memory.len());
    advise(&mut memory[start..], Advice::LinuxNoHugepage);
}

/// Has the system give the pages of a mapping at once, where it would each by itself.
pub(super) fn populate(memory: &mut [u8]) {
    let start = memory.as_ptr().align_offset(PAGE_BYTES_MOST).min(memory.len());
    advise(&mut memory[start..], Advice::LinuxPopulateWrite);
}

/// Goes without, where the system doesn't take it.
fn advise(memory: &mut [u8], advice: Advice) {
    if !memory.is_empty() {
        // SAFETY: it is memory of this process, and such advice changes nothing of what is in it.
        let _ = unsafe { rustix::mm::madvise(memory.as_mut_ptr().cast(), memory.len(), advice) };
    }
}

const READ_AND_WRITE: ProtFlags = ProtFlags::READ.union(ProtFlags::WRITE);

impl AsRef<[u8]> for Mapping {
    fn as_ref(&self) -> &[u8] {
        // SAFETY: so many bytes are mapped; if it is a file, its seals keep everybody from writing to it or cutting it.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }
}

impl Drop for Mapping {
    fn drop(&mut self) {
        if self.whole_bytes > 0 {
            // SAFETY: it was mapped so, and nobody refers to it any more.
            let _ = unsafe { rustix::mm::munmap(self.whole.as_ptr(), self.whole_bytes) };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_memory_is_zeros_that_can_be_written() {
        for bytes in [0, 1, 4096, LARGE_PAGE_BYTES - 1, LARGE_PAGE_BYTES, 3 * LARGE_PAGE_BYTES + 5] {
            let mut mapping = Mapping::private(bytes).unwrap();
            assert!(mapping.as_ref().len() == bytes && mapping.as_ref().iter().all(|byte| *byte == 0));
            mapping.as_mut_slice().fill(7);
            // Advice changes nothing, wherever it is for.
            for range in [0..0, 0..bytes, bytes / 2..bytes, bytes.min(1)..bytes, bytes..bytes] {
                use_small_pages(&mut mapping.as_mut_slice()[range.clone()]);
                populate(&mut mapping.as_mut_slice()[range]);
            }
            assert!(mapping.as_ref().iter().all(|byte| *byte == 7));
            assert!(bytes < LARGE_PAGE_BYTES || mapping.as_ref().as_ptr().addr() % LARGE_PAGE_BYTES == 0);
        }
        assert!(Mapping::private(usize::MAX).is_err() && Mapping::private(usize::MAX / 2).is_err());
    }
}

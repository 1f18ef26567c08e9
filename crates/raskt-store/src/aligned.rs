//! Memory for what is read back.

use raskt_value::Buffer;
use std::alloc::{Layout, alloc, dealloc};
use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::ptr::NonNull;
use std::sync::Arc;

/// Every spill file and everything that is read from one begins at a multiple of so many bytes: a cache line, and enough
/// for any vector instruction.
pub(crate) const ALIGNMENT: usize = 64;

/// Bytes that begin at a multiple of [`ALIGNMENT`].
pub(crate) struct Aligned {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: it owns its bytes and has no interior mutability.
unsafe impl Send for Aligned {}
// SAFETY: as above.
unsafe impl Sync for Aligned {}

impl Aligned {
    /// The next `length` bytes of `file`.
    pub fn read(file: &File, length: usize) -> io::Result<Self> {
        let refused = || io::Error::from(io::ErrorKind::OutOfMemory);
        let layout = layout(length).ok_or_else(refused)?;
        // SAFETY: the layout has at least one byte.
        let start = NonNull::new(unsafe { alloc(layout) }).ok_or_else(refused)?;
        let aligned = Self { start, length };
        let mut done = 0;
        while done < length {
            // The bytes are uninitialised until they are read, which a slice of them must not be: hence the call below std's.
            // SAFETY: `done` is less than the length of the allocation, and so many bytes are left in it.
            let got = unsafe { libc::read(file.as_raw_fd(), start.as_ptr().add(done).cast(), length - done) };
            match got {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                1.. => done += got as usize,
                _ => match io::Error::last_os_error() {
                    error if error.kind() == io::ErrorKind::Interrupted => {}
                    error => return Err(error),
                },
            }
        }
        Ok(aligned)
    }

    /// The bytes.
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `read` gives only what it has filled.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.length) }
    }

    /// As a shared buffer.
    pub fn into_buffer(self) -> Buffer {
        let (start, length) = (self.start, self.length);
        // SAFETY: the owner keeps the bytes alive and nobody writes to them any more.
        unsafe { Buffer::from_raw(start, length, Arc::new(self)) }
    }
}

impl Drop for Aligned {
    fn drop(&mut self) {
        if let Some(layout) = layout(self.length) {
            // SAFETY: allocated with the same layout.
            unsafe { dealloc(self.start.as_ptr(), layout) };
        }
    }
}

fn layout(length: usize) -> Option<Layout> {
    Layout::from_size_align(length.max(1), ALIGNMENT).ok()
}

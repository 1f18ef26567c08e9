use pyo3::prelude::*;
use std::io;
use std::os::fd::RawFd;
use std::ptr::NonNull;
use std::sync::atomic::{AtomicU64, Ordering};

/// Signs of life that the parent sees: a number in memory that both have, which closing files doesn't take away.
pub(crate) struct Signs(NonNull<AtomicU64>);

// SAFETY: the memory is mapped as long as the process lives, and written as an atomic only.
unsafe impl Send for Signs {}
// SAFETY: the same.
unsafe impl Sync for Signs {}

impl Signs {
    /// Into the memory of a file that was given, which is closed.
    pub fn into_memory(file: RawFd) -> PyResult<Self> {
        let bytes = size_of::<AtomicU64>();
        let access = libc::PROT_READ | libc::PROT_WRITE;
        // SAFETY: the system chooses the place, so no memory of this process is replaced.
        let start = unsafe { libc::mmap(std::ptr::null_mut(), bytes, access, libc::MAP_SHARED, file, 0) };
        let error = io::Error::last_os_error();
        // SAFETY: it was given to be used here, and nobody else knows its number.
        unsafe { libc::close(file) };
        if start == libc::MAP_FAILED {
            return Err(error.into());
        }
        // Pages begin at multiples of more than its alignment.
        Ok(Self(NonNull::new(start.cast()).ok_or_else(|| io::Error::other("memory was mapped to address zero"))?))
    }

    /// One more.
    pub fn give(&self) {
        // SAFETY: so many bytes are mapped, aligned, and never unmapped.
        unsafe { self.0.as_ref() }.fetch_add(1, Ordering::Relaxed);
    }
}

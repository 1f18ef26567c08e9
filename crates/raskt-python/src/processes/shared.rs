use super::channel::check;
use numpy::PyArray1;
use pyo3::prelude::*;
use std::io;
use std::os::fd::RawFd;
use std::ptr::{NonNull, null_mut};

/// Memory that another process has filled, mapped into this one. Writing to it changes this process's copy alone.
#[pyclass(frozen, module = "raskt._core")]
struct Mapping {
    start: NonNull<u8>,
    length: usize,
}

// SAFETY: the mapping belongs to whoever holds this, whichever thread that is.
unsafe impl Send for Mapping {}
// SAFETY: nothing is reached through a shared reference but the address.
unsafe impl Sync for Mapping {}

impl Drop for Mapping {
    fn drop(&mut self) {
        // SAFETY: it was mapped with this length, and the arrays over it are gone: each of them holds this.
        unsafe { libc::munmap(self.start.as_ptr().cast(), self.length) };
    }
}

impl Mapping {
    fn new(descriptor: RawFd, length: usize) -> io::Result<Self> {
        let (access, sharing) = (libc::PROT_READ | libc::PROT_WRITE, libc::MAP_PRIVATE);
        // SAFETY: asks for a new mapping wherever there is room; no memory of anybody is touched.
        let start = unsafe { libc::mmap(null_mut(), length, access, sharing, descriptor, 0) };
        if start == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let start = NonNull::new(start.cast()).expect("a mapping that has succeeded has an address");
        Ok(Self { start, length })
    }
}

/// The first `length` bytes behind `descriptor` as an array of bytes, which may be written to and shares no changes.
///
/// The memory stays while the array or a view of it does; the descriptor is the caller's to close.
#[pyfunction]
pub(super) fn map_shared(py: Python<'_>, descriptor: RawFd, length: usize) -> PyResult<Bound<'_, PyAny>> {
    if length == 0 {
        return Ok(PyArray1::<u8>::zeros(py, 0, false).into_any());
    }
    // Reading beyond the end of a file is a fault that nothing can catch.
    // SAFETY: `stat` is plain data, which the call fills.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: as above.
    check(unsafe { libc::fstat(descriptor, &raw mut stat) } as isize)?;
    if (stat.st_size as u64) < length as u64 {
        let message = format!("a message speaks of {length} shared bytes, and there are {}", stat.st_size);
        return Err(pyo3::exceptions::PyValueError::new_err(message));
    }
    let mapping = Mapping::new(descriptor, length)?;
    // SAFETY: the mapping is readable and writable over its whole length.
    let bytes = unsafe { numpy::ndarray::ArrayView1::from_shape_ptr(length, mapping.start.as_ptr()) };
    let owner = Bound::new(py, mapping)?.into_any();
    // SAFETY: the owner keeps the memory alive and doesn't move it; it is private and may be written to, as NumPy takes
    // it to be.
    let array = unsafe { PyArray1::borrow_from_array(&bytes, owner) };
    Ok(array.into_any())
}

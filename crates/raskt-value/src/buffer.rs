//! Bytes that several share.

use crate::Element;
use std::any::Any;
use std::fmt;
use std::ptr::NonNull;
use std::sync::Arc;

/// Bytes that are shared and never change, with whatever keeps them alive: a `Vec`, a NumPy array, a mapped file.
#[derive(Clone)]
pub struct Buffer {
    start: NonNull<u8>,
    bytes: usize,
    owner: Arc<dyn Any + Send + Sync>,
}

// SAFETY: the bytes are read-only for as long as any `Buffer` refers to them, and the owner is `Send` and `Sync`.
unsafe impl Send for Buffer {}
// SAFETY: as above.
unsafe impl Sync for Buffer {}

impl Buffer {
    /// The elements of `elements`, without a copy.
    pub fn from_vec<T: Element>(elements: Vec<T>) -> Self {
        let start = NonNull::from(elements.as_slice()).cast();
        let bytes = size_of_val(elements.as_slice());
        Self { start, bytes, owner: Arc::new(elements) }
    }

    /// The `bytes` bytes at `start`, which `owner` keeps alive.
    ///
    /// # Safety
    /// The bytes are valid for reads, aligned for the elements that will be read from them, and nobody writes to them
    /// while `owner` lives.
    pub unsafe fn from_raw(start: NonNull<u8>, bytes: usize, owner: Arc<dyn Any + Send + Sync>) -> Self {
        Self { start, bytes, owner }
    }

    /// The `length` bytes from `start` on; nothing if there are fewer.
    pub fn part(&self, start: usize, length: usize) -> Option<Self> {
        if start.checked_add(length)? > self.bytes {
            return None;
        }
        // SAFETY: it lies within these bytes, or just behind them.
        let start = unsafe { self.start.add(start) };
        Some(Self { start, bytes: length, owner: self.owner.clone() })
    }

    /// How many bytes there are.
    pub fn len(&self) -> usize {
        self.bytes
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.bytes == 0
    }

    /// The address of the first byte.
    pub fn as_ptr(&self) -> *const u8 {
        self.start.as_ptr()
    }

    /// What keeps the bytes alive.
    pub fn owner(&self) -> &Arc<dyn Any + Send + Sync> {
        &self.owner
    }
}

impl fmt::Debug for Buffer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Buffer({} bytes)", self.bytes)
    }
}

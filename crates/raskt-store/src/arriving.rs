//! Memory for results that come ahead of any task.

use std::sync::atomic::{AtomicU64, Ordering};

/// So many bytes are on their way into memory though nobody was promised any. They count as long as this is there, less what has come of
/// them and counts by itself.
#[derive(Default)]
pub struct Arriving {
    left: AtomicU64,
    /// Is told how many never came.
    ends: Option<Box<dyn FnOnce(u64) + Send + Sync>>,
}

impl Arriving {
    /// So many bytes, which somebody counts until he is told that the rest doesn't come.
    pub fn new(bytes: u64, ends: impl FnOnce(u64) + Send + Sync + 'static) -> Self {
        Self { left: AtomicU64::new(bytes), ends: Some(Box::new(ends)) }
    }

    /// Bytes of it that are still to come.
    pub fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// So many bytes have come: gives how many of them count here no longer.
    pub(crate) fn take(&self, bytes: u64) -> u64 {
        let rest = |left: u64| Some(left.saturating_sub(bytes));
        let before = self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, rest);
        before.unwrap_or_else(|left| left).min(bytes)
    }
}

impl Drop for Arriving {
    fn drop(&mut self) {
        if let Some(ends) = self.ends.take() {
            ends(self.left());
        }
    }
}

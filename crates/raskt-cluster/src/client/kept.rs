//! Small results that a client keeps as they came.

use crate::small::Small;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Bytes of small results that a client keeps; others are fetched when they are wanted.
const KEPT_BYTES: usize = 64 << 20;

/// Results that came along; clones are the same.
#[derive(Clone)]
pub(super) struct Kept(pub Arc<Counted>);

/// The same, for as long as they count.
pub(super) struct Counted {
    small: Small,
    kept: Arc<AtomicUsize>,
}

impl Kept {
    /// These, if there is room beside those that `kept` counts.
    pub fn new(small: Small, kept: &Arc<AtomicUsize>) -> Option<Self> {
        let bytes = small.len();
        if kept.fetch_add(bytes, Ordering::Relaxed) + bytes > KEPT_BYTES {
            kept.fetch_sub(bytes, Ordering::Relaxed);
            return None;
        }
        Some(Self(Arc::new(Counted { small, kept: kept.clone() })))
    }
}

impl PartialEq for Kept {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.0, &other.0)
    }
}

impl std::ops::Deref for Counted {
    type Target = Small;

    fn deref(&self) -> &Small {
        &self.small
    }
}

impl Drop for Counted {
    fn drop(&mut self) {
        self.kept.fetch_sub(self.small.len(), Ordering::Relaxed);
    }
}

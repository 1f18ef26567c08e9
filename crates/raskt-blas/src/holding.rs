//! Libraries that compute with the thread that calls them, and none of their own.

use crate::library::Library;
use std::sync::{MutexGuard, PoisonError};

/// Who holds a library.
#[derive(Debug, Default)]
pub(crate) struct Holds {
    count: u64,
    /// The threads that it had.
    before: i32,
}

/// While one lives, the library computes with the thread that calls it alone: then it has again what it had. One that counts by thread is
/// left as it is: each thread has to be told.
pub struct Held(&'static Library);

impl Library {
    /// Holds it. A number of threads that somebody sets meanwhile is lost at the end.
    pub fn hold(&'static self) -> Held {
        let mut holds = self.holds();
        holds.count += 1;
        if holds.count == 1 && !self.is_by_thread() {
            holds.before = self.threads().get();
            if holds.before > 1 {
                self.threads().set(1);
            }
        }
        Held(self)
    }

    fn holds(&self) -> MutexGuard<'_, Holds> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut holds = self.0.holds();
        holds.count -= 1;
        if holds.count == 0 && holds.before > 1 {
            self.0.threads().set(holds.before);
        }
    }
}

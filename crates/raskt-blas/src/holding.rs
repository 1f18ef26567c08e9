//! Libraries that compute with the thread that calls them, and none of their own.

use crate::library::Library;
use std::sync::{MutexGuard, PoisonError};

/// Who holds a library.
#[derive(Debug, Default)]
pub(crate) struct Holds {
    count: u64,
    /// The threads that it had.
    before: i32,
    /// Through how many forks this process has come: those who held it before one are its parent's, and let go nothing here.
    forks: u64,
}

impl Holds {
    /// A fork has come to be, with none of the threads that held the library. Says how many threads it had.
    pub fn lose_threads(&mut self) -> Option<i32> {
        let before = (self.count > 0 && self.before > 1).then_some(self.before);
        (self.count, self.forks) = (0, self.forks + 1);
        before
    }
}

/// While one lives, the library computes with the thread that calls it alone: then it has again what it had. One that counts by thread is
/// left as it is: each thread has to be told.
pub struct Held {
    library: &'static Library,
    forks: u64,
}

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
        Held { library: self, forks: holds.forks }
    }

    pub(crate) fn holds(&self) -> MutexGuard<'_, Holds> {
        self.holds.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        let mut holds = self.library.holds();
        if holds.forks != self.forks {
            return;
        }
        holds.count -= 1;
        if holds.count == 0 && holds.before > 1 {
            self.library.threads().set(holds.before);
        }
    }
}

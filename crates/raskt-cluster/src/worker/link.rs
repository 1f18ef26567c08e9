//! What the parts of a worker have in common: the way to the scheduler, and how it ends.

use crate::driver::Outbox;
use crate::message::FromWorker;
use raskt_sync::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The way to the scheduler.
pub(super) struct Link {
    pub outbox: Outbox<FromWorker>,
}

/// Why it is over, once it is.
#[derive(Default)]
pub(super) struct Ended {
    why: Mutex<Option<String>>,
    changed: Condvar,
    /// Somebody starts another one when it is over.
    is_looked_after: AtomicBool,
}

impl Ended {
    /// Whether another one would be started.
    pub fn begins_anew(&self) -> bool {
        self.is_looked_after.load(Ordering::Relaxed)
    }

    /// Another one is started when it is over.
    pub fn look_after(&self) {
        self.is_looked_after.store(true, Ordering::Relaxed);
    }

    /// It is over.
    pub fn tell(&self, why: impl Into<String>) {
        self.why.lock().get_or_insert_with(|| why.into());
        self.changed.notify_all();
    }

    /// Why it is over, if it is within `patience`.
    pub fn wait(&self, patience: Duration) -> Option<String> {
        let mut why = self.why.lock();
        if why.is_none() {
            why = self.changed.wait_for(why, patience).0;
        }
        why.clone()
    }
}

//! Where the system gives the store no thread: those who wait do what there is to do, one thing after the other.

use super::{Inner, Shared, block_size_signal};
use crate::still::PATIENCE;
use raskt_sync::{MutexGuard, guard, usual_stack};
use std::cell::Cell;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

/// How long after a refusal the system is asked for a thread again.
const ASKS_AGAIN: Duration = Duration::from_millis(100);

impl Shared {
    /// Starts one more thread. Where the system gives none, and there is no other, those who wait are to help.
    pub(super) fn start(self: &Arc<Self>, inner: &mut Inner) {
        if inner.refused.is_none_or(|refused| refused.elapsed() >= ASKS_AGAIN) {
            let shared = self.clone();
            // Python objects are pickled and dropped there.
            let thread = std::thread::Builder::new().name("raskt-spill".into()).stack_size(usual_stack());
            let is_started = !inner.refuses && thread.spawn(move || shared.live()).is_ok();
            inner.threads += usize::from(is_started);
            inner.refused = (!is_started).then(Instant::now);
        }
        self.is_stranded.store(inner.threads == 0, Ordering::Relaxed);
    }

    /// Whether those who wait have to help.
    pub fn is_stranded(&self) -> bool {
        self.is_stranded.load(Ordering::Relaxed)
    }

    /// If no thread of the store can be had, does one thing that there is to do; whether there may be more. It may take the
    /// interpreter and the locks of engines, and as long as it takes to write or to read a result.
    pub fn help(self: &Arc<Self>) -> bool {
        if !self.is_stranded() {
            return false;
        }
        block_size_signal();
        let tells = Cell::new(false);
        guard(|| self.help_once(&tells)).unwrap_or_else(|story| {
            self.recover(&story, &tells);
            true
        })
    }

    fn help_once(self: &Arc<Self>, tells: &Cell<bool>) -> bool {
        let inner = self.inner.lock();
        if inner.threads > 0 {
            return false;
        }
        let Some(mut inner) = self.step(inner, tells) else { return true };
        let Inner { state, still, is_telling, .. } = &mut *inner;
        let patience = still.look(state, *is_telling);
        // What is left may be for whoever is telling engines just now.
        let is_stranded = patience.is_some() || inner.has_work();
        self.is_stranded.store(is_stranded, Ordering::Relaxed);
        drop(inner);
        self.look();
        patience == Some(Duration::ZERO)
    }

    /// Waits for a result to come or to go, for a while.
    pub(super) fn wait_to_come(self: &Arc<Self>, inner: MutexGuard<'_, Inner>) {
        let mut inner = inner;
        if self.is_stranded() {
            drop(inner);
            if self.help() {
                return;
            }
            inner = self.inner.lock();
        }
        drop(self.came.wait_for(inner, PATIENCE));
    }

    /// From now on no more threads can be had, or (`false`) they can again.
    pub fn refuse_threads(&self, refuses: bool) {
        let mut inner = self.inner.lock();
        (inner.refuses, inner.refused) = (refuses, None);
    }
}

//! What an engine, its threads and those who wait for its runs share: the machines under their lock.

use crate::RunError;
use crate::options::EngineOptions;
use crate::recover::Recovery;
use crate::state::{Afterwards, Outgoing, State};
use crate::uplink::Uplink;
use raskt_schedule::{Progress, RunId, Ticket};
use raskt_store::{Asker, Broken, Reply, Store, forks};
use raskt_sync::{Condvar, Mutex, MutexGuard, guard};
use std::sync::{Arc, Weak};

/// Sees to it that there are threads for the work that there is; whether one of those that idle is to be woken.
type Wake = fn(&Arc<Shared>, &mut State) -> bool;

pub(crate) struct Shared {
    state: Mutex<State>,
    /// Told when there is work to pick, and when threads are to end.
    work: Condvar,
    pub recovery: Recovery,
    pub options: EngineOptions,
    pub store: Store,
    /// What the store knows the engine by.
    number: u32,
    /// The process that it is of, by its forks.
    forks: u32,
    itself: Weak<Shared>,
    wake: Wake,
    /// There is a scheduler elsewhere that is told.
    has_uplink: bool,
}

impl Asker for Shared {
    fn answered(&self, replies: Vec<(u64, Reply)>) {
        if let Some(shared) = self.itself.upgrade() {
            let answer = |state: &mut State| {
                replies.into_iter().for_each(|(ticket, reply)| state.answered(Ticket(ticket), reply));
            };
            // All that a break concerns are told of it.
            let _ = shared.change(answer);
        }
    }

    fn store_broke(&self, broken: &Broken) {
        let Some(shared) = self.itself.upgrade() else { return };
        let is_known = shared.lock().broke_for >= broken.number;
        // A thread of the engine may have met it, and runs may have come since.
        if !is_known {
            shared.lock().broke_for = broken.number;
            shared.break_down(&broken.to_string());
        }
    }
}

impl Drop for Shared {
    fn drop(&mut self) {
        self.store.leave(self.number);
    }
}

impl Shared {
    /// With a store, where results are, and `wake`, which starts threads.
    pub fn new(options: EngineOptions, recovery: Recovery, wake: Wake) -> Arc<Self> {
        Self::with(options, recovery, (wake, false), State::new)
    }

    /// The same for a worker, whose scheduler is told through `uplink`.
    pub fn of_worker(options: EngineOptions, recovery: Recovery, wake: Wake, uplink: Arc<dyn Uplink>) -> Arc<Self> {
        let state = |slots, recovery: &Recovery, number| State::of_worker(uplink, slots, recovery, number);
        Self::with(options, recovery, (wake, true), state)
    }

    fn with(
        options: EngineOptions,
        recovery: Recovery,
        (wake, has_uplink): (Wake, bool),
        state: impl FnOnce(u32, &Recovery, u32) -> State,
    ) -> Arc<Self> {
        Arc::new_cyclic(|itself: &Weak<Self>| {
            let store = recovery.store.clone();
            let number = store.enlist(itself.clone());
            let state = state(options.threads.max(1) as u32, &recovery, number);
            Self {
                state: Mutex::new(state),
                work: Condvar::new(),
                recovery,
                options,
                store,
                number,
                forks: forks(),
                itself: itself.clone(),
                wake,
                has_uplink,
            }
        })
    }

    /// What the store knows the engine by.
    pub fn number(&self) -> u32 {
        self.number
    }

    /// Whether this process is a fork of the one that it is of: its threads aren't here, its tasks are its own process's to run,
    /// and its lock may be held for ever.
    pub fn is_left_behind(&self) -> bool {
        self.forks != forks()
    }

    pub fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock()
    }

    /// Whether somebody has the lock.
    #[cfg(test)]
    pub fn is_locked(&self) -> bool {
        self.state.try_lock().is_none()
    }

    pub fn work(&self) -> &Condvar {
        &self.work
    }

    /// Changes the state, and sees to it that threads take up new work. When the lock is gone, those who wait for runs that have
    /// finished are told, and what nobody needs is dropped. If a machine panics on the way, all runs end with the error that
    /// comes back, and the machines begin anew. In a fork nothing is changed.
    pub fn change<T>(self: &Arc<Self>, change: impl FnOnce(&mut State) -> T) -> Result<T, RunError> {
        let (result, afterwards, outgoing) = self.change_locked(change, |state, _| state.begin_telling())?;
        if let Some(outgoing) = outgoing {
            self.tell(outgoing);
        }
        if let Err(story) = afterwards.see_to() {
            self.break_down(&story);
        }
        result
    }

    /// The same for a thread that must not wait until the scheduler elsewhere hears: that is left to the thread that is woken for the
    /// work. Whether there is none, and [`Self::tell_rest`] has to be called by somebody.
    pub fn change_unheard<T>(self: &Arc<Self>, change: impl FnOnce(&mut State) -> T) -> (Result<T, RunError>, bool) {
        // Threads of an engine that is shut down tell nothing any more.
        let left = |state: &mut State, is_idle: bool| (!is_idle || state.is_shut_down) && state.has_to_tell();
        match self.change_locked(change, left) {
            Ok((result, afterwards, is_left)) => {
                if let Err(story) = afterwards.see_to() {
                    self.break_down(&story);
                }
                (result, is_left)
            }
            Err(error) => (Err(error), false),
        }
    }

    /// Tells the scheduler elsewhere what others have left to be told.
    pub fn tell_rest(self: &Arc<Self>) {
        if !self.has_uplink {
            return;
        }
        let outgoing = self.lock().begin_telling();
        if let Some(outgoing) = outgoing {
            self.tell(outgoing);
        }
    }

    /// What there is to do without the lock is given back, with what `then` finds while it is there: it is told whether an idle thread
    /// is woken.
    fn change_locked<T, R>(
        self: &Arc<Self>,
        change: impl FnOnce(&mut State) -> T,
        then: impl FnOnce(&mut State, bool) -> R,
    ) -> Result<(Result<T, RunError>, Afterwards, R), RunError> {
        if self.is_left_behind() {
            return Err(RunError::Forked);
        }
        let mut state = self.state.lock();
        (state.handed_out, state.is_left_to_waiter) = (None, false);
        let result = guard(|| {
            let result = change(&mut state);
            (result, (self.wake)(self, &mut state))
        });
        let (result, is_idle) = match result {
            Ok((result, is_idle)) => (Ok(result), is_idle),
            Err(story) => (Err(state.break_down(story)), false),
        };
        let found = then(&mut state, is_idle);
        let afterwards = state.take_afterwards();
        drop(state);
        if is_idle {
            // It finds the lock free.
            self.work.notify_one();
        }
        Ok((result, afterwards, found))
    }

    /// Tells the scheduler elsewhere, without the lock, until there is nothing more to tell. Others leave to this thread what comes.
    fn tell(self: &Arc<Self>, outgoing: Outgoing) {
        let mut next = Some(outgoing);
        while let Some(outgoing) = next {
            if let Err(story) = guard(|| outgoing.send()) {
                self.break_down(&story);
            }
            next = self.lock().go_on_telling();
        }
    }

    /// Something panicked where the machines don't see it, and would wait for it for ever.
    pub fn break_down(self: &Arc<Self>, story: &str) {
        let _ = self.change(|_| std::panic::panic_any(story.to_owned()));
    }

    pub fn release(self: &Arc<Self>, run: RunId) {
        // A breakdown ends the run as well.
        let _ = self.change(|state| state.release(run));
    }

    pub fn progress(&self, run: RunId) -> Option<Progress> {
        if self.is_left_behind() {
            return None;
        }
        self.state.lock().head.progress(run)
    }
}

//! Locks that a forked process may use.
//!
//! A process may fork while threads of raskt wait for work, and the child may compute on. Locks that keep everybody who
//! waits in a table of the process (parking_lot does) can't be used by both: the child has the table, with pointers into the
//! stacks of threads that it doesn't have, and gives these stacks to threads of its own. Those of the standard library
//! wait in the kernel and leave nothing behind.
//!
//! A lock stays usable after a panic of its holder: who changes a machine under it does so in a [`guard`](crate::guard), and
//! notes beside the machine that it is broken.

use std::sync::{self, PoisonError, TryLockError};
use std::time::{Duration, Instant};

pub use std::sync::{MutexGuard, RwLockReadGuard, RwLockWriteGuard};

/// A value that one thread at a time may use.
#[derive(Debug, Default)]
pub struct Mutex<T: ?Sized>(sync::Mutex<T>);

impl<T> Mutex<T> {
    /// An unlocked one.
    pub const fn new(value: T) -> Self {
        Self(sync::Mutex::new(value))
    }

    /// The value, by its owner.
    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T: ?Sized> Mutex<T> {
    /// Waits until no other thread uses the value.
    pub fn lock(&self) -> MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The value, unless another thread uses it.
    pub fn try_lock(&self) -> Option<MutexGuard<'_, T>> {
        match self.0.try_lock() {
            Ok(guard) => Some(guard),
            Err(TryLockError::Poisoned(error)) => Some(error.into_inner()),
            Err(TryLockError::WouldBlock) => None,
        }
    }

    /// The value, unless other threads use it all the time that `patience` lasts.
    pub fn try_lock_for(&self, patience: Duration) -> Option<MutexGuard<'_, T>> {
        let deadline = Instant::now() + patience;
        loop {
            match self.try_lock() {
                Some(guard) => return Some(guard),
                None if Instant::now() >= deadline => return None,
                None => std::thread::sleep(LOOK_AGAIN),
            }
        }
    }

    /// The value, by somebody who can't be disturbed.
    pub fn get_mut(&mut self) -> &mut T {
        self.0.get_mut().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Between two looks of somebody who has other things to do if it takes too long.
const LOOK_AGAIN: Duration = Duration::from_millis(1);

/// Threads that wait until something about a locked value has changed.
#[derive(Debug, Default)]
pub struct Condvar(sync::Condvar);

impl Condvar {
    /// One that nobody waits for.
    pub const fn new() -> Self {
        Self(sync::Condvar::new())
    }

    /// Lets go of the value until somebody tells of a change; it may come back for no reason.
    pub fn wait<'a, T>(&self, guard: MutexGuard<'a, T>) -> MutexGuard<'a, T> {
        self.0.wait(guard).unwrap_or_else(PoisonError::into_inner)
    }

    /// The same for at most `patience`; says whether that was over.
    pub fn wait_for<'a, T>(&self, guard: MutexGuard<'a, T>, patience: Duration) -> (MutexGuard<'a, T>, bool) {
        let (guard, timeout) = self.0.wait_timeout(guard, patience).unwrap_or_else(PoisonError::into_inner);
        (guard, timeout.timed_out())
    }

    /// The same up to `deadline`.
    pub fn wait_until<'a, T>(&self, guard: MutexGuard<'a, T>, deadline: Instant) -> (MutexGuard<'a, T>, bool) {
        self.wait_for(guard, deadline.saturating_duration_since(Instant::now()))
    }

    /// Tells one thread of a change.
    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    /// Tells all.
    pub fn notify_all(&self) {
        self.0.notify_all();
    }
}

/// A value that many threads at a time may look at, or one may change.
#[derive(Debug, Default)]
pub struct RwLock<T: ?Sized>(sync::RwLock<T>);

impl<T> RwLock<T> {
    /// An unlocked one.
    pub const fn new(value: T) -> Self {
        Self(sync::RwLock::new(value))
    }
}

impl<T: ?Sized> RwLock<T> {
    /// Waits until nobody changes the value.
    pub fn read(&self) -> RwLockReadGuard<'_, T> {
        self.0.read().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until nobody uses the value.
    pub fn write(&self) -> RwLockWriteGuard<'_, T> {
        self.0.write().unwrap_or_else(PoisonError::into_inner)
    }
}

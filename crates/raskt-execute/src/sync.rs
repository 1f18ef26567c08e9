//! A mutex and a condition variable for threads that a fork may leave behind.
//!
//! Those of `parking_lot` keep the threads that wait in one table of the whole process, by addresses on their stacks. A fork
//! has the table and none of the threads: its own threads stumble over what was their parent's. Those of the standard
//! library are a number each, in the engine itself, which a fork forgets.

use std::ops::{Deref, DerefMut};
use std::sync::{PoisonError, WaitTimeoutResult};
use std::time::{Duration, Instant};

/// Panics don't poison it: they are caught before they reach a lock.
#[derive(Default)]
pub(crate) struct Mutex<T>(std::sync::Mutex<T>);

/// The inner guard is away only while a condition variable has it.
pub(crate) struct MutexGuard<'a, T>(Option<std::sync::MutexGuard<'a, T>>);

#[derive(Default)]
pub(crate) struct Condvar(std::sync::Condvar);

const HELD: &str = "a guard holds its lock between waits";

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Self(std::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard(Some(self.0.lock().unwrap_or_else(PoisonError::into_inner)))
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        self.0.as_ref().expect(HELD)
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        self.0.as_mut().expect(HELD)
    }
}

impl Condvar {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn notify_one(&self) {
        self.0.notify_one();
    }

    pub fn notify_all(&self) {
        self.0.notify_all();
    }

    /// Waits to be notified, `patience` at most, without the lock.
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, patience: Duration) -> WaitTimeoutResult {
        let held = guard.0.take().expect(HELD);
        let (held, result) = self.0.wait_timeout(held, patience).unwrap_or_else(PoisonError::into_inner);
        guard.0 = Some(held);
        result
    }

    /// Waits to be notified, until `deadline` at most, without the lock.
    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, deadline: Instant) {
        self.wait_for(guard, deadline.saturating_duration_since(Instant::now()));
    }
}

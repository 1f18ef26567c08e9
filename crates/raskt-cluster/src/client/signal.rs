//! A wait that may be over in a moment.
//!
//! To sleep and to be woken costs a thread tens of microseconds, and more where the processor has gone to sleep meanwhile: for a call that
//! takes a hundred that is most of it. So whoever waits looks on for a moment before he sleeps: one thread of the process at a time, where
//! there is more than one processor, and as long as the answers do come so soon.

use raskt_sync::{Condvar, MutexGuard};
use std::hint::spin_loop;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::thread::{available_parallelism, yield_now};
use std::time::{Duration, Instant};

/// So long is looked on at most.
const MOMENT: Duration = Duration::from_micros(300);

/// Looks between two at the clock.
const LOOKS: u32 = 32;

/// After so many waits in a row that took longer nobody looks on,
const LONG_MOST: u32 = 4;

/// but in one wait of so many, to see whether they have become shorter.
const TRIED_AGAIN: u32 = 64;

/// Something to wait for, under a lock.
#[derive(Debug, Default)]
pub(super) struct Signal {
    changed: Condvar,
    given: AtomicU64,
}

impl Signal {
    /// Whoever waits looks again. To be called under the lock.
    pub fn give(&self) {
        self.given.fetch_add(1, Ordering::Release);
        self.changed.notify_all();
    }

    /// How often it was given.
    pub fn given(&self) -> u64 {
        self.given.load(Ordering::Acquire)
    }

    /// Waits for it with the lock let go, up to `deadline` if there is one.
    pub fn wait<'a, T>(&self, state: MutexGuard<'a, T>, deadline: Option<Instant>) -> MutexGuard<'a, T> {
        match deadline {
            Some(deadline) => self.changed.wait_until(state, deadline).0,
            None => self.changed.wait(state),
        }
    }

    /// Looks on for a moment, without the lock, whether it is given once more than it was.
    pub fn watch(&self, given: u64, deadline: Option<Instant>) {
        static SPINNING: Spinning = Spinning::new();
        SPINNING.until(deadline, || self.given() != given);
    }
}

/// Whether it is worth while to look on.
struct Spinning {
    /// Somebody does.
    is_taken: AtomicBool,
    /// How many waits in a row took longer.
    long: AtomicU32,
}

impl Spinning {
    const fn new() -> Self {
        Self { is_taken: AtomicBool::new(false), long: AtomicU32::new(0) }
    }

    fn until(&self, deadline: Option<Instant>, is_over: impl Fn() -> bool) {
        static SEVERAL: LazyLock<bool> =
            LazyLock::new(|| available_parallelism().is_ok_and(|processors| processors.get() > 1));
        if !*SEVERAL || !self.is_worth_while() || self.is_taken.swap(true, Ordering::Acquire) {
            return;
        }
        let until = Instant::now() + MOMENT;
        let until = deadline.map_or(until, |deadline| deadline.min(until));
        let came = loop {
            if (0..LOOKS).any(|_| {
                is_over() || {
                    spin_loop();
                    false
                }
            }) {
                break true;
            }
            if Instant::now() >= until {
                break false;
            }
            yield_now();
        };
        self.is_taken.store(false, Ordering::Release);
        if came {
            self.long.store(0, Ordering::Relaxed);
        } else {
            self.long.fetch_add(1, Ordering::Relaxed);
        }
    }

    fn is_worth_while(&self) -> bool {
        let long = self.long.load(Ordering::Relaxed);
        if long < LONG_MOST {
            return true;
        }
        let is_time = long.is_multiple_of(TRIED_AGAIN);
        self.long.store(if is_time { LONG_MOST } else { long }.saturating_add(1), Ordering::Relaxed);
        is_time
    }
}

//! Who waits for memory, and for how long.

use super::named::Policy;
use crate::Time;

/// Who waits for memory and for room, and for how long.
///
/// A producer (see `admit.rs`) goes to a worker only while what is held and promised there stays within a part of its
/// memory. If there is no such worker it waits for tasks that give memory back, as long as the patience lasts. Equally
/// long somebody stands aside who asks for much of a resource, before a worker is kept for it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Admission {
    /// Producers may fill one part of so many of a worker's memory. The rest is for the tasks that read what they made,
    /// for inputs that are fetched, and for results that turn out larger than those before them.
    pub producers_part: u64,
    /// Nanoseconds that a task waits at most for memory that others are to give back: then it goes ahead, and something
    /// is spilled. With none nobody waits.
    pub patience_nanoseconds: u64,
}

impl Default for Admission {
    /// Half of the memory, and a second.
    fn default() -> Self {
        Self { producers_part: 2, patience_nanoseconds: 1_000_000_000 }
    }
}

impl Admission {
    /// Whether a worker with so much memory may get a producer that adds `net` bytes, while `used` bytes are held and
    /// promised. One that is empty may, since there is nothing to wait for.
    pub(crate) fn admits(&self, memory: u64, used: u128, net: u64) -> bool {
        used == 0 || used + u128::from(net) <= u128::from(self.part(memory))
    }

    /// Whether it may get no producer at all.
    pub(crate) fn is_full(&self, memory: u64, used: u128) -> bool {
        !self.admits(memory, used, 1)
    }

    /// Bytes that producers may add to those that are used; without bound on a worker whose memory has none.
    pub(crate) fn room(&self, memory: u64, used: u128) -> u64 {
        match memory {
            u64::MAX => u64::MAX,
            _ => u128::from(self.part(memory)).saturating_sub(used) as u64,
        }
    }

    /// Until when somebody waits at most who does `since` then.
    pub(crate) fn patience_ends(&self, since: Time) -> Time {
        Time(since.0.saturating_add(self.patience_nanoseconds))
    }

    /// Whether what takes so long, and begins in so long, is worth waiting for. What isn't known is.
    pub(crate) fn is_soon(&self, before: u64, nanoseconds: Option<u64>) -> bool {
        nanoseconds.is_none_or(|nanoseconds| before.saturating_add(nanoseconds) <= self.patience_nanoseconds)
    }

    fn part(&self, memory: u64) -> u64 {
        // A damaged record may say anything.
        memory / self.producers_part.max(1)
    }
}

const NAME: &str = "producers-wait";

impl Policy for Admission {
    const KIND: &'static str = "admission";

    fn name(&self) -> &str {
        NAME
    }

    fn numbers(&self) -> Vec<u64> {
        vec![self.producers_part, self.patience_nanoseconds]
    }

    fn named(name: &str, numbers: &[u64]) -> Option<Self> {
        let &[producers_part, patience_nanoseconds] = numbers else { return None };
        (name == NAME).then_some(Self { producers_part, patience_nanoseconds })
    }
}

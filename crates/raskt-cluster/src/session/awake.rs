//! Whether this side itself has stood still.
//!
//! A process may be stopped for a while, or the thread of its network may be busy. Who looks at the clock after that finds that
//! everybody was silent; what they have said lies in the sockets. A session is therefore looked at once a heartbeat at least, and time
//! in which nobody looked counts as one heartbeat of silence and no more.

use super::Limits;

/// When this side has looked at a session.
#[derive(Clone, Copy, Debug)]
pub(super) struct Awake {
    looked_at: u64,
    /// When it came back after it had stood still.
    woke_at: Option<u64>,
}

/// Who doesn't look for so many heartbeats has stood still: a busy machine is later than it should be by a part of one.
const STANDSTILL_HEARTBEATS: u64 = 3;

impl Awake {
    pub fn new(now: u64) -> Self {
        Self { looked_at: now, woke_at: None }
    }

    /// This side looks now. Gives for how long nobody could have heard what the peer said.
    pub fn missed(&mut self, limits: &Limits, now: u64) -> u64 {
        let beat = limits.heartbeat_nanoseconds;
        let passed = now.saturating_sub(self.looked_at);
        self.looked_at = self.looked_at.max(now);
        if passed <= beat.saturating_mul(STANDSTILL_HEARTBEATS) {
            return 0;
        }
        self.woke_at = Some(now);
        passed - beat
    }

    /// Whether it came back so short a while ago that peers may not have noticed yet.
    pub fn has_just_woken(&self, limits: &Limits, now: u64) -> bool {
        self.woke_at.is_some_and(|at| now < at.saturating_add(limits.unreachable_nanoseconds))
    }

    pub fn looked_at(&self) -> u64 {
        self.looked_at
    }

    /// When it has to look again.
    pub fn looks_at(&self, limits: &Limits) -> u64 {
        self.looked_at.saturating_add(limits.heartbeat_nanoseconds)
    }
}

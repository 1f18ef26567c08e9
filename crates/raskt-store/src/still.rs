//! What a thread of the store that has nothing to do watches for.

use crate::state::State;
use std::time::{Duration, Instant};

/// How long nothing has to have moved before a request may go beyond the limit.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// How many such times a disk that was full or broken is left alone.
const DISK_PATIENCE: u32 = 10;

/// Watches for requests that wait while nothing moves.
#[derive(Default)]
pub(crate) struct Still {
    moves: u64,
    since: Option<Instant>,
    times: u32,
    /// When it was looked whether results that somebody else referred to are free to go.
    looked: Option<Instant>,
    /// When the disk was last left alone.
    left_alone: Option<Instant>,
}

impl Still {
    /// How long to wait before looking again; nothing if nobody waits, and nothing is to leave.
    pub fn look(&mut self, state: &mut State, is_telling: bool) -> Option<Duration> {
        let is_pending = state.is_pending();
        if (is_pending || state.is_beyond()) && self.looked.is_none_or(|looked| looked.elapsed() >= PATIENCE) {
            // Where some are free, more may be.
            self.looked = (!state.look_at_shared()).then(Instant::now);
        }
        let urgent = state.has_urgent_work() && !is_telling;
        if !is_pending {
            self.since = None;
            self.retry_disk(state);
            return (urgent || state.is_beyond()).then_some(if urgent { Duration::ZERO } else { PATIENCE });
        }
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.moves != state.moves {
            (self.moves, self.since) = (state.moves, Some(Instant::now()));
        } else if since.elapsed() >= PATIENCE {
            self.since = Some(Instant::now());
            self.times += 1;
            if self.times.is_multiple_of(DISK_PATIENCE) {
                state.retry_stuck();
            }
            state.overbook();
        }
        // What came of it is seen at once, unless another thread is at it.
        Some(if state.has_urgent_work() && !is_telling { Duration::ZERO } else { PATIENCE })
    }

    /// Nobody asks for memory, and more is held than there is room for: from time to time it is seen whether the disk has room by now.
    fn retry_disk(&mut self, state: &mut State) {
        if !(state.is_beyond() && state.is_stuck()) {
            self.left_alone = None;
        } else if self.left_alone.get_or_insert_with(Instant::now).elapsed() >= PATIENCE * DISK_PATIENCE {
            self.left_alone = None;
            state.retry_stuck();
        }
    }
}

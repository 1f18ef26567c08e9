//! What a thread of the store that has nothing to do watches for.

use crate::broker::Holder;
use crate::state::State;
use std::time::{Duration, Instant};

/// How long nothing has to have moved before a request may go beyond the limit.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// So many times as long it is while results go to the disk or come from it: that ends by itself, unless the disk stands still.
const MOVING_PATIENCE: u32 = 50;

/// How long the first request waits at most for less to be held than may be in any case, whatever goes on meanwhile: what runs may run
/// for ever.
const REFUSED_AFTER: Duration = Duration::from_secs(30);

/// After so many refusals in a row the patience is as short as it gets.
const MOST_HALVINGS: u32 = 2;

/// How many such times a disk that was full or broken is left alone.
const DISK_PATIENCE: u32 = 10;

/// Watches for requests that wait while nothing moves.
#[derive(Default)]
pub(crate) struct Still {
    moves: u64,
    since: Option<Instant>,
    /// When nothing had moved for the first time since the disk was last tried.
    tried: Option<Instant>,
    /// When it was looked whether results that somebody else referred to are free to go.
    looked: Option<Instant>,
    /// When the disk was last left alone.
    left_alone: Option<Instant>,
    /// When somebody was refused last since nothing had moved.
    refused: Option<Instant>,
    /// Who is first, and waits for less to be held, and since when.
    out_of_bounds: Option<(Holder, Instant)>,
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
        self.refuse_late(state);
        let patience = self.patience(state) * if state.is_moving() { MOVING_PATIENCE } else { 1 };
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.moves != state.moves {
            (self.moves, self.since) = (state.moves, Some(Instant::now()));
        } else if since.elapsed() >= patience {
            self.since = Some(Instant::now());
            if self.tried.get_or_insert_with(Instant::now).elapsed() >= PATIENCE * DISK_PATIENCE {
                self.tried = None;
                state.retry_stuck();
            }
            let refused = state.refusals();
            state.overbook();
            if state.refusals() != refused {
                self.refused = Some(Instant::now());
            }
        }
        // What came of it is seen at once, unless another thread is at it.
        Some(if state.has_urgent_work() && !is_telling { Duration::ZERO } else { patience.min(PATIENCE) })
    }

    /// How long nothing has to move. Thousands may stand in line for what others have just been refused; who comes later may come after
    /// somebody who lets go of results, of which it is heard in some milliseconds.
    fn patience(&self, state: &State) -> Duration {
        match self.refused.is_some_and(|refused| refused.elapsed() < PATIENCE) {
            true => PATIENCE / (1 << state.refused_in_a_row().min(MOST_HALVINGS)),
            false => PATIENCE,
        }
    }

    fn refuse_late(&mut self, state: &mut State) {
        let first = state.out_of_bounds();
        let known = self.out_of_bounds.filter(|(holder, _)| Some(*holder) == first);
        self.out_of_bounds = first.map(|holder| known.unwrap_or_else(|| (holder, Instant::now())));
        if self.out_of_bounds.is_some_and(|(_, since)| since.elapsed() >= REFUSED_AFTER) {
            self.out_of_bounds = None;
            state.refuse();
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Reply, Request};

    const MIB: u64 = 1 << 20;

    fn ask(state: &mut State, ticket: u64) {
        let holder = Holder { asker: 1, ticket };
        state.ask(Request { holder, bytes: MIB, inputs: vec![], small: 0, fetched: 0, results: 1 });
    }

    /// Who stand in line for memory that nobody lets go of hear so at once, when it was plain for some.
    #[test]
    fn a_long_line_is_not_refused_at_a_foots_pace() {
        let mut state = State::new(MIB);
        state.broker.set_bound(MIB);
        state.hold_small(MIB, Holder { asker: 1, ticket: u64::MAX });
        let (mut still, began) = (Still::default(), Instant::now());
        for ticket in 0..100 {
            ask(&mut state, ticket);
            while !state.replies.iter().any(|(to, reply)| to.ticket == ticket && matches!(reply, Reply::Exhausted(_))) {
                let pause = still.look(&mut state, false).expect("somebody waits");
                assert!(began.elapsed() < PATIENCE * 300, "{ticket} are refused");
                std::thread::sleep(pause);
            }
        }
        // Where some is let go, it may be enough for the next.
        state.let_go_small(MIB / 4);
        ask(&mut state, 100);
        assert_eq!(state.refused_in_a_row(), 0);
    }
}

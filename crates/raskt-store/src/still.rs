//! What a thread of the store that has nothing to do watches for.

use crate::broker::Holder;
use crate::state::State;
use std::time::{Duration, Instant};

/// How long nothing has to have moved before a request may go beyond the limit.
pub(crate) const PATIENCE: Duration = Duration::from_millis(100);

/// How long it is taken that something comes of what is under way: results go to the disk or come from it, tasks run, data is on its way.
/// Most of that ends by itself, and sooner. A task that has run for as long may run for ever.
const GOES_ON: Duration = Duration::from_secs(5);

/// The same of data that is on its way: most of it is here in less.
const ARRIVES: Duration = Duration::from_secs(1);

/// How long the first request waits at most, whatever goes on meanwhile: what others let go of may never be enough for it.
const FIRST_WAITS: Duration = Duration::from_secs(30);

/// After so many refusals in a row the patience is as short as it gets.
const MOST_HALVINGS: u32 = 2;

/// How many such times a disk that was full or broken is left alone.
const DISK_PATIENCE: u32 = 10;

/// Watches for requests that wait while nothing moves.
#[derive(Default)]
pub(crate) struct Still {
    moves: u64,
    /// Since when nothing has moved.
    since: Option<Instant>,
    /// When nothing had moved for the first time since the disk was last tried.
    tried: Option<Instant>,
    /// When it was looked whether results that somebody else referred to are free to go.
    looked: Option<Instant>,
    /// When the disk was last left alone.
    left_alone: Option<Instant>,
    /// When somebody was refused last since nothing had moved.
    refused: Option<Instant>,
    /// Who is first, and since when.
    first: Option<(Holder, Instant)>,
    /// Who is first, and waits for less to be held than may be in any case, and since when.
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
            (self.since, self.first) = (None, None);
            self.retry_disk(state);
            return (urgent || state.is_beyond()).then_some(if urgent { Duration::ZERO } else { PATIENCE });
        }
        self.refuse_late(state);
        let now = Instant::now();
        if self.moves != state.moves {
            (self.moves, self.since) = (state.moves, Some(now));
        }
        let quiet = now - *self.since.get_or_insert(now);
        let first = state.first();
        let known = self.first.filter(|(holder, _)| Some(*holder) == first);
        self.first = first.map(|holder| known.unwrap_or((holder, now)));
        let waits = known.map_or(Duration::ZERO, |(_, since)| now - since);
        let patience = self.patience(state);
        if quiet >= patience {
            self.at_rest(state);
        }
        if quiet >= patience && !goes_on(state, quiet, waits) || waits >= FIRST_WAITS {
            (self.since, self.first) = (Some(now), None);
            let refused = state.refusals();
            state.overbook();
            if state.refusals() != refused {
                self.refused = Some(now);
            }
        }
        // What came of it is seen at once, unless another thread is at it.
        Some(if state.has_urgent_work() && !is_telling { Duration::ZERO } else { patience.min(PATIENCE) })
    }

    /// Nothing has moved for a moment.
    fn at_rest(&mut self, state: &mut State) {
        state.look_behind();
        if !state.is_moving() && self.tried.get_or_insert_with(Instant::now).elapsed() >= PATIENCE * DISK_PATIENCE {
            self.tried = None;
            state.retry_stuck();
        }
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
        if self.out_of_bounds.is_some_and(|(_, since)| since.elapsed() >= FIRST_WAITS) {
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

/// Whether something may come of what is under way, where nothing has moved, and the first has waited, for so long.
fn goes_on(state: &State, quiet: Duration, waits: Duration) -> bool {
    state.is_moving() && quiet < GOES_ON || state.broker.arriving() > 0 && waits < ARRIVES || state.runs_lately(GOES_ON)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::request::{Reply, Request};
    use crate::sizes::Outputs;

    const MIB: u64 = 1 << 20;

    fn ask(state: &mut State, ticket: u64) {
        let holder = Holder { asker: 1, ticket };
        state.ask(Request { holder, bytes: MIB, inputs: vec![], small: 0, fetched: 0, outputs: Outputs::default() });
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

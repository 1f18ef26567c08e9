//! Tasks that wait for tasks.
//!
//! A task that waits gives its slot to others, or those that it waits for might never start. What it waits for goes first
//! ([`raskt_schedule`] puts the runs that tasks submit before those tasks' own), and the thread runs it itself as far as it is
//! at hand: so a waiting task costs no second thread, and ten thousand of them no ten thousand threads. Only while there is
//! nothing at hand does the thread wait, and another one is at work in its place.

mod inside;
mod loan;

use crate::execution::Execution;
use crate::room::Room;
use crate::shared::Shared;
use crate::state::State;
use crate::waited::Pause;
use inside::{Lent, lent_to_others, mark_lent_to, room, set_lent};
use raskt_graph::OpKind;
use raskt_schedule::RunId;
use std::sync::Arc;
use std::time::Duration;

pub(crate) use inside::{AtWork, InSlot, run_of, settle_at};
pub(crate) use loan::Loan;

/// How often a caller of an engine without threads looks for work while another caller is at it.
const GLANCE: Duration = Duration::from_millis(1);

/// How often those who wait look whether time has passed, or the store has something to do, where the system gives the engine or
/// the store no thread that would.
pub(crate) const GLANCES: Duration = Duration::from_millis(100);

/// A thread that waits for a run, and runs what is at hand of it meanwhile.
pub(crate) struct Waiting<'a> {
    shared: &'a Arc<Shared>,
    run: RunId,
    /// Where the slots stand that it has lent to the run, and what became of them before.
    places: Vec<(usize, Lent)>,
    others: Loan,
    /// Whether it is in a task of the engine, in whose place it may run others.
    is_inside: bool,
    /// Whether it has room for them.
    room: Room,
    /// Whether no thread of the engine may be there to tell that time has passed.
    tells_time: bool,
    _pause: Pause,
}

impl<'a> Waiting<'a> {
    pub fn begin(shared: &'a Arc<Shared>, run: RunId) -> Self {
        let (room, is_inside) = (room(shared), run_of(shared).is_some());
        let others = Loan::default();
        Self { shared, run, places: vec![], others, is_inside, room, tells_time: false, _pause: Pause::begin() }
    }

    /// Tasks of the run that are at hand; on an engine without threads also those of others, who may have left them.
    pub fn next(&mut self) -> Option<Execution> {
        let lent = mark_lent_to(self.run, self.shared);
        let count = lent.len() as u32;
        self.places.extend(lent.into_iter().map(|at| (at, Lent::No)));
        (0..count).for_each(|_| self.shared.store.lend(true));
        let others = lent_to_others(self.shared, self.run);
        let pick = |state: &mut State| {
            // This thread took up something while it waited for a run that has ended meanwhile: the slot of that task has come
            // back, and nobody is at work in it.
            let idle: Vec<_> = others.into_iter().filter(|(_, run)| state.has_ended(*run)).collect();
            state.lend_to(self.run, count + idle.len() as u32);
            let has_no_threads = self.shared.options.threads == 0;
            let tells_time = has_no_threads || state.pool.refused.is_some();
            if tells_time {
                state.tell_time_if_due();
            }
            (self.pick(state), tells_time, idle)
        };
        // Until it has something, it isn't one of those at work.
        let (found, tells_time, idle) = self.shared.change(pick).unwrap_or((None, false, vec![]));
        for (at, run) in idle {
            set_lent(at, Lent::To(self.run));
            self.places.push((at, Lent::To(run)));
        }
        self.tells_time = tells_time;
        if found.is_some() {
            self.others.resume();
        }
        found
    }

    /// Tasks of the run, if the thread has room for them. Without it the run ends, where nobody else could go on with it.
    fn pick(&self, state: &mut State) -> Option<Execution> {
        let has_no_threads = self.shared.options.threads == 0;
        let is_alone = has_no_threads || state.lacks_threads();
        match self.room {
            Room::Exhausted { left, least } if is_alone => {
                state.end_for_want_of_stack(self.run, (left, least), has_no_threads);
                None
            }
            Room::Ample if self.is_inside || is_alone => self.pick_any(state),
            Room::Scant if is_alone => self.pick_any(state),
            _ => None,
        }
    }

    fn pick_any(&self, state: &mut State) -> Option<Execution> {
        let own = state.pick_for(self.run, None);
        own.or_else(|| if self.shared.options.threads == 0 { state.pick(None) } else { None })
    }

    /// The same after a first one, of one kind.
    pub fn pick_of(&self, state: &mut State, kind: OpKind) -> Option<Execution> {
        let own = state.pick_for(self.run, Some(kind));
        own.or_else(|| if self.shared.options.threads == 0 { state.pick_of(kind, None) } else { None })
    }

    /// How long to wait at most before it looks again whether there is something to do.
    pub fn glance(&self) -> Option<Duration> {
        match self.shared.options.threads {
            0 => Some(GLANCE),
            _ => (self.tells_time || self.shared.store.is_stranded()).then_some(GLANCES),
        }
    }

    /// There is nothing at hand: others are at work in the place of this thread, until [`Self::next`].
    pub fn pause(&mut self) {
        self.others.lend_all(Some(self.shared));
        self.others.pause();
    }

    /// The run has ended, and has given back what was lent to it.
    pub fn ended(mut self) {
        self.take_back_places();
    }

    fn take_back_places(&mut self) -> u32 {
        let places = std::mem::take(&mut self.places);
        for (at, before) in &places {
            set_lent(*at, *before);
            if *before == Lent::No {
                self.shared.store.lend(false);
            }
        }
        places.len() as u32
    }
}

impl Drop for Waiting<'_> {
    fn drop(&mut self) {
        let count = self.take_back_places();
        if count > 0 {
            let _ = self.shared.change(|state| state.take_back_from(self.run, count));
        }
    }
}

//! Looks again at results that stay since somebody else referred to them. Nobody says when he no longer does.
//!
//! They may be very many. So each look takes up a few, where the last one ended, and between two looks the store is free. Before a
//! request goes beyond the limit there is one look; before one is refused all have been looked at since it was the first.

use super::State;
use super::leaving_together::{Together, weight};
use crate::round::{LOOKS, TRIES};
use crate::slot::{Slot, SlotId};

/// What came of looking again.
pub(super) enum Again {
    /// Some may leave.
    Found,
    /// None may.
    Nothing,
    /// There is more to look at than is looked at in one event.
    Later,
}

impl State {
    /// Before the first request goes beyond the limit, or is refused (then `all` have to be looked at), what somebody was seen to
    /// refer to is looked at again: once for each request, and once more after each promise that ended. `left` is how many may be
    /// looked at yet in this event.
    pub(super) fn look_again(&mut self, left: &mut usize, all: bool) -> Again {
        let Some(holder) = self.pending.front().map(|request| request.holder) else { return Again::Nothing };
        let mut is_due = self.round.begin(holder, self.shared.len(), self.shared_elsewhere.len());
        while is_due || (all && self.round.left(self.shared.len(), self.shared_elsewhere.len()) > 0) {
            if *left == 0 {
                if is_due {
                    self.look_anew();
                }
                self.wants_look = true;
                return Again::Later;
            }
            let before = self.counts.looked_again;
            let most = if all { *left } else { self.round.make_up(*left) };
            let found = self.look_at_some(most, self.round.shared.left);
            let found = self.try_some() || found;
            *left = left.saturating_sub((self.counts.looked_again - before) as usize);
            if found {
                return Again::Found;
            }
            is_due = false;
        }
        Again::Nothing
    }

    /// A promise has ended: it may have been what referred to some of them.
    pub(super) fn look_anew(&mut self) {
        self.round.forget();
    }

    /// Goes on for the first request, of which there was too much to look at in one event.
    pub fn look_on(&mut self) {
        self.wants_look = false;
        self.serve_pending();
    }

    /// Lets others leave for what came without a promise. Where those that can leave don't suffice, some are looked at again that
    /// somebody referred to when they were met: who reads one result after the other has let go of all but the last.
    pub fn make_room(&mut self) {
        if self.evict_excess() {
            return;
        }
        let most = self.round.make_up(LOOKS);
        let found = self.look_at_some(most, usize::MAX);
        if self.try_some() || found {
            self.evict_excess();
        }
    }

    /// Whether enough is leaving for what there is to be within the limit.
    pub(super) fn evict_excess(&mut self) -> bool {
        let lacking = self.broker.beyond_limit().saturating_sub(self.leaving());
        self.evict(lacking, 0);
        self.broker.beyond_limit() <= self.leaving()
    }

    /// Looks at some of them while nothing else happens; says whether any may leave. Where nobody asks for memory there is time to
    /// try those of which only their own world can tell.
    pub fn look_at_shared(&mut self) -> bool {
        // What has come to be able to leave since somebody looked last: unpinned, say.
        self.evict_excess();
        // Of what is only tried nobody knows whether it is free: that is no reason to look on at once.
        if !self.is_pending() && self.try_some() {
            self.evict_excess();
        }
        let most = self.round.make_up(LOOKS);
        let found = self.look_at_some(most, usize::MAX);
        if found {
            self.serve_pending();
            self.make_room();
        }
        found
    }

    /// What didn't work may be tried again: files, and results that somebody in their own world referred to.
    pub fn retry_stuck(&mut self) {
        let had_trouble = self.disk.trouble.take().is_some();
        if self.try_some() || had_trouble {
            self.moved();
            self.evict_excess();
        }
    }

    /// Looks at as many as have their turn and take `most` looks together, those counted that would have to leave with them; says
    /// whether any may leave.
    fn look_at_some(&mut self, most: usize, count: usize) -> bool {
        let (mut free, mut looked, mut left) = (vec![], 0, count.min(self.shared.len()));
        while looked < most && left > 0 {
            let Some(id) = self.round.shared.next(&self.shared) else { break };
            let (is_free, more) = self.is_free(id);
            free.extend(is_free.then_some(id));
            (looked, left) = (looked + more, left - 1);
        }
        self.round.looked(looked, most);
        self.counts.looked_again += looked as u64;
        self.retry(free)
    }

    /// Whether a result can leave now, and how much was looked at for that. Of those that hold the same memory the first has its
    /// turn for all of them: they can leave if it can.
    fn is_free(&self, id: SlotId) -> (bool, usize) {
        let Some(value) = self.slots.get(&id).and_then(Slot::value) else { return (false, 1) };
        if self.stays_with_earlier(id, value) {
            return (false, weight(value));
        }
        let Together { ids, is_free, looked } = self.together(id);
        (is_free && self.to_write(&ids).is_ok(), looked)
    }

    fn try_some(&mut self) -> bool {
        let some = self.round.elsewhere.next_some(&self.shared_elsewhere, TRIES);
        self.counts.looked_again += some.len() as u64;
        self.retry(some)
    }

    /// Lets these be chosen again to leave; says whether there are any.
    fn retry(&mut self, ids: Vec<SlotId>) -> bool {
        for &id in &ids {
            self.set_stays(id, None);
            self.update_rank(id);
        }
        !ids.is_empty()
    }
}

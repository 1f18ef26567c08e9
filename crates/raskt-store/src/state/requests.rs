//! Who asks for memory, and when he gets it.

use super::retrying::Again;
use super::{Job, SPARE_SHARE, State};
use crate::broker::Holder;
use crate::request::{Answer, Reply, Request};
use crate::round::LOOKS;
use crate::slot::{Residency, SlotId};
use std::sync::Arc;

impl State {
    /// Asks for memory for a ticket, and for its inputs to be in memory. They are pinned from here on.
    pub fn ask(&mut self, request: Request) -> Answer {
        let is_easy = request.inputs.is_empty() && self.pending.is_empty();
        if is_easy && self.broker.promise(request.holder, request.bytes) {
            return Answer::Promised { is_loading: false };
        }
        request.inputs.iter().for_each(|(id, _)| self.pin(*id));
        let holder = request.holder;
        self.pending.push_back(request);
        self.serve_pending();
        // What was decided at once needs no reply.
        let decided =
            self.replies.iter().position(|(to, reply)| *to == holder && matches!(reply, Reply::Promised { .. }));
        match decided.map(|at| self.replies.swap_remove(at).1) {
            Some(Reply::Promised { is_loading }) => Answer::Promised { is_loading },
            _ => Answer::Pending,
        }
    }

    /// A request is withdrawn, or its promise given back.
    #[cfg(test)]
    pub fn give_back(&mut self, holder: Holder) {
        self.ended(holder, None);
    }

    /// A request is withdrawn, or its promise given back, of which the broker has heard: `has_ended` says whether there was one.
    pub(super) fn gave_back(&mut self, holder: Holder, has_ended: bool) {
        let waiting = self.pending.len();
        self.pending.retain(|request| request.holder != holder);
        self.loading.remove(&holder);
        if has_ended {
            self.look_anew();
        }
        if has_ended || self.pending.len() < waiting {
            self.moved();
        }
    }

    /// All requests of an asker are withdrawn, and its promises given back, but those of tickets that it `keeps`.
    pub fn give_back_all(&mut self, asker: u32, keeps: &dyn Fn(u64) -> bool) {
        self.pending.retain(|request| request.holder.asker != asker);
        self.loading.retain(|holder, _| holder.asker != asker);
        self.broker.give_back_all(asker, keeps);
        self.look_anew();
        self.moved();
    }

    /// Nothing has moved for a while, though a request waits: it may go beyond the limit, if no other does.
    pub fn overbook(&mut self) {
        if self.broker.is_overbooked() && self.lent == 0 {
            return;
        }
        match self.look_again(&mut { LOOKS }, false) {
            Again::Found => self.moved(),
            Again::Later => {}
            Again::Nothing => {
                if let Some(request) = self.pending.pop_front() {
                    self.grant(request, true);
                    self.moved();
                }
            }
        }
    }

    /// Something changed that a request may have waited for.
    pub fn moved(&mut self) {
        self.moves += 1;
        self.serve_pending();
    }

    /// Promises memory in the order in which it was asked for, and sees to it that what is lacking becomes free.
    pub(super) fn serve_pending(&mut self) {
        let mut looks = LOOKS;
        while let Some(request) = self.pending.front() {
            let need = self.need(request);
            let missing = self.broker.missing(need);
            // What is being written will be free: to let go of as much again would empty memory for one request.
            let leaving = self.leaving();
            if missing > leaving {
                let spare = need.min(self.broker.limit() / SPARE_SHARE);
                self.evict(missing - leaving, spare);
            }
            if self.broker.missing(need) == 0 {
                let Some(request) = self.pending.pop_front() else { return };
                self.grant(request, false);
            // Each of these ends, and then this is called again. A promise whose task waits for tasks may wait for this
            // very request: it isn't counted on.
            } else if self.writing > 0 || self.coming > 0 || self.is_sweeping || self.broker.promises() > self.lent {
                return;
            } else {
                let is_refused = self.pending.front().is_some_and(|request| self.is_refused(request));
                match self.look_again(&mut looks, is_refused) {
                    Again::Found => {}
                    Again::Later => return,
                    Again::Nothing => self.go_beyond(is_refused),
                }
            }
        }
    }

    /// Whether `request` isn't to go beyond the limit, where nothing runs and nothing can move: results that no task is about to read
    /// are far beyond it already, and it would only add to them. Not at once: those who would read and free them may stand
    /// behind it.
    fn is_refused(&self, request: &Request) -> bool {
        let inputs = request.inputs.iter().fold(0_u64, |sum, (_, bytes)| sum.saturating_add(*bytes));
        // One that makes less than it reads is the way out, however bad it is.
        self.is_far_beyond(request.bytes) && request.bytes > inputs
    }

    /// Whether results are beyond the limit by many of them, or of what somebody asks for.
    fn is_far_beyond(&self, bytes: u64) -> bool {
        // What is pinned is about to be read, and may go then.
        let stuck = self.broker.held().saturating_sub(self.pinned);
        stuck > self.broker.limit().saturating_add(bytes.max(self.largest).saturating_mul(REQUESTS_BEYOND))
    }

    /// The first request goes beyond the limit, or is refused.
    fn go_beyond(&mut self, is_refused: bool) {
        let Some(request) = self.pending.pop_front() else { return };
        if is_refused {
            let report = Arc::new(self.report());
            // The next one looks for itself.
            self.disk.trouble = None;
            self.replies.push((request.holder, Reply::Exhausted(report)));
        } else {
            self.grant(request, true);
        }
    }

    /// Bytes that have to be promised for `request`: its own and those of inputs that aren't in memory. What somebody else
    /// reads already was promised to him.
    fn need(&self, request: &Request) -> u64 {
        let is_away = |id: &SlotId| self.slots.get(id).is_some_and(|slot| matches!(slot.place, Residency::Out));
        let away = request.inputs.iter().filter(|(id, _)| is_away(id));
        away.fold(request.bytes, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    pub(super) fn grant(&mut self, request: Request, beyond: bool) {
        let need = self.need(&request);
        if beyond {
            self.broker.overbook(request.holder, need);
        } else {
            self.broker.promise(request.holder, need);
        }
        let loading = request.inputs.iter().filter(|(id, _)| self.load(*id, request.holder)).count() as u32;
        if loading > 0 {
            self.loading.insert(request.holder, loading);
        }
        self.replies.push((request.holder, Reply::Promised { is_loading: loading > 0 }));
    }

    /// Sees to it that a result comes into memory; whether `holder` has to wait for that.
    pub(super) fn load(&mut self, id: SlotId, holder: Holder) -> bool {
        let Some(slot) = self.slots.get_mut(&id) else { return false };
        match slot.place {
            Residency::Memory(_) => return false,
            // Its next reader may change what is being written, and waits until that is over.
            Residency::Writing(_) if !slot.is_closed() => return false,
            Residency::Writing(_) | Residency::Reading => {}
            Residency::Out => {
                let Some(file) = slot.file.clone() else { return false };
                slot.place = Residency::Reading;
                self.coming += 1;
                self.jobs.push_front(Job::Read { id, file, epoch: self.epoch });
            }
        }
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.waiters.push(holder);
        }
        true
    }
}

/// Requests like the one at hand, or results like the largest, that results may be beyond the limit by, where nothing can
/// leave memory: about as many assignments stand in a worker's line.
const REQUESTS_BEYOND: u64 = 8;

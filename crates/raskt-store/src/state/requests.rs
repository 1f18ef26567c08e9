//! Who asks for memory, and when he gets it.

use super::retrying::Again;
use super::{Job, SPARE_SHARE, State};
use crate::broker::Holder;
use crate::request::{Answer, Reply, Request};
use crate::round::LOOKS;
use crate::sizes::Outputs;
use crate::slot::{Residency, Slot, SlotId};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

impl State {
    /// Asks for memory for a ticket, and for its inputs to be in memory. They are pinned from here on.
    pub fn ask(&mut self, request: Request) -> Answer {
        let is_easy = request.inputs.is_empty() && self.pending.is_empty() && self.missing(&request, 0) == 0;
        if is_easy && self.broker.promise(request.holder, request.bytes) {
            self.expect_results(&request);
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
        self.withdraw(|request| request.holder == holder);
        self.loading.remove(&holder);
        self.to_come.remove(&holder);
        if has_ended {
            self.look_anew();
        }
        if has_ended || self.pending.len() < waiting {
            self.moved();
        }
    }

    /// All requests of an asker are withdrawn, and its promises given back, but those of tickets that it `keeps`.
    pub fn give_back_all(&mut self, asker: u32, keeps: &dyn Fn(u64) -> bool) {
        self.withdraw(|request| request.holder.asker == asker);
        self.loading.retain(|holder, _| holder.asker != asker);
        self.to_come.retain(|holder, _| holder.asker != asker || keeps(holder.ticket));
        self.broker.give_back_all(asker, keeps);
        self.look_anew();
        self.moved();
    }

    /// Requests that wait do so no longer. Whoever has asked unpins their inputs.
    fn withdraw(&mut self, is_one: impl Fn(&Request) -> bool) {
        // Most promises that end are of requests that wait no longer.
        if !self.pending.iter().any(&is_one) {
            return;
        }
        let (gone, left) = std::mem::take(&mut self.pending).into_iter().partition(|request| is_one(request));
        self.pending = left;
        let gone: VecDeque<Request> = gone;
        gone.iter().for_each(|request| self.fasten_all(request));
    }

    /// What the first of them reads leaves for nobody any more.
    fn fasten_first(&mut self) {
        if let Some(request) = self.pending.pop_front() {
            self.fasten_all(&request);
            self.pending.push_front(request);
        }
    }

    fn fasten_all(&mut self, request: &Request) {
        if self.loose.remove(&request.holder) {
            request.inputs.iter().for_each(|(id, _)| self.fasten(*id));
        }
    }

    /// Nothing may leave since those who wait behind the first need it: the last of them do without until it is their turn, until so many
    /// bytes may leave. Says whether some may.
    fn loosen_last(&mut self, missing: u64) -> bool {
        let (mut freed, mut at) = (0_u64, self.pending.len());
        // Of those behind it some may all do without by now.
        while freed < missing && at > 1 && self.loose.len() + 1 < self.pending.len() {
            at -= 1;
            let request = &self.pending[at];
            if !self.loose.insert(request.holder) {
                continue;
            }
            let inputs: Vec<_> = request.inputs.iter().map(|(id, _)| *id).collect();
            for id in inputs.into_iter().filter(|id| self.loosen(*id)).collect::<Vec<_>>() {
                freed += self.slots.get(&id).filter(|slot| slot.can_leave()).map_or(0, Slot::bytes_in_memory);
            }
        }
        freed > 0
    }

    /// Nothing has moved for a while, though a request waits: it may go beyond the limit, if no other does.
    pub fn overbook(&mut self) {
        // One who only might make too much takes nothing that isn't there.
        let only_crowds = |state: &Self, request: &Request| {
            state.broker.missing(state.need(request)) == 0 && !state.waits_for_room(request)
        };
        if self.is_front(only_crowds) {
            if let Some(request) = self.pending.pop_front() {
                self.grant(request, false);
            }
            return self.moved();
        }
        if self.broker.is_overbooked() && self.lent == 0 {
            return;
        }
        match self.look_again(&mut { LOOKS }, false) {
            Again::Found => self.moved(),
            Again::Later => {}
            Again::Nothing if self.is_front(Self::is_out_of_bounds) => {
                if !self.may_free_some() {
                    self.refuse();
                }
            }
            Again::Nothing => {
                self.go_beyond();
                self.moved();
            }
        }
    }

    /// Nothing has moved for a moment: what only those read who wait leaves for who is first.
    pub fn look_behind(&mut self) {
        let Some(request) = self.pending.front() else { return };
        let missing = self.missing(request, self.need(request)).saturating_sub(self.leaving());
        if missing > 0 && self.loosen_last(missing) {
            self.serve_pending();
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
        loop {
            self.fasten_first();
            let Some(request) = self.pending.front() else { return };
            let need = self.need(request);
            let missing = self.missing(request, need);
            // What is being written will be free: to let go of as much again would empty memory for one request.
            let leaving = self.leaving();
            if missing > leaving {
                let spare = need.min(self.broker.limit() / SPARE_SHARE);
                self.evict(missing - leaving, spare);
            }
            if self.is_front(|state, request| state.missing(request, need) == 0) {
                let Some(request) = self.pending.pop_front() else { return };
                self.grant(request, false);
            } else if self.may_free_some() {
                return;
            } else if self.loosen_last(missing) {
                // What may leave does.
            } else {
                // Somebody may be about to let go of results: whoever watches says when nobody has.
                if self.is_front(Self::is_out_of_bounds) {
                    return;
                }
                let is_refused = self.is_front(Self::is_refused);
                match self.look_again(&mut looks, is_refused) {
                    Again::Found => {}
                    Again::Later => return,
                    Again::Nothing if is_refused => self.refuse_first(),
                    Again::Nothing => self.go_beyond(),
                }
            }
        }
    }

    /// Whether what is under way may let go of memory, or bring what can leave: most of that ends, and then requests are looked at again. A
    /// promise whose task waits for tasks may wait for the very request that waits: it isn't counted on.
    fn may_free_some(&self) -> bool {
        self.is_moving() || self.broker.promises() > self.lent || self.broker.arriving() > 0
    }

    /// Whether results go to the disk or come from it.
    pub fn is_moving(&self) -> bool {
        self.writing > 0 || self.coming > 0 || self.is_sweeping
    }

    /// Whether one that runs was promised memory within such a time. Who waits for tasks was before them.
    pub fn runs_lately(&self, time: Duration) -> bool {
        self.broker.promises() > self.lent && self.broker.has_promised_within(time)
    }

    /// Who has waited for longest.
    pub fn first(&self) -> Option<Holder> {
        self.pending.front().map(|request| request.holder)
    }

    /// Who has waited for longest, if that is for less to be held than may be in any case, and it is in vain: nothing is on its way to the
    /// disk, and what those who run read, and may go when they have, and what is on its way here, and may leave then, isn't all that is in
    /// the way.
    pub fn out_of_bounds(&self) -> Option<Holder> {
        let is_in_vain = |request: &&Request| {
            let goes = self.pinned.saturating_add(self.broker.arriving());
            !self.is_moving() && self.is_out_of_bounds(request) && self.is_beyond_bound(request, goes)
        };
        self.pending.front().filter(is_in_vain).map(|request| request.holder)
    }

    /// He has waited in vain. The next one waits for himself: somebody may let go of results for what this one hears.
    pub fn refuse(&mut self) {
        self.refused = (self.broker.held(), self.refused_in_a_row().saturating_add(1));
        self.refuse_first();
        self.serve_pending();
    }

    /// How many were refused one after the other so far.
    pub fn refusals(&self) -> u32 {
        self.refused.1
    }

    /// How many were refused one after the other, if the next one is to hear the same, and nothing was let go for what they heard.
    pub fn refused_in_a_row(&self) -> u32 {
        let (held, count) = self.refused;
        if self.broker.held() >= held && self.is_front(Self::is_out_of_bounds) { count } else { 0 }
    }

    /// Whether there is a first request, and it is so.
    fn is_front(&self, is: impl Fn(&Self, &Request) -> bool) -> bool {
        self.pending.front().is_some_and(|request| is(self, request))
    }

    /// How many bytes have to go before `need` can be promised for `request`.
    fn missing(&self, request: &Request, need: u64) -> u64 {
        let missing = self.broker.missing(need);
        match missing {
            0 if self.waits_for_room(request) => self.broker.beyond_limit().max(1),
            0 => self.crowds(request),
            missing => missing,
        }
    }

    /// How many bytes too many there may be if one who asks for nothing for results makes as much as is usual. He waits for those that run,
    /// and for what can leave, though he may let go of more than he makes: until then both are there.
    fn crowds(&self, request: &Request) -> u64 {
        let likely = if request.makes() == 0 { self.sizes.likely(&request.outputs) } else { 0 };
        let waits_for_some = self.may_free_some() || self.order.first().is_some();
        if likely == 0 || !self.broker.is_bound() || !waits_for_some {
            return 0;
        }
        let of_others = self.of_others(|outputs| self.sizes.likely_soon(outputs));
        let own = self.sizes.likely_soon(&request.outputs);
        self.broker.out_of_bounds_by(self.need(request).saturating_add(own), of_others)
    }

    /// Who asks for nothing for results may add much: nobody knows what it will be. As long as results for which there is no room can leave, or do,
    /// he waits, unless his are known to be small, or tasks that are faster than the disk would have memory overflow. And so he does where
    /// no more may be held, if his are known to be large. Results that are never written are none for which there is no room.
    fn waits_for_room(&self, request: &Request) -> bool {
        let can_leave = self.writing > 0 || self.order.first().is_some();
        let may_be_large = || self.sizes.typical(&request.outputs) > request.reads();
        request.makes() == 0
            && (self.broker.beyond_limit() > 0 && can_leave && may_be_large() || self.is_out_of_bounds(request))
    }

    /// Whether `request` isn't to go beyond the limit, where nothing runs and nothing can move: results that no task is about to read
    /// are far beyond it already, and it would only add to them. Not at once: those who would read and free them may stand
    /// behind it.
    fn is_refused(&self, request: &Request) -> bool {
        // One that makes less than it reads is the way out, however bad it is.
        self.is_far_beyond(request.bytes) && request.bytes > request.reads()
    }

    /// Whether it would add to results of which there are as many as may be. One that is as large by itself is another matter: it may
    /// take less than it is taken to.
    fn is_out_of_bounds(&self, request: &Request) -> bool {
        let adds = self.expected(request).saturating_sub(request.fetched) > request.reads();
        self.are_many() && adds && self.is_beyond_bound(request, 0)
    }

    /// Whether results, and what is on its way of them, have much of the memory that there is.
    pub(super) fn are_many(&self) -> bool {
        self.broker.held().saturating_add(self.broker.arriving()) > self.broker.limit() / 2
    }

    /// Whether more would be held with what `request` is expected to make than may be in any case, without `freed` bytes of it. Those who
    /// run and were promised nothing make as much as is usual.
    fn is_beyond_bound(&self, request: &Request, freed: u64) -> bool {
        let of_others = self.of_others(|outputs| self.sizes.expected(outputs));
        self.broker.is_out_of_bounds(self.expected(request).saturating_add(of_others), freed)
    }

    /// How many bytes those who run and were promised nothing are taken to make, together.
    fn of_others(&self, bytes: impl Fn(&Outputs) -> u64) -> u64 {
        self.to_come.values().fold(0, |sum, outputs| sum.saturating_add(bytes(outputs)))
    }

    /// How many bytes `request` is expected to make.
    fn expected(&self, request: &Request) -> u64 {
        if request.makes() > 0 {
            return request.bytes;
        }
        self.sizes.expected(&request.outputs).saturating_add(request.fetched)
    }

    /// It runs.
    fn expect_results(&mut self, request: &Request) {
        if !request.outputs.is_empty() {
            self.to_come.insert(request.holder, request.outputs.clone());
        }
    }

    /// Whether results are beyond the limit by many of them, or of what somebody asks for.
    fn is_far_beyond(&self, bytes: u64) -> bool {
        // What is pinned is about to be read, and may go then.
        let stuck = self.broker.held().saturating_sub(self.pinned);
        stuck > self.broker.limit().saturating_add(bytes.max(self.largest).saturating_mul(REQUESTS_BEYOND))
    }

    /// The first request goes beyond the limit.
    fn go_beyond(&mut self) {
        if let Some(request) = self.pending.pop_front() {
            self.grant(request, true);
        }
    }

    /// The first request is refused.
    fn refuse_first(&mut self) {
        let Some(request) = self.pending.pop_front() else { return };
        self.fasten_all(&request);
        let report = Arc::new(self.report());
        // The next one looks for itself.
        self.disk.trouble = None;
        self.replies.push((request.holder, Reply::Exhausted(report)));
    }

    /// Bytes that have to be promised for `request`: its own and those of inputs that aren't in memory. What somebody else
    /// reads already was promised to him.
    fn need(&self, request: &Request) -> u64 {
        let is_away = |id: &SlotId| self.slots.get(id).is_some_and(|slot| matches!(slot.place, Residency::Out));
        let away = request.inputs.iter().filter(|(id, _)| is_away(id));
        away.fold(request.bytes, |sum, (_, bytes)| sum.saturating_add(*bytes))
    }

    pub(super) fn grant(&mut self, request: Request, beyond: bool) {
        self.fasten_all(&request);
        let need = self.need(&request);
        self.expect_results(&request);
        // Whoever is let in is counted, come what may.
        if beyond || !self.broker.promise(request.holder, need) {
            self.broker.overbook(request.holder, need);
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

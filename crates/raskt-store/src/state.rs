//! What the store knows, and what it decides. It touches no file and no thread: what is to be done comes out as jobs,
//! replies and garbage, which threads of the store see to.

mod arriving;
mod jobs;
mod leaving;
mod leaving_together;
mod pinning;
mod requests;
mod retrying;
mod righting;
mod seeing;

pub(crate) use jobs::{Garbage, Job, Written};

use crate::broker::{Broker, Holder};
use crate::codec::codec_of;
use crate::counts::Counts;
use crate::departures::Departures;
use crate::disk::Disk;
use crate::file::{ReadError, SpillFile};
use crate::order::Order;
use crate::report::{self, MemoryReport};
use crate::request::{Reply, Request};
use crate::round::Round;
use crate::sharing::Sharing;
use crate::sizes::{Outputs, Sizes};
use crate::slot::{Residency, ResultInfo, Slot, SlotId};
use crate::speed::Speed;
use crate::unseen::Unseen;
use raskt_value::Value;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;

pub(crate) struct State {
    pub broker: Broker,
    pub disk: Disk,
    pub speed: Speed,
    slots: BTreeMap<SlotId, Slot>,
    /// Which of those in memory hold the same.
    sharing: Sharing,
    next_slot: u64,
    /// Bytes of the largest result so far.
    largest: u64,
    /// What results had lately: what one is taken to have of which nobody can tell.
    pub sizes: Sizes,
    /// All and only the slots that can leave memory now.
    order: Order,
    /// Those that stay, by why they do.
    shared: BTreeSet<SlotId>,
    shared_elsewhere: BTreeSet<SlotId>,
    /// The smallest first.
    unwritable: BTreeSet<(u64, SlotId)>,
    /// Bytes in memory that are pinned.
    pinned: u64,
    /// Counts uses, so that they have an order.
    uses: u64,
    /// Requests in the order in which they came; none overtakes another.
    pending: VecDeque<Request>,
    /// Those of them whose inputs may leave for others while they wait.
    loose: BTreeSet<Holder>,
    /// How much was held when somebody was refused last for what may be held in any case, and how many were one after the other, since
    /// any of it was let go.
    refused: (u64, u32),
    /// What is to come of each promise of which nobody knows how large it will be.
    to_come: BTreeMap<Holder, Outputs>,
    /// How many inputs each promise still waits for.
    loading: BTreeMap<Holder, u32>,
    /// How far those were looked at again that somebody else was seen to refer to.
    round: Round,
    /// There is more of them to look at for the first request.
    pub wants_look: bool,
    /// What is about to leave, and waits for some of it to be written.
    departures: Departures,
    /// Bytes of it that belong to no piece of memory that others may hold.
    leaving: u64,
    /// Results that are being written.
    writing: usize,
    /// Results that are being read.
    coming: usize,
    /// What dead processes left on the disk is being removed.
    is_sweeping: bool,
    /// Promises whose tasks wait for tasks.
    pub lent: usize,
    /// Counts what has happened that brings a request nearer to its memory.
    pub moves: u64,
    pub jobs: VecDeque<Job>,
    pub replies: Vec<(Holder, Reply)>,
    /// What is to be dropped without the lock: it takes long, or may run code of others.
    pub garbage: Vec<Garbage>,
    /// Whether anything ever had to leave.
    pub has_spilled: bool,
    pub counts: Counts,
    /// What the process has that nobody was promised.
    pub unseen: Unseen,
    /// Freed memory is to be given back to the system: all of it, or what the allocator of this program keeps, which takes less time.
    pub wants_trim: bool,
    pub wants_purge: bool,
    /// How often it was put right: what comes of jobs of an earlier epoch is counted nowhere.
    pub epoch: u32,
}

/// Bytes that are made free beyond what a request lacks, in shares of the limit: the next one comes soon.
const SPARE_SHARE: u64 = 16;

impl State {
    pub fn new(limit: u64) -> Self {
        Self {
            broker: Broker::new(limit),
            disk: Disk::default(),
            speed: Speed::default(),
            slots: BTreeMap::new(),
            sharing: Sharing::default(),
            next_slot: 0,
            largest: 0,
            sizes: Sizes::default(),
            order: Order::default(),
            shared: BTreeSet::new(),
            shared_elsewhere: BTreeSet::new(),
            unwritable: BTreeSet::new(),
            pinned: 0,
            uses: 0,
            pending: VecDeque::new(),
            loose: BTreeSet::new(),
            refused: (0, 0),
            to_come: BTreeMap::new(),
            loading: BTreeMap::new(),
            round: Round::default(),
            wants_look: false,
            departures: Departures::default(),
            leaving: 0,
            writing: 0,
            coming: 0,
            is_sweeping: false,
            lent: 0,
            moves: 0,
            jobs: VecDeque::new(),
            replies: vec![],
            garbage: vec![],
            has_spilled: false,
            counts: Counts::default(),
            unseen: Unseen::default(),
            wants_trim: false,
            wants_purge: false,
            epoch: 0,
        }
    }

    /// Whether threads of the store have something to do or to watch.
    pub fn has_work(&self) -> bool {
        self.has_urgent_work() || self.is_pending() || self.is_beyond()
    }

    /// Whether more is held than there is room for, and some of it can leave, or stays only since somebody referred to it, or since
    /// the disk was full or broken: nobody says when that is over.
    pub fn is_beyond(&self) -> bool {
        let is_shared = !(self.shared.is_empty() && self.shared_elsewhere.is_empty());
        let may_leave_later = is_shared || self.is_stuck() || self.is_writable_by_now();
        (may_leave_later || self.order.first().is_some()) && self.broker.beyond_limit() > self.leaving()
    }

    /// Whether results stay since the disk was full or broken when it was last tried.
    pub fn is_stuck(&self) -> bool {
        self.disk.trouble.is_some() && !(self.unwritable.is_empty() && self.order.first().is_none())
    }

    /// Whether there is room on the disk, by now, for results that stay since there was none.
    fn is_writable_by_now(&self) -> bool {
        self.unwritable.first().is_some_and(|(room, _)| self.disk.has_room(*room))
    }

    /// Whether there is something to do now.
    pub fn has_urgent_work(&self) -> bool {
        self.wants_trim
            || self.wants_purge
            || self.wants_look
            || !(self.jobs.is_empty() && self.replies.is_empty() && self.garbage.is_empty())
    }

    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Takes in a result of `holder`, who was promised room for it.
    pub fn keep(&mut self, value: Value, facts: ResultInfo, holder: Holder) -> SlotId {
        // Data that comes from elsewhere says nothing of what tasks make, and what was promised for results is known beforehand.
        if let Some(left) = self.to_come.get_mut(&holder) {
            left.came(facts.family);
            self.sizes.learn(facts.family, value.bytes() as u64);
        }
        self.take_in(value, facts, holder)
    }

    /// Takes in a result, which is in memory, where `holder` was promised room for it, whoever has made it.
    pub fn take_in(&mut self, value: Value, facts: ResultInfo, holder: Holder) -> SlotId {
        let id = SlotId(self.next_slot);
        self.next_slot += 1;
        let (bytes, codec) = (value.bytes() as u64, codec_of(&value));
        self.sharing.enter(id, &value);
        self.broker.set_pieces(self.sharing.sums());
        self.broker.hold_promised(holder, bytes);
        self.largest = self.largest.max(bytes);
        // It may be larger than what was promised for it. It isn't chosen itself: who has made it still refers to it.
        self.evict_excess();
        let used = self.next_use();
        let slot = Slot {
            facts,
            bytes,
            place: Residency::Memory(value),
            file: None,
            codec,
            stays: None,
            claims: 0,
            pins: 0,
            loose_pins: 0,
            used,
            waiters: vec![],
        };
        self.slots.insert(id, slot);
        self.update_rank(id);
        id
    }

    /// The result, if it is in memory.
    #[cfg(test)]
    pub fn value(&self, id: SlotId) -> Option<Value> {
        self.slots.get(&id)?.value().cloned()
    }

    /// Bytes that it has, or had.
    #[cfg(test)]
    pub fn bytes(&self, id: SlotId) -> u64 {
        self.slots[&id].bytes
    }

    /// The result, if it is in memory and may be had: not while it is written by bytes that nobody may change meanwhile.
    pub fn open(&self, id: SlotId) -> Option<Value> {
        self.slots.get(&id).filter(|slot| !slot.is_closed())?.value().cloned()
    }

    /// Gives a result one more owner; says whether it is there to have one.
    pub fn claim(&mut self, id: SlotId) -> bool {
        self.slots.get_mut(&id).map(|slot| slot.claims += 1).is_some()
    }

    /// Whether a result is in memory or has a file.
    pub fn has(&self, id: SlotId) -> bool {
        self.slots.get(&id).is_some_and(|slot| slot.file.is_some() || !matches!(slot.place, Residency::Out))
    }

    /// Lets go of a result for one of its owners; the last takes it out. Its value, if it is in memory, is handed to the
    /// caller then.
    pub fn remove(&mut self, id: SlotId) -> Option<Value> {
        if let Some(slot) = self.slots.get_mut(&id).filter(|slot| slot.claims > 0) {
            slot.claims -= 1;
            slot.facts.turn = None;
            self.update_rank(id);
            return None;
        }
        self.set_stays(id, None);
        self.removes(id);
        let slot = self.slots.remove(&id)?;
        self.pinned -= if slot.pins > 0 { slot.bytes_in_memory() } else { 0 };
        self.order.remove(id);
        self.forget_file(slot.file);
        match slot.place {
            Residency::Memory(value) | Residency::Writing(value) => {
                self.gone(id, &value, slot.bytes);
                self.moved();
                Some(value)
            }
            Residency::Out | Residency::Reading => None,
        }
    }

    /// Small results, which are counted and not moved.
    pub fn hold_small(&mut self, bytes: u64, holder: Holder) {
        self.broker.hold_promised(holder, bytes);
    }

    pub fn let_go_small(&mut self, bytes: u64) {
        self.broker.let_go(bytes);
        self.moved();
    }

    pub fn set_turn(&mut self, id: SlotId, turn: Option<u32>) {
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.facts.turn = turn;
        }
        self.used(id);
    }

    /// A result was used: whoever else referred to it may do so no longer.
    fn used(&mut self, id: SlotId) {
        let used = self.next_use();
        let Some(slot) = self.slots.get_mut(&id) else { return };
        slot.used = used;
        if slot.is_shared() {
            self.set_stays(id, None);
        }
        self.update_rank(id);
    }

    /// A result that was away was computed again by `holder`; gives the one that everybody has from now on, or nothing if it is to
    /// be fetched: it has a file by now, since somebody was first, or is on its way.
    pub fn restore(&mut self, id: SlotId, value: Value, holder: Option<Holder>) -> Option<Value> {
        // Nobody else has it any more.
        let Some(slot) = self.slots.get_mut(&id) else { return Some(value) };
        if matches!(slot.place, Residency::Out) && slot.file.is_none() {
            // Computed again, it may be of another size.
            slot.bytes = value.bytes() as u64;
            slot.place = Residency::Memory(value.clone());
            self.hold_for(holder, id);
            return Some(value);
        }
        self.garbage.push(Garbage::of(value));
        self.open(id)
    }

    /// A result came into memory.
    fn hold_for(&mut self, holder: Option<Holder>, id: SlotId) {
        let Slot { bytes, pins, ref place, .. } = self.slots[&id];
        if let Residency::Memory(value) = place {
            self.sharing.enter(id, value);
            self.broker.set_pieces(self.sharing.sums());
        }
        self.pinned += if pins > 0 { bytes } else { 0 };
        match holder {
            Some(holder) => self.broker.hold_promised(holder, bytes),
            None => self.broker.hold(bytes),
        }
        self.update_rank(id);
        if holder.is_none() {
            self.make_room();
        }
    }

    /// A result has left memory, which counted so many bytes.
    pub(super) fn gone(&mut self, id: SlotId, value: &Value, bytes: u64) {
        self.sharing.leave(id, value);
        self.broker.let_go(bytes);
        self.broker.set_pieces(self.sharing.sums());
    }

    /// Whether results are being written for what came without a promise.
    pub fn is_making_room(&self) -> bool {
        self.writing > 0 && self.broker.beyond_limit() > 0
    }

    /// The file of a result that isn't in memory.
    pub fn file(&self, id: SlotId) -> Option<Arc<SpillFile>> {
        self.slots.get(&id)?.file.clone()
    }

    /// Whether somebody who gets the result may change it.
    pub fn may_change(&self, id: SlotId) -> bool {
        self.slots.get(&id).and_then(|slot| slot.codec.as_ref()).is_some_and(|codec| codec.may_change())
    }

    /// A result was read from `file` by somebody who waited for it; gives the one that everybody has from now on. Nothing if that
    /// isn't what he read: it has come back before, and has been changed since or may be.
    pub fn came_back(&mut self, id: SlotId, file: &Arc<SpillFile>, value: Value) -> Option<Value> {
        // Nobody else has it any more.
        let Some(slot) = self.slots.get_mut(&id) else { return Some(value) };
        let is_same = slot.file.as_ref().is_some_and(|own| Arc::ptr_eq(own, file));
        if !(is_same && matches!(slot.place, Residency::Out)) {
            self.garbage.push(Garbage::of(value));
            return None;
        }
        // It may have become larger before it was written.
        slot.bytes = value.bytes() as u64;
        slot.place = Residency::Memory(value.clone());
        self.counts.read += 1;
        self.hold_for(None, id);
        Some(value)
    }

    /// Whether it is being read, or written by bytes that nobody may change meanwhile: who wants it waits.
    pub fn is_closed(&self, id: SlotId) -> bool {
        self.slots.get(&id).is_some_and(|slot| matches!(slot.place, Residency::Reading) || slot.is_closed())
    }

    /// A file turned out to be bad.
    pub fn lose_file(&mut self, id: SlotId, bad: &Arc<SpillFile>) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        if let Some(file) = slot.file.take_if(|file| Arc::ptr_eq(file, bad)) {
            self.forget_file(Some(file));
            self.counts.lost += 1;
            self.update_rank(id);
        }
    }

    /// A file was read, or gave nothing. Where that says nothing of the file, whoever needs the result reads it himself, and hears
    /// why he can't.
    pub fn read(&mut self, id: SlotId, read: Result<Value, ReadError>) {
        self.coming -= 1;
        let Some(slot) = self.slots.get_mut(&id) else {
            self.garbage.extend(read.ok().map(Garbage::of));
            return;
        };
        let waiters = std::mem::take(&mut slot.waiters);
        match read {
            Ok(value) => {
                // Whoever had it may have changed its size before it was written.
                slot.bytes = value.bytes() as u64;
                slot.place = Residency::Memory(value);
                self.counts.read += 1;
                self.hold_for(waiters.first().copied(), id);
            }
            Err(ReadError::Damaged) => {
                slot.place = Residency::Out;
                let file = slot.file.take();
                self.forget_file(file);
                self.counts.lost += 1;
            }
            Err(ReadError::Unread(_)) => slot.place = Residency::Out,
        }
        self.loaded(waiters);
        self.moved();
    }

    /// What these waited for has been read, or written.
    fn loaded(&mut self, waiters: Vec<Holder>) {
        for holder in waiters {
            let Some(left) = self.loading.get_mut(&holder) else { continue };
            *left -= 1;
            if *left == 0 {
                self.loading.remove(&holder);
                self.replies.push((holder, Reply::Loaded));
            }
        }
    }

    pub fn report(&self) -> MemoryReport {
        report::of((&self.broker, &self.unseen), &self.disk, self.counts, self.slots.values())
    }

    fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }
}

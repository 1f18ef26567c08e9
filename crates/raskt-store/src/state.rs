//! What the store knows, and what it decides. It touches no file and no thread: what is to be done comes out as jobs,
//! replies and garbage, which threads of the store see to.

use crate::broker::{Broker, Holder};
use crate::codec::{codec_of, is_sole};
use crate::disk::Disk;
use crate::file::SpillFile;
use crate::order::{Order, Standing};
use crate::report::{self, MemoryReport};
use crate::request::{Answer, Reply, Request};
use crate::slot::{Facts, Slot, SlotId, Where};
use crate::speed::Speed;
use raskt_value::{Codec, Value};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

pub(crate) struct State {
    pub broker: Broker,
    pub disk: Disk,
    pub speed: Speed,
    slots: BTreeMap<SlotId, Slot>,
    next_slot: u64,
    /// Bytes of the largest result so far.
    largest: u64,
    /// All and only the slots that can leave memory now.
    order: Order,
    /// Counts uses, so that they have an order.
    uses: u64,
    /// Requests in the order in which they came; none overtakes another.
    pending: VecDeque<Request>,
    /// How many inputs each promise still waits for.
    loading: BTreeMap<Holder, u32>,
    /// Bytes that are being written, and will leave.
    leaving: u64,
    /// Results that are being read.
    coming: usize,
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
}

/// What happened so far.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub written: u64,
    pub read: u64,
    pub dropped: u64,
    pub lost: u64,
}

/// What a thread of the store is to do.
pub(crate) enum Job {
    Write { id: SlotId, value: Value, codec: Arc<dyn Codec> },
    Read { id: SlotId, file: Arc<SpillFile>, codec: Arc<dyn Codec> },
}

/// What a thread of the store is to drop.
#[expect(dead_code, reason = "kept only to be dropped later")]
pub(crate) enum Garbage {
    Value(Value),
    File(Arc<SpillFile>),
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
            next_slot: 0,
            largest: 0,
            order: Order::default(),
            uses: 0,
            pending: VecDeque::new(),
            loading: BTreeMap::new(),
            leaving: 0,
            coming: 0,
            lent: 0,
            moves: 0,
            jobs: VecDeque::new(),
            replies: vec![],
            garbage: vec![],
            has_spilled: false,
            counts: Counts::default(),
        }
    }

    /// Whether threads of the store have something to do or to watch.
    pub fn has_work(&self) -> bool {
        self.has_urgent_work() || self.is_pending()
    }

    /// Whether there is something to do now.
    pub fn has_urgent_work(&self) -> bool {
        !(self.jobs.is_empty() && self.replies.is_empty() && self.garbage.is_empty())
    }

    pub fn is_pending(&self) -> bool {
        !self.pending.is_empty()
    }

    /// Takes in a result, which is in memory, where `holder` was promised room for it.
    pub fn keep(&mut self, value: Value, facts: Facts, holder: Holder) -> SlotId {
        let id = SlotId(self.next_slot);
        self.next_slot += 1;
        let (bytes, codec) = (value.bytes() as u64, codec_of(&value));
        self.broker.hold_promised(holder, bytes);
        self.largest = self.largest.max(bytes);
        let used = self.next_use();
        let slot = Slot { facts, bytes, place: Where::Here(value), file: None, codec, pins: 0, used, waiters: vec![] };
        self.slots.insert(id, slot);
        self.stand(id);
        id
    }

    /// The result, if it is in memory.
    pub fn value(&self, id: SlotId) -> Option<Value> {
        self.slots.get(&id)?.value().cloned()
    }

    /// Takes a result out. Its value, if it is in memory, is handed to the caller.
    pub fn remove(&mut self, id: SlotId) -> Option<Value> {
        let slot = self.slots.remove(&id)?;
        self.order.remove(id);
        self.forget_file(slot.file);
        match slot.place {
            Where::Here(value) | Where::Leaving(value) => {
                self.broker.let_go(slot.bytes);
                self.moved();
                Some(value)
            }
            Where::Away | Where::Coming => None,
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
        let used = self.next_use();
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.facts.turn = turn;
            slot.used = used;
        }
        self.stand(id);
    }

    fn pin(&mut self, id: SlotId) {
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.pins += 1;
        }
        self.order.remove(id);
    }

    pub fn unpin(&mut self, id: SlotId) {
        let used = self.next_use();
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.pins -= 1;
            slot.used = used;
        }
        self.stand(id);
        if self.is_pending() {
            self.moved();
        }
    }

    /// Asks for memory for a ticket, and for its inputs to be in memory. They are pinned from here on.
    pub fn ask(&mut self, request: Request) -> Answer {
        let is_easy = request.inputs.is_empty() && self.pending.is_empty();
        if is_easy && self.broker.promise(request.holder, request.bytes) {
            return Answer::Promised { is_loading: false };
        }
        request.inputs.iter().for_each(|(id, _)| self.pin(*id));
        let holder = request.holder;
        self.pending.push_back(request);
        self.settle();
        // What was decided at once needs no reply.
        let decided =
            self.replies.iter().position(|(to, reply)| *to == holder && matches!(reply, Reply::Promised { .. }));
        match decided.map(|at| self.replies.swap_remove(at).1) {
            Some(Reply::Promised { is_loading }) => Answer::Promised { is_loading },
            _ => Answer::Pending,
        }
    }

    /// A request is withdrawn, or its promise given back.
    pub fn give_back(&mut self, holder: Holder) {
        let waiting = self.pending.len();
        self.pending.retain(|request| request.holder != holder);
        self.loading.remove(&holder);
        if self.broker.give_back(holder) || self.pending.len() < waiting {
            self.moved();
        }
    }

    /// A result that was away was computed again by `holder`.
    pub fn restore(&mut self, id: SlotId, value: Value, holder: Option<Holder>) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        if slot.value().is_some() {
            return;
        }
        // One that is being read keeps its state: what comes is as good.
        if matches!(slot.place, Where::Away) {
            slot.place = Where::Here(value);
            self.hold_for(holder, id);
        }
    }

    fn hold_for(&mut self, holder: Option<Holder>, id: SlotId) {
        let bytes = self.slots[&id].bytes;
        match holder {
            Some(holder) => self.broker.hold_promised(holder, bytes),
            None => self.broker.hold(bytes),
        }
        self.stand(id);
    }

    /// The file of a result that isn't in memory.
    pub fn file(&self, id: SlotId) -> Option<(Arc<SpillFile>, Arc<dyn Codec>)> {
        let slot = self.slots.get(&id)?;
        Some((slot.file.clone()?, slot.codec.clone()?))
    }

    pub fn is_coming(&self, id: SlotId) -> bool {
        self.slots.get(&id).is_some_and(|slot| matches!(slot.place, Where::Coming))
    }

    /// A file turned out to be bad.
    pub fn lose_file(&mut self, id: SlotId, bad: &Arc<SpillFile>) {
        let Some(slot) = self.slots.get_mut(&id) else { return };
        if let Some(file) = slot.file.take_if(|file| Arc::ptr_eq(file, bad)) {
            self.forget_file(Some(file));
            self.counts.lost += 1;
            self.stand(id);
        }
    }

    /// A file was read, or was bad.
    pub fn read(&mut self, id: SlotId, value: Option<Value>) {
        self.coming -= 1;
        let Some(slot) = self.slots.get_mut(&id) else { return };
        let waiters = std::mem::take(&mut slot.waiters);
        match value {
            Some(value) => {
                slot.place = Where::Here(value);
                self.counts.read += 1;
                self.hold_for(waiters.first().copied(), id);
            }
            None => {
                slot.place = Where::Away;
                let file = slot.file.take();
                self.forget_file(file);
                self.counts.lost += 1;
            }
        }
        for holder in waiters {
            let Some(left) = self.loading.get_mut(&holder) else { continue };
            *left -= 1;
            if *left == 0 {
                self.loading.remove(&holder);
                self.replies.push((holder, Reply::Loaded));
            }
        }
        self.moved();
    }

    /// A result was written, or couldn't be.
    pub fn wrote(&mut self, id: SlotId, bytes: u64, written: Result<SpillFile, String>) {
        self.leaving -= bytes;
        self.disk.used -= reserved(bytes);
        let file = written.map_err(|trouble| self.disk.trouble = Some(trouble)).ok().map(Arc::new);
        if let Some(file) = &file {
            self.disk.used += file.bytes();
            self.counts.written += 1;
        }
        let Some(slot) = self.slots.get_mut(&id) else {
            self.forget_file(file);
            return self.moved();
        };
        if let Where::Leaving(value) = std::mem::replace(&mut slot.place, Where::Away) {
            if file.is_some() && slot.pins == 0 {
                self.garbage.push(Garbage::Value(value));
                self.broker.let_go(bytes);
            } else {
                slot.place = Where::Here(value);
            }
        }
        slot.file = file;
        self.stand(id);
        self.moved();
    }

    /// Nothing has moved for a while, though a request waits: it may go beyond the limit, if no other does.
    pub fn overbook(&mut self) {
        if self.broker.is_overbooked() && self.lent == 0 {
            return;
        }
        if let Some(request) = self.pending.pop_front() {
            self.grant(request, true);
            self.moved();
        }
    }

    /// Whether files may be tried again.
    pub fn forgive_disk(&mut self) {
        if self.disk.trouble.take().is_some() {
            self.moved();
        }
    }

    pub fn report(&self) -> MemoryReport {
        report::of(self, self.slots.values())
    }

    /// Something changed that a request may have waited for.
    pub fn moved(&mut self) {
        self.moves += 1;
        self.settle();
    }

    /// Promises memory in the order in which it was asked for, and sees to it that what is lacking becomes free.
    fn settle(&mut self) {
        while let Some(request) = self.pending.front() {
            let need = self.need(request);
            let missing = self.broker.missing(need);
            if missing > self.leaving {
                let spare = need.min(self.broker.limit() / SPARE_SHARE);
                self.evict(missing - self.leaving, spare);
            }
            if self.broker.missing(need) == 0 {
                let Some(request) = self.pending.pop_front() else { return };
                self.grant(request, false);
            } else if self.leaving > 0 || self.coming > 0 || self.broker.promises() > self.lent {
                return;
            } else {
                let Some(request) = self.pending.pop_front() else { return };
                self.go_beyond(request);
            }
        }
    }

    /// Nothing runs and nothing can move: `request` goes beyond the limit, unless results that no task is about to read are
    /// far beyond it already and it would only add to them. Not at once: those who would read and free them may stand
    /// behind it.
    fn go_beyond(&mut self, request: Request) {
        let inputs: u64 = request.inputs.iter().map(|(_, bytes)| bytes).sum();
        let pinned = self.slots.values().filter(|slot| slot.pins > 0 && slot.value().is_some());
        let stuck = self.broker.held() - pinned.map(|slot| slot.bytes).sum::<u64>();
        let most = self.broker.limit().saturating_add(REQUESTS_BEYOND * request.bytes.max(self.largest));
        if stuck > most && request.bytes > inputs {
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
        let is_away = |id: &SlotId| self.slots.get(id).is_some_and(|slot| matches!(slot.place, Where::Away));
        let away = request.inputs.iter().filter(|(id, _)| is_away(id));
        request.bytes.saturating_add(away.map(|(_, bytes)| bytes).sum())
    }

    fn grant(&mut self, request: Request, beyond: bool) {
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
    fn load(&mut self, id: SlotId, holder: Holder) -> bool {
        let Some(slot) = self.slots.get_mut(&id) else { return false };
        match slot.place {
            Where::Here(_) | Where::Leaving(_) => return false,
            Where::Coming => {}
            Where::Away => {
                let (Some(file), Some(codec)) = (slot.file.clone(), slot.codec.clone()) else { return false };
                slot.place = Where::Coming;
                self.coming += 1;
                self.jobs.push_front(Job::Read { id, file, codec });
            }
        }
        if let Some(slot) = self.slots.get_mut(&id) {
            slot.waiters.push(holder);
        }
        true
    }

    /// Lets results go until `lacking` bytes are free or about to be, and some more if that lets go of whole results.
    fn evict(&mut self, lacking: u64, spare: u64) {
        let mut freed = 0;
        let mut looked_at = 0;
        while freed < lacking {
            // As many as would do, were all of them able to go.
            let mut likely = freed;
            let victims = self.order.victims().skip(looked_at).take_while(|id| {
                let goes_on = likely < lacking + spare;
                likely += self.slots.get(id).map_or(0, |slot| slot.bytes);
                goes_on
            });
            let victims: Vec<SlotId> = victims.collect();
            if victims.is_empty() {
                return;
            }
            for id in victims {
                let bytes = self.let_leave(id);
                freed += bytes;
                looked_at += usize::from(bytes == 0);
            }
        }
    }

    /// Lets one result leave, by the cheapest way there is; how many bytes that frees.
    fn let_leave(&mut self, id: SlotId) -> u64 {
        let Some(slot) = self.slots.get_mut(&id) else { return 0 };
        let bytes = slot.bytes;
        if !slot.value().is_some_and(is_sole) {
            return 0;
        }
        let recompute = slot.facts.recompute_nanoseconds;
        let is_cheap = recompute.is_some_and(|time| self.speed.prefers_recomputing(bytes, time));
        let can_write = slot.codec.is_some() && self.disk.has_room(reserved(bytes));
        if slot.file.is_none() && !is_cheap && can_write {
            return self.write(id);
        }
        if slot.file.is_none() && recompute.is_none() {
            return 0;
        }
        if let Where::Here(value) = std::mem::replace(&mut slot.place, Where::Away) {
            self.garbage.push(Garbage::Value(value));
        }
        self.order.remove(id);
        self.broker.let_go(bytes);
        self.counts.dropped += 1;
        self.has_spilled = true;
        bytes
    }

    fn write(&mut self, id: SlotId) -> u64 {
        self.order.remove(id);
        let Some(slot) = self.slots.get_mut(&id) else { return 0 };
        let Some((value, codec)) = slot.value().cloned().zip(slot.codec.clone()) else { return 0 };
        slot.place = Where::Leaving(value.clone());
        self.leaving += slot.bytes;
        self.disk.used += reserved(slot.bytes);
        self.has_spilled = true;
        self.jobs.push_back(Job::Write { id, value, codec });
        slot.bytes
    }

    fn stand(&mut self, id: SlotId) {
        match self.slots.get(&id) {
            Some(slot) if slot.can_leave() => {
                let standing = match slot.facts.turn {
                    Some(turn) => Standing::Awaited { turn },
                    None => Standing::Unawaited { group: slot.facts.group, used: slot.used },
                };
                self.order.insert(id, standing);
            }
            _ => self.order.remove(id),
        }
    }

    fn forget_file(&mut self, file: Option<Arc<SpillFile>>) {
        if let Some(file) = file {
            self.disk.used -= file.bytes();
            self.garbage.push(Garbage::File(file));
        }
    }

    fn next_use(&mut self) -> u64 {
        self.uses += 1;
        self.uses
    }

    /// What is kept twice is counted again.
    #[cfg(test)]
    pub fn validate(&self) {
        let held: u64 = self.slots.values().filter(|slot| slot.value().is_some()).map(|slot| slot.bytes).sum();
        assert_eq!(self.broker.held(), held, "held bytes (tests hold nothing small)");
        let leaving = self.slots.values().filter(|slot| matches!(slot.place, Where::Leaving(_)));
        assert!(leaving.map(|slot| slot.bytes).sum::<u64>() <= self.leaving);
        let mut standing: Vec<_> = self.order.victims().collect();
        standing.sort_unstable();
        let can_leave = self.slots.iter().filter(|(_, slot)| slot.can_leave()).map(|(&id, _)| id);
        assert_eq!(standing, can_leave.collect::<Vec<_>>(), "the order holds what can leave");
        let files: u64 = self.slots.values().filter_map(|slot| slot.file.as_ref()).map(|file| file.bytes()).sum();
        assert!(self.disk.used >= files);
    }
}

/// Requests like the one at hand, or results like the largest, that results may be beyond the limit by, where nothing can leave memory: about as many
/// assignments stand in a worker's line.
const REQUESTS_BEYOND: u64 = 8;

/// Bytes that are counted for a file until its size is known.
fn reserved(bytes: u64) -> u64 {
    bytes + crate::aligned::ALIGNMENT as u64
}

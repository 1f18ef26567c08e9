//! The store, as engines see it.

use crate::arriving::Arriving;
use crate::broken::Broken;
use crate::broker::Holder;
use crate::lineage::Lineage;
use crate::report::MemoryReport;
use crate::request::{Answer, Asker, Extent, Request};
use crate::sizes::Outputs;
use crate::slot::{ResultInfo, SlotId};
use crate::state::State;
use crate::stored_ref::{Pins, StoredRef};
use crate::threads::Shared;
use raskt_value::Value;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};

/// The results of some size of a process, in memory and on disk, and the broker that promises memory.
///
/// A clone is the same store. Its threads end with its last clone; results and their files stay until their owners let go
/// of them.
#[derive(Clone)]
pub struct Store(Arc<Handle>);

struct Handle(Arc<Shared>);

impl Drop for Handle {
    fn drop(&mut self) {
        self.0.close();
    }
}

/// How much a store may use.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Bytes that results and running tasks may hold.
    pub memory: u64,
    /// Bytes that spill files may have.
    pub disk: u64,
    /// Where the folder of spill files is made; nothing means with other temporary files.
    pub spill_path: Option<PathBuf>,
}

impl Limits {
    /// So much memory, and all of the disk.
    pub fn of_memory(memory: u64) -> Self {
        Self { memory, disk: u64::MAX, spill_path: None }
    }
}

/// A holder that is promised nothing.
const UNASKED: Holder = Holder { asker: u32::MAX, ticket: u64::MAX };

static NEXT_ASKER: AtomicU32 = AtomicU32::new(0);

/// What is asked for at a time, at most: requests are added up, and no machine has as much.
const MOST_BYTES: u64 = 1 << 48;

impl Store {
    /// Results below so many bytes are counted and not moved: a file would cost more than it brings.
    pub const KEPT_BYTES: usize = crate::sizes::KEPT_BYTES;

    /// An empty store.
    pub fn new(limits: Limits) -> Self {
        let shared = Arc::new(Shared::new(limits.memory));
        crate::fork::register(&shared);
        let store = Self(Arc::new(Handle(shared)));
        store.set_limits(limits);
        store
    }

    fn shared(&self) -> &Arc<Shared> {
        &self.0.0
    }

    /// Sets how much it may use from now on.
    pub fn set_limits(&self, limits: Limits) {
        let is_elsewhere = self.shared().place.set(limits.spill_path);
        let _ = self.shared().change(|state| {
            if is_elsewhere || (state.broker.limit(), state.disk.limit) != (limits.memory, limits.disk) {
                state.broker.set_limit(limits.memory);
                state.disk.limit = limits.disk;
                state.disk.trouble = None;
                state.moved();
                // Nobody may ask for memory soon.
                state.make_room();
            }
        });
    }

    /// Sets how much results and running tasks may hold whatever is asked for, where whoever has more is ended: what is beyond
    /// `Limits::memory` otherwise, since nothing can leave, and nobody would go on.
    pub fn set_bound(&self, bytes: u64) {
        self.shared().is_bound.store(bytes < u64::MAX, Ordering::Relaxed);
        let _ = self.shared().change(|state| {
            state.broker.set_bound(bytes);
            state.moved();
        });
    }

    /// Makes known somebody who asks for memory; he is told by the number that comes back until [`Self::leave`].
    pub fn enlist(&self, asker: Weak<dyn Asker>) -> u32 {
        let number = NEXT_ASKER.fetch_add(1, Ordering::Relaxed);
        self.shared().enlist(number, asker);
        number
    }

    /// Forgets somebody who asked for memory.
    pub fn leave(&self, number: u32) {
        self.shared().delist(number);
    }

    /// Keeps a result, which takes up what `holder` was promised.
    pub fn keep(
        &self,
        value: Value,
        lineage: Lineage,
        facts: ResultInfo,
        holder: Holder,
    ) -> Result<Arc<StoredRef>, Broken> {
        self.enter(value, lineage, |state, value| state.keep(value, facts, holder))
    }

    fn enter(
        &self,
        value: Value,
        lineage: Lineage,
        enter: impl FnOnce(&mut State, Value) -> SlotId,
    ) -> Result<Arc<StoredRef>, Broken> {
        let bytes = value.bytes() as u64;
        let layout = value.block_layout().map(|(dtype, shape)| (dtype, shape.into()));
        let summary = value.summary();
        let id = self.shared().change(|state| enter(state, value))?;
        Ok(Arc::new(StoredRef { shared: self.shared().clone(), id, bytes, layout, summary, lineage, is_owner: true }))
    }

    /// Keeps a result of elsewhere that takes up what `holder` was promised, who reads it.
    pub fn keep_fetched(&self, value: Value, facts: ResultInfo, holder: Holder) -> Result<Arc<StoredRef>, Broken> {
        self.enter(value, Lineage::none(), |state, value| state.take_in(value, facts, holder))
    }

    /// Keeps something that nobody was promised memory for; others leave for it, where that can be.
    #[cfg(test)]
    pub(crate) fn keep_unasked(
        &self,
        value: Value,
        lineage: Lineage,
        facts: ResultInfo,
    ) -> Result<Arc<StoredRef>, Broken> {
        let kept = self.keep(value, lineage, facts, UNASKED)?;
        self.shared().change(|state| state.make_room())?;
        Ok(kept)
    }

    /// The same for somebody who still refers to it: it stays in memory until the pins are dropped, or it would be taken for what
    /// he has for good. [`Self::make_room`] is to be called then.
    pub fn keep_pinned(
        &self,
        value: Value,
        lineage: Lineage,
        facts: ResultInfo,
    ) -> Result<(Arc<StoredRef>, Pins), Broken> {
        let mut epoch = 0;
        let kept = self.enter(value, lineage, |state, value| {
            let id = state.keep(value, facts, UNASKED);
            state.pin(id);
            epoch = state.epoch;
            id
        })?;
        let pins = Pins { kept: vec![kept.clone()], epoch };
        Ok((kept, pins))
    }

    /// Has results leave for what came without a promise, and waits as long as some do: who makes more than the disk takes would
    /// have all of it in memory. To be called without any lock, and without what the store's threads need, such as the interpreter.
    pub fn make_room(&self) {
        // What is kept is kept, also if the store breaks over this.
        let _ = self.shared().change(|state| state.make_room());
        self.shared().wait_for_room();
    }

    /// Asks for `bytes` for a ticket, and for the results that `inputs` stand for to be in memory. They stay there until the
    /// pins that come back are dropped.
    pub fn ask(&self, holder: Holder, bytes: u64, inputs: &[Value]) -> Result<(Answer, Pins), Broken> {
        self.ask_for(holder, bytes, Extent { fetched: 0, outputs: Outputs::default() }, inputs)
    }

    /// The same for one of whom more is known.
    pub fn ask_for(
        &self,
        holder: Holder,
        bytes: u64,
        extent: Extent,
        inputs: &[Value],
    ) -> Result<(Answer, Pins), Broken> {
        let Extent { fetched, outputs } = extent;
        let mut kept: Vec<Arc<StoredRef>> = inputs.iter().filter_map(StoredRef::of).collect();
        if kept.len() > 1 {
            kept.sort_unstable_by_key(|kept| kept.id);
            kept.dedup_by_key(|kept| kept.id);
        }
        let small =
            inputs.iter().filter(|value| StoredRef::of(value).is_none()).map(|value| value.bytes() as u64).sum();
        let inputs = kept.iter().map(|kept| (kept.id, kept.bytes)).collect();
        self.look();
        let bytes = bytes.min(MOST_BYTES);
        let ask =
            |state: &mut State| (state.ask(Request { holder, bytes, inputs, small, fetched, outputs }), state.epoch);
        let (answer, epoch) = self.shared().change(ask)?;
        Ok((answer, Pins { kept, epoch }))
    }

    /// Takes back a promise, or a request that waits for one.
    pub fn give_back(&self, holder: Holder) {
        self.shared().ended(holder);
    }

    /// Takes back all promises to an asker, but those of tickets that it `keeps`, and forgets all that it waits for.
    pub fn give_back_all(&self, asker: u32, keeps: impl Fn(u64) -> bool) {
        let _ = self.shared().change(|state| state.give_back_all(asker, &keeps));
    }

    /// Counts results that are too small to be kept one by one.
    pub fn hold_small(&self, bytes: u64, holder: Holder) {
        if bytes > 0 {
            let _ = self.shared().change(|state| state.hold_small(bytes, holder));
        }
    }

    /// The same of results that `holder` has made.
    pub fn made_small(&self, bytes: u64, outputs: &Outputs, holder: Holder) {
        if bytes > 0 || !outputs.is_empty() {
            let _ = self.shared().change(|state| {
                state.sizes.learn_small(outputs);
                state.hold_small(bytes, holder);
            });
        }
    }

    /// Counts so many bytes that are there without a promise; others leave for them, where that can be. They are let go of as small
    /// results are.
    pub fn hold_unasked(&self, bytes: u64) {
        if bytes > 0 {
            let _ = self.shared().change(|state| {
                state.hold_small(bytes, UNASKED);
                state.make_room();
            });
        }
    }

    /// So many bytes are on their way for which nobody was promised memory; others leave for them, where that can be.
    pub fn expect(&self, bytes: u64) -> Arriving {
        let shared = self.shared().clone();
        // What breaks over this counts them all the same.
        let _ = shared.change(|state| state.arrives(bytes));
        Arriving::new(bytes, move |left| _ = shared.change(|state| state.never_came(left)))
    }

    /// Keeps something that has come of what was on its way.
    pub fn keep_arrived(
        &self,
        value: Value,
        lineage: Lineage,
        facts: ResultInfo,
        arriving: &Arriving,
    ) -> Result<Arc<StoredRef>, Broken> {
        let aside = arriving.take(value.bytes() as u64);
        let kept = self.enter(value, lineage, |state, value| state.keep_arrived(value, facts, aside, UNASKED))?;
        self.shared().change(|state| state.has_come())?;
        Ok(kept)
    }

    /// Of so many bytes more that are to come without a promise, as many as may be held in any case ([`Self::set_bound`]), with all that
    /// can leave for them.
    pub fn room_for(&self, bytes: u64) -> u64 {
        if !self.shared().is_bound.load(Ordering::Relaxed) {
            return bytes;
        }
        self.shared().change(|state| state.room_for(bytes)).unwrap_or(bytes)
    }

    /// Whether there is more than may be held in any case, with so many bytes more, until what leaves has left: what can does from now on.
    pub fn waits_for_leaving(&self, bytes: u64) -> bool {
        let is_bound = self.shared().is_bound.load(Ordering::Relaxed);
        is_bound && self.shared().change(|state| state.waits_for_leaving(bytes)).unwrap_or(false)
    }

    /// Whether there may be room for so many bytes when what runs has ended.
    pub fn may_have_room(&self, bytes: u64) -> bool {
        self.shared().change(|state| state.may_have_room(bytes)).unwrap_or(false)
    }

    /// What holds memory, if there is no room for so many bytes that have come, less what was `arriving`. They may be seen by now among what
    /// the process has.
    pub fn lacks_room(&self, bytes: u64, arriving: &Arriving) -> Option<MemoryReport> {
        // What was to leave for it may have stayed after all.
        let more = bytes.saturating_sub(arriving.left());
        self.shared().change(|state| state.lacks_room(more, true).then(|| state.report())).ok().flatten()
    }

    /// Small results are gone.
    pub fn let_go_small(&self, bytes: u64) {
        if bytes > 0 {
            let _ = self.shared().change(|state| state.let_go_small(bytes));
        }
    }

    /// A task waits for other tasks, or (`false`) goes on: while it waits, nothing is expected of its end.
    pub fn lend(&self, begins: bool) {
        let _ = self.shared().change(|state| {
            if begins {
                state.lent += 1;
                state.moved();
            } else {
                state.lent -= 1;
            }
        });
    }

    /// Whether anything ever had to leave memory, so that tasks should ask ahead of their turn.
    pub fn has_spilled(&self) -> bool {
        self.shared().has_spilled()
    }

    /// Bytes that may be held and promised.
    pub fn memory_limit(&self) -> u64 {
        self.shared().change(|state| state.broker.limit()).unwrap_or(u64::MAX)
    }

    /// What holds memory.
    pub fn report(&self) -> Result<MemoryReport, Broken> {
        self.shared().change(|state| state.report())
    }

    /// Breaks it, as a panic in it would; for tests of those who use it.
    pub fn break_down(&self, story: &str) {
        let _ = self.shared().change(|_| panic!("{story}"));
    }

    /// Whether there is something to do or to watch and the system gives no thread that would: those who wait for what the store
    /// does are to call [`Self::help`] now and then.
    pub fn is_stranded(&self) -> bool {
        self.shared().is_stranded()
    }

    /// If no thread of the store can be had, does one thing that there is to do, and says whether there may be more. To be called
    /// without any lock: it may take those of engines, and the interpreter, and as long as a result takes to be written or read.
    pub fn help(&self) -> bool {
        self.shared().help()
    }

    /// From now on it is as if the system gave no more threads, or (`false`) it does again; for tests of those who use it.
    pub fn refuse_threads(&self, refuses: bool) {
        self.shared().refuse_threads(refuses);
    }

    /// The process has so many bytes of its own ([`crate::own_bytes`]) beside results and tasks: what it has more from now on
    /// is watched.
    pub fn watch_from(&self, baseline: u64) {
        self.shared().watch.set(baseline);
    }

    /// Looks at what the process has, if nobody has done so for a while.
    pub fn look(&self) {
        self.shared().look();
    }

    /// Bytes that the process has taken and that nobody was promised.
    pub fn unpromised(&self) -> u64 {
        self.shared().change(|state| state.unseen.bytes).unwrap_or(0)
    }

    /// Bytes that the process has now and that are known of nowhere, be they to stay or not; nothing if nobody watches.
    pub fn beside(&self) -> Option<u64> {
        let taken = self.shared().watch.taken_now()?;
        self.shared().change(|state| state.excess(taken)).ok()
    }

    /// Bytes that results hold in memory, if nothing is promised to anybody.
    pub fn held_at_rest(&self) -> Option<u64> {
        let held = self.shared().change(|state| (state.broker.promises() == 0).then(|| state.broker.held()));
        held.ok().flatten()
    }

    /// Whether it holds nothing and has promised nothing.
    pub fn is_empty(&self) -> bool {
        self.shared().change(|state| state.broker.held() + state.broker.promised() == 0).unwrap_or(false)
    }

    /// Removes the folder of spill files with all that is in it: the process ends, and nothing will be read any more.
    pub fn remove_files(&self) {
        self.shared().place.remove_files();
    }

    /// The folder of spill files, if any were written.
    pub fn folder(&self) -> Option<PathBuf> {
        self.shared().place.path()
    }

    /// Whether `kept` is one of this store's: another engine, or the parent of a forked process, may have another.
    pub fn keeps(&self, kept: &StoredRef) -> bool {
        Arc::ptr_eq(self.shared(), &kept.shared)
    }

    #[cfg(test)]
    pub(crate) fn counts(&self) -> crate::counts::Counts {
        self.shared().change(|state| state.counts).unwrap()
    }

    /// Whether the calling thread holds its lock.
    #[cfg(test)]
    pub(crate) fn is_locked(&self) -> bool {
        self.shared().is_locked()
    }

    #[cfg(test)]
    pub(crate) fn validate(&self) {
        self.shared().change(|state| state.validate()).unwrap();
    }
}

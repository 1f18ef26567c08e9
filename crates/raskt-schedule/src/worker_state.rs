//! One worker, as the scheduler sees it (Dask: `WorkerState`).

mod borrowed;
mod kept;
mod open_workers;
mod orphans;
mod validate;

use borrowed::Borrowed;
pub(crate) use open_workers::{MemoryLeft, OpenWorkers, Seat};
use orphans::Orphans;

use crate::copies::ClosedWays;
use crate::holdings::{Holdings, Move};
use crate::placed::{Placed, Relief};
use crate::policy::{Admission, Rebalance};
use crate::requirement::{Requirement, Sums, change_sums};
use crate::suspects::Quarantine;
use crate::worker::STRAYS_A_SLOT;
use crate::{Attempt, Offer, RunId, TaskRange, WorkerId};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::Bound;
use std::sync::Arc;

/// What the scheduler knows of a worker.
#[derive(Debug)]
pub(crate) struct WorkerState {
    offer: Offer,
    /// Assignments that it hasn't reported.
    placed: BTreeMap<(RunId, Attempt), Placed>,
    /// How many of them it has begun, as far as it has said so.
    started: u64,
    orphans: Orphans,
    /// Slots that its tasks have lent while they wait for runs.
    lent: u64,
    /// Slots among those that it offers whose tasks wait for something else.
    lent_to_anybody: u64,
    /// What has said that it waits for other tasks.
    waiting: BTreeSet<(RunId, Attempt)>,
    /// Those of these runs that require something.
    waits_for: BTreeSet<RunId>,
    /// Sums over what is placed.
    nanoseconds: u128,
    memory: u128,
    /// Runs that it has something of, or that its tasks wait for.
    known: BTreeSet<RunId>,
    /// Results that it holds and that will be read.
    holdings: Holdings,
    /// Assignments that have come, or gone, and give memory back.
    relief_changed: Vec<(RunId, Attempt, Relief, bool)>,
    used: Sums,
    /// What assignments have of what others lend that wait for them.
    borrowed: Borrowed,
    closed_ways: ClosedWays,
    /// It is kept for suspects, and gets nothing else: for each of their assignments. All but those of the last group wait for runs, or
    /// did when that came.
    quarantines: Vec<Quarantine>,
    /// How often it has said what it holds.
    inventory_version: u64,
    /// What was asked back for it: from whom, and of which assignment.
    incoming: Option<(WorkerId, RunId, Attempt)>,
    /// Of the resources that this requires nobody else gets any, so that there is enough in the end.
    kept_for: Option<Arc<Requirement>>,
}

/// The most bytes that the tasks of one assignment may read and hold, where it has more than one.
const BATCH_BYTES: u64 = 64 << 20;

/// Assignments of a slot that fit into its part of the memory together: one runs, others are made ready, and what they have
/// made has to stay for a while.
const BATCHES_A_SLOT: u64 = 4;

impl WorkerState {
    pub fn new(offer: Offer) -> Self {
        Self {
            offer,
            placed: BTreeMap::new(),
            started: 0,
            orphans: Orphans::default(),
            lent: 0,
            lent_to_anybody: 0,
            waiting: BTreeSet::new(),
            waits_for: BTreeSet::new(),
            nanoseconds: 0,
            memory: 0,
            known: BTreeSet::new(),
            holdings: Holdings::default(),
            relief_changed: vec![],
            used: Sums::new(),
            borrowed: Borrowed::default(),
            closed_ways: ClosedWays::default(),
            quarantines: vec![],
            inventory_version: 0,
            incoming: None,
            kept_for: None,
        }
    }

    pub fn offer(&self) -> &Offer {
        &self.offer
    }

    /// It is called otherwise from now on; gives what it offered before.
    pub fn rename(&mut self, name: Arc<str>) -> Offer {
        let now = Offer { name, ..self.offer.clone() };
        std::mem::replace(&mut self.offer, now)
    }

    /// It has come to have so many slots, and so much memory. What else it offers stays as it was when it joined.
    pub fn resize(&mut self, slots: u32, memory: u64) {
        (self.offer.slots, self.offer.memory) = (slots, memory);
    }

    /// So many slots among those that it offers are of tasks that wait.
    pub fn lend_to_anybody(&mut self, slots: u32) {
        self.lent_to_anybody = slots.into();
    }

    /// What it has waits, as it says, or not any more.
    pub fn note_waiting(&mut self, of: (RunId, Attempt), does: bool) {
        _ = if does && self.placed.contains_key(&of) { self.waiting.insert(of) } else { self.waiting.remove(&of) };
    }

    /// Those that say that they wait.
    pub fn those_waiting(&self) -> &BTreeSet<(RunId, Attempt)> {
        &self.waiting
    }

    /// How many of its tasks wait.
    fn waiting(&self) -> u64 {
        self.lent.saturating_add(self.lent_to_anybody)
    }

    /// Runs that its tasks wait for, of those that require something.
    pub fn waits_for(&self) -> impl Iterator<Item = &RunId> {
        self.waits_for.iter()
    }

    /// Its tasks wait for `run`, which requires something; or not any more.
    pub fn wait_for(&mut self, run: RunId, does: bool) {
        _ = if does { self.waits_for.insert(run) } else { self.waits_for.remove(&run) };
    }

    /// Runs that it has something of, or that its tasks wait for.
    pub fn known(&self) -> impl Iterator<Item = &RunId> {
        self.known.iter()
    }

    /// It has come to have something of `run`, or waits for it; or neither any more.
    pub fn know(&mut self, run: RunId, does: bool) {
        _ = if does { self.known.insert(run) } else { self.known.remove(&run) };
    }

    /// How often it has said what it holds.
    pub fn inventory_version(&self) -> u64 {
        self.inventory_version
    }

    /// It says what it holds.
    pub fn hear(&mut self) {
        self.inventory_version += 1;
    }

    /// Results that it holds and that will be read.
    pub fn holdings(&self) -> &Holdings {
        &self.holdings
    }

    /// Results of `run` have come to it, or gone.
    pub fn hold(&mut self, run: RunId, moved: Move, each: u64) {
        self.holdings.apply(run, moved, each);
    }

    /// What was asked back for it: from whom, and of which assignment.
    pub fn incoming(&self) -> Option<(WorkerId, RunId, Attempt)> {
        self.incoming
    }

    pub fn expect(&mut self, worker: WorkerId, run: RunId, attempt: Attempt) {
        self.incoming = Some((worker, run, attempt));
    }

    /// What nobody else gets any resources of that it requires.
    pub fn kept_for(&self) -> Option<&Arc<Requirement>> {
        self.kept_for.as_ref()
    }

    pub fn keep_for(&mut self, requirement: Option<Arc<Requirement>>) {
        self.kept_for = requirement;
    }

    /// Workers that it is known not to reach.
    pub fn closed_ways(&self) -> &ClosedWays {
        &self.closed_ways
    }

    pub fn closed_ways_mut(&mut self) -> &mut ClosedWays {
        &mut self.closed_ways
    }

    /// Assignments that have come, or gone, and give memory back, since this was last asked.
    pub fn take_relief_changed(&mut self) -> impl Iterator<Item = (RunId, Attempt, Relief, bool)> {
        self.relief_changed.drain(..)
    }

    pub fn into_placed(self) -> BTreeMap<(RunId, Attempt), Placed> {
        self.placed
    }

    pub fn placed(&self) -> impl DoubleEndedIterator<Item = (&(RunId, Attempt), &Placed)> {
        self.placed.iter()
    }

    pub fn has_placed(&self) -> bool {
        !self.placed.is_empty()
    }

    /// How many there are, how many of them it has begun, and what they are expected to take.
    pub fn placed_sums(&self) -> (u64, u64, u128) {
        (self.placed.len() as u64, self.started, self.nanoseconds)
    }

    /// The same from one on.
    pub fn placed_from(&self, from: Bound<(RunId, Attempt)>) -> impl Iterator<Item = (&(RunId, Attempt), &Placed)> {
        self.placed.range((from, Bound::Unbounded))
    }

    pub fn find(&self, run: RunId, attempt: Attempt) -> Option<&Placed> {
        self.placed.get(&(run, attempt))
    }

    pub fn is_idle(&self) -> bool {
        self.placed.is_empty()
    }

    /// Whether all that is placed there waits.
    pub fn is_at_rest(&self) -> bool {
        self.placed.len() as u64 <= self.waiting()
    }

    /// Whether something of a forgotten run goes on there, for which a death would be as much to blame on.
    pub fn has_orphans(&self) -> bool {
        self.orphans() > 0
    }

    /// For each of that the runs above its own.
    pub fn above_orphans(&self) -> impl Iterator<Item = BTreeSet<RunId>> {
        self.orphans.above()
    }

    /// How much of that there is.
    pub fn orphans(&self) -> u64 {
        self.orphans.count()
    }

    /// Slots that its tasks have lent.
    pub fn lent(&self) -> u64 {
        self.lent
    }

    /// What takes up slots: assignments, and threads that go on for nobody beyond those that may.
    fn taken(&self) -> u64 {
        let strays = self.orphans().saturating_sub(self.slots().saturating_mul(STRAYS_A_SLOT));
        self.placed.len() as u64 + strays
    }

    /// Whether it ends what it has, and gives back whatever comes, also what its tasks wait for.
    pub fn begins_nothing(&self) -> bool {
        (self.offer.slots, self.offer.memory) == (0, 0)
    }

    /// How many assignments it runs at a time, those included whose tasks wait for others.
    pub fn slots(&self) -> u64 {
        u64::from(self.offer.slots) + self.lent
    }

    /// Whether it runs fewer assignments than it has slots, or was given fewer.
    pub fn has_slot(&self) -> bool {
        self.taken() < self.slots()
    }

    /// Whether something may come into a slot that its tasks have lent.
    pub fn has_lent_slot(&self) -> bool {
        self.has_slot() && (self.quarantines.is_empty() || self.is_at_rest())
    }

    /// Bytes that it may hold. A task that waits for tasks gives nothing back before they have run: none of them may wait for
    /// it.
    pub fn memory_limit(&self) -> u64 {
        if self.lent > 0 { u64::MAX } else { self.offer.memory }
    }

    /// Its tasks lend so many more slots, or get so many back.
    pub fn change_lent(&mut self, slots: u64, lends: bool) {
        self.lent = match lends {
            true => self.lent + slots,
            false => self.lent.saturating_sub(slots),
        };
    }

    /// Whether it gets another assignment.
    pub fn has_room(&self, rebalance: &Rebalance) -> bool {
        // What a task waits for has to run, were it here: a suspect may wait as well.
        if self.is_kept() || (!self.quarantines.is_empty() && !self.is_at_rest()) {
            return false;
        }
        let has_memory = self.memory < u128::from(self.memory_limit());
        rebalance.has_room(self.taken(), self.slots(), self.nanoseconds, has_memory)
    }

    /// Whether it may get a producer that adds `net` bytes.
    pub fn admits(&self, admission: &Admission, net: u64) -> bool {
        admission.admits(self.memory_limit(), self.used_memory(), net)
    }

    /// Whether it may get no producer at all.
    pub fn is_full(&self, admission: &Admission) -> bool {
        admission.is_full(self.memory_limit(), self.used_memory())
    }

    /// Bytes that producers may add.
    pub fn room(&self, admission: &Admission) -> u64 {
        admission.room(self.memory_limit(), self.used_memory())
    }

    /// Whether nothing is held, and bytes that producers may add: the more, the more of them may come.
    pub fn memory_left(&self, admission: &Admission) -> (bool, u64) {
        (self.used_memory() == 0, self.room(admission))
    }

    /// Bytes that are left, be they for producers or not.
    pub fn free_memory(&self) -> u64 {
        u128::from(self.memory_limit()).saturating_sub(self.used_memory()) as u64
    }

    /// How it stands among others, if it has room: it is `worker`.
    pub fn seat(&self, worker: WorkerId, admission: &Admission) -> Seat {
        // What has no bound is not less for what is used.
        let left = if self.memory_limit() == u64::MAX { u64::MAX } else { self.free_memory() };
        Seat { place: (self.is_full(admission), self.load(), worker), left: MemoryLeft::of(left) }
    }

    fn used_memory(&self) -> u128 {
        self.holdings.bytes() + self.memory + self.orphans.memory()
    }

    /// Bytes that the tasks of one assignment may read and hold, where it has more than one.
    pub fn batch_bytes(&self) -> u64 {
        (self.memory_limit() / (BATCHES_A_SLOT * self.slots().max(1))).min(BATCH_BYTES)
    }

    /// What is at work for each slot, in 1024ths: also for nobody, and no task that waits. Nothing on a worker that does nothing.
    pub fn load(&self) -> u64 {
        let busy = (self.placed.len() as u64 + self.orphans()).saturating_sub(self.waiting());
        busy.saturating_mul(1024) / u64::from(self.offer.slots).max(1)
    }

    /// Assignments beyond the slots.
    pub fn ahead(&self) -> u64 {
        self.taken().saturating_sub(self.slots())
    }

    pub fn nanoseconds_a_slot(&self) -> u64 {
        u64::try_from(self.nanoseconds / u128::from(self.slots().max(1))).unwrap_or(u64::MAX)
    }

    /// Whether what it offers and doesn't use is enough.
    pub fn can_take(&self, requirement: &Requirement) -> bool {
        self.is_kept_from(requirement).is_none() && self.lacks(requirement).is_none()
    }

    /// What nobody else gets resources of that it requires. What tasks of the worker wait for has to run, whoever else waits.
    pub fn keeper(&self) -> Option<&Arc<Requirement>> {
        self.kept_for.as_ref().filter(|_| self.lent == 0)
    }

    /// The same, if that keeps it from what is required here.
    pub fn is_kept_from(&self, requirement: &Requirement) -> Option<&Arc<Requirement>> {
        self.keeper().filter(|kept| ***kept != *requirement && kept.shares(requirement))
    }

    /// Some of what is required of which less is left, and how much it is.
    pub fn lacks<'a>(&self, requirement: &'a Requirement) -> Option<(&'a Arc<str>, u64)> {
        let mut required = requirement.resources.iter().map(|(name, &amount)| (name, amount));
        required.find(|(name, amount)| self.free(name) < *amount)
    }

    /// Whether what it offers and doesn't use is enough, be any of it kept for somebody or not.
    pub fn has_free(&self, requirement: &Requirement) -> bool {
        self.lacks(requirement).is_none()
    }

    /// Whether that and what is lent (and nobody has borrowed yet) is.
    pub fn can_borrow(&self, requirement: &Requirement, lent: impl Fn(&Arc<str>) -> u128) -> bool {
        let mut required = requirement.resources.iter();
        required.all(|(name, &amount)| u128::from(self.free(name)) + lent(name) >= u128::from(amount))
    }

    /// What is borrowed from tasks of `run`.
    pub fn borrowed_from(&self, run: RunId) -> impl Iterator<Item = (&Arc<str>, &u128)> {
        self.borrowed.lent_by(run)
    }

    /// How much is left of a resource.
    pub fn free(&self, name: &Arc<str>) -> u64 {
        let offered = self.offer.resources.get(name).copied().unwrap_or(0);
        let used = self.used.get(name).copied().unwrap_or(0);
        offered.saturating_sub(u64::try_from(used).unwrap_or(u64::MAX))
    }

    /// The assignments that it has of `run`.
    pub fn placed_of(&self, run: RunId) -> impl Iterator<Item = &Placed> {
        self.placed.range((run, Attempt(0))..=(run, Attempt(u32::MAX))).map(|(_, placed)| placed)
    }

    /// What so many assignments of `run` have at the least, whichever they are.
    pub fn least_of(&self, run: RunId, count: u64) -> Sums {
        let amounts = |name: &Arc<str>| {
            let of_one = |placed: &Placed| placed.requirement.as_ref()?.resources.get(name).copied();
            let mut amounts: Vec<u64> = self.placed_of(run).map(|placed| of_one(placed).unwrap_or(0)).collect();
            amounts.sort_unstable();
            amounts.into_iter().take(usize::try_from(count).unwrap_or(usize::MAX)).map(u128::from).sum::<u128>()
        };
        self.offer
            .resources
            .keys()
            .map(|name| (name.clone(), amounts(name)))
            .filter(|(_, amount)| *amount > 0)
            .collect()
    }

    /// Places an assignment.
    pub fn place(&mut self, run: RunId, attempt: Attempt, placed: Placed) {
        self.nanoseconds += u128::from(placed.nanoseconds);
        self.memory += u128::from(placed.memory);
        if let Some(relief) = &placed.relief {
            self.relief_changed.push((run, attempt, relief.clone(), true));
        }
        self.use_resources(&placed, true);
        self.started += u64::from(placed.is_started);
        self.placed.insert((run, attempt), placed);
    }

    pub fn close(&mut self, run: RunId, attempt: Attempt) -> Option<Placed> {
        self.orphans.end((run, attempt));
        let placed = self.placed.remove(&(run, attempt))?;
        self.waiting.remove(&(run, attempt));
        self.quarantines.retain(|kept| (kept.run, kept.attempt) != (run, Some(attempt)));
        self.nanoseconds -= u128::from(placed.nanoseconds);
        self.memory -= u128::from(placed.memory);
        self.started -= u64::from(placed.is_started);
        if let Some(relief) = &placed.relief {
            self.relief_changed.push((run, attempt, relief.clone(), false));
        }
        self.use_resources(&placed, false);
        Some(placed)
    }

    fn use_resources(&mut self, placed: &Placed, begins: bool) {
        change_sums(&mut self.used, &placed.own_resources(), begins);
        self.borrowed.change(placed, begins);
    }

    pub fn take_out(&mut self, run: RunId, attempt: Attempt, tasks: &[TaskRange]) -> Option<WorkerId> {
        let placed = self.placed.get_mut(&(run, attempt))?;
        tasks.iter().for_each(|range| range.cut_out_of(&mut placed.tasks));
        let stolen_for = placed.stolen_for.take();
        if placed.tasks.is_empty() {
            self.close(run, attempt);
        }
        stolen_for
    }

    /// It has begun an assignment. What it doesn't have is of a run that was forgotten meanwhile; no worker begins so many of those
    /// that they have no bound, whatever it says.
    pub fn start(&mut self, run: RunId, attempt: Attempt, is_forgotten: bool) {
        let has_room = self.orphans() < self.slots().saturating_mul(1 + STRAYS_A_SLOT);
        match self.placed.get_mut(&(run, attempt)) {
            Some(placed) => self.started += u64::from(!std::mem::replace(&mut placed.is_started, true)),
            None if is_forgotten && has_room => self.orphans.begin((run, attempt)),
            None => {}
        }
    }

    pub fn steal(&mut self, run: RunId, attempt: Attempt, stolen_for: WorkerId) {
        if let Some(placed) = self.placed.get_mut(&(run, attempt)) {
            placed.stolen_for = Some(stolen_for);
        }
    }

    /// Ends what it has of a run, and gives it.
    pub fn forget(&mut self, run: RunId, above: &[RunId]) -> Vec<Placed> {
        self.holdings.forget(run);
        self.known.remove(&run);
        let of_run = self.placed.range((run, Attempt(0))..=(run, Attempt(u32::MAX)));
        let of_run: Vec<_> = of_run.map(|(&key, _)| key).collect();
        let close = |(run, attempt)| {
            let placed = self.close(run, attempt)?;
            if placed.is_started {
                self.orphans.add((run, attempt), placed.memory, above);
            }
            Some(placed)
        };
        of_run.into_iter().filter_map(close).collect()
    }
}

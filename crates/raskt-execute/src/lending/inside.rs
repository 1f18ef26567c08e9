//! The tasks that a thread is in, and what is said of them.

use crate::room::{Room, stack_left};
use crate::shared::Shared;
use crate::state::{Place, ThreadNumber};
use raskt_schedule::{RunId, Ticket};
use raskt_sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};

thread_local! {
    static HERE: Arc<Here> = Arc::default();
}

/// What a thread is in. Who has lent its slots knows it as well: a loan may end on another thread, and later than the task does.
#[derive(Default)]
pub(super) struct Here {
    /// The innermost last: a task may compute, on its engine or another.
    inside: Mutex<Vec<Inside>>,
    /// The engine whose thread this is, and its number there.
    home: Mutex<Option<Home>>,
    /// As long as it counts as one that isn't at work.
    paused: Mutex<Weak<Paused>>,
}

pub(super) type Home = (Arc<Shared>, ThreadNumber);

/// A task that a thread is in.
pub(super) struct Inside {
    pub shared: Arc<Shared>,
    pub place: Place,
    pub run: RunId,
    /// What the thread has picked.
    pub ticket: Option<Ticket>,
    pub lent: Lent,
    /// The slot, as long as it is lent to anybody.
    pub slot: Weak<LentSlot>,
    /// As long as it is said of it that it waits.
    pub waits: Weak<Waits>,
    /// Stack that was left when it began.
    stack: usize,
}

/// Whether the slot that a thread is in is given to others meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Lent {
    No,
    /// To a run for which it waits; when that ends it gets the slot back.
    To(RunId),
    /// For what isn't a run of its engine.
    ToAnybody,
    /// To a task that this thread runs at once, above it.
    ToNext,
}

/// The number of the next place.
static PLACES: AtomicU64 = AtomicU64::new(0);

pub(super) fn next_place() -> Place {
    PLACES.fetch_add(1, Ordering::Relaxed)
}

impl Here {
    /// That of the calling thread.
    pub fn get() -> Arc<Self> {
        HERE.with(Arc::clone)
    }

    /// Where the calling thread stands.
    pub fn inside<T>(look: impl FnOnce(&mut Vec<Inside>) -> T) -> T {
        HERE.with(|here| look(&mut here.inside.lock()))
    }

    /// What stands at `at`, if that is still the task of `place`.
    pub fn change_place(&self, at: usize, place: Place, change: impl FnOnce(&mut Inside)) {
        self.inside.lock().get_mut(at).filter(|inside| inside.place == place).map(change);
    }

    /// It isn't at work, as long as what this gives is there; nothing if it is no thread of an engine.
    pub fn pause(&self) -> Option<Arc<Paused>> {
        let mut paused = self.paused.lock();
        if let Some(paused) = paused.upgrade() {
            return Some(paused);
        }
        let begun = Arc::new(Paused::begin(self.home.lock().clone()?));
        *paused = Arc::downgrade(&begun);
        Some(begun)
    }

    /// The thread is in no task any more. Who still has lent something lends nothing of what comes.
    fn looks_for_work(&self) {
        *self.paused.lock() = Weak::new();
    }
}

/// A task.
#[derive(Clone)]
pub(super) struct At {
    here: Arc<Here>,
    /// Where it stands there.
    at: usize,
    pub place: Place,
    pub shared: Arc<Shared>,
}

impl At {
    pub fn new(here: &Arc<Here>, at: usize, inside: &Inside) -> Self {
        Self { here: here.clone(), at, place: inside.place, shared: inside.shared.clone() }
    }

    fn change(&self, change: impl FnOnce(&mut Inside)) {
        self.here.change_place(self.at, self.place, change);
    }
}

/// The slot of a task, which others have as long as this is there, and no longer than the task.
pub(super) struct LentSlot {
    pub task: At,
    is_back: AtomicBool,
}

impl LentSlot {
    pub fn new(task: At) -> Self {
        Self { task, is_back: AtomicBool::new(false) }
    }

    fn give_back(&self) {
        // What a fork comes with is the parent's.
        if self.is_back.swap(true, Ordering::Relaxed) || self.task.shared.is_left_behind() {
            return;
        }
        self.task.shared.store.lend(false);
        let _ = self.task.shared.change(|state| state.take_back_lent());
    }
}

impl Drop for LentSlot {
    fn drop(&mut self) {
        // Unless it is lent anew by now.
        let is_back = |inside: &Inside| inside.lent == Lent::ToAnybody && inside.slot.strong_count() == 0;
        self.task.change(|inside| inside.lent = if is_back(inside) { Lent::No } else { inside.lent });
        self.give_back();
    }
}

impl Inside {
    /// What it has lent to anybody, and what it isn't to lend any longer: its task is over, though somebody may keep the loan.
    fn lends_no_more(&mut self) -> Option<Arc<LentSlot>> {
        self.waits = Weak::new();
        let slot = std::mem::take(&mut self.slot).upgrade()?;
        if self.lent == Lent::ToAnybody {
            self.lent = Lent::No;
        }
        Some(slot)
    }
}

/// A task of which it is said that it waits: for as long, if it doesn't end before.
pub(super) struct Waits {
    pub task: At,
    pub ticket: Ticket,
}

impl Drop for Waits {
    fn drop(&mut self) {
        let Self { task: At { place, shared, .. }, ticket } = self;
        let _ = shared.change(|state| state.waits(*place, *ticket, false));
    }
}

/// A thread of an engine that isn't at work: another of its pool is, in its place.
pub(super) struct Paused {
    home: Home,
    place: Place,
}

impl Paused {
    pub fn begin(home: Home) -> Self {
        let place = next_place();
        let _ = home.0.change(|state| state.pool.set_waiting(home.1, place));
        Self { home, place }
    }
}

impl Drop for Paused {
    fn drop(&mut self) {
        let (shared, number) = &self.home;
        let _ = shared.change(|state| state.pool.set_going_on(*number, self.place));
    }
}

/// A fork within a task comes with what the thread was in. That is the parent's.
pub(super) fn is_here(inside: &Inside) -> bool {
    !inside.shared.is_left_behind()
}

/// While it lives, this thread runs tasks of an engine.
pub(crate) struct AtWork(());

impl AtWork {
    pub fn start(shared: &Arc<Shared>, run: RunId) -> Self {
        let begun = Inside {
            shared: shared.clone(),
            place: next_place(),
            run,
            ticket: None,
            lent: Lent::No,
            slot: Weak::new(),
            waits: Weak::new(),
            stack: stack_left(),
        };
        Here::inside(|inside| inside.push(begun));
        Self(())
    }

    /// The next tasks are those of `ticket`, of `run`.
    pub fn go_on_with(&self, run: RunId, ticket: Ticket) {
        let slot = Here::inside(|inside| {
            let last = inside.last_mut()?;
            (last.run, last.ticket) = (run, Some(ticket));
            last.lends_no_more()
        });
        if let Some(slot) = slot {
            slot.give_back();
        }
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let (mut ended, is_outermost) = Here::inside(|inside| (inside.pop(), inside.is_empty()));
        if let Some(slot) = ended.as_mut().and_then(Inside::lends_no_more) {
            slot.give_back();
        }
        if is_outermost {
            HERE.with(|here| here.looks_for_work());
        }
        drop(ended);
    }
}

/// While it lives, this thread runs a task in the slot of the one that it is in, which waits for it.
pub(crate) struct InSlot {
    /// Where that one stands.
    below: usize,
    at_work: Option<AtWork>,
}

impl InSlot {
    /// Nothing if the thread is in no task of `shared`, or in one of another engine above it, or has no room for another.
    pub fn begin(shared: &Arc<Shared>) -> Option<Self> {
        let in_slot = |inside: &Inside| Arc::ptr_eq(&inside.shared, shared) && inside.lent == Lent::No;
        if !Here::inside(|inside| inside.last().is_some_and(in_slot)) || room(shared) != Room::Ample {
            return None;
        }
        let lend = |inside: &mut Vec<Inside>| {
            let last = inside.last_mut()?;
            last.lent = Lent::ToNext;
            Some((inside.len() - 1, inside.last()?.run))
        };
        let (below, run) = Here::inside(lend)?;
        Some(Self { below, at_work: Some(AtWork::start(shared, run)) })
    }
}

impl Drop for InSlot {
    fn drop(&mut self) {
        self.at_work = None;
        set_lent(self.below, Lent::No);
    }
}

/// Whether this thread has room for tasks of `shared` above those that it is in.
pub(super) fn room(shared: &Shared) -> Room {
    let is_free = || shared.recovery.runners.have_room();
    let outermost = |inside: &Vec<Inside>| inside.first().map_or(usize::MAX, |outermost| outermost.stack);
    let (depth, outermost) = Here::inside(|inside| (inside.len(), outermost(inside)));
    Room::here(depth, outermost, is_free)
}

/// This thread is the one of `number` in the pool of `shared`.
pub(crate) fn settle_at(shared: &Arc<Shared>, number: ThreadNumber) {
    HERE.with(|here| *here.home.lock() = Some((shared.clone(), number)));
}

/// The run of `shared` whose task this thread is in, the innermost.
pub(crate) fn run_of(shared: &Arc<Shared>) -> Option<RunId> {
    let is_own = |inside: &&Inside| Arc::ptr_eq(&inside.shared, shared);
    Here::inside(|inside| inside.iter().rev().find(is_own).map(|inside| inside.run))
}

/// Where the slots of this thread stand that aren't lent, and that are of `shared`; they are lent to `run` from now on.
pub(super) fn mark_lent_to(run: RunId, shared: &Arc<Shared>) -> Vec<usize> {
    let is_unlent = |inside: &Inside| inside.lent == Lent::No && !inside.shared.is_left_behind();
    let is_meant = |inside: &Inside| is_unlent(inside) && Arc::ptr_eq(&inside.shared, shared);
    let mark = |(at, inside): (usize, &mut Inside)| {
        inside.lent = Lent::To(run);
        at
    };
    Here::inside(|all| all.iter_mut().enumerate().filter(|(_, inside)| is_meant(inside)).map(mark).collect())
}

/// The places of this thread whose slots are lent to runs of `shared`, but `run`.
pub(super) fn lent_to_others(shared: &Arc<Shared>, run: RunId) -> Vec<(usize, RunId)> {
    let to_another = |(at, inside): (usize, &Inside)| match inside.lent {
        Lent::To(other) if other != run && Arc::ptr_eq(&inside.shared, shared) => Some((at, other)),
        _ => None,
    };
    Here::inside(|inside| inside.iter().enumerate().filter_map(to_another).collect())
}

pub(super) fn set_lent(at: usize, lent: Lent) {
    Here::inside(|inside| {
        if let Some(inside) = inside.get_mut(at) {
            inside.lent = lent;
        }
    });
}

//! Tasks that wait for tasks.
//!
//! A task that waits gives its slot to others, or those that it waits for might never start. What it waits for goes first
//! ([`raskt_schedule`] puts the runs that tasks submit before those tasks' own), and the thread runs it itself as far as it is
//! at hand: so a waiting task costs no second thread, and ten thousand of them no ten thousand threads. Only while there is
//! nothing at hand does the thread wait, and another one is at work in its place.

use crate::execution::Execution;
use crate::room::{Room, stack_left};
use crate::shared::Shared;
use crate::state::{Place, State, ThreadNumber};
use crate::waited::Pause;
use raskt_graph::OpKind;
use raskt_schedule::{RunId, Ticket};
use std::cell::{Cell, RefCell};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

thread_local! {
    /// The runs whose tasks this thread is in, the innermost last: a task may compute, on its engine or another.
    static INSIDE: RefCell<Vec<Inside>> = const { RefCell::new(vec![]) };
    /// The engine whose thread this is, and its number there.
    static HOME: RefCell<Option<Home>> = const { RefCell::new(None) };
    /// Whether this thread counts as one that isn't at work.
    static IS_PAUSED: Cell<bool> = const { Cell::new(false) };
}

type Home = (Arc<Shared>, ThreadNumber);

struct Inside {
    shared: Arc<Shared>,
    place: Place,
    run: RunId,
    /// What the thread has picked.
    ticket: Option<Ticket>,
    lent: Lent,
    /// It is said of it that it waits.
    waits: bool,
    /// Stack that was left when it began.
    stack: usize,
}

/// Whether the slot that a thread is in is given to others meanwhile.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Lent {
    No,
    /// To a run for which it waits; when that ends it gets the slot back.
    To(RunId),
    /// For what isn't a run of its engine.
    ToAnybody,
    /// The same, though the task goes on, and isn't to be taken for one that waits before it says so.
    Seceded,
    /// To a task that this thread runs at once, above it.
    ToNext,
}

/// The number of the next place.
static PLACES: AtomicU64 = AtomicU64::new(0);

/// How often a caller of an engine without threads looks for work while another caller is at it.
const GLANCE: Duration = Duration::from_millis(1);

/// How often those who wait look whether time has passed, or the store has something to do, where the system gives the engine or
/// the store no thread that would.
pub(crate) const GLANCES: Duration = Duration::from_millis(100);

/// While it lives, this thread runs tasks of an engine.
pub(crate) struct AtWork(());

impl AtWork {
    pub fn start(shared: &Arc<Shared>, run: RunId) -> Self {
        let (ticket, lent, waits, stack) = (None, Lent::No, false, stack_left());
        let place = PLACES.fetch_add(1, Ordering::Relaxed);
        let begun = Inside { shared: shared.clone(), place, run, ticket, lent, waits, stack };
        INSIDE.with_borrow_mut(|inside| inside.push(begun));
        Self(())
    }

    /// The next tasks are those of `ticket`, of `run`.
    pub fn go_on_with(&self, run: RunId, ticket: Ticket) {
        INSIDE.with_borrow_mut(|inside| {
            if let Some(last) = inside.last_mut() {
                (last.run, last.ticket) = (run, Some(ticket));
            }
        });
    }
}

impl Drop for AtWork {
    fn drop(&mut self) {
        let ended = INSIDE.with_borrow_mut(Vec::pop);
        drop(ended);
    }
}

/// While it lives, this thread runs a task in the slot of the one that it is in, which waits for it.
pub(crate) struct InSlot {
    /// Where that one stands among [`INSIDE`].
    below: usize,
    at_work: Option<AtWork>,
}

impl InSlot {
    /// Nothing if the thread is in no task of `shared`, or in one of another engine above it, or has no room for another.
    pub fn begin(shared: &Arc<Shared>) -> Option<Self> {
        let in_slot = |inside: &Inside| Arc::ptr_eq(&inside.shared, shared) && inside.lent == Lent::No;
        let is_in_slot = || INSIDE.with_borrow(|inside| inside.last().is_some_and(in_slot));
        if !is_in_slot() || room(shared) != Room::Ample {
            return None;
        }
        let lend = |inside: &mut Vec<Inside>| {
            let last = inside.last_mut()?;
            last.lent = Lent::ToNext;
            Some((inside.len() - 1, inside.last()?.run))
        };
        let (below, run) = INSIDE.with_borrow_mut(lend)?;
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
fn room(shared: &Shared) -> Room {
    let is_free = || shared.recovery.runners.have_room();
    let (depth, outermost) =
        INSIDE.with_borrow(|inside| (inside.len(), inside.first().map_or(usize::MAX, |outermost| outermost.stack)));
    Room::here(depth, outermost, is_free)
}

/// This thread is the one of `number` in the pool of `shared`.
pub(crate) fn settle_at(shared: &Arc<Shared>, number: ThreadNumber) {
    HOME.set(Some((shared.clone(), number)));
}

/// The run of `shared` whose task this thread is in, the innermost.
pub(crate) fn run_of(shared: &Arc<Shared>) -> Option<RunId> {
    INSIDE.with_borrow(|inside| {
        inside.iter().rev().find(|inside| Arc::ptr_eq(&inside.shared, shared)).map(|inside| inside.run)
    })
}

/// Slots that this thread has given to others, of tasks that it is in.
#[derive(Default)]
pub(crate) struct Loan {
    lent: Vec<LentSlot>,
    /// Those of which it is said that they wait.
    waits: Vec<Waits>,
    paused: Option<Home>,
    /// For a loan that isn't a part of another wait.
    wait: Option<Pause>,
}

/// The slot of a task, which may end before the loan does.
struct LentSlot {
    /// Where it stands among [`INSIDE`].
    at: usize,
    place: Place,
    shared: Arc<Shared>,
    has_seceded: bool,
}

/// A task of which it is said that it waits: for as long, if it doesn't end before.
struct Waits {
    /// Where it stands among [`INSIDE`].
    at: usize,
    place: Place,
    shared: Arc<Shared>,
    ticket: Ticket,
}

impl Loan {
    /// Gives all slots of this thread to others, which waits from now on for what these bring about.
    pub fn of_all() -> Option<Self> {
        let mut loan = Self::of_slots().unwrap_or_default();
        for waits in mark_waiting() {
            let _ = waits.shared.change(|state| state.waits(waits.place, waits.ticket, true));
            loan.waits.push(waits);
        }
        (!loan.is_none() || !loan.waits.is_empty()).then_some(loan)
    }

    /// Gives all slots of this thread to others, which waits from now on: for what this process does, as far as is known.
    pub fn of_slots() -> Option<Self> {
        Self::with(Lent::ToAnybody)
    }

    /// Gives all slots of this thread to others, and goes on.
    pub fn of_seceded() -> Option<Self> {
        Self::with(Lent::Seceded)
    }

    fn with(lent: Lent) -> Option<Self> {
        let mut loan = Self::default();
        loan.wait = Some(Pause::begin());
        loan.lend_all(None, lent);
        loan.pause();
        (!loan.is_none()).then_some(loan)
    }

    /// Whether no slot is lent.
    pub fn is_none(&self) -> bool {
        self.lent.is_empty() && self.paused.is_none()
    }

    /// Gives all slots of this thread to others, but that of `own`, which is lent otherwise.
    fn lend_all(&mut self, own: Option<&Arc<Shared>>, lent: Lent) {
        let has_seceded = lent == Lent::Seceded;
        for (at, place, shared) in mark_lent(lent, |shared| own.is_none_or(|own| !Arc::ptr_eq(shared, own))) {
            shared.store.lend(true);
            let _ = shared.change(|state| state.lend(place, has_seceded));
            self.lent.push(LentSlot { at, place, shared, has_seceded });
        }
    }

    /// This thread isn't at work until [`Self::resume`]: another of its pool is, in its place.
    fn pause(&mut self) {
        if self.paused.is_some() {
            return;
        }
        let home = HOME.with_borrow(Clone::clone).filter(|_| !IS_PAUSED.replace(true));
        if let Some((home, number)) = &home {
            let _ = home.change(|state| state.pool.set_waiting(*number, true));
        }
        self.paused = home;
    }

    fn resume(&mut self) {
        if let Some((home, number)) = self.paused.take() {
            IS_PAUSED.set(false);
            let _ = home.change(|state| state.pool.set_waiting(number, false));
        }
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.resume();
        for Waits { at, place, shared, ticket } in std::mem::take(&mut self.waits) {
            let _ = shared.change(|state| state.waits(place, ticket, false));
            change_place(at, place, |inside| inside.waits = false);
        }
        for LentSlot { at, place, shared, has_seceded } in std::mem::take(&mut self.lent) {
            change_place(at, place, |inside| inside.lent = Lent::No);
            shared.store.lend(false);
            let _ = shared.change(|state| state.take_back_lent(place, has_seceded));
        }
    }
}

/// The places of this thread whose slots aren't lent and whose engine `is_one` of those; they are `lent` from now on.
fn mark_lent(lent: Lent, is_one: impl Fn(&Arc<Shared>) -> bool) -> Vec<(usize, Place, Arc<Shared>)> {
    INSIDE.with_borrow_mut(|inside| {
        // A fork within a task comes with what the thread was in. That is the parent's.
        let is_unlent = |inside: &Inside| inside.lent == Lent::No && !inside.shared.is_left_behind();
        let unlent = inside.iter_mut().enumerate().filter(|(_, inside)| is_unlent(inside) && is_one(&inside.shared));
        let mark = |(at, inside): (usize, &mut Inside)| {
            inside.lent = lent;
            (at, inside.place, inside.shared.clone())
        };
        unlent.map(mark).collect()
    })
}

/// The places of this thread of which it isn't said that they wait, with what it has picked there; it is said from now on.
fn mark_waiting() -> Vec<Waits> {
    INSIDE.with_borrow_mut(|inside| {
        // Of those that wait for a run it is known already.
        let is_lent = |inside: &Inside| matches!(inside.lent, Lent::ToAnybody | Lent::Seceded);
        let quiet = |inside: &Inside| !inside.waits && is_lent(inside) && !inside.shared.is_left_behind();
        let quiet = inside.iter_mut().enumerate().filter(|(_, inside)| quiet(inside));
        let mark = |(at, inside): (usize, &mut Inside)| {
            let ticket = inside.ticket?;
            inside.waits = true;
            Some(Waits { at, place: inside.place, shared: inside.shared.clone(), ticket })
        };
        quiet.filter_map(mark).collect()
    })
}

/// The places of this thread whose slots are lent to runs of `shared`, but `run`.
fn lent_to_others(shared: &Arc<Shared>, run: RunId) -> Vec<(usize, RunId)> {
    INSIDE.with_borrow(|inside| {
        let of_engine = inside.iter().enumerate().filter(|(_, inside)| Arc::ptr_eq(&inside.shared, shared));
        let lent = of_engine.filter_map(|(at, inside)| match inside.lent {
            Lent::To(other) if other != run => Some((at, other)),
            _ => None,
        });
        lent.collect()
    })
}

/// The same if this thread is there, and still in that task.
fn change_place(at: usize, place: Place, change: impl FnOnce(&mut Inside)) {
    INSIDE.with_borrow_mut(|inside| inside.get_mut(at).filter(|inside| inside.place == place).map(change));
}

fn set_lent(at: usize, lent: Lent) {
    INSIDE.with_borrow_mut(|inside| {
        if let Some(inside) = inside.get_mut(at) {
            inside.lent = lent;
        }
    });
}

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
        let lent = mark_lent(Lent::To(self.run), |shared| Arc::ptr_eq(shared, self.shared));
        let count = lent.len() as u32;
        self.places.extend(lent.into_iter().map(|(at, ..)| (at, Lent::No)));
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
        self.others.lend_all(Some(self.shared), Lent::ToAnybody);
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

//! Slots that tasks give to others.

use super::inside::{At, Here, Inside, Lent, LentSlot, Paused, Waits, is_here};
use crate::shared::Shared;
use crate::waited::Pause;
use std::sync::Arc;

/// Slots of a thread that others have, of the tasks that it is in. Several loans of one slot may end in any order, on any thread, and
/// after its task: with the last the slot is back, or with the task.
#[derive(Default)]
pub(crate) struct Loan {
    lent: Vec<Arc<LentSlot>>,
    /// Whether some of them weren't lent before.
    has_own: bool,
    /// Whether their tasks go on.
    secedes: bool,
    /// Those of which it is said that they wait.
    waits: Vec<Arc<Waits>>,
    paused: Option<Arc<Paused>>,
    /// For a loan that isn't a part of another wait.
    wait: Option<Pause>,
}

impl Loan {
    /// Gives all slots of this thread to others, which waits from now on for what these bring about.
    pub fn of_all() -> Option<Self> {
        let mut loan = Self::of_slots().unwrap_or_default();
        for (waits, is_new) in mark_waiting() {
            let Waits { task: At { shared, place, .. }, ticket } = &*waits;
            if is_new {
                let _ = shared.change(|state| state.waits(*place, *ticket, true));
            }
            loan.waits.push(waits);
        }
        (!loan.is_none() || !loan.waits.is_empty()).then_some(loan)
    }

    /// Gives all slots of this thread to others, which waits from now on: for what this process does, as far as is known.
    pub fn of_slots() -> Option<Self> {
        Self::with(false)
    }

    /// Gives all slots of this thread to others, and goes on: its tasks aren't to be taken for some that wait before they say so.
    pub fn of_seceded() -> Option<Self> {
        Self::with(true)
    }

    fn with(secedes: bool) -> Option<Self> {
        let mut loan = Self::default();
        (loan.wait, loan.secedes) = (Some(Pause::begin()), secedes);
        loan.lend_all(None);
        loan.pause();
        (!loan.is_none()).then_some(loan)
    }

    /// Whether it gives no slot.
    pub fn is_none(&self) -> bool {
        self.lent.is_empty() && self.paused.is_none()
    }

    /// Whether it gives one that wasn't given before.
    pub fn has_own(&self) -> bool {
        self.has_own
    }

    /// Gives all slots of this thread to others. That of `own` is lent otherwise: unless others have it already, and then for as long.
    pub fn lend_all(&mut self, own: Option<&Arc<Shared>>) {
        for (slot, is_own) in mark_lent(own) {
            let At { place, shared, .. } = &slot.task;
            if is_own {
                shared.store.lend(true);
            }
            let _ = shared.change(|state| state.lend(is_own, self.secedes.then_some(*place)));
            self.has_own |= is_own;
            self.lent.push(slot);
        }
    }

    /// This thread isn't at work until [`Self::resume`].
    pub fn pause(&mut self) {
        if self.paused.is_none() {
            self.paused = Here::get().pause();
        }
    }

    pub fn resume(&mut self) {
        self.paused = None;
    }
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.resume();
        self.waits.clear();
        for slot in std::mem::take(&mut self.lent) {
            let At { place, shared, .. } = &slot.task;
            if self.secedes {
                let _ = shared.change(|state| state.rejoins(*place));
            }
        }
    }
}

/// The slots of this thread that aren't lent to runs, those of `own` only if they are lent; whether they weren't lent before. They are from
/// now on.
fn mark_lent(own: Option<&Arc<Shared>>) -> Vec<(Arc<LentSlot>, bool)> {
    let here = Here::get();
    let mark = |(at, inside): (usize, &mut Inside)| {
        if let Some(slot) = inside.slot.upgrade() {
            return Some((slot, false));
        }
        // One that is just coming back may still be said to be lent.
        let is_free = matches!(inside.lent, Lent::No | Lent::ToAnybody);
        if !is_free || own.is_some_and(|own| Arc::ptr_eq(&inside.shared, own)) {
            return None;
        }
        let slot = Arc::new(LentSlot::new(At::new(&here, at, inside)));
        (inside.lent, inside.slot) = (Lent::ToAnybody, Arc::downgrade(&slot));
        Some((slot, true))
    };
    Here::inside(|all| all.iter_mut().enumerate().filter(|(_, inside)| is_here(inside)).filter_map(mark).collect())
}

/// The places of this thread whose slots others have, with what it has picked there, and of which it is said from now on that they wait;
/// whether it wasn't before.
fn mark_waiting() -> Vec<(Arc<Waits>, bool)> {
    let here = Here::get();
    // Of those that wait for a run it is known already.
    let is_meant = |inside: &Inside| inside.lent == Lent::ToAnybody && is_here(inside);
    let mark = |(at, inside): (usize, &mut Inside)| {
        if let Some(waits) = inside.waits.upgrade() {
            return Some((waits, false));
        }
        let waits = Arc::new(Waits { ticket: inside.ticket?, task: At::new(&here, at, inside) });
        inside.waits = Arc::downgrade(&waits);
        Some((waits, true))
    };
    Here::inside(|all| all.iter_mut().enumerate().filter(|(_, inside)| is_meant(inside)).filter_map(mark).collect())
}

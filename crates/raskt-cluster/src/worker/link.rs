//! What the parts of a worker have in common: the way to the scheduler, and how it ends.

use crate::driver::Outbox;
use crate::message::FromWorker;
use crate::session::SendError;
use bytes::Bytes;
use raskt_schedule::Offer;
use raskt_sync::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long is waited at a time for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Says what the scheduler waits for, however long it takes to be said: for a thread that may wait. What isn't said then never can be; and
/// a scheduler whose session is over waits no more.
pub(super) fn say(outbox: &Outbox<FromWorker>, message: &FromWorker, bulk: &[Bytes]) -> Result<(), SendError> {
    loop {
        match outbox.send_waiting(message, bulk.to_vec(), PATIENCE) {
            Err(SendError::Full { .. }) => {}
            Err(SendError::Closed) => return Ok(()),
            said => return said,
        }
    }
}

/// Answers what the scheduler has asked for: in the session in which it has, if there is one.
pub(super) fn answer(outbox: Option<&Outbox<FromWorker>>, message: &FromWorker, bulk: &[Bytes]) {
    if let Some(Err(error)) = outbox.map(|outbox| say(outbox, message, bulk)) {
        tracing::error!("the scheduler can't be answered: {error}");
    }
}

/// The way to the scheduler: to the one that there is, and to the one that takes its place.
#[derive(Default)]
pub(super) struct Link(Mutex<Ways>);

#[derive(Default)]
struct Ways {
    current: Option<Outbox<FromWorker>>,
    next: Option<(Outbox<FromWorker>, Offer)>,
    lineage: Option<[u8; 16]>,
    /// It couldn't be said that the worker leaves.
    owes_leave: bool,
    /// Another one takes its place when it has left.
    returns: bool,
    /// It leaves.
    leaves: bool,
}

impl Link {
    pub fn set(&self, outbox: Outbox<FromWorker>) {
        self.0.lock().current = Some(outbox);
    }

    /// What tells what the scheduler has handed out from what any other has.
    pub fn is_of(&self, lineage: [u8; 16]) {
        self.0.lock().lineage = Some(lineage);
    }

    /// The same, once the scheduler has said so.
    pub fn lineage(&self) -> Option<[u8; 16]> {
        self.0.lock().lineage
    }

    /// The way that there is.
    pub fn outbox(&self) -> Option<Outbox<FromWorker>> {
        self.0.lock().current.clone()
    }

    /// Another worker takes the place of this one when it has left.
    pub fn will_return(&self) {
        self.0.lock().returns = true;
    }

    /// The worker leaves from now on.
    pub fn leave(&self) {
        self.0.lock().leaves = true;
    }

    pub fn is_leaving(&self) -> bool {
        self.0.lock().leaves
    }

    /// How it is said that the worker leaves.
    pub fn leaves(&self) -> FromWorker {
        FromWorker::Leaves { returns: self.0.lock().returns }
    }

    /// The scheduler has taken nothing when it was to hear that the worker leaves: it hears that before what it is told next.
    pub fn owe_leave(&self) {
        self.0.lock().owes_leave = true;
    }

    /// Whether that is to be said now.
    pub fn takes_leave(&self) -> bool {
        std::mem::take(&mut self.0.lock().owes_leave)
    }

    /// There will be another way, as soon as all is said that belongs to this one.
    pub fn prepare(&self, outbox: Outbox<FromWorker>, offer: Offer) {
        self.0.lock().next = Some((outbox, offer));
    }

    /// Takes the other way from now on.
    pub fn change(&self) -> Option<(Outbox<FromWorker>, Offer)> {
        let mut ways = self.0.lock();
        let next = ways.next.take()?;
        ways.current = Some(next.0.clone());
        Some(next)
    }
}

/// Why it is over, once it is.
#[derive(Default)]
pub(super) struct Ended {
    why: Mutex<Option<String>>,
    changed: Condvar,
    /// Somebody starts another one when it is over.
    is_looked_after: AtomicBool,
}

impl Ended {
    /// Whether another one would be started.
    pub fn begins_anew(&self) -> bool {
        self.is_looked_after.load(Ordering::Relaxed)
    }

    /// Another one is started when it is over.
    pub fn look_after(&self) {
        self.is_looked_after.store(true, Ordering::Relaxed);
    }

    /// It is over.
    pub fn tell(&self, why: impl Into<String>) {
        self.why.lock().get_or_insert_with(|| why.into());
        self.changed.notify_all();
    }

    /// Why it is over, if it is within `patience`.
    pub fn wait(&self, patience: Duration) -> Option<String> {
        let mut why = self.why.lock();
        if why.is_none() {
            why = self.changed.wait_for(why, patience).0;
        }
        why.clone()
    }
}

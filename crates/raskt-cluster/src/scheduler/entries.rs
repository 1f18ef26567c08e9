//! Who has come: sessions with clients and workers.

use super::failures::ToldFailures;
use crate::driver::{Outbox, Ticket};
use crate::hello::Identity;
use crate::message::{ToClient, ToWorker, WorkerInfo};
use bytes::Bytes;
use raskt_graph::Resources;
use raskt_schedule::coordination::Session;
use raskt_schedule::{RunId, TaskRange, Time};
use std::cell::RefCell;
use std::collections::{BTreeMap, BTreeSet};

/// A client.
pub(super) struct ClientEntry {
    pub identity: Identity,
    pub outbox: Outbox<ToClient>,
    /// Its number is lost with a power failure at no time.
    pub is_durable: bool,
    /// Runs that are in the journal, and it hasn't been told so.
    pub taken: Vec<RunId>,
    /// What it has said that it still wants, until it has said all.
    pub has: BTreeMap<RunId, Option<Vec<TaskRange>>>,
    /// Under which it shares things by name.
    pub session: Session,
    /// Failures that it knows.
    pub told: RefCell<ToldFailures>,
    /// What it has said, and doesn't count as taken as long as it is behind with what it is owed.
    pub held: Vec<Ticket>,
}

/// Who is owed more bytes than these is behind: of a client no more than a window is taken until it has caught up.
const BEHIND_BYTES: u64 = 128 << 20;

impl ClientEntry {
    /// What is too much for its window waits for it. A client that takes nothing loses its session rather than others their memory.
    pub fn send(&self, message: &ToClient) {
        self.send_with(message, vec![]);
    }

    /// The same with what goes along.
    pub fn send_with(&self, message: &ToClient, bulk: Vec<Bytes>) {
        let short = self.told.borrow_mut().told(message);
        if let Err(error) = self.outbox.owe(short.as_ref().unwrap_or(message), bulk)
            && self.outbox.lost().is_none()
        {
            tracing::warn!("a client can't be told: {error}");
            self.outbox.close();
        }
    }

    /// A run isn't known any more, and nothing that failed in it is referred to.
    pub fn forget_failures(&self, run: RunId) {
        let has_to_hear = self.told.borrow_mut().forget(run);
        if has_to_hear {
            self.send(&ToClient::FailuresForgotten { run });
        }
    }

    /// Whether it is owed more than it should say anything beside.
    pub fn is_behind(&self) -> bool {
        self.outbox.outstanding_bytes() > BEHIND_BYTES
    }
}

/// A worker.
pub(super) struct WorkerEntry {
    pub outbox: Outbox<ToWorker>,
    /// Under which it shares things by name.
    pub session: Session,
    pub name: String,
    /// How it calls itself: it is called so as soon as no other is.
    pub own_name: String,
    pub addresses: Vec<String>,
    pub identity: Identity,
    /// Once it has joined.
    pub info: Option<WorkerInfo>,
    /// What it offers beside slots and memory.
    pub resources: Resources,
    /// When it came, and was heard of last.
    pub joined_at: Time,
    pub heard_at: Time,
    /// It gets nothing more to do.
    pub is_retiring: bool,
    /// It has said that it goes, whatever anybody else wants of it.
    pub leaves: bool,
    /// Another one takes its place then.
    pub returns: bool,
    /// The way to it is gone: it gets nothing to do until it is back, or lost.
    pub is_away: bool,
    /// How often it was asked to say when its plugins keep tasks waiting no longer, and which of these it has answered last: it gets
    /// nothing to do until then.
    pub preparations: (u64, u64),
    /// The slots and the memory that it has.
    pub offers: (u32, u64),
    /// Runs whose graphs it has.
    pub knows: BTreeSet<RunId>,
    /// What it has from before, until the machine is told.
    pub kept: Vec<(RunId, Vec<(TaskRange, u64)>)>,
    /// Of how many slots it has said that they are taken by what it still runs from before, known here or not.
    pub adrift: u32,
    /// What of that is known, until then.
    pub runs_on: Vec<(RunId, Vec<TaskRange>)>,
    /// Slots and memory that it has, while the machine is told of none.
    pub withheld: Option<(u32, u64)>,
}

impl WorkerEntry {
    /// What is too much for its window waits for it. A worker that takes nothing is lost rather than others' memory.
    pub fn send(&self, message: &ToWorker, bulk: Vec<Bytes>) {
        if let Err(error) = self.outbox.owe(message, bulk)
            && self.outbox.lost().is_none()
        {
            tracing::warn!("a worker can't be told: {error}");
            self.outbox.close();
        }
    }

    /// Whether data may be put there.
    pub fn takes_data(&self) -> bool {
        self.is_in() && !self.is_retiring && !self.is_away && !self.is_preparing()
    }

    /// Whether plugins are being set up there.
    pub fn is_preparing(&self) -> bool {
        self.preparations.0 != self.preparations.1
    }

    /// Has it say when plugins that it was told of keep tasks waiting no longer.
    pub fn prepare(&mut self) {
        self.preparations.0 += 1;
        self.send(&ToWorker::Prepare { number: self.preparations.0 }, vec![]);
    }

    /// The slots that it is to be given work for.
    pub fn slots(&self) -> u32 {
        if self.is_retiring || self.is_away || self.is_preparing() { 0 } else { self.offers.0 }
    }

    /// Whether it has joined.
    pub fn is_in(&self) -> bool {
        self.info.is_some()
    }
}

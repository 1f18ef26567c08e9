//! Who has come: sessions with clients and workers.

use crate::driver::Outbox;
use crate::hello::Identity;
use crate::message::{ToClient, ToWorker, WorkerInfo};
use bytes::Bytes;
use raskt_graph::Resources;
use raskt_schedule::coordination::Session;
use raskt_schedule::{RunId, TaskRange, Time};
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
}

impl ClientEntry {
    /// A client that takes nothing loses its session rather than others their memory.
    pub fn send(&self, message: &ToClient) {
        self.send_with(message, vec![]);
    }

    /// The same with what goes along.
    pub fn send_with(&self, message: &ToClient, bulk: Vec<Bytes>) {
        if let Err(error) = self.outbox.send(message, bulk) {
            tracing::warn!("a client can't be told: {error}");
            self.outbox.close();
        }
    }
}

/// A worker.
pub(super) struct WorkerEntry {
    pub outbox: Outbox<ToWorker>,
    /// Under which it shares things by name.
    pub session: Session,
    pub name: String,
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
    /// Runs whose graphs it has.
    pub knows: BTreeSet<RunId>,
    /// What it has from before, until the machine is told.
    pub kept: Vec<(RunId, Vec<(TaskRange, u64)>)>,
    /// Slots and memory that it has, while the machine is told of none.
    pub withheld: Option<(u32, u64)>,
}

impl WorkerEntry {
    /// A worker that takes nothing is lost rather than others' memory.
    pub fn send(&self, message: &ToWorker, bulk: Vec<Bytes>) {
        if let Err(error) = self.outbox.send(message, bulk) {
            tracing::warn!("a worker can't be told: {error}");
            self.outbox.close();
        }
    }

    /// Whether data may be put there.
    pub fn takes_data(&self) -> bool {
        self.is_in() && !self.is_retiring
    }

    /// Whether it has joined.
    pub fn is_in(&self) -> bool {
        self.info.is_some()
    }
}

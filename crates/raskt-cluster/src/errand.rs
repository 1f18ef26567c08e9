//! Errands: what somebody has workers do beside their tasks.
//!
//! An errand is bytes that only the face of a worker understands. The scheduler hands it to each worker that is named, and passes on
//! what each gives, or why it gives nothing. Errands take no slot: they are done also while all tasks wait, or one holds on. They go
//! neither in order nor again: one whose worker leaves has failed.

use crate::failure::ErrorForm;
use raskt_schedule::WorkerId;
use serde::{Deserialize, Serialize};

/// What an errand, and what a worker gives for one, may have of bytes: with the rest it fits into a frame. Data is better a task's.
pub const ERRAND_BYTES_MAX: usize = 48 << 20;

/// Bytes of messages that a peer hasn't taken when another errand is sent to it, at most with that: the rest of its window is for what
/// has to arrive.
pub(crate) const ERRANDS_UNTAKEN_BYTES: u64 = 96 << 20;

/// Errands of a client that aren't over, at most; each counts for each of its workers.
pub(crate) const ERRANDS_OF_A_CLIENT: usize = 1 << 14;

/// An errand on its way to the scheduler; its bytes are the one piece of bulk.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Errand {
    /// A number that its client hasn't used.
    pub number: u64,
    /// Who is to do it.
    pub workers: Vec<WorkerId>,
}

/// How an errand has ended.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrandEnd {
    /// It is done; what it gives is the one piece of bulk.
    Done,
    /// It was begun, and has failed.
    Failed(ErrorForm),
    /// Nobody knows how far it came.
    Lost(String),
    /// It wasn't begun.
    Refused(String),
}

/// What the face of a worker is to do.
#[derive(Clone, Copy, Debug)]
pub struct ErrandCall<'a> {
    /// The worker whose errand it is: there may be several in a process.
    pub worker: WorkerId,
    /// What is to be done.
    pub bytes: &'a [u8],
}

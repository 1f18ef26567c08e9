//! The network between the nodes.
//!
//! There are two ways to talk, as there will be in a cluster:
//!
//! - A **session** ([`Session`]) carries messages between the scheduler and a worker or client. It numbers, confirms and
//!   repeats them, so that they arrive once and in order for as long as both sides live and hear of each other within
//!   the lease. Lost, doubled and overtaken packets end here; the machines never see them. What they do see: any
//!   delay, and the end of a session, which is the loss of a worker or a client.
//! - A **datagram** is a single packet, lost if it gets lost: signs of life, and reads of results from other workers, which
//!   are asked for again after a while and fail after a few times.

mod session;
mod wires;

pub(crate) use session::Session;
pub(crate) use wires::Wires;

use crate::context::Address;
use raskt_graph::TaskId;
use raskt_schedule::{Assignment, Attempt, Offer, Report, RunId, StallCause, TaskRange, WorkerId};
use std::rc::Rc;

#[derive(Clone, Debug)]
pub(crate) struct Packet {
    pub from: Address,
    pub to: Address,
    pub body: Body,
}

#[derive(Clone, Debug)]
pub(crate) enum Body {
    /// A message of a session, by number.
    Data { sequence: u64, message: Rc<Message> },
    /// All messages before `expects` have arrived.
    Ack { expects: u64 },
    /// The sender lives.
    Ping,
    /// The session that the other side thinks it has doesn't exist.
    Reset,
    /// Results are asked for.
    Fetch { fetch: u64, run: RunId, tasks: Rc<[TaskId]> },
    /// Their digests are given, as far as they are there.
    Fetched { fetch: u64, values: Vec<(TaskId, Option<u64>)> },
    /// The process that was asked is no more.
    Refused { fetch: u64 },
}

/// What sessions carry.
#[derive(Clone, Debug)]
#[rustfmt::skip]
pub(crate) enum Message {
    // Worker to scheduler.
    JoinWorker { offer: Offer },
    Resize { slots: u32, memory: u64 },
    Started { run: RunId, attempt: Attempt },
    Fetched { run: RunId, tasks: Vec<TaskRange> },
    FetchFailed { run: RunId, attempt: Attempt, input_run: RunId, task: TaskId, from: WorkerId, reached: bool },
    Report(Report),
    Recalled { run: RunId, attempt: Attempt, tasks: Vec<TaskRange> },
    /// Data that a client gave is here.
    Held { run: RunId, tasks: Vec<TaskRange> },
    /// What one has that comes back.
    Kept { run: RunId, tasks: Vec<(TaskRange, u64)> },
    /// Results can't be read any more.
    ResultsLost { run: RunId, tasks: Vec<TaskRange> },
    /// A task submits a run, lends its slot while it waits for it, and takes it back before the end if it is given up.
    SubmitNested { run: RunId, parent: RunId },
    Lend { run: RunId },
    TakeBackLent { run: RunId },
    // Scheduler to worker.
    Assign(Assignment),
    Recall { run: RunId, attempt: Attempt, tasks: Vec<TaskRange> },
    /// Data that a client gives.
    Hold { run: RunId, tasks: Vec<TaskRange> },
    Discard { run: RunId, tasks: Vec<TaskRange>, inventory_version: u64 },
    Forget { run: RunId },
    /// A run that a task waits for has ended.
    Ended { run: RunId },
    // Client to scheduler.
    JoinClient,
    Submit { run: RunId },
    Want { run: RunId, tasks: Vec<TaskRange> },
    Unwant { run: RunId, tasks: Vec<TaskRange> },
    /// Failed tasks are to be run again.
    Retry { run: RunId, tasks: Vec<TaskRange> },
    Release { run: RunId },
    /// A result couldn't be read where it was said to be.
    Where { run: RunId },
    // Scheduler to client.
    Finished { run: RunId, holders: Vec<(TaskId, WorkerId)>, failed: Vec<TaskId> },
    Failed { run: RunId, root: RunId, task: TaskId, killed: bool },
    /// Single results are there, or aren't any more, or never will be.
    Available { run: RunId, holders: Vec<(TaskId, WorkerId)> },
    Unavailable { run: RunId, tasks: Vec<TaskRange> },
    TasksFailed { run: RunId, tasks: Vec<TaskRange> },
    /// What a run imports isn't there any more.
    Refused { run: RunId },
    /// The data of the run is in a worker.
    Scattered { run: RunId },
    /// The data of the run is gone.
    Lost { run: RunId },
    /// The run can't go on, and why; or it can again.
    Stalled { run: RunId, cause: StallCause },
    Resumed { run: RunId },
}

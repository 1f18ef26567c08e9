//! What the processes of a cluster share by name: locks, semaphores, events, variables, queues, topics, metadata, datasets.
//!
//! A [`Coordinator`] is a machine as the scheduler is one: it takes what sessions ask, and the time, and gives what follows.
//!
//! ```text
//!  a session ── handle(Request) ──▶ Coordinator ── Reply ─────────▶ the session that asked, once
//!            ── taken, cancel ───▶     │  │ └───── Notice ────────▶ those who subscribed to a topic
//!  its end   ── owner_gone ──────▶     │  └─────── Hold, LetGo ──▶ the scheduler: results that something named refers to
//! ```
//!
//! **Waiting.** What can't be answered yet waits, in the order in which it came, and is answered once: with what it waited for, that
//! its time is over, or why it won't come. Nothing waits while it could be answered ([`Coordinator::validate`] counts it again).
//!
//! **Given, and taken.** What a request was given (a lock, a lease, items of a queue, results) can be on its way when the one who
//! asked gives up. [`Coordinator::cancel`] takes it back: items are at the front of their queue again, in order. So nothing
//! is lost between two processes. Who has got items or results says so ([`Coordinator::taken`]); results stay alive until then.
//!
//! **Ends.** When a session is over, what it waits for is dropped, and its locks and leases pass on at once. Values that it set
//! stay. Items that were on their way to it, and that it hasn't said to have, are at the front of their queue again, in order: a
//! process that died while it waited takes nothing with it. One that had them, and whose word of it was lost with its session, has
//! had them for nothing: somebody else gets them as well.
//!
//! **What outlives it.** A machine that has a [`Keeper`] has each change written down before it is made, and refuses it where that can't
//! be: another one in which what was written is [restored](Coordinator::restore) has all that names stand for.
//!
//! **Bounds.** All that is kept or waited for has one ([`Limits`]); what is over is refused in a sentence ([`CoordinationError`]).

mod bytes;
mod check;
mod coordinator;
mod datasets;
mod desk;
mod entries;
mod error;
mod events;
mod given;
mod holds;
mod keeping;
mod known;
mod limits;
mod locks;
mod metadata;
mod queue;
mod queues;
mod reply;
mod request;
mod restoring;
mod semaphores;
mod subscriptions;
mod topics;
mod validate;
mod variables;
mod waiting;

pub use bytes::{Bytes, Name, RequestId, Session, Value};
pub use coordinator::Coordinator;
pub use entries::Entry;
pub use error::{CoordinationError, Kind, Quantity};
pub use keeping::{Change, Keeper};
pub use limits::Limits;
pub use reply::{Action, Reply, TopicEvent};
pub use request::Request;

#[cfg(test)]
mod tests;

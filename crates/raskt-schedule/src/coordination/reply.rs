//! What sessions are answered and told, and what the scheduler is to keep.

use super::bytes::{Bytes, Name, RequestId, Session, Value};
use super::error::CoordinationError;
use crate::{RunId, TaskRange, Time};
use serde::{Deserialize, Serialize};

/// The answer to a request.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Reply {
    /// It is done: set, put, released, or what was waited for has come.
    Done,
    /// Yes or no.
    Flag(bool),
    /// A number.
    Number(u64),
    /// Locks are held.
    Acquired(Vec<Name>),
    /// Leases that weren't refreshed because they had run out.
    RunOut(Vec<(Name, u64)>),
    /// Values; [`Coordinator::taken`](super::Coordinator::taken) is to be said of them where `awaits_taken`.
    Values {
        /// The values, in order.
        values: Vec<Value>,
        /// Whether they are kept until that is said.
        awaits_taken: bool,
    },
    /// Names in order, and whether there are more.
    Names {
        /// The names.
        names: Vec<Name>,
        /// Whether there are more after the last.
        more: bool,
    },
    /// Events in order, and whether there are more.
    Events {
        /// The events.
        events: Vec<TopicEvent>,
        /// Whether there are more after the last.
        more: bool,
    },
    /// Further keys, and what is under them.
    Metadata(Vec<(Vec<Name>, Bytes)>),
    /// Its time is over.
    TimedOut,
    /// It was cancelled while it waited.
    Cancelled,
    /// It isn't done.
    Refused(CoordinationError),
}

impl From<CoordinationError> for Reply {
    fn from(error: CoordinationError) -> Self {
        Self::Refused(error)
    }
}

impl Reply {
    /// Its payloads, in an order that is always the same: what travels beside it.
    pub fn payloads<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut Bytes)) {
        match self {
            Self::Values { values, .. } => values.iter_mut().for_each(|value| visit(&mut value.bytes)),
            Self::Events { events, .. } => events.iter_mut().for_each(|event| visit(&mut event.bytes)),
            Self::Metadata(entries) => entries.iter_mut().for_each(|(_, bytes)| visit(bytes)),
            _ => {}
        }
    }
}

/// What was logged under a topic.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TopicEvent {
    /// Its number among those of the topic, from zero.
    pub number: u64,
    /// When, by the clock on the wall where the machine was told ([`Coordinator::set_day`](super::Coordinator::set_day)).
    pub time: Time,
    /// What.
    pub bytes: Bytes,
}

/// What is to be done.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// A request is answered.
    Reply {
        /// Who asked.
        owner: Session,
        /// What.
        request: RequestId,
        /// The answer.
        reply: Reply,
    },
    /// A subscriber is told of events. It is told of no more before it has acknowledged these.
    Notice {
        /// Who.
        owner: Session,
        /// The topic.
        topic: Name,
        /// So many before these weren't kept for as long as it took.
        missed: u64,
        /// The events, in order.
        events: Vec<TopicEvent>,
    },
    /// Something named refers to these results from now on: they stay alive, whoever else lets go of them.
    Hold {
        /// The run.
        run: RunId,
        /// Its tasks.
        tasks: TaskRange,
    },
    /// Nothing named refers to these results any more.
    LetGo {
        /// The run.
        run: RunId,
        /// Its tasks.
        tasks: TaskRange,
    },
}

//! Messages as they travel: what they say, and their bytes beside it.

use bytes::Bytes as Memory;
use raskt_schedule::coordination::{Bytes, Name, Reply, Request, RequestId, TopicEvent};
use serde::{Deserialize, Serialize};

/// From a client or worker to the scheduler.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Ask {
    /// Something is asked; there is one answer.
    Request {
        /// The number of the request.
        id: RequestId,
        /// What.
        request: Request,
    },
    /// It isn't wanted any more, be it answered or not.
    Cancel {
        /// The request.
        id: RequestId,
    },
    /// What was given by the answer has arrived.
    Taken {
        /// The request.
        id: RequestId,
    },
    /// Events of a topic have arrived.
    Acknowledged {
        /// The topic.
        topic: Name,
        /// The last of them.
        number: u64,
    },
}

/// From the scheduler to a client or worker.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Told {
    /// The first message: when the scheduler's time began, in nanoseconds since 1970.
    Began {
        /// When.
        unix_nanoseconds: u64,
        /// There was another one before it, of which it knows by its journal: what that doesn't keep is gone.
        is_another: bool,
    },
    /// The answer to a request.
    Reply {
        /// The request.
        id: RequestId,
        /// The answer.
        reply: Reply,
    },
    /// Events of a topic that was subscribed to.
    Notice {
        /// The topic.
        topic: Name,
        /// So many before these are gone.
        missed: u64,
        /// The events.
        events: Vec<TopicEvent>,
    },
}

/// What has bytes that travel beside it.
pub trait Payloads {
    /// Shows each, in an order that is always the same.
    fn payloads<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut Bytes));
}

impl Payloads for Ask {
    fn payloads<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut Bytes)) {
        if let Self::Request { request, .. } = self {
            request.payloads(visit);
        }
    }
}

impl Payloads for Told {
    fn payloads<'a>(&'a mut self, visit: &mut dyn FnMut(&'a mut Bytes)) {
        match self {
            Self::Reply { reply, .. } => reply.payloads(visit),
            Self::Notice { events, .. } => events.iter_mut().for_each(|event| visit(&mut event.bytes)),
            Self::Began { .. } => {}
        }
    }
}

/// A message without its bytes, and how many each of its values has.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Packed<T> {
    message: T,
    lengths: Vec<u32>,
}

/// Why a message and what it brings along don't belong together.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum WireError {
    /// There are more values than lengths, or the other way round, or a value is in both places.
    #[error("a message has {values} values, and says the lengths of {lengths}")]
    Lengths {
        /// How many values there are.
        values: usize,
        /// How many lengths.
        lengths: usize,
    },
    /// What came beside it is of another length.
    #[error("the values of a message have {said} bytes, and {come} came")]
    Bytes {
        /// How many bytes it says.
        said: u64,
        /// How many there are.
        come: u64,
    },
}

impl<T: Payloads> Packed<T> {
    /// Takes the bytes out of a message: one piece, or none if there are none. A single value isn't copied.
    pub fn pack(mut message: T) -> (Self, Vec<Memory>) {
        let mut values = vec![];
        message.payloads(&mut |bytes| values.push(std::mem::take(bytes)));
        let lengths = values.iter().map(|value| value.len() as u32).collect();
        values.retain(|value| !value.is_empty());
        let bulk = match values.len() {
            0 => vec![],
            1 => values.into_iter().map(|value| Memory::from_owner(value.0)).collect(),
            _ => vec![Memory::from(values.iter().map(|value| &value.0[..]).collect::<Vec<_>>().concat())],
        };
        (Self { message, lengths }, bulk)
    }

    /// Puts the bytes in again.
    pub fn unpack(self, bulk: &[Memory]) -> Result<T, WireError> {
        let Self { mut message, lengths } = self;
        let mut places = vec![];
        message.payloads(&mut |bytes| places.push(bytes));
        let is_empty = places.iter().all(|place| place.is_empty());
        if places.len() != lengths.len() || !is_empty {
            return Err(WireError::Lengths { values: places.len(), lengths: lengths.len() });
        }
        let said = lengths.iter().map(|&length| u64::from(length)).sum();
        let come = bulk.iter().map(|part| part.len() as u64).sum();
        if said != come || bulk.len() > 1 {
            return Err(WireError::Bytes { said, come });
        }
        let mut rest = bulk.first().map_or(&[][..], |part| &part[..]);
        for (place, length) in places.into_iter().zip(lengths) {
            let (value, after) = rest.split_at(length as usize);
            *place = Bytes::from(value);
            rest = after;
        }
        Ok(message)
    }

    /// What it says, without its bytes.
    pub fn without_bytes(&self) -> &T {
        &self.message
    }
}

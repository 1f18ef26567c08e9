//! What processes share by name, carried: locks, semaphores, events, variables, queues, topics, metadata, datasets.
//!
//! ```text
//!  Coordination ── Ask ──▶ session ──▶ CoordinationServer: the machine of `raskt_schedule::coordination`
//!       ▲                                   │
//!       └──────── Told ◀── session ◀────────┘
//! ```
//!
//! Neither side knows of sockets: what one of them says goes out by a closure ([`Tell`]) or a [`Carrier`], and what comes is handed to it;
//! [`tell_by`] and [`OverSession`] send it in messages of a session. A message
//! is [`Packed`]: what it says, and the bytes that it brings along as one piece of memory, which goes as it is.

mod handle;
mod leases;
mod locks;
mod pending;
mod process;
mod server;
mod sessions;
mod shared;
mod subscription;
#[cfg(test)]
mod tests;
mod wire;

pub use handle::{Coordination, Hearing};
pub use pending::{Answer, Pending};
pub(crate) use process::Registered;
pub use process::of_worker;
pub use raskt_schedule::coordination::{
    Bytes, CoordinationError, Kind, Limits, Name, Quantity, Reply, Request, RequestId, TopicEvent, Value,
};
pub use server::{CoordinationServer, Keeping, Tell};
pub use sessions::{OverSession, tell_by};
pub use shared::{Carrier, Disconnected};
pub use subscription::{Delivery, Subscription};
pub use wire::{Ask, Packed, Payloads, Told, WireError};

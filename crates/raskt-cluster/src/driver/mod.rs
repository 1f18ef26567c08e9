//! Sessions over sockets: a thread of its own that reads, writes, keeps time and calls again.
//!
//! [`Network`] has one thread on which everything about sessions happens, so that nothing that threads of tasks do, and no
//! interpreter's lock, keeps signs of life from going out. Others talk to it through an [`Outbox`], which never waits, and hear of
//! it through an [`Inbox`], whose calls must not.
//!
//! A session is one task on that thread. While there is no connection it dials (or waits to be dialed) and keeps time
//! (`core::Core::watch`); while there is one, `pump` moves frames between it and the socket until it breaks. A connection that
//! comes for a session that has one already takes its place: the peer knows better that the old one is dead. What came in one session is
//! handed out for some milliseconds at a time, so that none keeps the thread from the others; and should that thread be at something for
//! long, another one gives the signs of life (`beats`).

mod backoff;
mod beats;
mod calls;
mod core;
mod direct;
pub(crate) mod nesting;
mod network;
mod outbox;
mod own;
mod peer;
mod process;
mod pump;
mod reach;
mod sessions;

pub use core::{Inbox, Ticket};
pub use network::{Listening, Network};
pub use outbox::{Incoming, Outbox, channel, inbox};
pub use own::NetworkOptions;
pub(crate) use own::Own;
pub use peer::Peer;
pub use sessions::Host;

//! What comes from the scheduler, on its way to the thread that sees to it.

use crate::driver::Ticket;
use crate::message::ToWorker;
use crate::session;
use bytes::Bytes;

/// What has come from the scheduler.
pub(super) enum Inbound {
    /// With what counts as not taken until it is done.
    Message(ToWorker, Vec<Bytes>, Ticket),
    Event(session::Event),
    /// The engine has something to tell.
    Left,
    /// The worker leaves: nothing begins any more.
    Leaving,
    /// Tasks wait for a plugin no longer.
    GoesOn {
        plugin: String,
    },
}

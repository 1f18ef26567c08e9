//! What comes from the scheduler, on its way to the thread that sees to it.

use crate::Inbox;
use crate::driver::{Incoming, Ticket, inbox};
use crate::message::ToWorker;
use crate::session;
use bytes::Bytes;
use std::sync::Arc;
use std::sync::mpsc::Sender;

/// What has come from the scheduler, for the thread that sees to it.
pub(super) enum Inbound {
    /// With what counts as not taken until it is done.
    Message(ToWorker, Vec<Bytes>, Ticket),
    Event(session::Event),
}

/// The thread of the network must not wait: graphs are read, and orders taken, by another one.
pub(super) fn inbox_of(sender: Sender<Inbound>) -> Arc<dyn Inbox> {
    inbox(move |incoming: Incoming<ToWorker>| {
        let inbound = match incoming {
            Incoming::Message { message, bulk, ticket } => Inbound::Message(message, bulk, ticket),
            Incoming::Event(event) => Inbound::Event(event),
        };
        // Where nobody receives any more the worker is over.
        let _ = sender.send(inbound);
    })
}

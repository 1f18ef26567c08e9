//! Messages of a type, for those who send and receive.

use super::core::{Core, Inbox, Ticket};
use super::nesting;
use super::peer::Peer;
use crate::session::{Event, Lost, Payload, SendError, Session};
use bytes::Bytes;
use raskt_sync::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender};
use std::time::Duration;

/// Sends messages of one type to a peer. Clones send in the same session; it ends when somebody closes it, not with them.
pub struct Outbox<Out> {
    core: Arc<Core>,
    peer: Arc<Mutex<Option<Peer>>>,
    messages: PhantomData<fn(Out)>,
}

impl<Out> Clone for Outbox<Out> {
    fn clone(&self) -> Self {
        self.typed()
    }
}

impl<Out> std::fmt::Debug for Outbox<Out> {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Outbox(outstanding: {} bytes)", self.outstanding_bytes())
    }
}

impl<Out> Outbox<Out> {
    pub(super) fn new(core: Arc<Core>, peer: Arc<Mutex<Option<Peer>>>) -> Self {
        Self { core, peer, messages: PhantomData }
    }

    /// Who is at the other end; nobody before the first connection.
    pub fn peer(&self) -> Option<Peer> {
        self.peer.lock().clone()
    }

    /// The same for messages of another type.
    pub fn typed<Other>(&self) -> Outbox<Other> {
        Outbox::new(self.core.clone(), self.peer.clone())
    }

    /// Bytes that were sent and that nobody over there has taken yet.
    pub fn outstanding_bytes(&self) -> u64 {
        self.core.lock().session.outstanding_bytes()
    }

    /// Why the session is over, if it is.
    pub fn lost(&self) -> Option<Lost> {
        self.core.lost()
    }

    /// Ends the session for this side, without a word: a peer that is there after all hears that there is no such session.
    pub fn abandon(&self) {
        self.core.change(Session::abandon);
    }

    /// Whether there is a connection.
    pub fn is_connected(&self) -> bool {
        self.core.lock().session.is_up()
    }

    /// How many connections have been there, and whether one is: what is sent while none is can't have been heard before there is another.
    pub fn connections(&self) -> (u64, bool) {
        let state = self.core.lock();
        (state.connections, state.session.is_up())
    }

    /// Whether the way to the peer is gone, as far as the system knows: its process may be as well as ever.
    pub fn is_cut_off(&self) -> bool {
        self.core.lock().is_cut_off
    }

    /// Sends nothing more. What was sent still goes out, within a bound; then the inbox is told that the session is lost.
    pub fn close(&self) {
        self.core.close();
    }
}

impl<Out: Serialize> Outbox<Out> {
    /// Sends a message, and memory that goes with it as it is. Never waits: it says when there is no room.
    pub fn send(&self, message: &Out, bulk: Vec<Bytes>) -> Result<(), SendError> {
        self.core.send(written(message, bulk)?)
    }

    /// Sends what the peer is owed: beyond its window it waits on this side, up to a bound, and goes as the peer takes what it has.
    pub fn owe(&self, message: &Out, bulk: Vec<Bytes>) -> Result<(), SendError> {
        self.core.owe(written(message, bulk)?)
    }

    /// The same for a thread that may wait until there is room; never one of the network.
    pub fn send_waiting(&self, message: &Out, bulk: Vec<Bytes>, patience: Duration) -> Result<(), SendError> {
        self.core.send_waiting(written(message, bulk)?, patience)
    }
}

fn written(message: &impl Serialize, bulk: Vec<Bytes>) -> Result<Payload, SendError> {
    let control = postcard::to_allocvec(message).map_err(|error| SendError::Encoding(error.to_string()))?;
    Ok(Payload { control: control.into(), bulk })
}

/// What comes in a session.
#[derive(Debug)]
pub enum Incoming<In> {
    /// A message.
    Message {
        /// What it says.
        message: In,
        /// What it brings along.
        bulk: Vec<Bytes>,
        /// Counts as not taken until this goes.
        ticket: Ticket,
    },
    /// Something about the peer.
    Event(Event),
}

/// An inbox that calls `handle` on the thread of the network, which must not wait.
pub fn inbox<In: DeserializeOwned + 'static>(handle: impl Fn(Incoming<In>) + Send + Sync + 'static) -> Arc<dyn Inbox> {
    Arc::new(Typed { handle, messages: PhantomData })
}

/// An inbox that hands over to whoever receives. It holds no more than the window lets come.
pub fn channel<In: DeserializeOwned + Send + 'static>() -> (Arc<dyn Inbox>, Receiver<Incoming<In>>) {
    let (sender, receiver): (Sender<Incoming<In>>, _) = std::sync::mpsc::channel();
    // Where nobody receives any more, what comes counts as taken.
    (inbox(move |incoming| drop(sender.send(incoming))), receiver)
}

struct Typed<In, Handle> {
    handle: Handle,
    messages: PhantomData<fn() -> In>,
}

impl<In: DeserializeOwned + 'static, Handle: Fn(Incoming<In>) + Send + Sync + 'static> Inbox for Typed<In, Handle> {
    fn message(&self, message: Payload, ticket: Ticket) -> Result<(), String> {
        let Payload { control, bulk } = message;
        let message = nesting::read(&control)?;
        (self.handle)(Incoming::Message { message, bulk, ticket });
        Ok(())
    }

    fn event(&self, event: Event) {
        (self.handle)(Incoming::Event(event));
    }
}

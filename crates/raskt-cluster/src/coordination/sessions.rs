//! Both sides over sessions: in messages of whatever type these have.

use super::server::Tell;
use super::shared::Carrier;
use super::wire::{Ask, Packed, Told};
use crate::driver::Outbox;
use crate::session::SendError;
use bytes::Bytes as Memory;
use serde::Serialize;
use std::time::Duration;

/// How long is waited at a time for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Carries what a client or worker asks, in messages of its session.
pub struct OverSession<Out> {
    outbox: Outbox<Out>,
    wrap: fn(Packed<Ask>) -> Out,
}

impl<Out> OverSession<Out> {
    /// By `outbox`, as the message that `wrap` makes of it.
    pub fn new(outbox: Outbox<Out>, wrap: fn(Packed<Ask>) -> Out) -> Self {
        Self { outbox, wrap }
    }
}

impl<Out: Serialize> Carrier for OverSession<Out> {
    fn connections(&self) -> (u64, bool) {
        self.outbox.connections()
    }

    fn carry(&self, ask: Packed<Ask>, bulk: Vec<Memory>) -> Result<(), String> {
        let message = (self.wrap)(ask);
        loop {
            match self.outbox.send_waiting(&message, bulk.clone(), PATIENCE) {
                Err(SendError::Full { .. }) => {}
                Ok(()) => return Ok(()),
                Err(error) => return Err(error.to_string()),
            }
        }
    }
}

/// Tells a client or worker by `outbox`. One that takes nothing loses its session rather than others their memory.
pub fn tell_by<Out: Serialize + 'static>(outbox: Outbox<Out>, wrap: fn(Packed<Told>) -> Out) -> Tell {
    Box::new(move |told, bulk| {
        if let Err(error) = outbox.send(&wrap(told), bulk) {
            tracing::warn!("somebody can't be told of what is shared by name: {error}");
            outbox.close();
        }
    })
}

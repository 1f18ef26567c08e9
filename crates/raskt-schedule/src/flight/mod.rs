//! Flight records: what happened to a scheduler, to be looked at and done again.
//!
//! The same events give the same actions, so that the events are the whole story. A record is plain bytes: a driver
//! writes them wherever it likes, event by event. What only runners understand isn't in it.
//!
//! At its beginning stand the scheduler's settings and policies, each of these by its name and its numbers: a record is
//! replayed by the rules that it was made under, whatever the defaults are by then, or refused if this build doesn't
//! know one of them. A driver with a placement of its own reads its records by [`Flight::read_with`].

mod codec;
mod error;
mod events;
mod graphs;
mod policies;

use crate::{Action, Event, EventError, Placement, Scheduler, Settings, Time};
use codec::{Decoder, Encoder};
pub use error::FlightError;
use error::VERSION;
use std::sync::Arc;

/// Writes down events as they happen.
#[derive(Debug)]
pub struct FlightRecorder {
    encoder: Encoder,
    last: Time,
}

/// A record that was read.
#[derive(Debug)]
pub struct Flight {
    /// How the scheduler was set up.
    pub settings: Settings,
    /// How workers were chosen.
    pub placement: Arc<dyn Placement>,
    /// What happened, and when.
    pub events: Vec<(Time, Event)>,
    /// The last event is missing or was written in part, as when the writer died.
    pub is_torn: bool,
}

const MAGIC: &[u8] = b"raskt flight ";

impl FlightRecorder {
    /// A record of a scheduler with these settings and this placement.
    pub fn new(settings: Settings, placement: &Arc<dyn Placement>) -> Self {
        let mut encoder = Encoder(MAGIC.to_vec());
        encoder.number(VERSION);
        policies::encode(&settings, placement, &mut encoder);
        Self { encoder, last: Time(0) }
    }

    /// Writes down what happens at `now`, which is no earlier than the event before.
    pub fn note(&mut self, now: Time, event: &Event) {
        self.encoder.number(now.0.saturating_sub(self.last.0));
        self.last = now.max(self.last);
        events::encode(event, &mut self.encoder);
    }

    /// The bytes that weren't taken yet.
    pub fn take(&mut self) -> Vec<u8> {
        std::mem::take(&mut self.encoder.0)
    }
}

impl Flight {
    /// Reads all bytes of a record.
    pub fn read(bytes: &[u8]) -> Result<Self, FlightError> {
        Self::read_with(bytes, |_, _| None)
    }

    /// The same, where `own` gives the placement of a name with some numbers if it is one of the caller's.
    pub fn read_with(
        bytes: &[u8],
        own: impl Fn(&str, &[u64]) -> Option<Arc<dyn Placement>>,
    ) -> Result<Self, FlightError> {
        let mut from = Decoder(bytes.strip_prefix(MAGIC).ok_or(FlightError::NotOne)?);
        if from.number()? != VERSION {
            return Err(FlightError::NotOne);
        }
        let (settings, placement) = policies::decode(&mut from, own)?;
        let mut flight = Self { settings, placement, events: vec![], is_torn: false };
        let mut now = Time(0);
        while !from.0.is_empty() {
            let event = from.number().and_then(|later| Ok((later, events::decode(&mut from)?)));
            match event {
                Ok((later, event)) => {
                    now = Time(now.0.saturating_add(later));
                    flight.events.push((now, event));
                }
                Err(FlightError::Torn) => {
                    flight.is_torn = true;
                    break;
                }
                Err(error) => return Err(error),
            }
        }
        Ok(flight)
    }

    /// Does it all again with a new scheduler of the same policies: the actions after each event, or why it can't have
    /// happened.
    pub fn replay(&self) -> impl Iterator<Item = Result<Vec<Action>, EventError>> {
        let mut scheduler = Scheduler::with(self.settings, self.placement.clone());
        self.events.iter().map(move |(now, event)| {
            scheduler.try_event(*now, event.clone())?;
            Ok(std::iter::from_fn(|| scheduler.poll_action()).collect())
        })
    }
}

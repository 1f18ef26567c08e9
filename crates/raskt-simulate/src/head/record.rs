//! The flight record of a world, and its replay.

use crate::check::{Sometimes, Violation};
use crate::context::Context;
use raskt_schedule::{Action, Event, Flight, FlightRecorder, Placement, Settings, Time};
use std::sync::Arc;

/// What the scheduler was told, and what it gave.
#[derive(Debug)]
pub(super) struct Record {
    recorder: FlightRecorder,
    actions: Vec<Action>,
}

impl Record {
    pub fn new(settings: Settings, placement: &Arc<dyn Placement>) -> Self {
        Self { recorder: FlightRecorder::new(settings, placement), actions: vec![] }
    }

    pub fn note_event(&mut self, now: Time, event: &Event) {
        self.recorder.note(now, event);
    }

    pub fn note_actions(&mut self, actions: &[Action]) {
        self.actions.extend_from_slice(actions);
    }

    /// Reads the record, and does it all again: the same actions must come of it.
    pub fn replay(mut self, context: &mut Context) {
        context.tally.saw(Sometimes::Replayed);
        match Flight::read(&self.recorder.take()) {
            Ok(flight) if flight.replay().flat_map(Result::unwrap_or_default).eq(self.actions) => {}
            Ok(_) => {
                context.violate(Violation::new("the flight record gives other actions when it is replayed".into()))
            }
            Err(error) => context.violate(Violation::new(format!("the flight record can't be read: {error}"))),
        }
    }
}

//! Sends what has to arrive.

use super::errands::Tell;
use super::failed::ClusterError;
use super::shared::Shared;
use crate::driver::Outbox;
use crate::message::{FromClient, GRAPH_PIECE_BYTES, Submission};
use crate::session::{Lost, SendError};
use bytes::Bytes;
use raskt_schedule::{RunId, TaskRange};
use std::time::{Duration, Instant};

/// How long is waited at a time for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// A session that is over is heard of after so long.
const SOON: Duration = Duration::from_millis(20);

/// Sends a message, and waits for room as long as it takes; whether the session is over without it.
fn send(outbox: &Outbox<FromClient>, message: &FromClient, bulk: Vec<Bytes>) -> Result<bool, ClusterError> {
    loop {
        match outbox.send_waiting(message, bulk.clone(), PATIENCE) {
            Err(SendError::Full { .. }) => {}
            Ok(()) => return Ok(true),
            Err(error @ (SendError::TooLarge { .. } | SendError::Encoding(_))) => {
                return Err(ClusterError::Refused(error.to_string()));
            }
            Err(error) => match outbox.lost() {
                Some(Lost::Forgotten(_)) => return Ok(false),
                _ => return Err(ClusterError::Disconnected(error.to_string())),
            },
        }
    }
}

/// Sends a graph; whether the session is over without it.
pub(super) fn send_graph(
    outbox: &Outbox<FromClient>,
    submission: Submission,
    mut graph: Bytes,
) -> Result<bool, ClusterError> {
    while graph.len() > GRAPH_PIECE_BYTES {
        let piece = graph.split_to(GRAPH_PIECE_BYTES);
        if !send(outbox, &FromClient::GraphPiece, vec![piece])? {
            return Ok(false);
        }
    }
    send(outbox, &FromClient::Submit(submission), vec![graph])
}

impl Shared {
    /// Sends a message to the scheduler; to one that has begun anew, when it is back to where it was.
    pub fn send(&self, message: &FromClient, bulk: Vec<Bytes>) -> Result<(), ClusterError> {
        // It may be about calls that wait for others.
        self.send_calls();
        loop {
            let mut state = self.state.lock();
            while state.away.is_some() {
                state = self.changed.wait_for(state, PATIENCE).0;
            }
            if let Some(lost) = &state.lost {
                return Err(ClusterError::Disconnected(lost.clone()));
            }
            let outbox = state.outbox.clone();
            drop(state);
            let outbox = outbox.ok_or_else(|| ClusterError::Disconnected("it isn't there yet".into()))?;
            if send(&outbox, message, bulk.clone())? {
                return Ok(());
            }
            // Whoever hears of it says that the scheduler is away, or lost.
            std::thread::sleep(SOON);
        }
    }
}

impl Tell for Shared {
    fn tell(&self, message: &FromClient) {
        let _ = self.send(message, vec![]);
    }

    fn cancel(&self, tasks: Vec<(RunId, TaskRange)>, by_force: bool) {
        let number = self.state.lock().note_cancel(&tasks, by_force);
        self.tell(&FromClient::Cancel { tasks, by_force });
        // Until it is answered it is said again to a scheduler that begins anew.
        self.tell(&FromClient::Barrier { number });
    }

    fn send_old_calls(&self) -> Option<Instant> {
        Self::send_old_calls(self)
    }

    fn is_away(&self) -> bool {
        self.state.lock().away.is_some()
    }
}

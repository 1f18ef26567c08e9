//! Sends what has to arrive.

use super::failed::ClusterError;
use crate::driver::Outbox;
use crate::message::FromClient;
use crate::session::SendError;
use bytes::Bytes;
use std::time::Duration;

/// How long is waited at a time for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(1);

/// Sends a message, and waits for room as long as it takes.
pub(super) fn send(outbox: &Outbox<FromClient>, message: &FromClient, bulk: Vec<Bytes>) -> Result<(), ClusterError> {
    loop {
        match outbox.send_waiting(message, bulk.clone(), PATIENCE) {
            Err(SendError::Full { .. }) => {}
            Ok(()) => return Ok(()),
            Err(error @ (SendError::TooLarge { .. } | SendError::Encoding(_))) => {
                return Err(ClusterError::Refused(error.to_string()));
            }
            Err(error) => return Err(ClusterError::Disconnected(error.to_string())),
        }
    }
}

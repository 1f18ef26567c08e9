//! Graphs of clients.

use crate::face::read_shape;
use crate::message::FromClient;
use bytes::Bytes;
use raskt_graph::Graph;
use raskt_schedule::TaskRange;
use std::sync::Arc;

/// What is known of a run beside what the machine knows.
pub(super) struct RunRecord {
    pub client: u32,
    /// The graph as the client has written it: workers get the same.
    pub bytes: Bytes,
    /// What is wanted once all that was given is there.
    pub wanted: Vec<TaskRange>,
    /// Data that has not come yet.
    pub awaited: u64,
    /// Whether its tasks stand alone.
    pub stands_alone: bool,
    /// Its client wants nothing of it any more. It is kept for those that import from it.
    pub is_released: bool,
}

/// Reads the graph that comes with a message, if one should.
pub(super) fn prepare(message: &FromClient, bulk: &[Bytes]) -> Option<Result<Arc<Graph>, String>> {
    let FromClient::Submit(_) = message else { return None };
    let [bytes] = bulk else { return Some(Err("a graph is one piece of bulk".into())) };
    Some(read_shape(bytes).map(Arc::new))
}

//! Graphs of clients.

use super::gifts::Gifts;
use crate::face::read_shape;
use crate::message::FromClient;
use bytes::Bytes;
use raskt_graph::Graph;
use raskt_schedule::{FailureScope, TaskRange};
use std::sync::Arc;

/// What is known of a run beside what the machine knows.
pub(super) struct RunRecord {
    pub client: u32,
    /// The graph as the client has written it: workers get the same.
    pub bytes: Bytes,
    pub wanted: Vec<TaskRange>,
    /// What is wanted as soon as all data that it was given is there.
    pub wanted_later: Option<Vec<TaskRange>>,
    /// Data that it was given.
    pub gifts: Gifts,
    /// What ends, as its client sees it, when one of its tasks fails. The machine knows runs that have to do with data of clients as
    /// such whose tasks stand alone: what ends them can't be taken back.
    pub failure: FailureScope,
    /// Its client wants nothing of it any more. It is kept for those that import from it.
    pub is_released: bool,
    /// It has ended for its client, who was told.
    pub has_failed: bool,
}

/// Reads the graph that comes with a message, if one should.
pub(super) fn prepare(message: &FromClient, bulk: &[Bytes]) -> Option<Result<Arc<Graph>, String>> {
    let FromClient::Submit(_) = message else { return None };
    let [bytes] = bulk else { return Some(Err("a graph is one piece of bulk".into())) };
    Some(read_shape(bytes).map(Arc::new))
}

//! Graphs of clients.

use super::gifts::Gifts;
use crate::face::read_shape;
use crate::journal::Ended;
use crate::message::{FromClient, GRAPH_BYTES_MAX, GRAPH_PIECE_BYTES};
use bytes::{Bytes, BytesMut};
use raskt_graph::Graph;
use raskt_schedule::{FailureScope, RunId, TaskRange};
use raskt_sync::Mutex;
use std::collections::BTreeSet;
use std::sync::Arc;

/// What is known of a run beside what the machine knows.
pub(super) struct RunRecord {
    pub client: u32,
    /// What tells it from any other run of its number.
    pub mark: u64,
    /// The graph as the client has written it: workers get the same.
    pub bytes: Bytes,
    pub wanted: Vec<TaskRange>,
    /// What is wanted as soon as all data that it was given is there.
    pub wanted_later: Option<Vec<TaskRange>>,
    /// Runs that it reads and of which nothing is wanted yet.
    pub awaits: BTreeSet<RunId>,
    /// Runs that it reads, as long as it is held back: what these have stays until it is known what of that is needed.
    pub pins: BTreeSet<RunId>,
    /// How many runs that are held back read it.
    pub pinned: usize,
    /// What isn't wanted of it, and stays for those.
    pub unpinned_later: Vec<TaskRange>,
    /// Data that it was given.
    pub gifts: Gifts,
    /// Its client keeps something for it.
    pub keeps: bool,
    /// What ends, as its client sees it, when one of its tasks fails. The machine knows runs that have to do with data of clients as
    /// such whose tasks stand alone: what ends them can't be taken back.
    pub failure: FailureScope,
    /// Its client wants nothing of it any more. It is kept for those that import from it.
    pub is_released: bool,
    /// It has ended for its client, who was told.
    pub has_failed: bool,
    /// It was over before the scheduler began anew, and the machine doesn't know it.
    pub ended: Option<Ended>,
}

/// Pieces of a graph of a client, until the last has come.
#[derive(Default)]
pub(super) struct Pieces(Mutex<BytesMut>);

impl Pieces {
    /// Takes in the bulk of a message; gives the graph of one that submits it, if that should have one.
    pub fn take(&self, message: &FromClient, bulk: Vec<Bytes>) -> Option<Result<(Bytes, Arc<Graph>), String>> {
        let in_pieces = match message {
            FromClient::Submit(submission) => submission.in_pieces,
            FromClient::GraphPiece => true,
            _ => return None,
        };
        let Ok([piece]) = <[Bytes; 1]>::try_from(bulk) else { return Some(Err("a graph is one piece of bulk".into())) };
        let bytes = match in_pieces {
            true => {
                let mut before = self.0.lock();
                // What is too much is refused with the last of it.
                if before.len() <= GRAPH_BYTES_MAX {
                    before.extend_from_slice(&piece);
                }
                if matches!(message, FromClient::GraphPiece) {
                    return None;
                }
                std::mem::take(&mut *before).freeze()
            }
            false => piece,
        };
        if bytes.len() > GRAPH_BYTES_MAX {
            return Some(Err(format!("a graph has more than {GRAPH_BYTES_MAX} bytes")));
        }
        Some(read_shape(&bytes).map(|graph| (bytes, Arc::new(graph))))
    }
}

/// The piece of a graph that begins there.
pub(super) fn piece_of(graph: &Bytes, from: u64) -> Bytes {
    let from = usize::try_from(from).unwrap_or(usize::MAX).min(graph.len());
    graph.slice(from..graph.len().min(from + GRAPH_PIECE_BYTES))
}

//! Graphs that come in pieces: until the last is there, everything else waits in its order.

use crate::driver::Ticket;
use crate::message::{GRAPH_BYTES_MAX, ToWorker};
use bytes::{Bytes, BytesMut};
use raskt_schedule::{Import, RunId, WorkerOrder};
use std::collections::VecDeque;

/// A message from the scheduler, with what counts as not taken until it is done.
pub(super) type Message = (ToWorker, Vec<Bytes>, Option<Ticket>);

/// A graph of which pieces are missing.
pub(super) struct Coming {
    pub run: RunId,
    pub imports: Vec<Import>,
    graph: BytesMut,
    bytes: u64,
    /// What came after it.
    waiting: VecDeque<Message>,
}

/// What a message leads to.
pub(super) enum Step {
    /// It waits.
    Waits,
    /// The piece from this byte on is to be asked for.
    Ask(u64),
    /// All of it is there.
    Whole(Bytes),
    /// Nobody needs it any more.
    Gone,
}

impl Coming {
    /// One whose first piece has come, if there are more.
    pub fn new(run: RunId, imports: &[Import], first: &Bytes, bytes: u64) -> Option<Self> {
        let is_partial = (first.len() as u64) < bytes && bytes <= GRAPH_BYTES_MAX as u64;
        let (imports, waiting) = (imports.to_vec(), VecDeque::new());
        is_partial.then(|| Self { run, imports, graph: BytesMut::from(&first[..]), bytes, waiting })
    }

    pub fn next(&self) -> u64 {
        self.graph.len() as u64
    }

    /// Takes in a message that has come meanwhile.
    pub fn take(&mut self, message: Message) -> Step {
        match message {
            (ToWorker::GraphPiece { run }, bulk, _) if run == self.run => match bulk.first() {
                Some(piece) if !piece.is_empty() => {
                    self.graph.extend_from_slice(piece);
                    match self.next() >= self.bytes {
                        true => Step::Whole(std::mem::take(&mut self.graph).freeze()),
                        false => Step::Ask(self.next()),
                    }
                }
                _ => Step::Gone,
            },
            message => {
                self.waiting.push_back(message);
                Step::Waits
            }
        }
    }

    /// What came meanwhile, in order; of a run that is gone, nothing but that it is.
    pub fn waiting(self, is_gone: bool) -> impl Iterator<Item = Message> {
        let run = self.run;
        let is_of_it = move |message: &ToWorker| match message {
            ToWorker::Order(WorkerOrder::Assign(assignment)) => assignment.run == run,
            ToWorker::Order(WorkerOrder::Recall { run: of, .. } | WorkerOrder::Discard { run: of, .. })
            | ToWorker::Fetch { run: of, .. } => *of == run,
            _ => false,
        };
        self.waiting.into_iter().filter(move |(message, ..)| !is_gone || !is_of_it(message))
    }
}

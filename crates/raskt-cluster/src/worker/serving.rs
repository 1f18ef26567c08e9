//! Sees to what the scheduler says.

use super::along::Along;
use super::errands::Errands;
use super::fetching::Fetching;
use super::graphs::{Coming, Message, Step};
use super::home::Home;
use super::inbound::Inbound;
use super::link::{Ended, Link};
use crate::face::Face;
use crate::message::{FromWorker, Reads, ToWorker};
use crate::session;
use bytes::Bytes;
use raskt_execute::{WorkerEngine, WorkerError};
use raskt_schedule::{RunId, WorkerId, WorkerOrder};
use raskt_sync::Mutex;
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

/// Why a worker is over that is to begin anew.
pub const RESTARTED: &str = "the scheduler has it begin anew";

/// Sees to what the scheduler says.
pub(super) struct Serving {
    pub engine: WorkerEngine,
    pub fetching: Arc<Fetching>,
    pub face: Arc<dyn Face>,
    pub link: Arc<Link>,
    pub ended: Arc<Ended>,
    pub along: Arc<Along>,
    pub id: Arc<Mutex<Option<WorkerId>>>,
    pub errands: Errands,
    /// What it has of what workers are to have.
    pub plugins: BTreeMap<String, Bytes>,
    /// A graph of which pieces are missing.
    pub coming: Option<Coming>,
    pub home: Home,
}

/// How long is waited for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(60);

impl Serving {
    /// Sees to what has come; whether the worker goes on.
    pub fn see_to(&mut self, inbound: Inbound) -> bool {
        match inbound {
            Inbound::Message(message, bulk, ticket) => self.hear((message, bulk, Some(ticket))),
            Inbound::Event(session::Event::Lost(session::Lost::Forgotten(_))) if self.call_again() => {}
            Inbound::Event(session::Event::Lost(lost)) => {
                self.ended.tell(format!("the session with the scheduler is over: {lost}"));
                return false;
            }
            Inbound::Event(_) => {}
            Inbound::Left => self.engine.tell(),
        }
        true
    }

    /// Does what a message says, unless it has to wait for the rest of a graph; and then what has waited.
    fn hear(&mut self, message: Message) {
        let mut messages = VecDeque::from([message]);
        while let Some(message) = messages.pop_front() {
            let Some(mut coming) = self.coming.take() else {
                self.take(message);
                continue;
            };
            let is_gone = match coming.take(message) {
                Step::Waits => {
                    self.coming = Some(coming);
                    continue;
                }
                Step::Ask(from) => {
                    self.ask(coming.run, from);
                    self.coming = Some(coming);
                    continue;
                }
                Step::Whole(graph) => {
                    self.add_graph(coming.run, &coming.imports, &graph);
                    false
                }
                Step::Gone => true,
            };
            // They were before anything that comes from now on.
            coming
                .waiting(is_gone)
                .collect::<Vec<_>>()
                .into_iter()
                .rev()
                .for_each(|message| messages.push_front(message));
        }
    }

    fn take(&mut self, (message, bulk, ticket): Message) {
        match message {
            ToWorker::Welcome { worker, lineage } => self.welcome(worker, lineage),
            ToWorker::Joined(workers) => self.fetching.joined(workers),
            ToWorker::Left(worker) => self.fetching.left(worker),
            ToWorker::Graph { run, mark, told, bytes } => {
                let reads = match Reads::of(bulk.get(1)) {
                    Ok(reads) => reads,
                    Err(reason) => return self.add_unread(run, &reason),
                };
                self.meet(run, mark, &reads.marks);
                self.along.tell_of(run, &told);
                let first = bulk.into_iter().next().unwrap_or_default();
                self.coming = Coming::new(run, &reads.imports, &first, bytes);
                match &self.coming {
                    Some(coming) => self.ask(run, coming.next()),
                    None => self.add_graph(run, &reads.imports, &first),
                }
            }
            // Of a graph that came to an end otherwise; and what was heard before.
            ToWorker::GraphPiece { .. } | ToWorker::Coordination(_) => {}
            ToWorker::Order(order) => self.obey(order),
            // Who has begun anew knows nothing of what was asked before, and gives other things the same numbers: what comes of these is
            // told in the session in which they came.
            ToWorker::Errand { errand } => {
                self.errands.begin(errand, bulk, self.link.outbox(), ticket);
            }
            ToWorker::Copy { copy, run, tasks, from } => {
                self.fetching.copy((copy, from), run, tasks, self.link.outbox());
            }
            ToWorker::Fetch { run, tasks, from, identity } => {
                self.fetching.take_given(run, tasks, (&from, identity), self.link.outbox());
            }
            ToWorker::Restart => self.restart(),
            ToWorker::Plugins { names } => self.drop_plugins(&names),
            ToWorker::Plugin { name, is_new } => self.plug_in(name, is_new, bulk.into_iter().next()),
            ToWorker::Broken(story) => self.ended.tell(format!("the scheduler broke down: {story}")),
            ToWorker::Leave => self.ended.tell("the scheduler has ended it"),
        }
    }

    fn ask(&self, run: RunId, from: u64) {
        if let Some(outbox) = self.link.outbox() {
            // It is small, and what the worker may say is as good as unbounded beside it.
            let _ = outbox.send_waiting(&FromWorker::GraphPiece { run, from }, vec![], PATIENCE);
        }
    }

    /// Ends, so that whoever looks after the process starts another; if somebody does.
    fn restart(&self) {
        match self.ended.begins_anew() {
            true => {
                self.ended.tell(RESTARTED);
                self.link.outbox().into_iter().for_each(|outbox| outbox.close());
            }
            false => {
                if let Some(outbox) = self.link.outbox() {
                    let _ = outbox.send_waiting(&FromWorker::Stays, vec![], PATIENCE);
                }
            }
        }
    }

    fn obey(&self, order: WorkerOrder) {
        if let WorkerOrder::Forget { run } = &order {
            self.along.forget(*run);
        }
        self.heed(self.engine.handle(order));
    }

    /// An order that can't be obeyed is the end.
    pub fn heed(&self, obeyed: Result<(), WorkerError>) {
        if let Err(error) = obeyed {
            self.ended.tell(format!("the scheduler wants what can't be done: {error}"));
        }
    }
}

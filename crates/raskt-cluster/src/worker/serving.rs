//! Sees to what the scheduler says.

use super::along::Along;
use super::errands::Errands;
use super::fetching::Fetching;
use super::gate::Gate;
use super::graphs::{Coming, Message, Step};
use super::home::Home;
use super::inbound::Inbound;
use super::link::{Ended, Link, answer};
use crate::face::Face;
use crate::message::{FromWorker, Reads, ToWorker};
use crate::session;
use crate::this_worker::KnownAs;
use bytes::Bytes;
use raskt_execute::{WorkerEngine, WorkerError};
use raskt_schedule::{Attempt, RunId, TaskRange, WorkerOrder, WorkerTold};
use std::collections::{BTreeMap, VecDeque};
use std::sync::Arc;

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
    pub known_as: KnownAs,
    pub errands: Errands,
    /// What it has of what workers are to have.
    pub plugins: BTreeMap<String, Bytes>,
    /// What tasks wait for.
    pub gate: Gate,
    /// A graph of which pieces are missing.
    pub coming: Option<Coming>,
    pub home: Home,
}

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
            Inbound::Leaving => self.gate.leave().into_iter().for_each(|message| self.hear(message)),
            Inbound::GoesOn { plugin } => self.plugged_in(&plugin),
        }
        true
    }

    /// Does what a message says, unless it has to wait for the rest of a graph; and then what has waited.
    pub fn hear(&mut self, message: Message) {
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

    fn take(&mut self, message: Message) {
        let Some((message, bulk, ticket)) = self.gate.pass(message) else { return };
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
            // It is given to others. The scheduler may have heard nothing of it yet, or have begun anew since.
            ToWorker::Fetch { .. } if self.fetching.leaves() => {
                answer(self.link.outbox().as_ref(), &self.link.leaves(), &[]);
            }
            ToWorker::Fetch { run, tasks, from, identity } => {
                self.fetching.take_given(run, tasks, (&from, identity), self.link.outbox());
            }
            ToWorker::Ping { number } => answer(self.link.outbox().as_ref(), &FromWorker::Pong { number }, &[]),
            ToWorker::Restart => self.restart(),
            ToWorker::Plugins { names } => self.drop_plugins(&names),
            ToWorker::Plugin { name, is_new } => self.plug_in(name, is_new, bulk.into_iter().next()),
            ToWorker::Prepare { number } => {
                answer(self.link.outbox().as_ref(), &FromWorker::Prepared { number }, &[]);
            }
            ToWorker::Broken(story) => self.ended.tell(format!("the scheduler broke down: {story}")),
            ToWorker::Called { name } => {
                tracing::warn!("this worker is called `{name}` in its cluster, where no two have one name");
                self.known_as.lock().1 = Some(name);
            }
            ToWorker::Leave => self.ended.tell("the scheduler has ended it"),
        }
    }

    fn ask(&self, run: RunId, from: u64) {
        answer(self.link.outbox().as_ref(), &FromWorker::GraphPiece { run, from }, &[]);
    }

    /// Ends, so that whoever looks after the process starts another; if somebody does.
    fn restart(&self) {
        match self.ended.begins_anew() {
            true => {
                self.ended.tell(RESTARTED);
                self.link.outbox().into_iter().for_each(|outbox| outbox.close());
            }
            false => answer(self.link.outbox().as_ref(), &FromWorker::Stays, &[]),
        }
    }

    fn obey(&mut self, order: WorkerOrder) {
        match &order {
            WorkerOrder::Forget { run } => {
                self.along.forget(*run);
                self.gate.forget(*run);
                self.fetching.forget(*run);
            }
            WorkerOrder::Recall { run, attempt, tasks } => {
                if let Some(tasks) = self.gate.take_back((*run, *attempt), tasks) {
                    return self.give_back(*run, *attempt, tasks);
                }
            }
            WorkerOrder::Assign(_) | WorkerOrder::Discard { .. } => {}
        }
        self.heed(self.engine.handle(order));
    }

    /// Tasks that were recalled before they came to the engine.
    fn give_back(&self, run: RunId, attempt: Attempt, tasks: Vec<TaskRange>) {
        if !tasks.is_empty() {
            let told = WorkerTold::Recalled { run, attempt, tasks };
            answer(self.link.outbox().as_ref(), &FromWorker::Told { told, small: vec![] }, &[]);
        }
    }

    /// An order that can't be obeyed is the end.
    pub fn heed(&self, obeyed: Result<(), WorkerError>) {
        if let Err(error) = obeyed {
            self.ended.tell(format!("the scheduler wants what can't be done: {error}"));
        }
    }
}

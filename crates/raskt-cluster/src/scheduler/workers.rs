//! What workers say, and what is wanted of them.

use super::core::Core;
use super::entries::WorkerEntry;
use super::graphs::piece_of;
use crate::coordination::{Ask, Packed, tell_by};
use crate::driver::{Outbox, Peer};
use crate::journal::Record;
use crate::message::{FromWorker, Reads, ToClient, ToWorker, WorkerInfo};
use crate::small::Small;
use bytes::Bytes;
use raskt_graph::LayerId;
use raskt_schedule::{
    Event, FailureScope, LossCause, Offer, Outcome, RunId, TaskRange, WorkerId, WorkerOrder, WorkerTold,
};
use std::collections::{BTreeMap, BTreeSet};

impl Core {
    /// Whether a worker has had this number, though it may have left.
    pub fn has_been(&self, worker: WorkerId) -> bool {
        worker.0 < self.next_worker
    }

    pub fn worker_arrived(&mut self, peer: &Peer, outbox: Outbox<ToWorker>) -> WorkerId {
        let worker = WorkerId(self.next_worker);
        self.next_worker += 1;
        let (name, addresses) = (peer.introduction.name.clone(), peer.introduction.addresses.clone());
        let identity = peer.identity;
        // Of whether what is shared by name is that of before it hears first.
        let session = self.sharing.server.arrived(tell_by(outbox.clone(), ToWorker::Coordination));
        let (own_name, info, knows, resources, kept, runs_on) = Default::default();
        let (joined_at, heard_at, is_retiring, is_away) = (self.now(), self.now(), false, false);
        let entry = WorkerEntry {
            outbox,
            session,
            name,
            own_name,
            addresses,
            identity,
            info,
            resources,
            joined_at,
            heard_at,
            is_retiring,
            leaves: false,
            returns: false,
            is_away,
            preparations: (0, 0),
            offers: (0, 0),
            knows,
            kept,
            adrift: 0,
            runs_on,
            withheld: None,
        };
        entry.send(&ToWorker::Welcome { worker, lineage: self.lineage }, vec![]);
        self.workers.insert(worker, entry);
        worker
    }

    /// A worker, or a task of it, asks for something that is shared by name.
    pub fn worker_asks(&mut self, worker: WorkerId, ask: Packed<Ask>, bulk: &[Bytes]) {
        if let Some(session) = self.workers.get(&worker).map(|worker| worker.session) {
            self.member_asks(session, ask, bulk);
        }
    }

    pub fn worker_says(&mut self, worker: WorkerId, message: FromWorker, bulk: Vec<Bytes>) {
        let now = self.now();
        if let Some(entry) = self.workers.get_mut(&worker) {
            entry.heard_at = now;
        }
        match message {
            FromWorker::Join(offer) => {
                if self.workers.get(&worker).is_none_or(WorkerEntry::is_in) {
                    return;
                }
                let offer = Offer { name: self.call(worker, &offer.name), ..offer };
                let others = self.worker_infos();
                let Some(entry) = self.workers.get_mut(&worker) else { return };
                let (name, addresses) = (entry.name.clone(), entry.addresses.clone());
                let identity = entry.identity;
                let info = WorkerInfo { worker, name, addresses, identity, slots: offer.slots, memory: offer.memory };
                entry.info = Some(info.clone());
                entry.resources = offer.resources.clone();
                entry.offers = (offer.slots, offer.memory);
                entry.send(&ToWorker::Joined(others), vec![]);
                self.plugins.show_all(entry);
                let joined = ToWorker::Joined(vec![info.clone()]);
                self.workers.values().filter(|other| other.is_in()).for_each(|other| other.send(&joined, vec![]));
                self.tell_clients(&ToClient::Joined(vec![info]));
                self.note_info(format!("worker `{}` has joined", offer.name));
                self.note(|| Record::WorkerIn { worker: worker.0, identity });
                self.movements.one_joins();
                self.takers_change();
                self.take_over_from_those_away();
                self.let_in(worker, offer);
                self.back_up_all();
            }
            FromWorker::Kept { run, mark, tasks } => self.kept_by(worker, (run, mark), tasks),
            FromWorker::RunsOn { run, mark, tasks } => self.runs_on(worker, (run, mark), tasks),
            // Of one that hasn't joined nobody knows anything.
            _ if !self.workers.get(&worker).is_some_and(WorkerEntry::is_in) => {}
            FromWorker::Told { told, small } => self.worker_told(worker, told, small),
            FromWorker::Failed { run, task, error } => {
                if self.runs.contains_key(&run) {
                    self.errors.insert((run, task), error);
                }
            }
            FromWorker::GraphPiece { run, from } => {
                let piece = self.bulk_of(run).map(|bytes| piece_of(&bytes, from));
                if let Some(entry) = self.workers.get(&worker) {
                    entry.send(&ToWorker::GraphPiece { run }, piece.into_iter().collect());
                }
            }
            FromWorker::NotGiven { run, tasks, reason } => self.not_given(worker, run, &tasks, &reason),
            FromWorker::Pong { number } => self.answers(worker, number),
            FromWorker::Copied { copy, ref failure } if self.backed_up(worker, copy, failure.is_none()) => {}
            FromWorker::Copied { copy, failure } => self.copied_by(worker, copy, failure),
            FromWorker::Stays => self.stays(worker),
            FromWorker::Prepared { number } => self.is_prepared(worker, number),
            FromWorker::IsEnded { why } => self.is_ended(worker, &why),
            FromWorker::ErrandOver { errand, end } => self.errand_over(worker, errand, end, bulk),
            FromWorker::Coordination(_) => {}
            FromWorker::Leaves { returns } => self.worker_leaves(worker, returns),
        }
    }

    /// It ends what it has begun, and takes nothing more: others do what it gives back, fetch what it was to, and take over what it has.
    fn worker_leaves(&mut self, worker: WorkerId, returns: bool) {
        let Some(entry) = self.workers.get_mut(&worker) else { return };
        entry.returns = returns;
        if std::mem::replace(&mut entry.leaves, true) {
            return;
        }
        self.ask_others_for_gifts(worker, LossCause::Retired);
        self.set_retiring(worker, true);
        // It may be one that retired already, by an order: others that leave hand on to it from now on.
        self.movements.one_comes();
        self.hand_over(worker);
    }

    /// Somebody is about to end a worker, and says why.
    fn is_ended(&mut self, worker: WorkerId, why: &str) {
        let Some(entry) = self.workers.get(&worker) else { return };
        let at = entry.addresses.first().map(|address| format!(" at {address}")).unwrap_or_default();
        let story = format!("worker `{}`{at} {why}", entry.name);
        let now = self.now();
        self.notes.warn(now, story.clone());
        self.causes.note(worker, story);
    }

    fn worker_told(&mut self, worker: WorkerId, told: WorkerTold, small: Vec<Small>) {
        let Some(mut told) = self.withhold(worker, told) else { return };
        if let (WorkerTold::Resized { slots, memory }, Some(entry)) = (&mut told, self.workers.get_mut(&worker)) {
            entry.offers = (*slots, *memory);
            *slots = entry.slots();
        }
        let came = match &told {
            WorkerTold::Scattered { run, tasks, .. } => Some((*run, tasks.clone())),
            _ => None,
        };
        let (mut done, mut dear) = (vec![], vec![]);
        if let WorkerTold::Unsendable { run, reader, .. } = &told {
            // It runs elsewhere, and what kept it from running here isn't why it may fail there.
            done = vec![(*run, *reader)];
        }
        if let WorkerTold::Reported(report) = &told {
            // Of those that have failed it was said why; a range may say that more tasks have than there are.
            let failed = report.outcomes.iter().filter(|(_, outcome)| matches!(outcome, Outcome::Failed));
            let failed: Vec<_> = failed.flat_map(|(range, _)| self.errors.within(report.run, *range)).collect();
            failed.into_iter().for_each(|task| self.note_tried(report.run, task));
            self.note_report(worker, report);
            self.along = (!small.is_empty()).then_some((report.run, small));
            done = self.errors_of_done(report);
            dear = self.backups.dear(&self.machine, report);
        }
        self.handle(told.into_event(worker));
        self.forget_errors(done);
        self.back_up(worker, dear);
        // Who wasn't told of them now fetches them.
        self.along = None;
        if let Some((run, tasks)) = came {
            self.data_came(run, &tasks);
        }
    }

    /// It wasn't heard of for long. Where its system would hear what it doesn't hear, others do its work. Where the way to it is gone,
    /// all that it has done is still there, and is waited for as long as its session lasts.
    pub fn worker_unreachable(&mut self, worker: WorkerId) {
        match self.workers.get(&worker) {
            Some(entry) if entry.outbox.is_cut_off() => self.worker_away(worker, true),
            _ => self.worker_lost(worker, LossCause::Died),
        }
    }

    /// It gets nothing to do while it is away.
    pub fn worker_away(&mut self, worker: WorkerId, is_away: bool) {
        let Some(entry) = self.workers.get_mut(&worker) else { return };
        if std::mem::replace(&mut entry.is_away, is_away) == is_away || !entry.is_in() {
            return;
        }
        let (name, is_withheld) = (entry.name.clone(), entry.withheld.is_some());
        self.takers_change();
        if is_withheld {
            return;
        }
        self.note_info(format!("worker `{name}` {}", if is_away { "is out of reach" } else { "is back" }));
        if is_away {
            self.copies_put_off(worker);
        } else {
            // Be it one of those that leave: where nobody stays they hand on to one another.
            self.movements.one_comes();
        }
        self.resize(worker);
    }

    /// It has come to have another number of slots to be given work for.
    pub fn resize(&mut self, worker: WorkerId) {
        self.takers_change();
        let Some(entry) = self.workers.get(&worker).filter(|entry| entry.is_in() && entry.withheld.is_none()) else {
            return;
        };
        let (slots, memory) = (entry.slots(), entry.offers.1);
        self.handle(Event::WorkerResized { worker, slots, memory });
    }

    pub fn worker_lost(&mut self, worker: WorkerId, cause: LossCause) {
        let Some(entry) = self.workers.remove(&worker) else { return };
        match cause {
            // It hears what it was told last.
            LossCause::Retired => entry.outbox.close(),
            // One that can't be reached, and comes back, hears that there is no such session, and begins another one with what it holds.
            LossCause::Died | LossCause::DiedFetching => entry.outbox.abandon(),
        }
        self.note(|| Record::WorkerOut { worker: worker.0 });
        if entry.leaves && entry.returns {
            self.movements.one_returns();
        }
        self.errands_lost(worker, &entry.name);
        self.member_gone(entry.session);
        if !entry.is_in() || self.is_closed {
            return;
        }
        self.workers.values().for_each(|other| other.send(&ToWorker::Left(worker), vec![]));
        self.tell_clients(&ToClient::Left(worker));
        // What reads data of which others may have died may be why, whatever ran beside that.
        let is_fetching = cause == LossCause::Died && self.careful.is_at(worker);
        let of_machine = if is_fetching { LossCause::DiedFetching } else { cause };
        self.ask_others_for_gifts(worker, cause);
        self.takers_change();
        self.note_info(format!("worker `{}` has left: {cause:?}", entry.name));
        let left = self.backups.of(&self.machine, worker, &entry.knows);
        self.handle(Event::WorkerLost { worker, cause: of_machine });
        self.movements_lost(worker);
        self.backups_lost(worker, cause, left);
        self.pass_on(entry.name);
        self.look_after_movements();
    }

    /// The machine wants something of a worker.
    pub fn order(&mut self, worker: WorkerId, order: WorkerOrder) {
        match &order {
            WorkerOrder::Assign(assignment) => self.show_graph(worker, assignment.run),
            WorkerOrder::Forget { run } => {
                if let Some(entry) = self.workers.get_mut(&worker) {
                    entry.knows.remove(run);
                }
            }
            WorkerOrder::Discard { run, tasks, .. } => self.backups.discarded(&self.machine, *run, tasks),
            WorkerOrder::Recall { .. } => {}
        }
        if let Some(entry) = self.workers.get(&worker) {
            entry.send(&ToWorker::Order(order), vec![]);
        }
    }

    /// Sees to it that a worker has the graph of a run.
    pub fn show_graph(&mut self, worker: WorkerId, run: RunId) {
        if self.workers.get(&worker).is_none_or(|entry| entry.knows.contains(&run)) {
            return;
        }
        let Some(bytes) = self.bulk_of(run) else { return };
        let imports = self.machine.imports_of(run).to_vec();
        let told = self.runs.get(&run).filter(|record| record.failure == FailureScope::Task && !record.is_released);
        let told = told.map(|record| few(&record.wanted)).unwrap_or_default();
        let read: BTreeSet<RunId> = imports.iter().map(|import| import.run).collect();
        let marks = read.into_iter().map(|run| (run, self.mark_of(run))).collect();
        let reads = Reads { imports, marks };
        let graph = ToWorker::Graph { run, mark: self.mark_of(run), told, bytes: bytes.len() as u64 };
        if let Some(entry) = self.workers.get_mut(&worker) {
            entry.knows.insert(run);
            entry.send(&graph, std::iter::once(piece_of(&bytes, 0)).chain(reads.to_bulk()).collect());
        }
    }
}

/// Of more ranges than that one of each layer is told that they are within: a worker that says more than is wanted does no harm, and a
/// message has an end.
const TOLD_RANGES_MOST: usize = 4096;

fn few(ranges: &[TaskRange]) -> Vec<TaskRange> {
    if ranges.len() <= TOLD_RANGES_MOST {
        return ranges.to_vec();
    }
    let mut whole: BTreeMap<LayerId, TaskRange> = BTreeMap::new();
    for &range in ranges {
        let of_layer = whole.entry(range.layer).or_insert(range);
        *of_layer = TaskRange { start: of_layer.start.min(range.start), end: of_layer.end.max(range.end), ..range };
    }
    whole.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn however_many_ranges_are_told_of_there_are_few() {
        let range = |layer, start, end| TaskRange { layer: LayerId(layer), start, end };
        let some: Vec<_> = (0..4).map(|at| range(at % 2, u64::from(at) * 10, u64::from(at) * 10 + 3)).collect();
        assert_eq!(few(&some), some);
        let many: Vec<_> = (0..10_000).map(|at| range(at % 2, u64::from(at) * 10, u64::from(at) * 10 + 3)).collect();
        assert_eq!(few(&many), [range(0, 0, 99_983), range(1, 10, 99_993)]);
    }
}

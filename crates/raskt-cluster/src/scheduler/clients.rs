//! What clients say, and what they hear.

use super::core::Core;
use super::entries::ClientEntry;
use super::gifts::{Gifts, WhyNot};
use super::graphs::RunRecord;
use crate::coordination::{Ask, Packed, tell_by};
use crate::driver::{Outbox, Peer, Ticket};
use crate::journal::Record;
use crate::message::{FromClient, RUNS_OF_A_CLIENT, Submission, ToClient, WorkerInfo};
use bytes::Bytes;
use raskt_graph::Graph;
use raskt_schedule::{Event, FailureScope, Held, RunId, TaskRange};
use std::collections::BTreeSet;
use std::sync::Arc;

/// Ranges of results that the machine is asked for at a time.
const PAGE: usize = 1 << 16;

impl Core {
    pub fn client_arrived(&mut self, peer: &Peer, outbox: Outbox<ToClient>) -> u32 {
        let client = self.next_client;
        self.next_client += 1;
        let secret = self.note_client(client, peer.identity);
        // Of whether what is shared by name is that of before it hears first.
        let session = self.sharing.server.arrived(tell_by(outbox.clone(), ToClient::Coordination));
        let (taken, has) = Default::default();
        let (told, held) = Default::default();
        let entry = ClientEntry { identity: peer.identity, outbox, session, is_durable: false, taken, has, told, held };
        let first_run = RunId(u64::from(client) * RUNS_OF_A_CLIENT);
        entry.send(&ToClient::Welcome { first_run, lineage: self.lineage, secret });
        entry.send(&ToClient::Joined(self.worker_infos()));
        self.clients.insert(client, entry);
        client
    }

    /// A client asks for something that is shared by name.
    pub fn client_asks(&mut self, client: u32, ask: Packed<Ask>, bulk: &[Bytes]) {
        if let Some(session) = self.clients.get(&client).map(|client| client.session) {
            self.member_asks(session, ask, bulk);
        }
    }

    pub fn client_says(
        &mut self,
        client: u32,
        message: FromClient,
        graph: Option<Result<(Bytes, Arc<Graph>), String>>,
        bulk: Vec<Bytes>,
    ) {
        if !self.clients.contains_key(&client) {
            // It was given up: nobody would hear of what it says, or let go of it.
            return;
        }
        let result = match message {
            FromClient::Submit(submission) => {
                let run = submission.run;
                let graph = graph.unwrap_or_else(|| Err("a graph was expected".into()));
                let taken = graph.and_then(|graph| self.submit(client, submission, graph));
                if let (Err(reason), Some(client)) = (&taken, self.clients.get(&client)) {
                    client.send(&ToClient::Refused { run, reason: reason.clone() });
                }
                Ok(())
            }
            // What comes with bulk of its own is taken in elsewhere.
            FromClient::GraphPiece | FromClient::Plugin { .. } | FromClient::Coordination(_) => Ok(()),
            FromClient::Back { .. } => Ok(()),
            FromClient::Has { runs, is_last } => {
                self.client_has(client, runs, is_last);
                Ok(())
            }
            FromClient::Barrier { number } => {
                self.heard(client, number, None);
                Ok(())
            }
            FromClient::Ask { number, question } => {
                self.ask(client, number, question);
                Ok(())
            }
            FromClient::Errand(errand) => self.begin_errand(client, errand, bulk),
            FromClient::Release { tasks } => self.release_tasks(client, tasks),
            FromClient::Cancel { tasks, by_force } => self.cancel(client, &tasks, by_force),
            FromClient::Where { tasks } => self.tell_where(client, &tasks),
            FromClient::Retry { run, tasks } => self.check_own(client, run).and_then(|()| self.retry(run, tasks)),
            FromClient::ReleaseRuns { runs } => runs.into_iter().try_for_each(|run| {
                self.check_own(client, run)?;
                match self.runs.contains_key(&run) {
                    true => self.release(run),
                    // It was refused, or has ended of itself.
                    false => self.data_needed_no_more(run),
                }
                Ok(())
            }),
        };
        if let Err(reason) = result {
            self.note_warning(format!("a client says what can't be: {reason}"));
        }
    }

    pub fn release_tasks(&mut self, client: u32, tasks: Vec<(RunId, TaskRange)>) -> Result<(), String> {
        for of_run in tasks.chunk_by(|(run, _), (next, _)| run == next) {
            let run = of_run[0].0;
            self.check_own(client, run)?;
            let ranges: Vec<_> = of_run.iter().map(|(_, range)| *range).collect();
            self.want_less(run, &ranges);
            self.note(|| Record::Released { run, tasks: ranges.clone() });
            self.tasks_released(run, ranges)?;
        }
        Ok(())
    }

    /// All that it wanted isn't wanted any more.
    pub fn client_lost(&mut self, client: u32) {
        let entry = self.clients.remove(&client);
        if !self.absent.clients.remove(&client) && entry.is_none() {
            return;
        }
        if self.journal.as_ref().is_some_and(|journal| journal.ledger().client(client).is_some()) {
            self.note(|| Record::ClientGone { client });
        }
        self.errands.forget_client(client);
        self.orders_lost(client);
        if let Some(entry) = entry {
            self.member_gone(entry.session);
        }
        let own: Vec<_> = self.runs_from(client).map(|(&run, _)| run).collect();
        for run in own {
            // Others that wait for what it hasn't given would wait for ever.
            let gifts = self.runs.get(&run).map(|record| &record.gifts);
            let awaited = gifts.map(Gifts::awaited).unwrap_or_default();
            self.data_failed(run, &awaited, WhyNot::Told("the client that had it has left".into()));
            self.release(run);
        }
    }

    /// The runs of a client: it has numbers of its own.
    pub fn runs_from(&self, client: u32) -> impl Iterator<Item = (&RunId, &RunRecord)> {
        let first = u64::from(client) * RUNS_OF_A_CLIENT;
        self.runs.range(RunId(first)..=RunId(first + (RUNS_OF_A_CLIENT - 1)))
    }

    /// Who holds what is wanted of a run.
    pub fn held(&self, run: RunId) -> Vec<Held> {
        let Some(record) = self.runs.get(&run) else { return vec![] };
        let mut held: Vec<Held> = vec![];
        for &range in &record.wanted {
            let mut left = range;
            while !left.is_empty() {
                let page = self.machine.who_has(run, left, PAGE);
                left.start =
                    if page.len() < PAGE { left.end } else { page.last().map_or(left.end, |last| last.tasks.end) };
                held.extend(page);
            }
        }
        held
    }

    pub fn check_own(&self, client: u32, run: RunId) -> Result<(), String> {
        let is_own = run.0 / RUNS_OF_A_CLIENT == u64::from(client);
        if is_own { Ok(()) } else { Err(format!("run {} isn't that client's", run.0)) }
    }

    pub fn submit(
        &mut self,
        client: u32,
        submission: Submission,
        (bytes, graph): (Bytes, Arc<Graph>),
    ) -> Result<(), String> {
        self.check_own(client, submission.run)?;
        if self.runs.get(&submission.run).is_some_and(|record| record.client == client && self.journal.is_some()) {
            // It was taken before this scheduler began anew, and its client hadn't heard so.
            if let Some(entry) = self.clients.get_mut(&client) {
                entry.taken.push(submission.run);
                self.tell_later();
            }
            return Ok(());
        }
        self.take_up(client, submission, (bytes, graph), true)
    }

    /// Takes a graph into the machine; one that `is_new` into the journal before.
    pub fn take_up(
        &mut self,
        client: u32,
        submission: Submission,
        (bytes, graph): (Bytes, Arc<Graph>),
        is_new: bool,
    ) -> Result<(), String> {
        let for_journal = (is_new && self.journal.is_some()).then(|| (submission.clone(), bytes.clone()));
        let Submission { run, mark, named, parent, wanted, failure, imports, given, given_at, keeps, in_pieces: _ } =
            submission;
        self.check_named(&named)?;
        TaskRange::check_all(&wanted, &graph).map_err(|error| error.to_string())?;
        TaskRange::check_all(&given, &graph).map_err(|error| error.to_string())?;
        // Nothing is wanted before all data is there, also that of runs which it reads: what stands for it can't be run.
        let awaits = self.held_back_among(&imports);
        let is_held_back = !given.is_empty() || !awaits.is_empty();
        let (at_once, wanted_later) =
            if is_held_back { (vec![], Some(wanted.clone())) } else { (wanted.clone(), None) };
        let in_machine = if given.is_empty() && imports.is_empty() { failure } else { FailureScope::Task };
        let gifts = Gifts::new(&given, given_at, self.careful.asked.of(run));
        let (is_released, has_failed) = (false, false);
        let sources = awaits.clone();
        let pins = if is_held_back { imports.iter().map(|import| import.run).collect() } else { BTreeSet::new() };
        let event = Event::GraphAdded { run, parent, graph, wanted: at_once, failure: in_machine, imports };
        if let Some((submission, graph)) = for_journal {
            self.machine.check(&event).map_err(|error| error.to_string())?;
            // What stands between this and what it reads may be gone before the next scheduler begins: here nobody needs it any more.
            let imports = self.machine.follow(&submission.imports);
            self.note_submission(client, Submission { imports, ..submission }, graph)?;
        }
        let ended = None;
        let record = RunRecord {
            client,
            mark,
            bytes,
            wanted,
            wanted_later,
            awaits,
            pins: BTreeSet::new(),
            pinned: 0,
            unpinned_later: vec![],
            gifts,
            keeps,
            failure,
            is_released,
            has_failed,
            ended,
        };
        self.runs.insert(run, record);
        if !given.is_empty() {
            self.given.insert(run);
            self.ungiven.insert(run);
        }
        let added = self.try_event(event);
        match &added {
            Ok(()) => {
                for source in sources {
                    self.awaited_by.entry(source).or_default().insert(run);
                }
                self.pin(run, pins);
            }
            Err(_) => {
                self.runs.remove(&run);
                self.given.remove(&run);
            }
        }
        added
    }

    /// Its client wants nothing of a run any more. What others import of it is still made, with its graph.
    pub fn release(&mut self, run: RunId) {
        let Some(record) = self.runs.get_mut(&run) else { return };
        if std::mem::replace(&mut record.is_released, true) {
            return;
        }
        self.run_released(run);
        if self.runs.contains_key(&run) {
            self.note(|| Record::RunsReleased { runs: vec![run] });
        }
    }

    /// The machine has forgotten a run: so has everybody, if its client has.
    pub fn forget(&mut self, run: RunId) {
        if !self.runs.get(&run).is_some_and(|record| record.is_released) {
            return;
        }
        let record = self.runs.remove(&run);
        // Of one that was over before this scheduler began it isn't known whether it was given data.
        let was_over = record.as_ref().is_some_and(|record| record.ended.is_some());
        let keeps = record.as_ref().is_some_and(|record| record.keeps);
        if self.given.remove(&run) || was_over || keeps {
            self.data_needed_no_more(run);
        }
        if self.journal.is_some() {
            self.forgotten.push(run);
        }
        // What it stood for won't come: who reads it hears so of the machine.
        self.no_longer_awaited(run).into_iter().for_each(|reader| self.let_on(reader));
        let of_run = (run, raskt_graph::TaskId::new(raskt_graph::LayerId(0), 0))..;
        let cancelled: Vec<_> = self.cancelled.range(of_run).copied().take_while(|(of, _)| *of == run).collect();
        cancelled.iter().for_each(|key| _ = self.cancelled.remove(key));
        self.errors.forget(run);
        self.backups.forget(run);
        self.ungiven.remove(&run);
        self.ungiven_for_now.remove(&run);
        self.stopping.end(run);
        self.given_anew.remove(&run);
        let told = self.roots.remove(&run).unwrap_or_default();
        told.iter().filter_map(|client| self.clients.get(client)).for_each(|client| client.forget_failures(run));
        let Some(record) = record else { return };
        record.awaits.iter().for_each(|source| self.awaits_no_more(run, *source));
        self.unpin(record.pins);
    }

    /// What a client has said counts as taken, unless it is behind: then it hears first what it is owed.
    pub fn hold_back(&mut self, client: u32, ticket: Ticket) {
        if let Some(client) = self.clients.get_mut(&client) {
            client.held.push(ticket);
            if !client.is_behind() {
                client.held.clear();
            }
        }
    }

    /// Those that have caught up may say more.
    pub fn let_clients_go_on(&mut self) {
        let held = self.clients.values_mut().filter(|client| !client.held.is_empty() && !client.is_behind());
        held.for_each(|client| client.held.clear());
    }

    pub fn tell_clients(&self, message: &ToClient) {
        self.clients.values().for_each(|client| client.send(message));
    }

    pub fn worker_infos(&self) -> Vec<WorkerInfo> {
        self.workers.values().filter_map(|worker| worker.info.clone()).collect()
    }
}

//! A scheduler that has begun anew: what its journal says, and the time in which workers come back with what they hold.

use super::absent::{Absent, Recovery};
use super::core::Core;
use super::gifts::Gifts;
use super::graphs::RunRecord;
use super::plugins::Plugins;
use crate::face::read_shape;
use crate::journal::{Ended, Journal, Record, RunLine};
use crate::message::{FailureForm, Submission};
use raskt_graph::TaskId;
use raskt_schedule::{Event, Failure, FailureScope, Offer, RunId, TaskRange, WorkerId, WorkerTold};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// So long is waited for workers that were there before: what they hold is made anew by nobody meanwhile.
const WORKERS_GRACE: Duration = Duration::from_secs(4);
/// So long is waited for clients that were there before: as long as for any that is out of reach.
const CLIENTS_GRACE: Duration = Duration::from_secs(60);
/// The worker of a failure of which that isn't known any more.
const OF_BEFORE: WorkerId = WorkerId(u32::MAX - 1);
/// How often clients are told of runs that they needn't keep.
const TOLD_EVERY: Duration = Duration::from_secs(1);

impl Core {
    /// Goes on with what the journal says.
    pub fn restore(&mut self, journal: Journal) {
        let now = Instant::now();
        self.lineage = journal.lineage();
        if journal.is_found() && !journal.ledger().is_over() {
            self.sharing.server.is_another();
        }
        let ledger = journal.ledger().clone();
        self.plugins = Plugins::restored(&ledger);
        self.journal = Some(journal);
        (self.next_client, self.next_worker) = (ledger.next_client(), ledger.next_worker());
        self.absent = Absent { clients: ledger.clients().collect(), until: Some(now + CLIENTS_GRACE), tells_at: None };
        let expected: BTreeSet<_> = ledger.workers().map(|identity| identity.process).collect();
        if !expected.is_empty() {
            let old = ledger.old_workers().collect();
            self.recovery = Some(Recovery { until: now + WORKERS_GRACE, expected, old, asked: vec![] });
        }
        let mut released = vec![];
        for (run, line) in ledger.runs() {
            released.extend(line.is_released.then_some(run));
            self.restore_run(run, line);
        }
        // What only names keep isn't let go of.
        self.restore_entries(&ledger);
        released.into_iter().for_each(|run| self.release(run));
        self.write_down();
    }

    fn restore_run(&mut self, run: RunId, line: &RunLine) {
        let submission = Submission { wanted: line.still_wanted(), ..line.submission.clone() };
        let taken = match &line.ended {
            Some(ended) => Err(ended.clone()),
            None => read_shape(&line.graph)
                .and_then(|graph| self.take_up(line.client, submission, (line.graph.clone(), Arc::new(graph)), false))
                .map_err(|reason| Ended::Refused(format!("it can't be taken up again: {reason}"))),
        };
        match taken {
            Ok(()) => {
                // It may come once more all the same, for others.
                if let Some(record) = self.runs.get_mut(&run) {
                    record.gifts.let_go(&line.released());
                }
                line.tried().for_each(|(task, times)| self.machine.tried_before(run, task, times));
                self.restore_failures(run, line);
            }
            Err(ended) => _ = self.runs.insert(run, over(line, ended)),
        }
    }

    /// What has failed for good isn't run again, also if others come to read it.
    fn restore_failures(&mut self, run: RunId, line: &RunLine) {
        self.note_cancelled_before(run, line);
        let Some(record) = self.runs.get_mut(&run) else { return };
        // What is held back isn't wanted yet. Data that was lost is asked for again.
        if line.submission.failure != FailureScope::Task || record.wanted_later.is_some() {
            return;
        }
        let mut failed: BTreeMap<(RunId, TaskId), (Vec<TaskRange>, Arc<FailureForm>)> = BTreeMap::new();
        for (range, failure) in line.failures().into_iter().filter(|(_, failure)| has_failed(failure)) {
            record.wanted.push(range);
            let (tasks, _) = failed.entry((failure.run, failure.task)).or_insert_with(|| (vec![], failure));
            tasks.push(range);
        }
        let tasks: Vec<_> = failed.values().flat_map(|(tasks, _)| tasks).copied().collect();
        if !tasks.is_empty() {
            self.handle(Event::Wanted { run, tasks });
        }
        for ((root, task), (tasks, failure)) in failed {
            let FailureForm { error, story, killed, .. } = FailureForm::clone(&failure);
            let cause = killed.and_then(|killed| killed.cause.clone());
            if let (Some(cause), Some(death)) = (cause, story.last()) {
                self.causes.note(death.worker, cause);
            }
            if let Some(error) = error {
                self.errors.insert((root, task), error);
            }
            let failure = Failure { run: root, task, worker: Some(OF_BEFORE), story };
            // First what failed first, if it is there: whatever else reads it fails with it.
            self.fail_before(root, vec![TaskRange::one(task)], failure.clone());
            self.fail_before(run, tasks, failure);
        }
    }

    fn fail_before(&mut self, run: RunId, tasks: Vec<TaskRange>, failure: Failure) {
        if let Err(error) = self.machine.fail_before(self.now(), run, &tasks, failure) {
            tracing::warn!("a failure of before isn't taken in: {error}");
        }
        self.act();
    }

    /// Whether a client is there, or may come back.
    pub fn is_expected(&self, client: u32) -> bool {
        self.clients.contains_key(&client) || self.absent.clients.contains(&client)
    }

    /// A worker is there: once the machine knows what it has, it gets something to do; while others are waited for, later.
    pub fn let_in(&mut self, worker: WorkerId, offer: Offer) {
        let Some(entry) = self.workers.get_mut(&worker) else { return };
        let process = entry.identity.process;
        if entry.kept.is_empty() && entry.adrift == 0 && self.recovery.is_none() {
            let offer = Offer { slots: entry.slots(), ..offer };
            return self.handle(Event::WorkerJoined { worker, offer });
        }
        entry.withheld = Some((offer.slots.saturating_sub(entry.adrift), offer.memory));
        self.handle(Event::WorkerJoined { worker, offer: Offer { slots: 0, ..offer } });
        match &mut self.recovery {
            None => self.settle_in(&[worker]),
            Some(recovery) => {
                recovery.expected.remove(&process);
                if recovery.expected.is_empty() {
                    self.recover();
                }
            }
        }
    }

    /// While a worker gets nothing to do the machine isn't to hear that it has slots.
    pub fn withhold(&mut self, worker: WorkerId, told: WorkerTold) -> Option<WorkerTold> {
        let withheld = self.workers.get_mut(&worker).and_then(|entry| entry.withheld.as_mut());
        match (told, withheld) {
            (WorkerTold::Resized { slots, memory }, Some(withheld)) => {
                *withheld = (slots, memory);
                None
            }
            (told, _) => Some(told),
        }
    }

    /// Those who are back have had their time: work goes on.
    fn recover(&mut self) {
        let (old, asked) = self.recovery.take().map(|recovery| (recovery.old, recovery.asked)).unwrap_or_default();
        // Those who are back have other numbers. Were it to begin anew before this, they would be waited for all the same.
        old.into_iter().for_each(|worker| self.note(|| Record::WorkerOut { worker }));
        let withheld = self.workers.iter().filter(|(_, entry)| entry.withheld.is_some());
        let back: Vec<_> = withheld.map(|(&worker, _)| worker).collect();
        self.settle_in(&back);
        self.cancel_meanwhile();
        self.movements.all_due();
        self.look_after_movements();
        self.spread_gifts();
        asked.into_iter().for_each(|(client, number, question)| self.ask(client, number, question));
    }

    /// Tells the machine what workers have. Data of clients comes first: what is made of it isn't wanted before.
    fn settle_in(&mut self, back: &[WorkerId]) {
        let mut kept: BTreeMap<WorkerId, Vec<_>> = BTreeMap::new();
        for worker in back {
            kept.insert(
                *worker,
                self.workers.get_mut(worker).map(|entry| std::mem::take(&mut entry.kept)).unwrap_or_default(),
            );
        }
        for (&worker, (run, tasks)) in
            kept.iter().flat_map(|(worker, kept)| kept.iter().map(move |kept| (worker, kept)))
        {
            self.take_gifts(worker, *run, tasks);
        }
        for (worker, (run, tasks)) in
            kept.into_iter().flat_map(|(worker, kept)| kept.into_iter().map(move |kept| (worker, kept)))
        {
            self.handle(Event::Kept { worker, run, tasks });
        }
        self.cancel_again();
        // Whether that can be run anywhere is known when all that it may read is there.
        for worker in back {
            let runs_on =
                self.workers.get_mut(worker).map(|entry| std::mem::take(&mut entry.runs_on)).unwrap_or_default();
            runs_on.into_iter().for_each(|(run, tasks)| self.handle(Event::RunsOn { worker: *worker, run, tasks }));
        }
        for &worker in back {
            let Some(entry) = self.workers.get_mut(&worker) else { continue };
            if let Some((slots, memory)) = entry.withheld.take() {
                entry.offers = (slots, memory);
                let slots = entry.slots();
                self.handle(Event::WorkerResized { worker, slots, memory });
            }
        }
    }

    /// Of what a worker has kept, what stands for data of a client.
    fn take_gifts(&mut self, worker: WorkerId, run: RunId, tasks: &[(TaskRange, u64)]) {
        let Some(record) = self.runs.get(&run).filter(|record| !record.gifts.are_none()) else { return };
        let parts = tasks.iter().flat_map(|&(range, bytes)| {
            let each = bytes / range.len().max(1);
            record.gifts.within(range).into_iter().map(move |part| (part, each))
        });
        for (part, each) in parts.collect::<Vec<_>>() {
            let bytes = each.saturating_mul(part.len());
            self.handle(Event::GiftsKept { run, tasks: vec![part], worker, bytes });
            self.data_came(run, &[part]);
        }
    }

    /// Whether something is to be done because time has passed.
    pub fn is_due(&self) -> bool {
        self.due_in().is_some_and(|due| due.is_zero())
    }

    /// In how long something is.
    pub fn due_in(&self) -> Option<Duration> {
        let absent = self.absent.until.filter(|_| !self.absent.clients.is_empty());
        let recovery = self.recovery.as_ref().map(|recovery| recovery.until);
        let next = [recovery, absent, self.absent.tells_at, self.careful.wakes_at()];
        let next = next.into_iter().flatten().min()?;
        Some(next.saturating_duration_since(Instant::now()))
    }

    /// Does it.
    pub fn time_is_up(&mut self) {
        let now = Instant::now();
        if self.recovery.as_ref().is_some_and(|recovery| recovery.until <= now) {
            tracing::info!("not all workers of before have come back: what they had is made anew");
            self.recover();
        }
        if self.absent.until.is_some_and(|until| until <= now) {
            self.absent.until = None;
            self.absent.clients.clone().into_iter().for_each(|client| self.client_lost(client));
        }
        if self.absent.tells_at.is_some_and(|at| at <= now) {
            self.absent.tells_at = None;
            self.clients.values_mut().for_each(super::entries::ClientEntry::tell_taken);
        }
        if self.recovery.is_none() {
            self.spread_with_care();
        }
    }

    /// Clients are to be told in a while.
    pub fn tell_later(&mut self) {
        self.absent.tells_at.get_or_insert_with(|| Instant::now() + TOLD_EVERY);
    }
}

/// Whether it has failed of itself.
fn has_failed(failure: &FailureForm) -> bool {
    !failure.is_lost && !failure.is_cancellation()
}

/// A run that is over: its client is told when it comes back.
fn over(line: &RunLine, ended: Ended) -> RunRecord {
    RunRecord {
        client: line.client,
        mark: line.submission.mark,
        bytes: line.graph.clone(),
        wanted: vec![],
        wanted_later: None,
        awaits: BTreeSet::new(),
        pins: BTreeSet::new(),
        pinned: 0,
        unpinned_later: vec![],
        gifts: Gifts::default(),
        keeps: line.submission.keeps,
        failure: line.submission.failure,
        is_released: false,
        has_failed: true,
        ended: Some(ended),
    }
}

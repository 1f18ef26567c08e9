//! A client comes back to a scheduler that has begun anew: nobody who waits for something notices more than that it takes longer.
//!
//! ```text
//!  the session is forgotten ──▶ away: called again, results are to come anew
//!        Back(number, secret) ──▶ Knows(runs) ──▶ what it doesn't know is submitted again, Has(what is wanted) ──▶ there
//! ```

use super::after_calls::AfterCalls;
use super::failed::{ClusterError, TaskFailed};
use super::home::{Away, KnownAs, Unwritten};
use super::known::{Heard, State};
use super::sending::send_graph;
use super::shared::Shared;
use super::table::TaskTable;
use crate::driver::{Outbox, inbox};
use crate::hello::Role;
use crate::message::{FromClient, RUNS_OF_A_CLIENT, Submission};
use bytes::Bytes;
use raskt_schedule::{RunId, TaskRange};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

/// Ranges of tasks, and runs, that one message names.
const NAMED_AT_A_TIME: usize = 1 << 14;

/// How long is waited at a time for a scheduler that takes nothing.
const PATIENCE: Duration = Duration::from_secs(60);

impl State {
    /// Whether what is submitted outlives the scheduler once that has said so.
    pub fn is_written_down(&self) -> bool {
        self.known_as.is_some_and(|known_as| known_as.secret.is_some())
    }

    /// Tasks are to be run again. Gives the number under which that is to be heard.
    pub fn note_retry(&mut self, run: RunId, tasks: &[TaskRange]) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        if self.is_written_down() {
            self.retries.insert(number, (run, tasks.to_vec()));
        }
        number
    }

    /// Tasks are cancelled. Gives the same.
    pub fn note_cancel(&mut self, tasks: &[(RunId, TaskRange)], by_force: bool) -> u64 {
        let number = self.next_number;
        self.next_number += 1;
        if self.is_written_down() {
            self.cancels.insert(number, (tasks.to_vec(), by_force));
        }
        number
    }

    /// What may have to be submitted again. Of what nobody has a handle of nothing is wanted; others may read it.
    fn unwritten_for_now(&self) -> Vec<Unwritten> {
        let mut all: Vec<_> = self.unwritten.values().cloned().collect();
        for Unwritten { submission, .. } in &mut all {
            if !self.runs.contains_key(&submission.run) && !self.tables.contains_key(&submission.run) {
                submission.wanted.clear();
            }
        }
        all
    }

    pub fn learn_known(&mut self, runs: Vec<RunId>, is_last: bool) {
        let Some(away) = &mut self.away else { return };
        away.known.extend(runs);
        if is_last {
            let _ = away.all_known.send(std::mem::take(&mut away.known));
        }
    }

    /// What is wanted of runs: nothing for one that is wanted as a whole.
    fn wants(&self) -> BTreeMap<RunId, Option<Vec<TaskRange>>> {
        let tables = self.tables.iter().map(|(&run, table)| (run, Some(table.wanted())));
        self.runs.keys().map(|&run| (run, None)).chain(tables).collect()
    }
}

impl Shared {
    /// The scheduler doesn't know the session: calls it again, if it may have begun anew. Whether that is so.
    pub(super) fn begin_return(self: &Arc<Self>, state: &mut State) -> bool {
        let Some((known_as, secret)) = state.known_as.and_then(|known_as| Some((known_as, known_as.secret?))) else {
            return false;
        };
        let Some((network, home)) = self.home.get().and_then(|home| Some((home.network.upgrade()?, home))) else {
            return false;
        };
        let hearing = self.coordination.session();
        let hears = (self.clone(), hearing.clone());
        let inbox = inbox(move |incoming| hears.0.hear(&hears.1, incoming));
        let Ok(outbox) = network.connect::<FromClient>(&home.scheduler, Role::Scheduler, inbox) else { return false };
        let (all_known, known) = channel();
        let returns = (self.clone(), outbox.clone());
        let number = state.next_number;
        state.next_number += 1;
        let spawned = std::thread::Builder::new().name("raskt-return".into()).spawn(move || {
            let (shared, outbox) = returns;
            match shared.come_back(number, &outbox, &known) {
                // What is shared by name may name results, of which the scheduler knows by now.
                Some(()) => {
                    _ = hearing.carried_by(Arc::new(AfterCalls::new(&shared, outbox)));
                }
                // If it isn't over already, nobody may wait for it for ever.
                None => outbox.close(),
            }
        });
        let back = FromClient::Back { client: known_as.client, secret };
        if spawned.is_err() || outbox.send(&back, vec![]).is_err() {
            return false;
        }
        state.away = Some(Away { number, known: BTreeSet::new(), all_known });
        state.forget_holders();
        for answer in state.asked.values_mut() {
            answer.get_or_insert(Heard::Unknown);
        }
        let calls = self.asking.interrupt();
        state.call(calls);
        true
    }

    /// The scheduler has let this client in, as a new one if it hasn't been there before.
    pub(super) fn welcomed(&self, state: &mut State, first_run: RunId, lineage: [u8; 16], secret: Option<[u8; 16]>) {
        state.causes.clear();
        if state.away.is_none() {
            let client = (first_run.0 / RUNS_OF_A_CLIENT) as u32;
            state.known_as = Some(KnownAs { client, lineage, secret });
            state.next_run = Some(first_run.0);
        } else if state.known_as.is_none_or(|known_as| known_as.lineage != lineage) {
            self.lose(
                state,
                "the session with the scheduler is over: it has begun anew, and knows nothing of before".into(),
            );
        }
    }

    /// Whether the scheduler knows this client, and what it has.
    pub(super) fn known(&self, state: &mut State, is_known: bool) {
        if state.away.is_some() && !is_known {
            self.lose(state, "the session with the scheduler is over: it doesn't know this client any more".into());
        }
    }

    /// Sends a graph; one that may be lost with the scheduler is sent again by whoever brings this client back.
    pub(super) fn submit(
        &self,
        outbox: &Outbox<FromClient>,
        submission: Submission,
        graph: Bytes,
    ) -> Result<(), ClusterError> {
        let home = self.home.get().filter(|_| submission.in_pieces);
        let _alone = home.map(|home| home.large.lock());
        match send_graph(outbox, submission, graph) {
            Ok(true) => Ok(()),
            Ok(false) if self.state.lock().is_written_down() => Ok(()),
            Ok(false) => Err(ClusterError::Disconnected("the scheduler has begun anew".into())),
            Err(error) => Err(error),
        }
    }

    /// A run isn't sent, and won't be.
    pub(super) fn has_not_begun(&self, run: RunId, error: &ClusterError) {
        let failed = TaskFailed::of_run(error.clone(), self.face.clone());
        self.change(|state| state.end(run, &failed));
        self.shelf.forget(run);
    }

    /// Goes on where it was, as soon as the scheduler has said what it knows.
    fn come_back(&self, number: u64, outbox: &Outbox<FromClient>, known: &Receiver<BTreeSet<RunId>>) -> Option<()> {
        let known = known.recv().ok()?;
        self.end_unknown(&known);
        self.state.lock().unwritten.retain(|run, _| !known.contains(run));
        self.say_cancels(outbox, &known)?;
        self.say_retries(outbox, &known)?;
        let mut sent = known;
        self.submit_again(outbox, &mut sent)?;
        // What isn't wanted any more goes now. It may be read by anything that was submitted until then, calls that gather among it: that
        // is submitted before. Whatever comes later reads what is wanted now.
        let (again, wants) = self.unsent_and_wanted(&sent);
        self.submit_these(outbox, again, &mut sent)?;
        self.say_wants(outbox, wants)?;
        loop {
            self.submit_again(outbox, &mut sent)?;
            let mut state = self.state.lock();
            // Where the session is over already, somebody else is on the way back.
            state.away.as_ref().filter(|away| away.number == number)?;
            if state.unwritten.keys().all(|run| sent.contains(run)) {
                // Whoever begins a run from now on sends it there.
                state.outbox = Some(outbox.clone());
                state.away = None;
                drop(state);
                self.changed.notify_all();
                self.let_go_of_data();
                return Some(());
            }
        }
    }

    /// What the scheduler hasn't been sent, and may not have heard of before; and what is wanted of that and of what was `sent`.
    fn unsent_and_wanted(&self, sent: &BTreeSet<RunId>) -> (Vec<Unwritten>, BTreeMap<RunId, Option<Vec<TaskRange>>>) {
        let mut gathered = self.gathered.lock();
        self.send_these(&mut gathered, &self.patiently());
        let state = self.state.lock();
        let (mut unsent, mut wants) = (state.unwritten_for_now(), state.wants());
        unsent.retain(|unwritten| !sent.contains(&unwritten.submission.run));
        let are_known: BTreeSet<RunId> = unsent.iter().map(|unwritten| unwritten.submission.run).collect();
        wants.retain(|run, _| sent.contains(run) || are_known.contains(run));
        (unsent, wants)
    }

    /// Submits once more what the scheduler may not have heard of before.
    fn submit_again(&self, outbox: &Outbox<FromClient>, sent: &mut BTreeSet<RunId>) -> Option<()> {
        let mut again = self.state.lock().unwritten_for_now();
        again.retain(|unwritten| !sent.contains(&unwritten.submission.run));
        self.submit_these(outbox, again, sent)
    }

    fn submit_these(
        &self,
        outbox: &Outbox<FromClient>,
        mut these: Vec<Unwritten>,
        sent: &mut BTreeSet<RunId>,
    ) -> Option<()> {
        these.sort_unstable_by_key(|unwritten| unwritten.order);
        for Unwritten { submission, graph, .. } in these {
            let run = submission.run;
            match send_graph(outbox, submission, graph) {
                Ok(true) => {}
                // It is for itself alone, as when it was sent first.
                Err(error @ ClusterError::Refused(_)) => self.has_not_begun(run, &error),
                _ => return None,
            }
            sent.insert(run);
        }
        outbox.lost().is_none().then_some(())
    }

    /// The scheduler may have said before it began anew that nobody needs the data of some runs: asks once more.
    fn let_go_of_data(&self) {
        let mut runs = self.shelf.runs();
        {
            let state = self.state.lock();
            runs.retain(|run| !state.runs.contains_key(run) && !state.tables.contains_key(run));
        }
        runs.into_iter().for_each(|run| self.errands.let_go(run));
    }

    /// What the scheduler doesn't know, and nobody can tell it again, is lost.
    fn end_unknown(&self, known: &BTreeSet<RunId>) {
        let sentence = "the scheduler has begun anew, and its journal doesn't have the run";
        let failed = TaskFailed::of_run(ClusterError::Lost(sentence.into()), self.face.clone());
        self.change(|state| {
            let all: Vec<_> = state.runs.keys().chain(state.tables.keys()).copied().collect();
            // Of one that gathers nobody could know.
            let gathering = state.gathering;
            let is_lost =
                |run: &RunId| !known.contains(run) && !state.unwritten.contains_key(run) && Some(*run) != gathering;
            let lost: Vec<_> = all.into_iter().filter(is_lost).collect();
            lost.into_iter().for_each(|run| state.end(run, &failed));
        });
        self.changed.notify_all();
    }

    /// Says what was cancelled and may not have been heard; what isn't known any more once it was submitted again.
    fn say_cancels(&self, outbox: &Outbox<FromClient>, known: &BTreeSet<RunId>) -> Option<()> {
        let (mut cancels, mut later) = (vec![], vec![]);
        {
            let mut state = self.state.lock();
            let State { cancels: all, unwritten, .. } = &mut *state;
            for (&number, (tasks, by_force)) in all.iter_mut() {
                let again = tasks.iter().filter(|(run, _)| unwritten.contains_key(run));
                later.extend(again.map(|&(run, range)| (run, range, *by_force)));
                tasks.retain(|(run, _)| known.contains(run));
                cancels.push((number, tasks.clone(), *by_force));
            }
            all.retain(|_, (tasks, _)| !tasks.is_empty());
        }
        later.into_iter().for_each(|(run, range, by_force)| self.errands.cancel(run, &[range], by_force));
        for (number, tasks, by_force) in cancels.into_iter().filter(|(_, tasks, _)| !tasks.is_empty()) {
            outbox.send_waiting(&FromClient::Cancel { tasks, by_force }, vec![], PATIENCE).ok()?;
            outbox.send_waiting(&FromClient::Barrier { number }, vec![], PATIENCE).ok()?;
        }
        Some(())
    }

    /// Says what is to be run again and may not have been heard, before it is told what has failed.
    fn say_retries(&self, outbox: &Outbox<FromClient>, known: &BTreeSet<RunId>) -> Option<()> {
        let retries = {
            let mut state = self.state.lock();
            // What isn't known is submitted again, or lost.
            state.retries.retain(|_, (run, _)| known.contains(run));
            state.retries.clone()
        };
        for (number, (run, tasks)) in retries {
            let retry = FromClient::Retry { run, tasks };
            outbox.send_waiting(&retry, vec![], PATIENCE).ok()?;
            outbox.send_waiting(&FromClient::Barrier { number }, vec![], PATIENCE).ok()?;
        }
        Some(())
    }

    fn say_wants(&self, outbox: &Outbox<FromClient>, wants: BTreeMap<RunId, Option<Vec<TaskRange>>>) -> Option<()> {
        let (mut runs, mut named) = (vec![], 0);
        for (run, tasks) in wants {
            named += 1 + tasks.as_ref().map_or(0, Vec::len);
            runs.push((run, tasks));
            if named >= NAMED_AT_A_TIME {
                let part = FromClient::Has { runs: std::mem::take(&mut runs), is_last: false };
                outbox.send_waiting(&part, vec![], PATIENCE).ok()?;
                named = 0;
            }
        }
        outbox.send_waiting(&FromClient::Has { runs, is_last: true }, vec![], PATIENCE).ok()
    }
}

impl State {
    /// Workers have other numbers from now on: who holds what is told anew.
    fn forget_holders(&mut self) {
        self.workers.clear();
        self.runs.values().for_each(|run| run.go());
        let tables: Vec<_> = self.tables.keys().copied().collect();
        tables.into_iter().for_each(|run| self.change_tasks(run, TaskTable::go_all));
    }
}

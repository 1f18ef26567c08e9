//! Has calls made: at once, or together with others that come within a moment.
//!
//! A call that reads what has still to come can't begin before that. So it waits here for a moment, and calls that come
//! meanwhile, and read it or others that have still to come, go with it as one run: a chain costs a way to the scheduler and back
//! for each run, and not for each link. Whoever waits for results, or says anything to the scheduler, has them sent before.

use super::calls::{Call, Calls, Gathered, Waiting, Written};
use super::failed::ClusterError;
use super::shared::Shared;
use super::table::{Place, TaskTable};
use super::tasks::TaskRun;
use super::{Client, Job};
use crate::driver::Outbox;
use crate::message::{FromClient, Submission};
use bytes::Bytes;
use raskt_graph::TaskId;
use raskt_schedule::{FailureScope, RunId, TaskRange};
use raskt_sync::MutexGuard;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// For so long a call waits for others at most, if nobody waits for it.
pub(super) const GATHERING: Duration = Duration::from_millis(1);

/// Whoever leaves waits for so long at most for somebody who is sending calls.
const LEAVING: Duration = Duration::from_millis(100);

/// As long as no more is on its way to the scheduler, sending takes no time.
const SWIFT_BYTES: u64 = 32 << 20;

/// How something is sent.
type Send<'a> = &'a dyn Fn(&Outbox<FromClient>, Submission, Bytes) -> Result<(), ClusterError>;

impl Client {
    /// Has a call made, as a task that stands alone. If something that it reads has still to come, it may wait a moment for others
    /// that go with it.
    pub fn call(&self, call: Call) -> Result<(TaskRun, TaskId), ClusterError> {
        match self.shared.awaits(&call.reads) {
            Some(awaits) => self.shared.gather_call(call, awaits),
            None => self.call_at_once(call),
        }
    }

    fn call_at_once(&self, call: Call) -> Result<(TaskRun, TaskId), ClusterError> {
        let mut calls = Calls::like(&call);
        let task = calls.add(call, None);
        let keeps = std::mem::take(&mut calls.keeps);
        let tasks = vec![TaskRange::one(task)];
        let Written { graph, imports, parent } = calls.written(&*self.shared.face).map_err(ClusterError::Refused)?;
        let wanted = tasks.clone();
        let run = self.submit_tasks(Job { graph, wanted, imports, parent, ..Job::default() })?;
        if !keeps.is_empty() {
            self.shared.on_settled(&[(run.id(), tasks)], Box::new(move || drop(keeps)));
        }
        Ok((run, task))
    }

    /// Sends calls that wait for others, if that takes no time: else it is done meanwhile.
    pub fn send_calls(&self) {
        self.shared.begin_to_send_calls();
    }
}

impl Shared {
    /// If something of this has still to come: the runs of data that it waits for. Nothing if it is all there, or if that are too
    /// many to tell.
    fn awaits(&self, reads: &[(RunId, TaskId)]) -> Option<Arc<[RunId]>> {
        let mut found: Option<Arc<[RunId]>> = None;
        let state = self.state.lock();
        for &(run, task) in reads {
            let Some(table) = state.tables.get(&run).filter(|table| table.place(task) == Place::Pending) else {
                continue;
            };
            let awaits = table.awaits.clone()?;
            found = match found {
                Some(found) if found != awaits => return None,
                _ => Some(awaits),
            };
        }
        found
    }

    /// Adds a call to those that wait.
    fn gather_call(self: &Arc<Self>, call: Call, awaits: Arc<[RunId]>) -> Result<(TaskRun, TaskId), ClusterError> {
        let mut gathered = self.gathered.lock();
        let fits = |waiting: &Waiting| waiting.awaits == awaits && waiting.calls.may_take(&call);
        if !gathered.calls.as_ref().is_some_and(fits) {
            self.send_these(&mut gathered, &self.patiently());
        }
        let known = gathered.calls.as_ref().and_then(|waiting| TaskRun::again(&waiting.run));
        let run = match known {
            Some(run) => run,
            None => self.begin_gathering(&mut gathered, &call, awaits)?,
        };
        let Some(waiting) = &mut gathered.calls else {
            return Err(ClusterError::Refused("calls are gathered nowhere, which is a bug".into()));
        };
        let task = waiting.calls.add(call, Some(run.id()));
        self.state.lock().want(run.id(), task)?;
        if waiting.calls.is_full() {
            self.send_these(&mut gathered, &self.patiently());
        } else if !std::mem::replace(&mut gathered.is_looked_after, true) {
            self.errands.look_after_calls();
        }
        Ok((run, task))
    }

    /// A run for calls that come from now on, of which the scheduler hears later.
    fn begin_gathering(
        self: &Arc<Self>,
        gathered: &mut Gathered,
        call: &Call,
        awaits: Arc<[RunId]>,
    ) -> Result<TaskRun, ClusterError> {
        let mut state = self.state.lock();
        let id = state.take_number()?;
        state.tables.insert(id, TaskTable::new(&[]).awaiting(Some(awaits.clone())));
        state.gathering = Some(id);
        drop(state);
        let run = TaskRun::new(id, (Arc::default(), vec![]), self.clone());
        gathered.calls =
            Some(Waiting { calls: Calls::like(call), run: run.downgrade(), since: Instant::now(), awaits });
        Ok(run)
    }

    /// Sends calls that wait for others. Whoever says something to the scheduler that may be about them does this before.
    pub(super) fn send_calls(&self) {
        self.send_these(&mut self.gathered.lock(), &self.patiently());
    }

    /// The same for who only waits for results, as long as he likes and no longer. Whoever is at it goes on without him; and where the
    /// scheduler takes nothing, so that sending may take long, the thread for errands does it.
    pub(super) fn begin_to_send_calls(&self) {
        let Some(mut gathered) = self.gathered.try_lock() else { return };
        if gathered.calls.is_none() {
            return;
        }
        let behind = self.state.lock().outbox.as_ref().map_or(0, Outbox::outstanding_bytes);
        if behind <= SWIFT_BYTES {
            self.send_these(&mut gathered, &self.patiently());
        } else if !std::mem::replace(&mut gathered.is_looked_after, true) {
            self.errands.look_after_calls();
        }
    }

    /// The same for those of this run, and of no other.
    pub(super) fn send_calls_of(&self, is_of: impl Fn(RunId) -> bool) {
        let mut gathered = self.gathered.lock();
        // Which can't change meanwhile.
        if self.state.lock().gathering.is_some_and(is_of) {
            self.send_these(&mut gathered, &self.patiently());
        }
    }

    /// Sends those that have waited for long enough; when to look again, if others wait.
    pub(super) fn send_old_calls(&self) -> Option<Instant> {
        let mut gathered = self.gathered.lock();
        let ends = gathered.calls.as_ref().map(|waiting| waiting.since + GATHERING);
        if ends.is_some_and(|ends| ends > Instant::now()) {
            return ends;
        }
        gathered.is_looked_after = false;
        self.send_these(&mut gathered, &self.patiently());
        None
    }

    /// Sends what can be sent without waiting, for who leaves.
    pub(super) fn send_calls_at_last(&self) {
        let at_once = |outbox: &Outbox<FromClient>, submission: Submission, graph: Bytes| {
            let sent = outbox.send(&FromClient::Submit(submission), vec![graph]);
            sent.map_err(|error| ClusterError::Disconnected(error.to_string()))
        };
        if let Some(mut gathered) = self.gathered.try_lock_for(LEAVING) {
            self.send_these(&mut gathered, &at_once);
        }
    }

    pub(super) fn patiently(&self) -> impl Fn(&Outbox<FromClient>, Submission, Bytes) -> Result<(), ClusterError> {
        |outbox, submission, graph| self.submit(outbox, submission, graph)
    }

    /// Sends the calls that wait. Nobody else says anything of them before that is done, since he waits for the lock.
    pub(super) fn send_these(&self, gathered: &mut MutexGuard<'_, Gathered>, send: Send<'_>) {
        let Some(Waiting { mut calls, run, .. }) = gathered.calls.take() else { return };
        let Some(run) = TaskRun::again(&run) else { return };
        let keeps = std::mem::take(&mut calls.keeps);
        // Writing takes its time: the run gathers until that is done, and whoever brings this client back leaves it alone.
        let written = calls.written(&*self.face).map_err(ClusterError::Refused);
        let Some((submission, graph, outbox)) = self.end_gathering(run.id(), written) else { return };
        let wanted = submission.wanted.clone();
        if let Err(error) = send(&outbox, submission, graph) {
            self.has_not_begun(run.id(), &error);
        }
        if !keeps.is_empty() {
            self.on_settled(&[(run.id(), wanted)], Box::new(move || drop(keeps)));
        }
    }

    /// What is to be sent of a run whose calls have waited, and the way to the scheduler. From here on it is one that the scheduler may
    /// not have written down, and in no moment between that and gathering. Nothing if nothing of it is wanted, if it can't be written, or
    /// there is no way: then who wants it was told.
    fn end_gathering(
        &self,
        run: RunId,
        written: Result<Written, ClusterError>,
    ) -> Option<(Submission, Bytes, Outbox<FromClient>)> {
        let mut state = self.state.lock();
        state.gathering = None;
        let wanted = state.tables.get(&run)?.wanted();
        let is_wanted = !wanted.is_empty() && state.lost.is_none();
        let outbox = state.outbox.clone().filter(|_| is_wanted)?;
        let Written { graph, imports, parent } = match written {
            Ok(written) => written,
            Err(error) => {
                drop(state);
                self.has_not_begun(run, &error);
                return None;
            }
        };
        let submission = Submission {
            run,
            mark: self.mark,
            named: vec![],
            parent,
            wanted,
            failure: FailureScope::Task,
            imports,
            given: vec![],
            given_at: vec![],
            keeps: false,
            in_pieces: false,
        };
        state.keep_unwritten(&submission, &graph);
        Some((submission, graph, outbox))
    }
}

//! Clients of tasks, and words to the scheduler of which it has to be known that they were heard.

use super::failed::ClusterError;
use super::known::Heard;
use super::table::TaskState;
use super::tasks::TaskRun;
use super::{Client, ConnectError};
use crate::Address;
use crate::driver::{Network, NetworkOptions};
use crate::face::Face;
use crate::hello::Role;
use crate::message::FromClient;
use crate::this_worker::ThisWorker;
use bytes::Bytes;
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{RunId, TaskRange};
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

impl Client {
    /// A client of the scheduler of a worker of this process, known by what that is known by.
    pub fn of_worker(
        worker: &ThisWorker,
        name: &str,
        listen: &Address,
        face: Arc<dyn Face>,
        patience: Duration,
    ) -> Result<Self, ConnectError> {
        let mut options = NetworkOptions::new(Role::Client, worker.options.security.clone())?;
        options.introduction = worker.options.introduction.clone();
        name.clone_into(&mut options.introduction.name);
        options.introduction.addresses.clear();
        Self::connect(Network::start(options)?, &worker.scheduler, listen, face, patience)
    }

    /// Takes up a result of the run that makes it, which may be anybody's ([`Self::take_up`]), and waits until the scheduler knows:
    /// whoever holds it now may let go of it. Gives the run and the task that stand for it.
    ///
    /// # Errors
    /// If it isn't there any more; `mark` is what tells its run from any other of that number ([`TaskRun::mark_of`]).
    pub fn adopt_at_once(
        &self,
        (run, task): (RunId, TaskId),
        mark: Option<u64>,
        patience: Duration,
    ) -> Result<(TaskRun, TaskId), ClusterError> {
        let adopted = self.adopt_all_at_once(run, &[TaskRange::one(task)], mark, patience)?;
        Ok((adopted, TaskId::new(LayerId(0), 0)))
    }

    /// The same for many tasks of a run; those of the run that it gives stand for them in order.
    pub fn adopt_all_at_once(
        &self,
        run: RunId,
        tasks: &[TaskRange],
        mark: Option<u64>,
        patience: Duration,
    ) -> Result<TaskRun, ClusterError> {
        let named = mark.map(|mark| (run, mark)).into_iter().collect();
        let each: Vec<_> = tasks.iter().map(|range| (run, *range)).collect();
        let adopted = self.take_up_named(&each, named)?;
        self.say(|number| FromClient::Barrier { number }, &[], patience)?;
        // What isn't taken is told before.
        for index in 0..TaskRange::count(tasks) {
            if let TaskState::Failed(failed) = adopted.state(TaskId::new(LayerId(0), index))
                && failed.root().is_none()
            {
                return Err(failed.error());
            }
        }
        Ok(adopted)
    }

    /// Waits until the scheduler has taken in all that this client has said, also what it has let go of and cancelled.
    pub fn barrier(&self, patience: Duration) -> Result<(), ClusterError> {
        let this = self.shared.barriers.begun.fetch_add(1, Ordering::SeqCst) + 1;
        // What isn't wanted any more, or is cancelled, gathers for a while.
        self.shared.errands.tell_now(&*self.shared, patience);
        self.say(|number| FromClient::Barrier { number }, &[], patience)?;
        self.shared.barriers.heard.fetch_max(this, Ordering::SeqCst);
        Ok(())
    }

    /// A point in what this client says: by the next [`Self::barrier`] all before it is heard.
    pub fn now(&self) -> u64 {
        self.shared.barriers.begun.load(Ordering::SeqCst)
    }

    /// Whether the scheduler is known to have taken in all that was said before that point.
    pub fn is_heard(&self, point: u64) -> bool {
        self.shared.barriers.heard.load(Ordering::SeqCst) > point
    }

    /// Has all workers have this, those that come later too, before any task that comes later; nothing takes it away.
    pub fn plugin(&self, name: &str, plugin: Option<Bytes>, patience: Duration) -> Result<(), ClusterError> {
        let message = |number| FromClient::Plugin { number, name: name.to_owned() };
        let bulk: Vec<_> = plugin.into_iter().collect();
        self.say(message, &bulk, patience)
    }

    /// Says something that may be said again, and waits until it was heard: also by a scheduler that begins anew meanwhile.
    fn say(&self, message: impl Fn(u64) -> FromClient, bulk: &[Bytes], patience: Duration) -> Result<(), ClusterError> {
        let deadline = Instant::now() + patience;
        loop {
            let number = {
                let mut state = self.shared.state.lock();
                let number = state.next_number;
                state.next_number += 1;
                state.asked.insert(number, None);
                number
            };
            let heard =
                self.shared.send(&message(number), bulk.to_vec()).and_then(|()| self.await_heard(number, deadline));
            self.shared.state.lock().asked.remove(&number);
            match heard? {
                Heard::Done => return Ok(()),
                Heard::Refused(reason) => return Err(ClusterError::Refused(reason)),
                Heard::Unknown => {}
            }
        }
    }

    fn await_heard(&self, number: u64, deadline: Instant) -> Result<Heard, ClusterError> {
        let mut state = self.shared.state.lock();
        loop {
            if let Some(answer) = state.asked.get(&number).cloned().flatten() {
                return Ok(answer);
            }
            if let Some(lost) = &state.lost {
                return Err(ClusterError::Disconnected(lost.clone()));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ClusterError::TimedOut);
            }
            state = self.shared.changed.wait_for(state, left).0;
        }
    }
}

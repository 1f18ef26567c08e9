//! Data that clients give.

use super::Head;
use crate::context::Context;
use crate::host::Jobs;
use crate::network::Message;
use raskt_schedule::{Event, RunId, TaskRange, WorkerId};

/// What the scheduler is told that one piece of given data takes.
const GIVEN_BYTES: u64 = 256;

impl Head {
    /// Sends data that no worker has to one that is there.
    pub(super) fn send_gifts(&mut self, context: &mut Context, jobs: Jobs) {
        let Some(worker) = self.workers().last() else { return };
        let unsent = self.gifts.iter_mut().filter(|(_, to)| to.is_none());
        let unsent: Vec<_> = unsent.map(|(&run, to)| (run, *to.insert(worker))).collect();
        for (run, to) in unsent {
            let tasks = TaskRange::of(jobs[&run].given.iter().copied());
            self.send(context, to, Message::Hold { run, tasks });
        }
    }

    /// A worker says that it has the data of a run, which may have been given up meanwhile.
    pub(super) fn take_gift(&mut self, context: &mut Context, worker: WorkerId, run: RunId, tasks: &[TaskRange]) {
        let bytes = TaskRange::count(tasks) * GIVEN_BYTES;
        self.handle(context, Event::Scattered { run, tasks: tasks.to_vec(), worker, bytes });
        if self.gifts.remove(&run).is_some() {
            self.tell_client(context, run, Message::Scattered { run });
        }
    }
}

//! Has second workers hold what was dear to make.

use super::backups::ToCopy;
use super::core::Core;
use crate::message::ToWorker;
use raskt_graph::TaskId;
use raskt_schedule::{LossCause, RunId, WorkerId};
use std::ops::Bound;

/// Workers that are looked at for one that takes a copy.
const LOOKED_AT_MOST: usize = 8;

impl Core {
    /// A worker has told of results that are to outlive it.
    pub fn back_up(&mut self, worker: WorkerId, results: Vec<(RunId, TaskId)>) {
        if !results.is_empty() && self.backups.add(worker, results) {
            self.back_up_next(worker);
        }
    }

    fn back_up_next(&mut self, from: WorkerId) {
        let Some(to) = self.neighbour(from) else { return };
        let Some(of) = self.backups.next(&self.machine, from) else { return };
        let ToCopy { run, tasks } = of.clone();
        self.show_graph(to, run);
        let copy = self.movements.next_copy;
        self.movements.next_copy += 1;
        self.backups.began(copy, from, to, of);
        if let Some(entry) = self.workers.get(&to) {
            entry.send(&ToWorker::Copy { copy, run, tasks, from }, vec![]);
        }
    }

    /// The next after `worker` that has memory left: so that each takes of one, and all together die rarely.
    fn neighbour(&self, worker: WorkerId) -> Option<WorkerId> {
        let after = self.workers.range((Bound::Excluded(worker), Bound::Unbounded));
        let mut ring = after.chain(self.workers.range(..worker)).take(LOOKED_AT_MOST);
        let has_room =
            |worker: WorkerId, memory: u64| self.machine.load_of(worker).is_some_and(|load| load.bytes < memory / 2);
        ring.find(|(other, entry)| entry.takes_data() && has_room(**other, entry.offers.1)).map(|(&other, _)| other)
    }

    /// A copy was made, or not: whether it was one of these.
    pub fn backed_up(&mut self, worker: WorkerId, copy: u64, is_made: bool) -> bool {
        let from = self.backups.ended(copy, worker, is_made);
        from.into_iter().for_each(|from| self.back_up_next(from));
        from.is_some()
    }

    /// Another worker is there: what waits for one is copied.
    pub fn back_up_all(&mut self) {
        self.backups.idle().into_iter().for_each(|from| self.back_up_next(from));
    }

    /// A worker is gone, and with it the copies that it was to make. Of what one other holds alone by now a second one is made.
    pub fn backups_lost(&mut self, worker: WorkerId, cause: LossCause, left: Vec<(WorkerId, (RunId, TaskId))>) {
        self.backups.lost(worker, cause == LossCause::Died).into_iter().for_each(|from| self.back_up_next(from));
        for of_one in left.chunk_by(|(one, _), (next, _)| one == next) {
            self.back_up(of_one[0].0, of_one.iter().map(|(_, result)| *result).collect());
        }
    }
}

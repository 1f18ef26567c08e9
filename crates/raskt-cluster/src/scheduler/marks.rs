//! What tells runs apart that have the same number.
//!
//! Numbers of clients, and with them those of runs, are given out again by a scheduler whose journal has lost its end: that was cut, or it
//! is an older copy. What workers and others still have of the runs of before is nothing of those that have their numbers now. So each
//! client draws a number at random, its mark, and whoever names a run says that as well.

use super::core::Core;
use crate::message::ToWorker;
use raskt_schedule::{Event, RunId, TaskRange, WorkerId, WorkerOrder};

impl Core {
    /// Whether it is this run that has the number.
    fn is_run(&self, run: RunId, mark: u64) -> bool {
        self.runs.get(&run).is_some_and(|record| record.mark == mark)
    }

    /// What tells a run from any other of its number.
    pub fn mark_of(&self, run: RunId) -> u64 {
        self.runs.get(&run).map(|record| record.mark).unwrap_or_default()
    }

    /// An error if other runs have the numbers of those that were named.
    pub fn check_named(&self, named: &[(RunId, u64)]) -> Result<(), String> {
        match named.iter().find(|(run, mark)| self.runs.contains_key(run) && !self.is_run(*run, *mark)) {
            Some((run, _)) => Err(format!(
                "the result isn't there any more: the scheduler has begun anew without the end of its journal, and run {} is another one now",
                run.0
            )),
            None => Ok(()),
        }
    }

    /// A worker has something of a run: since before it came back, or since just now, if it had begun it before.
    pub fn kept_by(&mut self, worker: WorkerId, (run, mark): (RunId, u64), tasks: Vec<(TaskRange, u64)>) {
        let is_run = self.is_run(run, mark);
        let Some(entry) = self.workers.get_mut(&worker) else { return };
        match is_run {
            // One that gets the graph of another run under this number forgets it of itself.
            false if !entry.knows.contains(&run) => {
                entry.send(&ToWorker::Order(WorkerOrder::Forget { run }), vec![]);
            }
            false => {}
            true if entry.is_in() => self.handle(Event::Kept { worker, run, tasks }),
            true => entry.kept.push((run, tasks)),
        }
    }

    /// A worker that comes back still runs something of a run.
    pub fn runs_on(&mut self, worker: WorkerId, (run, mark): (RunId, u64), tasks: Vec<TaskRange>) {
        let is_run = self.is_run(run, mark);
        let Some(entry) = self.workers.get_mut(&worker).filter(|entry| !entry.is_in()) else { return };
        // It has a slot less until that ends, whatever it is; it says so when that is over.
        entry.adrift = entry.adrift.saturating_add(1);
        match is_run {
            true => entry.runs_on.push((run, tasks)),
            false => entry.send(&ToWorker::Order(WorkerOrder::Forget { run }), vec![]),
        }
    }
}

//! Results of several runs, waited for and fetched.

use super::failed::ClusterError;
use super::gathering::{Part, fetch};
use super::shared::Shared;
use super::table::{Place, TaskTable};
use super::watch::Until;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange};
use raskt_value::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After so long a holder that didn't give what it was said to hold is asked again, unless the scheduler says something else before.
const PAUSE: Duration = Duration::from_millis(100);

/// Tasks of a run, and where the first of them belongs among all that is wanted.
type Wanted = (usize, RunId, TaskRange);

impl Shared {
    /// The results of `wanted`, in that order, as soon as all are there.
    pub fn gather(
        self: &Arc<Self>,
        wanted: &[(RunId, Vec<TaskRange>)],
        deadline: Option<Instant>,
    ) -> Result<Vec<Value>, ClusterError> {
        let mut missing = places(wanted);
        let total = missing.last().map_or(0, |(at, _, tasks)| at + tasks.len() as usize);
        let mut found: Vec<Option<Value>> = vec![None; total];
        loop {
            self.await_all(&missing, deadline)?;
            let (parts, unsettled) = self.locate(&missing)?;
            let missed = fetch(self, parts, &mut found, deadline)?;
            if missed.is_empty() && unsettled.is_empty() {
                return Ok(found.into_iter().flatten().collect());
            }
            if !missed.is_empty() {
                self.pause(deadline)?;
            }
            missing = missed.into_iter().map(|part| (part.at, part.run, part.tasks)).chain(unsettled).collect();
        }
    }

    /// Waits until all have settled, or one has failed.
    fn await_all(self: &Arc<Self>, tasks: &[Wanted], deadline: Option<Instant>) -> Result<(), ClusterError> {
        let wanted: Vec<_> = tasks.iter().map(|&(_, run, tasks)| (run, vec![tasks])).collect();
        let watch = self.watch_count(&wanted);
        if watch.wait(Until::FirstFailure, deadline) { Ok(()) } else { Err(ClusterError::TimedOut) }
    }

    /// Who holds what, and what has become unsettled meanwhile.
    fn locate(&self, tasks: &[Wanted]) -> Result<(Vec<Part>, Vec<Wanted>), ClusterError> {
        let (mut parts, mut unsettled, nothing) = (vec![], vec![], TaskTable::default());
        let state = self.state.lock();
        for &(at, run, tasks) in tasks {
            for (part, place) in state.tables.get(&run).unwrap_or(&nothing).within(tasks) {
                let at = at + (part.start - tasks.start) as usize;
                match place {
                    Place::Available { worker, each } => parts.push(Part { at, run, tasks: part, worker, each }),
                    Place::Pending => unsettled.push((at, run, part)),
                    Place::Released => {
                        return Err(ClusterError::Released { run, task: TaskId::new(part.layer, part.start) });
                    }
                    Place::Failed(failed) => {
                        drop(state);
                        return Err(failed.error());
                    }
                }
            }
        }
        Ok((parts, unsettled))
    }

    fn pause(&self, deadline: Option<Instant>) -> Result<(), ClusterError> {
        let until = Instant::now() + PAUSE;
        if deadline.is_some_and(|deadline| deadline < until) {
            return Err(ClusterError::TimedOut);
        }
        std::thread::sleep(PAUSE);
        Ok(())
    }
}

fn places(wanted: &[(RunId, Vec<TaskRange>)]) -> Vec<Wanted> {
    let (mut places, mut at) = (vec![], 0);
    for (run, range) in wanted.iter().flat_map(|(run, ranges)| ranges.iter().map(move |range| (*run, *range))) {
        places.push((at, run, range));
        at += range.len() as usize;
    }
    places
}

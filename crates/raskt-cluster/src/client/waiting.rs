//! Results of several runs, waited for and fetched.

use super::failed::ClusterError;
use super::gathering::{Part, fetch};
use super::kept::Kept;
use super::shared::Shared;
use super::table::{Place, TaskTable};
use super::watch::Until;
use raskt_graph::TaskId;
use raskt_schedule::{RunId, TaskRange};
use raskt_value::{ErrorKind, TaskError, Value};
use std::sync::Arc;
use std::time::{Duration, Instant};

/// After so long a holder that didn't give what it was said to hold is asked again, unless the scheduler says something else before.
const PAUSE: Duration = Duration::from_millis(100);

/// Tasks of a run, and where the first of them belongs among all that is wanted.
type Wanted = (usize, RunId, TaskRange);

/// Where results are.
#[derive(Default)]
struct Located {
    parts: Vec<Part>,
    here: Vec<(usize, TaskRange, Kept)>,
    unsettled: Vec<Wanted>,
}

impl Located {
    /// Some results are there, and of these some are here as well.
    fn add(&mut self, part: Part, kept: Vec<(TaskRange, Kept)>) {
        let mut next = part.tasks.start;
        let at = |index: u64| part.at + (index - part.tasks.start) as usize;
        for (here, kept) in kept {
            self.add_far(part.within(TaskRange { start: next, end: here.start, ..here }));
            self.here.push((at(here.start), here, kept));
            next = here.end;
        }
        self.add_far(part.within(TaskRange { start: next, ..part.tasks }));
    }

    fn add_far(&mut self, part: Part) {
        if !part.tasks.is_empty() {
            self.parts.push(part);
        }
    }
}

fn malformed() -> TaskError {
    TaskError::new(ErrorKind::Io, "a small result that came along can't be read".to_owned())
}

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
            let Located { parts, here, unsettled } = self.locate(&missing)?;
            self.unpack(here, &mut found)?;
            if !unsettled.is_empty() {
                // What is there is looked up again: it may be elsewhere by then.
                missing = parts.into_iter().map(|part| (part.at, part.run, part.tasks)).chain(unsettled).collect();
                self.await_all(&missing, deadline)?;
                continue;
            }
            let missed = fetch(self, parts, &mut found, deadline)?;
            if missed.is_empty() {
                return Ok(found.into_iter().flatten().collect());
            }
            missed.iter().for_each(|part| self.errands.look_for(part.run, [part.tasks]));
            self.pause(deadline)?;
            missing = missed.into_iter().map(|part| (part.at, part.run, part.tasks)).collect();
        }
    }

    /// The same if all of them are here.
    pub fn at_hand(&self, wanted: &[(RunId, Vec<TaskRange>)]) -> Result<Option<Vec<Value>>, ClusterError> {
        let missing = places(wanted);
        let total = missing.last().map_or(0, |(at, _, tasks)| at + tasks.len() as usize);
        let Located { parts, here, unsettled } = self.locate(&missing)?;
        if !parts.is_empty() || !unsettled.is_empty() {
            return Ok(None);
        }
        let mut found: Vec<Option<Value>> = vec![None; total];
        self.unpack(here, &mut found)?;
        Ok(found.into_iter().collect())
    }

    /// Makes values of results that are here.
    fn unpack(&self, here: Vec<(usize, TaskRange, Kept)>, found: &mut [Option<Value>]) -> Result<(), ClusterError> {
        for (at, tasks, kept) in here {
            for (place, task) in found[at..].iter_mut().zip(tasks.tasks()) {
                let value = kept.0.value(self.face.decoders(), task).unwrap_or_else(|| Err(malformed()));
                let error = |error| ClusterError::Task { key: format!("result of task {}", task.index), error };
                *place = Some(value.map_err(error)?);
            }
        }
        Ok(())
    }

    /// Waits until all have settled, or one has failed.
    fn await_all(self: &Arc<Self>, tasks: &[Wanted], deadline: Option<Instant>) -> Result<(), ClusterError> {
        let wanted: Vec<_> = tasks.iter().map(|&(_, run, tasks)| (run, vec![tasks])).collect();
        let watch = self.watch_count(&wanted);
        if watch.wait(Until::FirstFailure, deadline) { Ok(()) } else { Err(ClusterError::TimedOut) }
    }

    /// Who holds what, what is here, and what is still to come.
    fn locate(&self, tasks: &[Wanted]) -> Result<Located, ClusterError> {
        let (mut located, nothing) = (Located::default(), TaskTable::default());
        let state = self.state.lock();
        for &(at, run, tasks) in tasks {
            let table = state.tables.get(&run).unwrap_or(&nothing);
            for (part, place) in table.within(tasks) {
                let at = at + (part.start - tasks.start) as usize;
                match place {
                    Place::Available { worker, each } => {
                        let whole = Part { at, run, tasks: part, name: (run, part), worker, each };
                        for (part, of, source) in table.names(run, part) {
                            located.add(Part { name: (of, source), ..whole.within(part) }, table.kept(part));
                        }
                    }
                    Place::Pending => located.unsettled.push((at, run, part)),
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
        Ok(located)
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

//! Results of several runs, waited for and fetched.

use super::failed::ClusterError;
use super::gathering::{Gathering, Part, Unread, first_unread, unreadable};
use super::kept::Kept;
use super::shared::Shared;
use super::table::{Place, TaskTable};
use super::unreached::Unreached;
use super::watch::Until;
use crate::pool::waits_here;
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

/// Results that are waited for. What has come stays, however often it is waited for the rest.
pub struct Gather {
    shared: Arc<Shared>,
    missing: Vec<Wanted>,
    found: Vec<Option<Value>>,
    unread: Unread,
    /// What is on its way.
    fetching: Option<Gathering>,
    unreached: Unreached,
}

impl Gather {
    pub(super) fn of(shared: &Arc<Shared>, wanted: &[(RunId, Vec<TaskRange>)]) -> Self {
        let missing = places(wanted);
        let total = missing.last().map_or(0, |(at, _, tasks)| at + tasks.len() as usize);
        let (shared, found) = (shared.clone(), vec![None; total]);
        Self { shared, missing, found, unread: Unread::new(), fetching: None, unreached: Unreached::default() }
    }

    /// Workers that aren't reached are said to whoever looks there.
    pub fn saying(self, unreached: Unreached) -> Self {
        Self { unreached, ..self }
    }

    /// The results in their order, as soon as all are there. After the deadline it can be waited for again; after they were given, or
    /// an error was, there are none.
    pub fn wait(&mut self, deadline: Option<Instant>) -> Result<Vec<Value>, ClusterError> {
        self.come(deadline, true)?;
        first_unread(std::mem::take(&mut self.unread))?;
        Ok(std::mem::take(&mut self.found).into_iter().flatten().collect())
    }

    /// The same, where what can't be had here keeps nobody from the others.
    pub fn wait_each(&mut self, deadline: Option<Instant>) -> Result<Vec<Result<Value, TaskError>>, ClusterError> {
        self.come(deadline, false)?;
        let (found, mut unread) = (std::mem::take(&mut self.found), std::mem::take(&mut self.unread));
        let each = found.into_iter().enumerate().filter_map(|(at, value)| match value {
            Some(value) => Some(Ok(value)),
            None => unread.remove(&at).map(Err),
        });
        Ok(each.collect())
    }

    /// Waits until all are there, or can't be had; or, if all are needed, until one can't.
    fn come(&mut self, deadline: Option<Instant>, needs_all: bool) -> Result<(), ClusterError> {
        let _waits = waits_here();
        while self.unread.is_empty() || !needs_all {
            let mut fetching = match self.fetching.take() {
                Some(fetching) => fetching,
                None => match self.begin(deadline)? {
                    Some(fetching) => fetching,
                    None => continue,
                },
            };
            if let Err(error) = fetching.wait(deadline, needs_all) {
                self.fetching = Some(fetching).filter(|_| matches!(error, ClusterError::TimedOut));
                return Err(error);
            }
            let (found, missed, unread) = fetching.end(&self.unreached);
            self.found = found;
            self.unread.extend(unread);
            if missed.is_empty() {
                return Ok(());
            }
            missed.iter().for_each(|part| self.shared.errands.look_for(part.run, [part.tasks]));
            self.missing = missed.into_iter().map(|part| (part.at, part.run, part.tasks)).collect();
            self.shared.pause(deadline)?;
        }
        Ok(())
    }

    /// Has what is missing fetched, if all of it is there by now.
    fn begin(&mut self, deadline: Option<Instant>) -> Result<Option<Gathering>, ClusterError> {
        let Located { parts, here, unsettled } = self.shared.locate(&self.missing)?;
        self.shared.unpack(here, &mut self.found, &mut self.unread);
        if unsettled.is_empty() {
            return Ok(Some(Gathering::begin(&self.shared, parts, std::mem::take(&mut self.found))));
        }
        // What is there is looked up again: it may be elsewhere by then.
        self.missing = parts.into_iter().map(|part| (part.at, part.run, part.tasks)).chain(unsettled).collect();
        self.shared.await_all(&self.missing, deadline)?;
        Ok(None)
    }
}

impl Shared {
    /// The same if all of them are here.
    pub fn at_hand(&self, wanted: &[(RunId, Vec<TaskRange>)]) -> Result<Option<Vec<Value>>, ClusterError> {
        let missing = places(wanted);
        let total = missing.last().map_or(0, |(at, _, tasks)| at + tasks.len() as usize);
        let Located { parts, here, unsettled } = self.locate(&missing)?;
        if !parts.is_empty() || !unsettled.is_empty() {
            return Ok(None);
        }
        let (mut found, mut unread): (Vec<Option<Value>>, _) = (vec![None; total], Unread::new());
        self.unpack(here, &mut found, &mut unread);
        first_unread(unread)?;
        Ok(found.into_iter().collect())
    }

    /// Makes values of results that are here.
    fn unpack(&self, here: Vec<(usize, TaskRange, Kept)>, found: &mut [Option<Value>], unread: &mut Unread) {
        for (first, tasks, kept) in here {
            for (at, task) in (first..).zip(tasks.tasks()) {
                match kept.0.value(self.face.decoders(), task).unwrap_or_else(|| Err(malformed())) {
                    Ok(value) => found[at] = Some(value),
                    Err(error) => _ = unread.insert(at, unreadable(&error)),
                }
            }
        }
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

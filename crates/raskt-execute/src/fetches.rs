//! What assignments read from other workers: which of it is asked for, here, or still to come. It asks nobody itself.

use crate::uplink::{FetchAnswer, FetchId, FetchRequest, Missing};
use raskt_graph::TaskId;
use raskt_schedule::{Fetch, RunId, TaskRange, Ticket, WorkerId};
use raskt_value::{TaskError, Value};
use std::collections::{BTreeMap, BTreeSet};

/// All that is fetched for assignments that haven't begun. A result that several of them read is asked for once.
#[derive(Debug, Default)]
pub(crate) struct Fetches {
    next: u64,
    requests: BTreeMap<FetchId, Request>,
    /// Results that were asked for.
    coming: BTreeMap<Named, FetchId>,
    gatherings: BTreeMap<Ticket, Gathering>,
}

/// A result: the task that made it, among those of its run. What is imported has the name that it has there.
pub(crate) type Named = (RunId, TaskId);

/// What one worker was asked for.
#[derive(Debug)]
pub(crate) struct Request {
    /// The run that it is of.
    pub run: RunId,
    from: WorkerId,
    pub tasks: Vec<TaskId>,
    /// Those who wait for some of it; nobody else does once they are gone.
    readers: BTreeSet<Ticket>,
}

impl Request {
    /// The first of those who wait.
    pub fn reader(&self) -> Option<Ticket> {
        self.readers.first().copied()
    }
}

/// What one assignment reads of others.
#[derive(Debug)]
struct Gathering {
    /// The run of the assignment.
    run: RunId,
    /// Requests that haven't been answered.
    open: BTreeSet<FetchId>,
    /// What is fetched, and whether it stays.
    wants: BTreeMap<Named, bool>,
    here: BTreeMap<Named, Value>,
}

/// What an answer leads to.
#[derive(Default)]
pub(crate) struct Answered {
    /// Assignments that have all that they read.
    pub gathered: Vec<Ticket>,
    pub failed: Vec<FailedFetch>,
    /// To be dropped where that is safe.
    pub values: Vec<Value>,
}

/// An assignment that can't have what it reads.
pub(crate) struct FailedFetch {
    pub ticket: Ticket,
    /// The run of the task.
    pub run: RunId,
    pub task: TaskId,
    pub from: WorkerId,
    pub why: Why,
}

/// Why a result didn't come.
#[derive(Clone)]
pub(crate) enum Why {
    NotReached,
    NotThere,
    Unsendable { error: TaskError, is_deadly: bool },
}

impl From<Missing> for Why {
    fn from(missing: Missing) -> Self {
        match missing {
            Missing::NotHere => Self::NotThere,
            Missing::Unread(_) => Self::NotReached,
            Missing::Unsendable(error) => Self::Unsendable { error, is_deadly: false },
            Missing::Deadly(error) => Self::Unsendable { error, is_deadly: true },
        }
    }
}

impl Fetches {
    /// What an assignment reads of others is wanted, as far as `find` doesn't find it here; gives what is to be asked for.
    pub fn begin(
        &mut self,
        ticket: Ticket,
        run: RunId,
        fetches: &[Fetch],
        find: impl Fn(Named) -> Option<Value>,
    ) -> Vec<FetchRequest> {
        let mut gathering = Gathering { run, open: BTreeSet::new(), wants: BTreeMap::new(), here: BTreeMap::new() };
        let mut absent: BTreeMap<(WorkerId, RunId), Vec<TaskId>> = BTreeMap::new();
        for (task, fetch) in fetches.iter().flat_map(|fetch| fetch.tasks.tasks().map(move |task| (task, fetch))) {
            let named = (fetch.run, task);
            if let Some(value) = find(named) {
                gathering.here.insert(named, value);
                continue;
            }
            if gathering.wants.insert(named, fetch.keep).is_some() {
                continue;
            }
            match self.coming.get(&named) {
                Some(id) => _ = gathering.open.insert(*id),
                None => absent.entry((fetch.from, fetch.run)).or_default().push(task),
            }
        }
        for id in &gathering.open {
            self.requests.entry(*id).and_modify(|request| _ = request.readers.insert(ticket));
        }
        let asked = absent.into_iter().map(|((from, run), tasks)| self.ask(ticket, run, from, tasks));
        let asked: Vec<_> = asked.collect();
        gathering.open.extend(asked.iter().map(|request| request.id));
        self.gatherings.insert(ticket, gathering);
        asked
    }

    fn ask(&mut self, ticket: Ticket, run: RunId, from: WorkerId, tasks: Vec<TaskId>) -> FetchRequest {
        let id = FetchId(self.next);
        self.next += 1;
        tasks.iter().for_each(|&task| _ = self.coming.insert((run, task), id));
        let ranges = TaskRange::of(tasks.iter().copied());
        self.requests.insert(id, Request { run, from, tasks, readers: BTreeSet::from([ticket]) });
        FetchRequest { id, run, from, tasks: ranges }
    }

    /// The request of this number, if somebody waits for the answer.
    pub fn request(&self, id: FetchId) -> Option<&Request> {
        self.requests.get(&id)
    }

    /// Whether all that an assignment reads is here.
    pub fn is_gathered(&self, ticket: Ticket) -> bool {
        self.gatherings.get(&ticket).is_some_and(|gathering| gathering.open.is_empty())
    }

    /// Takes in an answer. Those who wait for what isn't in it have failed, and those who wait for the rest of it alone have not.
    pub fn answered(&mut self, id: FetchId, answer: FetchAnswer) -> Answered {
        let mut answered = Answered::default();
        let Some(request) = self.forget_request(id) else {
            answered.values.extend(answer.into_iter().flatten().flatten());
            return answered;
        };
        // Of an answer of another length nobody knows what it says.
        let values: Vec<Result<Value, Why>> = match answer {
            Ok(values) if values.len() == request.tasks.len() => {
                values.into_iter().map(|value| value.map_err(Why::from)).collect()
            }
            other => {
                answered.values.extend(other.into_iter().flatten().flatten());
                request.tasks.iter().map(|_| Err(Why::NotReached)).collect()
            }
        };
        for ticket in request.readers {
            let Some(gathering) = self.gatherings.get_mut(&ticket) else { continue };
            gathering.open.remove(&id);
            let mut missing = None;
            let named = |(&task, value)| ((request.run, task), value);
            let wanted = request.tasks.iter().zip(&values).map(named);
            for ((run, task), value) in wanted.filter(|(named, _)| gathering.wants.contains_key(named)) {
                match value {
                    Ok(value) => _ = gathering.here.insert((run, task), value.clone()),
                    Err(why) => missing = missing.or(Some((task, why.clone()))),
                }
            }
            match missing {
                Some((task, why)) => {
                    answered.failed.push(FailedFetch { ticket, run: request.run, task, from: request.from, why });
                }
                None if gathering.open.is_empty() => answered.gathered.push(ticket),
                None => {}
            }
        }
        answered.values.extend(values.into_iter().flatten());
        answered
    }

    /// The run of the assignment that waits for something.
    pub fn run_of(&self, ticket: Ticket) -> Option<RunId> {
        self.gatherings.get(&ticket).map(|gathering| gathering.run)
    }

    /// What was fetched for an assignment and is to stay.
    pub fn kept(&self, ticket: Ticket) -> Vec<(Named, Value)> {
        let Some(gathering) = self.gatherings.get(&ticket) else { return vec![] };
        let kept = gathering.wants.iter().filter(|(_, keep)| **keep);
        kept.filter_map(|(&named, _)| Some((named, gathering.here.get(&named)?.clone()))).collect()
    }

    /// An assignment begins: gives what it reads of others.
    pub fn take(&mut self, ticket: Ticket) -> BTreeMap<Named, Value> {
        self.gatherings.remove(&ticket).map_or_else(BTreeMap::new, |gathering| gathering.here)
    }

    /// An assignment doesn't want anything any more: gives the requests that nobody waits for from now on, and what was fetched.
    pub fn drop_ticket(&mut self, ticket: Ticket) -> (Vec<FetchId>, Vec<Value>) {
        let Some(gathering) = self.gatherings.remove(&ticket) else { return Default::default() };
        let is_alone = |id: &FetchId| match self.requests.get_mut(id) {
            Some(request) => {
                request.readers.remove(&ticket);
                request.readers.is_empty()
            }
            None => false,
        };
        let alone: Vec<_> = gathering.open.iter().copied().filter(is_alone).collect();
        alone.iter().for_each(|id| drop(self.forget_request(*id)));
        (alone, gathering.here.into_values().collect())
    }

    fn forget_request(&mut self, id: FetchId) -> Option<Request> {
        let request = self.requests.remove(&id)?;
        request.tasks.iter().for_each(|&task| _ = self.coming.remove(&(request.run, task)));
        Some(request)
    }

    /// Whether nobody waits for anything.
    #[cfg(test)]
    pub fn is_empty(&self) -> bool {
        self.requests.is_empty() && self.coming.is_empty() && self.gatherings.is_empty()
    }
}

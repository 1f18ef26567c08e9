//! A coordinator that is slow and obvious: a list of those who wait, and after each event somebody looks through all of it.

use super::wishes::{lease_of, queue_of, timeout_of, wants_of_queue};
use crate::coordination::{Bytes, Name, Reply, Request, RequestId, Session, Value};
use crate::{RunId, TaskRange};
use raskt_graph::TaskId;
use std::collections::{BTreeMap, BTreeSet};

type Asker = (Session, RequestId);
/// Items with their numbers.
type Items = Vec<(u64, Value)>;

/// What is there, in the plainest form.
#[derive(Clone, Default)]
pub struct Model {
    pub now: u64,
    pub waiting: Vec<(Asker, Option<u64>, Request)>,
    pub replies: Vec<(Asker, Outcome)>,
    /// Who holds a lock, by what request, as which holder.
    locks: BTreeMap<Name, (Asker, u64)>,
    sizes: BTreeMap<Name, (u64, BTreeSet<Session>)>,
    leases: Vec<ModelLease>,
    events: BTreeSet<Name>,
    variables: BTreeMap<Name, Value>,
    queues: BTreeMap<Name, ModelQueue>,
    /// The number of the next item, and how many queues there have been.
    next: u64,
    begun: u64,
    /// What is on its way: of a queue, or of something that stays.
    given: BTreeMap<Asker, (Option<(Name, u64)>, Items)>,
}

#[derive(Clone)]
struct ModelLease {
    name: Name,
    number: u64,
    asker: Asker,
    lasts: Option<u64>,
    end: Option<u64>,
}

#[derive(Clone, Default)]
struct ModelQueue {
    size: Option<u64>,
    items: Vec<(u64, Value)>,
    /// Which of all queues that there have been it is.
    number: u64,
    sessions: BTreeSet<Session>,
}

/// A reply; of refusals only that they are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    Said(Reply),
    Refused,
}

impl From<Reply> for Outcome {
    fn from(reply: Reply) -> Self {
        match reply {
            Reply::Refused(_) => Self::Refused,
            reply => Self::Said(reply),
        }
    }
}

impl Model {
    pub fn ask(&mut self, asker: Asker, request: Request) {
        let owner = asker.0;
        let outcome = match &request {
            Request::ReleaseLocks { names, holder } => {
                let is_own =
                    |name| self.locks.get(name).is_some_and(|&((of, _), as_who)| of == owner && as_who == *holder);
                let all = names.iter().all(is_own);
                if all {
                    self.locks.retain(|name, _| !names.contains(name));
                }
                if all { Reply::Done.into() } else { Outcome::Refused }
            }
            Request::Locked { name } => Reply::Flag(self.locks.contains_key(name)).into(),
            Request::Leases { name } => Reply::Number(self.held(name)).into(),
            Request::ReleaseLease { name, lease } => {
                let before = self.leases.len();
                self.leases.retain(|it| !(it.name == *name && it.number == *lease && it.asker.0 == owner));
                if self.leases.len() < before { Reply::Done.into() } else { Outcome::Refused }
            }
            Request::RefreshLeases { leases } => {
                let now = self.now;
                let mut gone = vec![];
                for (name, number) in leases {
                    let is_it = |it: &&mut ModelLease| it.name == *name && it.number == *number && it.asker.0 == owner;
                    match self.leases.iter_mut().find(is_it) {
                        Some(lease) => lease.end = lease.lasts.map(|lasts| now + lasts),
                        None => gone.push((name.clone(), *number)),
                    }
                }
                Reply::RunOut(gone).into()
            }
            Request::CloseSemaphore { name } => {
                self.sizes.remove(name);
                self.leases.retain(|lease| lease.name != *name);
                self.refuse(|request| matches!(request, Request::AcquireLease { name: of, .. } if of == name));
                Reply::Done.into()
            }
            Request::SetEvent { name } => {
                self.events.insert(name.clone());
                Reply::Done.into()
            }
            Request::ClearEvent { name } => {
                self.events.remove(name);
                Reply::Done.into()
            }
            Request::SetVariable { name, value } => {
                self.variables.insert(name.clone(), value.clone());
                Reply::Done.into()
            }
            Request::DeleteVariable { name } => {
                self.variables.remove(name);
                self.refuse(|request| matches!(request, Request::GetVariable { name: of, .. } if of == name));
                Reply::Done.into()
            }
            Request::OpenQueue { name, size } => {
                let fixed = self.queues.get(name).and_then(|queue| queue.size);
                match (fixed, *size) {
                    (Some(fixed), Some(asked)) if fixed != asked => Outcome::Refused,
                    (_, size) => {
                        let queue = self.queue(name);
                        queue.sessions.insert(owner);
                        queue.size = queue.size.or(size);
                        Reply::Done.into()
                    }
                }
            }
            Request::QueueSize { name } => {
                Reply::Number(self.queues.get(name).map_or(0, |queue| queue.items.len() as u64)).into()
            }
            Request::CloseQueue { name } => {
                self.queues.remove(name);
                self.refuse(|request| wants_of_queue(request).is_some_and(|(of, _)| of == name));
                self.refuse(|request| matches!(request, Request::Put { name: of, .. } if of == name));
                Reply::Done.into()
            }
            Request::GetAll { name } => {
                let is_waited_for = self.first_wanted(name, None).is_some();
                self.queue(name).sessions.insert(owner);
                let count = if is_waited_for { 0 } else { self.queues[name].items.len() };
                self.give(asker, name, count)
            }
            _ => return self.ask_in_line(asker, request),
        };
        self.replies.push((asker, outcome));
        self.settle();
    }

    /// What may have to wait stands in the line, and leaves it at once where it can or mustn't wait.
    fn ask_in_line(&mut self, asker: Asker, request: Request) {
        let owner = asker.0;
        if let Request::AcquireLease { name, leases, lease, .. } = &request {
            let other_size = self.sizes.get(name).is_some_and(|(size, _)| size != leases);
            if !other_size {
                self.sizes.entry(name.clone()).or_insert((*leases, BTreeSet::new())).1.insert(owner);
            }
            let is_there = self.leases.iter().any(|it| it.name == *name && it.number == *lease && it.asker.0 == owner);
            let is_asked = self.waiting.iter().any(|((of, _), _, other)| {
                *of == owner
                    && matches!(other, Request::AcquireLease { name: n, lease: l, .. } if n == name && l == lease)
            });
            if other_size || is_there || is_asked {
                return self.replies.push((asker, Outcome::Refused));
            }
        }
        if let Some(name) = queue_of(&request) {
            self.queue(name).sessions.insert(owner);
        }
        let timeout = timeout_of(&request);
        let before = self.clone();
        self.waiting.push((asker, timeout.map(|timeout| self.now + timeout), request));
        self.settle();
        if timeout == Some(0) && self.waiting.iter().any(|(of, ..)| *of == asker) {
            // What doesn't wait and isn't answered has changed nothing.
            *self = before;
            self.replies.push((asker, Reply::TimedOut.into()));
        }
    }

    pub fn taken(&mut self, asker: Asker) {
        self.given.remove(&asker);
    }

    pub fn cancel(&mut self, asker: Asker) {
        if let Some(at) = self.waiting.iter().position(|(of, ..)| *of == asker) {
            self.waiting.remove(at);
            self.replies.push((asker, Reply::Cancelled.into()));
        }
        self.locks.retain(|_, (of, _)| *of != asker);
        self.leases.retain(|lease| lease.asker != asker);
        self.put_back(asker);
        self.settle();
    }

    /// Items that are on their way are where they were, unless their queue is gone.
    fn put_back(&mut self, asker: Asker) {
        if let Some((Some((name, number)), items)) = self.given.remove(&asker)
            && let Some(queue) = self.queues.get_mut(&name).filter(|queue| queue.number == number)
        {
            queue.items.extend(items);
            queue.items.sort_by_key(|(number, _)| *number);
        }
    }

    /// The queue of that name, which there is from now on.
    fn queue(&mut self, name: &Name) -> &mut ModelQueue {
        let number = self.begun;
        self.begun += 1;
        self.queues.entry(name.clone()).or_insert(ModelQueue { number, ..ModelQueue::default() })
    }

    pub fn gone(&mut self, owner: Session) {
        self.waiting.retain(|((of, _), ..)| *of != owner);
        self.locks.retain(|_, ((of, _), _)| *of != owner);
        self.leases.retain(|lease| lease.asker.0 != owner);
        let of_owner: Vec<Asker> = self.given.keys().copied().filter(|(of, _)| *of == owner).collect();
        of_owner.into_iter().for_each(|asker| self.put_back(asker));
        self.sizes.values_mut().for_each(|(_, sessions)| _ = sessions.remove(&owner));
        self.queues.values_mut().for_each(|queue| _ = queue.sessions.remove(&owner));
        self.settle();
    }

    /// One after the other ends what ends first: leases before waits, then in order.
    pub fn pass(&mut self, now: u64) {
        self.now = now;
        loop {
            let lease = self.leases.iter().filter_map(|lease| Some((lease.end?, 0, lease.asker))).min();
            let wait = self.waiting.iter().enumerate().filter_map(|(at, (_, end, _))| Some(((*end)?, at)));
            let wait = wait.min().map(|(end, at)| (end, 1, self.waiting[at].0));
            match [lease, wait].into_iter().flatten().min_by_key(|&(end, kind, _)| (end, kind)) {
                Some((end, 0, asker)) if end <= now => self.leases.retain(|lease| lease.asker != asker),
                Some((end, _, asker)) if end <= now => {
                    self.waiting.retain(|(of, ..)| *of != asker);
                    self.replies.push((asker, Reply::TimedOut.into()));
                }
                _ => return,
            }
            self.settle();
        }
    }

    /// Everything that something named refers to.
    pub fn held(&self, name: &Name) -> u64 {
        self.leases.iter().filter(|lease| lease.name == *name).count() as u64
    }

    /// Tasks that something named refers to.
    pub fn referred(&self) -> BTreeSet<(RunId, TaskId)> {
        let waiting = self.waiting.iter().filter_map(|(.., request)| match request {
            Request::Put { value, .. } => Some(value),
            _ => None,
        });
        let given = self.given.values().flat_map(|(_, items)| items.iter().map(|(_, value)| value));
        let queued = self.queues.values().flat_map(|queue| queue.items.iter().map(|(_, value)| value));
        let all = waiting.chain(given).chain(queued).chain(self.variables.values());
        let results = all.flat_map(|value| value.results.iter().copied());
        results.flat_map(|(run, tasks): (RunId, TaskRange)| tasks.tasks().map(move |task| (run, task))).collect()
    }

    fn refuse(&mut self, is_refused: impl Fn(&Request) -> bool) {
        let (gone, stay) = std::mem::take(&mut self.waiting).into_iter().partition(|(.., request)| is_refused(request));
        self.waiting = stay;
        let gone: Vec<(Asker, Option<u64>, Request)> = gone;
        self.replies.extend(gone.into_iter().map(|(asker, ..)| (asker, Outcome::Refused)));
    }

    /// Looks for the first in the line that can be answered, again and again.
    fn settle(&mut self) {
        while let Some((at, outcome)) = (0..self.waiting.len()).find_map(|at| Some((at, self.answer(at)?))) {
            let (asker, ..) = self.waiting.remove(at);
            self.replies.push((asker, outcome));
        }
        let asked: BTreeSet<Name> =
            self.waiting.iter().filter_map(|(.., request)| lease_of(request).cloned()).collect();
        let used: BTreeSet<Name> = self.waiting.iter().filter_map(|(.., request)| queue_of(request).cloned()).collect();
        let leased: BTreeSet<Name> = self.leases.iter().map(|lease| lease.name.clone()).collect();
        let is_used = |name: &Name| asked.contains(name) || leased.contains(name);
        self.sizes.retain(|name, (_, sessions)| !sessions.is_empty() || is_used(name));
        self.queues.retain(|name, queue| !queue.sessions.is_empty() || !queue.items.is_empty() || used.contains(name));
    }

    /// What one in the line is answered, if it can be by now.
    fn answer(&mut self, at: usize) -> Option<Outcome> {
        let (asker, _, request) = self.waiting[at].clone();
        match request {
            Request::AcquireLocks { names, count, holder, .. } => {
                let before = self.waiting[..at].iter().filter_map(|(.., request)| match request {
                    Request::AcquireLocks { names, .. } => Some(names),
                    _ => None,
                });
                let claimed: BTreeSet<_> = before.flatten().collect();
                let is_free = |name: &&Name| !self.locks.contains_key(*name) && !claimed.contains(name);
                let free: Vec<_> = names.iter().filter(is_free).take(count as usize).cloned().collect();
                if free.len() < count as usize {
                    return None;
                }
                self.locks.extend(free.iter().map(|name| (name.clone(), (asker, holder))));
                Some(Reply::Acquired(free).into())
            }
            Request::AcquireLease { name, leases, lease, lasts, .. } => {
                if self.held(&name) == leases {
                    return None;
                }
                let end = lasts.map(|lasts| self.now + lasts);
                self.leases.push(ModelLease { name, number: lease, asker, lasts, end });
                Some(Reply::Done.into())
            }
            Request::WaitForEvent { name, .. } => self.events.contains(&name).then_some(Reply::Done.into()),
            Request::GetVariable { name, .. } => {
                let value = self.variables.get(&name)?.clone();
                let awaits_taken = !value.results.is_empty();
                if awaits_taken {
                    self.given.insert(asker, (None, vec![(0, value.clone())]));
                }
                Some(Reply::Values { values: vec![value], awaits_taken }.into())
            }
            Request::Put { name, value, .. } => {
                let is_put = |request: &Request| matches!(request, Request::Put { name: of, .. } if *of == name);
                let wanted = self.first_wanted(&name, None).unwrap_or(0);
                let is_first = !self.waiting[..at].iter().any(|(.., request)| is_put(request));
                let queue = self.queues.get_mut(&name)?;
                let len = queue.items.len() as u64;
                if !is_first || !(queue.size.is_none_or(|size| len < size) || len < wanted) {
                    return None;
                }
                queue.items.push((self.next, value));
                self.next += 1;
                Some(Reply::Done.into())
            }
            request => {
                let (name, count) = wants_of_queue(&request)?;
                let is_first = self.first_wanted(name, Some(at)).is_none();
                let is_there = self.queues.get(name)?.items.len() as u64 >= count;
                (is_first && is_there).then(|| self.give(asker, name, count as usize))
            }
        }
    }

    /// How many items the first of those before `at` wants who wait for items of a queue.
    fn first_wanted(&self, name: &Name, at: Option<usize>) -> Option<u64> {
        let line = &self.waiting[..at.unwrap_or(self.waiting.len())];
        line.iter()
            .find_map(|(.., request)| wants_of_queue(request).filter(|(of, _)| *of == name))
            .map(|(_, count)| count)
    }

    fn give(&mut self, asker: Asker, name: &Name, count: usize) -> Outcome {
        let queue = self.queue(name);
        let (items, number): (Vec<_>, _) = (queue.items.drain(..count).collect(), queue.number);
        let values = items.iter().map(|(_, value)| value.clone()).collect();
        let awaits_taken = !items.is_empty();
        if awaits_taken {
            self.given.insert(asker, (Some((name.clone(), number)), items));
        }
        Reply::Values { values, awaits_taken }.into()
    }
}

/// A value that is told from all others, and refers to some of few tasks.
pub fn value(number: u64, results: Vec<(RunId, TaskRange)>) -> Value {
    Value { bytes: Bytes::from(number.to_le_bytes()), results }
}

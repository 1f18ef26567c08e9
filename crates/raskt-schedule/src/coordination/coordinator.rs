//! The machine.

use super::bytes::{Name, RequestId, Session};
use super::check::check;
use super::datasets::Datasets;
use super::desk::Desk;
use super::error::{CoordinationError, Kind};
use super::events::Events;
use super::given::{Gift, Given};
use super::limits::Limits;
use super::locks::Locks;
use super::metadata::Metadata;
use super::queues::Queues;
use super::reply::{Action, Reply};
use super::request::Request;
use super::semaphores::Semaphores;
use super::topics::Topics;
use super::variables::Variables;
use super::waiting::{Asker, Turn, Wish};
use crate::{RunId, TaskRange, Time};

/// What the processes of a cluster share by name.
///
/// After each of `handle`, `taken`, `acknowledged`, `cancel`, `owner_gone` and `time_passed` the driver asks
/// [`poll_action`](Self::poll_action) until there is nothing more to do, and [`wakes_at`](Self::wakes_at) when it has to tell that
/// time has passed. Times never go back.
#[derive(Debug, Default)]
pub struct Coordinator {
    pub(super) desk: Desk,
    pub(super) given: Given,
    pub(super) locks: Locks,
    pub(super) semaphores: Semaphores,
    pub(super) events: Events,
    pub(super) variables: Variables,
    pub(super) queues: Queues,
    pub(super) topics: Topics,
    pub(super) metadata: Metadata,
    pub(super) datasets: Datasets,
}

/// A request that isn't done at once either waits (`Ok`) or is answered by what is wrong (`Err`).
type Answered = Result<(), Reply>;

impl Coordinator {
    /// One with bounds of its own.
    pub fn with(limits: Limits) -> Self {
        Self { desk: Desk { limits, ..Desk::default() }, ..Self::default() }
    }

    /// By the clock on the wall it has been there for so long. Its own time goes on evenly; that clock is set, and goes on while a computer
    /// sleeps. Events are of the time of day: all else goes by its own.
    pub fn set_day(&mut self, day: Time) {
        self.desk.day = Some(day);
    }

    /// A session asks something. It is answered once, now or later, under the number that it has given the request.
    pub fn handle(&mut self, now: Time, owner: Session, request: RequestId, what: Request) {
        self.time_passed(now);
        let asker = Asker { owner, request };
        let answered = self.check_new(asker).and_then(|()| {
            check(&what, &self.desk.limits)?;
            self.ask(asker, what)
        });
        if let Err(reply) = answered {
            self.desk.answer(asker, reply);
        }
        self.settle();
    }

    /// Who asked has the values that it was given by the answer to a request.
    pub fn taken(&mut self, now: Time, owner: Session, request: RequestId) {
        self.time_passed(now);
        if let Some(gift) = self.given.remove(Asker { owner, request }) {
            gift.let_go(&mut self.desk);
        }
    }

    /// Who asked doesn't want it any more. One that waits is answered by [`Reply::Cancelled`]. Of one that was answered, what it was
    /// given is taken back: locks and leases are free, items are in their queue again. What it has done stays.
    pub fn cancel(&mut self, now: Time, owner: Session, request: RequestId) {
        self.time_passed(now);
        let asker = Asker { owner, request };
        if let Some(turn) = self.desk.waiting.turn_of(asker) {
            self.withdraw(turn, Some(Reply::Cancelled));
        }
        self.locks.take_back(asker);
        self.semaphores.take_back(asker);
        self.take_back(asker);
        self.settle();
    }

    /// A subscriber has the events of a topic up to that number: the last that it was told of.
    pub fn acknowledged(&mut self, now: Time, owner: Session, topic: &Name, number: u64) {
        self.time_passed(now);
        self.topics.acknowledge(&mut self.desk, owner, topic, number);
    }

    /// A session is over. What it waited for is dropped without an answer, what it holds passes on, and items that it hasn't said to
    /// have are in their queue again.
    pub fn owner_gone(&mut self, now: Time, owner: Session) {
        self.time_passed(now);
        for turn in self.desk.waiting.of(owner) {
            self.withdraw(turn, None);
        }
        for asker in self.locks.held_by(owner) {
            self.locks.take_back(asker);
        }
        for asker in self.semaphores.held_by(owner) {
            self.semaphores.take_back(asker);
        }
        for asker in self.given.of(owner) {
            self.take_back(asker);
        }
        self.semaphores.leave(owner);
        self.queues.leave(owner);
        self.topics.leave(owner);
        self.settle();
    }

    /// Ends leases and waits whose time is over, in the order of their times; a lease before who waited for it.
    pub fn time_passed(&mut self, now: Time) {
        self.desk.now = self.desk.now.max(now);
        let now = self.desk.now;
        loop {
            let lease = self.semaphores.first_end().filter(|&(end, _)| end <= now);
            let wait = self.desk.waiting.first_deadline().filter(|&(deadline, _)| deadline <= now);
            match (lease, wait) {
                (Some((end, asker)), wait) if wait.is_none_or(|(deadline, _)| end <= deadline) => {
                    self.semaphores.take_back(asker);
                }
                (_, Some((_, turn))) => self.withdraw(turn, Some(Reply::TimedOut)),
                (_, None) => return,
            }
            self.settle();
        }
    }

    /// When [`time_passed`](Self::time_passed) has something to do.
    pub fn wakes_at(&self) -> Option<Time> {
        let lease = self.semaphores.first_end().map(|(end, _)| end);
        let wait = self.desk.waiting.first_deadline().map(|(deadline, _)| deadline);
        lease.into_iter().chain(wait).min()
    }

    /// What is to be done next.
    pub fn poll_action(&mut self) -> Option<Action> {
        self.desk.actions.pop_front()
    }

    /// How many requests wait.
    pub fn waiting(&self) -> usize {
        self.desk.waiting.len()
    }

    /// Results that something named refers to.
    pub fn held(&self) -> Vec<(RunId, TaskRange)> {
        self.desk.holds.held()
    }

    /// A number that stands for a request that matters can't stand for another.
    fn check_new(&self, asker: Asker) -> Answered {
        let is_used = self.desk.waiting.turn_of(asker).is_some()
            || self.locks.is_held(asker)
            || self.semaphores.is_held(asker)
            || self.given.is_there(asker);
        if !is_used {
            return Ok(());
        }
        let error = format!("request {} of this session is under way already", asker.request.0);
        Err(CoordinationError::Malformed(error).into())
    }

    fn ask(&mut self, asker: Asker, what: Request) -> Answered {
        match what {
            Request::AcquireLocks { .. }
            | Request::ReleaseLocks { .. }
            | Request::Locked { .. }
            | Request::OpenSemaphore { .. }
            | Request::AcquireLease { .. }
            | Request::RefreshLeases { .. }
            | Request::ReleaseLease { .. }
            | Request::Leases { .. }
            | Request::CloseSemaphore { .. } => self.ask_for_leave(asker, what),
            Request::OpenQueue { .. }
            | Request::Put { .. }
            | Request::Get { .. }
            | Request::GetMany { .. }
            | Request::GetAll { .. }
            | Request::QueueSize { .. }
            | Request::CloseQueue { .. } => self.ask_queue(asker, what),
            _ => self.ask_board(asker, what),
        }
    }

    /// What is asked of locks and semaphores.
    fn ask_for_leave(&mut self, asker: Asker, what: Request) -> Answered {
        let (desk, owner) = (&mut self.desk, asker.owner);
        let reply = match what {
            Request::AcquireLocks { names, count, holder, timeout } => {
                return self.locks.acquire(desk, asker, (names, count as usize, holder), timeout);
            }
            Request::AcquireLease { name, leases, lease, lasts, timeout } => {
                return self.semaphores.acquire(desk, asker, (name, leases, lease, lasts), timeout);
            }
            Request::ReleaseLocks { names, holder } => {
                self.locks.release(owner, holder, &names)?;
                Reply::Done
            }
            Request::Locked { name } => Reply::Flag(self.locks.is_locked(&name)),
            Request::OpenSemaphore { name, leases } => {
                self.semaphores.open(desk, owner, &name, leases)?;
                Reply::Done
            }
            Request::RefreshLeases { leases } => Reply::RunOut(self.semaphores.refresh(desk, owner, leases)),
            Request::ReleaseLease { name, lease } => {
                self.semaphores.release(owner, name, lease)?;
                Reply::Done
            }
            Request::Leases { name } => Reply::Number(self.semaphores.count(&name)),
            Request::CloseSemaphore { name } => {
                let line = self.semaphores.close(&name);
                self.close(line, Kind::Semaphore, &name);
                Reply::Done
            }
            _ => return Ok(()),
        };
        self.desk.answer(asker, reply);
        Ok(())
    }

    /// What is asked of queues.
    fn ask_queue(&mut self, asker: Asker, what: Request) -> Answered {
        let (desk, given) = (&mut self.desk, &mut self.given);
        let reply = match what {
            Request::Put { name, value, timeout } => {
                return self.queues.put(desk, asker, (name, value), timeout);
            }
            Request::Get { name, timeout } => return self.queues.get(desk, given, asker, (name, 1), timeout),
            Request::GetMany { name, count, timeout } => {
                return self.queues.get(desk, given, asker, (name, count), timeout);
            }
            Request::GetAll { name } => return Ok(self.queues.get_all(desk, given, asker, &name)?),
            Request::OpenQueue { name, size } => {
                self.queues.open(desk, asker.owner, &name, size)?;
                Reply::Done
            }
            Request::QueueSize { name } => Reply::Number(self.queues.len(&name)),
            Request::CloseQueue { name } => {
                let line = self.queues.close(desk, given, &name)?;
                self.close(line, Kind::Queue, &name);
                Reply::Done
            }
            _ => return Ok(()),
        };
        self.desk.answer(asker, reply);
        Ok(())
    }

    /// What is asked of everything else.
    fn ask_board(&mut self, asker: Asker, what: Request) -> Answered {
        let (desk, given, owner) = (&mut self.desk, &mut self.given, asker.owner);
        let reply = match what {
            Request::WaitForEvent { name, timeout } => return self.events.wait(desk, asker, name, timeout),
            Request::GetVariable { name, timeout } => return self.variables.get(desk, given, asker, name, timeout),
            Request::GetDataset { name } => return Ok(self.datasets.get(desk, given, asker, name)?),
            Request::SetEvent { name } => done(self.events.set(desk, &name))?,
            Request::ClearEvent { name } => {
                self.events.clear(desk, &name)?;
                Reply::Done
            }
            Request::EventIsSet { name } => Reply::Flag(self.events.is_set(&name)),
            Request::SetVariable { name, value } => done(self.variables.set(desk, given, &name, value))?,
            Request::DeleteVariable { name } => {
                let line = self.variables.delete(desk, &name)?;
                self.close(line, Kind::Variable, &name);
                Reply::Done
            }
            Request::Log { topic, event } => done(self.topics.log(desk, topic, event))?,
            Request::EventsOf { topic, from } => self.topics.events(&topic, from, &desk.limits),
            Request::Topics { after } => self.topics.list(after, &desk.limits),
            Request::Subscribe { topic, from } => done(self.topics.subscribe(desk, owner, topic, from))?,
            Request::Unsubscribe { topic } => {
                self.topics.unsubscribe(owner, &topic);
                Reply::Done
            }
            Request::SetMetadata { keys, entries } => done(self.metadata.set(desk, &keys, entries))?,
            Request::GetMetadata { keys } => Reply::Metadata(self.metadata.get(&keys)?),
            Request::PublishDataset { name, value, replace } => {
                done(self.datasets.publish(desk, name, value, replace))?
            }
            Request::Datasets { after } => self.datasets.list(after, &desk.limits),
            Request::UnpublishDataset { name } => Reply::Flag(self.datasets.unpublish(desk, &name)?),
            _ => return Ok(()),
        };
        self.desk.answer(asker, reply);
        Ok(())
    }

    /// Tells those who waited for something that it is gone.
    fn close(&mut self, line: impl IntoIterator<Item = Turn>, kind: Kind, name: &Name) {
        for turn in line {
            self.withdraw(turn, Some(CoordinationError::Closed { kind, name: name.clone() }.into()));
        }
    }

    /// Gives what has come free to those who wait for it, when all that an event takes away is away.
    fn settle(&mut self) {
        self.locks.settle(&mut self.desk);
        self.semaphores.settle(&mut self.desk);
        self.queues.settle(&mut self.desk, &mut self.given);
    }

    /// What was on its way to who asked is on its way no more: items are where they were.
    fn take_back(&mut self, asker: Asker) {
        match self.given.remove(asker) {
            Some(Gift::Items { queue, items }) => self.queues.put_back(&mut self.desk, &queue, items),
            Some(gift @ Gift::Shown(_)) => gift.let_go(&mut self.desk),
            None => {}
        }
    }

    /// Ends the wait of a request, with an answer or without.
    fn withdraw(&mut self, turn: Turn, reply: Option<Reply>) {
        let Some(waiter) = self.desk.waiting.remove(turn) else { return };
        if let Some(reply) = reply {
            self.desk.answer(waiter.asker, reply);
        }
        match &waiter.wish {
            Wish::Locks { names, .. } => self.locks.withdraw(turn, names),
            Wish::Lease { name, lease, .. } => self.semaphores.withdraw(turn, waiter.asker.owner, name, *lease),
            Wish::Event { name } => self.events.withdraw(turn, name),
            Wish::Variable { name } => self.variables.withdraw(turn, name),
            Wish::Put { .. } | Wish::Items { .. } => self.queues.withdraw(&mut self.desk, turn, &waiter),
        }
    }
}

fn done(result: Result<(), CoordinationError>) -> Result<Reply, CoordinationError> {
    result.map(|()| Reply::Done)
}

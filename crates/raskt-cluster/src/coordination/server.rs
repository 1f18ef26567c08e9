//! The scheduler's side: the machine, and who is told what it says.

use super::wire::{Ask, Packed, Told};
use bytes::Bytes as Memory;
use raskt_schedule::coordination::{
    Action, CoordinationError, Coordinator, Entry, Keeper, Limits, RequestId, Session, Value,
};
use raskt_schedule::{RunId, TaskRange, Time};
use std::collections::BTreeMap;

/// Tells a client or worker something. Must not wait.
pub type Tell = Box<dyn Fn(Packed<Told>, Vec<Memory>) + Send + Sync>;

/// What a scheduler is to keep for the sake of what is named, or needn't any more. Each result is told of by turns: held once, then
/// let go of, however many names refer to it.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Keeping {
    /// These results stay alive, whoever else lets go of them.
    Hold {
        /// The run.
        run: RunId,
        /// Its tasks.
        tasks: TaskRange,
    },
    /// No name refers to these results any more.
    LetGo {
        /// The run.
        run: RunId,
        /// Its tasks.
        tasks: TaskRange,
    },
}

/// The machine, and who is told what it says. It has no lock and no clock: whoever has it, has both.
pub struct CoordinationServer {
    machine: Coordinator,
    /// All and only those whose sessions aren't over.
    members: BTreeMap<Session, Tell>,
    next: u64,
    began_unix_nanoseconds: u64,
    /// There was another one before it.
    is_another: bool,
}

impl CoordinationServer {
    /// Of a scheduler whose time began then, in nanoseconds since 1970.
    pub fn new(began_unix_nanoseconds: u64, limits: Limits) -> Self {
        let (machine, members) = (Coordinator::with(limits), BTreeMap::new());
        Self { machine, members, next: 0, began_unix_nanoseconds, is_another: false }
    }

    /// It goes on with what another one has left, and whoever comes hears so.
    pub fn is_another(&mut self) {
        self.is_another = true;
    }

    /// What is to outlive the scheduler is written down by that from now on.
    pub fn keep_by(&mut self, keeper: Box<dyn Keeper>) {
        self.machine.keep_by(keeper);
    }

    /// Nothing is written down from now on; gives what did it.
    pub fn keep_no_more(&mut self) -> Option<Box<dyn Keeper>> {
        self.machine.keep_no_more()
    }

    /// Puts back what has outlived the scheduler before this one.
    pub fn restore(&mut self, entry: Entry, value: Value) -> Vec<Keeping> {
        if let Err(error) = self.machine.restore(entry, value) {
            tracing::warn!("something that was shared by name before can't be kept: {error}");
        }
        self.act()
    }

    /// Somebody has come, and is told something by `tell` from now on.
    pub fn arrived(&mut self, tell: Tell) -> Session {
        let session = Session(self.next);
        self.next += 1;
        let (unix_nanoseconds, is_another) = (self.began_unix_nanoseconds, self.is_another);
        let (packed, bulk) = Packed::pack(Told::Began { unix_nanoseconds, is_another });
        tell(packed, bulk);
        self.members.insert(session, tell);
        session
    }

    /// By the clock on the wall it is so late, in nanoseconds since 1970. Time that goes on evenly says less and less of that: clocks are
    /// set, and computers sleep.
    pub fn set_day(&mut self, unix_nanoseconds: u64) {
        self.machine.set_day(Time(unix_nanoseconds.saturating_sub(self.began_unix_nanoseconds)));
    }

    /// Somebody says something.
    pub fn hear(&mut self, now: Time, session: Session, ask: Packed<Ask>, bulk: &[Memory]) -> Vec<Keeping> {
        if !self.members.contains_key(&session) {
            return vec![];
        }
        let id = match ask.without_bytes() {
            Ask::Request { id, .. } => Some(*id),
            _ => None,
        };
        match ask.unpack(bulk) {
            Ok(Ask::Request { id, request }) => self.machine.handle(now, session, id, request),
            Ok(Ask::Cancel { id }) => self.machine.cancel(now, session, id),
            Ok(Ask::Taken { id }) => self.machine.taken(now, session, id),
            Ok(Ask::Acknowledged { topic, number }) => self.machine.acknowledged(now, session, &topic, number),
            Err(error) => self.refuse(session, id, error.to_string()),
        }
        self.act()
    }

    /// Somebody's session is over.
    pub fn gone(&mut self, now: Time, session: Session) -> Vec<Keeping> {
        if self.members.remove(&session).is_some() {
            self.machine.owner_gone(now, session);
        }
        self.act()
    }

    /// Time has passed.
    pub fn time_passed(&mut self, now: Time) -> Vec<Keeping> {
        self.machine.time_passed(now);
        self.act()
    }

    /// When it wants to be told that time has passed.
    pub fn wakes_at(&self) -> Option<Time> {
        self.machine.wakes_at()
    }

    /// Results that are held for the sake of what is named.
    pub fn held(&self) -> Vec<(RunId, TaskRange)> {
        self.machine.held()
    }

    fn act(&mut self) -> Vec<Keeping> {
        let mut keeping = vec![];
        while let Some(action) = self.machine.poll_action() {
            match action {
                Action::Reply { owner, request, reply } => self.tell(owner, Told::Reply { id: request, reply }),
                Action::Notice { owner, topic, missed, events } => {
                    self.tell(owner, Told::Notice { topic, missed, events });
                }
                Action::Hold { run, tasks } => keeping.push(Keeping::Hold { run, tasks }),
                Action::LetGo { run, tasks } => keeping.push(Keeping::LetGo { run, tasks }),
            }
        }
        keeping
    }

    fn tell(&self, session: Session, told: Told) {
        if let Some(tell) = self.members.get(&session) {
            let (packed, bulk) = Packed::pack(told);
            tell(packed, bulk);
        }
    }

    fn refuse(&self, session: Session, id: Option<RequestId>, why: String) {
        match id {
            Some(id) => self.tell(session, Told::Reply { id, reply: CoordinationError::Malformed(why).into() }),
            None => tracing::warn!("a message about what is shared by name can't be read: {why}"),
        }
    }
}

//! What all tables have in common: the time, who waits, what is held, how much there is, and what is to be said.

use super::bytes::Value;
use super::entries::Entry;
use super::error::{CoordinationError, Kind, Quantity};
use super::holds::Holds;
use super::keeping::{Change, Kept};
use super::limits::Limits;
use super::reply::{Action, Reply};
use super::waiting::{Asker, Turn, Waiter, Waiting, Wish};
use crate::Time;
use std::collections::VecDeque;

/// What all tables have in common.
#[derive(Debug, Default)]
pub(super) struct Desk {
    pub limits: Limits,
    pub now: Time,
    /// How late it is by the clock on the wall, if anybody says so.
    pub day: Option<Time>,
    pub waiting: Waiting,
    pub holds: Holds,
    /// What all values cost, those of waiting puts and those on their way among them.
    pub bytes: u64,
    pub actions: VecDeque<Action>,
    /// Changes of what outlives the machine are written down there.
    pub keeper: Kept,
}

impl Desk {
    pub fn answer(&mut self, asker: Asker, reply: impl Into<Reply>) {
        let Asker { owner, request } = asker;
        self.actions.push_back(Action::Reply { owner, request, reply: reply.into() });
    }

    /// Has a request wait, or says why it can't.
    pub fn wait(&mut self, asker: Asker, timeout: Option<u64>, wish: Wish) -> Result<Turn, Reply> {
        if timeout == Some(0) {
            return Err(Reply::TimedOut);
        }
        let deadline = timeout.map(|timeout| self.after(timeout));
        Ok(self.waiting.add(Waiter { asker, deadline, wish }, &self.limits)?)
    }

    /// So many nanoseconds from now.
    pub fn after(&self, nanoseconds: u64) -> Time {
        Time(self.now.0.saturating_add(nanoseconds))
    }

    /// Ends the wait of a request, and answers it.
    pub fn grant(&mut self, turn: Turn, reply: impl Into<Reply>) -> Option<Waiter> {
        let waiter = self.waiting.remove(turn)?;
        self.answer(waiter.asker, reply);
        Some(waiter)
    }

    /// Counts bytes that are kept from now on, if there is room.
    pub fn count(&mut self, bytes: u64) -> Result<(), CoordinationError> {
        let most = self.limits.all_bytes;
        if self.bytes.saturating_add(bytes) > most {
            return Err(CoordinationError::TooMany { what: Quantity::AllBytes, most });
        }
        self.bytes += bytes;
        Ok(())
    }

    /// Has a change written down, if anybody does that: by an error it isn't to be made.
    pub fn write(&mut self, change: impl FnOnce() -> Change) -> Result<(), CoordinationError> {
        let Some(keeper) = &mut self.keeper.0 else { return Ok(()) };
        let change = change();
        let what = change.first().map(|(entry, _)| entry.to_string()).unwrap_or_default();
        match change.is_empty() {
            true => Ok(()),
            false => keeper.write(change).map_err(|why| CoordinationError::NotWritten { what, why }),
        }
    }

    /// Has it written down that this is gone, now or later.
    pub fn write_end(&mut self, gone: impl FnOnce() -> Vec<Entry>) {
        if let Some(keeper) = &mut self.keeper.0 {
            keeper.end(gone());
        }
    }

    /// Keeps a value, and what it refers to, if there is room.
    pub fn keep(&mut self, value: &Value) -> Result<(), CoordinationError> {
        self.count(value.cost_bytes())?;
        value.results.iter().for_each(|&(run, tasks)| self.holds.hold(run, tasks, &mut self.actions));
        Ok(())
    }

    /// Keeps a value under a name, if there is room and that can be written down.
    pub fn keep_under(&mut self, entry: impl FnOnce() -> Entry, value: &Value) -> Result<(), CoordinationError> {
        self.keep(value)?;
        let written = self.write(|| vec![(entry(), Some(value.clone()))]);
        if written.is_err() {
            self.let_go(value);
        }
        written
    }

    /// Keeps it no more.
    pub fn let_go(&mut self, value: &Value) {
        self.bytes -= value.cost_bytes();
        self.let_go_of_results(value);
    }

    /// Keeps what it refers to, on its way to somebody.
    pub fn keep_results(&mut self, value: &Value) {
        value.results.iter().for_each(|&(run, tasks)| self.holds.hold(run, tasks, &mut self.actions));
    }

    pub fn let_go_of_results(&mut self, value: &Value) {
        value.results.iter().for_each(|&(run, tasks)| self.holds.let_go(run, tasks, &mut self.actions));
    }

    /// Whether there is room for so many names of a kind.
    pub fn check_names(&self, kind: Kind, names: usize) -> Result<(), CoordinationError> {
        let most = self.limits.names;
        if names <= most {
            return Ok(());
        }
        Err(CoordinationError::TooMany { what: Quantity::Names(kind), most: most as u64 })
    }
}

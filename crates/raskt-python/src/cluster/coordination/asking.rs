//! Asking the scheduler, and waiting for its answer.

use super::ClusterCoordination;
use crate::cluster::here::Lent;
use crate::cluster::running::cancelled_error;
use crate::cluster::stopping::{ClusterStop, stopped};
use crate::cluster::waiting::timeout_of;
use crate::ending::Outside;
use crate::watched::Watched;
use pyo3::exceptions::{PyConnectionError, PyKeyError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use raskt_cluster::coordination::{Answer, CoordinationError, Disconnected, Name, Pending, Quantity, Reply, Request};
use std::time::{Duration, Instant};

/// How long signals wait at most.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// Whoever waits for less in a task keeps its slot meanwhile: lending it takes a word to the scheduler, and a thread.
const SHORT: Duration = Duration::from_millis(5);

/// The scheduler says when the time of a request is over; where it hasn't so long after that, it is over all the same.
const LATE: Duration = Duration::from_secs(1);

impl ClusterCoordination {
    /// Asks, and waits for the answer. Of one who is interrupted, or stopped, everything is taken back.
    pub(super) fn ask(&self, py: Python<'_>, request: Request, stop: Option<&ClusterStop>) -> PyResult<Answer> {
        self.check()?;
        let coordination = self.coordination.clone();
        let timeout = request.timeout().map(Duration::from_nanos);
        let last = timeout.and_then(|timeout| Instant::now().checked_add(timeout.saturating_add(LATE)));
        let pending = py.outside(move || coordination.request(request)).map_err(|error| disconnected(&error))?;
        let answer = wait(py, pending, stop, last)?;
        match answer.reply() {
            Reply::Refused(error) => Err(refused(error)),
            Reply::Cancelled => Err(cancelled_error(py, "it was cancelled while it waited".into())),
            _ => Ok(answer),
        }
    }

    /// The same for what is done at once and gives nothing to be taken back.
    pub(super) fn reply(&self, py: Python<'_>, request: Request) -> PyResult<Reply> {
        Ok(self.ask(py, request, None)?.into_reply())
    }

    /// Has something done without an answer; where there is no scheduler any more there is nothing to do.
    pub(super) fn tell(&self, py: Python<'_>, request: Request) {
        if self.check().is_ok() {
            let _ = py.outside(|| self.coordination.tell(request));
        }
    }
}

fn wait(py: Python<'_>, mut pending: Pending, stop: Option<&ClusterStop>, last: Option<Instant>) -> PyResult<Answer> {
    let look = || {
        Watched::by_nobody().look_up(py)?;
        match stop.is_some_and(ClusterStop::is_stopped) {
            true => Err(stopped(py)),
            false => Ok(()),
        }
    };
    let mut patience = SHORT;
    // If this is a task, whoever is to do what it waits for may need its slot.
    let mut lent = None;
    loop {
        match py.outside(|| pending.wait(Some(Instant::now() + patience))) {
            Some(Ok(answer)) => {
                drop(lent);
                // A signal that came meanwhile is raised as soon as this returns: then nobody would know of what was given.
                return match look() {
                    Ok(()) => Ok(answer),
                    Err(error) => {
                        py.outside(|| answer.give_back());
                        Err(error)
                    }
                };
            }
            Some(Err(error)) => return Err(disconnected(&error)),
            None => {
                if let Err(error) = look() {
                    py.outside(|| pending.cancel());
                    return Err(error);
                }
                if last.is_some_and(|last| last <= Instant::now()) {
                    return Ok(py.outside(|| pending.time_out()));
                }
                lent = lent.or_else(|| Lent::for_what_is_named(py));
                patience = HEARTBEAT;
            }
        }
    }
}

/// A timeout as the scheduler takes it.
pub(super) fn nanoseconds(timeout: Option<&Bound<'_, PyAny>>) -> PyResult<Option<u64>> {
    let timeout = timeout_of(timeout)?;
    Ok(timeout.map(|timeout| u64::try_from(timeout.as_nanos()).unwrap_or(u64::MAX)))
}

pub(super) fn names(names: Vec<String>) -> Vec<Name> {
    names.into_iter().map(Name::from).collect()
}

/// An answer to something else than what was asked: a bug.
pub(super) fn unexpected(reply: &Reply) -> PyErr {
    PyRuntimeError::new_err(format!(
        "the scheduler answered something else than what was asked, which is a bug: {reply:?}"
    ))
}

pub(super) fn disconnected(error: &Disconnected) -> PyErr {
    PyConnectionError::new_err(error.to_string())
}

pub(super) fn refused(error: &CoordinationError) -> PyErr {
    let sentence = error.to_string();
    match error {
        CoordinationError::Unknown { .. } | CoordinationError::Exists { .. } => PyKeyError::new_err(sentence),
        CoordinationError::Malformed(_)
        | CoordinationError::OtherSize { .. }
        | CoordinationError::TooMany {
            what:
                Quantity::NameBytes
                | Quantity::ValueBytes
                | Quantity::ValueResults
                | Quantity::EventBytes
                | Quantity::LocksAtOnce
                | Quantity::MetadataDepth
                | Quantity::Items(_),
            ..
        } => PyValueError::new_err(sentence),
        _ => PyRuntimeError::new_err(sentence),
    }
}

//! Locks, semaphores and events.

use super::ClusterCoordination;
use super::asking::{names, nanoseconds, unexpected};
use crate::cluster::stopping::ClusterStop;
use pyo3::prelude::*;
use raskt_cluster::coordination::{Reply, Request};

#[pymethods]
impl ClusterCoordination {
    /// Waits for `count` of these locks, all at once; gives those that `holder` has, or None if the time is over.
    #[pyo3(signature = (locks, count, holder, timeout=None, stop=None))]
    fn acquire_locks(
        &self,
        py: Python<'_>,
        locks: Vec<String>,
        count: u64,
        holder: u64,
        timeout: Option<Bound<'_, PyAny>>,
        stop: Option<&ClusterStop>,
    ) -> PyResult<Option<Vec<String>>> {
        let timeout = nanoseconds(timeout.as_ref())?;
        let request = Request::AcquireLocks { names: names(locks), count, holder, timeout };
        match self.ask(py, request, stop)?.into_reply() {
            Reply::Acquired(held) => Ok(Some(held.iter().map(|name| name.to_string()).collect())),
            Reply::TimedOut => Ok(None),
            other => Err(unexpected(&other)),
        }
    }

    /// Lets go of locks: all, or none if `holder` hasn't one of them.
    fn release_locks(&self, py: Python<'_>, locks: Vec<String>, holder: u64) -> PyResult<()> {
        self.reply(py, Request::ReleaseLocks { names: names(locks), holder }).map(drop)
    }

    /// The same without waiting; it doesn't matter whether it has them.
    fn forget_locks(&self, py: Python<'_>, locks: Vec<String>, holder: u64) {
        self.tell(py, Request::ReleaseLocks { names: names(locks), holder });
    }

    /// Whether somebody holds a lock.
    fn is_locked(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        self.flag(py, Request::Locked { name: name.into() })
    }

    /// Says how many leases a semaphore has.
    fn open_semaphore(&self, py: Python<'_>, name: &str, leases: u64) -> PyResult<()> {
        self.reply(py, Request::OpenSemaphore { name: name.into(), leases }).map(drop)
    }

    /// Waits for a lease, under a number that is this session's; says whether it came in time. It lasts as long as the session.
    #[pyo3(signature = (name, leases, lease, timeout=None, stop=None))]
    fn acquire_lease(
        &self,
        py: Python<'_>,
        name: &str,
        leases: u64,
        lease: u64,
        timeout: Option<Bound<'_, PyAny>>,
        stop: Option<&ClusterStop>,
    ) -> PyResult<bool> {
        let timeout = nanoseconds(timeout.as_ref())?;
        let request = Request::AcquireLease { name: name.into(), leases, lease, lasts: None, timeout };
        self.in_time(py, request, stop)
    }

    /// Gives back a lease.
    fn release_lease(&self, py: Python<'_>, name: &str, lease: u64) -> PyResult<()> {
        self.reply(py, Request::ReleaseLease { name: name.into(), lease }).map(drop)
    }

    /// The same without waiting; it doesn't matter whether it is there.
    fn forget_lease(&self, py: Python<'_>, name: &str, lease: u64) {
        self.tell(py, Request::ReleaseLease { name: name.into(), lease });
    }

    /// How many leases of a semaphore are held.
    fn leases(&self, py: Python<'_>, name: &str) -> PyResult<u64> {
        self.number(py, Request::Leases { name: name.into() })
    }

    /// Forgets a semaphore.
    fn close_semaphore(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.reply(py, Request::CloseSemaphore { name: name.into() }).map(drop)
    }

    /// Sets an event.
    fn set_event(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.reply(py, Request::SetEvent { name: name.into() }).map(drop)
    }

    /// Clears an event.
    fn clear_event(&self, py: Python<'_>, name: &str) -> PyResult<()> {
        self.reply(py, Request::ClearEvent { name: name.into() }).map(drop)
    }

    /// Whether an event is set.
    fn event_is_set(&self, py: Python<'_>, name: &str) -> PyResult<bool> {
        self.flag(py, Request::EventIsSet { name: name.into() })
    }

    /// Waits for an event; says whether it came in time.
    #[pyo3(signature = (name, timeout=None, stop=None))]
    fn wait_for_event(
        &self,
        py: Python<'_>,
        name: &str,
        timeout: Option<Bound<'_, PyAny>>,
        stop: Option<&ClusterStop>,
    ) -> PyResult<bool> {
        let timeout = nanoseconds(timeout.as_ref())?;
        self.in_time(py, Request::WaitForEvent { name: name.into(), timeout }, stop)
    }
}

impl ClusterCoordination {
    pub(super) fn in_time(&self, py: Python<'_>, request: Request, stop: Option<&ClusterStop>) -> PyResult<bool> {
        match self.ask(py, request, stop)?.into_reply() {
            Reply::Done => Ok(true),
            Reply::TimedOut => Ok(false),
            other => Err(unexpected(&other)),
        }
    }

    pub(super) fn flag(&self, py: Python<'_>, request: Request) -> PyResult<bool> {
        match self.reply(py, request)? {
            Reply::Flag(flag) => Ok(flag),
            other => Err(unexpected(&other)),
        }
    }

    pub(super) fn number(&self, py: Python<'_>, request: Request) -> PyResult<u64> {
        match self.reply(py, request)? {
            Reply::Number(number) => Ok(number),
            other => Err(unexpected(&other)),
        }
    }
}

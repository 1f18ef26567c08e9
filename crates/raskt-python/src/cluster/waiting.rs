//! Waiting for a cluster with the interpreter free, and with an eye on signals.

use super::here::Lent;
use crate::ending::Outside;
use crate::watched::Watched;
use pyo3::exceptions::{PyRuntimeError, PyUserWarning, PyValueError};
use pyo3::prelude::*;
use raskt_cluster::{ClusterError, Until, Watch};
use raskt_sync::Mutex;
use std::ffi::CString;
use std::sync::mpsc::{RecvTimeoutError, sync_channel};
use std::time::{Duration, Instant};

/// How long signals wait at most.
const HEARTBEAT: Duration = Duration::from_millis(50);

/// The argument `timeout` as users give it: seconds, a `timedelta`, a text such as "10s"; nothing is for ever.
pub(super) fn timeout_of(timeout: Option<&Bound<'_, PyAny>>) -> PyResult<Option<Duration>> {
    let Some(timeout) = timeout.filter(|timeout| !timeout.is_none()) else { return Ok(None) };
    let seconds: f64 = match timeout.extract() {
        Ok(seconds) => seconds,
        Err(_) => {
            let module = timeout.py().import("raskt.distributed._durations")?;
            module.getattr("seconds")?.call1((timeout,))?.extract()?
        }
    };
    duration(seconds).map(Some)
}

/// What is longer is for ever: years, in which nobody's clock overflows.
const LONGEST: Duration = Duration::from_secs(1 << 28);

/// So many seconds; of less than none there are none.
pub(super) fn duration(seconds: f64) -> PyResult<Duration> {
    if seconds.is_nan() {
        return Err(PyValueError::new_err("a timeout is NaN; it has to be a number of seconds"));
    }
    Ok(Duration::try_from_secs_f64(seconds.max(0.0)).unwrap_or(LONGEST).min(LONGEST))
}

/// Looks after signals, and after what keeps the cluster.
#[derive(Default)]
struct Lookout {
    standstill: Standstill,
}

impl Lookout {
    fn look(&mut self, py: Python<'_>, stalled: Option<String>) -> PyResult<()> {
        Watched::by_nobody().look_up(py)?;
        self.standstill.look(py, stalled)
    }
}

/// Waits for tasks, up to `timeout`; says whether enough of them are over.
pub(super) fn wait_until(
    py: Python<'_>,
    watch: &Watch,
    until: Until,
    timeout: Option<Duration>,
    stalled: impl Fn() -> Option<String>,
) -> PyResult<bool> {
    let look = |deadline| watch.wait(until, Some(deadline)).then_some(());
    Ok(waited_while(py, timeout, look, stalled)?.is_some())
}

/// What `look` finds, which may wait until the moment that it is given; nothing if that is nothing up to `timeout`.
pub(super) fn waited_for<T: Send>(
    py: Python<'_>,
    timeout: Option<Duration>,
    look: impl Fn(Instant) -> Option<T> + Sync,
) -> PyResult<Option<T>> {
    waited_while(py, timeout, look, || None)
}

fn waited_while<T: Send>(
    py: Python<'_>,
    timeout: Option<Duration>,
    look: impl Fn(Instant) -> Option<T> + Sync,
    stalled: impl Fn() -> Option<String>,
) -> PyResult<Option<T>> {
    let deadline = timeout.and_then(|timeout| Instant::now().checked_add(timeout));
    if let Some(found) = py.outside(|| look(Instant::now())) {
        return Ok(Some(found));
    }
    let mut lookout = Lookout::default();
    // If this is a task, what it waits for may need its slot.
    let _lent = Lent::new(py)?;
    loop {
        let next = Instant::now() + HEARTBEAT;
        let next = deadline.map_or(next, |deadline| deadline.min(next));
        if let Some(found) = py.outside(|| look(next)) {
            return Ok(Some(found));
        }
        if deadline.is_some_and(|deadline| deadline <= Instant::now()) {
            return Ok(None);
        }
        lookout.look(py, stalled())?;
    }
}

/// What is fetched at once, if it is fast; else a thread of its own waits for the rest, so that this one hears of signals. That thread
/// goes on to its end if this one doesn't wait for it.
pub(super) fn while_interruptible<T: Send + 'static>(
    py: Python<'_>,
    mut fetch: impl FnMut(Option<Instant>) -> Result<T, ClusterError> + Send + 'static,
    stalled: impl Fn() -> Option<String>,
) -> PyResult<Result<T, ClusterError>> {
    match py.outside(|| fetch(Some(Instant::now() + HEARTBEAT))) {
        Err(ClusterError::TimedOut) => {}
        result => return Ok(result),
    }
    let _lent = Lent::new(py)?;
    let (sender, receiver) = sync_channel(1);
    let thread = std::thread::Builder::new().name("raskt-gather".into());
    thread.spawn(move || sender.send(fetch(None)))?;
    let receiver = Mutex::new(receiver);
    let mut lookout = Lookout::default();
    loop {
        match py.outside(|| receiver.lock().recv_timeout(HEARTBEAT)) {
            Ok(result) => return Ok(result),
            Err(RecvTimeoutError::Timeout) => lookout.look(py, stalled())?,
            Err(RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "results couldn't be fetched: a thread of raskt ended, which is a bug",
                ));
            }
        }
    }
}

/// Tells the user once why his computation stands still.
#[derive(Default)]
pub(super) struct Standstill {
    since: Option<Instant>,
    is_told: bool,
}

/// A standstill of fewer seconds is none that people want to hear of: workers come and go.
const STANDSTILL: Duration = Duration::from_secs(5);

impl Standstill {
    /// It stands still, for this reason, or goes on.
    pub fn look(&mut self, py: Python<'_>, cause: Option<String>) -> PyResult<()> {
        let Some(cause) = cause else {
            self.since = None;
            return Ok(());
        };
        let since = *self.since.get_or_insert_with(Instant::now);
        if self.is_told || since.elapsed() < STANDSTILL {
            return Ok(());
        }
        self.is_told = true;
        let message = CString::new(format!("the computation waits: {cause}")).unwrap_or_default();
        PyErr::warn(py, &py.get_type::<PyUserWarning>(), &message, 1)
    }
}

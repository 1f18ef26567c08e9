use super::ProcessDied;
use super::channel::Message;
use super::page::At;
use super::pool::Pool;
use super::process::{Heard, Process, story};
use crate::error::TaskCancelled;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyList};
use raskt_value::CancelToken;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::process::ExitStatus;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Calls of one computation, on their way to a process and back.
#[derive(Clone)]
pub(super) struct Session {
    pub pool: Arc<Pool>,
    /// What processes need to know of the computation: a `raskt._process.calls.Run`.
    pub run: Arc<Py<PyAny>>,
    pub cancel: CancelToken,
}

/// What calls have given.
#[derive(Default)]
pub(super) struct Results {
    pub objects: Vec<Py<PyAny>>,
    /// How long the calls themselves took, without the way there and back.
    pub nanoseconds: u64,
}

/// How an exchange with a process ended.
enum Ended {
    /// The process is idle again.
    Orderly,
    Gone(At, Option<ExitStatus>),
}

/// A message of a process, unpacked: results, whether the batch has ended, its nanoseconds, and the error that ended it.
type Reply = (Vec<Py<PyAny>>, bool, u64, Option<Py<PyAny>>);

/// How often a wait for a process looks whether somebody still wants the result.
const GLANCE: Duration = Duration::from_millis(10);

/// How long a process may go on with a task that nobody wants any more before it is ended: a short task is waited for,
/// so that the process can be kept.
const GRACE: Duration = Duration::from_millis(100);

impl Session {
    /// Makes `calls` one after the other, up to the first that fails. Called without the interpreter.
    ///
    /// # Errors
    ///
    /// The error of the call after the last that has a result.
    pub fn make(&self, calls: &[Py<PyAny>], results: &mut Results) -> PyResult<()> {
        let mut is_second_try = false;
        let end = results.objects.len() + calls.len();
        let start = results.objects.len();
        while results.objects.len() < end {
            let before = results.objects.len();
            let process = self.pool.take()?;
            match self.exchange(process, &calls[before - start..], results)? {
                // It was asked to stop, and may have made all calls nevertheless.
                Ended::Orderly if results.objects.len() < end && self.cancel.is_cancelled() => {
                    return Err(no_longer_wanted());
                }
                Ended::Orderly => {}
                Ended::Gone(At::Task(index), status) if before + index >= results.objects.len() => {
                    // Calls before it were made, but their results are lost: they are made once more, elsewhere.
                    let blamed = (before + index - start).min(calls.len() - 1);
                    self.make(&calls[results.objects.len() - start..blamed], results)?;
                    return Err(died(status));
                }
                // It ended between two tasks, for which none of them can be blamed.
                Ended::Gone(At::Idle | At::Task(_), _) if !is_second_try => is_second_try = true,
                Ended::Gone(At::Idle | At::Task(_), status) => return Err(died(status)),
                Ended::Gone(At::Starting, status) => {
                    let story = story(status);
                    let message = format!("a worker process could not be started: it {story}, and says why on stderr");
                    return Err(ProcessDied::new_err(message));
                }
            }
        }
        Ok(())
    }

    /// Sends as many calls as one message takes, and adds their results.
    fn exchange(&self, process: Process, calls: &[Py<PyAny>], results: &mut Results) -> PyResult<Ended> {
        let ((bytes, memory), count, unsent) = self.pack(&process, calls)?;
        if count > 0 {
            match process.send(&bytes, memory.as_ref()) {
                Err(error) if is_gone(&error) => {
                    let (at, status) = process.end();
                    return Ok(Ended::Gone(at, status));
                }
                sent => sent?,
            }
            drop((bytes, memory));
            match self.hear_out(process, results)? {
                Ended::Orderly => {}
                gone @ Ended::Gone(..) => return Ok(gone),
            }
        } else {
            self.pool.keep(process);
        }
        unsent.map_or(Ok(Ended::Orderly), Err)
    }

    /// Takes the results of a batch as they come. A process that comes to its end in good order is kept.
    fn hear_out(&self, process: Process, results: &mut Results) -> PyResult<Ended> {
        let mut cancelled: Option<Instant> = None;
        loop {
            match process.listen(GLANCE) {
                Heard::Message(message) => {
                    let (objects, has_ended, nanoseconds, error) = self.unpack(message)?;
                    results.objects.extend(objects);
                    results.nanoseconds += nanoseconds;
                    if has_ended {
                        self.pool.keep(process);
                        return match error {
                            Some(error) => Err(Python::attach(|py| PyErr::from_value(error.into_bound(py)))),
                            None => Ok(Ended::Orderly),
                        };
                    }
                }
                Heard::Gone => {
                    let (at, status) = process.end();
                    return Ok(Ended::Gone(at, status));
                }
                Heard::Silence => match cancelled {
                    None if self.cancel.is_cancelled() => {
                        process.stop();
                        cancelled = Some(Instant::now());
                    }
                    Some(since) if since.elapsed() > GRACE => return Err(no_longer_wanted()),
                    _ => {}
                },
            }
        }
    }

    /// The message of the first so many of `calls`, how many, and why the next could not be packed.
    fn pack(&self, process: &Process, calls: &[Py<PyAny>]) -> PyResult<(Message, usize, Option<PyErr>)> {
        Python::attach(|py| {
            let calls = PyList::new(py, calls.iter().map(|call| call.bind(py)))?;
            let packed = self.run.bind(py).call_method1("pack", (calls, &process.known))?;
            let (bytes, memory, count, error): (Vec<u8>, RawFd, usize, Option<Bound<'_, PyAny>>) = packed.extract()?;
            // SAFETY: `pack` has made the descriptor and leaves it to us; a negative number stands for none.
            let memory = (memory >= 0).then(|| unsafe { OwnedFd::from_raw_fd(memory) });
            Ok(((bytes, memory), count, error.map(PyErr::from_value)))
        })
    }

    fn unpack(&self, (bytes, memory): Message) -> PyResult<Reply> {
        let descriptor = memory.as_ref().map_or(-1, AsRawFd::as_raw_fd);
        Python::attach(|py| {
            let reply = self.run.bind(py).call_method1("unpack", (PyBytes::new(py, &bytes), descriptor))?;
            reply.extract()
        })
    }
}

fn is_gone(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset)
}

fn no_longer_wanted() -> PyErr {
    TaskCancelled::new_err("the computation was cancelled")
}

fn died(status: Option<ExitStatus>) -> PyErr {
    ProcessDied::new_err(format!("the worker process that ran the task {}", story(status)))
}

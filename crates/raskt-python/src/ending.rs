//! The end of the interpreter. A thread that takes the interpreter when that is over is ended by it, in the middle of what it does; and
//! what is of Rust on its stack has the process abort. Threads that come back to it then stay where they are, and functions of users that
//! our threads call have some time to end.
//!
//! What is registered with `atexit` before raskt is called after all that raskt knows of, and may wait for such threads: these come back
//! a little later, as long as the interpreter is there.

use pyo3::marker::Ungil;
use pyo3::prelude::*;
use raskt_sync::Mutex;
use std::ffi::c_int;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

/// The process whose interpreter is about to end; 0 if none is. Forks are others.
static ENDING: AtomicU32 = AtomicU32::new(0);

/// The thread that ends it.
static ENDS_IT: Mutex<Option<ThreadId>> = Mutex::new(None);

/// The process that begins no further functions of users.
static CLOSED: AtomicU32 = AtomicU32::new(0);

/// A process, and in how many functions of users threads of ours are there.
static CALLED: AtomicU64 = AtomicU64::new(0);

/// How long these may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long others have to take the interpreter that were about to; and how long those wait who come later.
const LAST_CALL: Duration = Duration::from_millis(20);

/// How often it is looked whether it is over.
const GLANCE: Duration = Duration::from_millis(1);

/// Calls `work` while others have the interpreter.
pub(crate) trait Outside {
    fn outside<T: Ungil + Send, F: Ungil + Send + FnOnce() -> T>(self, work: F) -> T;
}

impl Outside for Python<'_> {
    fn outside<T: Ungil + Send, F: Ungil + Send + FnOnce() -> T>(self, work: F) -> T {
        self.detach(|| {
            let result = work();
            if ENDING.load(Ordering::SeqCst) != 0 {
                stay_if_over();
            }
            result
        })
    }
}

/// Takes the interpreter for `work`, on a thread that doesn't have it, and that may be there longer than the interpreter: if that is
/// over, the thread stays here. Nothing if there is none any more.
pub(crate) fn attached<T>(work: impl FnOnce(Python<'_>) -> T) -> Option<T> {
    if ENDING.load(Ordering::SeqCst) != 0 {
        stay_if_over();
    }
    Python::try_attach(work)
}

/// A thread of ours calls a function of a user, unless the interpreter is about to end.
pub(crate) fn calling(call: impl FnOnce(Python<'_>)) {
    struct Called;
    impl Drop for Called {
        fn drop(&mut self) {
            CALLED.fetch_sub(1, Ordering::SeqCst);
        }
    }
    let process = std::process::id();
    // What the parent was in when it forked isn't here.
    let add = |called| Some(of_process(called, process).map_or(alone(process), |_| called) + 1);
    let _ = CALLED.fetch_update(Ordering::SeqCst, Ordering::SeqCst, add);
    let _called = Called;
    if CLOSED.load(Ordering::SeqCst) != process {
        Python::try_attach(call);
    }
}

/// No calls of that process.
fn alone(process: u32) -> u64 {
    u64::from(process) << 32
}

/// The calls of that process, if what is counted is of it.
fn of_process(called: u64, process: u32) -> Option<u32> {
    (called >> 32 == u64::from(process)).then_some(called as u32)
}

/// Called at exit, by the last of the functions that raskt has registered.
#[pyfunction]
fn interpreter_ends(py: Python<'_>) {
    let (process, deadline) = (std::process::id(), Instant::now() + PATIENCE);
    // Who comes later sees it, and who came before is seen.
    CLOSED.store(process, Ordering::SeqCst);
    let is_called = || of_process(CALLED.load(Ordering::SeqCst), process).is_some_and(|calls| calls > 0);
    while is_called() && Instant::now() < deadline {
        py.detach(|| std::thread::sleep(LAST_CALL));
    }
    *ENDS_IT.lock() = Some(std::thread::current().id());
    ENDING.store(process, Ordering::SeqCst);
    py.detach(|| std::thread::sleep(LAST_CALL));
}

fn stay_if_over() {
    let is_another = || *ENDS_IT.lock() != Some(std::thread::current().id());
    if ENDING.load(Ordering::SeqCst) != std::process::id() || !is_another() {
        return;
    }
    let came = Instant::now();
    while came.elapsed() < LAST_CALL {
        while is_over() {
            std::thread::park();
        }
        std::thread::sleep(GLANCE);
    }
}

/// Whether the interpreter takes no thread in any more. It has said so under two names.
fn is_over() -> bool {
    const NAMES: [&std::ffi::CStr; 2] = [c"Py_IsFinalizing", c"_Py_IsFinalizing"];
    // SAFETY: names are asked for that end in zero.
    let found = NAMES.map(|name| unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) });
    let Some(found) = found.into_iter().find(|found| !found.is_null()) else { return false };
    // SAFETY: both are functions of the interpreter that take nothing, need nothing, and give a number.
    let asks: extern "C" fn() -> c_int = unsafe { std::mem::transmute(found) };
    asks() != 0
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(interpreter_ends, module)?)
}

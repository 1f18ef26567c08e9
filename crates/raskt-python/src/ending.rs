//! The end of the interpreter. A thread that takes the interpreter when that is over is ended by it, in the middle of what it does; and
//! what is of Rust on its stack has the process abort. Threads that come back to it after that stay where they are, and functions of
//! users that our threads call have some time to end.

use pyo3::marker::Ungil;
use pyo3::prelude::*;
use raskt_sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread::ThreadId;
use std::time::{Duration, Instant};

static IS_OVER: AtomicBool = AtomicBool::new(false);

/// The thread that ends it.
static ENDS_IT: Mutex<Option<ThreadId>> = Mutex::new(None);

/// Functions of users that threads of ours are in.
static CALLED: AtomicUsize = AtomicUsize::new(0);

/// How long these may take.
const PATIENCE: Duration = Duration::from_secs(5);

/// How long others have to take the interpreter that were about to; and how often it is looked.
const LAST_CALL: Duration = Duration::from_millis(20);

/// Calls `work` while others have the interpreter.
pub(crate) trait Outside {
    fn outside<T: Ungil + Send, F: Ungil + Send + FnOnce() -> T>(self, work: F) -> T;
}

impl Outside for Python<'_> {
    fn outside<T: Ungil + Send, F: Ungil + Send + FnOnce() -> T>(self, work: F) -> T {
        self.detach(|| {
            let result = work();
            stay_if_over();
            result
        })
    }
}

/// A thread of ours calls a function of a user, unless the interpreter is about to end.
pub(crate) fn calling(call: impl FnOnce(Python<'_>)) {
    struct Called;
    impl Drop for Called {
        fn drop(&mut self) {
            CALLED.fetch_sub(1, Ordering::SeqCst);
        }
    }
    CALLED.fetch_add(1, Ordering::SeqCst);
    let _called = Called;
    if !IS_OVER.load(Ordering::SeqCst) {
        Python::try_attach(call);
    }
}

/// Called by the last of the functions that are called at exit: from now on nobody but this thread comes back to the interpreter.
#[pyfunction]
fn interpreter_ends(py: Python<'_>) {
    let deadline = Instant::now() + PATIENCE;
    while CALLED.load(Ordering::SeqCst) > 0 && Instant::now() < deadline {
        py.detach(|| std::thread::sleep(LAST_CALL));
    }
    *ENDS_IT.lock() = Some(std::thread::current().id());
    IS_OVER.store(true, Ordering::SeqCst);
    py.detach(|| std::thread::sleep(LAST_CALL));
}

fn stay_if_over() {
    if IS_OVER.load(Ordering::SeqCst) && *ENDS_IT.lock() != Some(std::thread::current().id()) {
        loop {
            std::thread::park();
        }
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(interpreter_ends, module)?)
}

use pyo3::prelude::*;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads a computation within a worker process has; zero in every other process.
static WORKER_THREADS: AtomicUsize = AtomicUsize::new(0);

/// How many threads a computation has by default, if this is a worker process.
pub(crate) fn worker_threads() -> Option<usize> {
    Some(WORKER_THREADS.load(Ordering::Relaxed)).filter(|&threads| threads > 0)
}

/// How long a worker may outlive its parent.
const PERIOD_MILLISECONDS: i32 = 200;

/// Makes this process a worker of `parent`: it ends, with everything that it has started, when the parent does.
///
/// A thread without the interpreter looks for that, so that no task can keep it from doing so. It asks who the parent is,
/// since the system's own signal for this (`PR_SET_PDEATHSIG`) comes when the *thread* ends that has started the process;
/// and it looks at the channel, whose other end the parent's death closes at once, unless a fork of the parent holds it.
#[pyfunction]
pub(super) fn watch_parent(channel: RawFd, parent: i32, threads: usize) -> PyResult<()> {
    WORKER_THREADS.store(threads.max(1), Ordering::Relaxed);
    std::thread::Builder::new().name("raskt-watch".into()).spawn(move || {
        loop {
            let mut poll = libc::pollfd { fd: channel, events: 0, revents: 0 };
            // SAFETY: there is one entry.
            let changed = unsafe { libc::poll(&raw mut poll, 1, PERIOD_MILLISECONDS) };
            // SAFETY: asks for a number.
            let is_orphan = unsafe { libc::getppid() } != parent;
            if is_orphan || (changed > 0 && poll.revents & libc::POLLHUP != 0) {
                // SAFETY: ends this process and its group, which it leads.
                unsafe { libc::kill(0, libc::SIGKILL) };
            }
        }
    })?;
    Ok(())
}

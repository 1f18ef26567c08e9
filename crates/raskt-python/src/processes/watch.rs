use pyo3::prelude::*;
use raskt_sync::Mutex;
use std::os::fd::RawFd;
use std::sync::atomic::{AtomicUsize, Ordering};

/// How many threads a computation within a worker process has; zero in every other process.
static WORKER_THREADS: AtomicUsize = AtomicUsize::new(0);

/// How many threads a computation has by default, if this is a worker process.
pub(crate) fn worker_threads() -> Option<usize> {
    Some(WORKER_THREADS.load(Ordering::Relaxed)).filter(|&threads| threads > 0)
}

/// Who hears the lines that the parent writes into the channel. Until somebody does, they stay in it.
static HEARS: Mutex<Option<Hears>> = Mutex::new(None);
type Hears = Box<dyn Fn(&str) + Send>;

/// What the parent says is shorter; a part that is longer is dropped.
const LINE_BYTES_MAX: usize = 1 << 14;

/// Has somebody hear the lines that the parent says from now on, on a thread without the interpreter.
pub(crate) fn hear_parent(hears: impl Fn(&str) + Send + 'static) {
    *HEARS.lock() = Some(Box::new(hears));
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
        let mut said = vec![];
        loop {
            let events = if HEARS.lock().is_some() { libc::POLLIN } else { 0 };
            let mut poll = libc::pollfd { fd: channel, events, revents: 0 };
            // SAFETY: there is one entry.
            let changed = unsafe { libc::poll(&raw mut poll, 1, PERIOD_MILLISECONDS) };
            // SAFETY: asks for a number.
            let is_orphan = unsafe { libc::getppid() } != parent;
            if is_orphan || (changed > 0 && poll.revents & libc::POLLHUP != 0) {
                // SAFETY: ends this process and its group, which it leads.
                unsafe { libc::kill(0, libc::SIGKILL) };
            }
            if changed > 0 && poll.revents & libc::POLLIN != 0 {
                hear(channel, &mut said);
            }
        }
    })?;
    Ok(())
}

/// Takes what has come by the channel, and passes on whole lines.
fn hear(channel: RawFd, said: &mut Vec<u8>) {
    let mut more = [0_u8; 4096];
    // SAFETY: the buffer has that many bytes.
    let read = unsafe { libc::read(channel, more.as_mut_ptr().cast(), more.len()) };
    said.extend_from_slice(&more[..usize::try_from(read).unwrap_or(0)]);
    while let Some(end) = said.iter().position(|&byte| byte == b'\n') {
        let line: Vec<u8> = said.drain(..=end).collect();
        if let Some(hears) = &*HEARS.lock() {
            hears(&String::from_utf8_lossy(&line[..end]));
        }
    }
    if said.len() > LINE_BYTES_MAX {
        said.clear();
    }
}

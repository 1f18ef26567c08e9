use super::process::Process;
use pyo3::prelude::*;
use raskt_sync::Mutex;
use std::collections::BTreeSet;
use std::time::Duration;

/// The processes of an engine: as many as threads ask for at once, kept for the next batch.
pub(super) struct Pool {
    /// How many there are to be at most: the slots of the engine.
    count: usize,
    idle: Mutex<Vec<Process>>,
}

impl Pool {
    pub fn new(count: usize) -> Self {
        Self { count, idle: Mutex::new(vec![]) }
    }

    /// A process that is at nothing. The one that came back last comes first: it has what it needs at hand.
    pub fn take(&self) -> PyResult<Process> {
        // One that has ended meanwhile is dropped; the lock is held for the taking alone.
        let next = || self.idle.lock().pop();
        while let Some(process) = next() {
            if process.is_there() {
                return Ok(process);
            }
        }
        Process::start(self.count)
    }

    /// Keeps a process for the next batch.
    pub fn keep(&self, process: Process) {
        let mut idle = self.idle.lock();
        let surplus = (idle.len() >= self.count).then(|| idle.pop()).flatten();
        idle.push(process);
        drop(idle);
        drop(surplus);
    }

    /// Ends the processes that are at nothing.
    pub fn clear(&self) {
        let idle = std::mem::take(&mut *self.idle.lock());
        drop(idle);
    }
}

/// The processes that were started and not reaped yet, each behind the number of the process that has started it: a
/// fork of this process has the list, and the processes aren't its own.
static ALIVE: Mutex<BTreeSet<(u32, u32)>> = Mutex::new(BTreeSet::new());

pub(super) fn born(process: u32) {
    ALIVE.lock().insert((std::process::id(), process));
}

/// Notes that a process is about to be reaped; whether it was alive until now.
pub(super) fn buried(process: u32) -> bool {
    ALIVE.lock().remove(&(std::process::id(), process))
}

/// Ends every worker process of this process; for the end of the interpreter.
pub(crate) fn kill_all() {
    let own = std::process::id();
    // In a fork, the lock may be held by a thread that doesn't exist there; such a process has no workers to end.
    let Some(alive) = ALIVE.try_lock_for(PATIENCE) else { return };
    for &(_, process) in alive.iter().filter(|(parent, _)| *parent == own) {
        kill_group(process);
    }
}

/// How long the end of the interpreter waits for threads that start or reap a process.
const PATIENCE: Duration = Duration::from_millis(200);

pub(super) fn kill_group(process: u32) {
    // SAFETY: sends a signal; the number is that of a group which a process of ours leads.
    unsafe { libc::killpg(process as libc::pid_t, libc::SIGKILL) };
}

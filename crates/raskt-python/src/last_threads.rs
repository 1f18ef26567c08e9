//! Threads that are still in a Python function when the interpreter goes.
//!
//! An interpreter before 3.14 ends such a thread as soon as it comes back from native code, say from `time.sleep`, by
//! `pthread_exit`. That unwinds the frames of the thread, which Rust's frames don't allow, and the process is aborted in
//! the middle of its exit. From 3.14 on the thread waits for the end of the process instead. This has it wait in any version.

use std::cell::Cell;
use std::sync::OnceLock;

thread_local! {
    static RUNS_TASKS: Cell<bool> = const { Cell::new(false) };
}

/// The thread that ends the interpreter, and what was done about `SIGABRT` before.
static BEFORE: OnceLock<(libc::pthread_t, libc::sigaction)> = OnceLock::new();

/// Notes that the calling thread runs Python tasks.
pub(crate) fn note_thread() {
    RUNS_TASKS.set(true);
}

/// From now on a thread that runs tasks waits for the end of the process where it would abort it. To be called by the thread
/// that ends the interpreter.
pub(crate) fn park_instead_of_abort() {
    // SAFETY: `sigaction` is plain data, for which zeros stand for no flags and an empty mask.
    let mut before: libc::sigaction = unsafe { std::mem::zeroed() };
    // SAFETY: with no new action it only reads the present one into the place that it is given.
    if BEFORE.get().is_some() || unsafe { libc::sigaction(libc::SIGABRT, std::ptr::null(), &raw mut before) } != 0 {
        return;
    }
    // SAFETY: it is always there.
    let _ = BEFORE.set((unsafe { libc::pthread_self() }, before));
    // SAFETY: as above.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = on_abort as extern "C" fn(libc::c_int) as usize;
    // SAFETY: the handler does only what signal handlers may, and lives as long as the process.
    unsafe { libc::sigaction(libc::SIGABRT, &raw const action, std::ptr::null_mut()) };
}

extern "C" fn on_abort(signal: libc::c_int) {
    let Some((ending, before)) = BEFORE.get() else { return };
    // SAFETY: both threads are there: this one, and the one that ends the process.
    let is_ending = unsafe { libc::pthread_equal(libc::pthread_self(), *ending) != 0 };
    while RUNS_TASKS.get() && !is_ending {
        // SAFETY: it waits for a signal, and has no other effect.
        unsafe { libc::pause() };
    }
    // SAFETY: puts back what was there. The signal is blocked in its own handler, so that what is raised comes when this
    // returns.
    unsafe {
        libc::sigaction(signal, before, std::ptr::null_mut());
        libc::raise(signal);
    }
}

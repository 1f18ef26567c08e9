//! Holds numerical libraries to one thread while tasks run in parallel.
//!
//! BLAS and OpenMP start a thread for each processor in every call. When tasks run in parallel as well, there are the square of them; and
//! OpenBLAS has one pool, for which calls of two threads each wait for one another. So while more than one thread runs Python tasks each
//! of these libraries computes with the thread that calls it, and none of its own; before and after it has what it had. What changes
//! that is only the second thread that begins, and the last but one that ends; of libraries that count by thread (OpenMP) each thread
//! is told when it begins and ends. While a run goes on whose `library-threads` are "free" all have what they want, but for products of
//! our own kernels. Which libraries there are `raskt-blas` knows.

mod arrow;

use pyo3::prelude::*;
use raskt_blas::{Held, Library, Threads, libraries};
use raskt_sync::Mutex;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::atomic::{AtomicUsize, Ordering};

/// While one lives, its thread counts as one that runs Python tasks: once, however many of them there are within one another.
pub(crate) struct Share(());

/// While one lives, the libraries keep all the threads that they want.
pub(crate) struct LeftAlone(());

struct State {
    /// How many threads run Python tasks.
    running: usize,
    /// The first of them has company that has yet to come: whoever comes or goes next settles that.
    expects_another: bool,
    /// The first libraries of those that there are, if they are held.
    held: Vec<Held>,
    /// Threads that each library may use, if it is held.
    limit: Option<usize>,
}

static STATE: Mutex<State> = Mutex::new(State { running: 0, expects_another: false, held: vec![], limit: None });
static LEFT_ALONE: AtomicUsize = AtomicUsize::new(0);

thread_local! {
    /// For libraries that count by thread: the limit that this thread has, and what each had before.
    static OWN: RefCell<Own> = const { RefCell::new(Own { shares: 0, limit: None, before: vec![] }) };
}

struct Own {
    /// How many shares this thread has taken.
    shares: usize,
    limit: Option<usize>,
    before: Vec<(Threads, i32)>,
}

impl Share {
    /// Takes a share for this thread, which holds the interpreter. If it `has_company` another thread is about to: a library that has begun
    /// to use all threads for the first call has them look for more to do for a while, beside those that run then.
    pub fn take(py: Python<'_>, has_company: bool) -> Self {
        change_own(py, 1, has_company);
        Self(())
    }

    /// Looks after changes: of the number of threads, of the libraries there are.
    pub fn refresh(&self, py: Python<'_>) {
        settle(py, 0, false);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        Python::attach(|py| change_own(py, -1, false));
    }
}

/// While one lives its thread waits for what others do, and counts as none that runs tasks: but for those that it runs meanwhile.
pub(crate) struct AtRest {
    shares: isize,
    /// It ends where it began.
    _here: PhantomData<*const ()>,
}

impl AtRest {
    pub fn new(py: Python<'_>) -> Self {
        let shares = OWN.with_borrow(|own| own.shares).cast_signed();
        change_own(py, -shares, false);
        Self { shares, _here: PhantomData }
    }
}

impl Drop for AtRest {
    fn drop(&mut self) {
        if self.shares > 0 {
            Python::attach(|py| change_own(py, self.shares, false));
        }
    }
}

/// This thread takes so many shares, or gives them back.
fn change_own(py: Python<'_>, change: isize, has_company: bool) {
    let (before, after) = OWN.with_borrow_mut(|own| {
        let before = own.shares;
        own.shares = before.saturating_add_signed(change);
        (before, own.shares)
    });
    match (before > 0, after > 0) {
        (false, true) => settle(py, 1, has_company),
        (true, false) => {
            settle(py, -1, false);
            hold_this_thread(&[], None);
        }
        _ => {}
    }
}

impl LeftAlone {
    pub fn new() -> Self {
        LEFT_ALONE.fetch_add(1, Ordering::Relaxed);
        Self(())
    }
}

impl Drop for LeftAlone {
    fn drop(&mut self) {
        LEFT_ALONE.fetch_sub(1, Ordering::Relaxed);
    }
}

/// Counts `change` threads more, and holds the libraries to what follows. Where the first of them `has_company`, another is about to come.
fn settle(py: Python<'_>, change: isize, has_company: bool) {
    let changed = {
        let mut state = STATE.lock();
        state.running = state.running.saturating_add_signed(change);
        state.expects_another = has_company && state.running == 1;
        let limit = limit(state.running + usize::from(state.expects_another));
        let libraries = if limit.is_some() { libraries() } else { vec![] };
        let changed = std::mem::replace(&mut state.limit, limit) != limit;
        match limit {
            // Those that come later stand behind those that are held.
            Some(_) => {
                let more = libraries.iter().skip(state.held.len());
                let more: Vec<_> = more.map(|library| library.hold()).collect();
                state.held.extend(more);
            }
            None => state.held.clear(),
        }
        hold_this_thread(&libraries, limit);
        changed.then_some(limit)
    };
    // Without the lock: Arrow is told by Python code, which may let other threads run.
    if let Some(limit) = changed {
        arrow::hold(py, limit);
    }
}

/// Threads that a library may use while `running` threads run tasks; nothing means all that it wants.
fn limit(running: usize) -> Option<usize> {
    (running > 1 && LEFT_ALONE.load(Ordering::Relaxed) == 0).then_some(1)
}

/// Does for this thread what libraries that count by thread ask for.
fn hold_this_thread(libraries: &[&Library], limit: Option<usize>) {
    OWN.with_borrow_mut(|own| {
        if own.limit == limit {
            return;
        }
        own.before.drain(..).for_each(|(library, threads)| library.set(threads));
        own.limit = limit;
        let Some(limit) = limit else { return };
        for library in libraries.iter().filter(|library| library.is_by_thread()).map(|library| library.threads()) {
            let threads = library.get();
            own.before.push((library, threads));
            library.set(threads.min(limit as i32));
        }
    });
}

//! Threads for what may take as long as users' code likes, beside those that serve all.
//!
//! A few take turns. Where these are all at something that takes long, others come for what waits: what one waits for may be among it.
//! Who waits for the cluster within such a thing says so ([`waits_here`]), and counts for nothing as long as it does.

use raskt_sync::{Condvar, Mutex, guard, usual_stack};
use std::cell::{Cell, RefCell};
use std::collections::VecDeque;
use std::io;
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Threads that are at work at a time as long as all goes well.
const USUAL: usize = 2;

/// Threads that there are at most, beside one for each that waits for the cluster.
const MOST: usize = 64;

/// Threads that there are at most, whatever they wait for: a process has some thousands.
const MOST_WAITING: usize = 1024;

/// What has waited for so long is seen to by one more thread.
const LONG: Duration = Duration::from_millis(50);

/// A thread that isn't needed any more, and has had nothing to do for so long, ends.
const IDLE: Duration = Duration::from_secs(5);

type Job = Box<dyn FnOnce() + Send>;

/// The way to the threads. Without it they end, and what waits is dropped.
pub(crate) struct Pool(Arc<Inner>);

struct Inner {
    name: &'static str,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    waiting: VecDeque<(Instant, Job)>,
    threads: usize,
    at_work: usize,
    /// Of them are so many at work at a time as long as all goes well.
    usual: usize,
    /// Threads that wait for something of the cluster.
    waits: usize,
    is_over: bool,
}

thread_local! {
    /// The pool that this thread is of.
    static POOL: RefCell<Weak<Inner>> = const { RefCell::new(Weak::new()) };
    /// This thread counts as one that waits, however many things within each other say so.
    static WAITS: Cell<bool> = const { Cell::new(false) };
}

/// The calling thread waits for something of the cluster as long as this is there.
#[must_use]
pub(crate) struct Waits(Option<Arc<Inner>>);

/// To be had by whoever begins to wait for something of the cluster: if it is a job of a pool that waits, that has one thread more
/// meanwhile, as what is waited for may be one of its jobs.
pub(crate) fn waits_here() -> Waits {
    let pool = POOL.try_with(|pool| pool.borrow().upgrade()).ok().flatten().filter(|_| !WAITS.replace(true));
    if let Some(pool) = &pool {
        let mut state = pool.state.lock();
        state.waits += 1;
        let needs_thread = state.adds_thread();
        drop(state);
        if needs_thread {
            pool.add_thread();
        }
    }
    Waits(pool)
}

impl Drop for Waits {
    fn drop(&mut self) {
        if let Some(pool) = &self.0 {
            pool.state.lock().waits -= 1;
            WAITS.set(false);
        }
    }
}

/// What a thread does next.
enum Next {
    Do(Job),
    Wait(Duration),
    End,
}

impl Pool {
    /// Starts its first thread, which stays.
    pub fn start(name: &'static str) -> io::Result<Self> {
        Self::with(name, USUAL)
    }

    /// The same of which as many are at work at once as there may be threads.
    pub fn at_once(name: &'static str) -> io::Result<Self> {
        Self::with(name, MOST)
    }

    fn with(name: &'static str, usual: usize) -> io::Result<Self> {
        let state = Mutex::new(State { threads: 1, usual, ..State::default() });
        let inner = Arc::new(Inner { name, state, changed: Condvar::default() });
        inner.spawn()?;
        Ok(Self(inner))
    }

    /// Has something done, and doesn't wait for it. Whoever waits for what comes of it has to hear when it is dropped, too.
    pub fn run(&self, job: impl FnOnce() + Send + 'static) {
        let mut state = self.0.state.lock();
        state.waiting.push_back((Instant::now(), Box::new(job)));
        let needs_thread = state.adds_thread();
        drop(state);
        self.0.changed.notify_one();
        if needs_thread {
            self.0.add_thread();
        }
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        let mut state = self.0.state.lock();
        state.is_over = true;
        let waiting = std::mem::take(&mut state.waiting);
        drop(state);
        self.0.changed.notify_all();
        drop(waiting);
    }
}

impl Inner {
    fn spawn(self: &Arc<Self>) -> io::Result<()> {
        let inner = self.clone();
        let thread = std::thread::Builder::new().name(self.name.into()).stack_size(usual_stack());
        thread.spawn(move || inner.serve()).map(drop)
    }

    /// Starts a thread that is counted already.
    fn add_thread(self: &Arc<Self>) {
        if let Err(error) = self.spawn() {
            // The others come to it.
            tracing::warn!("`{}` gets no thread: {error}", self.name);
            self.state.lock().threads -= 1;
        }
    }

    fn serve(self: &Arc<Self>) {
        POOL.set(Arc::downgrade(self));
        while let Some((job, needs_thread)) = self.next() {
            // There is always one that sees to what waits.
            if needs_thread {
                self.add_thread();
            }
            if let Err(story) = guard(job) {
                tracing::error!("a job of `{}` panicked: {story}", self.name);
            }
            self.state.lock().at_work -= 1;
        }
    }

    /// The next job, and whether one more thread is needed; nothing if this thread is to end. Whoever is idle looks at what is left.
    fn next(&self) -> Option<(Job, bool)> {
        let (mut state, mut is_late) = (self.state.lock(), false);
        loop {
            match state.next(is_late) {
                Next::Do(job) => {
                    let needs_thread = state.adds_thread();
                    self.changed.notify_one();
                    return Some((job, needs_thread));
                }
                Next::Wait(pause) => {
                    (state, is_late) = self.changed.wait_for(state, pause);
                    is_late &= pause == IDLE;
                }
                Next::End => {
                    state.threads -= 1;
                    return None;
                }
            }
        }
    }
}

impl State {
    /// What a thread does that has nothing to do, and has waited for long if it `is_late`.
    fn next(&mut self, is_late: bool) -> Next {
        let Some((since, _)) = self.waiting.front() else {
            let is_spare = self.threads > 1;
            return if self.is_over || is_late && is_spare { Next::End } else { Next::Wait(IDLE) };
        };
        let waits = LONG.saturating_sub(since.elapsed());
        if self.at_work.saturating_sub(self.waits) >= self.usual && !waits.is_zero() {
            return Next::Wait(waits);
        }
        match self.waiting.pop_front() {
            Some((_, job)) => {
                self.at_work += 1;
                Next::Do(job)
            }
            None => Next::Wait(IDLE),
        }
    }

    /// Counts one more thread if something waits, and all threads are at work.
    fn adds_thread(&mut self) -> bool {
        let most = (MOST + self.waits).min(MOST_WAITING);
        let adds = !self.waiting.is_empty() && self.threads == self.at_work && self.threads < most;
        self.threads += usize::from(adds);
        adds
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    /// Nothing here takes this long, unless it goes wrong.
    const PATIENCE: Duration = Duration::from_secs(60);

    #[test]
    fn what_all_wait_for_is_done_though_all_threads_wait() {
        let pool = Pool::start("test").unwrap();
        let (go, may_go) = channel::<()>();
        let may_go = Arc::new(Mutex::new(may_go));
        let (done, was_done) = channel();
        for _ in 0..MOST - 1 {
            let (may_go, done) = (may_go.clone(), done.clone());
            pool.run(move || done.send(may_go.lock().recv().is_ok()).unwrap());
        }
        pool.run(move || (1..MOST).for_each(|_| go.send(()).unwrap()));
        for _ in 0..MOST - 1 {
            assert!(was_done.recv_timeout(PATIENCE).unwrap());
        }
    }

    #[test]
    fn who_waits_for_the_cluster_keeps_no_thread_from_others() {
        let pool = Pool::start("test").unwrap();
        let (go, may_go) = channel::<()>();
        let may_go = Arc::new(Mutex::new(may_go));
        let (done, was_done) = channel();
        for _ in 0..MOST + 9 {
            let (may_go, done) = (may_go.clone(), done.clone());
            pool.run(move || {
                let waits = waits_here();
                let came = may_go.lock().recv().is_ok();
                drop(waits);
                done.send(came).unwrap();
            });
        }
        pool.run(move || (0..MOST + 9).for_each(|_| go.send(()).unwrap()));
        for _ in 0..MOST + 9 {
            assert!(was_done.recv_timeout(PATIENCE).unwrap());
        }
        assert_eq!(pool.0.state.lock().waits, 0);
    }

    /// As many wait as are at work usually: whoever counted them would let each job lie for a while.
    #[test]
    fn who_waits_for_the_cluster_holds_nothing_up() {
        let pool = Pool::start("test").unwrap();
        let (go, may_go) = channel::<()>();
        let may_go = Arc::new(Mutex::new(may_go));
        let (done, was_done) = channel();
        for _ in 0..USUAL {
            let (may_go, done) = (may_go.clone(), done.clone());
            pool.run(move || {
                let (_waits, _within) = (waits_here(), waits_here());
                done.send(()).unwrap();
                let _ = may_go.lock().recv();
            });
        }
        (0..USUAL).for_each(|_| was_done.recv_timeout(PATIENCE).unwrap());
        let state = pool.0.state.lock();
        let (waits, at_work) = (state.waits, state.at_work);
        drop(state);
        assert_eq!((waits, at_work), (USUAL, USUAL), "what is within each other counts once");
        let job = || ();
        let mut state = State { usual: USUAL, at_work, waits, ..State::default() };
        state.waiting.push_back((Instant::now(), Box::new(job)));
        assert!(matches!(state.next(false), Next::Do(_)));
        drop(go);
    }

    #[test]
    fn few_threads_do_what_takes_no_time() {
        let pool = Pool::start("test").unwrap();
        let (done, was_done) = channel();
        for at in 0..1_000 {
            let done = done.clone();
            pool.run(move || done.send(at).unwrap());
        }
        let mut came: Vec<_> = (0..1_000).map(|_| was_done.recv_timeout(PATIENCE).unwrap()).collect();
        came.sort();
        assert!(came.into_iter().eq(0..1_000));
        assert!(pool.0.state.lock().threads < MOST);
    }

    #[test]
    fn who_panics_keeps_no_thread_from_the_others() {
        let pool = Pool::start("test").unwrap();
        let (done, was_done) = channel();
        for at in 0..3 * MOST {
            let done = done.clone();
            pool.run(move || {
                done.send(at).unwrap();
                panic!("this is a test of panics");
            });
        }
        (0..3 * MOST).for_each(|_| _ = was_done.recv_timeout(PATIENCE).unwrap());
    }

    #[test]
    fn what_waits_is_dropped_with_the_pool() {
        let pool = Pool::start("test").unwrap();
        let (go, may_go) = channel::<()>();
        let may_go = Arc::new(Mutex::new(may_go));
        let (dropped, was_dropped) = channel::<()>();
        for _ in 0..2 * MOST {
            let (may_go, dropped) = (may_go.clone(), dropped.clone());
            pool.run(move || {
                let _ = may_go.lock().recv();
                drop(dropped);
            });
        }
        drop((pool, dropped, go));
        assert!(
            was_dropped
                .recv_timeout(PATIENCE)
                .is_err_and(|error| error == std::sync::mpsc::RecvTimeoutError::Disconnected)
        );
    }
}

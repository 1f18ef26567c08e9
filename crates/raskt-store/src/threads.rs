//! The threads of the store: they write and read files, drop what is large, and tell engines what became of their
//! requests. They start with the first need and end when there has been none for a while.

mod fetching;
mod files;
mod helping;

use crate::broken::Broken;
use crate::broker::Holder;
use crate::file::{ReadError, SpillFile, block_size_signal};
use crate::machine;
use crate::place::{FolderState, Place};
use crate::request::{Asker, Reply};
use crate::state::{Garbage, Job, State, Written};
use crate::still::Still;
use crate::watch::{LOOK, ProcessWatch};
use raskt_sync::{Condvar, Mutex, MutexGuard, guard};
use raskt_value::Value;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// What all handles of a store and its threads share.
pub(crate) struct Shared {
    inner: Mutex<Inner>,
    /// Told when a thread of the store has something to do.
    work: Condvar,
    /// Told when a result has come or gone.
    came: Condvar,
    pub place: Place,
    has_spilled: AtomicBool,
    since: Instant,
    /// When freed memory was last given back to the system, in milliseconds since then; zero if never.
    gave_back: AtomicU64,
    /// Whether there is something to do or to watch, and no thread of the store that would.
    is_stranded: AtomicBool,
    /// Whether the process is ended if it has more than it may.
    pub is_bound: AtomicBool,
    pub watch: ProcessWatch,
}

pub(crate) struct Inner {
    state: State,
    askers: BTreeMap<u32, Weak<dyn Asker>>,
    threads: usize,
    idle: usize,
    /// Those that idle and look again soon, since requests wait or more is held than there is room for.
    watching: usize,
    /// When the system gave no thread, if it was asked for one and gave none.
    refused: Option<Instant>,
    /// It is as if it gave none, for tests.
    refuses: bool,
    /// What those watch for who help where there is no thread.
    still: Still,
    /// A thread is telling engines of replies. The next ones wait for it, so that each hears them in order.
    is_telling: bool,
    is_closed: bool,
    /// The state was half changed and put right again, of which engines haven't been told.
    broke: Option<Broken>,
    /// How often that happened.
    breaks: u64,
}

/// Threads that move results: one can write while the other reads.
const THREADS: usize = 2;

/// How long a thread without work waits before it ends itself.
const IDLE: Duration = Duration::from_secs(10);

/// How long freed memory may stay with the process once memory was short.
const GIVE_BACK: Duration = Duration::from_millis(100);

impl Shared {
    pub fn new(limit: u64) -> Self {
        let state = State::new(limit);
        let inner = Inner {
            state,
            askers: BTreeMap::new(),
            threads: 0,
            idle: 0,
            watching: 0,
            refused: None,
            refuses: false,
            still: Still::default(),
            is_telling: false,
            is_closed: false,
            broke: None,
            breaks: 0,
        };
        Self {
            inner: Mutex::new(inner),
            work: Condvar::new(),
            came: Condvar::new(),
            place: Place::default(),
            has_spilled: AtomicBool::new(false),
            since: Instant::now(),
            gave_back: AtomicU64::new(0),
            is_stranded: AtomicBool::new(false),
            is_bound: AtomicBool::new(false),
            watch: ProcessWatch::new(),
        }
    }

    /// Waits until nobody else is at it, and keeps it so.
    pub fn hold(&self) -> (MutexGuard<'_, Inner>, MutexGuard<'_, FolderState>) {
        (self.inner.lock(), self.place.hold())
    }

    /// Changes the state, and sees to it that threads take up what comes of it. After a panic on the way the state is put
    /// right from the results that it has, and a thread tells all engines.
    pub fn change<T>(self: &Arc<Self>, change: impl FnOnce(&mut State) -> T) -> Result<T, Broken> {
        let mut inner = self.inner.lock();
        let result = guard(|| change(&mut inner.state)).map_err(|story| inner.put_right(&story));
        if inner.needs_thread() {
            self.wake(&mut inner);
        }
        result
    }

    fn wake(self: &Arc<Self>, inner: &mut Inner) {
        self.has_spilled.store(inner.state.has_spilled, Ordering::Relaxed);
        inner.state.counts.woken += 1;
        if inner.idle > 0 {
            self.work.notify_one();
        } else if inner.threads < THREADS && !inner.is_closed {
            self.start(inner);
        }
    }

    pub fn has_spilled(&self) -> bool {
        self.has_spilled.load(Ordering::Relaxed)
    }

    pub fn enlist(&self, number: u32, asker: Weak<dyn Asker>) {
        self.inner.lock().askers.insert(number, asker);
    }

    pub fn delist(&self, number: u32) {
        self.inner.lock().askers.remove(&number);
    }

    /// Whether the calling thread holds the lock: another would let go of it soon.
    #[cfg(test)]
    pub fn is_locked(&self) -> bool {
        self.inner.try_lock_for(Duration::from_secs(2)).is_none()
    }

    /// Ends the threads. Files go with their results.
    pub fn close(&self) {
        self.inner.lock().is_closed = true;
        self.work.notify_all();
        self.place.forget_folder();
    }

    fn live(self: &Arc<Self>) {
        block_size_signal();
        let is_telling = Cell::new(false);
        while let Err(story) = guard(|| self.serve(&is_telling)) {
            self.recover(&story, &is_telling);
        }
    }

    /// A thread that was at what there is to do panicked.
    fn recover(&self, story: &str, tells: &Cell<bool>) {
        let mut inner = self.inner.lock();
        if tells.take() {
            inner.is_telling = false;
        }
        inner.put_right(story);
    }

    /// Sees to what there is to do, until there has been nothing for a while; the thread isn't counted any more then. `tells`
    /// says whether it is this thread that tells engines of replies.
    fn serve(self: &Arc<Self>, tells: &Cell<bool>) {
        let mut still = Still::default();
        loop {
            let Some(mut inner) = self.step(self.inner.lock(), tells) else { continue };
            if inner.is_closed {
                inner.threads -= 1;
                return;
            }
            let Inner { state, is_telling, .. } = &mut *inner;
            let patience = still.look(state, *is_telling);
            let watches = patience.is_some() && state.unseen.bytes > 0;
            let patience = if watches { patience.min(Some(LOOK)) } else { patience };
            inner.idle += 1;
            inner.watching += usize::from(patience.is_some());
            let expired;
            (inner, expired) = self.work.wait_for(inner, patience.unwrap_or(IDLE));
            inner.idle -= 1;
            inner.watching -= usize::from(patience.is_some());
            if watches {
                drop(inner);
                self.look();
                inner = self.inner.lock();
            }
            if expired && patience.is_none() && !inner.has_work() {
                // Whoever has work from here on sees that there is a thread less.
                inner.threads -= 1;
                return;
            }
        }
    }

    /// Does the first thing that there is to do; the lock comes back if there is none.
    fn step<'a>(
        self: &'a Arc<Self>,
        mut inner: MutexGuard<'a, Inner>,
        tells: &Cell<bool>,
    ) -> Option<MutexGuard<'a, Inner>> {
        let Inner { state, is_telling, broke, .. } = &mut *inner;
        if let Some(broken) = broke.take() {
            let askers = inner.askers.clone();
            drop(inner);
            askers.values().filter_map(Weak::upgrade).for_each(|asker| asker.store_broke(&broken));
        } else if !state.replies.is_empty() && !*is_telling {
            *is_telling = true;
            tells.set(true);
            let replies = std::mem::take(&mut state.replies);
            let askers = inner.askers.clone();
            drop(inner);
            tell(&askers, replies);
            self.inner.lock().is_telling = false;
            tells.set(false);
        } else if !state.garbage.is_empty() {
            let garbage: Vec<Garbage> = std::mem::take(&mut state.garbage);
            drop(inner);
            garbage.into_iter().for_each(Garbage::let_go);
            self.give_back_freed();
        } else if let Some(job) = state.jobs.pop_front() {
            if !state.jobs.is_empty() {
                self.wake(&mut inner);
            }
            drop(inner);
            self.run(job);
        } else if std::mem::take(&mut state.wants_trim) {
            state.wants_purge = false;
            drop(inner);
            self.trim();
        } else if std::mem::take(&mut state.wants_purge) {
            drop(inner);
            machine::give_back_own_freed();
        } else if state.wants_look {
            drop(inner);
            let _ = self.change(State::look_on);
        } else {
            return Some(inner);
        }
        None
    }

    fn run(self: &Arc<Self>, job: Job) {
        let start = Instant::now();
        let elapsed = || start.elapsed().as_nanos() as u64;
        match job {
            Job::Write { id, value, codec, known, bytes, epoch } => {
                let is_new = known.is_none();
                // A codec that panics can't write this result.
                let written = guard(|| self.write((id, epoch), &value, &*codec, known)).unwrap_or(Written::Never);
                // The state's own is the last then, so that letting it go frees the memory.
                drop(value);
                self.change_in(epoch, written, |state, written| {
                    if is_new && matches!(written, Written::To(_)) {
                        state.speed.wrote(bytes, elapsed());
                    }
                    state.wrote(id, written);
                });
                self.came.notify_all();
                self.give_back_freed();
            }
            Job::Read { id, file, epoch } => {
                let read = value_of(&file);
                if let Err(ReadError::Unread(error)) = &read {
                    file.unheard(error);
                }
                let bytes = file.bytes();
                drop(file);
                self.change_in(epoch, read, |state, read| {
                    state.speed.read(bytes, elapsed());
                    state.read(id, read);
                });
                self.came.notify_all();
            }
            Job::Sweep { place, epoch } => {
                crate::folder::sweep(&place);
                self.change_in(epoch, (), |state, ()| state.swept());
            }
        }
    }

    /// Tells the state what came of a job of this epoch. If that is over, what came of it goes without the lock: files are removed,
    /// and objects may be anybody's.
    fn change_in<T>(self: &Arc<Self>, epoch: u32, came: T, change: impl FnOnce(&mut State, T)) {
        let mut came = Some(came);
        let _ = self.change(|state| {
            if state.epoch == epoch
                && let Some(came) = came.take()
            {
                change(state, came);
            }
        });
        drop(came);
    }

    fn trim(&self) {
        // Whoever is ended for what the process has keeps no memory that is free.
        if self.is_bound.load(Ordering::Relaxed) {
            machine::keep_little_freed();
        }
        machine::give_back_freed();
    }

    /// What leaves the store is to leave the process as well. Not at every turn: it takes some milliseconds.
    fn give_back_freed(&self) {
        let last = self.gave_back.load(Ordering::Relaxed);
        let now = self.since.elapsed().as_millis() as u64 + 1;
        let is_due = last == 0 || now - last >= GIVE_BACK.as_millis() as u64;
        // Of two threads that find it due, one does it.
        let is_first = || self.gave_back.compare_exchange(last, now, Ordering::Relaxed, Ordering::Relaxed).is_ok();
        if self.has_spilled() && is_due && is_first() {
            self.trim();
        }
    }
}

impl Inner {
    /// Whether threads have something to do or to watch.
    fn has_work(&self) -> bool {
        self.broke.is_some() || self.state.has_work()
    }

    /// Whether a thread is to be woken. Where there is only something to watch, one that does so is enough: more is held than there
    /// is room for as long as the user likes.
    fn needs_thread(&self) -> bool {
        let is_urgent = self.broke.is_some() || self.state.has_urgent_work();
        is_urgent || (self.watching == 0 && self.state.has_work())
    }

    /// Something that changes the state panicked half way.
    fn put_right(&mut self, story: &str) -> Broken {
        if guard(|| self.state.put_right()).is_err() {
            // Not even what it has can be told: those who want results compute them again.
            let empty = self.state.emptied();
            std::mem::forget(std::mem::replace(&mut self.state, empty));
        }
        self.breaks += 1;
        let broken = Broken::new(story, self.breaks);
        self.broke = Some(broken.clone());
        broken
    }

    /// This is a child of a fork: what threads were at is at rest again.
    pub fn lose_threads(&mut self) {
        (self.threads, self.idle, self.watching, self.is_telling) = (0, 0, 0, false);
        self.askers.clear();
        self.state.lose_threads();
        // What is on its way is so in the parent.
        self.state.broker.arrived(u64::MAX);
    }
}

/// What a file holds. One whose reading panics is of no use.
fn value_of(file: &SpillFile) -> Result<Value, ReadError> {
    guard(|| file.value()).unwrap_or(Err(ReadError::Damaged))
}

fn tell(askers: &BTreeMap<u32, Weak<dyn Asker>>, replies: Vec<(Holder, Reply)>) {
    let mut by_asker: BTreeMap<u32, Vec<(u64, Reply)>> = BTreeMap::new();
    for (holder, reply) in replies {
        by_asker.entry(holder.asker).or_default().push((holder.ticket, reply));
    }
    for (number, replies) in by_asker {
        if let Some(asker) = askers.get(&number).and_then(Weak::upgrade) {
            asker.answered(replies);
        }
    }
}

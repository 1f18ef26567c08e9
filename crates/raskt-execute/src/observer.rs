//! Looking on while tasks run.
//!
//! An [`Observer`] is told of every task of this process from [`observe`] on until the [`Observation`] is dropped. As
//! long as nobody looks on, a task costs one atomic load more for it: keys are made and clocks are read only for
//! observers.

use raskt_graph::TaskId;
use raskt_schedule::RunId;
use raskt_sync::RwLock;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Instant;

/// Is told what tasks do. It is called by the threads that run the tasks, without any lock of the engine.
pub trait Observer: Send + Sync + 'static {
    /// A task begins on the calling thread.
    fn started(&self, key: &str) {
        let _ = key;
    }

    /// The task that began last on the calling thread is over.
    fn ended(&self, record: &TaskRecord) {
        let _ = record;
    }

    /// Tasks that one thread ran one after the other; they have been told of one by one as well.
    fn ran(&self, records: &[TaskRecord]) {
        let _ = records;
    }

    /// Results were let go.
    fn freed(&self, freed: &[Freed], at: Instant) {
        let _ = (freed, at);
    }
}

/// What a task did.
#[derive(Clone, Debug)]
pub struct TaskRecord {
    /// Whose result it made.
    pub id: ResultId,
    /// The task's name, as people see it.
    pub key: String,
    /// The name of what it did: the op's, or the function's.
    pub op: Arc<str>,
    /// The thread that ran it, numbered in the order in which threads came to run tasks.
    pub thread: u32,
    /// When it began.
    pub start: Instant,
    /// When it was over.
    pub end: Instant,
    /// Bytes of its result; zero if it failed.
    pub bytes: u64,
    /// Whether it failed.
    pub failed: bool,
}

/// A result, told from every other of this process.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ResultId {
    /// The run that it belongs to; none for work that the engine runs on behalf of others.
    pub run: Option<RunId>,
    /// The task, or the number that others gave it.
    pub task: TaskId,
    /// The engine, by a number of its own.
    pub engine: u32,
}

/// What was let go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Freed {
    /// One result.
    Result(ResultId),
    /// All results of a run that were still there.
    Run {
        /// The engine.
        engine: u32,
        /// The run.
        run: RunId,
    },
}

/// Starts to tell `observer`, until what comes back is dropped.
#[must_use = "an observer is told of nothing any more once its observation is dropped"]
pub fn observe(observer: Arc<dyn Observer>) -> Observation {
    let mut observers = OBSERVERS.write();
    observers.push(observer.clone());
    IS_WATCHED.store(true, Ordering::Release);
    Observation(observer)
}

/// An observer's time; it ends when this is dropped.
pub struct Observation(Arc<dyn Observer>);

impl Drop for Observation {
    fn drop(&mut self) {
        let mut observers = OBSERVERS.write();
        if let Some(at) = observers.iter().position(|other| Arc::ptr_eq(other, &self.0)) {
            observers.remove(at);
        }
        IS_WATCHED.store(!observers.is_empty(), Ordering::Release);
    }
}

static OBSERVERS: RwLock<Vec<Arc<dyn Observer>>> = RwLock::new(vec![]);
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// Whether anybody looks on.
pub fn is_watched() -> bool {
    IS_WATCHED.load(Ordering::Acquire)
}

/// Tells observers that results were let go.
pub fn tell_freed(freed: &[Freed]) {
    if freed.is_empty() || !is_watched() {
        return;
    }
    let (observers, now) = (OBSERVERS.read().clone(), Instant::now());
    observers.iter().for_each(|observer| observer.freed(freed, now));
}

/// Tells observers of tasks that one thread runs one after the other; nothing if nobody looks on.
pub struct Telling {
    observers: Vec<Arc<dyn Observer>>,
    thread: u32,
    records: Vec<TaskRecord>,
    begun: Option<(String, Instant)>,
}

impl Telling {
    /// For the tasks that this thread is about to run, if anybody looks on.
    pub fn begin() -> Option<Self> {
        if !is_watched() {
            return None;
        }
        let observers = OBSERVERS.read().clone();
        Some(Self { observers, thread: thread_number(), records: vec![], begun: None })
    }

    /// A task begins.
    pub fn started(&mut self, key: String) {
        self.started_at(key, Instant::now());
    }

    /// A task began.
    pub(crate) fn started_at(&mut self, key: String, start: Instant) {
        self.observers.iter().for_each(|observer| observer.started(&key));
        self.begun = Some((key, start));
    }

    /// The task is over: with a result of so many bytes, or nothing if it failed.
    pub fn ended(&mut self, id: ResultId, op: &Arc<str>, bytes: Option<u64>) {
        self.ended_at(id, op, bytes, Instant::now());
    }

    /// The task was over.
    pub(crate) fn ended_at(&mut self, id: ResultId, op: &Arc<str>, bytes: Option<u64>, end: Instant) {
        let Some((key, start)) = self.begun.take() else { return };
        let (op, thread, failed) = (op.clone(), self.thread, bytes.is_none());
        let record = TaskRecord { id, key, op, thread, start, end, bytes: bytes.unwrap_or(0), failed };
        self.observers.iter().for_each(|observer| observer.ended(&record));
        self.records.push(record);
    }

    /// Of how many tasks it has told.
    pub(crate) fn told(&self) -> usize {
        self.records.len()
    }
}

impl Drop for Telling {
    fn drop(&mut self) {
        if !self.records.is_empty() {
            self.observers.iter().for_each(|observer| observer.ran(&self.records));
        }
    }
}

/// The number of the calling thread among those that have run tasks.
fn thread_number() -> u32 {
    use std::sync::atomic::AtomicU32;
    static NEXT: AtomicU32 = AtomicU32::new(0);
    thread_local! {
        static NUMBER: u32 = NEXT.fetch_add(1, Ordering::Relaxed);
    }
    NUMBER.with(|number| *number)
}

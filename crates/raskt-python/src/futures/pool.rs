use super::Task;
use super::state::{Failure, Outcome};
use crate::block::{PythonBlock, PythonOp};
use crate::ending::Outside;
use crate::error::from_run_error;
use crate::object::Object;
use crate::runner::check_cancelled;
use hashbrown::HashMap;
use pyo3::prelude::*;
use raskt_execute::{Engine, OwnsRuns, RunError, RunHandle, SlotLoan};
use raskt_futures::local::{InLine, Line};
use raskt_graph::{Graph, GraphBuilder, Layer, Op, OpFlags, OpKind, Shape, TaskId};
use raskt_sync::Mutex;
use raskt_value::Value;
use std::cell::{Cell, RefCell};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};

/// Runs tasks on threads of an engine, as many at a time as it is wide.
pub(crate) struct Pool {
    engine: Engine,
    /// Tasks at a time; zero means that they run in the thread that submits them.
    width: usize,
    /// The process whose threads it uses.
    pub process: u32,
    line: Mutex<Line<Task>>,
    /// The graph of one task that takes tasks from the line, and that task.
    pull: (Arc<Graph>, Vec<TaskId>),
    /// The runs of that graph that haven't been seen to end.
    pulls: Mutex<Vec<RunHandle>>,
    /// How often they ended before they were begun, since one was.
    lost: AtomicU32,
    itself: Weak<Self>,
    /// Tasks whose keys were given.
    keyed: Mutex<HashMap<String, Weak<Task>>>,
}

/// A thread takes tasks for so long before it lets the engine's other runs have their turn.
const SLICE: Duration = Duration::from_millis(10);

thread_local! {
    /// The pool that this thread takes tasks for.
    static CURRENT: RefCell<Option<Arc<Pool>>> = const { RefCell::new(None) };
    /// Calls that this thread is in since others wait for them there.
    static AHEAD: Cell<usize> = const { Cell::new(0) };
}

/// Calls within calls that a thread makes at most: what is deeper goes to other threads.
const DEEPEST: usize = 8;

static POOLS: Mutex<Vec<Weak<Pool>>> = Mutex::new(vec![]);

impl Pool {
    pub fn new(engine: Engine, width: usize) -> Arc<Self> {
        let pool = Arc::new_cyclic(|pool| Self {
            engine,
            width,
            process: std::process::id(),
            line: Mutex::default(),
            pull: pull_graph(pool.clone()),
            pulls: Mutex::default(),
            lost: AtomicU32::new(0),
            itself: pool.clone(),
            keyed: Mutex::default(),
        });
        let mut pools = POOLS.lock();
        pools.retain(|pool| pool.strong_count() > 0);
        pools.push(Arc::downgrade(&pool));
        pool
    }

    /// Puts a task whose inputs are there into the line, and sees to it that it is taken.
    pub fn enqueue(self: &Arc<Self>, py: Python<'_>, task: &Arc<Task>) {
        let (is_closed, wants_thread) = {
            let mut line = self.line.lock();
            line.push(task);
            (line.is_closed, line.wants_thread(self.width))
        };
        if is_closed {
            task.finish(py, Outcome::Cancelled(CLOSED.to_owned()));
        } else if self.is_synchronous() {
            while let Some(task) = { self.line.lock().pop() } {
                task.run(py);
                if task.is_interrupted(py) {
                    // The signal was for the program and not for the call that happened to run: it comes once more.
                    // SAFETY: sets a flag of the interpreter, which is held.
                    unsafe { pyo3::ffi::PyErr_SetInterrupt() };
                }
            }
        } else if wants_thread {
            self.ask_for_thread();
        }
    }

    /// Whether each task runs in the thread that submits it.
    pub fn is_synchronous(&self) -> bool {
        self.width == 0
    }

    pub fn is_closed(&self) -> bool {
        self.line.lock().is_closed
    }

    /// The task that has this key, if somebody holds it and it wasn't cancelled.
    pub fn task_of(&self, key: &str) -> Option<Arc<Task>> {
        self.keyed.lock().get(key)?.upgrade().filter(|task| !task.is_cancelled())
    }

    pub fn remember(&self, key: &str, task: &Arc<Task>) {
        self.keyed.lock().insert(key.to_owned(), Arc::downgrade(task));
    }

    /// Forgets a key whose task is gone; a younger task with the same key stays.
    pub fn forget(&self, key: &str) {
        let mut keyed = self.keyed.lock();
        if keyed.get(key).is_some_and(|task| task.strong_count() == 0) {
            keyed.remove(key);
        }
    }

    /// Cancels all that waits, in every pool of this process, and refuses what comes: the interpreter is going.
    pub fn close_all(py: Python<'_>) {
        let pools: Vec<_> = POOLS.lock().iter().filter_map(Weak::upgrade).collect();
        for pool in pools.into_iter().filter(|pool| pool.process == std::process::id()) {
            pool.line.lock().is_closed = true;
            while let Some(task) = { pool.line.lock().pop() } {
                task.finish(py, Outcome::Cancelled(CLOSED.to_owned()));
            }
        }
    }

    fn wants_thread(&self) -> bool {
        self.line.lock().wants_thread(self.width)
    }

    fn ask_for_thread(&self) {
        let (graph, wanted) = &self.pull;
        let handle = self.engine.submit_unattended(graph.clone(), wanted.clone(), self.itself.clone());
        let ended: Vec<_> = {
            let mut pulls = self.pulls.lock();
            let ended = pulls.extract_if(.., |pull| pull.is_done()).collect();
            pulls.push(handle);
            ended
        };
        drop(ended);
    }

    /// Takes tasks from the line and runs them until it is empty or the slice is over.
    fn pull(self: &Arc<Self>, py: Python<'_>) {
        let before = CURRENT.replace(Some(self.clone()));
        let (began, mut turn) = (Instant::now(), Instant::now());
        while let Some(task) = self.next(began) {
            task.run(py);
            if turn.elapsed() > SLICE / 2 {
                // Builtins never reach the interpreter's own switch between threads.
                py.outside(|| {});
                turn = Instant::now();
            }
        }
        CURRENT.set(before);
    }

    /// The next task for a thread that took its first at `began`; with none, the thread no longer counts.
    fn next(&self, began: Instant) -> Option<Arc<Task>> {
        let asks = {
            let mut line = self.line.lock();
            let is_surplus = line.threads > self.width as isize;
            let is_over = began.elapsed() > SLICE;
            if !is_surplus
                && !is_over
                && let Some(task) = line.pop()
            {
                return Some(task);
            }
            line.threads -= 1;
            line.wants_thread(self.width)
        };
        if asks {
            self.ask_for_thread();
        }
        None
    }

    /// While the calling thread waits for a task of `pool`: if it is one of an engine's, others get its place.
    pub fn lend(pool: &Arc<Self>) -> Option<Loan> {
        let current = CURRENT.with_borrow(Clone::clone);
        let lender = current.unwrap_or_else(|| pool.clone());
        // What it waits for is done here, and is its own.
        let slot = Engine::lend_slot_within()?;
        lender.change_threads(-1);
        Some(Loan { pool: lender, slot })
    }

    /// Makes those of `tasks`, for which a call in this thread waits, that only wait for their turn: the call's place in the
    /// pool is theirs, and no other thread need come for them.
    pub fn run_ahead(py: Python<'_>, tasks: &[Arc<Task>]) -> PyResult<()> {
        let Some(pool) = CURRENT.with_borrow(Clone::clone) else { return Ok(()) };
        let depth = AHEAD.get();
        if depth >= DEEPEST {
            return Ok(());
        }
        for task in tasks.iter().filter(|task| Arc::ptr_eq(&task.pool, &pool)) {
            if task.is_ready() {
                AHEAD.set(depth + 1);
                task.run(py);
                AHEAD.set(depth);
                check_cancelled(py)?;
            }
        }
        Ok(())
    }

    fn change_threads(&self, by: isize) {
        let asks = {
            let mut line = self.line.lock();
            line.threads += by;
            line.wants_thread(self.width)
        };
        if asks {
            self.ask_for_thread();
        }
    }
}

/// Threads that were asked for and didn't come, one after the other, before those that wait for them are told.
const LOST: u32 = 8;

impl OwnsRuns for Pool {
    /// Threads that were asked for won't come. After a breakdown others are asked for; if there is no thread to be had, those
    /// that are at work go on with what is in line, and if none is, it fails.
    fn ended_unbegun(&self, runs: usize, error: &RunError) {
        let lost = self.lost.fetch_add(1, Ordering::Relaxed);
        let is_at_work = {
            let mut line = self.line.lock();
            line.threads -= runs as isize;
            line.threads > 0
        };
        let asks_again = matches!(error, RunError::Broken(_)) && lost < LOST;
        if asks_again {
            while self.wants_thread() {
                self.ask_for_thread();
            }
        } else if !is_at_work {
            Python::attach(|py| {
                while let Some(task) = { self.line.lock().pop() } {
                    task.finish(py, Outcome::Failed(Failure::new(py, from_run_error(py, error)), None));
                }
            });
        }
    }
}

impl InLine for Task {
    fn priority(&self) -> i64 {
        self.priority
    }

    fn number(&self) -> u64 {
        self.id
    }
}

impl Drop for Pool {
    fn drop(&mut self) {
        if self.process != std::process::id() {
            // In a fork the engine's lock may be held by a thread that isn't there.
            std::mem::forget(std::mem::take(self.pulls.get_mut()));
        }
    }
}

const CLOSED: &str = "the interpreter is shutting down";

/// A thread's place that was given to others; it comes back when this is dropped.
pub(crate) struct Loan {
    pool: Arc<Pool>,
    #[expect(dead_code, reason = "kept only to be dropped later")]
    slot: SlotLoan,
}

impl Drop for Loan {
    fn drop(&mut self) {
        self.pool.change_threads(1);
    }
}

/// The body of the task that takes tasks.
struct Pull(Weak<Pool>);

impl PythonBlock for Pull {
    fn call(&self, py: Python<'_>, _index: u64, _inputs: &[Value]) -> PyResult<Value> {
        if let Some(pool) = self.0.upgrade() {
            pool.lost.store(0, Ordering::Relaxed);
            pool.pull(py);
        }
        Ok(Object::value(py.None().into_bound(py)))
    }

    fn name(&self) -> String {
        "futures".to_owned()
    }

    fn tells_itself(&self) -> bool {
        true
    }
}

fn pull_graph(pool: Weak<Pool>) -> (Arc<Graph>, Vec<TaskId>) {
    let mut graph = GraphBuilder::new();
    let flags = OpFlags::default();
    let body = Arc::new(PythonOp(Arc::new(Pull(pool))));
    let op = graph.op(Op { kind: OpKind::Python, name: "futures".into(), digest: 0, flags, body });
    let layer = graph.layer(Layer::new("futures", op, Shape::source(1))).expect("a layer without inputs is sound");
    (Arc::new(graph.finish()), vec![TaskId::new(layer, 0)])
}

mod result;

pub(super) use result::TakenBack;

use super::Future;
use super::call::Call;
use super::given;
use super::held::Held;
use super::pool::Pool;
use super::state::{Failure, Listeners, Outcome, PythonState, State, drop_state};
use crate::delayed::Node;
use crate::error::{TaskCancelled, with_note};
use crate::object::size_of_object;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::{PyTraverseError, PyVisit};
use raskt_execute::{Countdown, Freed, ResultId, Telling, is_watched, tell_freed};
use raskt_futures::local::Watch;
use raskt_graph::{LayerId, TaskId};
use raskt_sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Weak};

/// One call that was submitted. Futures and the calls that read it share it; it goes with the last of them, and its
/// result with it.
pub(crate) struct Task {
    /// Unlike that of any other task of this process; later tasks have larger ones.
    pub id: u64,
    pub priority: i64,
    pub pool: Arc<Pool>,
    given_key: Option<String>,
    /// The name of the function; the key begins with it where none was given. The function itself isn't kept: it may
    /// hold the future.
    name: Py<PyAny>,
    /// How often the call is made again when it fails.
    retries: u32,
    /// Inputs that aren't done, and one more while it is being submitted.
    missing: Countdown,
    inner: Mutex<Inner>,
    /// The delayed call that gives the result, while somebody holds it.
    pub node: Mutex<Weak<Node>>,
}

struct Inner {
    state: State,
    /// Only where there are some: most futures of many have none.
    listeners: Option<Box<Listeners>>,
}

/// How a task is submitted.
pub(crate) struct Options {
    pub key: Option<String>,
    pub priority: i64,
    pub retries: u32,
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

const RELEASED: &str = "its handle was released";

impl Task {
    /// Submits a call; it is made as soon as the tasks that it reads are done and a thread is free.
    pub fn submit(
        py: Python<'_>,
        pool: &Arc<Pool>,
        call: Call,
        inputs: &[Arc<Self>],
        options: Options,
    ) -> PyResult<Arc<Self>> {
        let name = call.name(py)?;
        let task = Self::with(pool, name, options, State::Waiting(call));
        task.wait_for_inputs(py, inputs);
        Ok(task)
    }

    /// Sees to it that the call is made when `inputs` are done.
    fn wait_for_inputs(self: &Arc<Self>, py: Python<'_>, inputs: &[Arc<Self>]) {
        for input in inputs {
            self.missing.expect_one();
            if input.add_dependent(self) {
                continue;
            }
            self.missing.expect_one_less();
            if let Some(bad) = input.bad_outcome(py) {
                self.finish(py, bad);
                return;
            }
        }
        self.input_done(py);
    }

    /// Makes the call again if it has failed, and those before it whose failure was the reason.
    pub fn retry(self: &Arc<Self>, py: Python<'_>) {
        let mut again = vec![];
        let mut stack = vec![self.clone()];
        while let Some(task) = stack.pop() {
            let Some(inputs) = task.begin_again(py) else { continue };
            stack.extend(inputs.iter().cloned());
            again.push((task, inputs));
        }
        for (task, inputs) in again {
            task.wait_for_inputs(py, &inputs);
        }
    }

    /// Waits once more if it has failed, and gives what it reads.
    fn begin_again(&self, py: Python<'_>) -> Option<Vec<Arc<Self>>> {
        let (failure, call) = {
            let mut inner = self.inner.lock();
            let State::Failed(_, call) = &mut inner.state else { return None };
            let call = call.take()?;
            (std::mem::replace(&mut inner.state, State::Running), *call)
        };
        drop(failure);
        let inputs = call.inputs(py);
        // Inputs that weren't done when it failed still count it among their readers.
        inputs.iter().for_each(|input| input.remove_dependent(self));
        self.missing.begin_again();
        let mut inner = self.inner.lock();
        if matches!(inner.state, State::Running) {
            inner.state = State::Waiting(call);
        }
        drop(inner);
        Some(inputs)
    }

    fn remove_dependent(&self, dependent: &Self) {
        self.listen(|listeners| listeners.dependents.retain(|other| !std::ptr::eq(other.as_ptr(), dependent)));
    }

    /// A task like this one as far as anybody can ask, for a handle that has let go of it.
    pub fn released(&self, py: Python<'_>) -> Arc<Self> {
        Arc::new(Self {
            id: self.id,
            priority: self.priority,
            pool: self.pool.clone(),
            given_key: self.given_key.clone(),
            name: self.name.clone_ref(py),
            retries: self.retries,
            missing: Countdown::new(),
            inner: Mutex::new(Inner { state: State::Cancelled(RELEASED.to_owned()), listeners: None }),
            node: Mutex::default(),
        })
    }

    /// A task whose result is there already.
    pub fn finished(
        py: Python<'_>,
        pool: &Arc<Pool>,
        key: Option<String>,
        name: Py<PyAny>,
        result: Py<PyAny>,
    ) -> Arc<Self> {
        let held = Held::new(py, result, || name.bind(py).to_string());
        Self::with(pool, name, Options { key, priority: 0, retries: 0 }, State::Done(held))
    }

    fn with(pool: &Arc<Pool>, name: Py<PyAny>, options: Options, state: State) -> Arc<Self> {
        let Options { key, priority, retries } = options;
        let task = Arc::new(Self {
            id: NEXT_ID.fetch_add(1, Ordering::Relaxed),
            priority,
            pool: pool.clone(),
            given_key: key,
            name,
            retries,
            missing: Countdown::new(),
            inner: Mutex::new(Inner { state, listeners: None }),
            node: Mutex::default(),
        });
        if let Some(key) = &task.given_key {
            pool.remember(key, &task);
        }
        task
    }

    /// The key as people see it: `inc-2a`.
    pub fn key(&self, py: Python<'_>) -> String {
        self.given_key.clone().unwrap_or_else(|| format!("{}-{:x}", self.name.bind(py), self.id))
    }

    /// Whether only its turn is missing.
    pub fn is_ready(&self) -> bool {
        matches!(self.inner.lock().state, State::Waiting(_)) && self.missing.is_over()
    }

    /// Makes the call, unless somebody cancelled it.
    pub fn run(self: &Arc<Self>, py: Python<'_>) {
        let call = {
            let mut inner = self.inner.lock();
            match std::mem::replace(&mut inner.state, State::Running) {
                State::Waiting(call) => call,
                other => {
                    inner.state = other;
                    return;
                }
            }
        };
        let mut telling = Telling::begin();
        if let Some(telling) = &mut telling {
            telling.started(self.key(py));
        }
        let mut result = call.make(py);
        for _ in 0..self.retries {
            if result.is_ok() || self.is_done() {
                break;
            }
            result = call.make(py);
        }
        if let Some(telling) = &mut telling {
            let bytes = result.as_ref().ok().map(|result| size_of_object(result.bind(py)) as u64);
            telling.ended(self.result_id(), &"future".into(), bytes);
        }
        drop(telling);
        // The arguments go when the result is known, so that futures among them are let go at once.
        self.finish(py, self.outcome(py, result, call));
    }

    fn outcome(&self, py: Python<'_>, result: PyResult<Py<PyAny>>, call: Call) -> Outcome {
        match result {
            Ok(result) => {
                given::look(py);
                Outcome::Done(Held::new(py, result, || self.name.bind(py).to_string()))
            }
            Err(error) if error.is_instance_of::<TaskCancelled>(py) => Outcome::Cancelled("it was interrupted".into()),
            Err(error) => {
                let failure = Failure::new(py, with_note(py, error, &self.key(py)));
                Outcome::Failed(failure, Some(Box::new(call)))
            }
        }
    }

    /// Ends the task, and tells everybody who waits for it; says whether it wasn't over before. What reads a task that
    /// failed or was cancelled ends in the same way.
    pub fn finish(self: &Arc<Self>, py: Python<'_>, outcome: Outcome) -> bool {
        let mut ending = vec![(self.clone(), outcome)];
        let mut callbacks = vec![];
        let mut is_first = None;
        while let Some((task, outcome)) = ending.pop() {
            let ended = task.end(outcome);
            is_first.get_or_insert(ended.is_some());
            let Some(listeners) = ended else { continue };
            let bad = task.is_bad();
            listeners.watches.iter().for_each(|watch| watch.arrive(task.id, bad));
            callbacks.extend(listeners.callbacks);
            for dependent in listeners.dependents.iter().filter_map(Weak::upgrade) {
                match task.bad_outcome(py) {
                    Some(bad) => ending.push((dependent, bad)),
                    None => dependent.input_done(py),
                }
            }
        }
        for (callback, future) in callbacks {
            call_back(py, &callback, future);
        }
        is_first == Some(true)
    }

    /// Sets the outcome and takes the listeners; nothing if it was over before.
    fn end(&self, outcome: Outcome) -> Option<Listeners> {
        let (old, listeners) = {
            let mut inner = self.inner.lock();
            if inner.state.is_done() {
                drop(inner);
                drop_state(outcome.into());
                return None;
            }
            let old = std::mem::replace(&mut inner.state, outcome.into());
            (inner.state.keep_call_of(old), inner.listeners.take())
        };
        drop_state(old);
        Some(listeners.map_or_else(Listeners::default, |listeners| *listeners))
    }

    fn input_done(self: &Arc<Self>, py: Python<'_>) {
        if self.missing.arrive() {
            self.pool.enqueue(py, self);
        }
    }

    /// Cancels it; says whether it wasn't over before.
    pub fn cancel(self: &Arc<Self>, py: Python<'_>, reason: String) -> bool {
        self.finish(py, Outcome::Cancelled(reason))
    }

    /// Notes that `dependent` reads it; says whether it is still to come.
    fn add_dependent(&self, dependent: &Arc<Self>) -> bool {
        self.listen(|listeners| listeners.dependents.push(Arc::downgrade(dependent)))
    }

    /// Tells `watch` when it is done, at once if it is already.
    pub fn watch(&self, watch: &Arc<Watch>) {
        if !self.listen(|listeners| listeners.watches.push(watch.clone())) {
            watch.arrive(self.id, self.is_bad());
        }
    }

    pub fn unwatch(&self, watch: &Arc<Watch>) {
        if let Some(listeners) = &mut self.inner.lock().listeners {
            listeners.watches.retain(|other| !Arc::ptr_eq(other, watch));
        }
    }

    /// Calls `callback` with `future` when it is done, at once if it is already.
    pub fn add_callback(&self, py: Python<'_>, callback: Py<PyAny>, future: Py<Future>) {
        let mut entry = Some((callback, future));
        self.listen(|listeners| listeners.callbacks.extend(entry.take()));
        if let Some((callback, future)) = entry {
            call_back(py, &callback, future);
        }
    }

    /// Changes who is told of the end; false, and nothing done, if it is over.
    fn listen(&self, change: impl FnOnce(&mut Listeners)) -> bool {
        let mut inner = self.inner.lock();
        let waits = !inner.state.is_done();
        if waits {
            change(inner.listeners.get_or_insert_default());
        }
        waits
    }

    pub fn is_done(&self) -> bool {
        self.inner.lock().state.is_done()
    }

    pub fn is_bad(&self) -> bool {
        self.inner.lock().state.is_bad()
    }

    pub fn is_cancelled(&self) -> bool {
        matches!(self.inner.lock().state, State::Cancelled(_))
    }

    pub fn is_running(&self) -> bool {
        matches!(self.inner.lock().state, State::Running)
    }

    pub fn status(&self) -> &'static str {
        match self.inner.lock().state {
            State::Waiting(_) | State::Running => "pending",
            State::Done(_) => "finished",
            State::Failed(..) => "error",
            State::Cancelled(_) => "cancelled",
        }
    }

    /// Whether the call raised `KeyboardInterrupt`.
    pub fn is_interrupted(&self, py: Python<'_>) -> bool {
        let error = self.error(py).ok().flatten();
        error.is_some_and(|error| error.is_instance_of::<PyKeyboardInterrupt>(py))
    }

    /// What it has failed with, if it has; raises if it was cancelled.
    pub fn error(&self, py: Python<'_>) -> PyResult<Option<PyErr>> {
        let (failure, reason) = match &self.inner.lock().state {
            State::Failed(failure, _) => (Some(failure.clone_ref(py)), String::new()),
            State::Cancelled(reason) => (None, reason.clone()),
            _ => return Ok(None),
        };
        if let Some(failure) = failure {
            return Ok(Some(failure.to_error(py)));
        }
        let class = py.import("concurrent.futures")?.getattr("CancelledError")?;
        let message = format!("future `{}` was cancelled: {reason}", self.key(py));
        Err(PyErr::from_value(class.call1((message,))?))
    }

    /// How what reads it ends, if it failed or was cancelled.
    fn bad_outcome(&self, py: Python<'_>) -> Option<Outcome> {
        let is_cancelled = match &self.inner.lock().state {
            State::Failed(failure, _) => return Some(Outcome::Failed(failure.clone_ref(py), None)),
            State::Cancelled(_) => true,
            _ => false,
        };
        is_cancelled.then(|| Outcome::Cancelled(format!("it reads `{}`, which was cancelled", self.key(py))))
    }

    /// Shows the garbage collector what it holds.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        // Whoever holds the lock changes the state: what is there counts for the next collection.
        self.inner.try_lock().map_or(Ok(()), |inner| inner.state.traverse(visit))
    }

    /// Lets go of what it holds, for the garbage collector: nobody can ask for it any more.
    pub fn clear(&self) {
        let state = std::mem::replace(&mut self.inner.lock().state, State::Cancelled("it was garbage".to_owned()));
        drop_state(state);
    }

    /// The name of the type of the result, if it is there.
    pub fn result_type(&self, py: Python<'_>) -> Option<String> {
        let result = match &self.inner.lock().state {
            State::Done(result) => result.clone_ref(py),
            _ => return None,
        };
        result.kind(py).qualname().ok().map(|name| name.to_string())
    }

    fn result_id(&self) -> ResultId {
        ResultId { run: None, task: TaskId::new(LayerId(0), self.id), engine: 0 }
    }
}

impl Drop for Task {
    fn drop(&mut self) {
        let state = std::mem::replace(&mut self.inner.get_mut().state, State::Running);
        if is_watched() && matches!(state, State::Done(_)) {
            tell_freed(&[Freed::Result(self.result_id())]);
        }
        drop_state(state);
        if let Some(key) = &self.given_key {
            self.pool.forget(key);
        }
    }
}

/// Calls a callback; what it raises is told and goes no further, since nobody is there to catch it.
fn call_back(py: Python<'_>, callback: &Py<PyAny>, future: Py<Future>) {
    if let Err(error) = callback.call1(py, (future,)) {
        error.write_unraisable(py, Some(callback.bind(py)));
    }
}

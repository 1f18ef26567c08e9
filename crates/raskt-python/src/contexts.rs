//! Context variables (`contextvars`) of whoever computes, as its tasks see them.
//!
//! A task sees the variables as they were when `compute` was called, in a copy of its own: what it sets stays with its
//! batch. The interface of contexts isn't part of Python's stable ABI, so that a batch goes through `Context.run`.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raskt_graph::{Graph, OpKind};
use raskt_sync::Mutex;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Weak};

/// Contexts of graphs that are alive: a result that was lost may be made again long after its computation.
static CONTEXTS: Mutex<Contexts> = Mutex::new(Contexts { by_address: BTreeMap::new(), swept: 0 });

/// Contexts by the addresses of their graphs.
struct Contexts {
    by_address: BTreeMap<usize, (Weak<Graph>, Py<PyAny>)>,
    /// How many there were after those of graphs that are gone were taken out last.
    swept: usize,
}

/// How many there are: as long as there is none, nobody need look.
static HELD: AtomicUsize = AtomicUsize::new(0);

/// Keeps the variables of this thread for the Python functions of the graph, if any variable is set.
pub(crate) fn carry(py: Python<'_>, graph: &Arc<Graph>) -> PyResult<()> {
    static COPY_CONTEXT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    if !graph.layers().any(|(layer, _)| graph.op_of(layer).kind == OpKind::Python) {
        return Ok(());
    }
    let context = COPY_CONTEXT.import(py, "contextvars", "copy_context")?.call0()?;
    let has_variables = context.len()? > 0;
    let mut contexts = CONTEXTS.lock();
    let mut gone = contexts.sweep();
    if has_variables {
        gone.extend(contexts.by_address.insert(Arc::as_ptr(graph) as usize, (Arc::downgrade(graph), context.unbind())));
    }
    HELD.store(contexts.by_address.len(), Ordering::Relaxed);
    drop(contexts);
    // What the variables held may run code of its own as it goes.
    drop(gone);
    Ok(())
}

/// Runs `work` with the variables that go with the graph.
pub(crate) fn within<R>(py: Python<'_>, graph: &Graph, work: impl FnOnce() -> R) -> R {
    let Some(context) = context_of(py, graph) else { return work() };
    let (mut work, mut done) = (Some(work), None);
    let mut step = || done = work.take().map(|work| work());
    let mut step: &mut dyn FnMut() = &mut step;
    let ran = run_in(py, &context, &raw mut step as usize);
    if let Some(work) = work {
        // The context couldn't be entered: its memory ran out, or the interpreter ends.
        return work();
    }
    match (done, ran) {
        (Some(done), _) => done,
        (None, ran) => panic!("a batch of Python functions ended without a result: {ran:?}"),
    }
}

/// Does `work` with variables of its own, none of which is set: a thread keeps those that were set in it from one task to the next.
pub(crate) fn apart(py: Python<'_>, mut work: impl FnMut()) {
    static EMPTY: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let empty =
        EMPTY.get_or_try_init(py, || Ok::<_, PyErr>(py.import("contextvars")?.call_method0("Context")?.unbind()));
    let mut done = None;
    let mut step = || done = Some(catch_unwind(AssertUnwindSafe(&mut work)));
    let mut step: &mut dyn FnMut() = &mut step;
    let _ = empty.and_then(|empty| run_in(py, empty, &raw mut step as usize));
    match done {
        Some(Ok(())) => {}
        Some(Err(panic)) => resume_unwind(panic),
        // The context couldn't be entered: its memory ran out, or the interpreter ends.
        None => work(),
    }
}

fn context_of(py: Python<'_>, graph: &Graph) -> Option<Py<PyAny>> {
    if HELD.load(Ordering::Relaxed) == 0 {
        return None;
    }
    let contexts = CONTEXTS.lock();
    let (_, context) = contexts.by_address.get(&(std::ptr::from_ref(graph) as usize))?;
    Some(context.clone_ref(py))
}

impl Contexts {
    /// Takes out those of graphs that are gone, once there may be as many of them as there are others. A weak reference
    /// keeps the address from being another graph's.
    fn sweep(&mut self) -> Vec<(Weak<Graph>, Py<PyAny>)> {
        if self.by_address.len() <= 2 * self.swept {
            return vec![];
        }
        let gone = self.by_address.extract_if(.., |_, (graph, _)| graph.strong_count() == 0).map(|(_, gone)| gone);
        let gone = gone.collect();
        self.swept = self.by_address.len();
        gone
    }
}

/// `context.copy().run(step, address)`: a context can be entered by one thread at a time.
fn run_in(py: Python<'_>, context: &Py<PyAny>, address: usize) -> PyResult<()> {
    static STEP: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let function = STEP.get_or_try_init(py, || Ok::<_, PyErr>(wrap_pyfunction!(step, py)?.into_any().unbind()))?;
    context.bind(py).call_method0("copy")?.call_method1("run", (function, address))?;
    Ok(())
}

/// Takes the step that lies at `address`. Python code can't get at this function.
#[pyfunction]
fn step(address: usize) {
    // SAFETY: `within` alone calls this, with the address of a closure that lives until the call is back, on its thread.
    let step = unsafe { &mut *(address as *mut &mut dyn FnMut()) };
    step();
}

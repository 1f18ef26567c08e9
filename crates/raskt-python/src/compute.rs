//! `compute` and `persist`: everything that is asked for at once becomes one graph, and runs.

use crate::collection::with_collection;
use crate::delayed::{Argument, Delayed, Node, Work, lower_nodes, python_object};
use crate::engines;
use crate::error::from_run_error;
use crate::runner::interrupt_cancelled;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use raskt_execute::{RunHandle, RunResult};
use raskt_graph::{Graph, GraphBuilder, TaskId};
use raskt_value::Value;
use std::ops::Range;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Collections and delayed objects in arguments, lowered into one graph.
pub(crate) struct Request {
    arguments: Vec<Argument>,
    pub graph: Arc<Graph>,
    pub wanted: Vec<TaskId>,
    /// For each leaf of the arguments, in order, which of the wanted tasks are its own.
    leaves: Vec<Range<usize>>,
}

/// How the caller wants it to run.
struct Options {
    scheduler: String,
    num_workers: Option<usize>,
    memory_limit: Option<u64>,
}

/// How long signals and progress wait at most while a computation runs.
const HEARTBEAT: Duration = Duration::from_millis(50);

impl Request {
    pub fn new(py: Python<'_>, args: &Bound<'_, PyTuple>, traverse: bool) -> PyResult<Self> {
        let arguments: Vec<_> =
            args.iter_borrowed().map(|object| Argument::new(&object, traverse)).collect::<PyResult<_>>()?;
        let mut graph = GraphBuilder::new();
        let roots = nodes_of(&arguments);
        let mut tasks = lower_nodes(py, &roots, &mut graph)?.into_iter();
        let (mut wanted, mut leaves) = (vec![], vec![]);
        let mut result = Ok(());
        for argument in &arguments {
            argument.for_each_leaf(&mut |leaf| {
                let start = wanted.len();
                match leaf {
                    Argument::Node(_) => wanted.extend(tasks.next()),
                    Argument::Collection(collection) if result.is_ok() => {
                        result = lower_collection(py, collection, &mut graph, &mut wanted);
                    }
                    _ => {}
                }
                leaves.push(start..wanted.len());
            });
        }
        result?;
        Ok(Self { arguments, graph: Arc::new(graph.finish()), wanted, leaves })
    }

    fn run(&self, py: Python<'_>, options: &Options) -> PyResult<Vec<Value>> {
        if self.leaves.is_empty() {
            return Ok(vec![]);
        }
        let engine = engines::engine(&options.scheduler, options.num_workers, options.memory_limit)?;
        let handle = engine.submit(self.graph.clone(), self.wanted.clone());
        wait(py, &handle)
    }

    /// The arguments, with `result` of each leaf (and of the values that it wanted) in its place.
    ///
    /// Each leaf gets its values for its own, so that a block which nobody else holds needs no copy.
    fn build<'py>(
        &self,
        py: Python<'py>,
        values: Vec<Value>,
        result: impl Fn(&Argument, Vec<Value>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let mut leaves = vec![];
        self.arguments.iter().for_each(|argument| argument.for_each_leaf(&mut |leaf| leaves.push(leaf)));
        let mut values = values.into_iter();
        let mut results =
            leaves.iter().zip(&self.leaves).map(|(leaf, own)| result(leaf, values.by_ref().take(own.len()).collect()));
        let built =
            self.arguments.iter().map(|argument| argument.build(py, &mut results)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, built)
    }
}

fn nodes_of(arguments: &[Argument]) -> Vec<Arc<Node>> {
    let mut nodes = vec![];
    for argument in arguments {
        argument.for_each_leaf(&mut |leaf| {
            if let Argument::Node(node) = leaf {
                nodes.push(node.clone());
            }
        });
    }
    nodes
}

fn lower_collection(
    py: Python<'_>,
    collection: &Py<PyAny>,
    graph: &mut GraphBuilder,
    wanted: &mut Vec<TaskId>,
) -> PyResult<()> {
    let expr = collection.bind(py).getattr("__raskt_expr__")?;
    let layer = with_collection(&expr, |collection| {
        let layer = collection.lower(py, graph)?;
        collection.check_whole(py)?;
        Ok(layer)
    })?;
    wanted.extend((0..graph.get(layer).len()).map(|index| TaskId::new(layer, index)));
    Ok(())
}

/// Waits with the interpreter free; looks after signals and progress meanwhile.
fn wait(py: Python<'_>, handle: &RunHandle) -> PyResult<Vec<Value>> {
    let start = Instant::now();
    let mut progress: Option<Callbacks<'_>> = None;
    let result = loop {
        let patience = if progress.is_none() { FIRST } else { HEARTBEAT };
        if let Some(result) = py.detach(|| handle.wait_timeout(patience)) {
            break result;
        }
        if let Err(signal) = py.check_signals() {
            handle.cancel();
            interrupt_cancelled(py);
            finish_progress(py, progress, handle, start, &Err(signal.clone_ref(py)));
            return Err(signal);
        }
        if progress.is_none() {
            progress = Some(Callbacks::start(py, handle)?);
        }
        if let Some(callbacks) = &progress {
            callbacks.update(py, handle, start)?;
        }
    };
    let result: Result<Vec<Value>, PyErr> = take_result(py, result);
    if progress.is_none() {
        progress = Some(Callbacks::start(py, handle)?);
    }
    finish_progress(py, progress, handle, start, &result);
    result
}

/// Computations shorter than this start and finish their progress in one go.
const FIRST: Duration = Duration::from_millis(20);

fn take_result(py: Python<'_>, result: RunResult) -> PyResult<Vec<Value>> {
    result.map_err(|error| from_run_error(py, &error))
}

fn finish_progress(
    py: Python<'_>,
    progress: Option<Callbacks<'_>>,
    handle: &RunHandle,
    start: Instant,
    result: &PyResult<Vec<Value>>,
) {
    let Some(callbacks) = progress else { return };
    let updated = callbacks.update(py, handle, start);
    if let Err(error) = updated.and_then(|()| callbacks.finish(py, result)) {
        // The result is there; a callback that fails must not take it away.
        error.write_unraisable(py, None);
    }
}

/// What watches a computation from Python: `raskt.diagnostics._active` holds objects with `start(total)`,
/// `update(done, total, elapsed)` and `finish(error)`.
struct Callbacks<'py>(Vec<Bound<'py, PyAny>>);

impl<'py> Callbacks<'py> {
    fn start(py: Python<'py>, handle: &RunHandle) -> PyResult<Self> {
        let modules: Bound<'py, PyDict> = py.import("sys")?.getattr("modules")?.cast_into()?;
        // Nobody watches unless somebody imported the module.
        let Some(module) = modules.get_item("raskt.diagnostics")? else { return Ok(Self(vec![])) };
        let Some(active) = module.getattr_opt("_active")? else { return Ok(Self(vec![])) };
        let active: Vec<_> = active.cast::<PyList>()?.iter().collect();
        let total = handle.progress().unwrap_or_default().total;
        for callback in &active {
            callback.call_method1("start", (total,))?;
        }
        Ok(Self(active))
    }

    fn update(&self, py: Python<'py>, handle: &RunHandle, start: Instant) -> PyResult<()> {
        let _ = py;
        if self.0.is_empty() {
            return Ok(());
        }
        let Some(progress) = handle.progress() else { return Ok(()) };
        for callback in &self.0 {
            callback.call_method1("update", (progress.done, progress.total, start.elapsed().as_secs_f64()))?;
        }
        Ok(())
    }

    fn finish(&self, py: Python<'py>, result: &PyResult<Vec<Value>>) -> PyResult<()> {
        let error = result.as_ref().err().map(|error| error.value(py).clone());
        self.0.iter().try_for_each(|callback| callback.call_method1("finish", (error.clone(),)).map(drop))
    }
}

impl Options {
    /// What the caller says, and where he says nothing what the settings say.
    fn new(py: Python<'_>, scheduler: Option<String>, num_workers: Option<usize>) -> PyResult<Self> {
        let get = py.import("raskt.config")?.getattr("get")?;
        let scheduler = match scheduler {
            Some(scheduler) => scheduler,
            None => get.call1(("scheduler", "threads"))?.extract()?,
        };
        let num_workers = match num_workers {
            Some(_) => num_workers,
            None => get.call1(("num_workers", py.None()))?.extract()?,
        };
        let memory_limit = get.call1(("memory.limit", py.None()))?.extract()?;
        Ok(Self { scheduler, num_workers, memory_limit })
    }
}

/// Computes collections and delayed objects, all together, and gives their results.
///
/// Work that they share is done once. Lists, tuples, dicts and sets are looked through (unless `traverse` is false);
/// anything else is given back as it is.
#[pyfunction]
#[pyo3(signature = (*args, traverse=true, optimize_graph=true, scheduler=None, num_workers=None))]
fn compute<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    traverse: bool,
    optimize_graph: bool,
    scheduler: Option<String>,
    num_workers: Option<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    // Expressions are always optimised: there is no other form of them to run.
    let _ = optimize_graph;
    let options = Options::new(py, scheduler, num_workers)?;
    let request = Request::new(py, args, traverse)?;
    let values = request.run(py, &options)?;
    request.build(py, values, |leaf, values| match leaf {
        Argument::Collection(collection) => {
            let expr = collection.bind(py).getattr("__raskt_expr__")?;
            let finish = |collection: &dyn crate::collection::Collection| collection.finish(py, values);
            Ok(with_collection(&expr, finish)?.into_bound(py))
        }
        _ => python_object(py, &values[0]),
    })
}

/// Computes collections and delayed objects, all together, and gives them back with their results for sources.
#[pyfunction]
#[pyo3(signature = (*args, traverse=true, optimize_graph=true, scheduler=None, num_workers=None))]
fn persist<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    traverse: bool,
    optimize_graph: bool,
    scheduler: Option<String>,
    num_workers: Option<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    let _ = optimize_graph;
    let options = Options::new(py, scheduler, num_workers)?;
    let request = Request::new(py, args, traverse)?;
    let values = request.run(py, &options)?;
    request.build(py, values, |leaf, values| match leaf {
        Argument::Collection(collection) => {
            let collection = collection.bind(py);
            let expr = collection.getattr("__raskt_expr__")?;
            let persisted = with_collection(&expr, |collection| collection.persisted(py, values))?;
            collection.call_method1("__raskt_rebuild__", (persisted,))
        }
        Argument::Node(node) => {
            let object = python_object(py, &values[0])?.unbind();
            let node = Node::with(Work::Give(Argument::Object(object)), Some(node.key(py)), node.outputs);
            Ok(Bound::new(py, Delayed { node })?.into_any())
        }
        _ => python_object(py, &values[0]),
    })
}

/// The method `compute` of everything lazy: it has no Python frame of its own, so that tracebacks show only the user's.
pub(crate) fn compute_one(object: &Bound<'_, PyAny>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
    one(object, kwargs, "compute")
}

/// The method `persist` of everything lazy.
pub(crate) fn persist_one(object: &Bound<'_, PyAny>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
    one(object, kwargs, "persist")
}

fn one(object: &Bound<'_, PyAny>, kwargs: Option<&Bound<'_, PyDict>>, name: &str) -> PyResult<Py<PyAny>> {
    let function = object.py().import("raskt._core")?.getattr(name)?;
    Ok(function.call((object,), kwargs)?.get_item(0)?.unbind())
}

/// What arrays, frames and other collections have in common. Their Python classes derive from it.
#[pyclass(subclass, module = "raskt._core")]
pub(crate) struct Lazy;

#[pymethods]
impl Lazy {
    #[new]
    #[pyo3(signature = (*_args, **_kwargs))]
    fn new(_args: &Bound<'_, PyTuple>, _kwargs: Option<&Bound<'_, PyDict>>) -> Self {
        Self
    }

    /// Computes it: a NumPy array, a pandas object, a number.
    ///
    /// `scheduler` ("threads" or "sync") and `num_workers` say how; by default the settings do.
    #[pyo3(signature = (**kwargs))]
    fn compute(slf: &Bound<'_, Self>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        compute_one(slf.as_any(), kwargs)
    }

    /// Computes its blocks or partitions and gives a collection that holds them.
    #[pyo3(signature = (**kwargs))]
    fn persist(slf: &Bound<'_, Self>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        persist_one(slf.as_any(), kwargs)
    }

    /// Draws its graph: see `raskt.visualize`.
    #[pyo3(signature = (*args, **kwargs))]
    fn visualize(
        slf: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        crate::visualize::visualize_one(slf.as_any(), args, kwargs)
    }
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<Lazy>()?;
    module.add_function(wrap_pyfunction!(compute, module)?)?;
    module.add_function(wrap_pyfunction!(persist, module)?)
}

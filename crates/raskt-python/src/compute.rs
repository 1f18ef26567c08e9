//! `compute` and `persist`: everything that is asked for at once becomes one graph, and runs.

use crate::annotations;
use crate::collection::{Collection, with_collection};
use crate::delayed::{Argument, Delayed, Extra, Node, Work, lower_nodes, python_object};
use crate::engines::{self, OwnEngine};
use crate::error::{from_graph_error, from_run_error};
use crate::library_threads::LeftAlone;
use crate::runner::interrupt_cancelled;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use raskt_execute::{RunHandle, RunResult};
use raskt_frame::{StageOutput, lower_together};
use raskt_graph::{Graph, GraphBuilder, OpKind, TaskId};
use raskt_value::Value;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Collections and delayed objects in arguments, lowered into one graph.
pub(crate) struct Request {
    arguments: Vec<Argument>,
    pub graph: Arc<Graph>,
    pub wanted: Vec<TaskId>,
    /// For each leaf of the arguments, in order, how many of the wanted tasks are its own.
    leaves: Vec<u32>,
}

/// How the caller wants it to run.
struct Options {
    scheduler: String,
    num_workers: Option<usize>,
    library_threads_are_free: bool,
}

/// How long signals and progress wait at most while a computation runs.
const HEARTBEAT: Duration = Duration::from_millis(50);

impl Request {
    /// `keeps` says that large results stay in the store.
    pub fn new(py: Python<'_>, args: &Bound<'_, PyTuple>, traverse: bool, keeps: bool) -> PyResult<Self> {
        let arguments: Vec<_> =
            args.iter_borrowed().map(|object| Argument::asked(&object, traverse)).collect::<PyResult<_>>()?;
        let leaves = leaves_of(&arguments);
        let mut graph = GraphBuilder::new();
        if let Some(annotations) = annotations::current(py)? {
            graph.annotate(annotations);
        }
        let nodes: Vec<_> = leaves.iter().filter_map(|leaf| leaf.as_node()).collect();
        // Collections among the arguments may read the same calls.
        let remembers = nodes.len() < leaves.len();
        let mut wanted = lower_nodes(py, &nodes, &mut graph, remembers)?;
        let mut owned = vec![1; leaves.len()];
        if remembers {
            lower_together(&mut graph, &queries_of(py, &leaves)?).map_err(from_graph_error)?;
            let mut tasks = std::mem::take(&mut wanted).into_iter();
            for (leaf, owned) in leaves.iter().zip(&mut owned) {
                let start = wanted.len();
                match leaf {
                    Argument::Collection(collection) => {
                        lower_collection(py, collection, keeps, &mut graph, &mut wanted)?;
                    }
                    _ => wanted.extend(tasks.next()),
                }
                *owned = (wanted.len() - start) as u32;
            }
        }
        Ok(Self { graph: Arc::new(graph.finish()), wanted, leaves: owned, arguments })
    }

    fn run(&mut self, py: Python<'_>, options: &Options, keeps: bool) -> PyResult<Ran> {
        if self.leaves.is_empty() {
            return Ok(Ran { values: vec![], handle: None });
        }
        engines::check_fork(&self.graph)?;
        let _library_threads = options.library_threads_are_free.then(LeftAlone::new);
        let engine = engines::engine(py, &options.scheduler, options.num_workers)?;
        let wanted = std::mem::take(&mut self.wanted);
        if is_small(&self.graph) {
            // To wake a thread takes longer than the work; the calling thread does it at once, whatever else goes on.
            let own = OwnEngine::new(py)?;
            return Ran::wait(py, own.get().submit(self.graph.clone(), wanted), keeps);
        }
        Ran::wait(py, engine.submit(self.graph.clone(), wanted), keeps)
    }

    /// The arguments, with `result` of each leaf (and of the values that it wanted) in its place.
    fn build<'py>(
        &self,
        py: Python<'py>,
        ran: Ran,
        result: impl Fn(&Argument, Results<'_>) -> PyResult<Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyTuple>> {
        let leaves = leaves_of(&self.arguments);
        let Ran { values, handle } = ran;
        let mut values = values.into_iter();
        let mut results = leaves.iter().zip(&self.leaves).map(|(leaf, &own)| {
            result(leaf, Results { values: &mut values, own: own as usize, handle: handle.as_ref() })
        });
        let built =
            self.arguments.iter().map(|argument| argument.build(py, &mut results)).collect::<PyResult<Vec<_>>>()?;
        PyTuple::new(py, built)
    }
}

/// The values that a leaf wanted. They are taken, so that a block which nobody else holds needs no copy.
struct Results<'a> {
    values: &'a mut std::vec::IntoIter<Value>,
    own: usize,
    /// Of the run, if some values only stand for what the store keeps.
    handle: Option<&'a RunHandle>,
}

/// What a run gave.
struct Ran {
    values: Vec<Value>,
    /// There if values stand for results that the store keeps.
    handle: Option<RunHandle>,
}

impl Ran {
    fn wait(py: Python<'_>, handle: RunHandle, keeps: bool) -> PyResult<Self> {
        let values = wait(py, &handle)?;
        if keeps {
            return Ok(Self { values, handle: Some(handle) });
        }
        let values = load(py, &handle, values)?;
        // The run lets go of its results here, so that the caller alone has them and needs no copy.
        drop(handle);
        Ok(Self { values, handle: None })
    }
}

/// The values themselves, of those that stand for what the store keeps.
fn load(py: Python<'_>, handle: &RunHandle, values: Vec<Value>) -> PyResult<Vec<Value>> {
    if !values.iter().any(|value| matches!(value, Value::Kept(_))) {
        return Ok(values);
    }
    take_result(py, py.detach(|| handle.load(values)))
}

/// The queries of the tables among the leaves, where there are several that may have something in common.
fn queries_of(py: Python<'_>, leaves: &[&Argument]) -> PyResult<Vec<StageOutput>> {
    let collections = leaves.iter().filter_map(|leaf| match leaf {
        Argument::Collection(collection) => Some(collection),
        _ => None,
    });
    if collections.clone().count() < 2 {
        return Ok(vec![]);
    }
    let query = |collection: &Py<PyAny>| {
        let expr = collection.bind(py).getattr("__raskt_expr__")?;
        with_collection(&expr, |collection| Ok(collection.query()))
    };
    let found: PyResult<Vec<_>> = collections.map(query).collect();
    Ok(found?.into_iter().flatten().collect())
}

impl Results<'_> {
    /// All of them as they are: the blocks of a collection, or what stands for them.
    fn kept(self) -> Vec<Value> {
        self.values.take(self.own).collect()
    }

    /// All of them: the blocks of a collection.
    fn all(self, py: Python<'_>) -> PyResult<Vec<Value>> {
        let handle = self.handle;
        let values = self.kept();
        handle.map_or(Ok(values.clone()), |handle| load(py, handle, values))
    }

    /// The only one: what a call gave.
    fn object<'py>(self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let value = self.all(py)?.pop();
        python_object(py, &value.expect("a call that was asked for has a result"))
    }
}

fn leaves_of(arguments: &[Argument]) -> Vec<&Argument> {
    let mut leaves = Vec::with_capacity(arguments.len());
    arguments.iter().for_each(|argument| argument.for_each_leaf(&mut |leaf| leaves.push(leaf)));
    leaves
}

/// Whether the graph is native work of which so little is known to be that a signal can wait until it is done.
fn is_small(graph: &Graph) -> bool {
    let mut nanoseconds = 0_u64;
    let is_native = graph.layers().all(|(id, layer)| {
        nanoseconds = nanoseconds.saturating_add(layer.cost.nanoseconds.saturating_mul(layer.len()));
        graph.op_of(id).kind == OpKind::Array && layer.cost.nanoseconds > 0 && !graph.op_of(id).flags.uses_all_threads
    });
    is_native && nanoseconds <= SMALL_NANOSECONDS
}

const SMALL_NANOSECONDS: u64 = 100_000;

fn lower_collection(
    py: Python<'_>,
    collection: &Py<PyAny>,
    keeps: bool,
    graph: &mut GraphBuilder,
    wanted: &mut Vec<TaskId>,
) -> PyResult<()> {
    let expr = collection.bind(py).getattr("__raskt_expr__")?;
    let layer = with_collection(&expr, |collection| {
        let layer = collection.lower(py, graph)?;
        if !(keeps && collection.is_kept()) {
            collection.check_whole(py)?;
        }
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
        if let Some(result) = py.detach(|| handle.wait_timeout_kept(patience)) {
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
        let library_threads: String = get.call1(("library-threads", "held"))?.extract()?;
        Ok(Self { scheduler, num_workers, library_threads_are_free: library_threads == "free" })
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
    run(py, args, traverse, false, &options, |leaf, results| match leaf {
        Argument::Collection(collection) => {
            let expr = collection.bind(py).getattr("__raskt_expr__")?;
            let finish = |collection: &dyn Collection| collection.finish(py, results.all(py)?);
            Ok(with_collection(&expr, finish)?.into_bound(py))
        }
        Argument::Foreign(foreign) => foreign.collection.bind(py).call_method1("finish", (results.object(py)?,)),
        _ => results.object(py),
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
    run(py, args, traverse, true, &options, |leaf, results| match leaf {
        Argument::Collection(collection) => {
            let collection = collection.bind(py);
            let expr = collection.getattr("__raskt_expr__")?;
            let persisted = with_collection(&expr, |collection| {
                let values = if collection.is_kept() { results.kept() } else { results.all(py)? };
                collection.persisted(py, values)
            })?;
            collection.call_method1("__raskt_rebuild__", (persisted,))
        }
        Argument::Foreign(foreign) => foreign.collection.bind(py).call_method1("rebuild", (results.object(py)?,)),
        Argument::Node(node) => {
            let object = Argument::Object(results.object(py)?.unbind());
            let extra = Extra { key: Some(node.key(py)), outputs: node.outputs(), ..Extra::default() };
            let node = Node::made(Work::Give(object), extra, false);
            Ok(Bound::new(py, Delayed { node })?.into_any())
        }
        _ => results.object(py),
    })
}

/// Runs what is asked for as one graph, and puts `result` of each part into its place.
fn run<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    traverse: bool,
    keeps: bool,
    options: &Options,
    result: impl Fn(&Argument, Results<'_>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    let mut request = Request::new(py, args, traverse, keeps)?;
    let ran = request.run(py, options, keeps)?;
    request.build(py, ran, result)
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
    /// `scheduler` ("threads", "processes" or "sync") and `num_workers` say how; by default the settings do.
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

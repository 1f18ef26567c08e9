//! What Dask takes for a scheduler.

use super::calls::{Calls, Surroundings};
use super::nodes::Nodes;
use super::read::{Calling, Place, Tasks, read_tasks};
use super::said::Said;
use crate::block::PythonOp;
use crate::cluster::{self, ClusterClient};
use crate::delayed::python_object;
use crate::engines;
use crate::error::from_graph_error;
use crate::memory;
use crate::runner::PythonRunner;
use crate::settings::settings;
use crate::travel;
use crate::wait::wait;
use crate::workers::workers;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList, PyTuple};
use raskt_execute::{Engine, EngineOptions, Runners};
use raskt_graph::{Graph, GraphBuilder, GraphError, Layer, Op, OpFlags, OpKind, Shape};
use std::sync::Arc;

/// Runs graphs of Dask. It has no Python frame of its own, so that tracebacks show only the user's.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct DaskScheduler {
    scheduler: Option<String>,
    /// The cluster that is to run them, if one was named.
    cluster: Option<Py<ClusterClient>>,
    num_workers: Option<usize>,
}

/// Where tasks run.
enum Runs {
    Here(Engine),
    There(Py<ClusterClient>),
}

#[pymethods]
impl DaskScheduler {
    #[new]
    #[pyo3(signature = (num_workers=None, scheduler=None))]
    fn new(
        #[pyo3(from_py_with = workers)] num_workers: Option<usize>,
        scheduler: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Self> {
        let name = scheduler.and_then(|scheduler| scheduler.extract().ok());
        let cluster = match (scheduler, &name) {
            (Some(scheduler), None) => Some(cluster::client_of(scheduler)?),
            _ => None,
        };
        Ok(Self { scheduler: name, cluster, num_workers })
    }

    /// Computes what `keys` stand for in `dsk`; a list of keys gives a tuple of results, and lists in lists give tuples in
    /// tuples.
    ///
    /// `num_workers` says how many threads there are, `cache` is a dictionary of results by key that are there already, and
    /// `callbacks` are called instead of the active ones. With `rerun_exceptions_locally` everything runs in the calling
    /// thread, where a debugger finds it. Whatever else Dask's schedulers take has no meaning here.
    #[pyo3(signature = (
        dsk, keys, cache=None, num_workers=None, pool=None, callbacks=None, rerun_exceptions_locally=None, **_kwargs
    ))]
    #[expect(clippy::too_many_arguments, reason = "these are the arguments of Dask's schedulers")]
    fn __call__<'py>(
        &self,
        py: Python<'py>,
        dsk: &Bound<'py, PyAny>,
        keys: &Bound<'py, PyAny>,
        cache: Option<Bound<'py, PyAny>>,
        #[pyo3(from_py_with = workers)] num_workers: Option<usize>,
        pool: Option<Bound<'py, PyAny>>,
        callbacks: Option<Bound<'py, PyAny>>,
        rerun_exceptions_locally: Option<bool>,
        _kwargs: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let setting = |name: &str| py.import("dask.config")?.getattr("get")?.call1((name, py.None()));
        let cache = some(cache.map_or_else(|| setting("cache"), Ok)?);
        let rerun = rerun_exceptions_locally.map_or_else(|| setting("rerun_exceptions_locally")?.is_truthy(), Ok)?;
        let pool = some(pool.map_or_else(|| setting("pool"), Ok)?);
        let workers = match num_workers.or(self.num_workers) {
            None => {
                workers_of(pool.as_ref())?.map_or_else(|| setting("num_workers")?.extract(), |found| Ok(Some(found)))?
            }
            workers => workers,
        };
        let (runs, is_sent) = match self.client(py, rerun)? {
            Some(client) => (Runs::There(client), false),
            None => {
                let scheduler = self.scheduler(py, rerun)?;
                (Runs::Here(engine(py, &scheduler, workers)?), engines::has_processes(&scheduler))
            }
        };
        let graph = if is_sent { nodes_of(&graph_of(dsk)?)? } else { graph_of(dsk)? };
        let mut said = Said::of(dsk)?;
        match watch(&graph, keys, cache.as_ref(), callbacks.as_ref())? {
            None => compute(&runs, Nodes::new(graph, cache, is_sent)?, keys, None, &mut said),
            Some(watch) => {
                let graph = watch.getattr("graph")?.cast_into::<PyDict>()?;
                let result = Nodes::new(graph, cache, is_sent)
                    .and_then(|nodes| compute(&runs, nodes, keys, Some(&watch), &mut said));
                watch.call_method1("finish", (result.is_err(),))?;
                result
            }
        }
    }

    fn __repr__(&self) -> String {
        let workers = self.num_workers.map_or_else(|| "None".to_owned(), |workers| workers.to_string());
        format!("<raskt scheduler of Dask graphs: num_workers={workers}>")
    }
}

impl DaskScheduler {
    /// The cluster that runs them, if one does: the one that was named, or the current one where nothing was.
    fn client(&self, py: Python<'_>, in_this_thread: bool) -> PyResult<Option<Py<ClusterClient>>> {
        match &self.cluster {
            _ if in_this_thread => Ok(None),
            Some(client) => Ok(Some(client.clone_ref(py))),
            None if self.scheduler.is_some() || settings(py)?.scheduler_is_chosen => Ok(None),
            None => cluster::current(py),
        }
    }

    /// Where tasks of this process run.
    fn scheduler(&self, py: Python<'_>, in_this_thread: bool) -> PyResult<String> {
        match &self.scheduler {
            _ if in_this_thread => Ok("sync".to_owned()),
            Some(scheduler) => Ok(scheduler.clone()),
            None => Ok(settings(py)?.scheduler.clone()),
        }
    }
}

fn engine(py: Python<'_>, scheduler: &str, workers: Option<usize>) -> PyResult<Engine> {
    let workers = workers.or(settings(py)?.num_workers);
    if scheduler == "sync" {
        // An engine for each computation: without threads, one that waits within a task has nobody to lend a slot to.
        let options = EngineOptions { threads: 0, ..EngineOptions::default() };
        let runners = Runners::default().with_python(Arc::new(PythonRunner));
        return Ok(Engine::with_store(options, memory::store(py)?, runners));
    }
    engines::engine(py, scheduler, workers)
}

fn some(object: Bound<'_, PyAny>) -> Option<Bound<'_, PyAny>> {
    (!object.is_none()).then_some(object)
}

/// How many workers a pool has that was given to Dask's own schedulers.
fn workers_of(pool: Option<&Bound<'_, PyAny>>) -> PyResult<Option<usize>> {
    let Some(pool) = pool else { return Ok(None) };
    match pool.getattr_opt("_max_workers")? {
        Some(workers) => workers.extract(),
        None => pool.getattr_opt("_pool")?.map(|threads| threads.len()).transpose(),
    }
}

/// The graph as a dictionary, whatever Dask gave: an expression, layers, a mapping.
fn graph_of<'py>(dsk: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyDict>> {
    let py = dsk.py();
    if let Ok(dict) = dsk.cast_exact::<PyDict>() {
        return Ok(dict.clone());
    }
    let mapping = py.import("collections.abc")?.getattr("Mapping")?;
    let graph = if dsk.is_instance(&mapping)? {
        dsk.clone()
    } else {
        py.import("raskt.dask._frames")?.getattr("graph_of")?.call1((dsk,))?
    };
    let dict = py.import("dask.utils")?.getattr("ensure_dict")?.call1((graph,))?;
    Ok(dict.cast_into::<PyDict>()?)
}

/// The same graph with every task as an object of Dask's: what can be sent to another process, and called there.
fn nodes_of<'py>(graph: &Bound<'py, PyDict>) -> PyResult<Bound<'py, PyDict>> {
    let convert = graph.py().import("dask._task_spec")?.getattr("convert_legacy_graph")?;
    Ok(convert.call1((graph,))?.cast_into::<PyDict>()?)
}

/// What tells callbacks of the tasks, if any callback is there to be told.
fn watch<'py>(
    graph: &Bound<'py, PyDict>,
    keys: &Bound<'py, PyAny>,
    cache: Option<&Bound<'py, PyAny>>,
    callbacks: Option<&Bound<'py, PyAny>>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    let py = graph.py();
    let is_watched = match callbacks {
        Some(callbacks) => callbacks.is_truthy()?,
        None => py.import("dask.callbacks")?.getattr("Callback")?.getattr("active")?.is_truthy()?,
    };
    if !is_watched {
        return Ok(None);
    }
    let class = py.import("raskt.dask._callbacks")?.getattr("Watch")?;
    class.call1((graph, wanted_keys(keys)?, cache, callbacks)).map(Some)
}

fn compute<'py>(
    runs: &Runs,
    mut nodes: Nodes<'py>,
    keys: &Bound<'py, PyAny>,
    watch: Option<&Bound<'py, PyAny>>,
    said: &mut Said<'py>,
) -> PyResult<Bound<'py, PyAny>> {
    let py = keys.py();
    let tasks = read_tasks(&mut nodes, py, &wanted_keys(keys)?, watch.is_some(), said)?;
    drop(nodes);
    let results = run(py, runs, tasks, watch)?;
    arrange(keys, &mut results.into_iter())
}

fn wanted_keys<'py>(keys: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let Ok(list) = keys.cast::<PyList>() else { return Ok(vec![keys.clone()]) };
    let mut found = vec![];
    for keys in list {
        found.extend(wanted_keys(&keys)?);
    }
    Ok(found)
}

/// The results in the form of the keys.
fn arrange<'py>(
    keys: &Bound<'py, PyAny>,
    results: &mut impl Iterator<Item = Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyAny>> {
    let Ok(list) = keys.cast::<PyList>() else { return Ok(results.next().expect("each key has its result")) };
    let items = list.iter().map(|keys| arrange(&keys, results)).collect::<PyResult<Vec<_>>>()?;
    Ok(PyTuple::new(keys.py(), items)?.into_any())
}

/// The result of each wanted key, in order.
fn run<'py>(
    py: Python<'py>,
    runs: &Runs,
    tasks: Tasks,
    watch: Option<&Bound<'py, PyAny>>,
) -> PyResult<Vec<Bound<'py, PyAny>>> {
    let task = |place: &Place| match place {
        Place::Task(task) => Some(*task),
        Place::Given(_) => None,
    };
    let wanted: Vec<_> = tasks.wanted.iter().filter_map(task).collect();
    let mut results = vec![];
    if !wanted.is_empty() {
        let context = py.import("contextvars")?.call_method0("copy_context")?;
        let context = (!context.is_empty()?).then(|| context.unbind());
        let surroundings = Arc::new(Surroundings { context, watch: watch.map(|watch| watch.clone().unbind()) });
        let graph = graph_with(tasks.layers, &surroundings).map_err(from_graph_error)?;
        results = match runs {
            Runs::There(client) => cluster::run(py, client.get(), &graph, &wanted)?,
            Runs::Here(engine) if travel::is_on() => {
                let (graph, wanted) = travel::travelled(py, &graph, wanted)?;
                wait(py, &engine.submit(graph, wanted))?
            }
            Runs::Here(engine) => wait(py, &engine.submit(Arc::new(graph), wanted))?,
        };
    }
    let mut results = results.into_iter();
    let wanted = tasks.wanted.iter().map(|place| match place {
        Place::Task(_) => python_object(py, &results.next().expect("each wanted task has its result")),
        Place::Given(object) => Ok(object.bind(py).clone()),
    });
    wanted.collect()
}

fn graph_with(layers: Vec<Calling>, surroundings: &Arc<Surroundings>) -> Result<Graph, GraphError> {
    let mut graph = GraphBuilder::new();
    for Calling { calls, edges, annotations } in layers {
        let flags = OpFlags::default();
        let body = Arc::new(PythonOp(Arc::new(Calls { calls, surroundings: surroundings.clone() })));
        let op = graph.op(Op { kind: OpKind::Python, name: "dask".into(), digest: 0, flags, body });
        let layer = Layer::new("dask", op, Shape::Explicit(edges.finish()?));
        graph.layer(Layer { annotations, ..layer })?;
    }
    Ok(graph.finish())
}

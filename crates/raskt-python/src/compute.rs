//! `compute` and `persist`: everything that is asked for at once becomes one graph, and runs.

use crate::cluster::{self, ClusterClient, HeldResult};
use crate::collection::{Collection, with_collection};
use crate::contexts;
use crate::delayed::{Argument, Delayed, Extra, Node, Work, python_object};
use crate::ending::Outside;
use crate::engines::{self, OwnEngine};
use crate::error::from_run_error;
use crate::library_threads::LeftAlone;
use crate::lineage::past_of;
use crate::ran::Ran;
use crate::request::{Request, Results};
use crate::settings::settings;
use crate::travel;
use crate::wait::run_within;
use crate::workers::workers;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString, PyTuple};
use raskt_execute::run_in_place;
use raskt_graph::{Graph, OpKind, TaskId};
use raskt_store::StoredRef;
use raskt_value::Value;
use std::sync::Arc;

/// How the caller wants it to run.
struct Options {
    scheduler: String,
    num_workers: Option<usize>,
    library_threads_are_free: bool,
    /// The cluster on which it runs, if it does on one.
    cluster: Option<Py<ClusterClient>>,
    /// Neither the caller nor the settings say where it runs, and no client is current.
    is_unsaid: bool,
}

impl Options {
    /// What the caller says; where he says nothing, the current client of a cluster if there is one, and else what the settings say.
    fn new(py: Python<'_>, scheduler: Option<&Bound<'_, PyAny>>, num_workers: Option<usize>) -> PyResult<Self> {
        let settings = settings(py)?;
        let (name, cluster) = match scheduler {
            None if settings.scheduler_is_chosen => (None, None),
            None => (None, cluster::current(py)?),
            Some(scheduler) => match scheduler.cast::<PyString>() {
                Ok(name) => (Some(name.to_string()), None),
                Err(_) => (None, Some(cluster::client_of(scheduler)?)),
            },
        };
        let is_unsaid = scheduler.is_none() && !settings.scheduler_is_chosen && cluster.is_none();
        Ok(Self {
            scheduler: name.unwrap_or_else(|| settings.scheduler.clone()),
            num_workers: num_workers.or(settings.num_workers),
            library_threads_are_free: settings.library_threads_are_free,
            cluster,
            is_unsaid,
        })
    }

    /// The same for a graph that reads what a cluster holds: it runs there, unless somebody has said where it does.
    fn where_its_data_is(&self, py: Python<'_>, graph: &Graph) -> Option<Self> {
        let client = if self.is_unsaid { cluster::holder(graph) } else { None };
        let cluster = Some(Py::new(py, client?).ok()?);
        Some(Self { scheduler: self.scheduler.clone(), cluster, ..*self })
    }

    /// Whether graphs leave this process.
    fn travels(&self) -> bool {
        self.cluster.is_some() || travel::is_on()
    }

    /// Runs the graph that way and gives the results of `wanted`; `keeps` says whether large ones stay in the store.
    fn run(&self, py: Python<'_>, graph: &Arc<Graph>, wanted: Vec<TaskId>, keeps: Keeps) -> PyResult<Ran> {
        if wanted.is_empty() {
            return Ok(Ran::nothing());
        }
        if let Some(client) = &self.cluster {
            let run = if keeps == Keeps::Nothing { cluster::run } else { cluster::hold };
            return Ok(Ran { values: run(py, client.get(), graph, &wanted)?, handle: None });
        }
        if travel::is_on() {
            return self.run_travelled(py, graph, wanted, keeps);
        }
        self.run_here(py, graph, wanted, keeps)
    }

    /// The same with all that another process would have of the graph, and no more.
    fn run_travelled(&self, py: Python<'_>, graph: &Graph, wanted: Vec<TaskId>, keeps: Keeps) -> PyResult<Ran> {
        let (graph, wanted) = travel::travelled(py, graph, wanted)?;
        let ran = self.run_here(py, &graph, wanted, keeps)?;
        Ok(Ran { values: travel::travelled_values(py, ran.values)?, handle: ran.handle })
    }

    fn run_here(&self, py: Python<'_>, graph: &Arc<Graph>, wanted: Vec<TaskId>, keeps: Keeps) -> PyResult<Ran> {
        let graph = &cluster::brought_here(py, graph, &wanted)?;
        engines::check_fork(graph)?;
        contexts::carry(py, graph)?;
        let _library_threads = self.library_threads_are_free.then(LeftAlone::new);
        let past = if keeps == Keeps::WithLineage { Some(past_of(py, graph)?) } else { None };
        let keeps = keeps != Keeps::Nothing;
        let engine = engines::engine(py, &self.scheduler, self.num_workers)?;
        if is_small(graph) && !engine.has_flight_record() {
            // To wake a thread takes longer than the work; the calling thread does it at once, whatever else goes on.
            let result = if keeps { None } else { py.outside(|| run_in_place(graph, &wanted)) };
            if let Some(result) = result {
                let values = result.map_err(|error| from_run_error(py, &error))?;
                return Ok(Ran { values, handle: None });
            }
            let own = OwnEngine::new(engine.store());
            return Ran::wait(py, own.get().submit_with_past(graph.clone(), wanted, past), keeps);
        }
        if !keeps && let Some(values) = run_within(py, &engine, (graph, &wanted))? {
            return Ok(Ran { values, handle: None });
        }
        Ran::wait(py, engine.submit_with_past(graph.clone(), wanted, past), keeps)
    }
}

/// What stays of a graph.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Keeps {
    /// The results that are given back.
    Nothing,
    /// Large results, in the store.
    Results,
    /// The same, and what they are made of.
    WithLineage,
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

/// Computes collections and delayed objects, all together, and gives their results.
///
/// Work that they share is done once.
///
/// Parameters
/// ----------
/// *args : object
///     Collections, delayed objects, and lists, tuples, dicts and sets that hold some; anything else is given back as it
///     is.
/// traverse : bool, default True
///     Whether lists, tuples, dicts and sets are looked through.
/// optimize_graph : bool, default True
///     Of no effect: expressions are always optimised, since there is no other form of them to run.
/// scheduler : {"threads", "processes", "sync"} or raskt.distributed.Client, optional
///     Where it runs: by default on the current client of a cluster, or where the setting ``scheduler`` says.
/// num_workers : int, optional
///     How many threads or processes run tasks; the setting ``num-workers`` by default.
///
/// Returns
/// -------
/// tuple
///     A NumPy array for an array, a pandas object for a frame, what a function gave for its call: one for each argument.
///
/// Raises
/// ------
/// Exception
///     What a function raised, as it was raised.
/// MemoryLimitError
///     If the work doesn't fit the memory and nothing can be spilled.
///
/// Examples
/// --------
/// >>> import raskt
/// >>> x = raskt.delayed(pow)(2, 10)
/// >>> raskt.compute(x, [x, 1])
/// (1024, [1024, 1])
#[pyfunction]
#[pyo3(signature = (*args, traverse=true, optimize_graph=true, scheduler=None, num_workers=None))]
fn compute<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    traverse: bool,
    optimize_graph: bool,
    scheduler: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = workers)] num_workers: Option<usize>,
) -> PyResult<Bound<'py, PyTuple>> {
    // Expressions are always optimised: there is no other form of them to run.
    let _ = optimize_graph;
    let options = Options::new(py, scheduler, num_workers)?;
    run(py, args, traverse, Keeps::Nothing, &options, |leaf, results| match leaf {
        Argument::Collection(collection) => {
            let expr = collection.bind(py).getattr(intern!(py, "__raskt_expr__"))?;
            let finish = |collection: &dyn Collection| collection.finish(py, results.all(py)?);
            Ok(with_collection(&expr, finish)?.into_bound(py))
        }
        Argument::Foreign(foreign) => foreign.collection.bind(py).call_method1("finish", (results.object(py)?,)),
        _ => results.object(py),
    })
}

/// Computes collections and delayed objects, all together, and gives them back with their results for sources.
///
/// Parameters
/// ----------
/// *args : object
///     Collections, delayed objects, and lists, tuples, dicts and sets that hold some.
/// traverse : bool, default True
///     Whether lists, tuples, dicts and sets are looked through.
/// optimize_graph : bool, default True
///     Of no effect: expressions are always optimised.
/// scheduler : {"threads", "processes", "sync"} or raskt.distributed.Client, optional
///     Where it runs: by default on the current client of a cluster, or where the setting ``scheduler`` says.
/// num_workers : int, optional
///     How many threads or processes run tasks; the setting ``num-workers`` by default.
/// keep_lineage : bool, default True
///     Whether what the results are made of is kept as long as they are: the graph, its functions, and data that it was
///     given in memory. A result whose file on disk is lost or damaged is made again of it then. Results of other persisted
///     collections that the graph reads aren't kept by it; if they are gone, they are made again in turn, over up to 64
///     such steps (the first step beyond keeps the results that it read). If False, all that is free at once, and lost
///     results are told by `raskt.ResultsLost`: the way for functions that give something else when they are called again,
///     and for data that is large beside the results.
///
/// Returns
/// -------
/// tuple
///     Equal collections, whose blocks or partitions are held in memory, or on disk where memory is short.
///
/// Raises
/// ------
/// Exception
///     What a function raised, as it was raised.
///
/// Examples
/// --------
/// >>> import raskt
/// >>> x = raskt.persist(raskt.delayed(pow)(2, 10))[0]
/// >>> x.compute()
/// 1024
#[pyfunction]
#[pyo3(signature = (*args, traverse=true, optimize_graph=true, scheduler=None, num_workers=None, keep_lineage=true))]
fn persist<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    traverse: bool,
    optimize_graph: bool,
    scheduler: Option<&Bound<'py, PyAny>>,
    #[pyo3(from_py_with = workers)] num_workers: Option<usize>,
    keep_lineage: bool,
) -> PyResult<Bound<'py, PyTuple>> {
    let _ = optimize_graph;
    let keeps = if keep_lineage { Keeps::WithLineage } else { Keeps::Results };
    let options = Options::new(py, scheduler, num_workers)?;
    run(py, args, traverse, keeps, &options, |leaf, results| match leaf {
        Argument::Collection(collection) => {
            let collection = collection.bind(py);
            let expr = collection.getattr(intern!(py, "__raskt_expr__"))?;
            let persisted = with_collection(&expr, |collection| {
                let values = if collection.is_kept() { results.kept() } else { results.all(py)? };
                collection.persisted(py, there_or_here(py, collection, values)?)
            })?;
            collection.call_method1("__raskt_rebuild__", (persisted,))
        }
        Argument::Foreign(foreign) => foreign.collection.bind(py).call_method1("rebuild", (results.object(py)?,)),
        Argument::Node(node) => {
            let value = results.value();
            let work = match (StoredRef::of(&value), HeldResult::of(&value)) {
                (Some(kept), _) => Work::Stored(kept),
                (None, Some(held)) => Work::Held(held),
                (None, None) => Work::Give(Argument::Object(python_object(py, &value)?.unbind())),
            };
            let extra = Extra { key: Some(node.key(py)), outputs: node.outputs(), ..Extra::default() };
            let node = Node::made(work, extra, false);
            Ok(Bound::new(py, Delayed { node })?.into_any())
        }
        _ => results.object(py),
    })
}

/// The results of a collection, as its persisted form can have them: those that a cluster holds stay there if it can do with what
/// stands for them, and are fetched otherwise.
fn there_or_here(py: Python<'_>, collection: &dyn Collection, values: Vec<Value>) -> PyResult<Vec<Value>> {
    if values.iter().all(|value| HeldResult::of(value).is_none()) {
        return Ok(values);
    }
    let Some(layouts) = collection.layouts() else { return cluster::fetched(py, values) };
    for (value, (dtype, shape)) in values.iter().zip(layouts) {
        if let Some(held) = HeldResult::of(value) {
            held.is_block(dtype, shape);
        }
    }
    Ok(values)
}

/// Runs what is asked for as one graph, and puts `result` of each part into its place.
fn run<'py>(
    py: Python<'py>,
    args: &Bound<'py, PyTuple>,
    traverse: bool,
    keeps: Keeps,
    options: &Options,
    result: impl Fn(&Argument, Results<'_>) -> PyResult<Bound<'py, PyAny>>,
) -> PyResult<Bound<'py, PyTuple>> {
    // Memory that nobody has any more may be needed now.
    crate::futures::take_back_given(py);
    let mut request = Request::new(py, args, traverse, keeps != Keeps::Nothing, options.travels())?;
    let there = options.where_its_data_is(py, &request.graph);
    if there.is_some() {
        request = request.for_travel(py, keeps != Keeps::Nothing)?;
    }
    let options = there.as_ref().unwrap_or(options);
    let wanted = std::mem::take(&mut request.wanted);
    let ran = options.run(py, &request.graph, wanted, keeps)?;
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
    let function = object.py().import(intern!(object.py(), "raskt._core"))?.getattr(name)?;
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
    /// Parameters
    /// ----------
    /// **kwargs : object
    ///     Options of `raskt.compute`, such as ``scheduler`` and ``num_workers``.
    ///
    /// Returns
    /// -------
    /// object
    ///     A NumPy array or scalar for an array, a pandas object for a frame, a series, an index.
    ///
    /// Raises
    /// ------
    /// Exception
    ///     What a function of the work raised, as it was raised.
    ///
    /// Examples
    /// --------
    /// >>> import raskt.array as ra
    /// >>> ra.arange(3, chunks=2).compute()
    /// array([0, 1, 2])
    #[pyo3(signature = (**kwargs))]
    fn compute(slf: &Bound<'_, Self>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        compute_one(slf.as_any(), kwargs)
    }

    /// Computes its blocks or partitions and gives a collection that holds them.
    ///
    /// Parameters
    /// ----------
    /// **kwargs : object
    ///     Options of `raskt.persist`, such as ``scheduler``, ``num_workers`` and ``keep_lineage``.
    ///
    /// Returns
    /// -------
    /// object
    ///     An equal collection, of the same chunks or partitions.
    ///
    /// Examples
    /// --------
    /// >>> import raskt.array as ra
    /// >>> ra.arange(3, chunks=2).persist().sum().compute()
    /// np.int64(3)
    #[pyo3(signature = (**kwargs))]
    fn persist(slf: &Bound<'_, Self>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        persist_one(slf.as_any(), kwargs)
    }

    /// Draws its graph: see `raskt.visualize`.
    ///
    /// Parameters
    /// ----------
    /// *args, **kwargs : object
    ///     Arguments of `raskt.visualize`, such as ``filename``.
    ///
    /// Returns
    /// -------
    /// object
    ///     The path that was written, or the text of the graph if ``filename`` is None.
    ///
    /// Examples
    /// --------
    /// >>> import raskt.array as ra
    /// >>> ra.arange(3).visualize(filename=None).splitlines()[0]
    /// 'digraph raskt {'
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

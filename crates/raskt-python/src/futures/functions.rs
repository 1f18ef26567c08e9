use super::call::{Call, resolved, with_futures_replaced};
use super::settings::{default_pool, pool_for};
use super::task::Options;
use super::wait::{Until, wait_for};
use super::{Future, Pool, Task};
use crate::cluster;
use crate::settings::settings;
use crate::workers::workers;
use pyo3::exceptions::{PyNotImplementedError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// Threads for futures of one owner: an executor's.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct FuturePool(Arc<Pool>);

#[pymethods]
impl FuturePool {
    #[new]
    #[pyo3(signature = (scheduler=None, num_workers=None))]
    fn new(
        py: Python<'_>,
        scheduler: Option<String>,
        #[pyo3(from_py_with = workers)] num_workers: Option<usize>,
    ) -> PyResult<Self> {
        pool_for(py, scheduler, num_workers).map(Self)
    }

    /// Submits `function(*args, **kwargs)`.
    fn submit(
        &self,
        function: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        kwargs: &Bound<'_, PyDict>,
    ) -> PyResult<Future> {
        let options = Options { key: None, priority: 0, retries: 0 };
        submit_to(&self.0, function, args, Some(kwargs), options)
    }
}

/// Submits the call `function(*args, **kwargs)`, which is made while the caller goes on.
///
/// `key` names the call; a call with the key of a future that somebody holds is that future. With `pure=True` equal
/// calls have equal keys; by default each call is made. Calls of higher `priority` are made first, others in their order.
/// A call that fails is made again up to `retries` times. `workers`, `allow_other_workers`, `resources`, `fifo_timeout`
/// and `actor` are for clusters, and names that the function can't have for arguments. Where there is a client of a cluster
/// (`raskt.distributed.Client`), the cluster makes the call.
#[pyfunction]
#[pyo3(signature = (
    function, /, *args, key=None, pure=None, priority=0, retries=0, workers=None, allow_other_workers=None,
    resources=None, fifo_timeout=None, actor=None, **kwargs
))]
#[expect(clippy::too_many_arguments, reason = "the parameters of a Python function")]
pub(crate) fn submit(
    function: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    key: Option<String>,
    pure: Option<bool>,
    priority: i64,
    retries: i64,
    workers: Option<&Bound<'_, PyAny>>,
    allow_other_workers: Option<bool>,
    resources: Option<&Bound<'_, PyAny>>,
    fifo_timeout: Option<&Bound<'_, PyAny>>,
    actor: Option<bool>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<Py<PyAny>> {
    let py = function.py();
    if !settings(py)?.scheduler_is_chosen
        && let Some(client) = cluster::current_for_users(py)?
    {
        let named = kwargs.map_or_else(|| Ok(PyDict::new(py)), |kwargs| kwargs.copy())?;
        named.set_item("key", key)?;
        named.set_item("pure", pure)?;
        named.set_item("priority", priority)?;
        named.set_item("retries", retries)?;
        named.set_item("workers", workers)?;
        named.set_item("allow_other_workers", allow_other_workers.unwrap_or(false))?;
        named.set_item("resources", resources)?;
        named.set_item("fifo_timeout", fifo_timeout)?;
        named.set_item("actor", actor.unwrap_or(false))?;
        let mut all = vec![function.clone()];
        all.extend(args.iter());
        return Ok(client.call_method("submit", PyTuple::new(py, all)?, Some(&named))?.unbind());
    }
    let _ = (allow_other_workers, fifo_timeout);
    if workers.is_some() || resources.is_some() || actor == Some(true) {
        return Err(PyNotImplementedError::new_err(
            "workers=, resources= and actor= are for clusters; on one machine leave them out",
        ));
    }
    let retries = u32::try_from(retries).map_err(|_| {
        PyValueError::new_err(format!(
            "retries is {retries}; it says how often a call is made again, at most {}",
            u32::MAX
        ))
    })?;
    let key = match (key, pure) {
        (None, Some(true)) => Some(content_key(function, args, kwargs)?),
        (key, _) => key,
    };
    let future = submit_to(&default_pool(py)?, function, args, kwargs, Options { key, priority, retries })?;
    Ok(Py::new(py, future)?.into_any())
}

fn submit_to(
    pool: &Arc<Pool>,
    function: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
    options: Options,
) -> PyResult<Future> {
    if let Some(task) = options.key.as_ref().and_then(|key| pool.task_of(key)) {
        return Ok(Future::of(task));
    }
    if pool.is_closed() {
        return Err(PyRuntimeError::new_err("no future can be submitted any more: the interpreter is shutting down"));
    }
    let (call, inputs) = Call::new(function, args, kwargs)?;
    if pool.is_synchronous() {
        // The call is made here and now, by whoever submits it.
        wait_for(function.py(), &inputs, Until::FirstFailure, None)?;
    }
    Ok(Future::of(Task::submit(function.py(), pool, call, &inputs, options)?))
}

/// The key of a pure call: equal calls have equal keys.
fn content_key(
    function: &Bound<'_, PyAny>,
    args: &Bound<'_, PyTuple>,
    kwargs: Option<&Bound<'_, PyDict>>,
) -> PyResult<String> {
    let module = function.py().import("raskt.futures._pure")?;
    module.getattr("content_key")?.call1((function, args, kwargs))?.extract()
}

/// A future whose result is there already.
#[pyfunction]
#[pyo3(signature = (result, key=None))]
pub(crate) fn finished_future(py: Python<'_>, result: Py<PyAny>, key: Option<String>) -> PyResult<Future> {
    let pool = default_pool(py)?;
    if let Some(task) = key.as_ref().and_then(|key| pool.task_of(key)) {
        return Ok(Future::of(task));
    }
    let name = result.bind(py).get_type().name()?.into_any().unbind();
    Ok(Future::of(Task::finished(py, &pool, key, name, result)))
}

/// The futures in `object`, also in lists, tuples, sets and dictionaries.
#[pyfunction]
pub(crate) fn futures_in<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, Future>>> {
    let mut futures = vec![];
    with_futures_replaced(object, &mut |future| {
        futures.push(future.clone());
        Ok(future.clone().into_any())
    })?;
    Ok(futures)
}

/// `object` with results in place of its futures; raises what the first of them has failed with.
#[pyfunction]
pub(crate) fn gather_futures<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let tasks: Vec<_> = futures_in(object)?.iter().map(|future| future.get().task()).collect();
    wait_for(object.py(), &tasks, Until::FirstFailure, None)?;
    if let Some(bad) = tasks.iter().find(|task| task.is_bad()) {
        bad.result(object.py())?;
    }
    resolved(object)
}

/// Waits for futures, `timeout` seconds at most; says whether enough of them are done.
#[pyfunction]
#[pyo3(signature = (futures, timeout=None, return_when="ALL_COMPLETED"))]
pub(crate) fn wait_futures(
    py: Python<'_>,
    futures: Vec<Bound<'_, Future>>,
    timeout: Option<f64>,
    return_when: &str,
) -> PyResult<bool> {
    let until = match return_when {
        "ALL_COMPLETED" => Until::All,
        "FIRST_COMPLETED" => Until::First,
        "FIRST_EXCEPTION" => Until::FirstFailure,
        _ => {
            return Err(PyValueError::new_err(format!(
                "return_when is '{return_when}'; known are 'ALL_COMPLETED', 'FIRST_COMPLETED' and 'FIRST_EXCEPTION'"
            )));
        }
    };
    let tasks: Vec<_> = futures.iter().map(|future| future.get().task()).collect();
    wait_for(py, &tasks, until, timeout)
}

/// Cancels all that waits and refuses what comes; called when the interpreter goes.
#[pyfunction]
pub(crate) fn close_futures(py: Python<'_>) {
    Pool::close_all(py);
}

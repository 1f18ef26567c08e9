//! Results of a cluster in values that processes share: they stay where they are, and the value says which they are.
//!
//! While a value is written its references are the context of its thread: whatever is pickled then, and holds a result of their client,
//! refers to it. While it is read they are so again, and what refers to a result finds it taken up by the client that reads.

use super::super::future::FutureKey;
use super::super::naming::{BlockForm, as_block, block_form};
use super::super::waiting::wait_until;
use super::super::{ClusterClient, ClusterFuture, HeldResult};
use crate::block::wire_form;
use crate::cluster::running::{cancelled_error, from_cluster_error};
use crate::ending::Outside;
use hashbrown::HashMap;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::PyTuple;
use raskt_cluster::{Client, TaskRun, Until};
use raskt_futures::ranges_of;
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{RunId, TaskRange};
use raskt_sync::Mutex;
use raskt_value::Value;
use raskt_value::wire::WireForm;
use serde::{Deserialize, Serialize};
use std::cell::RefCell;
use std::sync::Arc;
use std::time::Duration;

/// What values refer to.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct ClusterReferences(Arc<References>);

struct References {
    client: Arc<Client>,
    /// By the name that everybody knows them by.
    results: Mutex<HashMap<(RunId, TaskId), Arc<HeldResult>>>,
    /// Whether a value is written, and not read.
    is_written: bool,
}

thread_local! {
    /// Those of the values that this thread writes or reads, the innermost last.
    static CURRENT: RefCell<Vec<Arc<References>>> = const { RefCell::new(vec![]) };
}

#[pymethods]
impl ClusterReferences {
    /// Those of a value that is to be written, to results of this client.
    #[new]
    fn new(client: &Bound<'_, ClusterClient>) -> PyResult<Self> {
        client.get().check()?;
        let (client, results) = (client.get().client().clone(), Mutex::default());
        Ok(Self(Arc::new(References { client, results, is_written: true })))
    }

    /// What is said of a future in the value: a run, a layer and a number.
    fn refer(&self, py: Python<'_>, future: &Bound<'_, ClusterFuture>) -> PyResult<(u64, u32, u64)> {
        let Some(held) = future.get().held().filter(|held| !held.is_cancelled()) else {
            return Err(cancelled_error(py, format!("future {} was cancelled or released", future.repr()?)));
        };
        let (run, task) = self.0.refer(&held)?;
        Ok((run.0, task.layer.0, task.index))
    }

    /// The future of which that was said.
    fn future(&self, run: u64, layer: u32, index: u64, key: &str) -> PyResult<ClusterFuture> {
        let held = self.0.find((RunId(run), TaskId::new(LayerId(layer), index)))?;
        Ok(ClusterFuture::new(held, FutureKey::Named(key.into())))
    }

    /// Waits until data of this client has arrived with workers: it can't come from here any more once the client has left.
    fn await_data(&self, py: Python<'_>) -> PyResult<()> {
        let data: Vec<_> = self.0.results.lock().values().filter(|held| held.is_data()).cloned().collect();
        let Some(first) = data.first() else { return Ok(()) };
        let tasks = ranges_of(data.iter().map(|held| &**held));
        let watch = py.outside(|| self.0.client.watch(&tasks));
        wait_until(py, &watch, Until::All, None, || first.stalled()).map(drop)
    }

    /// How many results there are.
    fn __len__(&self) -> usize {
        self.0.results.lock().len()
    }

    fn __enter__(slf: Py<Self>) -> Py<Self> {
        CURRENT.with_borrow_mut(|current| current.push(slf.get().0.clone()));
        slf
    }

    #[pyo3(signature = (*_error))]
    fn __exit__(&self, _error: &Bound<'_, PyTuple>) {
        let gone = CURRENT.with_borrow_mut(Vec::pop);
        drop(gone);
    }
}

impl ClusterReferences {
    /// Those of values that are read: results of whoever it was, which `client` takes up.
    pub(super) fn taken_up(py: Python<'_>, client: &ClusterClient, results: &[(RunId, TaskRange)]) -> PyResult<Self> {
        client.check()?;
        let client = client.client().clone();
        let count: u64 = results.iter().map(|(_, tasks)| tasks.len()).fold(0, u64::saturating_add);
        if count > RESULTS_MOST {
            return Err(PyValueError::new_err(format!("a value refers to {count} results; {RESULTS_MOST} may be")));
        }
        let mut taken = HashMap::new();
        // What isn't there any more takes along what is of the same run, and nothing else.
        for of_run in results.chunk_by(|(run, _), (next, _)| run == next) {
            let run = py.outside(|| client.take_up(of_run)).map_err(|error| from_cluster_error(py, &error))?;
            let sources = of_run.iter().flat_map(|(id, tasks)| tasks.tasks().map(move |task| (*id, task)));
            for (source, index) in sources.zip(0..) {
                let own = TaskId::new(LayerId(0), index);
                taken.entry(source).or_insert_with(|| held(&client, &run, own));
            }
        }
        Ok(Self(Arc::new(References { client, results: Mutex::new(taken), is_written: false })))
    }

    /// The results as the scheduler is told of them.
    pub(super) fn ranges(&self) -> Vec<(RunId, TaskRange)> {
        let mut each: Vec<_> = self.0.results.lock().keys().copied().collect();
        each.sort_unstable();
        let mut ranges: Vec<(RunId, TaskRange)> = vec![];
        for (run, task) in each {
            match ranges.last_mut() {
                Some((of, last)) if *of == run && last.layer == task.layer && last.end == task.index => last.end += 1,
                _ => ranges.push((run, TaskRange::one(task))),
            }
        }
        ranges
    }
}

/// How long the scheduler has to hear of another client's run.
const PATIENCE: Duration = Duration::from_secs(60);

/// Results that the values of one answer refer to.
const RESULTS_MOST: u64 = 1 << 24;

fn held(client: &Arc<Client>, run: &TaskRun, task: TaskId) -> Arc<HeldResult> {
    HeldResult::new(client.clone(), run.clone(), task, false)
}

impl References {
    /// The name by which others know a result, which the value refers to from now on.
    fn refer(&self, result: &Arc<HeldResult>) -> PyResult<(RunId, TaskId)> {
        if !self.is_written {
            return Err(PyRuntimeError::new_err("a value that is read refers to what it refers to"));
        }
        let name = result.source();
        let kept = match Arc::ptr_eq(result.client(), &self.client) {
            true => result.clone(),
            false if is_same_cluster(result.client(), &self.client) => {
                // What two clients say comes in any order, and the other may be about to leave.
                let heard = Python::attach(|py| py.outside(|| result.await_heard(PATIENCE)));
                heard.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
                let taken = self.client.take_up(&[(name.0, TaskRange::one(name.1))]);
                let run = taken.map_err(|error| PyRuntimeError::new_err(error.to_string()))?;
                held(&self.client, &run, TaskId::new(LayerId(0), 0))
            }
            false => {
                return Err(PyValueError::new_err(
                    "a future of another cluster can't be shared on this one: gather it, and share its result",
                ));
            }
        };
        self.results.lock().entry(name).or_insert(kept);
        Ok(name)
    }

    fn find(&self, name: (RunId, TaskId)) -> PyResult<Arc<HeldResult>> {
        let found = self.results.lock().get(&name).cloned();
        found.ok_or_else(|| {
            PyValueError::new_err("a value names a result that it doesn't refer to: it isn't one of raskt")
        })
    }
}

fn is_same_cluster(one: &Client, other: &Client) -> bool {
    let identity = |client: &Client| client.scheduler().map(|peer| peer.identity);
    identity(one).is_some() && identity(one) == identity(other)
}

const SHARED: &str = "raskt.python.shared";
const SHARED_VERSION: u16 = 1;

/// A result in a collection that is pickled.
#[derive(Serialize, Deserialize)]
struct SharedForm {
    run: u64,
    layer: u32,
    index: u64,
    block: BlockForm,
}

/// What stands for a value in the pickle of a collection, if this thread writes a value for others to read and that is a result of its
/// cluster; else it goes as it is.
pub(crate) fn shared_form(value: &Value) -> PyResult<Option<WireForm>> {
    let Some(held) = HeldResult::of(value) else { return Ok(None) };
    let Some(current) = CURRENT.with_borrow(|current| current.last().filter(|last| last.is_written).cloned()) else {
        return Ok(None);
    };
    if !is_same_cluster(held.client(), &current.client) {
        return Ok(None);
    }
    let (RunId(run), task) = current.refer(&held)?;
    let form = SharedForm { run, layer: task.layer.0, index: task.index, block: block_form(&held) };
    wire_form(SHARED, SHARED_VERSION, &form).map(Some)
}

/// Whether a form stands for a result.
pub(crate) fn is_shared_form(form: &WireForm) -> bool {
    form.tag == SHARED
}

/// The result that a form stands for.
pub(crate) fn read_shared(form: &WireForm) -> PyResult<Value> {
    let SharedForm { run, layer, index, block } =
        form.read().map_err(|error| PyValueError::new_err(error.to_string()))?;
    let current = CURRENT.with_borrow(|current| current.last().filter(|last| !last.is_written).cloned());
    let current = current.ok_or_else(|| {
        PyValueError::new_err(
            "a collection whose results a cluster holds is read by get_dataset(), Queue.get() or Variable.get()",
        )
    })?;
    let held = current.find((RunId(run), TaskId::new(LayerId(layer), index)))?;
    as_block(&held, block)?;
    Ok(held.value())
}

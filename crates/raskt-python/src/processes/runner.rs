use super::pool::Pool;
use super::prepare::{Prepared, prepare};
use super::route::Route;
use super::session::{Results, Session};
use crate::delayed::Calls;
use crate::error::to_task_error;
use crate::object::Object;
use crate::runner::PythonRunner;
use pyo3::prelude::*;
use raskt_execute::{Batch, Runner, TaskCall};
use raskt_graph::{Graph, TaskId};
use raskt_store::Family;
use raskt_sync::Mutex;
use raskt_value::{TaskError, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, Weak};

/// The runner of ops of kind `Python` that has a process for each thread which asks.
pub(crate) struct ProcessRunner {
    pool: Arc<Pool>,
    /// What processes need to know of each graph, by its address; entries of graphs that are gone are swept.
    runs: Mutex<BTreeMap<usize, RunOf>>,
}

/// A graph, and its `raskt._process.calls.Run`.
type RunOf = (Weak<Graph>, Arc<Py<PyAny>>);

impl ProcessRunner {
    /// A runner for an engine of `count` threads.
    pub fn new(count: usize) -> Self {
        Self { pool: Arc::new(Pool::new(count)), runs: Mutex::default() }
    }

    fn session(&self, batch: &Batch<'_>) -> PyResult<Session> {
        Ok(Session { pool: self.pool.clone(), run: self.run_of(batch.graph)?, cancel: batch.cancel.clone() })
    }

    fn run_of(&self, graph: &Arc<Graph>) -> PyResult<Arc<Py<PyAny>>> {
        let address = Arc::as_ptr(graph) as usize;
        if let Some((of, run)) = self.runs.lock().get(&address)
            && of.strong_count() > 0
        {
            return Ok(run.clone());
        }
        // Made without the lock: it runs Python code. If two threads make one, the second counts.
        let run = Python::attach(|py| py.import("raskt._process.calls")?.call_method0("Run").map(Bound::unbind))?;
        let run = Arc::new(run);
        let swept: Vec<_> = {
            let mut runs = self.runs.lock();
            let swept = runs.extract_if(.., |_, (of, _)| of.strong_count() == 0).collect();
            runs.insert(address, (Arc::downgrade(graph), run.clone()));
            swept
        };
        drop(swept);
        Ok(run)
    }

    /// Runs the calls that were gathered, and puts results into their places.
    fn flush(&self, session: &Session, gathered: &mut Gathered, batch: &mut Batch<'_>) -> Result<(), TaskError> {
        if gathered.places.is_empty() {
            return Ok(());
        }
        let mut results = Results::default();
        let made = session.make(&gathered.calls, &mut results);
        batch.nanoseconds = batch.nanoseconds.map(|before| before + results.nanoseconds);
        gathered.calls.clear();
        Python::attach(|py| {
            let mut objects = results.objects.into_iter();
            for place in gathered.places.drain(..) {
                let value = place.or_else(|| objects.next().map(|object| Object::value(object.into_bound(py))));
                let Some(value) = value else { break };
                batch.push(value);
            }
            made.map_err(|error| to_task_error(py, error))
        })
    }
}

/// Tasks of a batch until they are sent.
#[derive(Default)]
struct Gathered {
    /// For each task its result, or nothing if it is the next of the calls.
    places: Vec<Option<Value>>,
    calls: Vec<Py<PyAny>>,
}

impl Gathered {
    fn add(&mut self, call: &TaskCall<'_>, calls: &Calls, inputs: &[Value]) -> Result<(), TaskError> {
        let node = &calls.0[call.task.index as usize];
        Python::attach(|py| match prepare(py, node, inputs).map_err(|error| to_task_error(py, error))? {
            Prepared::Here(value) => {
                self.places.push(Some(value));
                Ok(())
            }
            Prepared::There(call) => {
                self.places.push(None);
                self.calls.push(call);
                Ok(())
            }
        })
    }
}

impl Runner for ProcessRunner {
    fn run(&self, call: &TaskCall<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        PythonRunner.run(call, inputs)
    }

    /// Calls are gathered as long as none reads another's result, which is here only when they have been sent.
    fn run_batch(&self, batch: &mut Batch<'_>) -> Result<(), TaskError> {
        let raised = |error| Python::attach(|py| to_task_error(py, error));
        let session = self.session(batch).map_err(raised)?;
        let mut gathered = Gathered::default();
        batch.nanoseconds = Some(0);
        loop {
            if !batch.is_next_ready() {
                self.flush(&session, &mut gathered, batch)?;
            }
            let call = match batch.next_call() {
                Ok(Some(call)) => call,
                ended => {
                    self.flush(&session, &mut gathered, batch)?;
                    return ended.map(drop);
                }
            };
            if let Some(calls) = call.op().body.downcast_ref::<Calls>() {
                if let Err(error) = gathered.add(&call, calls, batch.inputs()) {
                    self.flush(&session, &mut gathered, batch)?;
                    return Err(error);
                }
            } else {
                // A function over blocks. Its inputs and its result are converted here; it comes back by `call`.
                let inputs = batch.inputs().to_vec();
                self.flush(&session, &mut gathered, batch)?;
                let _route = Route::to(session.clone());
                batch.nanoseconds = None;
                let value = self.run(&call, &inputs)?;
                batch.push(value);
            }
        }
    }

    fn has_room(&self) -> bool {
        // Some functions run here.
        PythonRunner.has_room()
    }

    fn key(&self, graph: &Graph, task: TaskId) -> String {
        PythonRunner.key(graph, task)
    }

    fn family(&self, graph: &Graph, task: TaskId) -> Family {
        PythonRunner.family(graph, task)
    }

    fn shut_down(&self) {
        self.pool.clear();
    }
}

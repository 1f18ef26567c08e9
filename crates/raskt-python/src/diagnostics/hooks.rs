use super::clock::Clock;
use crate::error::TaskCancelled;
use pyo3::prelude::*;
use raskt_execute::{Observation, Observer, TaskRecord, observe};
use raskt_sync::Mutex;
use std::sync::Arc;

/// Calls Python functions before and after each task, in the thread that runs it.
///
/// `before(key)`; `after(key, op, start, end, thread, bytes, failed)`. Either may be None.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct TaskHooks {
    functions: Arc<Functions>,
    observation: Mutex<Option<Observation>>,
}

struct Functions {
    before: Option<Py<PyAny>>,
    after: Option<Py<PyAny>>,
    clock: Clock,
}

#[pymethods]
impl TaskHooks {
    #[new]
    #[pyo3(signature = (before, after))]
    fn new(py: Python<'_>, before: Option<Py<PyAny>>, after: Option<Py<PyAny>>) -> PyResult<Self> {
        let functions = Arc::new(Functions { before, after, clock: Clock::of_python(py)? });
        Ok(Self { functions, observation: Mutex::new(None) })
    }

    /// Calls the functions from now on.
    fn start(&self) {
        let observation = observe(self.functions.clone());
        let before = self.observation.lock().replace(observation);
        drop(before);
    }

    /// Calls them no longer.
    fn stop(&self) {
        let observation = self.observation.lock().take();
        drop(observation);
    }
}

impl Observer for Functions {
    fn started(&self, key: &str) {
        let Some(before) = &self.before else { return };
        Python::attach(|py| told(py, before, before.call1(py, (key,))));
    }

    fn ended(&self, record: &TaskRecord) {
        let Some(after) = &self.after else { return };
        let (start, end) = (self.clock.seconds(record.start), self.clock.seconds(record.end));
        let TaskRecord { key, op, thread, bytes, failed, .. } = record;
        Python::attach(|py| told(py, after, after.call1(py, (key, &**op, start, end, thread, bytes, failed))));
    }
}

/// What a hook raises is told and goes no further: it must not take the result of the task away. That the task is
/// cancelled, which may be raised while the hook runs, is nobody's mistake.
fn told(py: Python<'_>, hook: &Py<PyAny>, result: PyResult<Py<PyAny>>) {
    if let Err(error) = result
        && !error.is_instance_of::<TaskCancelled>(py)
    {
        error.write_unraisable(py, Some(hook.bind(py)));
    }
}

use crate::ending::Outside;
use crate::error::from_run_error;
use crate::wait::wait_kept;
use pyo3::prelude::*;
use raskt_execute::RunHandle;
use raskt_value::Value;

/// What a run gave.
pub(crate) struct Ran {
    pub values: Vec<Value>,
    /// There if some values only stand for results that the store keeps.
    pub handle: Option<RunHandle>,
}

impl Ran {
    /// What comes of a graph from which nothing is wanted.
    pub fn nothing() -> Self {
        Self { values: vec![], handle: None }
    }

    /// Waits for a run; `keeps` says that large results stay in the store.
    pub fn wait(py: Python<'_>, handle: RunHandle, keeps: bool) -> PyResult<Self> {
        let values = wait_kept(py, &handle)?;
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
pub(crate) fn load(py: Python<'_>, handle: &RunHandle, values: Vec<Value>) -> PyResult<Vec<Value>> {
    if !values.iter().any(|value| matches!(value, Value::Stored(_))) {
        return Ok(values);
    }
    py.outside(|| handle.load(values)).map_err(|error| from_run_error(py, &error))
}

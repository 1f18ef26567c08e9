//! What a process with Python knows of ops, values and errors.

use super::{errand, here};
use crate::ending::attached;
use crate::error::{cause_of, sent_error};
use crate::travel;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyCFunction};
use raskt_cluster::{CallBody, ErrandCall, ErrorForm, Face, GoesOn, ThisWorker};
use raskt_graph::{OpBody, OpForm};
use raskt_sync::Mutex;
use raskt_value::TaskError;
use raskt_value::wire::{BodyForm, Decoders};

/// Ops of arrays, frames and Python functions, objects, and exceptions.
pub(super) struct PythonFace;

impl Face for PythonFace {
    fn body(&self, op: OpForm<BodyForm>) -> Result<OpBody, String> {
        travel::body_of(op).map_err(|error| error.to_string())
    }

    fn calls(&self, calls: Vec<CallBody>) -> Result<OpForm<BodyForm>, String> {
        let alone = calls.into_iter().map(|call| call.downcast().map(|call| *call)).collect::<Result<_, _>>();
        travel::op_of(alone.map_err(|_| "a call that isn't of Python, which is a bug")?)
    }

    fn decoders(&self) -> &Decoders {
        travel::decoders()
    }

    fn cause(&self, error: &TaskError, most: usize) -> Option<Vec<u8>> {
        Python::attach(|py| cause_of(py, error, most))
    }

    fn error(&self, form: ErrorForm) -> TaskError {
        sent_error(form.kind, form.message, form.cause)
    }

    fn worker_begins(&self, worker: ThisWorker) {
        here::begins(worker);
    }

    fn worker_ends(&self, number: u64) {
        here::ends(number);
    }

    fn tell(&self, sentence: &str) {
        Python::try_attach(|py| {
            let told = super::logged(py, "warning", sentence);
            told.unwrap_or_else(|error| error.write_unraisable(py, None));
        });
    }

    fn plugin(&self, worker: u64, name: &str, plugin: Option<&[u8]>, goes_on: GoesOn) {
        attached(|py| {
            let changed = py.import("raskt.distributed._plugged").and_then(|module| {
                let plugin = plugin.map(|plugin| PyBytes::new(py, plugin));
                module.call_method1("changed", (worker, name, plugin, called_once(py, goes_on)?))
            });
            if let Err(error) = changed {
                error.write_unraisable(py, None);
            }
        });
    }

    fn errand(&self, call: ErrandCall<'_>) -> Result<Vec<u8>, TaskError> {
        errand::perform(call)
    }
}

/// A function for Python: that it is called, or goes, lets tasks go on.
fn called_once(py: Python<'_>, goes_on: GoesOn) -> PyResult<Bound<'_, PyCFunction>> {
    let goes_on = Mutex::new(Some(goes_on));
    PyCFunction::new_closure(py, None, None, move |_, _| drop(goes_on.lock().take()))
}

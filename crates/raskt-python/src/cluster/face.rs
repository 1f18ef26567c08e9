//! What a process with Python knows of ops, values and errors.

use super::{errand, here};
use crate::error::{cause_of, sent_error};
use crate::travel;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_cluster::{ErrandCall, ErrorForm, Face, ThisWorker};
use raskt_graph::{OpBody, OpForm};
use raskt_value::TaskError;
use raskt_value::wire::{BodyForm, Decoders};

/// Ops of arrays, frames and Python functions, objects, and exceptions.
pub(super) struct PythonFace;

impl Face for PythonFace {
    fn body(&self, op: OpForm<BodyForm>) -> Result<OpBody, String> {
        travel::body_of(op).map_err(|error| error.to_string())
    }

    fn decoders(&self) -> &Decoders {
        travel::decoders()
    }

    fn cause(&self, error: &TaskError) -> Option<Vec<u8>> {
        Python::attach(|py| cause_of(py, error))
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

    fn plugin(&self, worker: u64, name: &str, plugin: Option<&[u8]>) {
        Python::attach(|py| {
            let changed = py.import("raskt.distributed._plugged").and_then(|module| {
                let plugin = plugin.map(|plugin| PyBytes::new(py, plugin));
                module.call_method1("changed", (worker, name, plugin))
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

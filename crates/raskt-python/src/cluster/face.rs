//! What a process with Python knows of ops, values and errors.

use super::errand;
use crate::error::{cause_of, sent_error};
use crate::travel;
use pyo3::prelude::*;
use raskt_cluster::{ErrandCall, ErrorForm, Face};
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

    fn errand(&self, call: ErrandCall<'_>) -> Result<Vec<u8>, TaskError> {
        errand::perform(call)
    }
}

//! What a process without an interpreter knows of ops, values and errors.

use crate::face::Face;
use crate::message::ErrorForm;
use raskt_graph::{OpBody, OpForm};
use raskt_value::wire::{BodyForm, Decoders};
use raskt_value::{NativeOp, TaskError};
use std::sync::Arc;

/// Native work alone: the kernels and values that its decoders know.
pub struct NativeFace(pub Decoders);

impl Face for NativeFace {
    fn body(&self, op: OpForm<BodyForm>) -> Result<OpBody, String> {
        match op.body {
            BodyForm::Native(form) => {
                let kernel = self.0.decode(&form).map_err(|error| error.to_string())?;
                Ok(Arc::new(NativeOp(kernel)))
            }
            BodyForm::Foreign(form) => {
                Err(format!("`{}` is of another language, and this worker runs native work alone", form.tag))
            }
            BodyForm::Given(_) => Ok(Arc::new(())),
        }
    }

    fn decoders(&self) -> &Decoders {
        &self.0
    }

    fn cause(&self, _error: &TaskError, _most: usize) -> Option<Vec<u8>> {
        None
    }

    fn error(&self, form: ErrorForm) -> TaskError {
        TaskError::new(form.kind, form.message)
    }
}

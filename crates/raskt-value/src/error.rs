//! Why a task failed.

use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// Why a task failed: a kind, a sentence, and, where the cause is somebody else's object (a Python exception), that.
#[derive(Clone)]
pub struct TaskError {
    /// What sort of failure it is; the Python face picks the exception class by it.
    pub kind: ErrorKind,
    /// What was tried, the value, and the cause: a short clause in lower case.
    pub message: String,
    /// The cause itself, where it isn't ours.
    pub cause: Option<Arc<dyn Any + Send + Sync>>,
}

/// The sorts of failure that a caller can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum ErrorKind {
    /// A value that the operation can't take (`ValueError`).
    Value,
    /// A result that is too large for its type (`OverflowError`).
    Overflow,
    /// A type that the operation can't take (`TypeError`).
    Type,
    /// A column or key that isn't there (`KeyError`).
    Key,
    /// A file that can't be read or written (`OSError`).
    Io,
    /// A file that isn't there (`FileNotFoundError`).
    NotFound,
    /// Memory that can't be had (`MemoryError`).
    Memory,
    /// A result that was lost and can't be computed again.
    Lost,
    /// A matrix that is singular, an iteration that doesn't converge (`LinAlgError`).
    LinearAlgebra,
    /// Something that raskt doesn't do yet (`NotImplementedError`).
    NotImplemented,
    /// Lengths of arrays that do not fit, of which it wasn't known before (`raskt._errors.UnknownLengths`).
    UnknownLengths,
    /// The run was cancelled.
    Cancelled,
    /// A bug: the kernel panicked, and was caught (`RuntimeError`).
    Panic,
    /// An exception of user code; `cause` is it.
    Foreign,
    /// The task asks to be run again, elsewhere if that can be.
    Rescheduled,
}

impl TaskError {
    /// A failure of `kind`.
    pub fn new(kind: ErrorKind, message: impl Into<String>) -> Self {
        Self { kind, message: message.into(), cause: None }
    }

    /// An exception of user code.
    pub fn foreign(message: impl Into<String>, cause: Arc<dyn Any + Send + Sync>) -> Self {
        Self { kind: ErrorKind::Foreign, message: message.into(), cause: Some(cause) }
    }

    /// The run was cancelled.
    pub fn cancelled() -> Self {
        Self::new(ErrorKind::Cancelled, "the computation was cancelled")
    }
}

impl fmt::Display for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl fmt::Debug for TaskError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}: {}", self.kind, self.message)
    }
}

impl std::error::Error for TaskError {}

//! Panics of tasks become errors.

use raskt_value::{ErrorKind, TaskError};

/// Runs `task`; a panic in it becomes an error that says what and where.
pub(crate) fn catch<T>(task: impl FnOnce() -> Result<T, TaskError>) -> Result<T, TaskError> {
    raskt_sync::guard(task).unwrap_or_else(|told| {
        Err(TaskError::new(ErrorKind::Panic, format!("a kernel panicked, which is a bug in raskt: {told}")))
    })
}

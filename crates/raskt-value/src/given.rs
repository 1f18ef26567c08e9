//! Results that are there before anything runs.

use crate::{Call, Kernel, TaskError, Value};
use std::sync::Arc;

/// Gives values that are there: task *i* gives the one at *i*.
pub struct Given(pub Arc<[Value]>);

impl Kernel for Given {
    fn run(&self, call: &Call<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(self.0[call.index as usize].clone())
    }

    fn name(&self) -> String {
        "blocks".into()
    }

    fn given(&self) -> Option<&[Value]> {
        Some(&self.0)
    }
}

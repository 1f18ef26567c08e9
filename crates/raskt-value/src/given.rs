//! Results that are there before anything runs.

use crate::{Call, ErrorKind, Kernel, TaskError, Value};
use std::sync::Arc;

/// Gives values that are there: task *i* gives the one at *i*.
pub struct Given(pub Arc<[Value]>);

impl Kernel for Given {
    fn run(&self, call: &Call<'_>, _inputs: &[Value]) -> Result<Value, TaskError> {
        // A graph that has come from elsewhere may have more tasks than values came with it.
        let missing =
            || format!("task {} gives what is there already, and only {} values are", call.index, self.0.len());
        let found = usize::try_from(call.index).ok().and_then(|at| self.0.get(at));
        found.cloned().ok_or_else(|| TaskError::new(ErrorKind::Value, missing()))
    }

    fn name(&self) -> String {
        "blocks".into()
    }

    fn given(&self) -> Option<&[Value]> {
        Some(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{CancelToken, Chunk};

    #[test]
    fn a_task_beyond_the_values_fails_and_others_give_theirs() {
        let given = Given([5, 6].map(|number| Chunk::scalar(number).into()).into());
        let cancel = CancelToken::default();
        let run = |index| given.run(&Call { index, threads: 1, cancel: &cancel }, &[]);
        assert_eq!(run(1).unwrap().as_chunk().unwrap().as_slice::<i32>(), Some(&[6][..]));
        assert!(run(2).unwrap_err().message.contains("only 2 values"));
        assert!(run(u64::MAX).is_err());
    }
}

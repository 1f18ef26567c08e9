//! What native ops do.

use crate::wire::WireForm;
use crate::{TaskError, Value};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// What a native op does: inputs in, one value out.
///
/// A kernel serves all tasks of a layer; [`Call::index`] says which of them this is. It must give the same bits for
/// the same inputs, run without the GIL, and look at [`Call::check_cancelled`] at least every few milliseconds.
pub trait Kernel: Send + Sync + 'static {
    /// Computes one task. `inputs` are the results of the task's inputs, in the order of its layer's shape.
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError>;

    /// What it is called in messages, on the dashboard and in `explain()`: `add+sum`.
    fn name(&self) -> String;

    /// Whether it gives the same result at any later time, and keeps no data alive by itself: then a result without inputs
    /// may be dropped and computed again, and a graph of such kernels costs nothing to keep.
    fn is_repeatable(&self) -> bool {
        false
    }

    /// What each of its tasks gives, if they only give what is there already. Some may stand for what a store keeps.
    fn given(&self) -> Option<&[Value]> {
        None
    }

    /// What it is when it travels to another process; nothing if it can't: if it holds data, or something of this process.
    fn wire(&self) -> Option<WireForm> {
        None
    }

    /// Why it can't travel, for people, if it can't and knows more than that it holds data.
    fn stays_because(&self) -> Option<String> {
        None
    }

    /// The same kernel without results that a store keeps, if it holds any beside those that it gives: to run, it gets them
    /// as inputs.
    fn without_kept(&self) -> Option<Arc<dyn Kernel>> {
        None
    }
}

/// The body of a native op, as it travels in a graph.
#[derive(Clone)]
pub struct NativeOp(pub Arc<dyn Kernel>);

/// One call of a kernel.
pub struct Call<'a> {
    /// The index of the task in its layer.
    pub index: u64,
    /// Threads that the kernel may use, itself included.
    pub threads: usize,
    /// Set when nobody wants the result any more.
    pub cancel: &'a CancelToken,
}

impl Call<'_> {
    /// An error if nobody wants the result any more.
    pub fn check_cancelled(&self) -> Result<(), TaskError> {
        if self.cancel.is_cancelled() { Err(TaskError::cancelled()) } else { Ok(()) }
    }
}

/// A flag that stops a run; its clones share it.
#[derive(Clone, Debug, Default)]
pub struct CancelToken(Arc<AtomicBool>);

impl CancelToken {
    /// Sets the flag.
    pub fn cancel(&self) {
        self.0.store(true, Ordering::Release);
    }

    /// Whether it is set.
    pub fn is_cancelled(&self) -> bool {
        self.0.load(Ordering::Acquire)
    }
}

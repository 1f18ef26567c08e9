//! What tasks do, as far as graphs and schedulers know it.

use serde::{Deserialize, Serialize};
use std::any::Any;
use std::fmt;
use std::sync::Arc;

/// What the tasks of a layer do. The scheduler reads its cost, resources and flags and never its body.
#[derive(Clone)]
pub struct Op {
    /// Which runner understands the body.
    pub kind: OpKind,
    /// What it is called in messages and on the dashboard: `add+sum`.
    pub name: Arc<str>,
    /// The hash of the body's content; ops of one digest are one op. Zero where the content has no hash.
    pub digest: u128,
    /// What the scheduler needs to know about it.
    pub flags: OpFlags,
    /// What the runner needs to know about it.
    pub body: OpBody,
}

/// What only the runner of an op's kind understands.
pub type OpBody = Arc<dyn Any + Send + Sync>;

/// The runners there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub enum OpKind {
    /// Native kernels over array blocks; the body is a `raskt_value::NativeOp`.
    Array,
    /// Dataframe stages; the body is a `raskt_value::NativeOp`.
    Frame,
    /// Calls of Python objects.
    Python,
}

/// What the scheduler needs to know about an op.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct OpFlags {
    /// It uses every thread of the worker by itself, so that one task at a time is enough.
    pub uses_all_threads: bool,
    /// It makes nothing, and names results that a store keeps. The store brings them into memory before a task starts that
    /// reads them, so that such a task isn't handed out together with it.
    pub gives_stored: bool,
}

impl fmt::Debug for Op {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?} op `{}`", self.kind, self.name)
    }
}

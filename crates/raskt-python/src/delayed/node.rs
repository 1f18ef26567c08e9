use super::Argument;
use pyo3::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// One delayed call.
pub(crate) struct Node {
    /// Unlike that of any other node of this process.
    pub id: u64,
    /// What the user called it, if he did.
    pub key: Option<String>,
    /// How many results it gives, where it was said.
    pub outputs: Option<usize>,
    pub work: Work,
}

/// What a node does.
pub(crate) enum Work {
    /// Gives the argument itself, once everything delayed in it is there.
    Give(Argument),
    /// Calls a function.
    Call { function: Argument, positional: Vec<Argument>, named: Vec<(Py<PyAny>, Argument)> },
    /// Gives a block or partition of a collection.
    Block { collection: Py<PyAny>, index: u64 },
}

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Node {
    pub fn new(work: Work) -> Arc<Self> {
        Self::with(work, None, None)
    }

    pub fn with(work: Work, key: Option<String>, outputs: Option<usize>) -> Arc<Self> {
        Arc::new(Self { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), key, outputs, work })
    }

    /// The key as people see it: `inc-2a`.
    pub fn key(&self, py: Python<'_>) -> String {
        self.key.clone().unwrap_or_else(|| format!("{}-{:x}", self.label(py), self.id))
    }

    /// The name of what it does: the function's, or the type of the object.
    pub fn label(&self, py: Python<'_>) -> String {
        let object = match &self.work {
            Work::Give(argument) => argument.as_object(),
            Work::Call { function, .. } => function.as_object(),
            Work::Block { .. } => return "block".to_owned(),
        };
        let Some(object) = object.map(|object| object.bind(py)) else { return "call".to_owned() };
        let name = object.getattr("__name__").or_else(|_| object.get_type().getattr("__name__"));
        name.and_then(|name| name.extract()).unwrap_or_else(|_| "call".to_owned())
    }

    /// Calls `visit` with every argument tree.
    pub fn for_each_argument<'a>(&'a self, mut visit: impl FnMut(&'a Argument)) {
        match &self.work {
            Work::Give(argument) => visit(argument),
            Work::Call { function, positional, named } => {
                visit(function);
                positional.iter().for_each(&mut visit);
                named.iter().for_each(|(_, argument)| visit(argument));
            }
            Work::Block { .. } => {}
        }
    }

    /// Takes the arguments out, so that they can be dropped one after the other.
    fn take_arguments(&mut self, into: &mut Vec<Argument>) {
        match std::mem::replace(&mut self.work, Work::Give(Argument::List(vec![]))) {
            Work::Give(argument) => into.push(argument),
            Work::Call { function, positional, named } => {
                into.push(function);
                into.extend(positional);
                into.extend(named.into_iter().map(|(_, argument)| argument));
            }
            Work::Block { .. } => {}
        }
    }
}

impl Drop for Node {
    /// A chain of a million calls is a million nodes deep: they are dropped in a loop and not by recursion.
    fn drop(&mut self) {
        let mut arguments = vec![];
        self.take_arguments(&mut arguments);
        while let Some(argument) = arguments.pop() {
            match argument {
                Argument::Node(node) => {
                    if let Some(mut node) = Arc::into_inner(node) {
                        node.take_arguments(&mut arguments);
                    }
                }
                Argument::List(items) | Argument::Tuple(items) | Argument::Set(items) => arguments.extend(items),
                Argument::Dict(pairs) => arguments.extend(pairs.into_iter().flat_map(|(key, value)| [key, value])),
                Argument::Object(_) | Argument::Collection(_) => {}
            }
        }
    }
}

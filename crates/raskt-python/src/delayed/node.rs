use super::Argument;
use super::arguments::{Arguments, Named};
use crate::annotations;
use crate::cluster::HeldResult;
use pyo3::prelude::*;
use raskt_graph::Annotations;
use raskt_store::StoredRef;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// One delayed call: 48 bytes (64 behind an `Arc`), since there may be millions of them.
pub(crate) struct Node {
    /// Unlike that of any other node of this process.
    pub id: u64,
    /// Only for what is pure: the hash of what it does, once somebody asked.
    pub token: Option<Box<OnceLock<u128>>>,
    /// What most nodes don't have.
    pub extra: Option<Box<Extra>>,
    pub work: Work,
}

/// What is said of a node by name, or by where it was made.
#[derive(Clone, Default)]
pub(crate) struct Extra {
    /// What the user called it, if he did.
    pub key: Option<String>,
    /// How many results it gives, where it was said.
    pub outputs: Option<usize>,
    /// Whether calls of it are pure: said of functions.
    pub calls_are_pure: Option<bool>,
    /// What was said by `raskt.annotate` where it was made.
    pub annotations: Option<Arc<Annotations>>,
    /// What has to be done before it, though it reads nothing of it.
    pub after: Vec<Arc<Node>>,
}

/// What a node does.
pub(crate) enum Work {
    /// Gives the argument itself, once everything delayed in it is there.
    Give(Argument),
    /// Calls a function. One that is delayed itself is the first argument of [`call`](super::making::call).
    Call { function: Py<PyAny>, arguments: Arguments },
    /// Gives a block or partition of a collection.
    Block { collection: Py<PyAny>, index: u64 },
    /// Gives a result that the store keeps.
    Stored(Arc<StoredRef>),
    /// Gives a result that a cluster holds.
    Held(Arc<HeldResult>),
    /// Nothing any more: the node is being dropped.
    Taken,
}

const _: () = assert!(size_of::<Node>() == 48, "a node has grown, and there may be millions");

static NEXT_ID: AtomicU64 = AtomicU64::new(1);

impl Work {
    /// Whether it gives something that is there before anything runs.
    pub fn gives_what_is_there(&self) -> bool {
        matches!(self, Self::Stored(_) | Self::Held(_) | Self::Give(Argument::Object(_)))
    }

    /// The call of `function` with these arguments.
    pub fn call(function: Py<PyAny>, positional: Vec<Argument>, named: Vec<Named>) -> Self {
        Self::Call { function, arguments: Arguments::new(positional, named) }
    }
}

impl Node {
    pub fn new(work: Work) -> Arc<Self> {
        Self::with(work, None, None)
    }

    /// A node under a name of its own, which gives so many results.
    pub fn with(work: Work, key: Option<String>, outputs: Option<usize>) -> Arc<Self> {
        Self::made(work, Extra { key, outputs, ..Extra::default() }, false)
    }

    /// A node of which `extra` is said; nodes that do the same are one task if they are pure.
    pub fn made(work: Work, extra: Extra, is_pure: bool) -> Arc<Self> {
        let token = is_pure.then(Box::default);
        let extra = if extra.is_empty() { None } else { Some(Box::new(extra)) };
        Arc::new(Self { id: NEXT_ID.fetch_add(1, Ordering::Relaxed), token, extra, work })
    }

    /// A node that is the same task as every other under `token`.
    pub fn identified(work: Work, extra: Extra, token: u128) -> Arc<Self> {
        let node = Self::made(work, extra, true);
        let _ = node.token.as_ref().map(|cell| cell.set(token));
        node
    }

    pub fn is_pure(&self) -> bool {
        self.token.is_some()
    }

    pub fn outputs(&self) -> Option<usize> {
        self.extra.as_ref().and_then(|extra| extra.outputs)
    }

    pub fn annotations(&self) -> Option<&Arc<Annotations>> {
        self.extra.as_ref().and_then(|extra| extra.annotations.as_ref())
    }

    pub fn calls_are_pure(&self) -> Option<bool> {
        self.extra.as_ref().and_then(|extra| extra.calls_are_pure)
    }

    /// What has to be done before it, though it reads nothing of it.
    pub fn after(&self) -> &[Arc<Self>] {
        self.extra.as_ref().map_or(&[], |extra| &extra.after)
    }

    /// The name of what it does: the function's, or the type of the object.
    pub fn label(&self, py: Python<'_>) -> String {
        let object = match &self.work {
            Work::Give(argument) => argument.as_object(),
            Work::Call { function, .. } => Some(function),
            Work::Stored(_) | Work::Held(_) => return "result".to_owned(),
            Work::Block { .. } | Work::Taken => return "block".to_owned(),
        };
        let Some(object) = object.map(|object| object.bind(py)) else { return "call".to_owned() };
        let name = object.getattr("__name__").or_else(|_| object.get_type().getattr("__name__"));
        name.and_then(|name| name.extract()).unwrap_or_else(|_| "call".to_owned())
    }

    /// Calls `visit` with every argument tree.
    pub fn for_each_argument<'a>(&'a self, mut visit: impl FnMut(&'a Argument)) {
        match &self.work {
            Work::Give(argument) => visit(argument),
            Work::Call { arguments, .. } => {
                arguments.positional().iter().for_each(&mut visit);
                arguments.named().iter().for_each(|(_, argument)| visit(argument));
            }
            Work::Block { .. } | Work::Stored(_) | Work::Held(_) | Work::Taken => {}
        }
    }

    /// Calls `visit` with every node that has to be done before this one, in order.
    pub fn for_each_input<'a>(&'a self, visit: &mut dyn FnMut(&'a Arc<Self>)) {
        self.for_each_argument(|argument| match argument {
            Argument::Object(_) => {}
            Argument::Node(node) => visit(node),
            argument => argument.for_each_leaf(&mut |leaf| _ = leaf.as_node().map(&mut *visit)),
        });
        self.after().iter().for_each(visit);
    }

    /// The same node without results that a store keeps, and without the nodes that it reads: to run, it gets them as inputs.
    pub fn without_kept(self: &Arc<Self>, py: Python<'_>) -> PyResult<Arc<Self>> {
        let holds = matches!(self.work, Work::Stored(_) | Work::Held(_) | Work::Block { .. }) || self.reads_nodes();
        if !holds {
            return Ok(self.clone());
        }
        let nothing = Self::new(Work::Taken);
        let mut hollow = |argument: &Argument| argument.replaced(py, &mut |_| Ok(Argument::Node(nothing.clone())));
        let work = match &self.work {
            Work::Give(argument) => Work::Give(hollow(argument)?),
            Work::Call { function, arguments } => {
                let positional = arguments.positional().iter().map(&mut hollow).collect::<PyResult<_>>()?;
                let named =
                    arguments.named().iter().map(|(name, argument)| Ok((name.clone_ref(py), hollow(argument)?)));
                Work::call(function.clone_ref(py), positional, named.collect::<PyResult<_>>()?)
            }
            Work::Stored(_) | Work::Held(_) | Work::Block { .. } | Work::Taken => Work::Taken,
        };
        let extra = Extra { key: Some(self.key(py)), outputs: self.outputs(), ..Extra::default() };
        Ok(Self::made(work, extra, false))
    }

    /// Takes the arguments out, so that they can be dropped one after the other.
    fn take_arguments(&mut self, into: &mut Vec<Argument>) {
        if let Some(extra) = &mut self.extra {
            into.extend(extra.after.drain(..).map(Argument::Node));
        }
        match std::mem::replace(&mut self.work, Work::Taken) {
            Work::Give(argument) => into.push(argument),
            Work::Call { arguments, .. } => arguments.take(into),
            Work::Block { .. } | Work::Stored(_) | Work::Held(_) | Work::Taken => {}
        }
    }
}

impl Extra {
    /// What is said where a call is made: by `raskt.annotate`, so far.
    pub fn here(py: Python<'_>) -> PyResult<Self> {
        Ok(Self { annotations: annotations::current(py)?, ..Self::default() })
    }

    fn is_empty(&self) -> bool {
        self.key.is_none()
            && self.outputs.is_none()
            && self.calls_are_pure.is_none()
            && self.annotations.is_none()
            && self.after.is_empty()
    }
}

impl Drop for Node {
    /// A chain of a million calls is a million nodes deep: they are dropped in a loop and not by recursion.
    fn drop(&mut self) {
        if !self.reads_nodes() {
            return;
        }
        let mut arguments = vec![];
        self.take_arguments(&mut arguments);
        while let Some(argument) = arguments.pop() {
            match argument {
                Argument::Node(node) => {
                    if let Some(mut node) = Arc::into_inner(node) {
                        node.take_arguments(&mut arguments);
                    }
                }
                Argument::Container(container) => arguments.extend(container.items),
                Argument::Foreign(foreign) => arguments.push(Argument::Node(foreign.values)),
                Argument::Object(_) | Argument::Collection(_) => {}
            }
        }
    }
}

impl Node {
    fn reads_nodes(&self) -> bool {
        let mut found = !self.after().is_empty();
        self.for_each_argument(|argument| found |= argument.is_delayed());
        found
    }
}

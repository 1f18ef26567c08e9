//! Calls that a cluster makes while this process goes on.

use super::HeldResult;
use super::adopted::noting;
use super::future::{ClusterFuture, FutureKey};
use super::here::parent_on;
use super::running::{begin, from_cluster_error};
use crate::annotations::AnnotationSet;
use crate::delayed::{Argument, Extra, Node, Work, lower_nodes};
use crate::ending::Outside;
use crate::travel::CallAlone;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};
use raskt_cluster::{Call, Client};
use raskt_graph::{Annotations, GraphBuilder};
use std::any::Any;
use std::sync::Arc;

/// How calls are to be made.
pub(super) struct Asked {
    pub annotations: Option<Arc<Annotations>>,
}

impl Asked {
    /// What is said of these calls, or of all that are written here.
    pub fn new(py: Python<'_>, said: Option<&AnnotationSet>) -> PyResult<Self> {
        let annotations = match said {
            Some(said) => Some(said.annotations().clone()),
            None => crate::annotations::current(py)?,
        };
        Ok(Self { annotations })
    }

    /// The call of `function` with these arguments.
    pub fn call(
        &self,
        function: &Bound<'_, PyAny>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
        key: Option<String>,
    ) -> PyResult<Arc<Node>> {
        let positional = args.iter().map(|argument| Argument::of_call(&argument)).collect::<PyResult<_>>()?;
        let named = kwargs.into_iter().flatten();
        let named = named.map(|(name, value)| Ok((name.cast_into()?.unbind(), Argument::of_call(&value)?)));
        let work = Work::call(function.clone().unbind(), positional, named.collect::<PyResult<_>>()?);
        Ok(self.node(work, key))
    }

    /// The call that gives an object, or the result of something lazy.
    pub fn give(&self, object: &Bound<'_, PyAny>, is_data: bool, key: Option<String>) -> PyResult<Arc<Node>> {
        let argument = match is_data {
            true => Argument::Object(object.clone().unbind()),
            false => Argument::new(object, true)?,
        };
        Ok(self.node(Work::Give(argument), key))
    }

    fn node(&self, work: Work, key: Option<String>) -> Arc<Node> {
        Node::made(work, Extra { key, annotations: self.annotations.clone(), ..Extra::default() }, false)
    }
}

/// Has a call made.
pub(super) fn submit_one(py: Python<'_>, client: &Arc<Client>, node: &Arc<Node>) -> PyResult<ClusterFuture> {
    let Some(call) = alone(py, client, node)? else {
        let mut futures = submit(py, client, std::slice::from_ref(node))?;
        return Ok(futures.pop().expect("one for each call"));
    };
    let begun = py.outside(|| client.call(call)).map_err(|error| from_cluster_error(py, &error))?;
    let held = HeldResult::new(client.clone(), begun.0, begun.1, false);
    Ok(ClusterFuture::new(held, FutureKeys::default().of(py, node)))
}

/// The call by itself, if it reads nothing but results that this client holds, and there is nothing that travels beside it.
fn alone(py: Python<'_>, client: &Arc<Client>, node: &Arc<Node>) -> PyResult<Option<Call>> {
    let (mut reads, mut keeps): (Vec<_>, Vec<Arc<dyn Any + Send + Sync>>) = Default::default();
    let mut reads_others = false;
    node.for_each_argument(|argument| {
        argument.for_each_leaf(&mut |leaf| match leaf.as_node().map(|node| &node.work) {
            Some(Work::Held(held)) if Arc::ptr_eq(held.client(), client) => {
                reads.push(held.place());
                if held.is_data() {
                    keeps.push(held.clone());
                }
            }
            _ => reads_others = true,
        });
    });
    if reads_others {
        return Ok(None);
    }
    let (written, named) = noting(client, || CallAlone::of(py, node))?;
    let Some(written) = written.filter(|_| named.is_empty()) else { return Ok(None) };
    let (bytes, annotations) = (written.bytes(), node.annotations().cloned());
    let parent = parent_on(py, client)?;
    Ok(Some(Call { body: Box::new(written), bytes, reads, annotations, parent, keeps }))
}

/// Has the calls made, as one run whose calls are each something by itself.
pub(super) fn submit(py: Python<'_>, client: &Arc<Client>, nodes: &[Arc<Node>]) -> PyResult<Vec<ClusterFuture>> {
    if nodes.is_empty() {
        return Ok(vec![]);
    }
    let mut graph = GraphBuilder::for_travel();
    let tasks = lower_nodes(py, nodes, &mut graph, false)?;
    let held = begin(py, client, &graph.finish(), &tasks)?;
    let mut keys = FutureKeys::default();
    Ok(nodes.iter().zip(held).map(|(node, held)| ClusterFuture::new(held, keys.of(py, node))).collect())
}

/// Keys of calls: the names of functions, each once.
#[derive(Default)]
struct FutureKeys {
    /// By the address of the function, which the nodes hold.
    last: Option<(usize, Arc<str>)>,
}

impl FutureKeys {
    fn of(&mut self, py: Python<'_>, node: &Arc<Node>) -> FutureKey {
        if let Some(name) = node.extra.as_ref().and_then(|extra| extra.key.as_deref()) {
            return FutureKey::Named(name.into());
        }
        let address = match &node.work {
            Work::Call { function, .. } => function.as_ptr() as usize,
            _ => 0,
        };
        let label = match &self.last {
            Some((known, label)) if *known == address && address != 0 => label.clone(),
            _ => {
                let label: Arc<str> = node.label(py).into();
                self.last = Some((address, label.clone()));
                label
            }
        };
        FutureKey::Number(label, node.id)
    }
}

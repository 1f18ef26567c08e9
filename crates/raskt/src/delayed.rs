//! Ordinary Rust closures, gathered into a graph and called in parallel.

use crate::compute::{Compute, ComputeError};
use raskt_graph::{
    ExplicitBuilder, GraphBuilder, GraphError, Layer, LayerId, Lower, Op, OpFlags, OpKind, Shape, TaskId,
};
use raskt_value::{Call, ErrorKind, Foreign, Kernel, NativeOp, TaskError, Value};
use std::any::{Any, type_name};
use std::collections::HashMap;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

/// A call that hasn't been made yet, of a closure that gives a `T`.
///
/// ```
/// use raskt::prelude::*;
///
/// let months: Vec<Delayed<u64>> = (1..=12).map(|month| delayed(move || month * 100)).collect();
/// let total = Delayed::gather(&months, |parts| parts.iter().copied().sum::<u64>());
/// let percent = total.then(|total| *total as f64 / 100.0);
/// assert_eq!(*percent.compute()?, 78.0);
/// # Ok::<(), raskt::ComputeError>(())
/// ```
pub struct Delayed<T> {
    node: Arc<Node>,
    result: PhantomData<fn() -> T>,
}

type Function = dyn Fn(&[Value]) -> Result<Value, TaskError> + Send + Sync;

struct Node {
    id: u64,
    function: Box<Function>,
    inputs: Vec<Arc<Node>>,
}

/// Makes `function` lazy.
pub fn delayed<T: Send + Sync + 'static>(function: impl Fn() -> T + Send + Sync + 'static) -> Delayed<T> {
    Delayed::new(vec![], move |_| Ok(Held::value(function())))
}

impl<T: Send + Sync + 'static> Delayed<T> {
    fn new(
        inputs: Vec<Arc<Node>>,
        function: impl Fn(&[Value]) -> Result<Value, TaskError> + Send + Sync + 'static,
    ) -> Self {
        static NEXT_ID: AtomicU64 = AtomicU64::new(1);
        let id = NEXT_ID.fetch_add(1, Ordering::Relaxed);
        Self { node: Arc::new(Node { id, function: Box::new(function), inputs }), result: PhantomData }
    }

    /// Calls `function` with the result.
    pub fn then<U: Send + Sync + 'static>(&self, function: impl Fn(&T) -> U + Send + Sync + 'static) -> Delayed<U> {
        Delayed::new(vec![self.node.clone()], move |inputs| Ok(Held::value(function(held(&inputs[0])?))))
    }

    /// Calls `function` with both results.
    pub fn with<U: Send + Sync + 'static, V: Send + Sync + 'static>(
        &self,
        other: &Delayed<U>,
        function: impl Fn(&T, &U) -> V + Send + Sync + 'static,
    ) -> Delayed<V> {
        Delayed::new(vec![self.node.clone(), other.node.clone()], move |inputs| {
            Ok(Held::value(function(held(&inputs[0])?, held(&inputs[1])?)))
        })
    }

    /// Calls `function` with all results, in order.
    pub fn gather<U: Send + Sync + 'static>(
        all: &[Self],
        function: impl Fn(&[&T]) -> U + Send + Sync + 'static,
    ) -> Delayed<U> {
        Delayed::new(all.iter().map(|one| one.node.clone()).collect(), move |inputs| {
            let results = inputs.iter().map(held::<T>).collect::<Result<Vec<_>, _>>()?;
            Ok(Held::value(function(&results)))
        })
    }
}

impl<T> Clone for Delayed<T> {
    fn clone(&self) -> Self {
        Self { node: self.node.clone(), result: PhantomData }
    }
}

impl<T: Send + Sync + 'static> Compute for Delayed<T> {
    type Output = Arc<T>;

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, ComputeError> {
        Ok(graph.lower(&Closures(self.node.clone()))?)
    }

    fn finish(&self, values: Vec<Value>) -> Result<Arc<T>, ComputeError> {
        let Some(Value::Foreign(foreign)) = values.into_iter().next_back() else {
            return Err(ComputeError::Result(format!("a `{}` was due", type_name::<T>())));
        };
        let held = foreign.as_any().downcast_ref::<Held<T>>();
        held.map(|held| held.0.clone()).ok_or_else(|| ComputeError::Result(format!("a `{}` was due", type_name::<T>())))
    }
}

/// A closure's result.
struct Held<T>(Arc<T>);

impl<T: Send + Sync + 'static> Held<T> {
    fn value(result: T) -> Value {
        Value::Foreign(Arc::new(Self(Arc::new(result))))
    }
}

impl<T: Send + Sync + 'static> Foreign for Held<T> {
    fn bytes(&self) -> usize {
        size_of::<T>()
    }

    fn type_name(&self) -> &str {
        type_name::<T>()
    }

    fn as_any(&self) -> &dyn Any {
        self
    }
}

fn held<T: Send + Sync + 'static>(value: &Value) -> Result<&T, TaskError> {
    let found = match value {
        Value::Foreign(foreign) => foreign.as_any().downcast_ref::<Held<T>>().map(|held| &*held.0),
        _ => None,
    };
    found.ok_or_else(|| {
        TaskError::new(ErrorKind::Type, format!("a `{}` was due, and a `{}` came", type_name::<T>(), value.type_name()))
    })
}

/// The nodes behind one delayed object, as a layer: inputs before readers, the object itself last.
struct Closures(Arc<Node>);

impl Lower for Closures {
    fn key(&self) -> u128 {
        u128::from(self.0.id) | 0x636c_6f73_7572_6573 << 64
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        let nodes = in_order(&self.0);
        let places: HashMap<u64, u64> = nodes.iter().zip(0..).map(|(node, place)| (node.id, place)).collect();
        let mut edges = ExplicitBuilder::with_capacity(nodes.len());
        for node in &nodes {
            node.inputs.iter().for_each(|input| edges.own_input(places[&input.id]));
            edges.task();
        }
        let body = Arc::new(NativeOp(Arc::new(CallNode(nodes))));
        let op = Op { kind: OpKind::Array, name: "delayed".into(), digest: 0, flags: OpFlags::default(), body };
        let op = graph.op(op);
        let all = graph.layer(Layer::new("delayed", op, Shape::Explicit(edges.finish()?)))?;
        // Only the last call is wanted: a layer of one task that hands its result on.
        let mut last = ExplicitBuilder::default();
        last.input(TaskId::new(all, graph.get(all).len() - 1));
        last.task();
        let op = graph.op(Op {
            kind: OpKind::Array,
            name: "result".into(),
            digest: 0,
            flags: OpFlags::default(),
            body: Arc::new(NativeOp(Arc::new(HandOn))),
        });
        graph.layer(Layer::new("result", op, Shape::Explicit(last.finish()?)))
    }
}

/// All nodes that `root` needs, depth first, without recursion.
fn in_order(root: &Arc<Node>) -> Vec<Arc<Node>> {
    let (mut nodes, mut seen) = (vec![], std::collections::HashSet::new());
    let mut stack = vec![(root.clone(), false)];
    while let Some((node, inputs_are_there)) = stack.pop() {
        if inputs_are_there {
            nodes.push(node);
        } else if seen.insert(node.id) {
            stack.push((node.clone(), true));
            stack.extend(node.inputs.iter().rev().map(|input| (input.clone(), false)));
        }
    }
    nodes
}

struct CallNode(Vec<Arc<Node>>);

impl Kernel for CallNode {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        (self.0[call.index as usize].function)(inputs)
    }

    fn stays_because(&self) -> Option<String> {
        Some("it calls a closure of Rust, which is code of this process".into())
    }

    fn name(&self) -> String {
        "delayed".into()
    }
}

struct HandOn;

impl Kernel for HandOn {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(inputs[0].clone())
    }

    fn name(&self) -> String {
        "result".into()
    }
}

impl Drop for Node {
    /// A long chain is dropped in a loop and not by recursion.
    fn drop(&mut self) {
        let mut inputs = std::mem::take(&mut self.inputs);
        while let Some(input) = inputs.pop() {
            if let Some(mut node) = Arc::into_inner(input) {
                inputs.append(&mut node.inputs);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::AtomicUsize;

    #[test]
    fn shared_work_is_done_once() {
        let calls = Arc::new(AtomicUsize::new(0));
        let counted = calls.clone();
        let once = delayed(move || counted.fetch_add(1, Ordering::SeqCst) + 41);
        let sum = once.then(|x| x + 1).with(&once.then(|x| x * 2), |a, b| a + b);
        assert_eq!(*sum.compute().unwrap(), 42 + 82);
        assert_eq!(calls.load(Ordering::SeqCst), 1);
    }

    #[test]
    fn a_long_chain_neither_recurses_nor_leaks() {
        let mut chain = delayed(|| 0_u64);
        for _ in 0..100_000 {
            chain = chain.then(|x| x + 1);
        }
        assert_eq!(*chain.compute().unwrap(), 100_000);
    }

    #[test]
    fn a_panic_is_an_error() {
        let error = delayed(|| -> u8 { panic!("out of cheese") }).compute().unwrap_err();
        assert!(error.to_string().contains("out of cheese"), "{error}");
    }
}

//! Calls that a cluster makes while this process goes on.

use crate::arguments::Arguments;
use crate::calls::{Argument, Calls, ROWS_MOST, Row};
use crate::error::FutureError;
use crate::function::Function;
use crate::future::Future;
use crate::held::{HeldResult, fetch};
use crate::native::begin;
use crate::packed::{Packed, Portable};
use crate::together::by_client;
use hashbrown::HashMap;
use raskt_cluster::Client;
use raskt_graph::{ExplicitBuilder, GraphBuilder, GraphError, Layer, LayerId, Op, OpFlags, OpKind, Shape, TaskId};
use raskt_value::{Given, Kernel, NativeOp, Value};
use std::sync::Arc;

/// Arguments that travel in one op, at most, as far as several calls are put into one.
const OP_BYTES: usize = 8 << 20;

/// Has the cluster call `function` with these arguments.
pub fn submit<A, R: Portable>(
    client: &Arc<Client>,
    function: Function<A, R>,
    arguments: impl Arguments<A>,
) -> Result<Future<R>, FutureError> {
    let mut futures = map(client, function, [arguments])?;
    futures.pop().ok_or_else(|| FutureError::Unreadable("a call gave no future, which is a bug".into()))
}

/// Has the cluster call `function` with each of these arguments, as one run whose calls are each something by itself.
pub fn map<A, R: Portable>(
    client: &Arc<Client>,
    function: Function<A, R>,
    rows: impl IntoIterator<Item = impl Arguments<A>>,
) -> Result<Vec<Future<R>>, FutureError> {
    let mut calls = Writing::default();
    for arguments in rows {
        let mut row = Row::default();
        arguments.put(&mut row)?;
        calls.add(row);
    }
    if calls.ops.is_empty() {
        return Ok(vec![]);
    }
    let (graph, layers) = calls.finish(function)?;
    let wanted = layers.iter().flat_map(|&layer| (0..graph.get(layer).len()).map(move |at| TaskId::new(layer, at)));
    let wanted = wanted.collect();
    let held = begin(client, &graph.finish(), wanted, &as_they_are)?;
    Ok(held.into_iter().map(Future::of_one).collect())
}

/// Has workers hold values: calls that read them by the futures don't have them sent once more.
pub fn scatter<T: Portable>(client: &Arc<Client>, values: &[T]) -> Result<Vec<Future<T>>, FutureError> {
    if values.is_empty() {
        return Ok(vec![]);
    }
    let packed = values.iter().map(|value| Ok(Packed::of(value)?.value())).collect::<Result<Vec<_>, FutureError>>()?;
    let mut graph = GraphBuilder::for_travel();
    let layer = given(&mut graph, "scatter", packed)?;
    let wanted = (0..values.len() as u64).map(|at| TaskId::new(layer, at)).collect();
    let held = begin(client, &graph.finish(), wanted, &as_they_are)?;
    Ok(held.into_iter().map(Future::of_one).collect())
}

/// Waits for all of these, and fetches them together; the first that failed is the error.
pub fn gather<T>(futures: &[Future<T>]) -> Result<Vec<T>, FutureError> {
    let held: Vec<Arc<HeldResult>> = futures.iter().flat_map(|future| future.held().iter().cloned()).collect();
    let mut found: HashMap<*const HeldResult, Value> = HashMap::new();
    for group in by_client(&held) {
        let values = fetch(&group, None)?;
        found.extend(group.iter().map(Arc::as_ptr).zip(values));
    }
    let values = |future: &Future<T>| future.held().iter().map(|held| found[&Arc::as_ptr(held)].clone()).collect();
    futures.iter().map(|future| future.read(values(future))).collect()
}

/// Calls that become a graph.
#[derive(Default)]
struct Writing {
    /// Of each op its calls, and the positions of the results that each reads.
    ops: Vec<Vec<(Vec<Argument>, Vec<u64>)>>,
    /// Bytes of the last one.
    bytes: usize,
    /// The results that are read, each once.
    results: Vec<Arc<HeldResult>>,
    places: HashMap<*const HeldResult, u64>,
}

impl Writing {
    fn add(&mut self, Row { arguments, results }: Row) {
        let bytes: usize = arguments.iter().map(Argument::bytes).sum();
        let has_room = |op: &Vec<_>| op.len() < ROWS_MOST && self.bytes + bytes <= OP_BYTES;
        if !self.ops.last().is_some_and(has_room) {
            self.ops.push(vec![]);
            self.bytes = 0;
        }
        self.bytes += bytes;
        let places = results.into_iter().map(|result| self.place_of(result)).collect();
        if let Some(op) = self.ops.last_mut() {
            op.push((arguments, places));
        }
    }

    fn place_of(&mut self, result: Arc<HeldResult>) -> u64 {
        *self.places.entry(Arc::as_ptr(&result)).or_insert_with(|| {
            self.results.push(result);
            self.results.len() as u64 - 1
        })
    }

    /// The graph, and the layers of the calls, in order.
    fn finish<A, R>(self, function: Function<A, R>) -> Result<(GraphBuilder, Vec<LayerId>), GraphError> {
        let mut graph = GraphBuilder::for_travel();
        let results: Vec<_> = self.results.into_iter().map(HeldResult::value).collect();
        let read = if results.is_empty() { None } else { Some(given(&mut graph, "futures", results)?) };
        let mut layers = vec![];
        for calls in self.ops {
            let mut edges = ExplicitBuilder::with_capacity(calls.len());
            for place in calls.iter().map(|(_, places)| places) {
                let inputs = read.iter().flat_map(|&layer| place.iter().map(move |&at| TaskId::new(layer, at)));
                inputs.for_each(|input| edges.input(input));
                edges.task();
            }
            let shape = match read {
                Some(_) => Shape::Explicit(edges.finish()?),
                None => Shape::source(calls.len() as u32),
            };
            let rows = calls.into_iter().map(|(arguments, _)| arguments).collect();
            layers.push(layer(&mut graph, function.name(), Calls::of(function, rows), shape, false)?);
        }
        Ok((graph, layers))
    }
}

/// None of what is given here is kept by a store.
fn as_they_are(values: Vec<Value>) -> Result<Vec<Value>, FutureError> {
    Ok(values)
}

/// A layer that gives values.
fn given(graph: &mut GraphBuilder, name: &str, values: Vec<Value>) -> Result<LayerId, GraphError> {
    let count = values.len();
    let mut edges = ExplicitBuilder::with_capacity(count);
    (0..count).for_each(|_| _ = edges.task());
    layer(graph, name, Given(values.into()), Shape::Explicit(edges.finish()?), true)
}

fn layer(
    graph: &mut GraphBuilder,
    name: &str,
    kernel: impl Kernel,
    shape: Shape,
    gives_stored: bool,
) -> Result<LayerId, GraphError> {
    let flags = OpFlags { gives_stored, ..OpFlags::default() };
    let body = Arc::new(NativeOp(Arc::new(kernel)));
    let op = graph.op(Op { kind: OpKind::Array, name: name.into(), digest: 0, flags, body });
    graph.layer(Layer::new(name, op, shape))
}

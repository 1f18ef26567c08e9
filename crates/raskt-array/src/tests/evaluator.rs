use crate::expression::Expr;
use crate::{Array, assemble};
use raskt_graph::{Graph, GraphBuilder, Lower, TaskId};
use raskt_value::wire::Decoders;
use raskt_value::{Call, CancelToken, Chunk, Kernel, NativeOp, TaskError, Value, with_element};
use std::sync::Arc;

/// The graph of `array`, optimised.
pub(crate) fn graph_of(array: &Array) -> Graph {
    let mut graph = GraphBuilder::new();
    graph.lower(array).unwrap();
    graph.finish()
}

/// The whole of `array`.
#[track_caller]
pub(crate) fn compute(array: &Array) -> Chunk {
    assemble(&compute_value(array).unwrap(), array).unwrap()
}

/// The blocks of `array`.
pub(crate) fn compute_value(array: &Array) -> Result<Vec<Value>, TaskError> {
    let mut graph = GraphBuilder::new();
    let last = graph.lower(array).unwrap();
    let values = run(&graph.finish(), last);
    let travelled = elsewhere(array);
    assert_eq!(shown(&values), shown(&travelled));
    values
}

/// What tells the results of one way to compute an array from those of another: their bits.
fn shown(values: &Result<Vec<Value>, TaskError>) -> Result<Vec<String>, String> {
    let values = values.as_ref().map_err(ToString::to_string)?;
    let shown = values.iter().flat_map(|value| match value {
        Value::Manifest(several) => several.parts.clone(),
        one => vec![one.clone()],
    });
    let elements = |chunk: &Chunk| {
        with_element!(chunk.dtype(), T => {
            chunk.view::<T>().unwrap().iter().map(|element| format!("{element:?}")).collect::<Vec<_>>().join(" ")
        })
    };
    let of = |chunk: &Chunk| format!("{} {:?} {}", chunk.dtype(), chunk.shape(), elements(chunk));
    Ok(shown.map(|value| value.as_chunk().map_or_else(|| format!("{value:?}"), of)).collect())
}

/// The blocks of `array`, computed as another process would, which has nothing of it but what travels.
fn elsewhere(array: &Array) -> Result<Vec<Value>, TaskError> {
    let mut graph = GraphBuilder::for_travel();
    let last = graph.lower(array).unwrap();
    let graph = graph.finish();
    for op in graph.ops() {
        let NativeOp(kernel) = op.body.downcast_ref().expect("all ops of these tests are native");
        assert!(kernel.wire().is_some() || kernel.given().is_some(), "`{}` holds data", op.name);
    }
    run(&graph, last)
}

/// The whole of `array`, computed node by node without the optimiser and without fusion.
#[track_caller]
pub(crate) fn as_written(array: &Array) -> Chunk {
    let inputs: Vec<Array> = array.expr().inputs().iter().map(persisted).collect();
    compute(&array.expr().with_inputs(&inputs).into_array(array.dtype(), array.chunks().clone()))
}

fn persisted(array: &Array) -> Array {
    if array.expr().inputs().is_empty() {
        return array.clone();
    }
    if let Expr::Blockwise(_) = array.expr() {
        // Its blocks may be several to a task, which are no array.
        let inputs: Vec<Array> = array.expr().inputs().iter().map(persisted).collect();
        return array.expr().with_inputs(&inputs).into_array(array.dtype(), array.chunks().clone());
    }
    let inputs: Vec<Array> = array.expr().inputs().iter().map(persisted).collect();
    let array = array.expr().with_inputs(&inputs).into_array(array.dtype(), array.chunks().clone());
    let mut graph = GraphBuilder::new();
    let last = array.lower(&mut graph).unwrap();
    let values = run(&graph.finish(), last).unwrap();
    array.persisted(values).unwrap()
}

/// The kernel as another process would have it; itself if it holds data. So every test of these sees that it is the same there.
fn travelled(kernel: &Arc<dyn Kernel>) -> Arc<dyn Kernel> {
    let Some(form) = kernel.wire() else { return kernel.clone() };
    let mut decoders = Decoders::default();
    crate::add_decoders(&mut decoders);
    let again = decoders.decode(&form).unwrap();
    assert_eq!((again.wire(), again.name()), (Some(form), kernel.name()));
    again
}

/// Runs all tasks in order; the results of the layer `wanted`.
fn run(graph: &Graph, wanted: raskt_graph::LayerId) -> Result<Vec<Value>, TaskError> {
    let cancel = CancelToken::default();
    let mut results: Vec<Vec<Value>> = vec![];
    for (id, layer) in graph.layers() {
        results.push(vec![]);
        let op = graph.op(layer.op).body.clone().downcast::<NativeOp>().expect("all ops of these tests are native");
        let kernel = travelled(&op.0);
        for index in 0..layer.len() {
            let mut inputs = vec![];
            graph.for_each_input(TaskId::new(id, index), |task| {
                inputs.push(results[task.layer.0 as usize][task.index as usize].clone());
            });
            let call = Call { index, threads: 1, cancel: &cancel };
            let value = kernel.run(&call, &inputs)?;
            results[id.0 as usize].push(value);
        }
    }
    Ok(results.swap_remove(wanted.0 as usize))
}

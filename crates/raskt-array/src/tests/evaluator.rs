use crate::expression::Expr;
use crate::{Array, assemble};
use raskt_graph::{Graph, GraphBuilder, Lower, TaskId};
use raskt_value::wire::Decoders;
use raskt_value::{Call, CancelToken, Chunk, Kernel, NativeOp, TaskError, Value};
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
    run(&graph.finish(), last)
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

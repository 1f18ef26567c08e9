//! Runs graphs one task after the other, with kernels that have been written and read wherever they can be.

use crate::{Frame, FrameTable, StageOutput, add_decoders, lower_partitions, lower_whole};
use polars::prelude::DataFrame;
use raskt_graph::{Graph, GraphBuilder, GraphError, LayerId};
use raskt_value::wire::Decoders;
use raskt_value::{Call, CancelToken, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;

/// The results of the last layer.
pub(super) fn evaluate(graph: &Graph) -> Result<Vec<Value>, TaskError> {
    let mut found: Vec<Vec<Value>> = vec![];
    for (id, layer) in graph.layers() {
        let NativeOp(kernel) = graph.op_of(id).body.downcast_ref().expect("only native tasks are tested here");
        let kernel = travelled(kernel);
        let mut results = vec![];
        for index in 0..layer.len() {
            let mut inputs = vec![];
            layer.shape.for_each_input(id, index, |input| {
                inputs.push(found[input.layer.0 as usize][input.index as usize].clone());
            });
            let call = Call { index, threads: 1, cancel: &CancelToken::default() };
            results.push(kernel.run(&call, &inputs)?);
        }
        found.push(results);
    }
    Ok(found.pop().unwrap_or_default())
}

/// The kernel as another process would have it; itself if it holds data.
fn travelled(kernel: &Arc<dyn Kernel>) -> Arc<dyn Kernel> {
    let Some(form) = kernel.wire() else { return kernel.clone() };
    let mut decoders = Decoders::default();
    add_decoders(&mut decoders);
    let again = decoders.decode(&form).unwrap();
    assert_eq!(again.name(), kernel.name());
    assert!(again.wire() == Some(form), "what comes back is written as it was");
    again
}

/// What `lower` puts into a graph, computed as another process would, which has nothing of it but what travels.
pub(super) fn elsewhere(
    lower: impl Fn(&mut GraphBuilder) -> Result<LayerId, GraphError>,
) -> Result<Vec<Value>, TaskError> {
    let mut graph = GraphBuilder::for_travel();
    lower(&mut graph).unwrap();
    let graph = graph.finish();
    for op in graph.ops() {
        let NativeOp(kernel) = op.body.downcast_ref().expect("only native tasks are tested here");
        let travels = kernel.wire().is_some() || kernel.given().is_some();
        assert!(travels, "`{}` doesn't travel: {}", op.name, kernel.stays_because().unwrap_or_default());
    }
    evaluate(&graph)
}

/// What `lower` puts into a graph, computed here and elsewhere, which has to be the same.
pub(super) fn both(lower: impl Fn(&mut GraphBuilder) -> Result<LayerId, GraphError>) -> Result<DataFrame, TaskError> {
    let mut graph = GraphBuilder::new();
    lower(&mut graph).unwrap();
    let (here, there) = (evaluate(&graph.finish()), elsewhere(lower));
    match (here, there) {
        (Ok(here), Ok(there)) => {
            let (here, there) = (table(&here), table(&there));
            assert_eq!(here.schema(), there.schema());
            assert_eq!(here, there, "elsewhere");
            Ok(here)
        }
        (here, there) => {
            let told = |found: &Result<Vec<Value>, TaskError>| found.as_ref().err().map(|error| error.message.clone());
            assert_eq!(told(&here), told(&there));
            Err(here.unwrap_err())
        }
    }
}

pub(super) fn table(values: &[Value]) -> DataFrame {
    let mut tables = values.iter().map(|value| FrameTable::of(value).unwrap().frame.clone());
    let mut all = tables.next().unwrap();
    tables.for_each(|table| {
        all.vstack_mut(&table).unwrap();
    });
    all
}

/// The frame computed whole and by partitions, which have to agree.
pub(super) fn compute(frame: &Frame) -> DataFrame {
    let output = StageOutput::of_frame(frame);
    let whole = both(|graph| lower_whole(graph, &output)).unwrap();
    let parts = both(|graph| {
        let layer = lower_partitions(graph, &output)?;
        assert_eq!(graph.get(layer).len(), frame.root.partitions as u64);
        Ok(layer)
    });
    assert_eq!(parts.unwrap(), whole, "by partition");
    whole
}

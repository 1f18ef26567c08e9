//! Times `(sqrt(x*x + 2*y) * exp(-x)).sum()` on one thread, and how long writing its graph takes.
//!
//!     cargo run --release -p raskt-array --example fused_sum

use raskt_array::{Array, AxisChunks, Chunks, Operand, Reduction, Ufunc};
use raskt_graph::{Graph, GraphBuilder, TaskId};
use raskt_value::{Call, CancelToken, Chunk, DType, NativeOp, Scalar, Value};
use std::time::Instant;

const BLOCK: usize = 1 << 20;

fn main() {
    let small = expression(4 * BLOCK);
    const TIMES: u32 = 10_000;
    let begin = Instant::now();
    for _ in 0..TIMES {
        expression(4 * BLOCK);
    }
    println!("build   {:>8.2} µs", begin.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES));
    let begin = Instant::now();
    for _ in 0..TIMES {
        let mut graph = GraphBuilder::new();
        graph.lower(&small).expect("the expression makes sense");
        graph.finish();
    }
    println!("lower   {:>8.2} µs", begin.elapsed().as_secs_f64() * 1e6 / f64::from(TIMES));
    let elements = 32 * BLOCK;
    let mut graph = GraphBuilder::new();
    graph.lower(&expression(elements)).expect("the expression makes sense");
    let begin = Instant::now();
    let result = run(&graph.finish());
    let seconds = begin.elapsed().as_secs_f64();
    println!("compute {:>8.2} ns an element, result {result:?}", seconds * 1e9 / elements as f64);
}

fn expression(elements: usize) -> Array {
    let chunks = || Chunks::new([AxisChunks::regular(elements, BLOCK)]);
    let step = Scalar::Float(1.0 / elements as f64);
    let x = Array::arange(Scalar::Float(0.0), step, DType::F64, chunks()).expect("a range");
    let y = Array::arange(Scalar::Float(1.0), step, DType::F64, chunks()).expect("a range");
    let inner = apply(
        "add",
        &[apply("multiply", &[(&x).into(), (&x).into()]), apply("multiply", &[Scalar::Int(2).into(), y.into()])],
    );
    let decay = apply("exp", &[apply("negative", &[x.into()])]);
    let Operand::Array(product) = apply("multiply", &[apply("sqrt", &[inner]), decay]) else { unreachable!() };
    product.reduce(Reduction::Sum, &Default::default()).expect("a sum")
}

fn apply(name: &str, operands: &[Operand]) -> Operand {
    let ufunc = Ufunc::from_name(name).expect("a function of NumPy");
    Array::map(ufunc, operands).expect("operands that fit").into()
}

/// Runs all tasks in order; the last result.
fn run(graph: &Graph) -> Option<Chunk> {
    let cancel = CancelToken::default();
    let mut results: Vec<Vec<Value>> = vec![];
    for (id, layer) in graph.layers() {
        let op = graph.op(layer.op).body.downcast_ref::<NativeOp>().expect("native work");
        let run = |index| {
            let mut inputs = vec![];
            graph.for_each_input(TaskId::new(id, index), |task| {
                inputs.push(results[task.layer.0 as usize][task.index as usize].clone());
            });
            op.0.run(&Call { index, threads: 1, cancel: &cancel }, &inputs).expect("a result")
        };
        let layer_results = (0..layer.len()).map(run).collect();
        results.push(layer_results);
    }
    results.last()?.last()?.as_chunk().cloned()
}

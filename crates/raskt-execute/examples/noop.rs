//! A million native tasks that do nothing, through the whole engine: what a task costs.
//!
//! ```text
//! cargo run --release -p raskt-execute --example noop -- SHAPE [TASKS]
//! ```
//!
//! SHAPE is one of `independent`, `chain`, `tree`, `random` (each task reads one to three earlier ones). Prints one line of
//! JSON: seconds to run (building the graph isn't counted), the number that came out, and how many tasks there were.

use raskt_execute::{Engine, EngineOptions, Runners};
use raskt_graph::{
    Explicit, ExplicitBuilder, Graph, GraphBuilder, GraphError, Layer, Op, OpFlags, OpKind, Places, Shape, TaskId,
};
use raskt_value::{Call, Chunk, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;
use std::time::Instant;

/// What the wheel has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let shape = arguments.next().unwrap_or_else(|| "independent".into());
    let tasks = arguments.next().map_or(Ok(1_000_000), |tasks| tasks.parse())?;
    let (graph, wanted) = graph(&shape, tasks)?;
    let total = graph.tasks();
    let engine = Engine::new(EngineOptions::default(), Runners::default());
    let start = Instant::now();
    let results = engine.submit(Arc::new(graph), wanted).wait()?;
    let seconds = start.elapsed().as_secs_f64();
    println!(r#"{{"seconds": {seconds}, "result": {}, "tasks": {total}}}"#, results.iter().map(height).sum::<i64>());
    Ok(())
}

/// The longest way up from a task, in tasks: a number that comes out right only if every task ran after what it reads.
struct Height;

impl Kernel for Height {
    fn run(&self, _: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(Chunk::scalar(1 + inputs.iter().map(height).max().unwrap_or(0)).into())
    }

    fn name(&self) -> String {
        "height".into()
    }
}

fn height(value: &Value) -> i64 {
    value.as_chunk().and_then(Chunk::as_slice::<i64>).map_or(0, |slice| slice[0])
}

/// A graph and the tasks that nobody in it reads, or the last one.
fn graph(shape: &str, tasks: u64) -> Result<(Graph, Vec<TaskId>), Box<dyn std::error::Error>> {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(NativeOp(Arc::new(Height)));
    let op = graph.op(Op { kind: OpKind::Array, name: "height".into(), digest: 1, flags: OpFlags::default(), body });
    let (edges, places) = match shape {
        "independent" => explicit(tasks, |_, _| {})?,
        "chain" => explicit(tasks, |at, read| at.checked_sub(1).into_iter().for_each(read))?,
        "tree" => explicit(tasks, |at, read| {
            // Leaves first: task n reads two earlier ones, and each is read once.
            if let Some(pair) = at.checked_sub(tasks.div_ceil(2)) {
                [2 * pair, 2 * pair + 1].into_iter().filter(|&input| input < at).for_each(read);
            }
        })?,
        "random" => random(tasks)?,
        other => return Err(format!("there is no shape `{other}`").into()),
    };
    let layer = graph.layer(Layer::new(shape.to_owned(), op, Shape::Explicit(edges)))?;
    let wanted = match shape {
        "independent" | "random" => (0..tasks).map(|at| TaskId::new(layer, at)).collect(),
        _ => vec![TaskId::new(layer, places.of(tasks - 1))],
    };
    Ok((graph.finish(), wanted))
}

fn explicit(tasks: u64, mut inputs: impl FnMut(u64, &mut dyn FnMut(u64))) -> Result<(Explicit, Places), GraphError> {
    let mut builder = ExplicitBuilder::with_capacity(tasks as usize);
    for at in 0..tasks {
        inputs(at, &mut |input| builder.own_input(input));
        builder.task();
    }
    builder.finish_in_order()
}

/// Each task reads one to three earlier ones, drawn by a linear congruential generator.
fn random(tasks: u64) -> Result<(Explicit, Places), GraphError> {
    let mut seed = 1_u64;
    let mut draw = move |below: u64| {
        seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (seed >> 33) % below
    };
    explicit(tasks, |at, read| {
        if at > 0 {
            (0..=draw(3)).for_each(|_| read(draw(at)));
        }
    })
}

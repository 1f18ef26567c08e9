//! A large symbolic run with kernels that do nothing, through the whole engine: what a block costs, and how much memory.
//!
//! ```text
//! cargo run --release -p raskt-execute --example blocks -- [TASKS] [THREADS]
//! ```
//!
//! A source layer, a map over it, and a tree of sums, of about TASKS tasks in all (1e8 unless it is said). Prints one line of
//! JSON: milliseconds to build and to submit, seconds to run, and how many tasks there were. It fails if one hasn't run.

use raskt_execute::{Engine, EngineOptions, Runners};
use raskt_graph::{Graph, GraphBuilder, GraphError, Grid, Layer, MapInput, Op, OpFlags, OpKind, Shape, TaskId};
use raskt_value::{Call, Chunk, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;
use std::time::Instant;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let tasks = arguments.next().map_or(Ok(1e8), |tasks| tasks.parse::<f64>())?;
    let threads = arguments.next().map(|threads| threads.parse()).transpose()?;
    let options = EngineOptions::default();
    let engine =
        Engine::new(EngineOptions { threads: threads.unwrap_or(options.threads), ..options }, Runners::default());
    let start = Instant::now();
    // Of each block are made one by the source, one by the map, and a fifteenth by the tree.
    let (graph, wanted) = graph((tasks * 15.0 / 31.0) as u32)?;
    let (total, built) = (graph.tasks(), start.elapsed());
    let start = Instant::now();
    let run = engine.submit(Arc::new(graph), vec![wanted]);
    let submitted = start.elapsed();
    run.wait()?;
    let seconds = start.elapsed().as_secs_f64();
    let progress = run.progress().ok_or("the run is gone")?;
    assert_eq!((progress.done, progress.total), (total, total), "tasks that ran");
    let [built, submitted] = [built, submitted].map(|time| time.as_secs_f64() * 1e3);
    println!(
        r#"{{"build_ms": {built:.2}, "submit_ms": {submitted:.2}, "seconds": {seconds:.2}, "tasks": {total}, "ns": {:.0}}}"#,
        seconds * 1e9 / total as f64
    );
    Ok(())
}

/// Gives on what it reads first.
struct Nothing(Value);

impl Kernel for Nothing {
    fn run(&self, _: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        Ok(inputs.first().unwrap_or(&self.0).clone())
    }

    fn name(&self) -> String {
        "nothing".into()
    }
}

/// The graph, and its last task.
fn graph(blocks: u32) -> Result<(Graph, TaskId), GraphError> {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(NativeOp(Arc::new(Nothing(Chunk::scalar(1_i64).into()))));
    let op = graph.op(Op { kind: OpKind::Array, name: "nothing".into(), digest: 1, flags: OpFlags::default(), body });
    let source = graph.layer(Layer::new("source", op, Shape::source(blocks)))?;
    let grid = Grid::new([blocks]);
    let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(source, grid)] };
    let mut last = graph.layer(Layer::new("map", op, shape))?;
    while graph.get(last).len() > 1 {
        let grid = Grid::new([graph.get(last).len() as u32]);
        let shape = Shape::Reduce { input: last, grid, fan_in: [16].into_iter().collect() };
        last = graph.layer(Layer::new("sum", op, shape))?;
    }
    Ok((graph.finish(), TaskId::new(last, 0)))
}

//! A large symbolic run with kernels that do nothing, through the whole engine: what a block costs, and how much memory.
//!
//! ```text
//! cargo run --release -p raskt-execute --example blocks -- [SHAPE] [TASKS] [THREADS]
//! ```
//!
//! SHAPE is `map` (a source layer, a map over it, and a tree of sums), or one of those of `graphs/symbolic.rs`; of about TASKS tasks
//! in all (1e8 unless it is said). Prints one line of JSON: milliseconds to build and to submit, seconds to run, how many tasks
//! there were, and the most memory that was held. It fails if one hasn't run.

#[path = "../../raskt-schedule/examples/graphs/symbolic.rs"]
mod symbolic;

use raskt_execute::{Engine, EngineOptions, Runners};
use raskt_graph::{Cost, Graph, GraphBuilder, Layer, MapInput, Op, OpFlags, OpId, OpKind, Shape, TaskId};
use raskt_graph::{GraphError, LayerId};
use raskt_value::{Call, Chunk, Kernel, NativeOp, TaskError, Value};
use std::sync::Arc;
use std::time::Instant;

/// What the wheel has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut arguments = std::env::args().skip(1);
    let shape = arguments.next().unwrap_or_else(|| "map".into());
    let tasks = arguments.next().map_or(Ok(1e8), |tasks| tasks.parse::<f64>())?;
    let threads = arguments.next().map(|threads| threads.parse()).transpose()?;
    let options = EngineOptions::default();
    let engine =
        Engine::new(EngineOptions { threads: threads.unwrap_or(options.threads), ..options }, Runners::default());
    let before = peak();
    let start = Instant::now();
    let (graph, wanted) = graph(&shape, tasks as u32)?.ok_or_else(|| format!("no shape is called `{shape}`"))?;
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
        r#"{{"shape": "{shape}", "build_ms": {built:.2}, "submit_ms": {submitted:.2}, "seconds": {seconds:.2}, "tasks": {total}, "ns": {:.0}, "peak_mb": {:.0}}}"#,
        seconds * 1e9 / total as f64,
        (peak() - before) as f64 / 1e6
    );
    Ok(())
}

/// The most memory that the process has held so far, in bytes; zero where the system doesn't tell.
fn peak() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
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

/// The graph, and its last task; nothing if there is no such shape.
fn graph(shape: &str, tasks: u32) -> Result<Option<(Graph, TaskId)>, GraphError> {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(NativeOp(Arc::new(Nothing(Chunk::scalar(1_i64).into()))));
    let op = graph.op(Op { kind: OpKind::Array, name: "nothing".into(), digest: 1, flags: OpFlags::default(), body });
    let last = match shape {
        "map" => Some(mapped(&mut graph, op, tasks)?),
        shape => symbolic::summed(&mut graph, op, Cost::default(), shape, tasks),
    };
    Ok(last.map(|last| (graph.finish(), TaskId::new(last, 0))))
}

fn mapped(graph: &mut GraphBuilder, op: OpId, tasks: u32) -> Result<LayerId, GraphError> {
    // Of each block are made one by the source, one by the map, and a fifteenth by the tree.
    let source = graph.layer(Layer::new("source", op, Shape::source((f64::from(tasks) * 15.0 / 31.0) as u32)))?;
    let grid = graph.get(source).shape.grid();
    let mut last = graph.layer(Layer::new(
        "map",
        op,
        Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(source, grid)] },
    ))?;
    while graph.get(last).len() > 1 {
        let grid = graph.get(last).shape.grid();
        let shape = Shape::Reduce { input: last, grid, fan_in: [16].into_iter().collect() };
        last = graph.layer(Layer::new("sum", op, shape))?;
    }
    Ok(last)
}

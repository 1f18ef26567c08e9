//! Tasks of a few microseconds on more and more threads: what the engine's lock lets through.
//!
//! ```text
//! cargo run --release -p raskt-execute --example lock -- [TASKS] [MICROSECONDS] [THREADS...]
//! ```
//!
//! Independent native tasks, all of them wanted, that compute for MICROSECONDS each (5 unless it is said) on 1 and then on each
//! number of THREADS (as many as there are processors). Prints one line of JSON for each: the least seconds of three runs, and
//! how many times as fast as one thread that is.

use raskt_execute::{Engine, EngineOptions, Runners};
use raskt_graph::{Graph, GraphBuilder, GraphError, Layer, LayerId, Op, OpFlags, OpKind, Shape, TaskId};
use raskt_value::{Call, Chunk, Kernel, NativeOp, TaskError, Value};
use std::hint::black_box;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// What the wheel has.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<f64> = std::env::args().skip(1).map(|argument| argument.parse()).collect::<Result<_, _>>()?;
    let tasks = arguments.first().map_or(1_000_000, |&tasks| tasks as u32);
    let microseconds = arguments.get(1).copied().unwrap_or(5.0);
    let mut threads: Vec<usize> = arguments.iter().skip(2).map(|&threads| threads as usize).collect();
    if threads.is_empty() {
        threads.push(std::thread::available_parallelism()?.get());
    }
    let rounds = (rounds_a_microsecond() * microseconds) as u64;
    threads.insert(0, 1);
    let mut one = None;
    for count in threads {
        let seconds = seconds(tasks, rounds, count)?;
        let speedup = one.get_or_insert(seconds).to_owned() / seconds;
        println!(
            r#"{{"threads": {count}, "tasks": {tasks}, "microseconds": {microseconds}, "seconds": {seconds:.3}, "speedup": {speedup:.2}}}"#
        );
    }
    Ok(())
}

/// The least of three runs.
fn seconds(tasks: u32, rounds: u64, threads: usize) -> Result<f64, Box<dyn std::error::Error>> {
    let mut least = f64::MAX;
    for _ in 0..3 {
        let engine = Engine::new(EngineOptions { threads, ..EngineOptions::default() }, Runners::default());
        let (graph, layer) = graph(tasks, rounds)?;
        let wanted = (0..u64::from(tasks)).map(|index| TaskId::new(layer, index)).collect();
        let start = Instant::now();
        let results = engine.submit(Arc::new(graph), wanted).wait()?;
        least = least.min(start.elapsed().as_secs_f64());
        assert_eq!(results.len(), tasks as usize);
        engine.shut_down(Duration::from_secs(10));
    }
    Ok(least)
}

/// Computes for a number of rounds, each of which needs the one before.
struct Spin {
    rounds: u64,
    result: Value,
}

impl Kernel for Spin {
    fn run(&self, call: &Call<'_>, _: &[Value]) -> Result<Value, TaskError> {
        black_box(spin(call.index, self.rounds));
        // One chunk for all: the allocator is no part of the question.
        Ok(self.result.clone())
    }

    fn name(&self) -> String {
        "spin".into()
    }
}

fn spin(seed: u64, rounds: u64) -> u64 {
    (0..rounds).fold(seed, |at, _| black_box(at.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1)))
}

/// How fast this processor is.
fn rounds_a_microsecond() -> f64 {
    const ROUNDS: u64 = 10_000_000;
    let time = || {
        let start = Instant::now();
        black_box(spin(1, ROUNDS));
        start.elapsed()
    };
    ROUNDS as f64 / (0..5).map(|_| time()).min().unwrap_or_default().as_secs_f64() / 1e6
}

fn graph(tasks: u32, rounds: u64) -> Result<(Graph, LayerId), GraphError> {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(NativeOp(Arc::new(Spin { rounds, result: Chunk::scalar(1_i64).into() })));
    let op = graph.op(Op { kind: OpKind::Array, name: "spin".into(), digest: 1, flags: OpFlags::default(), body });
    let layer = graph.layer(Layer::new("spin", op, Shape::source(tasks)))?;
    Ok((graph.finish(), layer))
}

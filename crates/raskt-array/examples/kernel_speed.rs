//! How fast the block kernels are on one core: nanoseconds for each element of a block of 8 MB.
//!
//! `cargo run --release -p raskt-array --example kernel_speed [part of a name]`

use raskt_array::kernel::*;
use raskt_value::{CancelToken, Chunk, DType, Scalar};
use std::hint::black_box;
use std::time::Instant;

const ELEMENTS: usize = 1 << 20;

fn main() {
    println!("{:<44} {:>8}", "one core, blocks of 2^20 elements", "ns");
    let float = |op| report_unary(op, DType::F64);
    report("showpiece, random x and y", showpiece(random(1), random(2)), &[]);
    report("showpiece, linear x and y", showpiece(linear(), linear()), &[]);
    report("random sum", reduced(random(1)), &[]);
    report("normal sum", reduced(normal()), &[]);
    report("random block", block(random(1)), &[]);
    report("normal block", block(normal()), &[]);
    report("integers block", block(integers()), &[]);
    let numbers = evaluated(&block(random(3)).0);
    report("sum of a block", over_block(ReduceOp::Sum), &[&numbers]);
    report("var of a block", over_block(ReduceOp::Var), &[&numbers]);
    report("min of a block", over_block(ReduceOp::Min), &[&numbers]);
    report("argmin of a block", over_block(ReduceOp::ArgMin), &[&numbers]);
    report("add two blocks", add(), &[&numbers, &numbers]);
    for op in [UnaryOp::Sqrt, UnaryOp::Exp, UnaryOp::Log, UnaryOp::Sin, UnaryOp::Cos, UnaryOp::Tanh, UnaryOp::Expm1] {
        report(op.name(), float(op), &[&numbers]);
    }
    for axis in [0, 1] {
        let square =
            Chunk::from_parts(DType::F64, [1024, 1024][..].into(), [1024, 1][..].into(), 0, numbers.buffer().clone());
        along_axis(axis, &square.unwrap());
    }
}

type Job = (Program, Option<Reduction>);

fn source(generator: Generator, dtype: DType) -> Source {
    Source { generator, dtype, index: Affine::c_order(&[ELEMENTS as u64]) }
}

fn random(stream: u32) -> Source {
    let distribution = Distribution::Uniform { low: 0.0, high: 1.0 };
    source(Generator::Random(Random { seed: 42, stream, distribution }), DType::F64)
}

fn normal() -> Source {
    let distribution = Distribution::Normal { loc: 0.0, scale: 1.0 };
    source(Generator::Random(Random { seed: 42, stream: 1, distribution }), DType::F64)
}

fn integers() -> Source {
    let distribution = Distribution::Integers { low: 0, span: 1000 };
    source(Generator::Random(Random { seed: 42, stream: 1, distribution }), DType::I64)
}

fn linear() -> Source {
    source(Generator::Linear { start: Scalar::Float(0.0), step: Scalar::Float(1e-6), end: None }, DType::F64)
}

/// `(sqrt(x*x + 2*y) * exp(-x)).sum()`.
fn showpiece(x: Source, y: Source) -> Job {
    let mut builder = ProgramBuilder::new();
    let (x, y) = (builder.source(x), builder.source(y));
    let two = builder.constant(Scalar::Float(2.0), DType::F64);
    let square = builder.binary(BinaryOp::Multiply, x, x).unwrap();
    let double = builder.binary(BinaryOp::Multiply, two, y).unwrap();
    let sum = builder.binary(BinaryOp::Add, square, double).unwrap();
    let root = builder.unary(UnaryOp::Sqrt, sum).unwrap();
    let negative = builder.unary(UnaryOp::Negative, x).unwrap();
    let decay = builder.unary(UnaryOp::Exp, negative).unwrap();
    let product = builder.binary(BinaryOp::Multiply, root, decay).unwrap();
    (builder.finish(&[product]), Some(Reduction::new(ReduceOp::Sum, DType::F64, &[0])))
}

fn block(source: Source) -> Job {
    let mut builder = ProgramBuilder::new();
    let register = builder.source(source);
    (builder.finish(&[register]), None)
}

fn reduced(source: Source) -> Job {
    (block(source).0, Some(Reduction::new(ReduceOp::Sum, DType::F64, &[0])))
}

fn over_block(op: ReduceOp) -> Job {
    let mut builder = ProgramBuilder::new();
    let input = builder.input(DType::F64);
    (builder.finish(&[input]), Some(Reduction::new(op, DType::F64, &[0]).with_index(Affine::along(0, 1))))
}

fn add() -> Job {
    let mut builder = ProgramBuilder::new();
    let (a, b) = (builder.input(DType::F64), builder.input(DType::F64));
    let sum = builder.binary(BinaryOp::Add, a, b).unwrap();
    (builder.finish(&[sum]), None)
}

fn report_unary(op: UnaryOp, dtype: DType) -> Job {
    let mut builder = ProgramBuilder::new();
    let input = builder.input(dtype);
    let result = builder.unary(op, input).unwrap();
    (builder.finish(&[result]), None)
}

fn evaluated(program: &Program) -> Chunk {
    evaluate(program, &Region::whole(&[ELEMENTS]), &[], &CancelToken::default()).unwrap()
}

fn along_axis(axis: usize, square: &Chunk) {
    let mut builder = ProgramBuilder::new();
    let input = builder.input(DType::F64);
    let program = builder.finish(&[input]);
    for op in [ReduceOp::Sum, ReduceOp::Var] {
        let reduction = Reduction::new(op, DType::F64, &[axis]);
        let cancel = CancelToken::default();
        time(&format!("{} along axis {axis} of 1024 x 1024", op.name()), || {
            let region = Region::whole(&[1024, 1024]);
            black_box(evaluate_reduce(&program, &region, &[square], &reduction, &cancel).unwrap());
        });
    }
}

fn report(name: &str, (program, reduction): Job, inputs: &[&Chunk]) {
    let (region, cancel) = (Region::whole(&[ELEMENTS]), CancelToken::default());
    time(name, || match &reduction {
        Some(reduction) => {
            black_box(evaluate_reduce(&program, &region, inputs, reduction, &cancel).unwrap());
        }
        None => {
            black_box(evaluate(&program, &region, inputs, &cancel).unwrap());
        }
    });
}

/// Prints the best of many runs.
fn time(name: &str, mut run: impl FnMut()) {
    if std::env::args().nth(1).is_some_and(|part| !name.contains(&part)) {
        return;
    }
    let mut best = f64::INFINITY;
    for _ in 0..30 {
        let start = Instant::now();
        run();
        best = best.min(start.elapsed().as_secs_f64());
    }
    println!("{name:<44} {:>8.3}", best * 1e9 / ELEMENTS as f64);
}

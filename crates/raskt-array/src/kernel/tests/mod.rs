//! Programs, sources and reductions against NumPy's values and against plain loops.

mod programs;
mod reductions;
mod sources;
mod values;

use super::*;
use proptest::prelude::*;
use raskt_value::complex::Complex;
use raskt_value::{Buffer, CancelToken, Chunk, DType, Element, ErrorKind, Scalar, TaskError, with_element};

fn run(program: &Program, shape: &[usize], inputs: &[&Chunk]) -> Result<Chunk, TaskError> {
    evaluate(program, &Region::whole(shape), inputs, &CancelToken::default())
}

fn elements<T: Element>(chunk: &Chunk) -> Vec<T> {
    chunk.to_contiguous().as_slice::<T>().unwrap_or_else(|| panic!("{} elements", chunk.dtype())).to_vec()
}

fn apply(name: &str, inputs: &[Chunk]) -> Result<Chunk, TaskError> {
    let mut builder = ProgramBuilder::new();
    let registers: Vec<Register> = inputs.iter().map(|input| builder.input(input.dtype())).collect();
    let result = match UnaryOp::from_name(name) {
        Some(op) => builder.unary(op, registers[0])?,
        None => builder.binary(BinaryOp::from_name(name).unwrap(), registers[0], registers[1])?,
    };
    let inputs: Vec<&Chunk> = inputs.iter().collect();
    run(&builder.finish(&[result]), inputs[0].shape(), &inputs)
}

fn identity(dtype: DType) -> Program {
    let mut builder = ProgramBuilder::new();
    let input = builder.input(dtype);
    builder.finish(&[input])
}

/// A strided view of some layout of a block of `shape`, with elements 0.5, 1.5, …
fn laid_out(shape: &[usize], layout: u8) -> (Chunk, Vec<f64>) {
    let count: usize = shape.iter().product();
    let plain = Chunk::from_vec((0..count).map(|at| at as f64 + 0.5).collect(), shape).unwrap();
    let chunk = match layout {
        0 => plain,
        1 => {
            let order: Vec<usize> = (0..shape.len()).rev().collect();
            let turned: Vec<usize> = shape.iter().rev().copied().collect();
            let plain = Chunk::from_vec((0..count).map(|at| at as f64 + 0.5).collect(), &turned).unwrap();
            copy::transpose(&plain, &order).unwrap()
        }
        _ => {
            let backwards =
                shape.iter().map(|&length| copy::AxisSlice { start: length.saturating_sub(1), step: -1, length });
            copy::slice(&plain, &backwards.collect::<Vec<_>>()).unwrap()
        }
    };
    let values = elements(&chunk);
    (chunk, values)
}

fn shapes() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        prop::collection::vec(0..9_usize, 0..4),
        (1..4_usize, 400..700_usize).prop_map(|(a, b)| vec![a, b]),
        (400..700_usize, 1..4_usize).prop_map(|(a, b)| vec![a, b]),
        (1..3_usize, 1..20_usize, 1..60_usize).prop_map(|(a, b, c)| vec![a, b, c]),
    ]
}

//! Whole expressions, run by a plain evaluator and compared with a slow reference.

mod elementwise;
mod evaluator;
mod factorisations;
mod forms;
mod graphs;
mod layout;
mod programs;
mod reductions;
mod wire;

pub(crate) use evaluator::{as_written, compute, compute_value, graph_of};

use crate::{Array, Chunks};
use raskt_value::Chunk;

/// The numbers 0, 1, ... under a shape, in blocks of these lengths.
pub(crate) fn counted(chunks: &[&[usize]]) -> (Array, ndarray::ArrayD<i64>) {
    let lengths: Vec<Vec<usize>> = chunks.iter().map(|axis| axis.to_vec()).collect();
    let shape: Vec<usize> = lengths.iter().map(|axis| axis.iter().sum()).collect();
    let count: usize = shape.iter().product();
    let numbers = ndarray::ArrayD::from_shape_vec(shape, (0..count as i64).collect()).unwrap();
    (from_numbers(&numbers, &lengths), numbers)
}

pub(crate) fn from_numbers<T: raskt_value::Element>(numbers: &ndarray::ArrayD<T>, lengths: &[Vec<usize>]) -> Array {
    Array::from_memory(Chunk::from_array(numbers.clone()), Chunks::from_lengths(lengths)).unwrap()
}

/// Checks an array of `i64` against its reference.
#[track_caller]
pub(crate) fn check(array: &Array, expected: &ndarray::ArrayD<i64>) {
    assert_eq!(compute(array).view::<i64>().unwrap(), expected.view());
}

//! Runs programs over regions.

use super::{Program, Region};
use raskt_value::{CancelToken, Chunk, TaskError};

/// The first output of `program` over `region`.
///
/// Each input is broadcast to the shape of the region by NumPy's rules: its axes are aligned at the end, and an axis
/// of length 1 is repeated.
pub fn evaluate(
    program: &Program,
    region: &Region,
    inputs: &[&Chunk],
    cancel: &CancelToken,
) -> Result<Chunk, TaskError> {
    let mut outputs = evaluate_all(program, region, inputs, cancel)?;
    Ok(outputs.swap_remove(0))
}

/// All outputs of `program` over `region`, as [`evaluate`] gives the first.
pub fn evaluate_all(
    _program: &Program,
    _region: &Region,
    _inputs: &[&Chunk],
    _cancel: &CancelToken,
) -> Result<Vec<Chunk>, TaskError> {
    unimplemented!()
}

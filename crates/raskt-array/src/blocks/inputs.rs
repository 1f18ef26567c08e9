//! What tasks read, asked before anything relies on it.
//!
//! A kernel that has come from elsewhere is checked by itself when it is decoded. Whether it fits the layer that it stands in, and what
//! that layer reads, shows only here: what doesn't fit is an error of the task.

use raskt_graph::Grid;
use raskt_value::{Call, Chunk, ErrorKind, TaskError, Value};
use smallvec::SmallVec;

/// The block that `value` is.
pub(crate) fn chunk(value: &Value) -> Result<&Chunk, TaskError> {
    let refused = || TaskError::new(ErrorKind::Type, format!("expected an array block, got a {}", value.type_name()));
    value.as_chunk().ok_or_else(refused)
}

/// What a task reads in place `at`.
pub(crate) fn input(inputs: &[Value], at: usize) -> Result<&Value, TaskError> {
    inputs.get(at).ok_or_else(|| unfit(format!("there is no input {at}")))
}

/// The block that a task reads in place `at`.
pub(crate) fn block(inputs: &[Value], at: usize) -> Result<&Chunk, TaskError> {
    chunk(input(inputs, at)?)
}

/// The same, if it has this axis.
pub(crate) fn block_with_axis(inputs: &[Value], at: usize, axis: usize) -> Result<&Chunk, TaskError> {
    let block = block(inputs, at)?;
    length(block, axis)?;
    Ok(block)
}

/// The same, if it has two axes.
pub(crate) fn matrix(inputs: &[Value], at: usize) -> Result<(&Chunk, [usize; 2]), TaskError> {
    let block = block(inputs, at)?;
    let shape = block.shape().try_into();
    let shape = shape.map_err(|_| unfit(format!("a matrix has 2 axes, and this block has shape {:?}", block.shape())));
    Ok((block, shape?))
}

/// How long a block is along an axis.
pub(crate) fn length(block: &Chunk, axis: usize) -> Result<usize, TaskError> {
    let length = block.shape().get(axis).copied();
    length.ok_or_else(|| {
        unfit(format!("a block of shape {:?} came where one with axis {axis} was expected", block.shape()))
    })
}

/// Where the block of a task lies among those of its layer.
pub(crate) fn coordinates(grid: &Grid, call: &Call<'_>) -> Result<SmallVec<[u32; 4]>, TaskError> {
    let Call { index, .. } = *call;
    if index >= grid.len() {
        return Err(unfit(format!("there is no block {index} in a grid of {:?}", grid.lengths())));
    }
    Ok(grid.coordinates(index))
}

/// An error unless a task reads so many others.
pub(crate) fn check_count(inputs: &[Value], expected: usize) -> Result<(), TaskError> {
    match inputs.len() {
        found if found == expected => Ok(()),
        found => Err(unfit(format!("{found} blocks came where {expected} were expected"))),
    }
}

/// What comes isn't what the kernel was made for.
pub(crate) fn unfit(message: String) -> TaskError {
    TaskError::new(ErrorKind::Value, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use raskt_value::CancelToken;

    #[test]
    fn what_is_not_there_is_an_error() {
        let inputs = [Value::from(Chunk::from_vec(vec![1_i64, 2], &[2]).unwrap())];
        assert_eq!(block_with_axis(&inputs, 0, 0).unwrap().shape(), [2]);
        assert!(block_with_axis(&inputs, 0, 1).is_err());
        assert!(block(&inputs, 1).is_err() && matrix(&inputs, 0).is_err());
        assert!(check_count(&inputs, 1).is_ok() && check_count(&inputs, 2).is_err());
    }

    #[test]
    fn a_task_beyond_the_grid_has_no_block() {
        let cancel = CancelToken::default();
        let at = |lengths: &[u32], index| {
            coordinates(&Grid::new(lengths.to_vec()), &Call { index, threads: 1, cancel: &cancel }).ok()
        };
        assert_eq!(at(&[2, 3], 5).unwrap().as_slice(), [1, 2]);
        assert!(at(&[2, 3], 6).is_none() && at(&[2, 0], 0).is_none() && at(&[], 1).is_none());
    }
}

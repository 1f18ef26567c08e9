//! Moves elements: views without a copy, and blocks put together from pieces of others.

use raskt_value::{CancelToken, Chunk, DType, TaskError};
use std::ops::Range;

/// A slice along one axis: elements `start`, `start + step`, … , `length` of them; `step` may be negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AxisSlice {
    /// The first element.
    pub start: usize,
    /// The distance of neighbours, not 0.
    pub step: isize,
    /// How many elements there are.
    pub length: usize,
}

/// A block and where its first element goes in the output.
#[derive(Clone, Debug)]
pub struct Piece {
    /// What is copied, whole; slice it first where only a part is wanted.
    pub chunk: Chunk,
    /// The index in the output of its first element, along each axis.
    pub at: Vec<usize>,
}

/// A run of a block in C order and where it goes in the C order of the output.
#[derive(Clone, Debug)]
pub struct FlatPiece {
    /// What is copied from.
    pub chunk: Chunk,
    /// Which of its elements, by position in C order.
    pub range: Range<usize>,
    /// The position in the output, in C order, of the first.
    pub at: usize,
}

/// A view of `chunk`: one slice for each axis.
pub fn slice(_chunk: &Chunk, _slices: &[AxisSlice]) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// A view with its axes in another order: axis `i` of the result is axis `order[i]` of `chunk`.
pub fn transpose(_chunk: &Chunk, _order: &[usize]) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// A view with one more axis, of length 1, before `axis`.
pub fn expand_dims(_chunk: &Chunk, _axis: usize) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// A view without the given axes, which must be of length 1.
pub fn squeeze(_chunk: &Chunk, _axes: &[usize]) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// A view of a larger shape: axes are aligned at the end, and those of length 1 repeated.
pub fn broadcast_to(_chunk: &Chunk, _shape: &[usize]) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// A block of another shape with the same elements in C order; a view where the block has no gaps, else a copy.
pub fn reshape(_chunk: &Chunk, _shape: &[usize]) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// A block of `shape` put together from pieces that cover it, each element once.
pub fn assemble(_dtype: DType, _shape: &[usize], _pieces: &[Piece], _cancel: &CancelToken) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// A block of `shape` put together from runs in C order that cover it (a block of a reshaped array).
pub fn assemble_flat(
    _dtype: DType,
    _shape: &[usize],
    _pieces: &[FlatPiece],
    _cancel: &CancelToken,
) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// The elements at `indices` along `axis`; negative indices count from the end.
pub fn take(_chunk: &Chunk, _axis: usize, _indices: &[i64], _cancel: &CancelToken) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// The elements where `mask` is true: along `axis` if there is one (the mask has one axis), else of the flattened
/// block (the mask has the shape of the block).
pub fn compress(
    _chunk: &Chunk,
    _mask: &Chunk,
    _axis: Option<usize>,
    _cancel: &CancelToken,
) -> Result<Chunk, TaskError> {
    unimplemented!()
}

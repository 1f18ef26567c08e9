//! Views: the same buffer, seen otherwise.

use super::invalid;
use raskt_value::{Chunk, Dims, Strides, TaskError};

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

impl AxisSlice {
    /// A whole axis of `length` elements.
    pub fn whole(length: usize) -> Self {
        Self { start: 0, step: 1, length }
    }

    /// The last element, as a position that may be out of bounds on either side.
    fn last(self) -> Option<isize> {
        let steps = isize::try_from(self.length.checked_sub(1)?).ok()?;
        isize::try_from(self.start).ok()?.checked_add(steps.checked_mul(self.step)?)
    }

    fn fits(self, length: usize) -> bool {
        let within = |at: isize| usize::try_from(at).is_ok_and(|at| at < length);
        self.length == 0 || (self.start < length && self.last().is_some_and(within))
    }
}

/// A view of `chunk`: one slice for each axis.
pub fn slice(chunk: &Chunk, slices: &[AxisSlice]) -> Result<Chunk, TaskError> {
    let lengths = chunk.shape();
    if slices.len() != lengths.len() || !slices.iter().zip(lengths).all(|(slice, &length)| slice.fits(length)) {
        return Err(invalid(format!("slices {slices:?} leave a block of shape {lengths:?}")));
    }
    let shape: Dims = slices.iter().map(|slice| slice.length).collect();
    let steps = chunk.strides().iter().zip(slices);
    let strides = steps.clone().map(|(&stride, slice)| stride.wrapping_mul(slice.step)).collect();
    let mut offset = chunk.offset();
    if !shape.contains(&0) {
        for (&stride, slice) in steps {
            offset = offset.wrapping_add_signed(stride * slice.start as isize);
        }
    }
    rebuilt(chunk, shape, strides, offset)
}

/// A view with its axes in another order: axis `i` of the result is axis `order[i]` of `chunk`.
pub fn transpose(chunk: &Chunk, order: &[usize]) -> Result<Chunk, TaskError> {
    let axes = chunk.shape().len();
    let mut sorted = order.to_vec();
    sorted.sort_unstable();
    if !sorted.into_iter().eq(0..axes) {
        return Err(invalid(format!("{order:?} is no order of {axes} axes")));
    }
    let shape = order.iter().map(|&axis| chunk.shape()[axis]).collect();
    let strides = order.iter().map(|&axis| chunk.strides()[axis]).collect();
    rebuilt(chunk, shape, strides, chunk.offset())
}

/// A view with one more axis, of length 1, before `axis`.
pub fn expand_dims(chunk: &Chunk, axis: usize) -> Result<Chunk, TaskError> {
    if axis > chunk.shape().len() {
        return Err(invalid(format!("axis {axis} is out of bounds for an array of {} axes", chunk.shape().len() + 1)));
    }
    let (mut shape, mut strides): (Dims, Strides) = (chunk.shape().into(), chunk.strides().into());
    shape.insert(axis, 1);
    strides.insert(axis, 0);
    rebuilt(chunk, shape, strides, chunk.offset())
}

/// A view without the given axes, which must be of length 1.
pub fn squeeze(chunk: &Chunk, axes: &[usize]) -> Result<Chunk, TaskError> {
    if let Some(axis) = axes.iter().find(|&&axis| chunk.shape().get(axis) != Some(&1)) {
        return Err(invalid(format!("axis {axis} of shape {:?} is not of length 1", chunk.shape())));
    }
    let kept: Vec<usize> = (0..chunk.shape().len()).filter(|axis| !axes.contains(axis)).collect();
    let shape = kept.iter().map(|&axis| chunk.shape()[axis]).collect();
    let strides = kept.iter().map(|&axis| chunk.strides()[axis]).collect();
    rebuilt(chunk, shape, strides, chunk.offset())
}

/// A view of a larger shape: axes are aligned at the end, and those of length 1 repeated.
pub fn broadcast_to(chunk: &Chunk, shape: &[usize]) -> Result<Chunk, TaskError> {
    let refused = || invalid(format!("shape {:?} can't be broadcast to {shape:?}", chunk.shape()));
    let missing = shape.len().checked_sub(chunk.shape().len()).ok_or_else(refused)?;
    let mut strides = Strides::from_elem(0, missing);
    for ((&own, &stride), &wanted) in chunk.shape().iter().zip(chunk.strides()).zip(&shape[missing..]) {
        match own {
            1 => strides.push(0),
            _ if own == wanted => strides.push(stride),
            _ => return Err(refused()),
        }
    }
    rebuilt(chunk, shape.into(), strides, chunk.offset())
}

/// A block of another shape with the same elements in C order; a view where the block has no gaps, else a copy.
pub fn reshape(chunk: &Chunk, shape: &[usize]) -> Result<Chunk, TaskError> {
    if shape.iter().product::<usize>() != chunk.len() {
        return Err(invalid(format!("cannot reshape array of shape {:?} into shape {shape:?}", chunk.shape())));
    }
    let contiguous = chunk.to_contiguous();
    let mut strides = Strides::from_elem(1, shape.len());
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1) as isize;
    }
    rebuilt(&contiguous, shape.into(), strides, contiguous.offset())
}

fn rebuilt(chunk: &Chunk, shape: Dims, strides: Strides, offset: usize) -> Result<Chunk, TaskError> {
    Chunk::from_parts(chunk.dtype(), shape, strides, offset, chunk.buffer().clone())
        .map_err(|error| invalid(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Chunk {
        Chunk::from_vec((0..12_i64).collect(), &[3, 4]).unwrap()
    }

    fn elements(chunk: Result<Chunk, TaskError>) -> (Vec<usize>, Vec<i64>) {
        let chunk = chunk.unwrap();
        (chunk.shape().to_vec(), chunk.to_contiguous().as_slice().unwrap().to_vec())
    }

    #[test]
    fn slices_may_run_backwards_and_be_empty() {
        let back = AxisSlice { start: 3, step: -2, length: 2 };
        assert_eq!(
            elements(slice(&matrix(), &[AxisSlice { start: 1, step: 1, length: 2 }, back])),
            (vec![2, 2], vec![7, 5, 11, 9])
        );
        assert_eq!(
            elements(slice(&matrix(), &[AxisSlice { start: 9, step: 1, length: 0 }, back])),
            (vec![0, 2], vec![])
        );
        assert!(slice(&matrix(), &[AxisSlice { start: 2, step: 1, length: 2 }, back]).is_err());
        assert!(slice(&matrix(), &[AxisSlice { start: 1, step: -1, length: 3 }, back]).is_err());
        assert!(slice(&matrix(), &[back]).is_err());
    }

    #[test]
    fn axes_are_turned_added_and_removed() {
        assert_eq!(elements(transpose(&matrix(), &[1, 0])).1, [0, 4, 8, 1, 5, 9, 2, 6, 10, 3, 7, 11]);
        assert!(transpose(&matrix(), &[0, 0]).is_err());
        let expanded = expand_dims(&matrix(), 1).unwrap();
        assert_eq!(expanded.shape(), [3, 1, 4]);
        assert_eq!(squeeze(&expanded, &[1]).unwrap().shape(), [3, 4]);
        assert!(squeeze(&expanded, &[0]).is_err());
    }

    #[test]
    fn a_block_is_repeated_by_broadcasting() {
        let row = Chunk::from_vec(vec![1_i64, 2], &[2]).unwrap();
        assert_eq!(elements(broadcast_to(&row, &[2, 2])), (vec![2, 2], vec![1, 2, 1, 2]));
        assert!(broadcast_to(&row, &[3]).is_err());
        assert!(broadcast_to(&row, &[]).is_err());
    }

    #[test]
    fn reshaping_keeps_c_order() {
        let turned = transpose(&matrix(), &[1, 0]).unwrap();
        assert_eq!(elements(reshape(&turned, &[2, 6])).1, elements(Ok(turned)).1);
        assert!(reshape(&matrix(), &[5]).is_err());
    }
}

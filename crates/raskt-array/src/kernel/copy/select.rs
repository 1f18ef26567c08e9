//! Elements chosen by a list of indices or by a mask.

use super::{ELEMENTS_PER_CHECK, invalid, retyped, with_size};
use raskt_value::{CancelToken, Chunk, DType, Element, ErrorKind, TaskError};

/// The elements at `indices` along `axis`; negative indices count from the end.
pub fn take(chunk: &Chunk, axis: usize, indices: &[i64], cancel: &CancelToken) -> Result<Chunk, TaskError> {
    let Some(&length) = chunk.shape().get(axis) else {
        return Err(invalid(format!("axis {axis} is out of bounds for an array of {} axes", chunk.shape().len())));
    };
    let positions = indices.iter().map(|&index| position(index, length)).collect::<Result<Vec<_>, _>>()?;
    with_size!(chunk.dtype(), T => take_as::<T>(chunk, axis, &positions, cancel))
}

/// The elements where `mask` is true: along `axis` if there is one (the mask has one axis), else of the flattened
/// block (the mask has the shape of the block).
pub fn compress(chunk: &Chunk, mask: &Chunk, axis: Option<usize>, cancel: &CancelToken) -> Result<Chunk, TaskError> {
    if mask.dtype() != DType::Bool {
        return Err(TaskError::new(ErrorKind::Type, format!("a mask is of type bool, not {}", mask.dtype())));
    }
    let expected = match axis {
        Some(axis) => chunk.shape().get(axis..=axis),
        None => Some(chunk.shape()),
    };
    if expected != Some(mask.shape()) {
        return Err(invalid(format!(
            "a mask of shape {:?} does not match a block of {:?}",
            mask.shape(),
            chunk.shape()
        )));
    }
    let mask = mask.to_contiguous();
    let mask = mask.as_slice::<bool>().expect("a contiguous block of bool");
    let Some(axis) = axis else {
        let flat = chunk.to_contiguous();
        return with_size!(chunk.dtype(), T => Ok(compress_flat::<T>(&flat, mask)));
    };
    let positions: Vec<usize> = mask.iter().enumerate().filter(|&(_, &kept)| kept).map(|(at, _)| at).collect();
    with_size!(chunk.dtype(), T => take_as::<T>(chunk, axis, &positions, cancel))
}

fn position(index: i64, length: usize) -> Result<usize, TaskError> {
    let at = if index < 0 { index + length as i64 } else { index };
    let found = usize::try_from(at).ok().filter(|&at| at < length);
    found.ok_or_else(|| invalid(format!("index {index} is out of bounds for axis with size {length}")))
}

fn compress_flat<T: Element>(chunk: &Chunk, mask: &[bool]) -> Chunk {
    let kept = mask.iter().filter(|&&kept| kept).count();
    let mut out = Vec::<T>::with_capacity(kept + 1);
    let (start, room) = (chunk.as_ptr().cast::<T>(), out.as_mut_ptr());
    let mut length = 0;
    for (at, &kept) in mask.iter().enumerate() {
        // Without a branch: each element is written, and those that are left out are overwritten.
        // SAFETY: the mask has as many elements as the block, and at most `kept + 1` places are written.
        unsafe { *room.add(length) = *start.add(at) };
        length += usize::from(kept);
    }
    // SAFETY: `length` elements were written, and `kept` is as many.
    unsafe { out.set_len(length) };
    retyped(out, chunk.dtype(), &[length])
}

/// Copies the rows (all axes after `axis`) at each of the positions, for each place along the axes before.
fn take_as<T: Element>(
    chunk: &Chunk,
    axis: usize,
    positions: &[usize],
    cancel: &CancelToken,
) -> Result<Chunk, TaskError> {
    let source = chunk.to_contiguous();
    let mut shape = chunk.shape().to_vec();
    let (outer, length) = (shape[..axis].iter().product::<usize>(), shape[axis]);
    let row: usize = shape[axis + 1..].iter().product();
    shape[axis] = positions.len();
    let count = shape.iter().product();
    let mut out = Vec::<T>::with_capacity(count);
    if count == 0 {
        return Ok(retyped(out, chunk.dtype(), &shape));
    }
    // SAFETY: the block is contiguous, and its elements are of the size of `T`.
    let elements = unsafe { std::slice::from_raw_parts(source.as_ptr().cast::<T>(), source.len()) };
    let rows_per_check = ELEMENTS_PER_CHECK.div_ceil(row);
    for plane in elements.chunks_exact(length * row).take(outer) {
        for positions in positions.chunks(rows_per_check) {
            if cancel.is_cancelled() {
                return Err(TaskError::cancelled());
            }
            match row {
                1 => out.extend(positions.iter().map(|&at| plane[at])),
                _ => positions.iter().for_each(|&at| out.extend_from_slice(&plane[at * row..(at + 1) * row])),
            }
        }
    }
    Ok(retyped(out, chunk.dtype(), &shape))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matrix() -> Chunk {
        Chunk::from_vec((0..6_i64).collect(), &[2, 3]).unwrap()
    }

    fn check(found: Result<Chunk, TaskError>, shape: &[usize], elements: &[i64]) {
        let found = found.unwrap();
        assert_eq!((found.shape(), found.as_slice::<i64>().unwrap()), (shape, elements));
    }

    #[test]
    fn rows_and_columns_are_taken() {
        let cancel = CancelToken::default();
        check(take(&matrix(), 0, &[1, 1, -2], &cancel), &[3, 3], &[3, 4, 5, 3, 4, 5, 0, 1, 2]);
        check(take(&matrix(), 1, &[-1, 0], &cancel), &[2, 2], &[2, 0, 5, 3]);
        check(take(&matrix(), 1, &[], &cancel), &[2, 0], &[]);
        let error = take(&matrix(), 1, &[3], &cancel).unwrap_err();
        assert_eq!(error.message, "index 3 is out of bounds for axis with size 3");
        assert!(take(&matrix(), 1, &[-4], &cancel).is_err());
        assert!(take(&matrix(), 2, &[0], &cancel).is_err());
    }

    #[test]
    fn masks_choose_elements_and_rows() {
        let cancel = CancelToken::default();
        let flat = Chunk::from_vec(vec![true, false, true, false, false, true], &[2, 3]).unwrap();
        check(compress(&matrix(), &flat, None, &cancel), &[3], &[0, 2, 5]);
        let rows = Chunk::from_vec(vec![false, true], &[2]).unwrap();
        check(compress(&matrix(), &rows, Some(0), &cancel), &[1, 3], &[3, 4, 5]);
        assert!(compress(&matrix(), &rows, Some(1), &cancel).is_err());
        assert!(compress(&matrix(), &rows, None, &cancel).is_err());
        assert!(compress(&matrix(), &matrix(), None, &cancel).is_err());
    }
}

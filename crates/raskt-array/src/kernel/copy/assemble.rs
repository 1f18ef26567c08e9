//! Blocks put together from pieces.

use super::{ELEMENTS_PER_CHECK, invalid, retyped, with_size};
use crate::kernel::walk::Walk;
use raskt_value::{CancelToken, Chunk, DType, Element, TaskError};
use std::ops::Range;

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

/// A block of `shape` put together from pieces that cover it, each element once.
///
/// One piece that is all of the output is given back as it is.
pub fn assemble(dtype: DType, shape: &[usize], pieces: &[Piece], cancel: &CancelToken) -> Result<Chunk, TaskError> {
    for piece in pieces {
        let own = piece.chunk.shape();
        let within = own.iter().zip(&piece.at).zip(shape).all(|((&length, &at), &end)| at <= end && length <= end - at);
        let of_axes = own.len() == shape.len() && piece.at.len() == shape.len();
        if piece.chunk.dtype() != dtype || !of_axes || !within {
            let found = piece.chunk.dtype();
            return Err(invalid(format!(
                "a piece of {found} {own:?} at {:?} isn't in a block of {dtype} {shape:?}",
                piece.at
            )));
        }
    }
    check_cover(shape, pieces.iter().map(|piece| piece.chunk.len()).sum())?;
    if let [piece] = pieces {
        return Ok(piece.chunk.clone());
    }
    with_size!(dtype, T => {
        let mut out = zeroed::<T>(shape.iter().product());
        for piece in pieces {
            place::<T>(&mut out, shape, piece, cancel)?;
        }
        Ok(retyped(out, dtype, shape))
    })
}

/// A block of `shape` put together from runs in C order that cover it (a block of a reshaped array).
pub fn assemble_flat(
    dtype: DType,
    shape: &[usize],
    pieces: &[FlatPiece],
    cancel: &CancelToken,
) -> Result<Chunk, TaskError> {
    let length: usize = shape.iter().product();
    for FlatPiece { chunk, range, at } in pieces {
        if chunk.dtype() != dtype || range.end > chunk.len() || range.start > range.end || at + range.len() > length {
            let (found, own) = (chunk.dtype(), chunk.shape());
            return Err(invalid(format!(
                "a run {range:?} of {found} {own:?} at {at} isn't in a block of {dtype} {shape:?}"
            )));
        }
    }
    check_cover(shape, pieces.iter().map(|piece| piece.range.len()).sum())?;
    with_size!(dtype, T => {
        let mut out = zeroed::<T>(length);
        for piece in pieces {
            let part = &mut out[piece.at..piece.at + piece.range.len()];
            copy_run::<T>(&piece.chunk, piece.range.start, part, cancel)?;
        }
        Ok(retyped(out, dtype, shape))
    })
}

fn check_cover(shape: &[usize], found: usize) -> Result<(), TaskError> {
    let wanted = shape.iter().try_fold(1_usize, |count, &length| count.checked_mul(length));
    if wanted == Some(found) {
        Ok(())
    } else {
        Err(invalid(format!("{found} elements were given for a block of shape {shape:?}")))
    }
}

/// Room that pieces are written into; zeroed, since nothing but their sizes says that they cover it.
fn zeroed<T: Element>(length: usize) -> Vec<T> {
    // SAFETY: all bits zero are a value of every element type.
    vec![unsafe { std::mem::zeroed::<T>() }; length]
}

fn place<T: Element>(out: &mut [T], shape: &[usize], piece: &Piece, cancel: &CancelToken) -> Result<(), TaskError> {
    let chunk = &piece.chunk;
    if chunk.is_empty() {
        return Ok(());
    }
    // Rows of the piece are runs of the output; neighbouring rows that are whole in both are one.
    let own = chunk.shape();
    let mut row = 1;
    let mut outer = own.len();
    while outer > 0 && (outer == own.len() || own[outer] == shape[outer]) {
        outer -= 1;
        row *= own[outer];
    }
    let steps = c_steps(shape);
    let origin: i64 = piece.at.iter().zip(&steps).map(|(&at, &step)| at as i64 * step).sum();
    let rows = Walk::new(&own[..outer], steps[..outer].iter().copied(), origin);
    let mut done = Ok(());
    rows.for_each_run(0, own[..outer].iter().product(), |run| {
        for at in 0..run.length {
            if done.is_ok() {
                let start = (run.index + run.step * at as i64) as usize;
                done = copy_run(chunk, (run.at + at) * row, &mut out[start..start + row], cancel);
            }
        }
    });
    done
}

fn c_steps(shape: &[usize]) -> Vec<i64> {
    let mut steps = vec![1; shape.len()];
    for axis in (1..shape.len()).rev() {
        steps[axis - 1] = steps[axis] * shape[axis] as i64;
    }
    steps
}

/// Copies the elements of `chunk` from position `start` in C order.
fn copy_run<T: Element>(chunk: &Chunk, start: usize, out: &mut [T], cancel: &CancelToken) -> Result<(), TaskError> {
    if out.is_empty() {
        return Ok(());
    }
    let walk = Walk::new(chunk.shape(), chunk.strides().iter().map(|&stride| stride as i64), 0);
    let first = chunk.as_ptr().cast::<T>();
    for (number, out) in out.chunks_mut(ELEMENTS_PER_CHECK).enumerate() {
        if cancel.is_cancelled() {
            return Err(TaskError::cancelled());
        }
        walk.for_each_run(start + number * ELEMENTS_PER_CHECK, out.len(), |run| {
            let out = &mut out[run.at..run.at + run.length];
            let from = first.wrapping_offset(run.index as isize);
            // SAFETY: every index of the walk is within the block, whose elements are of the size of `T`.
            unsafe {
                if run.step == 1 {
                    std::ptr::copy_nonoverlapping(from, out.as_mut_ptr(), out.len());
                } else {
                    for (at, out) in out.iter_mut().enumerate() {
                        *out = *from.wrapping_offset(run.step as isize * at as isize);
                    }
                }
            }
        });
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::{AxisSlice, slice, transpose};
    use super::*;

    fn counted(shape: &[usize], first: i64) -> Chunk {
        Chunk::from_vec((first..first + shape.iter().product::<usize>() as i64).collect(), shape).unwrap()
    }

    #[test]
    fn pieces_of_any_layout_make_a_block() {
        let turned = transpose(&counted(&[2, 3], 0), &[1, 0]).unwrap();
        let reversed =
            slice(&counted(&[3, 1], 10), &[AxisSlice { start: 2, step: -1, length: 3 }, AxisSlice::whole(1)]).unwrap();
        let pieces = [Piece { chunk: turned, at: vec![0, 1] }, Piece { chunk: reversed, at: vec![0, 0] }];
        let block = assemble(DType::I64, &[3, 3], &pieces, &CancelToken::default()).unwrap();
        assert_eq!(block.as_slice::<i64>().unwrap(), [12, 0, 3, 11, 1, 4, 10, 2, 5]);
    }

    #[test]
    fn every_way_to_cut_three_axes_is_put_together_again() {
        let (whole, shape) = (counted(&[3, 4, 5], 0), [3, 4, 5]);
        for cuts in [[1, 2, 3], [2, 0, 5], [3, 4, 1], [0, 1, 2]] {
            let mut pieces = vec![];
            for corner in 0..8 {
                let part = |axis: usize| {
                    let (cut, end) = (cuts[axis], shape[axis]);
                    if corner >> axis & 1 == 0 { 0..cut } else { cut..end }
                };
                let slices: Vec<_> = (0..3)
                    .map(|axis| AxisSlice { start: part(axis).start, step: 1, length: part(axis).len() })
                    .collect();
                let chunk = slice(&whole, &slices).unwrap();
                pieces.push(Piece { chunk, at: (0..3).map(|axis| part(axis).start).collect() });
            }
            let block = assemble(DType::I64, &shape, &pieces, &CancelToken::default()).unwrap();
            assert_eq!(block.as_slice::<i64>(), whole.as_slice::<i64>());
        }
    }

    #[test]
    fn runs_in_c_order_make_a_block() {
        let turned = transpose(&counted(&[2, 3], 0), &[1, 0]).unwrap();
        let pieces = [
            FlatPiece { chunk: turned, range: 2..6, at: 1 },
            FlatPiece { chunk: counted(&[2], 7), range: 1..2, at: 0 },
        ];
        let block = assemble_flat(DType::I64, &[5, 1], &pieces, &CancelToken::default()).unwrap();
        assert_eq!(block.as_slice::<i64>().unwrap(), [8, 1, 4, 2, 5]);
    }

    #[test]
    fn pieces_that_do_not_fit_are_refused() {
        let cancel = CancelToken::default();
        let piece = |at: usize| [Piece { chunk: counted(&[2], 0), at: vec![at] }];
        assert!(assemble(DType::I64, &[2], &piece(1), &cancel).is_err());
        assert!(assemble(DType::I64, &[3], &piece(0), &cancel).is_err());
        assert!(assemble(DType::F64, &[2], &piece(0), &cancel).is_err());
        assert!(assemble(DType::I64, &[0, 3], &[], &cancel).unwrap().is_empty());
    }
}

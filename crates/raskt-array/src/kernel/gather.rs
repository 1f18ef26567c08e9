//! Brings the elements of blocks into tiles, and tiles into blocks.

use super::operand::{Operand, Target};
use super::walk::Walk;
use raskt_value::{Chunk, Element};

/// The strides of `chunk` seen as a block of `shape`: zero where it is repeated.
pub(super) fn broadcast_strides(chunk: &Chunk, shape: &[usize]) -> Vec<i64> {
    let missing = shape.len() - chunk.shape().len();
    let own = chunk.shape().iter().zip(chunk.strides());
    let strides = own.map(|(&length, &stride)| if length == 1 { 0 } else { stride as i64 });
    std::iter::repeat_n(0, missing).chain(strides).collect()
}

/// Copies elements of a strided block.
///
/// # Safety
/// The walk stays within the elements of type `T` around `start`, and `out` has room for them.
pub(super) unsafe fn gather<T: Element>(start: *const u8, walk: &Walk, first: usize, out: Target) {
    // SAFETY: as the caller promises.
    let out = unsafe { out.slice::<T>() };
    let start = start.cast::<T>();
    walk.for_each_run(first, out.len(), |run| {
        let out = &mut out[run.at..run.at + run.length];
        let from = start.wrapping_offset(run.index as isize);
        // SAFETY: every index of the run is within the block.
        unsafe {
            match run.step {
                0 => out.fill(std::mem::MaybeUninit::new(*from)),
                1 => std::ptr::copy_nonoverlapping(from, out.as_mut_ptr().cast(), out.len()),
                step => {
                    for (at, out) in out.iter_mut().enumerate() {
                        out.write(*from.wrapping_offset(step as isize * at as isize));
                    }
                }
            }
        }
    });
}

/// Copies a tile, or repeats its one element.
///
/// # Safety
/// Operand and target are of type `T`, and disjoint.
pub(super) unsafe fn copy<T: Element>(from: Operand, to: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        let to = to.slice::<T>();
        if from.uniform {
            to.fill(std::mem::MaybeUninit::new(from.slice::<T>(1)[0]));
        } else {
            std::ptr::copy_nonoverlapping(from.start.cast::<T>(), to.as_mut_ptr().cast::<T>(), to.len());
        }
    }
}

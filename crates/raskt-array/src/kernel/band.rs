//! Random numbers whose neighbours aren't neighbours where they are wanted: those of a transposed array.
//!
//! The generator makes groups of neighbours at a time, and one number alone costs it ten times as much. So a band of rows is made
//! column by column, as its numbers follow one another, and is read row by row.

use super::operand::Target;
use super::walk::{Run, Walk};
use super::{Generator, Random, Source};
use raskt_value::{Element, TaskError};
use std::mem::MaybeUninit;

/// Rows of a band, the most that fit being taken.
const WIDTHS: [usize; 3] = [64, 32, 16];
/// Elements of a band of the least rows: it is to stay in the cache of a core.
const ELEMENTS_MAX: usize = 1 << 18;
/// Fewer rows than these are made one number at a time.
const ROWS_MIN: usize = 4;

/// A source that is made band by band.
pub(super) struct Band<'a> {
    random: &'a Random,
    /// Where the rows begin, by what is outside of them.
    outside: Walk,
    rows: usize,
    /// The numbers of a column go down instead of up.
    is_reversed: bool,
    /// The columns, from the first of a row.
    columns: Walk,
    column_count: usize,
    width: usize,
    /// The band that `elements` hold: what it is outside, and its number there.
    held: Option<(usize, usize)>,
    /// Column by column.
    elements: Vec<u64>,
}

impl<'a> Band<'a> {
    /// The band of a source that is read along `walk`, if it is worth one.
    pub fn of(source: &'a Source, walk: &Walk) -> Option<Self> {
        let Generator::Random(random) = &source.generator else { return None };
        let (shape, steps) = (walk.shape(), walk.steps());
        let inner = steps.len().checked_sub(1)?;
        if random.distribution.by_rejection() || matches!(steps[inner], -1..=1) {
            return None;
        }
        let axis = (0..inner).find(|&axis| matches!(steps[axis], -1 | 1) && shape[axis] >= ROWS_MIN)?;
        let column_count = shape[axis + 1..].iter().try_fold(1_usize, |count, &length| count.checked_mul(length))?;
        let fits = |width: &usize| column_count.checked_mul(*width).is_some_and(|count| count <= ELEMENTS_MAX);
        let width = WIDTHS.into_iter().find(fits)?;
        // Eight bytes of a u64 are one element or a part of one.
        let words = (column_count * width * source.dtype.size()).div_ceil(size_of::<u64>());
        Some(Self {
            random,
            outside: Walk::new(&shape[..axis], steps[..axis].iter().copied(), walk.base()),
            rows: shape[axis],
            is_reversed: steps[axis] == -1,
            columns: Walk::new(&shape[axis + 1..], steps[axis + 1..].iter().copied(), 0),
            column_count,
            width,
            held: None,
            elements: vec![0; words],
        })
    }

    /// Writes the elements `start..`, in C order.
    ///
    /// # Safety
    /// `T` is the type of the source, and `out` has room for elements of it.
    pub unsafe fn fill<T: Element>(&mut self, start: usize, out: Target) -> Result<(), TaskError> {
        // SAFETY: as the caller promises.
        let out = unsafe { out.slice::<T>() };
        let mut done = 0;
        while done < out.len() {
            let (row, column) = ((start + done) / self.column_count, (start + done) % self.column_count);
            let (outside, row) = (row / self.rows, row % self.rows);
            // SAFETY: as the caller promises.
            unsafe { self.hold::<T>(outside, row / self.width)? };
            let count = (self.column_count - column).min(out.len() - done);
            let first = row - row % self.width;
            let within = if self.is_reversed { self.height(first) - 1 - (row - first) } else { row - first };
            // SAFETY: there are as many elements of `T`, which `hold` has written.
            let held: &[MaybeUninit<T>] =
                unsafe { std::slice::from_raw_parts(self.elements.as_ptr().cast(), self.column_count * self.width) };
            let columns = held[column * self.width..].chunks_exact(self.width);
            for (out, column) in out[done..done + count].iter_mut().zip(columns) {
                *out = column[within];
            }
            done += count;
        }
        Ok(())
    }

    /// Rows of the band that begins with row `first`.
    fn height(&self, first: usize) -> usize {
        self.width.min(self.rows - first)
    }

    /// Makes a band, unless it is there.
    unsafe fn hold<T: Element>(&mut self, outside: usize, number: usize) -> Result<(), TaskError> {
        if self.held == Some((outside, number)) {
            return Ok(());
        }
        self.held = None;
        let first = number * self.width;
        let height = self.height(first);
        let lowest = if self.is_reversed { -((first + height - 1) as i64) } else { first as i64 };
        let mut base = 0_i64;
        self.outside.for_each_run(outside, 1, |run| base = run.index.wrapping_add(lowest));
        let start = self.elements.as_mut_ptr().cast::<u8>();
        let (random, width) = (self.random, self.width);
        let mut made = Ok(());
        self.columns.for_each_run(0, self.column_count, |run| {
            for at in 0..run.length {
                let index = base.wrapping_add(run.index).wrapping_add(run.step.wrapping_mul(at as i64));
                let offset = (run.at + at) * width * size_of::<T>();
                let out = Target { start: start.wrapping_add(offset), length: height };
                // SAFETY: a part of the elements, no longer than a tile.
                let one = unsafe { random.generate(T::DTYPE, Run { at: 0, index, step: 1, length: height }, out) };
                if one.is_err() {
                    made = one;
                }
            }
        });
        made?;
        self.held = Some((outside, number));
        Ok(())
    }
}

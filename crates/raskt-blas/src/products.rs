//! Products of matrices by functions of a library: `gemm`, `syrk` and `herk`.

mod scalar;

use crate::family::{Family, OF_OPENMP, WIDE};
use crate::library::Handle;
pub use scalar::Scalar;
use std::ffi::{CString, c_int, c_void};
use std::marker::PhantomData;
use std::ptr::NonNull;

/// The functions of one library, for `float32`, `float64`, `complex64` and `complex128`, in this order.
pub struct Blas {
    gemm: [NonNull<c_void>; 4],
    /// `syrk` for the real ones, `herk` for the others.
    gram: [NonNull<c_void>; 4],
    /// Its lengths have 64 bits, and not 32 as far as is known.
    is_wide: bool,
}

// SAFETY: functions are the same on each thread, and take no lock of ours.
unsafe impl Send for Blas {}
// SAFETY: as above.
unsafe impl Sync for Blas {}

/// A matrix whose elements lie beside one another along one of its axes.
pub struct View<'a, T> {
    start: *const T,
    shape: [usize; 2],
    /// Elements from one row to the next, or from one column to the next if those lie together.
    stride: usize,
    is_by_column: bool,
    elements: PhantomData<&'a [T]>,
}

// SAFETY: it is a borrowed slice, of which elements are read alone.
unsafe impl<T: Sync> Send for View<'_, T> {}
// SAFETY: as above.
unsafe impl<T: Sync> Sync for View<'_, T> {}

impl<T> View<'_, T> {
    /// One whose elements are so far from each other along its axes; nothing if they lie beside one another along neither, or in reverse.
    ///
    /// # Safety
    ///
    /// There are elements at all places that this says, and nobody writes to them meanwhile.
    pub unsafe fn new(start: *const T, shape: [usize; 2], strides: [isize; 2]) -> Option<Self> {
        let [rows, columns] = shape;
        // Along an axis of one element nothing is stepped.
        let lies = |axis: usize| shape[axis] <= 1 || strides[axis] == 1;
        let step = |axis: usize, width: usize| match shape[axis] {
            0 | 1 => Some(width.max(1)),
            _ => usize::try_from(strides[axis]).ok().filter(|&stride| stride >= width.max(1)),
        };
        let by_row = || lies(1).then(|| step(0, columns)).flatten().map(|stride| (stride, false));
        let by_column = || lies(0).then(|| step(1, rows)).flatten().map(|stride| (stride, true));
        let (stride, is_by_column) = by_row().or_else(by_column)?;
        Some(Self { start, shape, stride, is_by_column, elements: PhantomData })
    }

    /// Rows and columns.
    pub fn shape(&self) -> [usize; 2] {
        self.shape
    }

    /// The rows from one up to another.
    pub fn rows(&self, from: usize, to: usize) -> Self {
        assert!(from <= to && to <= self.shape[0], "rows {from} to {to} of {}", self.shape[0]);
        let step = if self.is_by_column { 1 } else { self.stride };
        // SAFETY: it is within the matrix, or where it ends.
        let start = unsafe { self.start.add(if from < to { from * step } else { 0 }) };
        Self { start, shape: [to - from, self.shape[1]], ..*self }
    }
}

/// How a matrix lies: row after row.
const ROWS: c_int = 101;
const AS_IT_IS: c_int = 111;
const TRANSPOSED: c_int = 112;
const ADJOINT: c_int = 113;
const UPPER: c_int = 121;

impl Blas {
    /// The functions of a library, if it has them all and they multiply as they should.
    pub(crate) fn find(family: &Family, handle: &Handle, text: Option<&str>) -> Option<Self> {
        let says = |word: &str| text.is_some_and(|text| text.contains(word));
        if says(OF_OPENMP) {
            return None;
        }
        let found = family.products.iter().find_map(|&(before, behind, is_wide)| {
            let find = |name: &str| handle.find(&CString::new(format!("{before}{name}{behind}")).ok()?);
            let gemm = [find("sgemm")?, find("dgemm")?, find("cgemm")?, find("zgemm")?];
            let gram = [find("ssyrk")?, find("dsyrk")?, find("cherk")?, find("zherk")?];
            Some(Self { gemm, gram, is_wide: is_wide || says(WIDE) })
        });
        found.filter(Self::multiplies)
    }

    /// How many bits its lengths have.
    pub fn bits(&self) -> u32 {
        if self.is_wide { 64 } else { 32 }
    }

    /// Adds `a @ b` to `out`, whose rows lie one after the other. `false` if a length is more than its functions take: nothing is done then.
    pub fn add_product<T: Scalar>(&self, a: &View<'_, T>, b: &View<'_, T>, out: &mut [T]) -> bool {
        let ([rows, inner], [others, columns]) = (a.shape, b.shape);
        assert!(inner == others && out.len() == rows * columns, "{:?} @ {:?} in {}", a.shape, b.shape, out.len());
        if rows == 0 || columns == 0 || inner == 0 {
            return true;
        }
        let side = |operand: &View<'_, T>| if operand.is_by_column { TRANSPOSED } else { AS_IT_IS };
        let lengths = [rows, columns, inner, a.stride, b.stride, columns];
        if !self.takes(&lengths) {
            return false;
        }
        let function = self.gemm[T::NUMBER];
        let [a, b] = [(side(a), a.start), (side(b), b.start)];
        // SAFETY: the function has the name of this type; the operands are as long as they say, the output as checked above.
        unsafe { T::gemm(function, lengths, a, b, out.as_mut_ptr()) };
        true
    }

    /// The Gram matrix, the adjoint of `a` times `a`, in `out`, whose rows lie one after the other. `false` as above.
    pub fn gram<T: Scalar>(&self, a: &View<'_, T>, out: &mut [T]) -> bool {
        let [rows, columns] = a.shape;
        assert!(out.len() == columns * columns, "the square of {columns} columns in {}", out.len());
        let lengths = [columns, rows, a.stride, columns];
        if !self.takes(&lengths) {
            return false;
        }
        if columns == 0 || rows == 0 {
            out.fill(T::ZERO);
            return true;
        }
        // Column by column it is the transpose, row by row, whose product with its own adjoint is the conjugate of what is asked for.
        let side = if a.is_by_column { AS_IT_IS } else { ADJOINT };
        // SAFETY: as above.
        unsafe { T::gram(self.gram[T::NUMBER], lengths, (side, a.start), out.as_mut_ptr()) };
        for row in 0..columns {
            for column in row..columns {
                let upper = out[row * columns + column];
                let (upper, lower) =
                    if a.is_by_column { (upper.conjugate(), upper) } else { (upper, upper.conjugate()) };
                (out[row * columns + column], out[column * columns + row]) = (upper, lower);
            }
        }
        true
    }

    fn takes(&self, lengths: &[usize]) -> bool {
        let most = if self.is_wide { i64::MAX as usize } else { i32::MAX as usize };
        lengths.iter().all(|&length| length <= most)
    }

    /// Whether it does as it should: its names may be those of functions with other lengths.
    fn multiplies(&self) -> bool {
        let (a, b) = ([1.0_f64, 2.0, 3.0, 4.0, 5.0, 6.0], [1.0_f64, 0.0, 2.0, -1.0, 0.0, 3.0]);
        // SAFETY: the arrays have as many elements as the shapes say.
        let operands = unsafe { (View::new(a.as_ptr(), [2, 3], [3, 1]), View::new(b.as_ptr(), [3, 2], [1, 3])) };
        let (Some(a), Some(b)) = operands else { return false };
        let (mut product, mut square) = ([100.0, 0.0, 0.0, 0.0], [7.0; 9]);
        self.add_product(&a, &b, &mut product)
            && product == [107.0, 8.0, 16.0, 14.0][..]
            && self.gram(&a, &mut square)
            && square == [17.0, 22.0, 27.0, 22.0, 29.0, 36.0, 27.0, 36.0, 45.0]
    }
}

#[cfg(test)]
mod tests;

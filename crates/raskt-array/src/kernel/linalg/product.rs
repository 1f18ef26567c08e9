//! Products of matrices.

use super::blas;
use super::field::{Field, Matrix, failed};
use crate::kernel::check_size;
use crate::kernel::copy::{AxisSlice, broadcast_to, slice};
use crate::kernel::number::Integer;
use faer::linalg::matmul::matmul as faer_matmul;
use faer::{Accum, MatMut, Par};
use raskt_value::complex::Complex;
use raskt_value::{Call, Chunk, DType, Element, TaskError};

/// The sum over `pairs` of the products `a @ b`, in their order; all of one data type.
///
/// Blocks may have leading axes (stacks of matrices), which are broadcast. Integers wrap; `bool` is *or* of *and*.
pub fn matmul(pairs: &[(&Chunk, &Chunk)], call: &Call<'_>) -> Result<Chunk, TaskError> {
    let Some((first, _)) = pairs.first() else {
        return Err(failed("a product needs at least one pair of blocks".to_owned()));
    };
    let dtype = first.dtype();
    let shapes = pairs.iter().map(|(a, b)| Shapes::new(a, b, dtype)).collect::<Result<Vec<_>, _>>()?;
    let result = shapes[0].result();
    if let Some(other) = shapes.iter().find(|other| other.result() != result) {
        return Err(failed(format!("products of shapes {result:?} and {:?} can't be added", other.result())));
    }
    // Blocks whose elements are repeated may be long, and what they give isn't repeated.
    check_size(&result, dtype)?;
    match dtype {
        DType::F32 => stacked(pairs, &shapes, call, field_product::<f32>, as_they_are),
        DType::F64 => stacked(pairs, &shapes, call, field_product::<f64>, as_they_are),
        DType::C64 => stacked(pairs, &shapes, call, field_product::<Complex<f32>>, times_one),
        DType::C128 => stacked(pairs, &shapes, call, field_product::<Complex<f64>>, times_one),
        DType::Bool => stacked(pairs, &shapes, call, boolean_product, as_they_are),
        DType::I8 => stacked(pairs, &shapes, call, integer_product::<i8>, as_they_are),
        DType::I16 => stacked(pairs, &shapes, call, integer_product::<i16>, as_they_are),
        DType::I32 => stacked(pairs, &shapes, call, integer_product::<i32>, as_they_are),
        DType::I64 => stacked(pairs, &shapes, call, integer_product::<i64>, as_they_are),
        DType::U8 => stacked(pairs, &shapes, call, integer_product::<u8>, as_they_are),
        DType::U16 => stacked(pairs, &shapes, call, integer_product::<u16>, as_they_are),
        DType::U32 => stacked(pairs, &shapes, call, integer_product::<u32>, as_they_are),
        DType::U64 => stacked(pairs, &shapes, call, integer_product::<u64>, as_they_are),
    }
}

/// The Gram matrix `conj(a.T) @ a` of a tall block; `float32` is accumulated, and given, in `float64` (integers too,
/// and `complex64` in `complex128`).
pub fn gram(a: &Chunk, call: &Call<'_>) -> Result<Chunk, TaskError> {
    match a.dtype() {
        DType::C64 | DType::C128 => gram_as::<Complex<f64>>(a, call),
        _ => gram_as::<f64>(a, call),
    }
}

fn gram_as<T: Field>(a: &Chunk, call: &Call<'_>) -> Result<Chunk, TaskError> {
    let matrix = Matrix::new::<T>(a)?;
    let columns = matrix.shape()[1];
    let mut out = vec![T::ZERO; columns * columns];
    if !matrix.is_empty() && !blas::gram(&matrix, &mut out) {
        let view = matrix.view::<T>();
        let target = MatMut::from_row_major_slice_mut(&mut out, columns, columns);
        faer_matmul(target, Accum::Replace, view.adjoint(), view, T::ONE, parallelism(call));
    }
    Chunk::from_vec(out, &[columns, columns]).map_err(|error| failed(error.to_string()))
}

/// The shapes of a product: of the leading axes, and rows, columns and what is summed over.
struct Shapes {
    stack: Vec<usize>,
    rows: usize,
    inner: usize,
    columns: usize,
}

impl Shapes {
    fn new(a: &Chunk, b: &Chunk, dtype: DType) -> Result<Self, TaskError> {
        let (left, right) = (a.shape(), b.shape());
        let refused = || failed(format!("blocks of shape {left:?} and {right:?} can't be multiplied"));
        if a.dtype() != dtype || b.dtype() != dtype {
            return Err(failed(format!("blocks of {} and {} can't be multiplied as {dtype}", a.dtype(), b.dtype())));
        }
        if left.len() < 2 || right.len() < 2 {
            return Err(refused());
        }
        let (left_stack, left) = left.split_at(left.len() - 2);
        let (right_stack, right) = right.split_at(right.len() - 2);
        if left[1] != right[0] {
            return Err(refused());
        }
        let stack = broadcast(left_stack, right_stack).ok_or_else(refused)?;
        Ok(Self { stack, rows: left[0], inner: left[1], columns: right[1] })
    }

    fn result(&self) -> Vec<usize> {
        [self.stack.as_slice(), &[self.rows, self.columns]].concat()
    }
}

fn broadcast(a: &[usize], b: &[usize]) -> Option<Vec<usize>> {
    let axes = a.len().max(b.len());
    let length = |shape: &[usize], axis: usize| (axis + shape.len()).checked_sub(axes).map_or(1, |at| shape[at]);
    let both = (0..axes).map(|axis| (length(a, axis), length(b, axis)));
    both.map(|pair| match pair {
        (x, y) if x == y || y == 1 => Some(x),
        (1, y) => Some(y),
        _ => None,
    })
    .collect()
}

/// Multiplies each pair of matrices of the stacks, and adds them up over the pairs.
fn stacked<T: Element>(
    pairs: &[(&Chunk, &Chunk)],
    shapes: &[Shapes],
    call: &Call<'_>,
    product: impl Fn(&Chunk, &Chunk, &mut [T], &Call<'_>) -> Result<(), TaskError>,
    finish: impl Fn(&mut [T]),
) -> Result<Chunk, TaskError> {
    let result = shapes[0].result();
    // SAFETY: all bits zero are the zero of every element type.
    let mut out = vec![unsafe { std::mem::zeroed::<T>() }; result.iter().product()];
    let size = shapes[0].rows * shapes[0].columns;
    for ((a, b), shape) in pairs.iter().zip(shapes) {
        let a = broadcast_to(a, &[shape.stack.as_slice(), &[shape.rows, shape.inner]].concat())?;
        let b = broadcast_to(b, &[shape.stack.as_slice(), &[shape.inner, shape.columns]].concat())?;
        for (at, out) in out.chunks_exact_mut(size.max(1)).enumerate() {
            call.check_cancelled()?;
            product(&member(&a, at)?, &member(&b, at)?, out, call)?;
        }
    }
    finish(&mut out);
    Chunk::from_vec(out, &result).map_err(|error| failed(error.to_string()))
}

fn as_they_are<T>(_products: &mut [T]) {}

/// Multiplies by `1 + 0j`, as BLAS does it last: an infinity or NaN in one part makes the other one NaN, so that it
/// doesn't matter in which order, and in which blocks, products were added.
fn times_one<T: Field>(products: &mut [T]) {
    for product in products {
        *product = product.times(T::ONE);
    }
}

/// Matrix `at`, in C order, of a stack.
fn member(stack: &Chunk, at: usize) -> Result<Chunk, TaskError> {
    let axes = stack.shape().len() - 2;
    let mut slices: Vec<AxisSlice> = stack.shape().iter().map(|&length| AxisSlice::whole(length)).collect();
    let mut rest = at;
    for axis in (0..axes).rev() {
        let length = stack.shape()[axis];
        slices[axis] = AxisSlice { start: rest % length, step: 1, length: 1 };
        rest /= length;
    }
    crate::kernel::copy::squeeze(&slice(stack, &slices)?, &(0..axes).collect::<Vec<_>>())
}

fn parallelism(call: &Call<'_>) -> Par {
    if call.threads > 1 { Par::rayon(call.threads) } else { Par::Seq }
}

fn field_product<T: Field>(a: &Chunk, b: &Chunk, out: &mut [T], call: &Call<'_>) -> Result<(), TaskError> {
    let (a, b) = (Matrix::new::<T>(a)?, Matrix::new::<T>(b)?);
    if a.is_empty() || b.is_empty() {
        return Ok(());
    }
    if blas::add_product(&a, &b, out, call.threads) {
        return Ok(());
    }
    let target = MatMut::from_row_major_slice_mut(out, a.shape()[0], b.shape()[1]);
    faer_matmul(target, Accum::Add, a.view::<T>(), b.view::<T>(), T::ONE, parallelism(call));
    Ok(())
}

fn integer_product<T: Integer>(a: &Chunk, b: &Chunk, out: &mut [T], call: &Call<'_>) -> Result<(), TaskError> {
    rows_product(a, b, out, call, |out, x, row: &[T]| {
        for (out, &y) in out.iter_mut().zip(row) {
            *out = out.add(x.multiply(y));
        }
    })
}

fn boolean_product(a: &Chunk, b: &Chunk, out: &mut [bool], call: &Call<'_>) -> Result<(), TaskError> {
    rows_product(a, b, out, call, |out, x, row: &[bool]| {
        for (out, &y) in out.iter_mut().zip(row) {
            *out |= x & y;
        }
    })
}

/// Columns of `b` that are worked on together: they stay in the L1 cache with as many of the output.
const COLUMNS: usize = 512;
/// Rows of `b` that are worked on together: with so many columns they stay in the L2 cache.
const ROWS: usize = 64;

/// Adds, for each element of `a`, its multiple of a row of `b` to a row of the output, blockwise.
fn rows_product<T: Element>(
    a: &Chunk,
    b: &Chunk,
    out: &mut [T],
    call: &Call<'_>,
    add_multiple: impl Fn(&mut [T], T, &[T]),
) -> Result<(), TaskError> {
    let (inner, columns) = (a.shape()[1], b.shape()[1]);
    if inner == 0 || out.is_empty() {
        return Ok(());
    }
    let (a, b) = (a.to_contiguous(), b.to_contiguous());
    let (a, b) = (a.as_slice::<T>().unwrap_or(&[]), b.as_slice::<T>().unwrap_or(&[]));
    for first_column in (0..columns).step_by(COLUMNS) {
        let part = first_column..(first_column + COLUMNS).min(columns);
        for first_row in (0..inner).step_by(ROWS) {
            call.check_cancelled()?;
            for (out, a) in out.chunks_exact_mut(columns).zip(a.chunks_exact(inner)) {
                for (row, &factor) in a.iter().enumerate().skip(first_row).take(ROWS) {
                    let start = row * columns;
                    add_multiple(&mut out[part.clone()], factor, &b[start + part.start..start + part.end]);
                }
            }
        }
    }
    Ok(())
}

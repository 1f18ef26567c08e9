//! Functions of whole blocks that are our own.

use super::agree::lengths_differ;
use super::inputs::{block, block_with_axis, coordinates, input, matrix, unfit};
use crate::Scan;
use crate::kernel::{copy, linalg};
use ndarray::{ArrayViewD, Axis};
use raskt_graph::Grid;
use raskt_value::complex::Complex;
use raskt_value::{Call, Chunk, Element, ErrorKind, Kernel, Manifest, TaskError, Value, with_element};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// Several blocks as the result of one task.
fn several<const N: usize>(chunks: [Chunk; N]) -> Value {
    Value::Manifest(Arc::new(Manifest { parts: chunks.into_iter().map(Value::from).collect() }))
}

/// One of several results of a task.
#[derive(Serialize, Deserialize)]
pub(crate) struct Pick(pub(crate) usize);

impl Kernel for Pick {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        match input(inputs, 0)? {
            Value::Manifest(manifest) => {
                let missing = || unfit(format!("there is no result {} of {}", self.0, manifest.parts.len()));
                manifest.parts.get(self.0).cloned().ok_or_else(missing)
            }
            other => {
                Err(TaskError::new(ErrorKind::Type, format!("expected several blocks, got a {}", other.type_name())))
            }
        }
    }

    fn name(&self) -> String {
        "pick".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// The elements of a block along an axis where a mask is true.
#[derive(Serialize, Deserialize)]
pub(crate) struct Filter {
    pub(crate) axis: usize,
}

impl Kernel for Filter {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let (block, mask) = (block_with_axis(inputs, 0, self.axis)?, block(inputs, 1)?);
        let (length, found) = (block.shape()[self.axis], mask.len());
        if length != found {
            return Err(lengths_differ(length, self.axis, found, self.axis));
        }
        Ok(copy::compress(block, mask, Some(self.axis), call.cancel)?.into())
    }

    fn name(&self) -> String {
        "filter".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// The product of two blocks; with a leading axis of length 1 if it is one of several to be added.
#[derive(Serialize, Deserialize)]
pub(crate) struct Product {
    pub(crate) is_part: bool,
}

impl Kernel for Product {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let product = linalg::matmul(&[(block(inputs, 0)?, block(inputs, 1)?)], call)?;
        Ok(if self.is_part { copy::expand_dims(&product, 0)? } else { product }.into())
    }

    fn name(&self) -> String {
        "matmul".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// Q and R of a block.
#[derive(Serialize, Deserialize)]
pub(crate) struct Factor;

impl Kernel for Factor {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let (q, r) = linalg::qr(block(inputs, 0)?, call)?;
        Ok(several([q, r]))
    }

    fn name(&self) -> String {
        "qr".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// R of one block, or of two beside each other.
#[derive(Serialize, Deserialize)]
pub(crate) struct FactorR;

impl Kernel for FactorR {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let (a, [rows, columns]) = matrix(inputs, 0)?;
        if inputs.len() == 1 {
            return Ok(linalg::qr_r(a, call)?.into());
        }
        let (b, [_, others]) = matrix(inputs, 1)?;
        let pieces =
            [copy::Piece { chunk: a.clone(), at: vec![0, 0] }, copy::Piece { chunk: b.clone(), at: vec![0, columns] }];
        let both = copy::assemble(a.dtype(), &[rows, columns + others], &pieces, call.cancel)?;
        Ok(linalg::qr_r(&both, call)?.into())
    }

    fn name(&self) -> String {
        "qr-r".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// U, singular values and V transposed of a block.
#[derive(Serialize, Deserialize)]
pub(crate) struct Singular;

impl Kernel for Singular {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let (u, s, vt) = linalg::svd(block(inputs, 0)?, call)?;
        Ok(several([u, s, vt]))
    }

    fn name(&self) -> String {
        "svd".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// Solution, residuals, rank and singular values of a least-squares problem, from R of its matrix and right-hand sides
/// beside each other.
#[derive(Serialize, Deserialize)]
pub(crate) struct LeastSquares {
    /// Columns of the matrix.
    pub(crate) columns: usize,
    /// Singular values up to this share of the largest count as zero.
    pub(crate) rcond: f64,
}

impl Kernel for LeastSquares {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let (r, [rows, width]) = matrix(inputs, 0)?;
        let Some(sides) = width.checked_sub(self.columns) else {
            return Err(unfit(format!("a matrix of {} columns is more than all {width}", self.columns)));
        };
        let whole = copy::AxisSlice { start: 0, step: 1, length: rows };
        let part = |start, length| copy::slice(r, &[whole, copy::AxisSlice { start, step: 1, length }]);
        let (a, b) = (part(0, self.columns)?, part(self.columns, sides)?);
        let (x, rank, singular) = linalg::lstsq(&a, &b, self.rcond, call)?;
        let fitted = linalg::matmul(&[(&a, &x)], call)?;
        let residuals = with_element!(r.dtype(), T => squares_of_differences::<T>(&fitted, &b))?;
        Ok(several([x, residuals, Chunk::scalar(rank as i64), singular]))
    }

    fn name(&self) -> String {
        "lstsq".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// For each column, the sum of the squared differences.
fn squares_of_differences<T: Number>(a: &Chunk, b: &Chunk) -> Result<Chunk, TaskError> {
    let views = a.view::<T>().zip(b.view::<T>());
    let (a, b) =
        views.ok_or_else(|| TaskError::new(ErrorKind::Type, "the data types of a solution and its matrix differ"))?;
    let columns = a.axis_iter(Axis(1)).zip(b.axis_iter(Axis(1)));
    let sums: Vec<f64> = columns.map(|(a, b)| a.iter().zip(b).map(|(&a, &b)| a.squared_distance(b)).sum()).collect();
    let count = sums.len();
    Ok(Chunk::from_vec(sums, &[count]).expect("one sum for each column"))
}

/// The sum or product of a block along an axis, which stays with length 1.
#[derive(Serialize, Deserialize)]
pub(crate) struct Total {
    pub(crate) scan: Scan,
    pub(crate) axis: usize,
}

impl Kernel for Total {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let block = block_with_axis(inputs, 0, self.axis)?;
        Ok(with_element!(block.dtype(), T => {
            let view = block.view::<T>().expect("the type was matched");
            if self.axis + 1 == view.ndim() {
                let shape = view.index_axis_shape(self.axis);
                let lines = view.lanes(Axis(self.axis)).into_iter();
                let total = lines.map(|line| {
                    let mut items = line.iter().copied();
                    let first = items.next().unwrap_or_else(|| T::start(self.scan));
                    items.fold(first, |total, x| total.with_next(x, self.scan))
                });
                let total = ndarray::ArrayD::from_shape_vec(shape, total.collect()).expect("a total for each line");
                return Ok(Chunk::from_array(total.insert_axis(Axis(self.axis))).into());
            }
            let mut lanes = view.axis_iter(Axis(self.axis));
            let mut total = match lanes.next() {
                Some(first) => first.to_owned(),
                None => ndarray::ArrayD::from_elem(view.index_axis_shape(self.axis), T::start(self.scan)),
            };
            for lane in lanes {
                ndarray::Zip::from(&mut total).and(&lane).for_each(|sum, &x| *sum = sum.with_next(x, self.scan));
            }
            Chunk::from_array(total.insert_axis(Axis(self.axis))).into()
        }))
    }

    fn name(&self) -> String {
        "total".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

/// The running sum or product of a block along an axis, upon what stands before it.
#[derive(Serialize, Deserialize)]
pub(crate) struct Running {
    pub(crate) scan: Scan,
    pub(crate) axis: usize,
    pub(crate) grid: Grid,
}

impl Kernel for Running {
    fn run(&self, call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let block = block_with_axis(inputs, 0, self.axis)?;
        let at = coordinates(&self.grid, call)?[self.axis] as usize;
        let before = at.checked_sub(1).map(|at| self.before(block, inputs, at)).transpose()?;
        Ok(with_element!(block.dtype(), T => {
            let view = block.view::<T>().expect("the type was matched");
            let before = before.as_ref().and_then(|before| before.view::<T>());
            let before = before.as_ref().map(|before| before.index_axis(Axis(self.axis), 0));
            running(&view, before, self.axis, self.scan).into()
        }))
    }

    fn name(&self) -> String {
        if self.scan == Scan::Sum { "cumsum".into() } else { "cumprod".into() }
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

impl Running {
    /// What stands before a block, from that which stands before and in all of them: of it element `at` along the axis.
    fn before(&self, block: &Chunk, inputs: &[Value], at: usize) -> Result<Chunk, TaskError> {
        let all = block_with_axis(inputs, 1, self.axis)?;
        let mut slices: Vec<_> = all.shape().iter().map(|&length| copy::AxisSlice::whole(length)).collect();
        slices[self.axis] = copy::AxisSlice { start: at, step: 1, length: 1 };
        let before = copy::slice(all, &slices)?;
        let mut expected = block.shape().to_vec();
        expected[self.axis] = 1;
        if before.shape() == expected && before.dtype() == block.dtype() {
            return Ok(before);
        }
        let (shape, dtype) = (before.shape(), before.dtype());
        Err(unfit(format!("{dtype} of shape {shape:?} stands before a block of {} {:?}", block.dtype(), block.shape())))
    }
}

fn running<T: Number>(block: &ArrayViewD<'_, T>, before: Option<ArrayViewD<'_, T>>, axis: usize, scan: Scan) -> Chunk {
    let mut result = block.to_owned();
    if axis + 1 == block.ndim() {
        let mut before = before.as_ref().map(|before| before.iter().copied());
        for mut line in result.lanes_mut(Axis(axis)) {
            let mut total = before.as_mut().and_then(Iterator::next);
            for x in &mut line {
                *x = total.map_or(*x, |total| total.with_next(*x, scan));
                total = Some(*x);
            }
        }
        return Chunk::from_array(result);
    }
    // Across lines, so that elements are read in the order in which they lie.
    let mut lanes = result.axis_iter_mut(Axis(axis));
    // The first element of all stays as it is: 0 added to it, or 1 times it, is another one for some.
    let sums = before.map(|before| before.to_owned()).or_else(|| lanes.next().map(|first| first.to_owned()));
    let Some(mut sums) = sums else { return Chunk::from_array(result) };
    for mut lane in lanes {
        ndarray::Zip::from(&mut lane).and(&mut sums).for_each(|x, sum| {
            *sum = sum.with_next(*x, scan);
            *x = *sum;
        });
    }
    Chunk::from_array(result)
}

/// The shape without one axis.
trait WithoutAxis {
    fn index_axis_shape(&self, axis: usize) -> Vec<usize>;
}

impl<T> WithoutAxis for ArrayViewD<'_, T> {
    fn index_axis_shape(&self, axis: usize) -> Vec<usize> {
        let mut shape = self.shape().to_vec();
        shape.remove(axis);
        shape
    }
}

/// What can be added up and multiplied.
pub(crate) trait Number: Element {
    /// The sum or product of nothing.
    fn start(scan: Scan) -> Self;
    /// The sum or product with one more.
    fn with_next(self, next: Self, scan: Scan) -> Self;
    /// The square of the distance.
    fn squared_distance(self, other: Self) -> f64;
}

macro_rules! numbers {
    ($($type:ty: $zero:expr, $one:expr, $add:expr, $multiply:expr, $distance:expr);* $(;)?) => {$(
        impl Number for $type {
            fn start(scan: Scan) -> Self {
                if scan == Scan::Sum { $zero } else { $one }
            }

            fn with_next(self, next: Self, scan: Scan) -> Self {
                if scan == Scan::Sum { $add(self, next) } else { $multiply(self, next) }
            }

            fn squared_distance(self, other: Self) -> f64 {
                $distance(self, other)
            }
        }
    )*};
}

macro_rules! integers {
    ($($type:ty),*) => {
        numbers! { $($type: 0, 1, <$type>::wrapping_add, <$type>::wrapping_mul, |a, b| (a as f64 - b as f64).powi(2);)* }
    };
}

integers! { i8, i16, i32, i64, u8, u16, u32, u64 }

numbers! {
    bool: false, true, |a, b| a | b, |a, b| a & b, |a, b| f64::from(u8::from(a != b));
    f32: 0.0, 1.0, |a, b| a + b, |a, b| a * b, |a, b| f64::from(a - b).powi(2);
    f64: 0.0, 1.0, |a, b| a + b, |a, b| a * b, |a: f64, b: f64| (a - b).powi(2);
    Complex<f32>: Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), |a, b| a + b, |a, b| a * b,
        |a: Self, b: Self| f64::from((a - b).norm_sqr());
    Complex<f64>: Complex::new(0.0, 0.0), Complex::new(1.0, 0.0), |a, b| a + b, |a, b| a * b,
        |a: Self, b: Self| (a - b).norm_sqr();
}

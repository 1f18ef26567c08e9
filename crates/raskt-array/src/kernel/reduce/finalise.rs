//! What users see of a reduction.

use super::{Partial, ReduceOp, Reduction};
use crate::kernel::loops;
use crate::kernel::operand::{Operand, Target};
use raskt_value::complex::Complex;
use raskt_value::{Chunk, DType, Element, ErrorKind, Kind, TaskError, with_element};

/// The result of a reduction; reduced axes stay with length 1 if `keepdims`, else they go.
pub fn finalise(reduction: &Reduction, partial: &Partial, keepdims: bool) -> Result<Chunk, TaskError> {
    use ReduceOp::*;
    let malformed = || TaskError::new(ErrorKind::Value, "a partial reduction of another kind was expected");
    let count = partial.count().ok_or_else(malformed)?;
    let first = partial.fields.first().ok_or_else(malformed)?;
    let op = reduction.op;
    let dtype = op.result_dtype(reduction.dtype)?;
    if count == 0 && !first.is_empty() {
        check_empty(op)?;
    }
    let field = |at: usize| partial.fields.get(at).ok_or_else(malformed);
    let result = match op {
        Sum | Prod | NanSum | NanProd | Min | Max | NanMin | NanMax | Any | All | CountNonzero => first.clone(),
        Mean => divided(first, &[count], dtype).ok_or_else(malformed)?,
        NanMean => divided(first, &elements::<i64>(field(1)?), dtype).ok_or_else(malformed)?,
        Var | Std | NanVar | NanStd => {
            let (counts, squares) = (elements::<i64>(first), elements::<f64>(field(2)?));
            let sums = sums(field(1)?, &counts);
            let items = counts.iter().zip(&squares).zip(&sums);
            Chunk::from_vec(items.map(|((&n, &s), &sum)| variance(reduction, n, s, sum)).collect(), first.shape())
                .map_err(|_| malformed())?
        }
        ArgMin | ArgMax | NanArgMin | NanArgMax => {
            let found = field(1)?;
            if elements::<i64>(found).contains(&-1) {
                return Err(TaskError::new(ErrorKind::Value, "All-NaN slice encountered"));
            }
            found.clone()
        }
    };
    let reduced = |&axis: &usize| result.shape().get(axis) == Some(&1);
    if !reduction.axes.iter().all(reduced) {
        return Err(malformed());
    }
    Ok(shaped(reduction, &cast(&result, dtype), keepdims))
}

/// What can't be had of no element.
fn check_empty(op: ReduceOp) -> Result<(), TaskError> {
    use ReduceOp::*;
    let message = match op {
        Min | NanMin => "zero-size array to reduction operation minimum which has no identity".to_owned(),
        Max | NanMax => "zero-size array to reduction operation maximum which has no identity".to_owned(),
        ArgMin | ArgMax => format!("attempt to get {} of an empty sequence", op.name()),
        NanArgMin | NanArgMax => "All-NaN slice encountered".to_owned(),
        _ => return Ok(()),
    };
    Err(TaskError::new(ErrorKind::Value, message))
}

/// What NumPy has of a sum of elements of `dtype`, which it makes in their type: of single precision it may be infinite,
/// where a sum in double precision, as ours are, is not.
fn within(dtype: DType, sum: f64) -> f64 {
    let single = sum as f32;
    if matches!(dtype, DType::F32 | DType::C64) && single.is_infinite() { single.into() } else { sum }
}

/// Sums, as complex numbers, from means.
fn sums(means: &Chunk, counts: &[i64]) -> Vec<Complex<f64>> {
    let real = elements::<f64>(means).into_iter().map(|mean| Complex::new(mean, 0.0));
    let means: Vec<_> = real.chain(elements::<Complex<f64>>(means)).collect();
    means.into_iter().zip(counts).map(|(mean, &count)| mean * count as f64).collect()
}

fn variance(reduction: &Reduction, count: i64, squares: f64, sum: Complex<f64>) -> f64 {
    let dtype = reduction.dtype;
    let is_finite = within(dtype, sum.re).is_finite() && within(dtype, sum.im).is_finite();
    let squares = match dtype.kind() {
        _ if is_finite => within(dtype, squares),
        // The distances from an infinite mean, which in complex numbers has a NaN beside it.
        Kind::Complex => f64::NAN,
        _ if squares.is_nan() => squares,
        _ => f64::INFINITY,
    };
    let freedom = count as f64 - reduction.ddof;
    let skips = matches!(reduction.op, ReduceOp::NanVar | ReduceOp::NanStd);
    let variance = within(dtype, if skips && freedom <= 0.0 { f64::NAN } else { squares / freedom.max(0.0) });
    if matches!(reduction.op, ReduceOp::Std | ReduceOp::NanStd) { variance.sqrt() } else { variance }
}

/// `sums` divided by counts: one for each, or one for all.
fn divided(sums: &Chunk, counts: &[i64], dtype: DType) -> Option<Chunk> {
    let count = |at: usize| counts.get(if counts.len() == 1 { 0 } else { at }).map_or(0.0, |&count| count as f64);
    if let Some(sums_f64) = sums.as_slice::<f64>() {
        let means = sums_f64.iter().enumerate().map(|(at, &sum)| within(dtype, sum) / count(at));
        return Chunk::from_vec(means.collect(), sums.shape()).ok();
    }
    // As a division by a complex number: an infinity or NaN in one part makes the other one NaN, as in NumPy.
    let divide = |sum: Complex<f64>, count: f64| Complex::new(sum.re + sum.im * 0.0, sum.im - sum.re * 0.0) / count;
    let narrow = |sum: &Complex<f64>| Complex::new(within(dtype, sum.re), within(dtype, sum.im));
    let means = sums.as_slice::<Complex<f64>>()?.iter().enumerate().map(|(at, sum)| divide(narrow(sum), count(at)));
    Chunk::from_vec(means.collect(), sums.shape()).ok()
}

fn elements<T: Element>(chunk: &Chunk) -> Vec<T> {
    chunk.to_contiguous().as_slice::<T>().map_or_else(Vec::new, <[T]>::to_vec)
}

fn cast(chunk: &Chunk, dtype: DType) -> Chunk {
    if chunk.dtype() == dtype {
        return chunk.clone();
    }
    let from = chunk.to_contiguous();
    with_element!(dtype, T => {
        let mut elements = Vec::<T>::with_capacity(from.len());
        let target = Target { start: elements.as_mut_ptr().cast(), length: from.len() };
        let operand = Operand { start: from.as_ptr(), uniform: false };
        // SAFETY: as many elements of their types on either side, and the target is new.
        unsafe {
            loops::cast(from.dtype(), dtype, operand, target);
            elements.set_len(from.len());
        }
        Chunk::from_vec(elements, from.shape()).expect("as many elements as before")
    })
}

fn shaped(reduction: &Reduction, result: &Chunk, keepdims: bool) -> Chunk {
    if keepdims {
        return result.clone();
    }
    let kept = |values: &[usize]| -> Vec<usize> {
        let all = values.iter().enumerate();
        all.filter(|(axis, _)| !reduction.axes.contains(axis)).map(|(_, &value)| value).collect()
    };
    let shape = kept(result.shape());
    let positions: Vec<usize> = kept(&(0..result.shape().len()).collect::<Vec<_>>());
    let strides = positions.iter().map(|&axis| result.strides()[axis]).collect();
    let buffer = result.buffer().clone();
    Chunk::from_parts(result.dtype(), shape.as_slice().into(), strides, result.offset(), buffer)
        .expect("axes of length 1 take nothing away")
}

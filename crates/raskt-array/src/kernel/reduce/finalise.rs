//! What users see of a reduction.

use super::{Partial, ReduceOp, Reduction};
use crate::kernel::loops;
use crate::kernel::operand::{Operand, Target};
use raskt_value::complex::Complex;
use raskt_value::{Chunk, DType, Element, ErrorKind, TaskError, with_element};

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
        Mean => divided(first, &[count]).ok_or_else(malformed)?,
        NanMean => divided(first, &elements::<i64>(field(1)?)).ok_or_else(malformed)?,
        Var | Std | NanVar | NanStd => {
            let (counts, squares) = (elements::<i64>(first), elements::<f64>(field(2)?));
            let pairs = counts.iter().zip(&squares);
            Chunk::from_vec(pairs.map(|(&n, &s)| variance(reduction, n, s)).collect(), first.shape())
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

fn variance(reduction: &Reduction, count: i64, squares: f64) -> f64 {
    let freedom = count as f64 - reduction.ddof;
    let skips = matches!(reduction.op, ReduceOp::NanVar | ReduceOp::NanStd);
    let variance = if skips && freedom <= 0.0 { f64::NAN } else { squares / freedom.max(0.0) };
    if matches!(reduction.op, ReduceOp::Std | ReduceOp::NanStd) { variance.sqrt() } else { variance }
}

/// `sums` divided by counts: one for each, or one for all.
fn divided(sums: &Chunk, counts: &[i64]) -> Option<Chunk> {
    let count = |at: usize| counts.get(if counts.len() == 1 { 0 } else { at }).map_or(0.0, |&count| count as f64);
    if let Some(sums_f64) = sums.as_slice::<f64>() {
        let means = sums_f64.iter().enumerate().map(|(at, sum)| sum / count(at));
        return Chunk::from_vec(means.collect(), sums.shape()).ok();
    }
    // As a division by a complex number: an infinity or NaN in one part makes the other one NaN, as in NumPy.
    let divide = |sum: &Complex<f64>, count: f64| Complex::new(sum.re + sum.im * 0.0, sum.im - sum.re * 0.0) / count;
    let means = sums.as_slice::<Complex<f64>>()?.iter().enumerate().map(|(at, sum)| divide(sum, count(at)));
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

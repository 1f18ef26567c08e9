//! Arrays out of nothing, out of memory, and out of other collections.

use super::{Array, Content, Expr};
use crate::kernel::{Affine, Distribution, Generator, Random, Source};
use crate::{ArrayError, Chunks, Result, error::shape_text};
use raskt_graph::Lower;
use raskt_value::{Chunk, DType, Kind, Scalar, Value};
use smallvec::SmallVec;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::Xxh3;

/// Arrays up to this size are told apart by their content, larger ones by when they were wrapped: hashing a gigabyte
/// would cost more than the sharing that it might bring.
const HASHED_BYTES: usize = 1 << 20;

impl Array {
    /// A block in memory as an array of one block.
    pub fn from_chunk(chunk: Chunk) -> Self {
        let chunks = Chunks::single(chunk.shape());
        Self::of_memory(chunk, chunks)
    }

    /// An array in memory, cut into blocks without a copy.
    pub fn from_memory(chunk: Chunk, chunks: Chunks) -> Result<Self> {
        if chunks.known_shape("an array in memory")?.as_slice() != chunk.shape() {
            let shape: Vec<_> = chunk.shape().iter().map(|&length| Some(length)).collect();
            return Err(ArrayError::Chunks(format!("chunks {chunks:?} do not add up to shape {}", shape_text(&shape))));
        }
        Ok(Self::of_memory(chunk, chunks))
    }

    fn of_memory(chunk: Chunk, chunks: Chunks) -> Self {
        let token = token(&chunk);
        let dtype = chunk.dtype();
        Expr::Memory { chunk, token }.into_array(dtype, chunks)
    }

    /// Blocks in memory or in a store, in C order of the grid; lengths that `chunks` doesn't know are read off them.
    pub fn from_blocks(values: Vec<Value>, dtype: DType, chunks: Chunks) -> Result<Self> {
        let chunks = crate::assemble::measured(&values, dtype, &chunks)?;
        let mut content = Content::new("blocks");
        for chunk in values.iter().filter_map(Value::as_chunk) {
            content.key(chunk.buffer().as_ptr() as u128);
        }
        let token = content.key(unique()).finish();
        Ok(Expr::Blocks { values: values.into(), token }.into_array(dtype, chunks))
    }

    /// Blocks that tasks of another collection make, in C order of the grid.
    pub fn from_lower(source: Arc<dyn Lower>, dtype: DType, chunks: Chunks) -> Self {
        Expr::Lowered(source).into_array(dtype, chunks)
    }

    /// `value` everywhere.
    pub fn full(chunks: Chunks, value: Scalar, dtype: DType) -> Result<Self> {
        crate::elementwise::check_fits(value, dtype)?;
        chunks.known_shape("a new array")?;
        let source = Source::full(value, dtype, chunks.ndim());
        Ok(Expr::Generated(source).into_array(dtype, chunks))
    }

    /// `start + step * i` for each position *i*.
    pub fn arange(start: Scalar, step: Scalar, dtype: DType, chunks: Chunks) -> Result<Self> {
        Self::linear(start, step, None, dtype, chunks)
    }

    /// As [`Self::arange`], with `second` at position 1: where `step` is a rounded difference, `start + step` may be
    /// another number than the one that the difference was taken of.
    pub fn range(start: Scalar, step: Scalar, second: Scalar, dtype: DType, chunks: Chunks) -> Result<Self> {
        let end = (dtype.is_inexact() && second.cast::<f64>() != start.cast::<f64>() + step.cast::<f64>())
            .then_some((1, second));
        Self::linear(start, step, end, dtype, chunks)
    }

    /// Numbers from `start` to `stop` at equal distances.
    pub fn linspace(start: f64, stop: f64, endpoint: bool, dtype: DType, chunks: Chunks) -> Result<Self> {
        let count = chunks.known_shape("linspace")?.first().copied().unwrap_or(0);
        let gaps = count - usize::from(endpoint && count > 0);
        let step = if gaps > 0 { (stop - start) / gaps as f64 } else { 0.0 };
        let end = (endpoint && count > 1).then(|| (count as i64 - 1, Scalar::Float(stop)));
        // NumPy computes in float64 and rounds integers down.
        let exact = Self::linear(Scalar::Float(start), Scalar::Float(step), end, DType::F64, chunks)?;
        match dtype.kind() {
            Kind::Float | Kind::Complex => Ok(exact.astype(dtype)),
            _ => Ok(Self::map(crate::Ufunc::from_name("floor")?, &[exact.into()])?.astype(dtype)),
        }
    }

    fn linear(start: Scalar, step: Scalar, end: Option<(i64, Scalar)>, dtype: DType, chunks: Chunks) -> Result<Self> {
        if chunks.ndim() != 1 {
            return Err(ArrayError::Chunks(format!(
                "a range has one axis, and chunks {chunks:?} have {}",
                chunks.ndim()
            )));
        }
        if dtype == DType::Bool {
            return Err(ArrayError::DType("no fill-function for data-type: a range of bool is not defined".into()));
        }
        let source = Source { generator: Generator::Linear { start, step, end }, dtype, index: Affine::along(0, 1) };
        Ok(Expr::Generated(source).into_array(dtype, chunks))
    }

    /// Ones along diagonal `k` of a matrix, else zeros.
    pub fn eye(chunks: Chunks, k: i64, dtype: DType) -> Result<Self> {
        Self::matrix(Generator::Eye, chunks, k, dtype)
    }

    /// Ones at and below diagonal `k` of a matrix, else zeros.
    pub fn tri(chunks: Chunks, k: i64, dtype: DType) -> Result<Self> {
        Self::matrix(Generator::Triangle, chunks, k, dtype)
    }

    fn matrix(generator: Generator, chunks: Chunks, k: i64, dtype: DType) -> Result<Self> {
        if chunks.known_shape("a new matrix")?.len() != 2 {
            return Err(ArrayError::Chunks(format!(
                "a matrix has two axes, and chunks {chunks:?} have {}",
                chunks.ndim()
            )));
        }
        let shape = chunks.known_shape("a new matrix")?;
        // Diagonals further out have no element, and their distance would not fit where it is added up.
        let k = k.clamp(-(shape[0] as i64), shape[1] as i64);
        Ok(Expr::Generated(Source { generator, dtype, index: Affine::diagonal(k) }).into_array(dtype, chunks))
    }

    /// Random numbers: sequence `stream` of generator `seed`. They don't depend on the chunks.
    pub fn random(distribution: Distribution, seed: u64, stream: u32, dtype: DType, chunks: Chunks) -> Result<Self> {
        let shape = chunks.known_shape("a random array")?;
        let shape: SmallVec<[u64; 4]> = shape.iter().map(|&length| length as u64).collect();
        let generator = Generator::Random(Random { seed, stream, distribution });
        Ok(Expr::Generated(Source { generator, dtype, index: Affine::c_order(&shape) }).into_array(dtype, chunks))
    }
}

/// How many numbers `numpy.arange(start, stop, step)` has.
pub fn arange_length(start: Scalar, stop: Scalar, step: Scalar) -> Result<usize> {
    if step.as_f64() == 0.0 {
        return Err(ArrayError::Value("arange needs a step other than 0".into()));
    }
    if let (Scalar::Int(start), Scalar::Int(stop), Scalar::Int(step)) = (start, stop, step) {
        let (span, step) = (i128::from(stop) - i128::from(start), i128::from(step));
        let count = if span.signum() == step.signum() { span.unsigned_abs().div_ceil(step.unsigned_abs()) } else { 0 };
        return usize::try_from(count).map_err(|_| ArrayError::Value(format!("arange of {count} numbers")));
    }
    let count = ((stop.as_f64() - start.as_f64()) / step.as_f64()).ceil();
    if count.is_nan() || count > isize::MAX as f64 {
        return Err(ArrayError::Value(format!("arange can't have {count} numbers: maximum allowed size exceeded")));
    }
    Ok(count.max(0.0) as usize)
}

/// What tells the bytes of a block from others: its elements, and how they lie in memory, since views of it are told by
/// where in that memory they begin.
fn token(chunk: &Chunk) -> u128 {
    if chunk.bytes() > HASHED_BYTES {
        return unique();
    }
    let elements = chunk.to_contiguous();
    if elements.is_empty() {
        return 0;
    }
    let mut hasher = Xxh3::new();
    for length in chunk.shape() {
        hasher.update(&(*length as u64).to_le_bytes());
    }
    for stride in chunk.strides() {
        hasher.update(&(*stride as i64).to_le_bytes());
    }
    hasher.update(&(chunk.offset() as u64).to_le_bytes());
    // SAFETY: the block is contiguous, so its bytes lie from its first element on.
    hasher.update(unsafe { std::slice::from_raw_parts(elements.as_ptr(), elements.bytes()) });
    hasher.digest128()
}

/// A number that no other array has.
pub(crate) fn unique() -> u128 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    u128::from(NEXT.fetch_add(1, Ordering::Relaxed)) << 64 | 0x7261_736b_7475_6e69
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_range_ends_before_its_stop() {
        let length =
            |start, stop, step| arange_length(Scalar::Int(start), Scalar::Int(stop), Scalar::Int(step)).unwrap();
        for (start, stop, step, expected) in
            [(6, 0, -2, 3), (6, -1, -2, 4), (0, 6, 2, 3), (0, 7, 2, 4), (0, 6, -1, 0), (3, 3, 1, 0), (0, -7, -3, 3)]
        {
            assert_eq!(length(start, stop, step), expected, "{start}:{stop}:{step}");
        }
        assert_eq!(length(i64::MIN, i64::MAX, i64::MAX), 3);
    }
}

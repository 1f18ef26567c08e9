use crate::blocks::native::{Factor, FactorR, LeastSquares, Pick, Product, Singular};
use crate::blocks::{BlockInput, Blockwise};
use crate::error::shape_text;
use crate::expression::Expr;
use crate::wire::BlockKernel;
use crate::{Array, ArrayError, AxisChunks, Chunks, Result};
use raskt_value::{DType, promote};

/// How many triangular factors are stacked and factorised together.
const FAN_IN: usize = 8;

/// The thin QR factorisation of a matrix: by blocks of rows (TSQR), of which the triangular factors are stacked and
/// factorised again until one is left.
pub fn qr(a: &Array) -> Result<(Array, Array)> {
    let a = rows_in_blocks(a, "qr")?;
    Ok(tall_qr(&a))
}

/// The thin singular value decomposition: U, the singular values, V conjugate-transposed.
pub fn svd(a: &Array) -> Result<(Array, Array, Array)> {
    let shape = matrix_shape(a, "svd")?;
    if shape.0 < shape.1 && !a.is_single_block() {
        let (u, s, vt) = svd(&a.transpose(None)?)?;
        return Ok((vt.transpose(None)?, s, u.transpose(None)?));
    }
    let a = rows_in_blocks(a, "svd")?;
    if a.is_single_block() {
        return Ok(block_svd(&a));
    }
    let (q, r) = tall_qr(&a);
    let (u, s, vt) = block_svd(&r);
    let chunks = [q.chunks().axes()[0].clone(), u.chunks().axes()[1].clone()];
    let reads = vec![BlockInput::axes([Some(0), Some(1)]), BlockInput::axes([None, Some(1)])];
    let dtype = a.dtype();
    Ok((native("matmul", Product { is_part: false }, vec![q, u], reads, dtype, chunks), s, vt))
}

/// The least-squares solution of `a @ x = b`: solution, sums of squared residuals, rank, singular values of `a`.
///
/// Rows are reduced to the triangular factor of `a` and `b` beside each other, which holds all that the solution needs:
/// the accuracy is that of a QR factorisation, in one pass over the data. The residuals are given whatever the rank is.
pub fn lstsq(a: &Array, b: &Array) -> Result<(Array, Array, Array, Array)> {
    let (rows, columns) = matrix_shape(a, "lstsq")?;
    let vector = b.ndim() == 1;
    let b = if vector { b.expand_dims(&[1])? } else { b.clone() };
    let (b_rows, sides) = matrix_shape(&b, "lstsq")?;
    if rows != b_rows {
        let (left, right) = (shape_text(&a.shape()), shape_text(&b.shape()));
        return Err(ArrayError::LinearAlgebra(format!("incompatible dimensions: {left} and {right} differ in rows")));
    }
    if rows == 0 || columns == 0 || sides == 0 {
        return Err(ArrayError::NotImplemented("lstsq of a matrix without elements is not implemented".into()));
    }
    let dtype = inexact(promote(a.dtype(), b.dtype()));
    let cut = a.chunks().axes()[0].refine(&b.chunks().axes()[0])?;
    let whole = |array: &Array, columns| {
        array.astype(dtype).rechunk_to(Chunks::new([cut.clone(), AxisChunks::single(columns)]))
    };
    let inputs = vec![whole(a, columns)?, whole(&b, sides)?];
    let r = triangle(inputs, columns + sides);
    let rcond = epsilon(dtype) * rows.max(columns) as f64;
    let solved =
        Blockwise::native("lstsq", LeastSquares { columns, rcond }, vec![r], vec![BlockInput::axes([None, None])]);
    let solved = Expr::Blockwise(solved.word(columns as u64).word(rcond.to_bits()));
    let solved = solved.into_array(dtype, Chunks::single(&[columns, sides]));
    let real = crate::kernel::real_of(dtype);
    let x = picked(&solved, 0, dtype, &[columns, sides]);
    let residuals = picked(&solved, 1, DType::F64, &[sides]).astype(real);
    let rank = picked(&solved, 2, DType::I64, &[]);
    let singular = picked(&solved, 3, real, &[columns.min(rows)]);
    Ok((if vector { x.squeeze(Some(&[1]))? } else { x }, residuals, rank, singular))
}

/// The triangular factor of matrices beside each other, all cut into the same rows.
fn triangle(inputs: Vec<Array>, width: usize) -> Array {
    let dtype = inputs[0].dtype();
    let rows = inputs[0].chunks().axes()[0].clone();
    let reads = vec![BlockInput::axes([Some(0), None]); inputs.len()];
    let stacked = AxisChunks::uneven(&factor_rows(&rows, width));
    let r = native("qr-r", FactorR, inputs, reads, dtype, [stacked, AxisChunks::single(width)]);
    if r.is_single_block() { r } else { triangle(vec![grouped(&r)], width) }
}

fn tall_qr(a: &Array) -> (Array, Array) {
    let dtype = a.dtype();
    let (rows, width) = (a.chunks().axes()[0].clone(), a.chunks().axes()[1].length().unwrap_or(0));
    let lengths = factor_rows(&rows, width);
    let stacked = AxisChunks::uneven(&lengths);
    let each = || vec![BlockInput::axes([Some(0), None])];
    let factors = native("qr", Factor, vec![a.clone()], each(), dtype, [rows.clone(), AxisChunks::single(width)]);
    let pick = |at: usize, chunks| {
        Expr::Blockwise(Blockwise::native("pick", Pick(at), vec![factors.clone()], each()).word(at as u64))
            .into_array(dtype, Chunks::new(chunks))
    };
    let r = pick(1, [stacked.clone(), AxisChunks::single(width)]);
    if rows.blocks() == 1 {
        return (pick(0, [rows, AxisChunks::single(lengths[0])]), r);
    }
    let (outer, r) = tall_qr(&grouped(&r));
    let inner = pick(0, [rows.clone(), AxisChunks::single(lengths.iter().copied().max().unwrap_or(0))]);
    let columns = outer.chunks().axes()[1].clone();
    let outer = outer.recut(Chunks::new([stacked, columns.clone()]));
    let reads = vec![BlockInput::axes([Some(0), None]), BlockInput::axes([Some(0), None])];
    (native("matmul", Product { is_part: false }, vec![inner, outer], reads, dtype, [rows, columns]), r)
}

/// Stacked factors, several to a block.
fn grouped(r: &Array) -> Array {
    let lengths: Vec<usize> = r.chunks().axes()[0].lengths().flatten().collect();
    let groups: Vec<usize> = lengths.chunks(FAN_IN).map(|group| group.iter().sum()).collect();
    r.recut(Chunks::new([AxisChunks::uneven(&groups), r.chunks().axes()[1].clone()]))
}

/// How many rows the triangular factor of each block has.
fn factor_rows(rows: &AxisChunks, width: usize) -> Vec<usize> {
    rows.lengths().flatten().map(|length| length.min(width)).collect()
}

fn block_svd(a: &Array) -> (Array, Array, Array) {
    let shape = [0, 1].map(|axis| a.chunks().axes()[axis].length().unwrap_or(0));
    let few = shape[0].min(shape[1]);
    let dtype = a.dtype();
    let reads = vec![BlockInput::axes([None, None])];
    let parts = Expr::Blockwise(Blockwise::native("svd", Singular, vec![a.clone()], reads));
    let parts = parts.into_array(dtype, Chunks::single(&shape));
    let real = crate::kernel::real_of(dtype);
    (
        picked(&parts, 0, dtype, &[shape[0], few]),
        picked(&parts, 1, real, &[few]),
        picked(&parts, 2, dtype, &[few, shape[1]]),
    )
}

/// One of the results of a node of one block.
fn picked(parts: &Array, at: usize, dtype: DType, shape: &[usize]) -> Array {
    let reads = vec![BlockInput::axes(vec![None; parts.ndim()])];
    Expr::Blockwise(Blockwise::native("pick", Pick(at), vec![parts.clone()], reads).word(at as u64))
        .into_array(dtype, Chunks::single(shape))
}

fn native(
    name: &str,
    kernel: impl Into<BlockKernel>,
    inputs: Vec<Array>,
    reads: Vec<BlockInput>,
    dtype: DType,
    chunks: [AxisChunks; 2],
) -> Array {
    Expr::Blockwise(Blockwise::native(name, kernel, inputs, reads)).into_array(dtype, Chunks::new(chunks))
}

/// A matrix of real or complex numbers in blocks of whole rows.
fn rows_in_blocks(a: &Array, what: &str) -> Result<Array> {
    let (rows, columns) = matrix_shape(a, what)?;
    if rows == 0 || columns == 0 {
        return Err(ArrayError::NotImplemented(format!("{what} of a matrix without elements is not implemented")));
    }
    if rows < columns && !a.is_single_block() {
        return Err(ArrayError::NotImplemented(format!(
            "{what} of a matrix with fewer rows ({rows}) than columns ({columns}) needs it in one block: \
             rechunk it with chunks=-1 first"
        )));
    }
    let cut = a.chunks().axes()[0].clone();
    a.astype(inexact(a.dtype())).rechunk_to(Chunks::new([cut, AxisChunks::single(columns)]))
}

fn matrix_shape(a: &Array, what: &str) -> Result<(usize, usize)> {
    if a.ndim() != 2 {
        return Err(ArrayError::LinearAlgebra(format!(
            "{}-dimensional array given. Array must be two-dimensional",
            a.ndim()
        )));
    }
    let shape = a.chunks().known_shape(what)?;
    Ok((shape[0], shape[1]))
}

fn inexact(dtype: DType) -> DType {
    if dtype.is_inexact() { dtype } else { DType::F64 }
}

fn epsilon(dtype: DType) -> f64 {
    if matches!(dtype, DType::F32 | DType::C64) { f64::from(f32::EPSILON) } else { f64::EPSILON }
}

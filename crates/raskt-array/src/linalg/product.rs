use crate::blocks::{BlockInput, Blockwise, agree::agreeing, native::Product};
use crate::error::shape_text;
use crate::expression::Expr;
use crate::layout::axes_of;
use crate::{Array, ArrayError, AxisChunks, Chunks, Extent, ReduceOptions, Reduction, Result};
use raskt_value::{DType, promote};

/// The matrix product: `numpy.matmul`. Leading axes are stacks of matrices, which are broadcast.
pub fn matmul(a: &Array, b: &Array) -> Result<Array> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return Err(ArrayError::Shape("matmul: an operand has no axis; use multiply for numbers".into()));
    }
    if a.ndim() == 1 || b.ndim() == 1 {
        let (rows, columns) = (a.ndim() == 1, b.ndim() == 1);
        let wide = if rows { a.expand_dims(&[0])? } else { a.clone() };
        let tall = if columns { b.expand_dims(&[1])? } else { b.clone() };
        let product = matmul(&wide, &tall)?;
        let gone: Vec<isize> =
            [(rows, -2), (columns, -1)].into_iter().filter(|(gone, _)| *gone).map(|(_, at)| at).collect();
        return product.squeeze(Some(&gone));
    }
    let (inner_a, inner_b) = (a.shape()[a.ndim() - 1], b.shape()[b.ndim() - 2]);
    if inner_a != inner_b {
        let (left, right) = (shape_text(&a.shape()), shape_text(&b.shape()));
        return Err(ArrayError::Shape(format!(
            "matmul: shapes {left} and {right} do not match: the last axis of the first and the last but one of the \
             second differ"
        )));
    }
    let dtype = promote(a.dtype(), b.dtype());
    let computed = if dtype == DType::Bool { DType::I64 } else { dtype };
    Ok(product(&a.astype(computed), &b.astype(computed))?.astype(dtype))
}

/// `numpy.dot`: the product of vectors and matrices; of more axes, the sum over the last of `a` and the last but one
/// of `b`.
pub fn dot(a: &Array, b: &Array) -> Result<Array> {
    if a.ndim() == 0 || b.ndim() == 0 {
        return Array::map(crate::Ufunc::from_name("multiply")?, &[a.into(), b.into()]);
    }
    if a.ndim() <= 2 && b.ndim() <= 2 {
        return matmul(a, b);
    }
    tensordot(a, b, &[-1], &[if b.ndim() == 1 { 0 } else { -2 }])
}

/// The sum over the axes `a_axes` of `a` and `b_axes` of `b`, pair by pair.
pub fn tensordot(a: &Array, b: &Array, a_axes: &[isize], b_axes: &[isize]) -> Result<Array> {
    let (a_axes, b_axes) = (axes_of(a_axes, a.ndim())?, axes_of(b_axes, b.ndim())?);
    let (a_shape, b_shape) = (a.known_shape()?, b.known_shape()?);
    let agree = a_axes.len() == b_axes.len() && a_axes.iter().zip(&b_axes).all(|(&i, &j)| a_shape[i] == b_shape[j]);
    if !agree {
        return Err(ArrayError::Shape("shape-mismatch for sum".into()));
    }
    let a_free: Vec<usize> = (0..a.ndim()).filter(|axis| !a_axes.contains(axis)).collect();
    let b_free: Vec<usize> = (0..b.ndim()).filter(|axis| !b_axes.contains(axis)).collect();
    let summed: i64 = a_axes.iter().map(|&axis| a_shape[axis] as i64).product();
    let length = |shape: &[usize], axes: &[usize]| axes.iter().map(|&axis| shape[axis] as i64).product::<i64>();
    let left = a.with_axes(a_free.iter().chain(&a_axes).copied().map(Some));
    let right = b.with_axes(b_axes.iter().chain(&b_free).copied().map(Some));
    let left = left.reshape(&[length(&a_shape, &a_free), summed])?;
    let right = right.reshape(&[summed, length(&b_shape, &b_free)])?;
    let shape = a_free.iter().map(|&axis| a_shape[axis]).chain(b_free.iter().map(|&axis| b_shape[axis]));
    matmul(&left, &right)?.reshape(&shape.map(|length| length as i64).collect::<Vec<_>>())
}

/// The product of stacks of matrices of one data type: of each pair of blocks, then summed.
fn product(a: &Array, b: &Array) -> Result<Array> {
    let stacks = a.ndim().max(b.ndim()) - 2;
    let cut_a = &a.chunks().axes()[a.ndim() - 1];
    let inner = cut_a.refine(&b.chunks().axes()[b.ndim() - 2])?;
    let batch = batch_chunks(a, b)?;
    let a = recut(a, &batch, (None, Some(&inner)))?;
    let b = recut(b, &batch, (Some(&inner), None))?;
    let labels = [labels_of(&a, stacks, [None, Some(stacks)]), labels_of(&b, stacks, [Some(stacks), None])];
    let both = agreeing(&[a, b], &labels);
    let (a, b) = (&both[0], &both[1]);
    let parts = inner.blocks() > 1;
    // The axes of the parts: the sum's, those of the stack, rows, columns.
    let shift = usize::from(parts);
    let (rows, columns) = (shift + stacks, shift + stacks + 1);
    let sum = parts.then_some(0);
    let reads = vec![reads_of(a, &batch, shift, [Some(rows), sum]), reads_of(b, &batch, shift, [sum, Some(columns)])];
    let mut axes: Vec<AxisChunks> = if parts { vec![AxisChunks::regular(inner.blocks() as usize, 1)] } else { vec![] };
    axes.extend_from_slice(batch.axes());
    axes.push(a.chunks().axes()[a.ndim() - 2].clone());
    axes.push(b.chunks().axes()[b.ndim() - 1].clone());
    let dtype = a.dtype();
    let chunks = Chunks::new(axes);
    let blockwise = Blockwise::native("matmul", Product { is_part: parts }, both.clone(), reads).word(u64::from(parts));
    let blockwise = if is_for_all_threads(&chunks, inner.longest()) { blockwise.with_all_threads() } else { blockwise };
    let product = Expr::Blockwise(blockwise).into_array(dtype, chunks);
    if !parts {
        return Ok(product);
    }
    product.reduce(Reduction::Sum, &ReduceOptions { axes: Some(vec![0]), dtype: Some(dtype), ..Default::default() })
}

/// Fewer blocks than these don't keep the threads of a machine at work.
const FEW: u64 = 4;

/// From so many multiplications on threads cost nothing.
const LARGE: usize = 1 << 27;

/// Whether the blocks of a product are few, and each is much work: `inner` is the length that is summed over.
fn is_for_all_threads(chunks: &Chunks, inner: Extent) -> bool {
    let lengths = chunks.largest_block().zip(inner);
    chunks.blocks() < FEW && lengths.is_some_and(|(block, inner)| block.saturating_mul(inner) >= LARGE)
}

/// The chunks of the stack that two stacks of matrices make together.
fn batch_chunks(a: &Array, b: &Array) -> Result<Chunks> {
    let stack = |array: &Array| Chunks::new(array.chunks().axes()[..array.ndim() - 2].iter().cloned());
    let stacks = [stack(a), stack(b)].map(|chunks| {
        let source = crate::kernel::Source::full(raskt_value::Scalar::Bool(false), DType::Bool, chunks.ndim());
        Expr::Generated(source).into_array(DType::Bool, chunks)
    });
    crate::elementwise::common_chunks(&stacks)
}

/// The array with the cuts of the stack, and with one of its last two axes cut as `last` says.
fn recut(array: &Array, batch: &Chunks, last: (Option<&AxisChunks>, Option<&AxisChunks>)) -> Result<Array> {
    let own = array.chunks().axes();
    let stacks = array.ndim() - 2;
    let skipped = batch.ndim() - stacks;
    let mut axes: Vec<AxisChunks> = (0..stacks)
        .map(
            |axis| if own[axis].length() == Some(1) { own[axis].clone() } else { batch.axes()[axis + skipped].clone() },
        )
        .collect();
    axes.push(last.0.unwrap_or(&own[stacks]).clone());
    axes.push(last.1.unwrap_or(&own[stacks + 1]).clone());
    array.rechunk_to(Chunks::new(axes))
}

/// Which axes of a stack of matrices belong together with those of another; `last` of its last two.
fn labels_of(array: &Array, stacks: usize, last: [Option<usize>; 2]) -> Vec<Option<usize>> {
    let skipped = stacks - (array.ndim() - 2);
    (skipped..stacks).map(Some).chain(last).collect()
}

fn reads_of(array: &Array, batch: &Chunks, shift: usize, last: [Option<usize>; 2]) -> BlockInput {
    let stacks = array.ndim() - 2;
    let skipped = batch.ndim() - stacks;
    let own = array.chunks().axes();
    let stack = (0..stacks).map(|axis| (own[axis].blocks() > 1).then_some(axis + skipped + shift));
    BlockInput::axes(stack.chain(last))
}

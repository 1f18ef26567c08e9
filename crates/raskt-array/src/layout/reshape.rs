use crate::expression::Expr;
use crate::kernel::Source;
use crate::{Array, ArrayError, AxisChunks, Chunks, Result, error::shape_text};
use raskt_value::Scalar;
use std::ops::Range;

impl Array {
    /// The same elements in C order under another shape, in which one length may be -1: that which is left.
    pub fn reshape(&self, shape: &[i64]) -> Result<Self> {
        if let ([-1], false) = (shape, self.chunks().is_known())
            && self.ndim() == 1
        {
            return Ok(self.clone());
        }
        let old = self.chunks().known_shape("reshape")?;
        let new = resolve(shape, &old)?;
        if old.as_slice() == new {
            return Ok(self.clone());
        }
        if old.contains(&0) {
            let source = Source::full(Scalar::Bool(false), self.dtype(), new.len());
            return Ok(Expr::Generated(source).into_array(self.dtype(), Chunks::single(&new)));
        }
        let (input, output) = self.matching_chunks(&old, &new);
        let input = self.recut(input);
        Ok(Expr::Reshape { input }.into_array(self.dtype(), output))
    }

    /// Cuts of the old and of the new shape under which blocks are the same elements in the same order.
    fn matching_chunks(&self, old: &[usize], new: &[usize]) -> (Chunks, Chunks) {
        let (mut input, mut output) = (vec![], vec![]);
        for (from, to) in groups(old, new) {
            let cuts = &self.chunks().axes()[from.clone()];
            let (i, o) = match_group(cuts, &old[from], &new[to]);
            input.extend(i);
            output.extend(o);
        }
        (Chunks::new(input), Chunks::new(output))
    }
}

fn resolve(shape: &[i64], old: &[usize]) -> Result<Vec<usize>> {
    let total: usize = old.iter().product();
    let refused = || {
        let wanted = shape_text(&shape.iter().map(|&length| usize::try_from(length).ok()).collect::<Vec<_>>());
        ArrayError::Shape(format!("cannot reshape array of size {total} into shape {}", wanted.replace("nan", "-1")))
    };
    let open = shape.iter().filter(|&&length| length < 0).count();
    if open > 1 {
        return Err(ArrayError::Shape("can only specify one unknown dimension".into()));
    }
    let known = shape
        .iter()
        .filter(|&&length| length >= 0)
        .try_fold(1_usize, |product, &length| product.checked_mul(length as usize));
    let known = known.ok_or_else(refused)?;
    let fits = if open == 0 { known == total } else { known > 0 && total.is_multiple_of(known) };
    if !fits {
        return Err(refused());
    }
    Ok(shape.iter().map(|&length| if length < 0 { total / known } else { length as usize }).collect())
}

/// The shortest runs of axes of both shapes that hold as many elements, in order.
fn groups(old: &[usize], new: &[usize]) -> Vec<(Range<usize>, Range<usize>)> {
    let mut groups = vec![];
    let (mut from, mut to) = (0, 0);
    while from < old.len() || to < new.len() {
        let (start, target) = (from, to);
        let (mut a, mut b) = (1, 1);
        if from < old.len() && to < new.len() {
            (a, b) = (old[from], new[to]);
            (from, to) = (from + 1, to + 1);
        } else if from < old.len() {
            from += 1;
        } else {
            to += 1;
        }
        while a != b {
            if a < b {
                a *= old[from];
                from += 1;
            } else {
                b *= new[to];
                to += 1;
            }
        }
        groups.push((start..from, target..to));
    }
    groups
}

/// Cuts of the axes of one group, old and new, with the same blocks.
fn match_group(cuts: &[AxisChunks], old: &[usize], new: &[usize]) -> (Vec<AxisChunks>, Vec<AxisChunks>) {
    if old.len() == new.len() && old == new {
        return (cuts.to_vec(), cuts.to_vec());
    }
    if old.is_empty() || new.is_empty() {
        // Axes of length 1 that come or go.
        let whole = |shape: &[usize]| shape.iter().map(|&length| AxisChunks::single(length)).collect();
        return (whole(old), whole(new));
    }
    if let Some(kept) = keep_blocks(cuts, old, new) {
        return (cuts.to_vec(), kept);
    }
    let block: usize = cuts.iter().map(|cut| cut.longest().unwrap_or(1)).product();
    let both: Vec<usize> =
        block_sizes(old, new).into_iter().filter(|&size| fits(new, size) && fits(old, size)).collect();
    let size = nearest(&both, block.max(1)).unwrap_or_else(|| old.iter().product());
    (cut_by(old, size), cut_by(new, size))
}

/// The greatest of these sizes up to `block`; the next greater one where that is not much more and the other far less.
fn nearest(sizes: &[usize], block: usize) -> Option<usize> {
    const MUCH: usize = 4;
    let below = sizes.iter().copied().filter(|&size| size <= block).max();
    let above = sizes.iter().copied().filter(|&size| size > block).min();
    match (below, above) {
        (Some(below), Some(above)) if below < block / MUCH && above <= block.saturating_mul(MUCH) => Some(above),
        (below, above) => below.or(above),
    }
}

/// Where only the first axis is cut, and at whole rows of the new shape, blocks can stay as they are.
fn keep_blocks(cuts: &[AxisChunks], old: &[usize], new: &[usize]) -> Option<Vec<AxisChunks>> {
    let (first, others) = cuts.split_first()?;
    let row: usize = old[1..].iter().product();
    let new_row: usize = new.get(1..)?.iter().product();
    const MANY: u32 = 1 << 16;
    if others.iter().any(|cut| cut.blocks() > 1) || first.blocks() > MANY {
        return None;
    }
    let lengths: Option<Vec<usize>> = first
        .lengths()
        .map(|length| {
            let elements = length? * row;
            elements.is_multiple_of(new_row).then_some(elements / new_row)
        })
        .collect();
    let rest = new[1..].iter().map(|&length| AxisChunks::single(length));
    Some(std::iter::once(AxisChunks::uneven(&lengths?)).chain(rest).collect())
}

/// Sizes that equal blocks in C order may have in either shape.
fn block_sizes(old: &[usize], new: &[usize]) -> Vec<usize> {
    let mut sizes = vec![];
    for shape in [old, new] {
        let mut row = 1;
        for (axis, &length) in shape.iter().enumerate().rev() {
            let divisors = (1..=length.isqrt()).filter(|divisor| length.is_multiple_of(*divisor));
            sizes.extend(divisors.flat_map(|divisor| [divisor * row, length / divisor * row]));
            row *= length;
            if axis == 1 {
                // Along the first axis the last block may be shorter, so that any number of rows will do.
                let other: usize = if shape == old { new } else { old }[1..].iter().product();
                let common = row / gcd(row, other) * other;
                let total = row * shape[0];
                let multiples = (1..=total / common).take_while(|count| *count <= 4096);
                sizes.extend(multiples.map(|count| count * common));
            }
        }
    }
    if old.len() == 1 || new.len() == 1 {
        // One axis takes any size, so those of the other shape decide.
        let (row, total): (usize, usize) =
            (if old.len() == 1 { new } else { old }[1..].iter().product(), old.iter().product());
        sizes.extend((1..=(total / row).min(4096)).map(|count| count * row));
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}

/// Whether blocks of `size` elements in C order are boxes of `shape`.
fn fits(shape: &[usize], size: usize) -> bool {
    let mut row = 1;
    for (axis, &length) in shape.iter().enumerate().rev() {
        if size <= row * length {
            return size.is_multiple_of(row) && (axis == 0 || length.is_multiple_of(size / row));
        }
        row *= length;
    }
    false
}

/// The cut of `shape` into blocks of `size` elements.
fn cut_by(shape: &[usize], size: usize) -> Vec<AxisChunks> {
    let mut left = size;
    let mut cuts: Vec<_> = shape
        .iter()
        .rev()
        .map(|&length| {
            let chunk = left.min(length);
            left = (left / length).max(1);
            AxisChunks::regular(length, chunk)
        })
        .collect();
    cuts.reverse();
    cuts
}

fn gcd(a: usize, b: usize) -> usize {
    if b == 0 { a } else { gcd(b, a % b) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(cuts: &[&[usize]], new: &[i64], expected: (&str, &str)) {
        let cuts: Vec<Vec<usize>> = cuts.iter().map(|axis| axis.to_vec()).collect();
        let chunks = Chunks::from_lengths(&cuts);
        let source = Array::full(chunks, Scalar::Int(0), raskt_value::DType::I8).unwrap();
        let old = source.known_shape().unwrap();
        let new = resolve(new, &old).unwrap();
        let (input, output) = source.matching_chunks(&old, &new);
        assert_eq!((format!("{input:?}").as_str(), format!("{output:?}").as_str()), expected);
        assert_eq!(input.blocks(), output.blocks());
    }

    #[test]
    fn blocks_stay_where_rows_do() {
        check(&[&[2, 2], &[3]], &[12], ("((2, 2), (3,))", "((6, 6),)"));
        check(&[&[6, 4, 2]], &[-1, 2], ("((6, 4, 2),)", "((3, 2, 1), (2,))"));
        check(&[&[4, 4], &[2, 2]], &[8, 2, 2], ("((4, 4), (2, 2))", "((4, 4), (1, 1), (2,))"));
        check(&[&[2, 2], &[1]], &[2, 2], ("((2, 2), (1,))", "((1, 1), (2,))"));
        check(&[&[5]], &[1, 5, 1], ("((5,),)", "((1,), (5,), (1,))"));
    }

    #[test]
    fn a_long_axis_splits_into_parts_of_rows() {
        check(
            &[&[100; 10]],
            &[2, 500],
            ("((100, 100, 100, 100, 100, 100, 100, 100, 100, 100),)", "((1, 1), (100, 100, 100, 100, 100))"),
        );
    }
}

//! Rewrites an expression into an equal one that makes less.
//!
//! Views (slices, transpositions, broadcasts) go down through elementwise work and reductions into sources, so that
//! only what is wanted is made. New cuts go down where all that lies below is made or read in place, so that nothing is
//! moved.

use crate::blocks::Blockwise;
use crate::expression::{Expr, Reduce, View, ViewAxis};
use crate::kernel::Source;
use crate::stack::grown;
use crate::{Array, AxisChunks, Chunks};
use raskt_value::Scalar;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::ops::Range;

impl Array {
    /// The same array, written so that less is made to compute it.
    #[must_use]
    pub fn optimize(&self) -> Self {
        if self.is_settled() { self.clone() } else { Optimizer::default().visit(self) }
    }
}

#[derive(Default)]
struct Optimizer {
    /// What each expression was rewritten to.
    known: HashMap<u128, Array>,
    /// Whether an expression is elementwise work on sources alone.
    in_place: HashMap<u128, bool>,
}

impl Optimizer {
    fn visit(&mut self, array: &Array) -> Array {
        if array.is_settled() {
            return array.clone();
        }
        if let Some(known) = self.known.get(&array.key()) {
            return known.clone();
        }
        let old = array.expr().inputs();
        let inputs: SmallVec<[Array; 4]> = old.iter().map(|input| grown(|| self.visit(input))).collect();
        let chunks = array.chunks().clone();
        let rewritten = match array.expr() {
            Expr::View { view, .. } => self.push_view(&inputs[0], view, chunks),
            Expr::Rechunk { .. } => self.push_cut(&inputs[0], chunks),
            expr if old.iter().zip(&inputs).any(|(old, new)| old.key() != new.key()) => {
                expr.with_inputs(&inputs).into_array(array.dtype(), chunks)
            }
            _ => array.clone(),
        };
        self.known.insert(array.key(), rewritten.clone());
        rewritten
    }

    /// `input`, which is optimised, seen through `view`.
    fn push_view(&mut self, input: &Array, view: &View, chunks: Chunks) -> Array {
        if chunks.axes().iter().any(|axis| axis.length() == Some(0)) && chunks.is_known() {
            let source = Source::full(Scalar::Bool(false), input.dtype(), chunks.ndim());
            return Expr::Generated(source).into_array(input.dtype(), chunks);
        }
        let direct = input.viewed(view.clone(), chunks.clone());
        if direct.is_settled() {
            return direct;
        }
        if let Some(known) = self.known.get(&direct.key()) {
            return known.clone();
        }
        let pushed = match input.expr() {
            Expr::View { input, view: inner } => self.push_view(input, &inner.then(view), chunks),
            // What is repeated is computed once, before it is repeated.
            Expr::Map { .. } if view.repeats(&chunks) => {
                let (slice, sliced, rest) = view.split(&chunks);
                self.push_view(input, &slice, sliced).viewed(rest, chunks)
            }
            Expr::Map { op, inputs } => {
                let inputs = inputs.iter().map(|input| grown(|| self.push_view(input, view, chunks.clone()))).collect();
                Expr::Map { op: op.clone(), inputs }.into_array(direct.dtype(), chunks)
            }
            Expr::Reduce(reduce) if !view.takes_whole_blocks(input.chunks(), &chunks) => {
                self.push_slice_through(reduce, input, view, chunks)
            }
            Expr::Concatenate { inputs, axis } if !view.takes_whole_blocks(input.chunks(), &chunks) => {
                self.push_slice_into_parts(inputs, *axis, view, chunks).unwrap_or_else(|| direct.clone())
            }
            Expr::Blockwise(function) => {
                self.push_slice_into_run(function, input, view, chunks).unwrap_or_else(|| direct.clone())
            }
            _ => direct.clone(),
        };
        self.known.insert(direct.key(), pushed.clone());
        pushed
    }

    /// A slice of a reduction is the reduction of a slice.
    fn push_slice_through(&mut self, reduce: &Reduce, reduced: &Array, view: &View, chunks: Chunks) -> Array {
        let (slice, sliced_chunks, rest) = view.split(&chunks);
        let whole = reduce.input.chunks();
        let mut start = SmallVec::from_elem(0, whole.ndim());
        let mut axes: SmallVec<[ViewAxis; 4]> = (0..whole.ndim()).map(ViewAxis::all).collect();
        let mut input_chunks = whole.clone();
        let mut output = 0;
        for axis in 0..whole.ndim() {
            let is_reduced = reduce.axes.contains(&axis);
            if !is_reduced {
                start[axis] = slice.start[output];
                axes[axis].step = slice.axes[output].step;
                input_chunks.axes_mut()[axis] = sliced_chunks.axes()[output].clone();
            }
            output += usize::from(!is_reduced || reduce.keepdims);
        }
        let input = self.push_view(&reduce.input, &View { start, axes }, input_chunks);
        let reduce = Reduce { input, axes: reduce.axes.clone(), ..*reduce };
        let sliced = Expr::Reduce(reduce).into_array(reduced.dtype(), sliced_chunks);
        sliced.viewed(rest, chunks)
    }

    /// A slice of arrays put together is slices of those that it has elements of, put together.
    fn push_slice_into_parts(&mut self, parts: &[Array], axis: usize, view: &View, chunks: Chunks) -> Option<Array> {
        let (slice, sliced, rest) = view.split(&chunks);
        let cut = &sliced.axes()[axis];
        let (first, step, count) = (slice.start[axis] as isize, slice.axes[axis].step, cut.length()? as isize);
        let mut found: Vec<Array> = vec![];
        let mut begin = 0;
        for part in parts {
            let own = &part.chunks().axes()[axis];
            let end = begin + own.length()? as isize;
            let (from, to) = numbers_within(begin..end, first, step, count);
            if from < to {
                let mut here = slice.clone();
                here.start[axis] = (first + step * from - begin) as usize;
                let mut own_chunks = sliced.clone();
                own_chunks.axes_mut()[axis] = own.slice(here.start[axis], step, (to - from) as usize);
                let pushed = grown(|| self.push_view(part, &here, own_chunks));
                match pushed.expr() {
                    // Parts of parts are parts, so that slices of slices don't get deeper and deeper.
                    Expr::Concatenate { inputs, axis: own } if *own == axis && step > 0 => {
                        found.extend(inputs.iter().cloned());
                    }
                    _ => found.push(pushed),
                }
            }
            begin = end;
        }
        if step < 0 {
            found.reverse();
        }
        let together = match found.as_slice() {
            [] => return None,
            [one] => one.clone(),
            [one, ..] => {
                let dtype = one.dtype();
                let cuts: Vec<&AxisChunks> = found.iter().map(|part| &part.chunks().axes()[axis]).collect();
                let mut joined = sliced.clone();
                joined.axes_mut()[axis] = AxisChunks::joined(&cuts);
                Expr::Concatenate { inputs: found, axis }.into_array(dtype, joined)
            }
        };
        (*together.chunks() == sliced).then(|| together.viewed(rest, chunks))
    }

    /// The beginning of a running sum or product is that of the beginning: blocks behind it are of no concern.
    fn push_slice_into_run(&mut self, function: &Blockwise, run: &Array, view: &View, chunks: Chunks) -> Option<Array> {
        let (scan, axis) = function.scan?;
        let (slice, sliced, _) = view.split(&chunks);
        let cut = &run.chunks().axes()[axis];
        let count = sliced.axes()[axis].length()?.checked_sub(1)? as isize;
        let (first, length) = (slice.start[axis], cut.length()?);
        let last = first.max((first as isize + slice.axes[axis].step * count) as usize);
        let end = cut.start(cut.locate(last) + 1);
        if end >= length {
            return None;
        }
        let mut beginning = run.chunks().clone();
        beginning.axes_mut()[axis] = cut.slice(0, 1, end);
        let whole = View::of_axes(run.ndim(), (0..run.ndim()).map(Some));
        let input = self.push_view(&function.inputs[0], &whole, beginning);
        let run = input.cumulative(scan, Some(axis as isize), Some(run.dtype())).ok()?;
        Some(run.viewed(view.clone(), chunks))
    }

    /// `input`, which is optimised, in other blocks.
    fn push_cut(&mut self, input: &Array, chunks: Chunks) -> Array {
        match input.expr() {
            Expr::Map { op, inputs } if self.is_in_place(input) => {
                let direct = Expr::Rechunk { input: input.clone() }.into_array(input.dtype(), chunks.clone());
                if let Some(known) = self.known.get(&direct.key()) {
                    return known.clone();
                }
                let inputs = inputs.iter().map(|input| grown(|| self.push_cut(input, chunks.clone()))).collect();
                let pushed = Expr::Map { op: op.clone(), inputs }.into_array(input.dtype(), chunks);
                self.known.insert(direct.key(), pushed.clone());
                pushed
            }
            _ => input.recut(chunks),
        }
    }

    fn is_in_place(&mut self, array: &Array) -> bool {
        match array.expr() {
            Expr::Generated(_) | Expr::Memory { .. } => true,
            Expr::Map { inputs, .. } => {
                if let Some(&known) = self.in_place.get(&array.key()) {
                    return known;
                }
                let found = inputs.iter().all(|input| grown(|| self.is_in_place(input)));
                self.in_place.insert(array.key(), found);
                found
            }
            _ => false,
        }
    }
}

/// Which of the elements `first`, `first + step`, ... (`count` of them) lie in a range, by their numbers: from one to
/// before another.
fn numbers_within(range: Range<isize>, first: isize, step: isize, count: isize) -> (isize, isize) {
    let up_to = |distance: isize| (distance + step.abs() - 1).div_euclid(step.abs()).clamp(0, count);
    if step > 0 {
        (up_to(range.start - first), up_to(range.end - first))
    } else {
        (up_to(first - range.end + 1), up_to(first - range.start + 1))
    }
}

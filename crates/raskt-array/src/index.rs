//! Indexing as NumPy does it: integers, slices, new axes, one list of positions an axis, masks.

use crate::blocks::{BlockInput, Blockwise};
use crate::expression::{Expr, View, ViewAxis};
use crate::layout::axis_of;
use crate::{Array, ArrayError, AxisChunks, Chunks, Result, error::shape_text};
use raskt_value::DType;
use smallvec::SmallVec;
use std::ops::Range;

/// One part of an index expression.
#[derive(Clone, Debug)]
pub enum Index {
    /// A position; the axis goes.
    At(i64),
    /// `start:stop:step`.
    Slice {
        /// The first position.
        start: Option<i64>,
        /// The position before which it ends.
        stop: Option<i64>,
        /// The distance of neighbours; not 0.
        step: Option<i64>,
    },
    /// `None`: a new axis of length 1.
    NewAxis,
    /// `...`: as many whole axes as are needed.
    Ellipsis,
    /// A list of positions.
    List(Vec<i64>),
    /// A list of truth values, as long as the axis.
    Bools(Vec<bool>),
    /// An array of truth values: of the shape of the array, or of one axis.
    Mask(Array),
}

impl Array {
    /// The elements at `index`.
    pub fn index(&self, index: &[Index]) -> Result<Self> {
        if let [Index::Mask(mask)] = index
            && mask.ndim() > 1
        {
            return self.masked_everywhere(mask);
        }
        let parts = self.expand_ellipsis(index)?;
        let mut start = SmallVec::from_elem(0, self.ndim());
        let (mut axes, mut chunks, mut lists) = (SmallVec::new(), vec![], vec![]);
        let mut axis = 0;
        for part in parts {
            if matches!(part, Index::NewAxis) {
                axes.push(ViewAxis::NEW);
                chunks.push(AxisChunks::single(1));
                continue;
            }
            let own = &self.chunks().axes()[axis];
            match part {
                Index::At(position) => start[axis] = self.position(position, axis)?,
                Index::Slice { start: from, stop, step } => {
                    let (first, step, count) = self.bounds(from, stop, step, axis)?;
                    start[axis] = first;
                    axes.push(ViewAxis { from: Some(axis as u8), step });
                    chunks.push(if own.is_known() { own.slice(first, step, count) } else { own.clone() });
                }
                selection => {
                    lists.push((axes.len(), axis, selection));
                    axes.push(ViewAxis::all(axis));
                    chunks.push(own.clone());
                }
            }
            axis += 1;
        }
        if lists.len() > 1 {
            return Err(ArrayError::NotImplemented(
                "an index with more than one list or mask is not implemented: index axis by axis, x[a][:, b]".into(),
            ));
        }
        let viewed = self.viewed(View { start, axes }, Chunks::new(chunks));
        lists
            .into_iter()
            .try_fold(viewed, |array, (axis, own_axis, selection)| array.select_along(axis, own_axis, selection))
    }

    /// The elements at `positions` along an axis; negative ones count from the end.
    pub fn take(&self, positions: &[i64], axis: isize) -> Result<Self> {
        let axis = axis_of(axis, self.ndim())?;
        let length = self.chunks().axes()[axis].length();
        let length = length.ok_or_else(|| ArrayError::Unknown { what: "taking positions".into() })?;
        let positions: Vec<usize> =
            positions.iter().map(|&position| self.position(position, axis)).collect::<Result<_>>()?;
        let mut chunks = self.chunks().clone();
        let longest = chunks.axes()[axis].longest().unwrap_or(length);
        chunks.axes_mut()[axis] = AxisChunks::regular(positions.len(), longest.max(1));
        Ok(Expr::Take { input: self.clone(), axis, positions: positions.into() }.into_array(self.dtype(), chunks))
    }

    /// A box of blocks: along each axis, those in a range.
    pub fn blocks(&self, ranges: &[Range<u32>]) -> Result<Self> {
        if ranges.len() > self.ndim() {
            return Err(self.too_many(ranges.len()));
        }
        let slices = ranges.iter().zip(self.chunks().axes()).enumerate().map(|(axis, (range, cut))| {
            if range.start >= range.end || range.end > cut.blocks() {
                return Err(ArrayError::Index { index: i64::from(range.end), axis, size: cut.blocks() as usize });
            }
            if !cut.is_known() && *range != (0..cut.blocks()) {
                return Err(ArrayError::Unknown { what: "picking blocks".into() });
            }
            let whole = Index::Slice { start: None, stop: None, step: None };
            let (start, stop) = (cut.start(range.start) as i64, cut.start(range.end) as i64);
            Ok(if cut.is_known() { Index::Slice { start: Some(start), stop: Some(stop), step: None } } else { whole })
        });
        self.index(&slices.collect::<Result<Vec<_>>>()?)
    }

    fn select_along(&self, axis: usize, own_axis: usize, selection: Index) -> Result<Self> {
        let length = self.chunks().axes()[axis].length();
        let disagree = |found: String| {
            let size = length.map_or("unknown".into(), |length: usize| length.to_string());
            ArrayError::BadIndex(format!(
                "boolean index did not match indexed array along axis {own_axis}; size of axis is {size} but size of \
                 corresponding boolean axis is {found}"
            ))
        };
        match selection {
            Index::List(positions) => self.take(&positions, axis as isize),
            Index::Bools(mask) if Some(mask.len()) == length => {
                let positions = mask.iter().enumerate().filter(|(_, keep)| **keep).map(|(at, _)| at as i64);
                self.take(&positions.collect::<Vec<_>>(), axis as isize)
            }
            Index::Bools(mask) => Err(disagree(mask.len().to_string())),
            Index::Mask(mask) if mask.dtype() != DType::Bool => {
                Err(ArrayError::BadIndex("arrays used as indices must be of boolean type".into()))
            }
            Index::Mask(mask) if mask.ndim() == 0 => {
                Err(ArrayError::NotImplemented("indexing by a single truth value is not implemented".into()))
            }
            Index::Mask(mask) if mask.ndim() == 1 && mask.shape()[0] == length => self.filtered(&mask, axis),
            Index::Mask(mask) if mask.ndim() == 1 => {
                Err(disagree(mask.shape()[0].map_or("unknown".into(), |length| length.to_string())))
            }
            _ => {
                Err(ArrayError::NotImplemented("a mask of several axes beside other indices is not implemented".into()))
            }
        }
    }

    /// The elements where `mask`, of the same shape, is true: one axis, in C order.
    fn masked_everywhere(&self, mask: &Self) -> Result<Self> {
        if mask.dtype() != DType::Bool {
            return Err(ArrayError::BadIndex("arrays used as indices must be of boolean type".into()));
        }
        if mask.shape() != self.shape() {
            let (own, other) = (shape_text(&self.shape()), shape_text(&mask.shape()));
            return Err(ArrayError::BadIndex(format!(
                "boolean index of shape {other} did not match indexed array of shape {own}"
            )));
        }
        self.reshape(&[-1])?.filtered(&mask.reshape(&[-1])?, 0)
    }

    fn filtered(&self, mask: &Self, axis: usize) -> Result<Self> {
        let cut = self.chunks().axes()[axis].refine(&mask.chunks().axes()[0])?;
        let mut chunks = self.chunks().clone();
        chunks.axes_mut()[axis] = cut.clone();
        let inputs = vec![self.rechunk_to(chunks.clone())?, mask.rechunk_to(Chunks::new([cut.clone()]))?];
        chunks.axes_mut()[axis] = AxisChunks::unknown(cut.blocks());
        let reads = vec![BlockInput::same(self.ndim()), BlockInput::axes([Some(axis)])];
        let blockwise = Blockwise::native("filter", crate::blocks::native::Filter { axis }, inputs, reads);
        Ok(Expr::Blockwise(blockwise.word(axis as u64)).into_array(self.dtype(), chunks))
    }

    fn position(&self, position: i64, axis: usize) -> Result<usize> {
        let size = self.chunks().axes()[axis].length();
        let size = size.ok_or_else(|| ArrayError::Unknown { what: "indexing by position".into() })?;
        let at = if position < 0 { position + size as i64 } else { position };
        if (0..size as i64).contains(&at) {
            Ok(at as usize)
        } else {
            Err(ArrayError::Index { index: position, axis, size })
        }
    }

    /// First position, step and count of a slice.
    fn bounds(
        &self,
        start: Option<i64>,
        stop: Option<i64>,
        step: Option<i64>,
        axis: usize,
    ) -> Result<(usize, isize, usize)> {
        let step = step.unwrap_or(1);
        if step == 0 {
            return Err(ArrayError::Value("slice step cannot be zero".into()));
        }
        let Some(length) = self.chunks().axes()[axis].length() else {
            let whole = start.is_none_or(|start| start == 0) && stop.is_none() && step == 1;
            return if whole { Ok((0, 1, 0)) } else { Err(ArrayError::Unknown { what: "slicing".into() }) };
        };
        let length = length as i64;
        let (lowest, highest) = if step > 0 { (0, length) } else { (-1, length - 1) };
        let clamp = |bound: i64| (if bound < 0 { bound.saturating_add(length) } else { bound }).clamp(lowest, highest);
        let first = start.map_or(if step > 0 { 0 } else { highest }, clamp);
        let last = stop.map_or(if step > 0 { length } else { -1 }, clamp);
        let span = if step > 0 { last - first } else { first - last };
        let count = if span > 0 { (span as u64).div_ceil(step.unsigned_abs()) as usize } else { 0 };
        if count == 0 {
            return Ok((0, 1, 0));
        }
        // A step beyond the axis is never taken.
        let step = step.clamp(-length.max(1), length.max(1)) as isize;
        Ok((first as usize, step, count))
    }

    fn expand_ellipsis(&self, index: &[Index]) -> Result<Vec<Index>> {
        let ellipses = index.iter().filter(|part| matches!(part, Index::Ellipsis)).count();
        if ellipses > 1 {
            return Err(ArrayError::BadIndex("an index can only have a single ellipsis ('...')".into()));
        }
        let taken = index.iter().filter(|part| !matches!(part, Index::NewAxis | Index::Ellipsis)).count();
        let open = self.ndim().checked_sub(taken).ok_or_else(|| self.too_many(taken))?;
        let whole = || std::iter::repeat_n(Index::Slice { start: None, stop: None, step: None }, open);
        let mut parts = Vec::with_capacity(self.ndim());
        for part in index {
            match part {
                Index::Ellipsis => parts.extend(whole()),
                part => parts.push(part.clone()),
            }
        }
        if ellipses == 0 {
            parts.extend(whole());
        }
        Ok(parts)
    }

    fn too_many(&self, found: usize) -> ArrayError {
        let ndim = self.ndim();
        ArrayError::BadIndex(format!(
            "too many indices for array: array is {ndim}-dimensional, but {found} were indexed"
        ))
    }
}

use crate::{AxisChunks, Chunks};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// Which element of an input an element of a view is: slices, reversals, transpositions, new axes and broadcasting, in
/// one form that is closed under composition.
///
/// Element *o* of the view is the element of the input with, along input axis *a*, the coordinate `start[a]` plus
/// `step * o[i]` for the one axis *i* of the view (if any) that comes from *a*.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct View {
    /// For each axis of the input, the coordinate of the view's first element.
    #[serde(with = "raskt_graph::small")]
    pub(crate) start: SmallVec<[usize; 4]>,
    /// For each axis of the view, where it comes from.
    #[serde(with = "raskt_graph::small")]
    pub(crate) axes: SmallVec<[ViewAxis; 4]>,
}

/// Where an axis of a view comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct ViewAxis {
    /// The axis of the input; `None` for a new one, along which the input is repeated.
    pub(crate) from: Option<u8>,
    /// How far neighbours lie apart in the input.
    pub(crate) step: isize,
}

impl ViewAxis {
    pub(crate) const NEW: Self = Self { from: None, step: 0 };

    pub(crate) fn all(axis: usize) -> Self {
        Self { from: Some(axis as u8), step: 1 }
    }
}

impl View {
    /// The view that picks these axes (each at most once) of an input of `ndim` axes; those left out have length 1.
    pub(crate) fn of_axes(ndim: usize, axes: impl IntoIterator<Item = Option<usize>>) -> Self {
        let axes = axes.into_iter().map(|axis| axis.map_or(ViewAxis::NEW, ViewAxis::all)).collect();
        Self { start: SmallVec::from_elem(0, ndim), axes }
    }

    /// Whether each of its axes comes from one that the input has, and no two of them from the same.
    pub(crate) fn is_sound(&self) -> bool {
        let mut froms = self.axes.iter().filter_map(|axis| axis.from);
        let mut seen = vec![false; self.start.len()];
        froms.all(|from| seen.get_mut(from as usize).is_some_and(|seen| !std::mem::replace(seen, true)))
    }

    /// `self` seen through `outer`: a view of this view.
    pub(crate) fn then(&self, outer: &Self) -> Self {
        let mut start = self.start.clone();
        for (axis, &at) in self.axes.iter().zip(&outer.start) {
            if let Some(from) = axis.from {
                let start = &mut start[from as usize];
                *start = (*start as isize + axis.step * at as isize) as usize;
            }
        }
        let axes = outer.axes.iter().map(|outer| match outer.from {
            None => ViewAxis::NEW,
            Some(middle) => {
                let inner = self.axes[middle as usize];
                ViewAxis { from: inner.from, step: inner.step * outer.step }
            }
        });
        Self { axes: axes.collect(), start }
    }

    /// Whether it changes nothing about an array with these chunks.
    pub(crate) fn is_identity(&self, input: &Chunks, output: &Chunks) -> bool {
        self.axes.len() == input.ndim()
            && self.axes.iter().enumerate().all(|(at, axis)| axis.from == Some(at as u8))
            && self.takes_whole_blocks(input, output)
    }

    /// Whether every axis that it takes is taken whole and forward, so that blocks stay blocks: it only orders, adds,
    /// repeats and leaves out axes.
    pub(crate) fn takes_whole_blocks(&self, input: &Chunks, output: &Chunks) -> bool {
        self.axes.iter().zip(output.axes()).all(|(axis, output)| match axis.from {
            None => true,
            Some(from) => axis.step == 1 && *output == input.axes()[from as usize],
        }) && self.unused(input.ndim()).all(|axis| {
            // An axis of one element may still have blocks beside the one that holds it: empty ones.
            let cut = &input.axes()[axis];
            cut.length() == Some(1) && cut.blocks() == 1
        })
    }

    /// The input's axes that no axis of the view comes from.
    pub(crate) fn unused(&self, ndim: usize) -> impl Iterator<Item = usize> + '_ {
        (0..ndim).filter(|&axis| self.output_axis(axis).is_none())
    }

    /// The axis of the view that comes from `axis` of the input.
    pub(crate) fn output_axis(&self, axis: usize) -> Option<usize> {
        self.axes.iter().position(|view| view.from == Some(axis as u8))
    }

    /// Whether an element of the input shows more than once.
    pub(crate) fn repeats(&self, output: &Chunks) -> bool {
        self.axes.iter().zip(output.axes()).any(|(axis, cut)| axis.from.is_none() && cut.length() != Some(1))
    }

    /// Splits off the slicing: chunks of the sliced input, in the input's order of axes and with those left out at
    /// length 1, and the view of that which remains, which takes whole blocks.
    pub(crate) fn split(&self, output: &Chunks) -> (Self, Chunks, Self) {
        let ndim = self.start.len();
        let mut axes = SmallVec::with_capacity(ndim);
        let mut chunks = Vec::with_capacity(ndim);
        for axis in 0..ndim {
            let at = self.output_axis(axis);
            axes.push(ViewAxis { from: Some(axis as u8), step: at.map_or(1, |at| self.axes[at].step) });
            chunks.push(at.map_or(AxisChunks::single(1), |at| output.axes()[at].clone()));
        }
        let slice = Self { start: self.start.clone(), axes };
        let rest = Self::of_axes(ndim, self.axes.iter().map(|axis| axis.from.map(usize::from)));
        (slice, Chunks::new(chunks), rest)
    }
}

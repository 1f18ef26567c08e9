//! Where a block lies in its array, and maps from there to an index.

use raskt_value::Dims;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;

/// A box of an array that a kernel computes: its shape, and the global index of its first element.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Region {
    /// The lengths of its axes.
    pub shape: Dims,
    /// The index in the whole array of its first element, along each axis.
    pub origin: SmallVec<[u64; 4]>,
}

impl Region {
    /// A box of `shape` that begins at `origin`.
    pub fn new(shape: &[usize], origin: &[u64]) -> Self {
        assert_eq!(shape.len(), origin.len(), "a region has one origin for each axis");
        Self { shape: shape.into(), origin: origin.into() }
    }

    /// A whole array of `shape`.
    pub fn whole(shape: &[usize]) -> Self {
        Self { shape: shape.into(), origin: SmallVec::from_elem(0, shape.len()) }
    }

    /// How many elements are in it.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether no element is in it.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// The same box with its axes in another order: axis `i` of the result is axis `order[i]` of this one.
    pub fn permuted(&self, order: &[usize]) -> Self {
        Self {
            shape: order.iter().map(|&axis| self.shape[axis]).collect(),
            origin: order.iter().map(|&axis| self.origin[axis]).collect(),
        }
    }
}

/// An index that is linear in the global coordinates of an element: `base + Σ steps[axis] * coordinate[axis]`.
///
/// Slicing, transposing and broadcasting an array keep it linear, so a source under such views still makes only what
/// is read. A step of zero says that the index doesn't depend on that axis (broadcasting).
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Affine {
    /// The index at the origin.
    pub base: i64,
    /// How much a step along each axis adds.
    #[serde(with = "raskt_graph::small")]
    pub steps: SmallVec<[i64; 4]>,
}

impl Affine {
    /// The position in C order of an element of an array of `shape`.
    pub fn c_order(shape: &[u64]) -> Self {
        let mut steps: SmallVec<[i64; 4]> = SmallVec::from_elem(1, shape.len());
        for axis in (1..shape.len()).rev() {
            steps[axis - 1] = steps[axis].wrapping_mul(shape[axis] as i64);
        }
        Self { base: 0, steps }
    }

    /// The coordinate along `axis` of an array of `axes` axes.
    pub fn along(axis: usize, axes: usize) -> Self {
        let steps = (0..axes).map(|other| i64::from(other == axis)).collect();
        Self { base: 0, steps }
    }

    /// Which diagonal of a matrix an element lies on, counted from diagonal `k`: `column - row - k`.
    pub fn diagonal(k: i64) -> Self {
        Self { base: k.wrapping_neg(), steps: SmallVec::from_slice(&[-1, 1]) }
    }

    /// The index at `coordinate`.
    pub fn at(&self, coordinate: &[u64]) -> i64 {
        let terms = self.steps.iter().zip(coordinate);
        terms.fold(self.base, |sum, (&step, &at)| sum.wrapping_add(step.wrapping_mul(at as i64)))
    }

    /// The index seen through a slice: coordinate `i` of the result is `start + step * i` of this one.
    #[must_use]
    pub fn sliced(&self, axis: usize, start: i64, step: i64) -> Self {
        let mut sliced = self.clone();
        sliced.base = self.base.wrapping_add(self.steps[axis].wrapping_mul(start));
        sliced.steps[axis] = self.steps[axis].wrapping_mul(step);
        sliced
    }

    /// The index seen through a transposition: axis `i` of the result is axis `order[i]` of this one.
    #[must_use]
    pub fn permuted(&self, order: &[usize]) -> Self {
        Self { base: self.base, steps: order.iter().map(|&axis| self.steps[axis]).collect() }
    }

    /// The index of an array with one more axis, on which it doesn't depend.
    #[must_use]
    pub fn with_axis(&self, axis: usize) -> Self {
        let mut steps = self.steps.clone();
        steps.insert(axis, 0);
        Self { base: self.base, steps }
    }

    /// The index of the array at coordinate `at` of `axis`, which goes.
    #[must_use]
    pub fn without_axis(&self, axis: usize, at: i64) -> Self {
        let mut fixed = self.sliced(axis, at, 1);
        fixed.steps.remove(axis);
        fixed
    }

    /// The index of an array of which `axis`, of length 1, is repeated.
    #[must_use]
    pub fn broadcast(&self, axis: usize) -> Self {
        let mut repeated = self.clone();
        repeated.steps[axis] = 0;
        repeated
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_index_follows_views() {
        let index = Affine::c_order(&[4, 5]);
        assert_eq!(index.at(&[2, 3]), 13);
        assert_eq!(index.sliced(1, 4, -2).at(&[2, 1]), 12);
        assert_eq!(index.permuted(&[1, 0]).at(&[3, 2]), 13);
        assert_eq!(index.with_axis(0).at(&[9, 2, 3]), 13);
        assert_eq!(index.without_axis(0, 2).at(&[3]), 13);
        assert_eq!(index.broadcast(0).at(&[7, 3]), 3);
        assert_eq!(Affine::diagonal(1).at(&[2, 3]), 0);
        assert_eq!(Affine::along(1, 2).at(&[2, 3]), 3);
    }
}

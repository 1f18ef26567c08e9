//! Blocks that are made in place: constants, ranges, the identity, random numbers.

use super::{Affine, Random};
use raskt_value::{DType, Scalar};

/// What makes the elements of an array out of nothing but their index.
#[derive(Clone, Debug, PartialEq)]
pub struct Source {
    /// What is made at an index.
    pub generator: Generator,
    /// The type of its elements.
    pub dtype: DType,
    /// The index of the element at a global coordinate of the region that is evaluated.
    pub index: Affine,
}

/// What is made at an index *i*.
#[derive(Clone, Debug, PartialEq)]
pub enum Generator {
    /// The same value everywhere (`zeros`, `ones`, `full`).
    Full(Scalar),
    /// `start + step * i` as `numpy.arange` and `numpy.linspace` compute it: in `f64` for real numbers, in wrapping
    /// integers for integers.
    Linear {
        /// The value at index 0.
        start: Scalar,
        /// The difference of neighbours.
        step: Scalar,
        /// An index with a value of its own: the last one of `linspace`, which is the end exactly.
        end: Option<(i64, Scalar)>,
    },
    /// One where the index is 0, else zero (`eye` with [`Affine::diagonal`]).
    Eye,
    /// One where the index is 0 or less, else zero (`tri` with [`Affine::diagonal`]).
    Triangle,
    /// A random number, which depends on the seed, the stream and the index alone.
    Random(Random),
}

impl Source {
    /// `value` everywhere, over `axes` axes.
    pub fn full(value: Scalar, dtype: DType, axes: usize) -> Self {
        let index = Affine { base: 0, steps: smallvec::SmallVec::from_elem(0, axes) };
        Self { generator: Generator::Full(value), dtype, index }
    }
}

impl Generator {
    /// What it is called in `explain()`.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Full(_) => "full",
            Self::Linear { .. } => "linear",
            Self::Eye => "eye",
            Self::Triangle => "tri",
            Self::Random(_) => "random",
        }
    }
}

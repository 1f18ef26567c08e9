//! How arrays are cut into blocks, and what users say about it.

mod axis;
mod bytes;
mod normalize;
mod reads;

pub use axis::AxisChunks;
pub use bytes::parse_bytes;
pub use normalize::{ChunkSpec, ChunksArg, DEFAULT_BLOCK_BYTES, normalize_chunks};

use crate::{ArrayError, Extent, Extents, Result};
use raskt_graph::Grid;
use raskt_value::Dims;
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::fmt;

/// The chunk grid of an array: how each axis is cut.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Chunks(#[serde(with = "raskt_graph::small")] SmallVec<[AxisChunks; 3]>);

impl Chunks {
    /// The grid with these axes.
    pub fn new(axes: impl IntoIterator<Item = AxisChunks>) -> Self {
        Self(axes.into_iter().collect())
    }

    /// The grid with blocks of these lengths along each axis.
    pub fn from_lengths(lengths: &[Vec<usize>]) -> Self {
        Self::new(lengths.iter().map(|axis| AxisChunks::uneven(axis)))
    }

    /// One block of `shape`.
    pub fn single(shape: &[usize]) -> Self {
        Self::new(shape.iter().map(|&length| AxisChunks::single(length)))
    }

    /// How each axis is cut.
    pub fn axes(&self) -> &[AxisChunks] {
        &self.0
    }

    /// How many axes there are.
    pub fn ndim(&self) -> usize {
        self.0.len()
    }

    /// How many blocks there are along each axis.
    pub fn grid(&self) -> Grid {
        Grid::new(self.0.iter().map(AxisChunks::blocks))
    }

    /// How many blocks there are.
    pub fn blocks(&self) -> u64 {
        self.0.iter().map(|axis| u64::from(axis.blocks())).product()
    }

    /// Whether all lengths are known.
    pub fn is_known(&self) -> bool {
        self.0.iter().all(AxisChunks::is_known)
    }

    /// The lengths of the axes.
    pub fn shape(&self) -> Extents {
        self.0.iter().map(AxisChunks::length).collect()
    }

    /// The lengths of the axes, if all are known; else an error that says that `what` needs them.
    pub fn known_shape(&self, what: &str) -> Result<Dims> {
        let lengths: Option<Dims> = self.0.iter().map(AxisChunks::length).collect();
        lengths.ok_or_else(|| ArrayError::Unknown { what: what.into() })
    }

    /// The shape of the block at `coordinates`.
    pub fn block_shape(&self, coordinates: &[u32]) -> SmallVec<[Extent; 4]> {
        self.0.iter().zip(coordinates).map(|(axis, &at)| axis.block_length(at)).collect()
    }

    /// Elements of the largest block.
    pub(crate) fn largest_block(&self) -> Extent {
        self.0.iter().map(AxisChunks::longest).product()
    }

    pub(crate) fn axes_mut(&mut self) -> &mut SmallVec<[AxisChunks; 3]> {
        &mut self.0
    }
}

impl fmt::Debug for Chunks {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("(")?;
        for (at, axis) in self.0.iter().enumerate() {
            write!(f, "{}{axis:?}", if at == 0 { "" } else { ", " })?;
        }
        f.write_str(if self.0.len() == 1 { ",)" } else { ")" })
    }
}

//! Array expressions, their optimiser and planner, CPU block kernels.
//!
//! An [`Array`] is an immutable expression over a chunk grid: shape, data type, chunks and errors are settled when it
//! is written, and nothing is computed. [`Lower`](raskt_graph::Lower) optimises it and writes it into a graph: chains of
//! elementwise work with the sources below and the reduction above become one op for each block. Results are put
//! together by [`assemble`].
//!
//! ```
//! use raskt_array::{Array, Chunks, Operand, Reduction, Ufunc};
//! use raskt_value::{DType, Scalar};
//! let x = Array::full(Chunks::single(&[1000, 1000]), Scalar::Float(1.5), DType::F64)?;
//! let y = Array::map(Ufunc::from_name("multiply")?, &[Operand::from(&x), Operand::Scalar(Scalar::Int(2))])?;
//! let total = y.reduce(Reduction::Sum, &Default::default())?;
//! assert_eq!((total.ndim(), total.dtype()), (0, DType::F64));
//! # Ok::<(), raskt_array::ArrayError>(())
//! ```

mod assemble;
mod blocks;
mod chunks;
mod describe;
mod elementwise;
mod error;
mod expression;
mod index;
pub mod kernel;
mod layout;
pub mod linalg;
mod lower;
mod optimize;
mod reduce;
mod stack;
#[cfg(test)]
mod tests;
mod wire;

pub use assemble::assemble;
pub use blocks::{BlockFunction, MapBlocks};
pub use chunks::{AxisChunks, ChunkSpec, Chunks, ChunksArg, DEFAULT_BLOCK_BYTES, normalize_chunks, parse_bytes};
pub use describe::Description;
pub use elementwise::{Operand, Ufunc, broadcast_shapes, result_type};
pub use error::{ArrayError, ErrorClass, Result};
pub use expression::{Array, arange_length};
pub use index::Index;
pub use kernel::{Distribution, ReduceOp as Reduction};
pub use reduce::{ReduceOptions, Scan};
pub use wire::add_decoders;

/// A length that may be unknown until the array is computed.
pub type Extent = Option<usize>;
/// The lengths of the axes of an array.
pub type Extents = smallvec::SmallVec<[Extent; 4]>;

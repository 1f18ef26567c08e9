//! What a task returns, in plain data.
//!
//! A [`Value`] is an n-dimensional block ([`Chunk`]), a table of columns (behind [`Table`]), the output of a shuffle
//! producer ([`Manifest`]), somebody else's object (behind [`Foreign`]) or a result that a store keeps (behind [`StoredValue`]). A [`Kernel`] turns input values into an
//! output value: collections make kernels, executors run them, and neither knows the other.
//!
//! Data types and their promotion ([`DType`], [`promote`]) follow NumPy's NEP 50.

#![deny(clippy::iter_over_hash_type)]

mod at_most;
mod buffer;
mod chunk;
mod codec;
mod dtype;
mod element;
mod error;
mod given;
mod kernel;
mod parcel;
mod promotion;
mod scalar;
mod truncate;
mod value;
pub mod wire;

pub use at_most::AtMost;
pub use buffer::Buffer;
pub use chunk::{Chunk, Dims, LayoutError, Strides};
pub use codec::{Codec, Decoder, Encoded, Unwritten};
pub use dtype::{DType, Kind};
pub use element::Element;
pub use error::{ErrorKind, TaskError};
pub use given::Given;
pub use kernel::{Call, CancelToken, Kernel, NativeOp};
pub use parcel::{Parcel, ValueDecoder};
pub use promotion::{promote, promote_weak};
pub use scalar::Scalar;
pub use truncate::Truncate;
pub use value::{Foreign, Manifest, Part, StoredValue, Summary, Table, Value};

/// Complex numbers, as `num-complex` defines them.
pub use num_complex as complex;

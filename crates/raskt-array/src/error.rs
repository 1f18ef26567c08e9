use crate::Extent;
use raskt_value::{ErrorKind, TaskError};
use std::fmt::Write;
use thiserror::Error;

/// What this crate's functions return.
pub type Result<T> = std::result::Result<T, ArrayError>;

/// An operation on arrays that can't be: found when it is asked for, before anything is computed.
#[derive(Clone, Debug, Error, PartialEq)]
#[non_exhaustive]
pub enum ArrayError {
    /// Shapes that don't broadcast.
    #[error("operands could not be broadcast together with shapes {}", shapes_text(shapes))]
    Broadcast {
        /// The shapes of the operands.
        shapes: Vec<Vec<Extent>>,
    },
    /// A shape that the operation can't take.
    #[error("{0}")]
    Shape(String),
    /// An axis that isn't there.
    #[error("axis {axis} is out of bounds for array of dimension {ndim}")]
    Axis {
        /// The axis asked for.
        axis: isize,
        /// How many there are.
        ndim: usize,
    },
    /// Axes that are named twice, or not all.
    #[error("{0}")]
    Axes(String),
    /// A position outside an axis.
    #[error("index {index} is out of bounds for axis {axis} with size {size}")]
    Index {
        /// The position asked for.
        index: i64,
        /// Along which axis.
        axis: usize,
        /// How long the axis is.
        size: usize,
    },
    /// An index that the array can't take.
    #[error("{0}")]
    BadIndex(String),
    /// Chunks that don't fit the shape.
    #[error("{0}")]
    Chunks(String),
    /// A data type that the operation can't take.
    #[error("{0}")]
    DType(String),
    /// An argument out of its range.
    #[error("{0}")]
    Value(String),
    /// A Python integer that the data type can't hold.
    #[error("{0}")]
    Overflow(String),
    /// Something that needs lengths that aren't known before the array is computed.
    #[error("{what} needs block lengths that are not known yet: call `compute_chunk_sizes()` first")]
    Unknown {
        /// The operation.
        what: String,
    },
    /// A matrix that the operation can't take.
    #[error("{0}")]
    LinearAlgebra(String),
    /// Something that raskt doesn't do yet.
    #[error("{0}")]
    NotImplemented(String),
    /// A block that isn't what its array says.
    #[error("{0}")]
    Block(String),
}

/// The sorts of failure, by the exception that NumPy raises.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ErrorClass {
    /// `ValueError`.
    Value,
    /// `raskt._errors.UnknownLengths`.
    Unknown,
    /// `TypeError`.
    Type,
    /// `IndexError`.
    Index,
    /// `numpy.exceptions.AxisError`.
    Axis,
    /// `OverflowError`.
    Overflow,
    /// `NotImplementedError`.
    NotImplemented,
    /// `numpy.linalg.LinAlgError`.
    LinearAlgebra,
    /// `RuntimeError`: a bug.
    Runtime,
}

impl ArrayError {
    /// The sort of failure it is.
    pub fn class(&self) -> ErrorClass {
        match self {
            Self::Broadcast { .. } | Self::Shape(_) | Self::Axes(_) | Self::Chunks(_) | Self::Value(_) => {
                ErrorClass::Value
            }
            Self::Unknown { .. } => ErrorClass::Unknown,
            Self::Axis { .. } => ErrorClass::Axis,
            Self::Index { .. } | Self::BadIndex(_) => ErrorClass::Index,
            Self::DType(_) => ErrorClass::Type,
            Self::Overflow(_) => ErrorClass::Overflow,
            Self::LinearAlgebra(_) => ErrorClass::LinearAlgebra,
            Self::NotImplemented(_) => ErrorClass::NotImplemented,
            Self::Block(_) => ErrorClass::Runtime,
        }
    }
}

impl From<TaskError> for ArrayError {
    fn from(error: TaskError) -> Self {
        match error.kind {
            ErrorKind::Type => Self::DType(error.message),
            ErrorKind::NotImplemented => Self::NotImplemented(error.message),
            ErrorKind::LinearAlgebra => Self::LinearAlgebra(error.message),
            ErrorKind::Panic => Self::Block(error.message),
            _ => Self::Value(error.message),
        }
    }
}

/// A shape as NumPy writes it: `(3, 4)`, `(2,)`; an unknown length is `nan`.
pub(crate) fn shape_text(shape: &[Extent]) -> String {
    let mut text = String::from("(");
    for (axis, length) in shape.iter().enumerate() {
        let separator = if axis == 0 { "" } else { "," };
        match length {
            Some(length) => write!(text, "{separator}{length}"),
            None => write!(text, "{separator}nan"),
        }
        .expect("a string takes all that is written to it");
    }
    text + if shape.len() == 1 { ",)" } else { ")" }
}

fn shapes_text(shapes: &[Vec<Extent>]) -> String {
    let texts: Vec<_> = shapes.iter().map(|shape| shape_text(shape)).collect();
    let unknown = shapes.iter().flatten().any(Option::is_none);
    texts.join(" and ") + if unknown { "; call `compute_chunk_sizes()` first" } else { "" }
}

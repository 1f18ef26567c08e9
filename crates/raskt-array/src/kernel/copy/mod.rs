//! Moves elements: views without a copy, and blocks put together from pieces of others.

mod assemble;
mod select;
mod view;

pub use assemble::{FlatPiece, Piece, assemble, assemble_flat};
pub use select::{compress, take};
pub use view::{AxisSlice, broadcast_to, expand_dims, reshape, slice, squeeze, transpose};

use raskt_value::{Chunk, Element, TaskError};

/// Elements that are moved between two looks at the cancel token: some milliseconds of work.
const ELEMENTS_PER_CHECK: usize = 1 << 20;

fn invalid(message: String) -> TaskError {
    TaskError::new(raskt_value::ErrorKind::Value, message)
}

/// Blocks are moved by the size of their elements: a type of that size stands for the element type.
macro_rules! with_size {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype.size() {
            1 => {
                type $T = u8;
                $body
            }
            2 => {
                type $T = u16;
                $body
            }
            4 => {
                type $T = u32;
                $body
            }
            8 => {
                type $T = u64;
                $body
            }
            _ => {
                type $T = raskt_value::complex::Complex<f64>;
                $body
            }
        }
    };
}
use with_size;

/// A block of `dtype` over elements that were moved as a type of the same size.
fn retyped<T: Element>(elements: Vec<T>, dtype: raskt_value::DType, shape: &[usize]) -> Chunk {
    debug_assert_eq!(size_of::<T>(), dtype.size());
    let plain = Chunk::from_vec(elements, shape).expect("as many elements as the shape says");
    let strides = plain.strides().into();
    Chunk::from_parts(dtype, shape.into(), strides, 0, plain.buffer().clone()).expect("the same layout")
}

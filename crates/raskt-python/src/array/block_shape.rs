//! The shapes of blocks that nobody knew before they were computed.

use super::ArrayExpr;
use pyo3::prelude::*;
use raskt_value::{Buffer, Chunk, DType, Element, Value, with_element};

/// The lengths of each block of `x`, one block after the other in C order.
#[pyfunction]
fn array_block_shapes(x: &ArrayExpr) -> ArrayExpr {
    x.array.block_shapes().into()
}

/// A block of `shape` that takes no memory.
pub(super) fn stand_in(dtype: DType, shape: &[usize]) -> Value {
    let strides = shape.iter().map(|_| 0).collect();
    let buffer = with_element!(dtype, T => one_element::<T>());
    Chunk::from_parts(dtype, shape.into(), strides, 0, buffer).expect("one element for all").into()
}

fn one_element<T: Element>() -> Buffer {
    // SAFETY: all zero bits are a value of every element type.
    Buffer::from_vec(vec![unsafe { std::mem::zeroed::<T>() }])
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_block_shapes, module)?)
}

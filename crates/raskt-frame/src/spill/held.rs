//! How much memory a table holds.

use polars::prelude::{Column, DataFrame};
use polars_arrow::array::*;
use polars_arrow::datatypes::PhysicalType;

/// Bytes that a table holds, without what lies between its rows in buffers that it shares.
pub(crate) fn bytes(frame: &DataFrame) -> usize {
    let columns = frame.columns().iter();
    columns
        .map(|column| match column {
            Column::Series(series) => series.chunks().iter().map(|chunk| array_bytes(&**chunk)).sum(),
            Column::Scalar(_) => 0,
        })
        .sum()
}

fn array_bytes(array: &dyn Array) -> usize {
    let validity = array.validity().map_or(0, |bits| bits.len() / 8);
    let own = match array.dtype().to_physical_type() {
        PhysicalType::Utf8View => array.as_any().downcast_ref().map_or(0, view_bytes::<str>),
        PhysicalType::BinaryView => array.as_any().downcast_ref().map_or(0, view_bytes::<[u8]>),
        PhysicalType::Struct => {
            let array: Option<&StructArray> = array.as_any().downcast_ref();
            array.map_or(0, |array| array.values().iter().map(|field| array_bytes(&**field)).sum())
        }
        PhysicalType::LargeList => array.as_any().downcast_ref().map_or(0, |array: &ListArray<i64>| {
            let (first, range) = (*array.offsets().first() as usize, array.offsets().range() as usize);
            size_of_val(array.offsets().as_slice()) + array_bytes(&*array.values().sliced(first, range))
        }),
        _ => return polars_arrow::compute::aggregate::estimated_bytes_size(array),
    };
    own + validity
}

/// Views, and the texts that don't fit into them.
fn view_bytes<T: ViewType + ?Sized>(array: &BinaryViewArrayGeneric<T>) -> usize {
    size_of_val(array.views().as_slice()) + array.total_buffer_len().min(array.total_bytes_len())
}

//! How much memory a table holds, and whether it alone does.

use super::layout::with_primitive;
use polars::prelude::{Column, DataFrame};
use polars_arrow::array::*;
use polars_arrow::datatypes::PhysicalType;
use std::collections::BTreeMap;
use std::sync::Arc;

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

/// Whether nobody else refers to the memory of a table.
pub(crate) fn is_sole(frame: &DataFrame) -> bool {
    let mut seen = Seen::default();
    for column in frame.columns() {
        if let Column::Series(series) = column {
            seen.add(Arc::as_ptr(&series.0).cast::<u8>() as usize, Arc::strong_count(&series.0) as u64);
            series.chunks().iter().for_each(|chunk| seen.add_array(&**chunk));
        }
    }
    seen.0.into_values().all(|(times, references)| times == references)
}

/// How often each piece of memory was met, and how often it is referred to in all. Columns of one table may share some.
#[derive(Default)]
struct Seen(BTreeMap<usize, (u64, u64)>);

impl Seen {
    fn add(&mut self, address: usize, references: u64) {
        self.0.entry(address).or_insert((0, references)).0 += 1;
    }

    fn add_buffer<T>(&mut self, buffer: &polars_buffer::Buffer<T>) {
        if !buffer.is_empty() {
            self.add(buffer.storage_ptr() as usize, buffer.storage_refcount());
        }
    }

    /// The buffers of an array that are worth something: its bits and offsets are small beside its elements.
    fn add_array(&mut self, array: &dyn Array) {
        let any = array.as_any();
        match array.dtype().to_physical_type() {
            PhysicalType::Primitive(primitive) => with_primitive!(
                primitive,
                |T| any.downcast_ref().into_iter().for_each(|it: &PrimitiveArray<T>| self.add_buffer(it.values())),
                ()
            ),
            PhysicalType::Utf8View => any.downcast_ref().into_iter().for_each(|it| self.add_views::<str>(it)),
            PhysicalType::BinaryView => any.downcast_ref().into_iter().for_each(|it| self.add_views::<[u8]>(it)),
            PhysicalType::LargeBinary => {
                any.downcast_ref().into_iter().for_each(|it: &BinaryArray<i64>| self.add_buffer(it.values()));
            }
            PhysicalType::LargeList => {
                any.downcast_ref().into_iter().for_each(|it: &ListArray<i64>| self.add_array(&**it.values()));
            }
            PhysicalType::FixedSizeList => {
                any.downcast_ref().into_iter().for_each(|it: &FixedSizeListArray| self.add_array(&**it.values()));
            }
            PhysicalType::Struct => {
                let fields = any.downcast_ref().into_iter().flat_map(|it: &StructArray| it.values());
                fields.for_each(|field| self.add_array(&**field));
            }
            _ => {}
        }
    }

    fn add_views<T: ViewType + ?Sized>(&mut self, array: &BinaryViewArrayGeneric<T>) {
        self.add_buffer(array.views());
        array.data_buffers().iter().for_each(|buffer| self.add_buffer(buffer));
    }
}

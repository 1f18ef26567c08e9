use super::layout::{Bits, Body, Layout, Piece, with_primitive};
use polars_arrow::array::*;
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::PhysicalType;
use polars_arrow::offset::OffsetsBuffer;
use raskt_value::{Buffer, ErrorKind, TaskError};
use std::any::Any;
use std::ptr::NonNull;
use std::sync::Arc;

/// Every buffer begins at a multiple of this: a cache line.
#[derive(Clone, Copy)]
#[repr(align(64))]
pub(super) struct Line(#[expect(dead_code, reason = "only its address is read")] [u8; ALIGNMENT]);

const ALIGNMENT: usize = 64;

impl Line {
    pub const ZERO: Self = Self([0; ALIGNMENT]);
}

/// The first `length` bytes of `lines`.
pub(super) fn buffer_of(mut lines: Vec<Line>, length: usize) -> Buffer {
    let start = NonNull::from(lines.as_mut_slice()).cast();
    // SAFETY: the bytes lie in the lines, which the buffer keeps alive and nobody changes any more.
    unsafe { Buffer::from_raw(start, length.min(lines.len() * ALIGNMENT), Arc::new(lines)) }
}

/// The bytes of a table as they come together.
#[derive(Default)]
pub(super) struct Pieces {
    pieces: Vec<Buffer>,
    length: usize,
}

impl Pieces {
    pub fn finish(self) -> Vec<Buffer> {
        self.pieces
    }

    /// Puts in the buffers of an array, and says what they are.
    pub fn put_array(&mut self, array: &dyn Array) -> Result<Layout, TaskError> {
        let dtype = array.dtype().clone();
        let body = match dtype.to_physical_type() {
            PhysicalType::Null => Body::Null,
            PhysicalType::Boolean => Body::Bits(self.put_bits(of::<BooleanArray>(array)?.values())),
            PhysicalType::Primitive(primitive) => with_primitive!(
                primitive,
                |T| Body::Values(self.put(of::<PrimitiveArray<T>>(array)?.values().clone())),
                return Err(unknown(array))
            ),
            PhysicalType::Utf8View => self.put_views(of::<Utf8ViewArray>(array)?),
            PhysicalType::BinaryView => self.put_views(of::<BinaryViewArray>(array)?),
            PhysicalType::LargeBinary => {
                let array = of::<BinaryArray<i64>>(array)?;
                let (offsets, range) = self.put_offsets(array.offsets());
                Body::Bytes { offsets, values: self.put(array.values().clone().sliced(range)) }
            }
            PhysicalType::LargeList => {
                let array = of::<ListArray<i64>>(array)?;
                let (offsets, range) = self.put_offsets(array.offsets());
                let items = array.values().sliced(range.start, range.len());
                Body::List { offsets, items: Box::new(self.put_array(&*items)?) }
            }
            PhysicalType::FixedSizeList => {
                Body::FixedList(Box::new(self.put_array(&**of::<FixedSizeListArray>(array)?.values())?))
            }
            PhysicalType::Struct => {
                let fields = of::<StructArray>(array)?.values().iter();
                Body::Fields(fields.map(|field| self.put_array(&**field)).collect::<Result<_, _>>()?)
            }
            _ => return Err(unknown(array)),
        };
        let validity = array.validity().map(|bits| self.put_bits(bits));
        Ok(Layout { dtype, length: array.len(), validity, body })
    }

    /// Texts or bytes: without what lies between those that are there, if that is much.
    fn put_views<T: ViewType + ?Sized>(&mut self, array: &BinaryViewArrayGeneric<T>) -> Body {
        let is_sparse = array.total_buffer_len() > SPARSE_BYTES + 2 * array.total_bytes_len();
        let array = if is_sparse { array.clone().gc() } else { array.clone() };
        let views = self.put(array.views().clone());
        Body::Views { views, buffers: array.data_buffers().iter().map(|buffer| self.put(buffer.clone())).collect() }
    }

    fn put_bits(&mut self, bits: &Bitmap) -> Bits {
        let (bytes, offset, length) = bits.as_buffer();
        Bits { bytes: self.put(bytes), offset, length }
    }

    /// Offsets from 0 on, and what they refer to.
    fn put_offsets(&mut self, offsets: &OffsetsBuffer<i64>) -> (Piece, std::ops::Range<usize>) {
        let first = *offsets.first();
        let range = first as usize..*offsets.last() as usize;
        if first == 0 {
            return (self.put(offsets.buffer().clone()), range);
        }
        let moved: Vec<i64> = offsets.iter().map(|offset| offset - first).collect();
        (self.put(polars_buffer::Buffer::from(moved)), range)
    }

    /// Puts in one buffer, and fills up to where the next one begins.
    fn put<T: Send + Sync + 'static>(&mut self, buffer: polars_buffer::Buffer<T>) -> Piece {
        let bytes = size_of_val(buffer.as_slice());
        let start = self.length;
        let first = NonNull::from(buffer.as_slice()).cast();
        // SAFETY: the elements lie there for as long as the buffer is kept, which the piece does, and nobody changes them:
        // the engine writes only to what it alone refers to.
        self.pieces.push(unsafe { Buffer::from_raw(first, bytes, Arc::new(buffer) as Arc<dyn Any + Send + Sync>) });
        let padding = bytes.next_multiple_of(ALIGNMENT) - bytes;
        if padding > 0 {
            self.pieces.push(Buffer::from_vec(vec![0_u8; padding]));
        }
        self.length += bytes + padding;
        start..start + bytes
    }
}

/// Bytes between texts that aren't worth a copy of the texts.
const SPARSE_BYTES: usize = 16 << 10;

fn of<T: 'static>(array: &dyn Array) -> Result<&T, TaskError> {
    array.as_any().downcast_ref().ok_or_else(|| unknown(array))
}

fn unknown(array: &dyn Array) -> TaskError {
    TaskError::new(ErrorKind::NotImplemented, format!("columns of {:?} can't be spilled", array.dtype()))
}

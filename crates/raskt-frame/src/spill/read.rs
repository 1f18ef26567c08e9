use super::bad;
use super::layout::{Bits, Body, Layout, Piece, with_primitive};
use polars_arrow::array::*;
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::PhysicalType;
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::types::NativeType;
use raskt_value::{Buffer, TaskError};
use std::marker::PhantomData;

/// The array whose bytes lie in `bytes`.
pub(super) fn array(layout: &Layout, bytes: &Buffer) -> Result<Box<dyn Array>, TaskError> {
    let dtype = layout.dtype.clone();
    let validity = layout.validity.as_ref().map(|bits| bitmap(bits, bytes)).transpose()?;
    let wrong = |error: polars_error::PolarsError| bad(&error.to_string());
    Ok(match &layout.body {
        Body::Null => NullArray::try_new(dtype, layout.length).map_err(wrong)?.boxed(),
        Body::Bits(bits) => BooleanArray::try_new(dtype, bitmap(bits, bytes)?, validity).map_err(wrong)?.boxed(),
        Body::Values(values) => {
            let PhysicalType::Primitive(primitive) = dtype.to_physical_type() else { return Err(bad("its type")) };
            with_primitive!(
                primitive,
                |T| PrimitiveArray::<T>::try_new(dtype, elements(values, bytes)?, validity).map_err(wrong)?.boxed(),
                return Err(bad("its type"))
            )
        }
        Body::Bytes { offsets, values } => {
            let (offsets, values) = (self::offsets(offsets, bytes)?, elements(values, bytes)?);
            BinaryArray::<i64>::try_new(dtype, offsets, values, validity).map_err(wrong)?.boxed()
        }
        Body::Views { views, buffers } => {
            let views = elements(views, bytes)?;
            let buffers = buffers.iter().map(|buffer| elements(buffer, bytes)).collect::<Result<Vec<_>, _>>()?;
            let is_text = dtype.to_physical_type() == PhysicalType::Utf8View;
            // SAFETY: these are the buffers of such an array, unchanged: the checksum says so.
            unsafe {
                match is_text {
                    true => {
                        Utf8ViewArray::new_unchecked_unknown_md(dtype, views, buffers.into(), validity, None).boxed()
                    }
                    false => {
                        BinaryViewArray::new_unchecked_unknown_md(dtype, views, buffers.into(), validity, None).boxed()
                    }
                }
            }
        }
        Body::List { offsets, items } => {
            let (offsets, items) = (self::offsets(offsets, bytes)?, array(items, bytes)?);
            ListArray::<i64>::try_new(dtype, offsets, items, validity).map_err(wrong)?.boxed()
        }
        Body::FixedList(items) => {
            let items = array(items, bytes)?;
            FixedSizeListArray::try_new(dtype, layout.length, items, validity).map_err(wrong)?.boxed()
        }
        Body::Fields(fields) => {
            let fields = fields.iter().map(|field| array(field, bytes)).collect::<Result<_, _>>()?;
            StructArray::try_new(dtype, layout.length, fields, validity).map_err(wrong)?.boxed()
        }
    })
}

fn offsets(piece: &Piece, bytes: &Buffer) -> Result<OffsetsBuffer<i64>, TaskError> {
    OffsetsBuffer::try_from(elements::<i64>(piece, bytes)?).map_err(|error| bad(&error.to_string()))
}

fn bitmap(bits: &Bits, bytes: &Buffer) -> Result<Bitmap, TaskError> {
    let storage = elements::<u8>(&bits.bytes, bytes)?.into_storage();
    if storage.len() * 8 < bits.offset + bits.length {
        return Err(bad("too few bits"));
    }
    // SAFETY: there are as many bits as that, as was just seen.
    Ok(unsafe { Bitmap::from_inner_unchecked(storage, bits.offset, bits.length, None) })
}

/// The elements that lie at `piece`.
fn elements<T: NativeType>(piece: &Piece, bytes: &Buffer) -> Result<polars_buffer::Buffer<T>, TaskError> {
    if piece.is_empty() {
        return Ok(polars_buffer::Buffer::new());
    }
    let fits = |bytes: &Buffer| bytes.len().is_multiple_of(size_of::<T>()) && bytes.as_ptr().cast::<T>().is_aligned();
    let bytes = bytes.part(piece.start, piece.len()).filter(fits).ok_or_else(|| bad("a buffer lies outside of it"))?;
    Ok(polars_buffer::Buffer::from_owner(Elements::<T> { bytes, is: PhantomData }))
}

/// Bytes as elements.
struct Elements<T> {
    bytes: Buffer,
    is: PhantomData<fn() -> T>,
}

impl<T: NativeType> AsRef<[T]> for Elements<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: `elements` saw to the alignment and the length, and any bits are a value.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().cast(), self.bytes.len() / size_of::<T>()) }
    }
}

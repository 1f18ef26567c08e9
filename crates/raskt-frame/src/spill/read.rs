//! Tables from the bytes that they are.

use super::message::{Batch, Messages, number, slice_of};
use super::primitive::with_primitive;
use super::write::inner;
use super::{KnownColumn, bad};
use polars::prelude::{CategoricalMapping, Column, CompatLevel, DataFrame, DataType, Series};
use polars_arrow::array::*;
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowDataType, PhysicalType};
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow::types::NativeType;
use polars_arrow_format::ipc;
use raskt_value::{Buffer, TaskError};
use std::cell::OnceCell;
use std::collections::HashMap;
use std::marker::PhantomData;
use std::vec::IntoIter;

/// What is known of bytes before they are read.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Trust {
    /// They are what this process has written: a checksum says so. Codes stand for what they stood for.
    OwnBytes,
    /// Nothing: texts, places and codes are looked at, and codes are told by their words.
    Nothing,
}

/// The words that codes stand for, by the number of their type.
type Words = HashMap<i64, (Utf8ViewArray, OnceCell<Vec<u32>>)>;

/// The table of these columns that a stream is.
pub(super) fn table(columns: &[KnownColumn], bytes: &Buffer, trust: Trust) -> Result<DataFrame, TaskError> {
    let mut chunks: Vec<Vec<Box<dyn Array>>> = columns.iter().map(|_| vec![]).collect();
    let (mut words, mut height, mut messages) = (Words::new(), 0, Messages::of(bytes));
    let mut nothing_left = NOTHING_MAX;
    while let Some(batch) = messages.batch()? {
        let rows = number(batch.batch.length().map_err(bad)?)?;
        let dictionary = batch.dictionary;
        let mut places = Source::of(batch, trust, nothing_left)?;
        if let Some(id) = dictionary {
            // Whoever has written them knows them.
            if trust == Trust::Nothing {
                let found = places.array(&DataType::String, &Words::new(), &mut 0)?;
                let found = found.as_any().downcast_ref::<Utf8ViewArray>().ok_or_else(|| bad("words that are none"))?;
                words.insert(id, (found.clone(), OnceCell::new()));
            }
            continue;
        }
        let mut id = 0;
        for (column, chunks) in columns.iter().zip(&mut chunks) {
            let chunk = places.array(&column.dtype, &words, &mut id)?;
            if chunk.len() != rows {
                return Err(bad("columns of several lengths"));
            }
            chunks.push(chunk);
        }
        height = number(height as i64 + rows as i64)?;
        nothing_left = places.nothing_left;
    }
    if chunks.iter().any(Vec::is_empty) {
        return Err(bad("it has no rows, not even none"));
    }
    let columns = columns.iter().zip(chunks).map(|(column, chunks)| column.of(chunks)).collect();
    DataFrame::new(height, columns).map_err(bad)
}

impl KnownColumn {
    fn of(&self, chunks: Vec<Box<dyn Array>>) -> Column {
        // SAFETY: the chunks have the types that those of a column of this type have: they were made for it.
        let mut column = unsafe { Series::from_chunks_and_dtype_unchecked(self.name.clone(), chunks, &self.dtype) };
        column.set_sorted_flag(self.sorted);
        column.into()
    }
}

/// The arrays of a batch, one after the other.
struct Source {
    body: Buffer,
    nodes: IntoIter<(i64, i64)>,
    buffers: IntoIter<(i64, i64)>,
    variadic: IntoIter<i64>,
    trust: Trust,
    /// How many values that are nothing at all may come: they take memory, and no bytes.
    nothing_left: usize,
}

/// The most values of columns of nothing: two gigabytes of bits.
const NOTHING_MAX: usize = 1 << 34;

impl Source {
    fn of(from: Batch<'_>, trust: Trust, nothing_left: usize) -> Result<Self, TaskError> {
        let Batch { batch, body, .. } = from;
        if batch.compression().map_err(bad)?.is_some() {
            return Err(bad("it is compressed"));
        }
        let node = |node: ipc::FieldNodeRef<'_>| (node.length(), node.null_count());
        let nodes: Vec<_> = batch.nodes().map_err(bad)?.into_iter().flatten().map(node).collect();
        let buffer = |buffer: ipc::BufferRef<'_>| (buffer.offset(), buffer.length());
        let buffers: Vec<_> = batch.buffers().map_err(bad)?.into_iter().flatten().map(buffer).collect();
        let variadic: Vec<i64> = batch.variadic_buffer_counts().map_err(bad)?.into_iter().flatten().collect();
        let (nodes, buffers, variadic) = (nodes.into_iter(), buffers.into_iter(), variadic.into_iter());
        Ok(Self { body, nodes, buffers, variadic, trust, nothing_left })
    }

    /// The next array, which is one of a column of `dtype`; `id` is the number of the next type of categories.
    fn array(&mut self, dtype: &DataType, words: &Words, id: &mut i64) -> Result<Box<dyn Array>, TaskError> {
        let (length, nulls) = self.nodes.next().ok_or_else(|| bad("too few arrays"))?;
        let (length, nulls) = (number(length)?, number(nulls)?);
        let arrow = dtype.to_physical().try_to_arrow(CompatLevel::newest()).map_err(bad)?;
        let physical = arrow.to_physical_type();
        if physical == PhysicalType::Null {
            self.nothing_left =
                self.nothing_left.checked_sub(length).ok_or_else(|| bad("more of nothing than fits"))?;
            return Ok(NullArray::try_new(arrow, length).map_err(bad)?.boxed());
        }
        let validity = self.validity(length, nulls)?;
        Ok(match physical {
            PhysicalType::Boolean => {
                let bits = self.bitmap(length)?;
                BooleanArray::try_new(arrow, bits, validity).map_err(bad)?.boxed()
            }
            PhysicalType::Primitive(primitive) => with_primitive!(
                primitive,
                |T| {
                    let values = self.elements::<T>(length)?;
                    let array = PrimitiveArray::<T>::try_new(arrow, values, validity).map_err(bad)?.boxed();
                    self.coded(array, dtype, words, id)?
                },
                return Err(bad("its type"))
            ),
            PhysicalType::Utf8View => self.views::<str>(arrow, length, validity)?,
            PhysicalType::BinaryView => self.views::<[u8]>(arrow, length, validity)?,
            PhysicalType::LargeBinary => {
                let offsets = self.offsets(length)?;
                let values = self.elements::<u8>(*offsets.last() as usize)?;
                BinaryArray::<i64>::try_new(arrow, offsets, values, validity).map_err(bad)?.boxed()
            }
            PhysicalType::LargeList => {
                let offsets = self.offsets(length)?;
                let items = self.array(inner(dtype)?, words, id)?;
                ListArray::<i64>::try_new(arrow, offsets, items, validity).map_err(bad)?.boxed()
            }
            PhysicalType::FixedSizeList => {
                let items = self.array(inner(dtype)?, words, id)?;
                let DataType::Array(_, width) = dtype else { return Err(bad("its type")) };
                if length.checked_mul(*width) != Some(items.len()) {
                    return Err(bad("lists of another length"));
                }
                FixedSizeListArray::try_new(arrow, length, items, validity).map_err(bad)?.boxed()
            }
            PhysicalType::Struct => {
                let DataType::Struct(fields) = dtype else { return Err(bad("its type")) };
                let fields =
                    fields.iter().map(|field| self.array(field.dtype(), words, id)).collect::<Result<_, _>>()?;
                StructArray::try_new(arrow, length, fields, validity).map_err(bad)?.boxed()
            }
            _ => return Err(bad("its type")),
        })
    }

    fn views<T: ViewType + ?Sized>(
        &mut self,
        arrow: ArrowDataType,
        length: usize,
        validity: Option<Bitmap>,
    ) -> Result<Box<dyn Array>, TaskError> {
        let views = self.elements::<View>(length)?;
        let count = number(self.variadic.next().ok_or_else(|| bad("too few numbers of buffers"))?)?;
        if count > self.buffers.len() {
            return Err(bad("too few buffers"));
        }
        let buffers = (0..count).map(|_| self.piece()).collect::<Result<Vec<_>, _>>()?;
        let buffers = buffers.iter().map(elements_of).collect::<Result<Vec<_>, _>>()?;
        Ok(match self.trust {
            Trust::Nothing => {
                BinaryViewArrayGeneric::<T>::try_new(arrow, views, buffers.into(), validity).map_err(bad)?.boxed()
            }
            // SAFETY: these are the buffers of such an array, unchanged: the checksum says so.
            Trust::OwnBytes => unsafe {
                BinaryViewArrayGeneric::<T>::new_unchecked_unknown_md(arrow, views, buffers.into(), validity, None)
                    .boxed()
            },
        })
    }

    /// Codes of categories as those that stand for the same words here.
    fn coded(
        &self,
        array: Box<dyn Array>,
        dtype: &DataType,
        words: &Words,
        id: &mut i64,
    ) -> Result<Box<dyn Array>, TaskError> {
        let (DataType::Categorical(_, mapping) | DataType::Enum(_, mapping)) = dtype else { return Ok(array) };
        let own = *id;
        *id += 1;
        if self.trust == Trust::OwnBytes {
            return Ok(array);
        }
        let (words, known) = words.get(&own).ok_or_else(|| bad("codes without words"))?;
        // Each batch has the same.
        let known = match known.get() {
            Some(known) => known,
            None => {
                let found = known_codes(words, mapping)?;
                known.get_or_init(|| found)
            }
        };
        macro_rules! coded {
            ($($T:ty),*) => {$(
                if let Some(codes) = array.as_any().downcast_ref::<PrimitiveArray<$T>>() {
                    return recoded(codes, known);
                }
            )*};
        }
        coded!(u8, u16, u32);
        Err(bad("codes of another type"))
    }

    fn offsets(&mut self, length: usize) -> Result<OffsetsBuffer<i64>, TaskError> {
        OffsetsBuffer::try_from(self.elements::<i64>(length + 1)?).map_err(bad)
    }

    fn validity(&mut self, length: usize, nulls: usize) -> Result<Option<Bitmap>, TaskError> {
        if nulls > 0 { self.bitmap(length).map(Some) } else { self.piece().map(|_| None) }
    }

    fn bitmap(&mut self, length: usize) -> Result<Bitmap, TaskError> {
        let storage = self.elements::<u8>(length.div_ceil(8))?.into_storage();
        // SAFETY: there are as many bits as that.
        Ok(unsafe { Bitmap::from_inner_unchecked(storage, 0, length, None) })
    }

    /// The next buffer as elements, of which there are so many.
    fn elements<T: NativeType>(&mut self, count: usize) -> Result<polars_buffer::Buffer<T>, TaskError> {
        let elements = elements_of::<T>(&self.piece()?)?;
        if elements.len() < count {
            return Err(bad("a buffer is too short"));
        }
        Ok(elements.sliced(..count))
    }

    fn piece(&mut self) -> Result<Buffer, TaskError> {
        let (offset, length) = self.buffers.next().ok_or_else(|| bad("too few buffers"))?;
        let piece = self.body.part(number(offset)?, number(length)?);
        piece.ok_or_else(|| bad("a buffer lies outside of it"))
    }
}

/// The code that each word has here; those of a type whose words are fixed have to be among them.
fn known_codes(words: &Utf8ViewArray, mapping: &CategoricalMapping) -> Result<Vec<u32>, TaskError> {
    words.values_iter().map(|word| mapping.insert_cat(word).map_err(bad)).collect()
}

/// Codes that stand for the same where word `at` has the code `known[at]`.
fn recoded<T: NativeType + TryFrom<u32> + Into<u32>>(
    codes: &PrimitiveArray<T>,
    known: &[u32],
) -> Result<Box<dyn Array>, TaskError> {
    let mut found = Vec::with_capacity(codes.len());
    for code in codes.iter() {
        found.push(match code {
            None => T::zeroed(),
            Some(code) => {
                let own = known.get((*code).into() as usize).ok_or_else(|| bad("a code without a word"))?;
                T::try_from(*own).map_err(|_| bad("more words than codes"))?
            }
        });
    }
    let (arrow, validity) = (codes.dtype().clone(), codes.validity().cloned());
    Ok(PrimitiveArray::<T>::try_new(arrow, found.into(), validity).map_err(bad)?.boxed())
}

/// Bytes as elements: as they lie there if they lie as elements have to, else copied.
fn elements_of<T: NativeType>(bytes: &Buffer) -> Result<polars_buffer::Buffer<T>, TaskError> {
    if bytes.is_empty() {
        return Ok(polars_buffer::Buffer::new());
    }
    if !bytes.len().is_multiple_of(size_of::<T>()) {
        return Err(bad("a buffer ends in an element"));
    }
    if !bytes.as_ptr().cast::<T>().is_aligned() {
        let elements = slice_of(bytes).chunks_exact(size_of::<T>()).map(element::<T>);
        return Ok(elements.collect::<Vec<T>>().into());
    }
    Ok(polars_buffer::Buffer::from_owner(Elements::<T> { bytes: bytes.clone(), is: PhantomData }))
}

/// The element that so many bytes are.
fn element<T: NativeType>(bytes: &[u8]) -> T {
    assert_eq!(bytes.len(), size_of::<T>());
    // SAFETY: there are as many bytes, and any bits are a value.
    unsafe { bytes.as_ptr().cast::<T>().read_unaligned() }
}

/// Bytes as elements.
struct Elements<T> {
    bytes: Buffer,
    is: PhantomData<fn() -> T>,
}

impl<T: NativeType> AsRef<[T]> for Elements<T> {
    fn as_ref(&self) -> &[T] {
        // SAFETY: `elements_of` saw to the alignment and the length, and any bits are a value.
        unsafe { std::slice::from_raw_parts(self.bytes.as_ptr().cast(), self.bytes.len() / size_of::<T>()) }
    }
}

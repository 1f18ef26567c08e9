//! Tables as pieces of memory that follow one another.

use super::message::{self, ALIGNMENT, END, Places};
use super::notes::Notes;
use super::primitive::with_primitive;
use super::{KnownColumn, bad};
use crate::table::TableFacts;
use polars::prelude::{CompatLevel, DataFrame, DataType, Field, Series};
use polars_arrow::array::*;
use polars_arrow::bitmap::Bitmap;
use polars_arrow::datatypes::{ArrowSchema, PhysicalType};
use polars_arrow::offset::OffsetsBuffer;
use polars_arrow_format::ipc::{self, FieldNode};
use raskt_value::{Buffer, ErrorKind, TaskError};
use std::any::Any;
use std::collections::BTreeSet;
use std::ptr::NonNull;
use std::sync::Arc;

/// A table as a stream, and what its columns are.
pub(super) fn stream(
    frame: &DataFrame,
    facts: Option<&Arc<TableFacts>>,
) -> Result<(Vec<Buffer>, Vec<KnownColumn>), TaskError> {
    let columns: Vec<Series> = frame.columns().iter().map(|column| column.as_materialized_series().clone()).collect();
    let known = |column: &Series| KnownColumn {
        name: column.name().clone(),
        dtype: column.dtype().clone(),
        sorted: column.is_sorted_flag(),
    };
    let known: Vec<KnownColumn> = columns.iter().map(known).collect();
    let fields =
        known.iter().map(|column| in_arrow(&column.dtype).to_arrow_field(column.name.clone(), CompatLevel::newest()));
    let schema: ArrowSchema = fields.map(|field| (field.name.clone(), field)).collect();
    let note = Notes::of(&known, facts.map(|facts| &**facts), frame.height()).text()?;
    let mut pieces = vec![Buffer::from_vec(message::schema(&schema, note))];
    let mut id = 0;
    known.iter().try_for_each(|column| put_words(&column.dtype, &mut id, &mut pieces))?;
    for (start, rows) in batches(&columns, frame.height()) {
        let mut body = Body::default();
        for (column, known) in columns.iter().zip(&known) {
            body.put_array(&*part(column, start, rows), &known.dtype)?;
        }
        pieces.push(Buffer::from_vec(message::rows(rows, body.places)));
        pieces.extend(body.pieces);
    }
    pieces.push(Buffer::from_vec(END.to_vec()));
    Ok((pieces, known))
}

/// A type as Arrow has it: files may say of fixed-point numbers that they have more digits than these have room for.
fn in_arrow(dtype: &DataType) -> DataType {
    match dtype {
        DataType::Decimal(digits, places) => DataType::Decimal((*digits).clamp(1, 38), *places),
        DataType::List(inner) => DataType::List(Box::new(in_arrow(inner))),
        DataType::Array(inner, length) => DataType::Array(Box::new(in_arrow(inner)), *length),
        DataType::Struct(fields) => {
            let field = |field: &Field| Field::new(field.name().clone(), in_arrow(field.dtype()));
            DataType::Struct(fields.iter().map(field).collect())
        }
        other => other.clone(),
    }
}

/// The pieces as one, which begins at a multiple of [`ALIGNMENT`].
pub(super) fn together(pieces: &[Buffer]) -> Buffer {
    let length: usize = pieces.iter().map(Buffer::len).sum();
    let mut lines = vec![Line::ZERO; length.div_ceil(ALIGNMENT)];
    let start = NonNull::from(lines.as_mut_slice()).cast::<u8>();
    let mut at = 0;
    for piece in pieces {
        // SAFETY: the pieces fit in, one after the other, and nobody else has the lines.
        unsafe { std::ptr::copy_nonoverlapping(piece.as_ptr(), start.add(at).as_ptr(), piece.len()) };
        at += piece.len();
    }
    // SAFETY: the bytes lie in the lines, which the buffer keeps alive and nobody changes any more.
    unsafe { Buffer::from_raw(start, length, Arc::new(lines)) }
}

/// Bytes that begin at a multiple of [`ALIGNMENT`].
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Line(#[expect(dead_code, reason = "only its address is read")] [u8; ALIGNMENT]);

impl Line {
    const ZERO: Self = Self([0; ALIGNMENT]);
}

/// Runs of rows, each of which lies in one chunk of every column; at least one.
fn batches(columns: &[Series], height: usize) -> Vec<(usize, usize)> {
    let mut bounds = BTreeSet::from([0, height]);
    for column in columns {
        bounds.extend(column.chunks().iter().scan(0, |end, chunk| {
            *end += chunk.len();
            Some(*end)
        }));
    }
    let bounds: Vec<usize> = bounds.into_iter().collect();
    match bounds.as_slice() {
        [at] => vec![(*at, 0)],
        bounds => bounds.windows(2).map(|pair| (pair[0], pair[1] - pair[0])).collect(),
    }
}

/// The rows from `start` on, which lie in one chunk.
fn part(column: &Series, start: usize, rows: usize) -> Box<dyn Array> {
    let mut before = 0;
    for chunk in column.chunks() {
        if start >= before && start + rows <= before + chunk.len() {
            return if rows == chunk.len() { chunk.clone() } else { chunk.sliced(start - before, rows) };
        }
        before += chunk.len();
    }
    new_empty_array(column.dtype().to_physical().to_arrow(CompatLevel::newest()))
}

/// The words that the codes of a type stand for, for whoever doesn't know them: of each type of categories, in order.
fn put_words(dtype: &DataType, id: &mut i64, pieces: &mut Vec<Buffer>) -> Result<(), TaskError> {
    let words = match dtype {
        DataType::Categorical(_, mapping) => mapping.to_arrow(true),
        DataType::Enum(categories, _) => categories.categories().clone().boxed(),
        DataType::List(inner) | DataType::Array(inner, _) => return put_words(inner, id, pieces),
        DataType::Struct(fields) => return fields.iter().try_for_each(|field| put_words(field.dtype(), id, pieces)),
        _ => return Ok(()),
    };
    let mut body = Body::default();
    body.put_array(&*words, &DataType::String)?;
    pieces.push(Buffer::from_vec(message::dictionary(*id, words.len(), body.places)));
    pieces.extend(body.pieces);
    *id += 1;
    Ok(())
}

/// The bytes of a batch as they come together.
#[derive(Default)]
struct Body {
    places: Places,
    pieces: Vec<Buffer>,
}

impl Body {
    /// Puts in the buffers of an array.
    fn put_array(&mut self, array: &dyn Array, dtype: &DataType) -> Result<(), TaskError> {
        let node = FieldNode { length: array.len() as i64, null_count: array.null_count() as i64 };
        self.places.nodes.push(node);
        let physical = array.dtype().to_physical_type();
        if physical == PhysicalType::Null {
            return Ok(());
        }
        self.put_validity(array);
        match physical {
            PhysicalType::Boolean => self.put_bits(of::<BooleanArray>(array)?.values()),
            PhysicalType::Primitive(primitive) => with_primitive!(
                primitive,
                |T| self.put(of::<PrimitiveArray<T>>(array)?.values().clone()),
                return Err(unknown(array))
            ),
            PhysicalType::Utf8View => self.put_views(of::<Utf8ViewArray>(array)?),
            PhysicalType::BinaryView => self.put_views(of::<BinaryViewArray>(array)?),
            PhysicalType::LargeBinary => {
                let array = of::<BinaryArray<i64>>(array)?;
                let range = self.put_offsets(array.offsets());
                self.put(array.values().clone().sliced(range));
            }
            PhysicalType::LargeList => {
                let array = of::<ListArray<i64>>(array)?;
                let range = self.put_offsets(array.offsets());
                let items = array.values().sliced(range.start, range.len());
                self.put_array(&*items, inner(dtype)?)?;
            }
            PhysicalType::FixedSizeList => {
                self.put_array(&**of::<FixedSizeListArray>(array)?.values(), inner(dtype)?)?;
            }
            PhysicalType::Struct => {
                let DataType::Struct(fields) = dtype else { return Err(unknown(array)) };
                let values = of::<StructArray>(array)?.values();
                values.iter().zip(fields).try_for_each(|(values, field)| self.put_array(&**values, field.dtype()))?;
            }
            _ => return Err(unknown(array)),
        }
        Ok(())
    }

    fn put_validity(&mut self, array: &dyn Array) {
        match array.validity() {
            Some(bits) if array.null_count() > 0 => self.put_bits(bits),
            _ => self.put(polars_buffer::Buffer::<u8>::new()),
        }
    }

    /// Texts or bytes: without what lies between those that are there, if that is much.
    fn put_views<T: ViewType + ?Sized>(&mut self, array: &BinaryViewArrayGeneric<T>) {
        let is_sparse = array.total_buffer_len() > SPARSE_BYTES + 2 * array.total_bytes_len();
        let array = if is_sparse { array.clone().gc() } else { array.clone() };
        self.put(array.views().clone());
        array.data_buffers().iter().for_each(|buffer| self.put(buffer.clone()));
        self.places.variadic.push(array.data_buffers().len() as i64);
    }

    /// Bits from the first one of a byte on: they are copied if they begin elsewhere.
    fn put_bits(&mut self, bits: &Bitmap) {
        let (bytes, offset, length) = bits.as_buffer();
        if offset.is_multiple_of(8) {
            return self.put(bytes.sliced(offset / 8..(offset + length).div_ceil(8)));
        }
        let words = bits.chunks::<u64>();
        let last = words.remainder();
        let moved: Vec<u64> = words.chain([last]).map(u64::to_le).collect();
        self.put(polars_buffer::Buffer::from(moved));
    }

    /// Offsets from 0 on; what they refer to.
    fn put_offsets(&mut self, offsets: &OffsetsBuffer<i64>) -> std::ops::Range<usize> {
        let first = *offsets.first();
        let range = first as usize..*offsets.last() as usize;
        if first == 0 {
            self.put(offsets.buffer().clone());
        } else {
            let moved: Vec<i64> = offsets.iter().map(|offset| offset - first).collect();
            self.put(polars_buffer::Buffer::from(moved));
        }
        range
    }

    /// Puts in one buffer, and fills up to where the next one begins.
    fn put<T: Send + Sync + 'static>(&mut self, buffer: polars_buffer::Buffer<T>) {
        let bytes = size_of_val(buffer.as_slice());
        self.places.buffers.push(ipc::Buffer { offset: self.places.length as i64, length: bytes as i64 });
        if bytes == 0 {
            return;
        }
        let first = NonNull::from(buffer.as_slice()).cast();
        // SAFETY: the elements lie there for as long as the buffer is kept, which the piece does, and nobody changes them:
        // the engine writes only to what it alone refers to.
        self.pieces.push(unsafe { Buffer::from_raw(first, bytes, Arc::new(buffer) as Arc<dyn Any + Send + Sync>) });
        let padding = bytes.next_multiple_of(ALIGNMENT) - bytes;
        if padding > 0 {
            self.pieces.push(Buffer::from_vec(vec![0_u8; padding]));
        }
        self.places.length += bytes + padding;
    }
}

/// Bytes between texts that aren't worth a copy of the texts.
const SPARSE_BYTES: usize = 16 << 10;

/// The type of the items of lists.
pub(super) fn inner(dtype: &DataType) -> Result<&DataType, TaskError> {
    match dtype {
        DataType::List(inner) | DataType::Array(inner, _) => Ok(inner),
        other => Err(bad(format!("lists that are of {other}"))),
    }
}

fn of<T: 'static>(array: &dyn Array) -> Result<&T, TaskError> {
    array.as_any().downcast_ref().ok_or_else(|| unknown(array))
}

fn unknown(array: &dyn Array) -> TaskError {
    TaskError::new(ErrorKind::NotImplemented, format!("columns of {:?} can't be written", array.dtype()))
}

//! Values as they travel: blocks, tables, shuffle outputs.

use raskt_cluster::testing::Chance;
use raskt_frame::FrameTable;
use raskt_frame::polars::prelude::{Categories, Column, DataFrame, DataType, NamedFrom as _, Series};
use raskt_value::wire::{Decoders, WireForm};
use raskt_value::{Buffer, Chunk, DType, Manifest, Parcel, Value};

fn decoders() -> Decoders {
    let mut decoders = Decoders::default();
    raskt_frame::add_decoders(&mut decoders);
    decoders
}

/// Memory that begins where any element may.
fn aligned(bytes: &[u8]) -> Buffer {
    let mut lines = vec![0_u64; bytes.len().div_ceil(8)];
    for (line, bytes) in lines.iter_mut().zip(bytes.chunks(8)) {
        let mut eight = [0; 8];
        eight[..bytes.len()].copy_from_slice(bytes);
        *line = u64::from_ne_bytes(eight);
    }
    Buffer::from_vec(lines).part(0, bytes.len()).expect("there are as many")
}

fn bytes_of(buffer: &Buffer) -> Vec<u8> {
    // SAFETY: the bytes of a buffer are valid for reads as long as it lives.
    unsafe { std::slice::from_raw_parts(buffer.as_ptr(), buffer.len()) }.to_vec()
}

fn write(parcel: &Parcel) -> Vec<u8> {
    let pieces: Vec<Vec<u8>> = parcel.pieces.iter().map(bytes_of).collect();
    postcard::to_stdvec(&(&parcel.form, pieces)).expect("a parcel can be written")
}

fn unpack(bytes: &[u8]) -> Option<Value> {
    let (form, pieces): (WireForm, Vec<&[u8]>) = postcard::from_bytes(bytes).ok()?;
    let pieces = pieces.into_iter().map(aligned).collect();
    decoders().unpack(Parcel { form, pieces }).ok()
}

/// A value or an error; a value travels on, and is the same where it arrives.
pub fn read(bytes: &[u8]) {
    let Some(value) = unpack(bytes) else { return };
    let bytes = value.bytes();
    let Ok(parcel) = value.pack() else { panic!("a value that came can't travel on") };
    let once = write(&parcel);
    let again = unpack(&once).expect("what was written can be read");
    assert!(again.bytes() <= bytes.max(once.len()) * 2 + 4096, "it has grown from {bytes} to {}", again.bytes());
    assert_eq!(write(&again.pack().expect("it travels on")), once);
    if let Ok(table) = FrameTable::of(&again) {
        look_at(&table.frame);
    }
}

/// Reads all values, as long as there aren't many.
fn look_at(table: &DataFrame) {
    for column in table.columns().iter().take(20) {
        column.as_materialized_series().head(Some(50)).iter().for_each(|value| drop(value.to_string()));
    }
}

/// One of each kind.
pub fn some(chance: &mut Chance) -> Option<Vec<u8>> {
    let value = match chance.below(4) {
        0 => Value::from(FrameTable::from(table(chance))),
        1 => Value::Manifest(Manifest { parts: vec![block(chance), FrameTable::from(table(chance)).into()] }.into()),
        _ => block(chance),
    };
    Some(write(&value.pack().ok()?))
}

fn block(chance: &mut Chance) -> Value {
    let dtype = DType::ALL[chance.below(DType::ALL.len() as u64) as usize];
    let shape: Vec<usize> = (0..chance.below(3)).map(|_| chance.below(4) as usize).collect();
    let count: usize = shape.iter().product();
    let memory = aligned(&vec![1; count * dtype.size()]);
    let mut strides = vec![1_isize; shape.len()];
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis] * shape[axis].max(1) as isize;
    }
    let (shape, strides) = (shape.into_iter().collect(), strides.into_iter().collect());
    Chunk::from_parts(dtype, shape, strides, 0, memory).expect("it fits its memory").into()
}

fn table(chance: &mut Chance) -> DataFrame {
    let texts = Series::new("text".into(), [Some("short"), None, Some("much longer than a view has room for")]);
    let numbers = Series::new("numbers".into(), [Some(1_i64), None, Some(3)]);
    let cast = |from: &Series, dtype: DataType| from.cast(&dtype).expect("it can be");
    let lists = Series::new("lists".into(), [numbers.slice(0, 2), numbers.slice(2, 0), numbers.clone()]);
    let columns: Vec<Column> = vec![
        cast(&texts, DataType::from_categories(Categories::global())).into(),
        cast(&texts, DataType::Binary).with_name("bytes".into()).into(),
        cast(&numbers, DataType::Date).with_name("days".into()).into(),
        cast(&numbers, DataType::Decimal(20, 2)).with_name("decimals".into()).into(),
        Series::new("bools".into(), [Some(true), None, Some(false)]).into(),
        Series::new("floats".into(), [1.5_f64, f64::NAN, -0.0]).into(),
        Series::new_null("nothing".into(), 3).into(),
        lists.into(),
        texts.with_name("texts".into()).into(),
        numbers.into(),
    ];
    let last = columns.len() - 1;
    let chosen = columns.into_iter().enumerate().filter(|(at, _)| *at == last || chance.below(2) == 0);
    let chosen: Vec<Column> = chosen.map(|(_, column)| column).collect();
    DataFrame::new(3, chosen).expect("all have three rows")
}

//! What the end of a Parquet file tells: the types of its columns, and which of them have nulls.

use crate::error::{FrameError, Result};
use crate::message::in_plain_words;
use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use polars::prelude::*;
use polars_arrow::datatypes::{ArrowDataType, ArrowSchema, TimeUnit};
use polars_arrow::io::ipc::read::deserialize_schema;
use std::collections::HashMap;
use std::fs::File;
use std::path::Path;

/// What is known of the nulls of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Nulls {
    /// It has none.
    None,
    /// It has some.
    Some,
    /// The file doesn't count them.
    Unknown,
}

/// What the end of a file tells.
pub(super) struct Footer {
    pub(super) schema: Schema,
    pub(super) rows: usize,
    /// The nulls of each column.
    pub(super) nulls: Vec<Nulls>,
    /// For each column, whether Arrow's type for it is one whose values the engine gives as pandas does.
    native: Vec<bool>,
}

impl Footer {
    /// An error if a column that is read has values that only pandas gives as pandas does.
    pub(super) fn check_native(&self, file: &Path, is_read: impl Fn(&str) -> bool) -> Result<()> {
        for (at, (name, dtype)) in self.schema.iter().enumerate() {
            let has_form = match self.nulls[at] {
                Nulls::None => self.native[at],
                // What is missing among objects is None where pandas reads it, and NaN or NaT where it was computed.
                Nulls::Some => self.native[at] && !is_of_objects(dtype),
                // The type goes by the values.
                Nulls::Unknown => self.native[at] && !(dtype.is_integer() || is_of_objects(dtype)),
            };
            if is_read(name) && !has_form {
                let file = file.display();
                return Err(FrameError::NotNative(format!("column `{name}` of `{file}` has no native form")));
            }
        }
        Ok(())
    }
}

/// The end of the file at `path`.
pub(super) fn footer(path: &Path) -> Result<Footer> {
    let mut reader = ParquetReader::new(open(path)?);
    let arrow = reader.schema().map_err(|error| unreadable(path, &error))?;
    let metadata = reader.get_metadata().map_err(|error| unreadable(path, &error))?.clone();
    if let Some(field) = arrow.iter_values().find(|field| has_unknown_zone(&field.dtype)) {
        let (name, file) = (&field.name, path.display());
        return Err(FrameError::NotNative(format!("column `{name}` of `{file}` has times of a zone without a name")));
    }
    let written = notes(path)?.get("ARROW:schema").and_then(|text| schema_of(text));
    let schema = Schema::from_arrow_schema(&arrow);
    let (mut nulls, mut native) = (vec![], vec![]);
    for name in schema.iter_names() {
        let field = written.as_ref().and_then(|written| written.get(name)).or_else(|| arrow.get(name));
        native.push(field.is_some_and(|field| is_native(&field.dtype)));
        let mut found = Nulls::None;
        for group in &metadata.row_groups {
            for chunk in group.columns_under_root_iter(name).into_iter().flatten() {
                let statistics = chunk.statistics(&metadata.footer_buf).and_then(|found| found.ok());
                let known = match statistics.and_then(|found| found.null_count()) {
                    _ if chunk.num_values() == 0 || field.is_some_and(|field| !field.is_nullable) => Nulls::None,
                    Some(0) => Nulls::None,
                    Some(_) => Nulls::Some,
                    None => Nulls::Unknown,
                };
                found = match (found, known) {
                    (Nulls::Some, _) | (_, Nulls::Some) => Nulls::Some,
                    (Nulls::Unknown, _) | (_, Nulls::Unknown) => Nulls::Unknown,
                    _ => Nulls::None,
                };
            }
        }
        nulls.push(found);
    }
    Ok(Footer { schema, rows: metadata.num_rows, nulls, native })
}

/// Whether pandas has a column of the type as objects where a value is missing.
fn is_of_objects(dtype: &DataType) -> bool {
    matches!(dtype, DataType::Boolean | DataType::Date | DataType::Decimal(..))
}

/// What those who wrote the file at `path` noted, by key.
pub(super) fn notes(path: &Path) -> Result<HashMap<String, String>> {
    let mut reader = ParquetReader::new(open(path)?);
    let metadata = reader.get_metadata().map_err(|error| unreadable(path, &error))?;
    let notes = metadata.key_value_metadata().iter().flatten();
    Ok(notes.filter_map(|note| Some((note.key.clone(), note.value.clone()?))).collect())
}

fn open(path: &Path) -> Result<File> {
    File::open(path).map_err(|error| unreadable(path, &error))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> FrameError {
    FrameError::Io(format!(
        "the Parquet file `{}` can't be read: {}",
        path.display(),
        in_plain_words(&error.to_string())
    ))
}

/// The types that Arrow wrote a file with, before the engine turns those it hasn't got into others.
fn schema_of(text: &str) -> Option<ArrowSchema> {
    let bytes = STANDARD.decode(text).ok()?;
    // The length of a message may be written before it.
    let message = if bytes.get(..4)? == [u8::MAX; 4] { bytes.get(8..)? } else { &bytes };
    Some(deserialize_schema(message).ok()?.0)
}

/// Whether there are times of a zone in a type that the engine doesn't know, and panics about.
fn has_unknown_zone(dtype: &ArrowDataType) -> bool {
    use ArrowDataType as A;
    match dtype {
        A::Timestamp(_, Some(zone)) => TimeZone::opt_try_new(Some(zone.clone())).is_err(),
        A::List(item) | A::LargeList(item) | A::FixedSizeList(item, _) | A::Map(item, _) => {
            has_unknown_zone(&item.dtype)
        }
        A::Struct(fields) => fields.iter().any(|field| has_unknown_zone(&field.dtype)),
        A::Dictionary(_, values, _) => has_unknown_zone(values),
        _ => false,
    }
}

/// Whether the engine gives the values of a column of Arrow's `dtype` as pandas does.
fn is_native(dtype: &ArrowDataType) -> bool {
    use ArrowDataType as A;
    // The engine has no seconds, and compares them with the statistics of files as if they were milliseconds.
    let has_unit = |unit: &TimeUnit| *unit != TimeUnit::Second;
    // Nor has it zones without a name.
    let is_named = |zone: &PlSmallStr| !zone.starts_with(['+', '-']);
    match dtype {
        A::Timestamp(unit, zone) => has_unit(unit) && zone.as_ref().is_none_or(is_named),
        A::Duration(unit) => has_unit(unit),
        A::Decimal(..) | A::Decimal32(..) | A::Decimal64(..) | A::Date32 => true,
        A::Boolean | A::Float32 | A::Float64 | A::Utf8 | A::LargeUtf8 | A::Utf8View => true,
        A::Int8 | A::Int16 | A::Int32 | A::Int64 | A::UInt8 | A::UInt16 | A::UInt32 | A::UInt64 => true,
        _ => false,
    }
}

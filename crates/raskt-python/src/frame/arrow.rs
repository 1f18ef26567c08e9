//! Tables through the Arrow C data interface.

use super::exception;
use polars_arrow::array::{Array, DictionaryArray, StructArray};
use polars_arrow::datatypes::{ArrowDataType, Field as ArrowField};
use polars_arrow::ffi;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use raskt_frame::polars::prelude::*;
use std::ffi::CStr;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// `frame` as a `pyarrow.RecordBatch`. Numbers and strings keep their buffers.
pub(super) fn to_record_batch<'py>(py: Python<'py>, frame: &DataFrame) -> PyResult<Bound<'py, PyAny>> {
    let (field, array) = exported(frame).map_err(|error| exception(error.into()))?;
    let schema = PyCapsule::new_with_value(py, ffi::export_field_to_c(&field), SCHEMA)?;
    let array = PyCapsule::new_with_value(py, ffi::export_array_to_c(array), ARRAY)?;
    let class = py.import("pyarrow")?.getattr("RecordBatch")?;
    class.call_method1("_import_from_c_capsule", (schema, array))
}

fn exported(frame: &DataFrame) -> PolarsResult<(ArrowField, Box<dyn Array>)> {
    let level = CompatLevel::oldest();
    let (mut fields, mut arrays) = (vec![], vec![]);
    for column in frame.columns() {
        let series = with_sorted_categories(column.as_materialized_series().rechunk())?;
        fields.push(series.field().to_arrow(level));
        arrays.push(series.to_arrow(0, level));
    }
    // The field says what pandas reads; the array that is exported has to be of that very type.
    for (field, array) in fields.iter_mut().zip(&arrays) {
        field.dtype = array.dtype().clone();
    }
    let dtype = ArrowDataType::Struct(fields);
    let array = StructArray::try_new(dtype.clone(), frame.height(), arrays, None)?;
    Ok((ArrowField::new("".into(), dtype, false), array.boxed()))
}

/// The columns of a `pyarrow.RecordBatch`.
pub(super) fn from_record_batch(batch: &Bound<'_, PyAny>) -> PyResult<DataFrame> {
    let capsules = batch.call_method0("__arrow_c_array__")?.cast_into::<PyTuple>()?;
    let (schema, array) = (capsules.get_item(0)?, capsules.get_item(1)?);
    let schema = pointer::<ffi::ArrowSchema>(&schema, SCHEMA)?;
    let array = pointer::<ffi::ArrowArray>(&array, ARRAY)?;
    // SAFETY: the capsules are named as the interface says, so they hold a schema and an array that pyarrow filled.
    // The array is moved out; what is left is marked as released.
    let imported = unsafe {
        let field = ffi::import_field_from_c(&*schema).map_err(|error| exception(error.into()))?;
        let taken = std::ptr::replace(array, ffi::ArrowArray::empty());
        ffi::import_array_from_c(taken, field.dtype).map_err(|error| exception(error.into()))?
    };
    let imported = imported.as_any().downcast_ref::<StructArray>();
    let imported = imported.ok_or_else(|| PyTypeError::new_err("a record batch has to be a struct of columns"))?;
    let columns = imported.fields().iter().zip(imported.values());
    let columns: PolarsResult<Vec<Column>> = columns.map(|(field, array)| column(field, array)).collect();
    let columns = columns.map_err(|error| exception(error.into()))?;
    DataFrame::new(imported.len(), columns).map_err(|error| exception(error.into()))
}

/// An array as a column; codes of strings keep all their categories, in order.
#[expect(clippy::borrowed_box, reason = "a chunk list is made of boxes, and the box is cloned into it")]
fn column(field: &ArrowField, array: &Box<dyn Array>) -> PolarsResult<Column> {
    let Some(coded) = array.as_any().downcast_ref::<DictionaryArray<i32>>() else {
        return Ok(Series::try_from((field, array.clone()))?.into());
    };
    let words = Series::from_arrow(field.name.clone(), coded.values().clone())?.cast(&DataType::String)?;
    let dtype = DataType::from_frozen_categories(FrozenCategories::new(words.str()?.iter().flatten())?);
    let codes = Series::from_arrow(field.name.clone(), coded.keys().clone().boxed())?;
    let words = words.take(&codes.cast(&IDX_DTYPE)?.idx()?.clone())?;
    Ok(words.cast(&dtype)?.with_name(field.name.clone()).into())
}

/// Categories found on the way come in their order, and only those that are there, as pandas makes them.
fn with_sorted_categories(series: Series) -> PolarsResult<Series> {
    if !matches!(series.dtype(), DataType::Categorical(..)) {
        return Ok(series);
    }
    let words = series.cast(&DataType::String)?;
    let known = words.unique()?.sort(SortOptions::default())?;
    words.cast(&DataType::from_frozen_categories(FrozenCategories::new(known.str()?.iter().flatten())?))
}

fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr().cast())
}

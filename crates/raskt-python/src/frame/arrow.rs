//! Tables through the Arrow C data interface.

use super::exception;
use polars_arrow::array::{Array, StructArray};
use polars_arrow::datatypes::{ArrowDataType, Field};
use polars_arrow::ffi;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{PyCapsule, PyTuple};
use raskt_frame::polars::prelude::{Column, CompatLevel, DataFrame, PolarsResult, Series};
use std::ffi::CStr;

const SCHEMA: &CStr = c"arrow_schema";
const ARRAY: &CStr = c"arrow_array";

/// `frame` as a `pyarrow.RecordBatch`. Numbers and strings keep their buffers.
pub(super) fn to_record_batch<'py>(py: Python<'py>, frame: &DataFrame) -> PyResult<Bound<'py, PyAny>> {
    let (field, array) = exported(frame);
    let schema = PyCapsule::new_with_value(py, ffi::export_field_to_c(&field), SCHEMA)?;
    let array = PyCapsule::new_with_value(py, ffi::export_array_to_c(array), ARRAY)?;
    let class = py.import("pyarrow")?.getattr("RecordBatch")?;
    class.call_method1("_import_from_c_capsule", (schema, array))
}

fn exported(frame: &DataFrame) -> (Field, Box<dyn Array>) {
    let level = CompatLevel::oldest();
    let (mut fields, mut arrays) = (vec![], vec![]);
    for column in frame.columns() {
        let series = column.as_materialized_series().rechunk();
        fields.push(series.field().to_arrow(level));
        arrays.push(series.to_arrow(0, level));
    }
    // The field says what pandas reads; the array that is exported has to be of that very type.
    for (field, array) in fields.iter_mut().zip(&arrays) {
        field.dtype = array.dtype().clone();
    }
    let dtype = ArrowDataType::Struct(fields);
    let array = StructArray::new(dtype.clone(), frame.height(), arrays, None);
    (Field::new("".into(), dtype, false), array.boxed())
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
    let columns: PolarsResult<Vec<Column>> =
        columns.map(|(field, array)| Series::try_from((field, array.clone())).map(Column::from)).collect();
    let columns = columns.map_err(|error| exception(error.into()))?;
    DataFrame::new(imported.len(), columns).map_err(|error| exception(error.into()))
}

fn pointer<T>(capsule: &Bound<'_, PyAny>, name: &CStr) -> PyResult<*mut T> {
    let capsule = capsule.cast::<PyCapsule>()?;
    Ok(capsule.pointer_checked(Some(name))?.as_ptr().cast())
}

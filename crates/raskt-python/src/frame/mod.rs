//! Dataframes: pandas objects and arguments in, plans of `raskt-frame` out, and tables back to pandas objects.
//!
//! [`FrameExpr`] and [`ColumnExpr`] hold plans; [`reading`] makes them of files; [`interchange`] carries tables to
//! pandas and back through Arrow, without a copy where pandas allows it.

mod aggregations;
mod arguments;
mod array;
mod arrow;
mod column;
mod column_results;
mod dataframe;
mod from_delayed;
mod function_input;
mod interchange;
mod literal;
mod logical;
mod partition_function;
mod promise;
mod reading;
mod rows;
mod whole_function;
mod writing;

pub(crate) use column::ColumnExpr;
pub(crate) use dataframe::FrameExpr;
pub(crate) use from_delayed::{FROM_DELAYED, FROM_DELAYED_VERSION, decode_from_delayed};
pub(crate) use partition_function::{PARTITION_FUNCTION, PARTITION_FUNCTION_VERSION, decode_partition_function};
pub(crate) use reading::CsvLookExpr;
pub(crate) use whole_function::{WHOLE_FUNCTION, WHOLE_FUNCTION_VERSION, decode_whole_function};
pub(crate) use writing::WriteExpr;

use crate::error::{NotNative, from_task_error};
use pyo3::prelude::*;
use raskt_frame::FrameError;

/// The exception for an error of the plan.
pub(crate) fn exception(error: FrameError) -> PyErr {
    match error {
        FrameError::NotNative(message) => NotNative::new_err(message),
        error => Python::attach(|py| from_task_error(py, &error.into())),
    }
}

/// A plan, or the exception for why there is none.
pub(crate) trait OrRaise<T> {
    fn or_raise(self) -> PyResult<T>;
}

impl<T> OrRaise<T> for Result<T, FrameError> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(exception)
    }
}

/// Sets up the dataframe engine to run on `threads` threads; only the first call counts.
#[pyfunction]
fn frame_initialise(threads: usize) {
    raskt_frame::initialise(threads);
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<FrameExpr>()?;
    module.add_class::<ColumnExpr>()?;
    module.add_class::<WriteExpr>()?;
    module.add_function(wrap_pyfunction!(frame_initialise, module)?)?;
    array::register(module)?;
    interchange::register(module)?;
    module.add_function(wrap_pyfunction!(whole_function::frame_of_whole, module)?)?;
    reading::register(module)
}

//! Reductions and running totals.

use super::arguments::Axes;
use super::error::OrRaise;
use super::{ArrayExpr, dtype};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use raskt_array::{ReduceOptions, Reduction, Scan};

/// The reduction `name` (`sum`, `nanmean`, …) along `axis`, or along all axes.
#[pyfunction]
#[pyo3(signature = (name, x, axis=None, keepdims=false, dtype=None, ddof=0.0, split_every=None))]
fn array_reduce(
    name: &str,
    x: &ArrayExpr,
    axis: Option<Axes>,
    keepdims: bool,
    dtype: Option<&Bound<'_, PyAny>>,
    ddof: f64,
    split_every: Option<u32>,
) -> PyResult<ArrayExpr> {
    let reduction = Reduction::from_name(name).or_raise()?;
    let dtype = dtype.map(dtype::from_object).transpose()?;
    let axes = axis.map(Axes::into_list);
    ArrayExpr::checked(x.array.reduce(reduction, &ReduceOptions { axes, keepdims, dtype, ddof, split_every }))
}

/// The running `sum` or `prod` along `axis`, or of the elements in C order.
#[pyfunction]
fn array_cumulative(
    name: &str,
    x: &ArrayExpr,
    axis: Option<isize>,
    dtype: Option<&Bound<'_, PyAny>>,
) -> PyResult<ArrayExpr> {
    let scan = match name {
        "sum" => Scan::Sum,
        "prod" => Scan::Prod,
        _ => return Err(PyValueError::new_err(format!("there is no running `{name}`"))),
    };
    ArrayExpr::checked(x.array.cumulative(scan, axis, dtype.map(dtype::from_object).transpose()?))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_reduce, module)?)?;
    module.add_function(wrap_pyfunction!(array_cumulative, module)?)
}

//! Products and factorisations.

use super::ArrayExpr;
use super::error::OrRaise;
use pyo3::prelude::*;
use raskt_array::linalg;

/// `x @ y`.
#[pyfunction]
fn array_matmul(x: &ArrayExpr, y: &ArrayExpr) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(linalg::matmul(&x.array, &y.array))
}

/// `numpy.dot`.
#[pyfunction]
fn array_dot(x: &ArrayExpr, y: &ArrayExpr) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(linalg::dot(&x.array, &y.array))
}

/// The sum of products over pairs of axes.
#[pyfunction]
fn array_tensordot(x: &ArrayExpr, y: &ArrayExpr, x_axes: Vec<isize>, y_axes: Vec<isize>) -> PyResult<ArrayExpr> {
    ArrayExpr::checked(linalg::tensordot(&x.array, &y.array, &x_axes, &y_axes))
}

/// The thin QR factorisation.
#[pyfunction]
fn array_qr(x: &ArrayExpr) -> PyResult<(ArrayExpr, ArrayExpr)> {
    let (q, r) = linalg::qr(&x.array).or_raise()?;
    Ok((q.into(), r.into()))
}

/// The thin singular value decomposition.
#[pyfunction]
fn array_svd(x: &ArrayExpr) -> PyResult<(ArrayExpr, ArrayExpr, ArrayExpr)> {
    let (u, s, vt) = linalg::svd(&x.array).or_raise()?;
    Ok((u.into(), s.into(), vt.into()))
}

/// The least-squares solution, its residuals, the rank and the singular values.
#[pyfunction]
fn array_lstsq(x: &ArrayExpr, y: &ArrayExpr) -> PyResult<(ArrayExpr, ArrayExpr, ArrayExpr, ArrayExpr)> {
    let (solution, residuals, rank, singular) = linalg::lstsq(&x.array, &y.array).or_raise()?;
    Ok((solution.into(), residuals.into(), rank.into(), singular.into()))
}

pub(super) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_function(wrap_pyfunction!(array_matmul, module)?)?;
    module.add_function(wrap_pyfunction!(array_dot, module)?)?;
    module.add_function(wrap_pyfunction!(array_tensordot, module)?)?;
    module.add_function(wrap_pyfunction!(array_qr, module)?)?;
    module.add_function(wrap_pyfunction!(array_svd, module)?)?;
    module.add_function(wrap_pyfunction!(array_lstsq, module)?)
}

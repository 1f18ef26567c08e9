//! Systems of linear equations.

use super::factor::decomposed;
use super::field::{Field, Matrix, block, failed, from_matrix, with_field};
use crate::kernel::real_of;
use faer::linalg::triangular_solve::{solve_lower_triangular_in_place, solve_upper_triangular_in_place};
use faer::prelude::*;
use faer::{Mat, Par};
use raskt_blas::Scalar;
use raskt_value::{Call, Chunk, TaskError, promote};

/// Solves `a @ x = b` for triangular `a`; the other triangle isn't read. `b` has two axes.
pub fn solve_triangular(a: &Chunk, b: &Chunk, lower: bool, call: &Call<'_>) -> Result<Chunk, TaskError> {
    call.check_cancelled()?;
    with_field!(promote(a.dtype(), b.dtype()), T => solve_triangular_as::<T>(a, b, lower))
}

fn solve_triangular_as<T: Field>(a: &Chunk, b: &Chunk, lower: bool) -> Result<Chunk, TaskError> {
    let (a, b) = system::<T>(a, b)?;
    let order = a.shape()[0];
    if a.is_empty() || b.is_empty() {
        return Ok(block::<T>(order, b.shape()[1], |_, _| T::ZERO));
    }
    let matrix = a.view::<T>();
    if let Some(at) = (0..order).find(|&at| matrix[(at, at)] == T::ZERO) {
        return Err(failed(format!("singular matrix: resolution failed at diagonal {at}")));
    }
    let mut x: Mat<T> = b.view::<T>().to_owned();
    if lower {
        solve_lower_triangular_in_place(matrix, x.as_mut(), Par::Seq);
    } else {
        solve_upper_triangular_in_place(matrix, x.as_mut(), Par::Seq);
    }
    Ok(from_matrix(&x))
}

/// Solves `a @ x = b` by LU with partial pivoting. `b` has two axes.
pub fn solve(a: &Chunk, b: &Chunk, call: &Call<'_>) -> Result<Chunk, TaskError> {
    call.check_cancelled()?;
    with_field!(promote(a.dtype(), b.dtype()), T => solve_as::<T>(a, b))
}

fn solve_as<T: Field>(a: &Chunk, b: &Chunk) -> Result<Chunk, TaskError> {
    let (a, b) = system::<T>(a, b)?;
    let order = a.shape()[0];
    if a.is_empty() || b.is_empty() {
        return Ok(block::<T>(order, b.shape()[1], |_, _| T::ZERO));
    }
    let factors = a.view::<T>().partial_piv_lu();
    let upper = factors.U();
    if (0..order).any(|at| upper[(at, at)] == T::ZERO) {
        return Err(failed("Singular matrix".to_owned()));
    }
    let mut x: Mat<T> = b.view::<T>().to_owned();
    factors.solve_in_place(x.as_mut());
    Ok(from_matrix(&x))
}

/// The inverse of a square matrix.
pub fn inverse(a: &Chunk, call: &Call<'_>) -> Result<Chunk, TaskError> {
    let order = a.shape().first().copied().unwrap_or(0);
    let identity = with_field!(a.dtype(), T => {
        block::<T>(order, order, |row, column| if row == column { T::ONE } else { T::ZERO })
    });
    solve(a, &identity, call)
}

/// The least-squares solution of `a @ x = b` of least norm, the rank of `a` (singular values above `rcond` times the
/// largest) and the singular values. `b` has two axes.
pub fn lstsq(a: &Chunk, b: &Chunk, rcond: f64, call: &Call<'_>) -> Result<(Chunk, usize, Chunk), TaskError> {
    call.check_cancelled()?;
    with_field!(promote(a.dtype(), b.dtype()), T => lstsq_as::<T>(a, b, rcond))
}

fn lstsq_as<T: Field>(a: &Chunk, b: &Chunk, rcond: f64) -> Result<(Chunk, usize, Chunk), TaskError> {
    let (a, b) = (Matrix::new::<T>(a)?, Matrix::new::<T>(b)?);
    let ([rows, columns], [others, results]) = (a.shape(), b.shape());
    if rows != others {
        return Err(failed(format!("incompatible dimensions: {rows} equations and {others} right-hand sides")));
    }
    if a.is_empty() || b.is_empty() {
        let none = Chunk::from_vec(vec![0.0_f64; rows.min(columns)], &[rows.min(columns)]);
        let none = super::field::converted(&none.map_err(|error| failed(error.to_string()))?, real_of(T::DTYPE));
        return Ok((block::<T>(columns, results, |_, _| T::ZERO), 0, none));
    }
    let (u, values, v) = decomposed::<T>(&a)?;
    let sizes: Vec<f64> = values.iter().map(|&value| value.into()).collect();
    let rank = sizes.iter().filter(|&&value| value > rcond * sizes[0]).count();
    let mut projected: Mat<T> = u.adjoint() * b.view::<T>();
    for column in 0..results {
        for (row, &value) in sizes.iter().enumerate() {
            projected[(row, column)] = if row < rank { projected[(row, column)].over(value) } else { T::ZERO };
        }
    }
    let x: Mat<T> = &v * &projected;
    let length = values.len();
    let values = Chunk::from_vec(values, &[length]).map_err(|error| failed(error.to_string()))?;
    Ok((from_matrix(&x), rank, values))
}

fn system<T: Field>(a: &Chunk, b: &Chunk) -> Result<(Matrix, Matrix), TaskError> {
    let (a, b) = (Matrix::square::<T>(a)?, Matrix::new::<T>(b)?);
    if a.shape()[0] != b.shape()[0] {
        let (equations, sides) = (a.shape()[0], b.shape()[0]);
        return Err(failed(format!("incompatible dimensions: {equations} equations and {sides} right-hand sides")));
    }
    Ok((a, b))
}

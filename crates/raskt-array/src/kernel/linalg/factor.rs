//! Factorisations.

use super::field::{Field, Matrix, block, failed, from_matrix, with_field};
use faer::traits::math_utils::add;
use faer::{Mat, MatRef, Side};
use raskt_value::{Call, Chunk, TaskError};

/// The thin QR factorisation of an m × n block: Q (m × k) with orthonormal columns and upper triangular R (k × n),
/// k = min(m, n). The diagonal of R isn't negative, so that the factors of a matrix of full rank are unique.
pub fn qr(a: &Chunk, call: &Call<'_>) -> Result<(Chunk, Chunk), TaskError> {
    call.check_cancelled()?;
    with_field!(a.dtype(), T => qr_as::<T>(a, true).map(|(q, r)| (q.expect("it was asked for"), r)))
}

/// R of [`qr`] alone.
pub fn qr_r(a: &Chunk, call: &Call<'_>) -> Result<Chunk, TaskError> {
    call.check_cancelled()?;
    with_field!(a.dtype(), T => qr_as::<T>(a, false).map(|(_, r)| r))
}

fn qr_as<T: Field>(a: &Chunk, wants_q: bool) -> Result<(Option<Chunk>, Chunk), TaskError> {
    let matrix = Matrix::new::<T>(a)?;
    let [rows, columns] = matrix.shape();
    let rank = rows.min(columns);
    if rank == 0 {
        let q = wants_q.then(|| block::<T>(rows, 0, |_, _| T::ZERO));
        return Ok((q, block::<T>(0, columns, |_, _| T::ZERO)));
    }
    let view = matrix.view::<T>();
    if let Some(sound) = (0..columns).find(|&column| !view.subcols(column, 1).is_all_finite()) {
        return broken_qr::<T>(&view, sound, wants_q);
    }
    let factors = view.qr();
    let r = factors.thin_R();
    // Q D and D* R for the diagonal D of phases that makes the diagonal of R positive.
    let phases: Vec<T> = (0..rank).map(|at| r[(at, at)].phase()).collect();
    let triangle =
        block(
            rank,
            columns,
            |row, column| {
                if row > column { T::ZERO } else { phases[row].conjugate().times(r[(row, column)]) }
            },
        );
    let q = wants_q.then(|| {
        let mut q: Mat<T> = factors.compute_thin_Q();
        for (column, &phase) in phases.iter().enumerate() {
            (0..rows).for_each(|row| q[(row, column)] = q[(row, column)].times(phase));
        }
        from_matrix(&q)
    });
    Ok((q, triangle))
}

/// QR of a matrix with NaN or infinite elements, of which the first `sound` columns have none: they have their factors,
/// and nothing is known of the directions that come after them. (faer would leave zeros there.)
fn broken_qr<T: Field>(
    matrix: &MatRef<'_, T>,
    sound: usize,
    wants_q: bool,
) -> Result<(Option<Chunk>, Chunk), TaskError> {
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    let (rank, known, unknown) = (rows.min(columns), rows.min(sound), T::ZERO.over(0.0));
    let (q, r) = qr_as::<T>(&block(rows, sound, |row, column| matrix[(row, column)]), true)?;
    let q = q.expect("it was asked for");
    let (q, r) = (q.view::<T>().expect("of the same type"), r.view::<T>().expect("of the same type"));
    let product = |row: usize, column: usize| {
        (0..rows)
            .map(|at| q[[at, row]].conjugate().times(matrix[(at, column)]))
            .fold(T::ZERO, |sum, term| add(&sum, &term))
    };
    let triangle = block(rank, columns, |row, column| {
        if row > column {
            T::ZERO
        } else if column < sound {
            r[[row, column]]
        } else if row < known {
            product(row, column)
        } else {
            unknown
        }
    });
    let q = wants_q.then(|| block(rows, rank, |row, column| if column < known { q[[row, column]] } else { unknown }));
    Ok((q, triangle))
}

/// The thin singular value decomposition of an m × n block: U (m × k), the k singular values, largest first, and V
/// conjugate-transposed (k × n); k = min(m, n).
pub fn svd(a: &Chunk, call: &Call<'_>) -> Result<(Chunk, Chunk, Chunk), TaskError> {
    call.check_cancelled()?;
    with_field!(a.dtype(), T => svd_as::<T>(a))
}

fn svd_as<T: Field>(a: &Chunk) -> Result<(Chunk, Chunk, Chunk), TaskError> {
    let matrix = Matrix::new::<T>(a)?;
    let [rows, columns] = matrix.shape();
    if rows.min(columns) == 0 {
        let empty = |rows, columns| block::<T>(rows, columns, |_, _| T::ZERO);
        return Ok((empty(rows, 0), values::<T::Part>(vec![]), empty(0, columns)));
    }
    let (u, s, v) = decomposed::<T>(&matrix)?;
    let adjoint = block(v.ncols(), v.nrows(), |row, column| v[(column, row)].conjugate());
    Ok((from_matrix(&u), values(s), adjoint))
}

/// U, the singular values and V.
type Decomposition<T> = (Mat<T>, Vec<<T as Field>::Part>, Mat<T>);

/// The singular value decomposition of a matrix that isn't empty.
pub(super) fn decomposed<T: Field>(matrix: &Matrix) -> Result<Decomposition<T>, TaskError> {
    let view = matrix.view::<T>();
    if !view.is_all_finite() {
        return Err(failed("singular values of a matrix with NaN or infinite elements don't exist".to_owned()));
    }
    let factors = view.thin_svd().map_err(|_| failed("SVD did not converge".to_owned()))?;
    let diagonal = factors.S().column_vector();
    let values = (0..diagonal.nrows()).map(|at| real_part::<T>(diagonal[at])).collect();
    Ok((factors.U().to_owned(), values, factors.V().to_owned()))
}

/// The eigenvalues, smallest first, and eigenvectors (columns) of a symmetric or Hermitian matrix; only its lower
/// triangle is read.
pub fn eigh(a: &Chunk, call: &Call<'_>) -> Result<(Chunk, Chunk), TaskError> {
    call.check_cancelled()?;
    with_field!(a.dtype(), T => eigh_as::<T>(a))
}

fn eigh_as<T: Field>(a: &Chunk) -> Result<(Chunk, Chunk), TaskError> {
    let matrix = Matrix::square::<T>(a)?;
    if matrix.is_empty() {
        return Ok((values::<T::Part>(vec![]), block::<T>(0, 0, |_, _| T::ZERO)));
    }
    let view = matrix.view::<T>();
    if !view.is_all_finite() {
        return Err(failed("eigenvalues of a matrix with NaN or infinite elements don't exist".to_owned()));
    }
    let factors = view.self_adjoint_eigen(Side::Lower);
    let factors = factors.map_err(|_| failed("Eigenvalues did not converge".to_owned()))?;
    let diagonal = factors.S().column_vector();
    let found = (0..diagonal.nrows()).map(|at| real_part::<T>(diagonal[at])).collect();
    Ok((values::<T::Part>(found), from_matrix(&factors.U().to_owned())))
}

/// The lower Cholesky factor of a symmetric or Hermitian positive definite matrix, of which the lower triangle is read.
pub fn cholesky(a: &Chunk, call: &Call<'_>) -> Result<Chunk, TaskError> {
    call.check_cancelled()?;
    with_field!(a.dtype(), T => cholesky_as::<T>(a))
}

fn cholesky_as<T: Field>(a: &Chunk) -> Result<Chunk, TaskError> {
    let matrix = Matrix::square::<T>(a)?;
    let order = matrix.shape()[0];
    if order == 0 {
        return Ok(block::<T>(0, 0, |_, _| T::ZERO));
    }
    let factor = matrix.view::<T>().llt(Side::Lower);
    let factor = factor.map_err(|_| failed("Matrix is not positive definite".to_owned()))?;
    let lower = factor.L();
    Ok(block(order, order, |row, column| if column > row { T::ZERO } else { lower[(row, column)] }))
}

fn values<P: raskt_value::Element>(values: Vec<P>) -> Chunk {
    let length = values.len();
    Chunk::from_vec(values, &[length]).expect("as many as there are")
}

fn real_part<T: Field>(value: T) -> T::Part {
    faer::traits::math_utils::real(&value)
}

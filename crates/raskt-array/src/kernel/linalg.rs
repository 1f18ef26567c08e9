//! Products and factorisations of matrices, by faer.
//!
//! Matrices are blocks of two axes with any strides; integers are computed with in `float64` except by [`matmul`].

use raskt_value::{Call, Chunk, TaskError};

/// The sum over `pairs` of the products `a @ b`, in their order.
///
/// Blocks may have leading axes (stacks of matrices), which are broadcast.
pub fn matmul(_pairs: &[(&Chunk, &Chunk)], _call: &Call<'_>) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// The thin QR factorisation of an m × n block: Q (m × k) with orthonormal columns and upper triangular R (k × n),
/// k = min(m, n). The diagonal of R isn't negative, so that the factors are unique.
pub fn qr(_a: &Chunk, _call: &Call<'_>) -> Result<(Chunk, Chunk), TaskError> {
    unimplemented!()
}

/// R of [`qr`] alone.
pub fn qr_r(_a: &Chunk, _call: &Call<'_>) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// The thin singular value decomposition of an m × n block: U (m × k), the k singular values, largest first, and V
/// conjugate-transposed (k × n); k = min(m, n).
pub fn svd(_a: &Chunk, _call: &Call<'_>) -> Result<(Chunk, Chunk, Chunk), TaskError> {
    unimplemented!()
}

/// The eigenvalues, smallest first, and eigenvectors (columns) of a symmetric or Hermitian matrix; only its lower
/// triangle is read.
pub fn eigh(_a: &Chunk, _call: &Call<'_>) -> Result<(Chunk, Chunk), TaskError> {
    unimplemented!()
}

/// The Gram matrix `conj(a.T) @ a` of a tall block; `float32` is accumulated, and given, in `float64`.
pub fn gram(_a: &Chunk, _call: &Call<'_>) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// The lower Cholesky factor of a symmetric or Hermitian positive definite matrix, of which the lower triangle is read.
pub fn cholesky(_a: &Chunk, _call: &Call<'_>) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// Solves `a @ x = b` for triangular `a`; the other triangle isn't read.
pub fn solve_triangular(_a: &Chunk, _b: &Chunk, _lower: bool, _call: &Call<'_>) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// Solves `a @ x = b` by LU with partial pivoting.
pub fn solve(_a: &Chunk, _b: &Chunk, _call: &Call<'_>) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// The inverse of a square matrix.
pub fn inverse(_a: &Chunk, _call: &Call<'_>) -> Result<Chunk, TaskError> {
    unimplemented!()
}

/// The least-squares solution of `a @ x = b` of least norm, the rank of `a` (singular values above `rcond` times the
/// largest) and the singular values.
pub fn lstsq(_a: &Chunk, _b: &Chunk, _rcond: f64, _call: &Call<'_>) -> Result<(Chunk, usize, Chunk), TaskError> {
    unimplemented!()
}

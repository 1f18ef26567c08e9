//! Products of matrices by a library that the process has (`blas.rs`), else by faer, and factorisations by faer.
//!
//! Matrices are blocks of two axes with any strides. Factorisations of integers are computed in `float64`. Products use
//! as many threads as the call grants; factorisations run on one, since the executor has other blocks for the others.

mod blas;
mod factor;
mod field;
mod product;
mod solve;

pub use factor::{cholesky, eigh, qr, qr_r, svd};
pub use product::{gram, matmul};
pub use solve::{inverse, lstsq, solve, solve_triangular};

#[cfg(test)]
mod tests;

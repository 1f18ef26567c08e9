//! Products and factorisations of matrices that are cut into blocks.

mod factor;
mod product;

pub use factor::{lstsq, qr, svd};
pub use product::{dot, matmul, tensordot};

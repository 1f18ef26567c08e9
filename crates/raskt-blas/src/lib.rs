//! Numerical libraries that the process has loaded, which NumPy or SciPy bring, or the machine has: how many threads they use, and
//! products of matrices by the best of them.
//!
//! Nothing is linked. A library is found among the files that the loader knows, by its name, and its functions by theirs. It stays
//! loaded from then on. Where there is none, whoever multiplies has to do so himself.

mod family;
mod fork;
mod holding;
mod library;
mod loaded;
mod products;

pub use holding::Held;
pub use library::{Library, Threads};
pub use loaded::{best, libraries};
pub use products::{Blas, Scalar, View};

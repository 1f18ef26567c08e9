//! Elementary functions without branches, which the compiler turns into vector code.
//!
//! They are within 2 units in the last place of the exact value over the whole domain, NaN, infinities and subnormal
//! numbers included (`tests` says how far each is). `float32` is computed in `float64` and rounded once.

#![expect(clippy::excessive_precision, reason = "coefficients are written as their sources have them")]

mod exponential;
mod logarithm;
mod trigonometric;

pub(super) use exponential::{MODERATE, exp, exp_moderate, expm1, tanh};
pub(super) use logarithm::{log, log1p};
pub(super) use trigonometric::{REDUCIBLE, cos, sin, sin_cos_turns};

#[cfg(test)]
mod tests;

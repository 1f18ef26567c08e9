//! The CPU kernels of array blocks.
//!
//! Elementwise work is a [`Program`]: a typed list of steps in single assignment form, written with a
//! [`ProgramBuilder`]. [`evaluate`] runs it over a [`Region`] tile by tile, each step one vectorised loop over a few
//! hundred elements that lie in the L1 cache; inputs are read and the output is written once, and what a [`Source`]
//! makes (ranges, random numbers) is never stored. [`evaluate_reduce`] feeds the tiles to a reduction instead, which
//! leaves a [`Partial`]; [`combine`] merges partials, and [`finalise`] makes the block that users see.
//!
//! [`copy`] moves elements about, [`linalg`] multiplies and factorises matrices.

mod action;
mod band;
mod check;
mod composition;
pub mod copy;
mod engine;
mod evaluate;
mod fuse;
mod gather;
pub mod linalg;
mod loops;
mod math;
mod number;
mod op;
mod operand;
mod program;
mod random;
mod reduce;
mod region;
mod room;
mod source;
mod typing;
mod walk;

pub use evaluate::{evaluate, evaluate_all};
pub use op::{BinaryOp, UnaryOp};
pub use program::{Instruction, Program, ProgramBuilder, Register, Step};
pub use random::{Distribution, Random};
pub use reduce::{Partial, ReduceOp, Reduction, combine, evaluate_reduce, finalise};
pub use region::{Affine, Region};
pub(crate) use room::check_size;
pub use source::{Generator, Source};
pub use typing::{Signature, binary_dtype, binary_signature, real_of, unary_dtype, unary_signature};

#[cfg(test)]
mod tests;

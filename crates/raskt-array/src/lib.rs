//! Array expressions, their optimiser and planner, CPU block kernels.

pub mod kernel;

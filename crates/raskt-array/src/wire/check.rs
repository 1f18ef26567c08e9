//! Whether kernels that have come from elsewhere are ones that arrays lower to.

use super::BlockKernel;
use crate::kernel::Reduction;

/// What is wrong with a kernel, if anything.
pub(crate) type Checked = Result<(), String>;

/// An error that says this, unless it `holds`.
pub(crate) fn check(holds: bool, reason: impl Into<String>) -> Checked {
    if holds { Ok(()) } else { Err(reason.into()) }
}

/// The most axes that an array has.
const AXES: usize = 64;

impl BlockKernel {
    /// What is wrong with it, if anything: what the parts of one kernel say of each other. Whether its inputs are what it takes them
    /// for shows when it runs.
    pub(super) fn check(&self) -> Checked {
        match self {
            Self::Fused(kernel) => kernel.check(),
            Self::Merge(kernel) => check_reduction(&kernel.reduction, AXES),
            Self::Slicing(kernel) => kernel.check(),
            Self::Recut(kernel) => kernel.check(),
            Self::Reshaping(kernel) => kernel.check(),
            Self::Taking(kernel) => kernel.check(),
            Self::Filter(kernel) => check_axis(kernel.axis, AXES),
            Self::Total(kernel) => check_axis(kernel.axis, AXES),
            Self::Running(kernel) => check_axis(kernel.axis, kernel.grid.axes()),
            Self::Summarise(kernel) => check_axis(kernel.axis, AXES),
            Self::Carry(kernel) => check_axis(kernel.axis, AXES),
            Self::Pass(_)
            | Self::Pick(_)
            | Self::Product(_)
            | Self::Factor(_)
            | Self::FactorR(_)
            | Self::Singular(_)
            | Self::LeastSquares(_)
            | Self::Compare(_)
            | Self::ShapeOfBlock(_)
            | Self::Given(_) => Ok(()),
        }
    }
}

fn check_axis(axis: usize, axes: usize) -> Checked {
    check(axis < axes, format!("axis {axis} of {axes}"))
}

/// Whether a reduction is one over elements of an array of `axes` axes, or up to so many.
pub(crate) fn check_reduction(reduction: &Reduction, axes: usize) -> Checked {
    let Reduction { op, dtype, axes: reduced, index, .. } = reduction;
    let is_each_once = reduced.iter().enumerate().all(|(at, axis)| *axis < axes && !reduced[..at].contains(axis));
    check(is_each_once && reduced.len() <= AXES, format!("axes {reduced:?} of {axes}"))?;
    check(op.result_dtype(*dtype).is_ok(), format!("{} of {dtype}", op.name()))?;
    check(!op.finds_index() || index.is_some(), "an index that isn't said how to count")
}

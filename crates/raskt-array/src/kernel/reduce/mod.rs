//! Reductions over any axes of a block, fused with the program that feeds them.
//!
//! A block gives a [`Partial`]; partials of blocks that lie along the reduced axes are merged, in the order of the
//! blocks, by [`combine`]; the last one becomes the result by [`finalise`]. The association depends on the shape of the
//! blocks and on the order of the partials alone, so that every run gives the same bits.

mod drive;
mod finalise;
mod fold;
mod index;
mod merge;
mod moments;
mod monoid;
mod state;

pub use finalise::finalise;

use super::{Affine, Program, Region};
use fold::with_fold;
use raskt_value::{CancelToken, Chunk, DType, ErrorKind, Kind, Manifest, TaskError, Value};
use serde::{Deserialize, Serialize};
use std::sync::Arc;

/// A reduction, by NumPy's names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[expect(missing_docs, reason = "each is the function of NumPy with its name in lower case")]
pub enum ReduceOp {
    Sum,
    Prod,
    Mean,
    Var,
    Std,
    Min,
    Max,
    Any,
    All,
    ArgMin,
    ArgMax,
    CountNonzero,
    NanSum,
    NanProd,
    NanMean,
    NanVar,
    NanStd,
    NanMin,
    NanMax,
    NanArgMin,
    NanArgMax,
}

/// What is reduced, and along which axes.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Reduction {
    /// What is computed.
    pub op: ReduceOp,
    /// The type of the elements that are reduced: the program's first output.
    pub dtype: DType,
    /// The axes that go, each once.
    pub axes: Vec<usize>,
    /// Delta degrees of freedom, of variances and standard deviations.
    pub ddof: f64,
    /// The number that `argmin` and `argmax` give an element: [`Affine::along`] the one axis, or
    /// [`Affine::c_order`] of the whole array. Others don't look at it.
    pub index: Option<Affine>,
}

/// What is known of a reduction after some blocks: one or more fields of the shape of the result, with reduced axes of
/// length 1, the last of which counts elements.
#[derive(Clone, Debug)]
pub struct Partial {
    /// The fields; which they are is the reduction's own business.
    pub fields: Vec<Chunk>,
}

impl ReduceOp {
    /// NumPy's name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Sum => "sum",
            Self::Prod => "prod",
            Self::Mean => "mean",
            Self::Var => "var",
            Self::Std => "std",
            Self::Min => "min",
            Self::Max => "max",
            Self::Any => "any",
            Self::All => "all",
            Self::ArgMin => "argmin",
            Self::ArgMax => "argmax",
            Self::CountNonzero => "count_nonzero",
            Self::NanSum => "nansum",
            Self::NanProd => "nanprod",
            Self::NanMean => "nanmean",
            Self::NanVar => "nanvar",
            Self::NanStd => "nanstd",
            Self::NanMin => "nanmin",
            Self::NanMax => "nanmax",
            Self::NanArgMin => "nanargmin",
            Self::NanArgMax => "nanargmax",
        }
    }

    /// Whether its result is the number of an element.
    pub fn finds_index(self) -> bool {
        matches!(self, Self::ArgMin | Self::ArgMax | Self::NanArgMin | Self::NanArgMax)
    }

    /// The type of its result over elements of `dtype`; an error (`TypeError`) if it has none.
    pub fn result_dtype(self, dtype: DType) -> Result<DType, TaskError> {
        use ReduceOp::*;
        Ok(match self {
            Sum | Prod | NanSum | NanProd => match dtype.kind() {
                Kind::Bool | Kind::Signed => DType::I64,
                Kind::Unsigned => DType::U64,
                Kind::Float | Kind::Complex => dtype,
            },
            Mean | NanMean => {
                if dtype.is_inexact() {
                    dtype
                } else {
                    DType::F64
                }
            }
            Var | Std | NanVar | NanStd => {
                if dtype.is_inexact() {
                    super::real_of(dtype)
                } else {
                    DType::F64
                }
            }
            Min | Max | NanMin | NanMax => dtype,
            Any | All => DType::Bool,
            ArgMin | ArgMax | NanArgMin | NanArgMax | CountNonzero => DType::I64,
        })
    }
}

impl Reduction {
    /// `op` over elements of `dtype` along `axes`.
    pub fn new(op: ReduceOp, dtype: DType, axes: &[usize]) -> Self {
        Self { op, dtype, axes: axes.to_vec(), ddof: 0.0, index: None }
    }

    /// The same with other delta degrees of freedom.
    #[must_use]
    pub fn with_ddof(mut self, ddof: f64) -> Self {
        self.ddof = ddof;
        self
    }

    /// The same with elements numbered by `index`.
    #[must_use]
    pub fn with_index(mut self, index: Affine) -> Self {
        self.index = Some(index);
        self
    }
}

impl From<Partial> for Value {
    fn from(partial: Partial) -> Self {
        Self::Manifest(Arc::new(Manifest { parts: partial.fields.into_iter().map(Self::from).collect() }))
    }
}

impl TryFrom<&Value> for Partial {
    type Error = TaskError;

    fn try_from(value: &Value) -> Result<Self, TaskError> {
        let refused = || TaskError::new(ErrorKind::Type, format!("a {} is no partial reduction", value.type_name()));
        let Value::Manifest(manifest) = value else { return Err(refused()) };
        let fields = manifest.parts.iter().map(|part| part.as_chunk().cloned().ok_or_else(refused));
        Ok(Self { fields: fields.collect::<Result<_, _>>()? })
    }
}

/// Reduces the first output of `program` over `region`; inputs as for [`evaluate`](super::evaluate).
pub fn evaluate_reduce(
    program: &Program,
    region: &Region,
    inputs: &[&Chunk],
    reduction: &Reduction,
    cancel: &CancelToken,
) -> Result<Partial, TaskError> {
    reduction.check(program, region)?;
    with_fold(reduction.op, reduction.dtype, drive::Reduce { program, region, inputs, reduction, cancel })
}

/// Merges partials of one shape, in the order of their blocks; at least one.
pub fn combine(reduction: &Reduction, partials: &[Partial]) -> Result<Partial, TaskError> {
    with_fold(reduction.op, reduction.dtype, merge::Combine { partials })
}

impl Reduction {
    fn check(&self, program: &Program, region: &Region) -> Result<(), TaskError> {
        let refused = |message| Err(TaskError::new(ErrorKind::Value, message));
        let axes = region.shape.len();
        if let Some(axis) = self.axes.iter().find(|&&axis| axis >= axes) {
            return refused(format!("axis {axis} is out of bounds for an array of {axes} axes"));
        }
        if program.output_dtype() != self.dtype {
            let dtype = program.output_dtype();
            return refused(format!("the reduction is over {}, and the program gives {dtype}", self.dtype));
        }
        if self.op.finds_index() && self.index.as_ref().is_none_or(|index| index.steps.len() != axes) {
            return refused(format!("`{}` needs an index over {axes} axes", self.op.name()));
        }
        Ok(())
    }
}

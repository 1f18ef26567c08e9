//! Reductions and running sums.

use crate::blocks::{BlockInput, Blockwise, carry, native};
use crate::expression::{Expr, Reduce};
use crate::kernel::ReduceOp;
use crate::layout::{axes_of, axis_of};
use crate::{Array, ArrayError, AxisChunks, Chunks, Result};
use raskt_value::{DType, Kind};
use serde::{Deserialize, Serialize};

/// Blocks that are brought together in one task, where nobody says otherwise.
const FAN_IN: u32 = 16;

/// What the functions that reduce take beside the array.
#[derive(Clone, Debug, Default)]
pub struct ReduceOptions {
    /// Along which axes; `None` for all.
    pub axes: Option<Vec<isize>>,
    /// Whether they stay, with length 1.
    pub keepdims: bool,
    /// The type in which it is computed (`sum`, `prod`, `mean`, `std`, `var`).
    pub dtype: Option<DType>,
    /// Delta degrees of freedom (`std`, `var`).
    pub ddof: f64,
    /// How many blocks are brought together in one task.
    pub split_every: Option<u32>,
}

/// A running reduction.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub enum Scan {
    /// Running sum.
    Sum,
    /// Running product.
    Prod,
}

impl ReduceOp {
    const ALL: [Self; 21] = [
        Self::Sum,
        Self::Prod,
        Self::Mean,
        Self::Var,
        Self::Std,
        Self::Min,
        Self::Max,
        Self::Any,
        Self::All,
        Self::ArgMin,
        Self::ArgMax,
        Self::CountNonzero,
        Self::NanSum,
        Self::NanProd,
        Self::NanMean,
        Self::NanVar,
        Self::NanStd,
        Self::NanMin,
        Self::NanMax,
        Self::NanArgMin,
        Self::NanArgMax,
    ];

    /// The reduction that NumPy calls `name`.
    pub fn from_name(name: &str) -> Result<Self> {
        let found = Self::ALL.into_iter().find(|op| op.name() == name);
        found.ok_or_else(|| ArrayError::NotImplemented(format!("the reduction `{name}` has no native kernel")))
    }

    fn is_position(self) -> bool {
        matches!(self, Self::ArgMin | Self::ArgMax | Self::NanArgMin | Self::NanArgMax)
    }

    fn has_no_identity(self) -> bool {
        self.is_position() || matches!(self, Self::Min | Self::Max | Self::NanMin | Self::NanMax)
    }
}

impl Array {
    /// Brings elements together along axes.
    pub fn reduce(&self, op: ReduceOp, options: &ReduceOptions) -> Result<Self> {
        let ndim = self.ndim();
        let mut axes = match &options.axes {
            None => (0..ndim).collect(),
            Some(axes) => axes_of(axes, ndim)?,
        };
        axes.sort_unstable();
        self.check_reduction(op, &axes, options)?;
        let input = self.reduction_input(op, options.dtype);
        let dtype = op.result_dtype(input.dtype())?;
        let split_every = options.split_every.unwrap_or(FAN_IN);
        if split_every < 2 {
            return Err(ArrayError::Value(format!("split_every must be at least 2, not {split_every}")));
        }
        let one = AxisChunks::single(1);
        let own = self.chunks().axes().iter().enumerate();
        let chunks = own.filter(|(axis, _)| options.keepdims || !axes.contains(axis));
        let chunks =
            Chunks::new(chunks.map(|(axis, cut)| if axes.contains(&axis) { one.clone() } else { cut.clone() }));
        let (keepdims, ddof) = (options.keepdims, options.ddof);
        let reduced = Expr::Reduce(Reduce { input, op, axes: axes.into_iter().collect(), keepdims, ddof, split_every });
        let reduced = reduced.into_array(dtype, chunks);
        let narrower = options.dtype.filter(|_| !op.is_position() && !matches!(op, ReduceOp::Any | ReduceOp::All));
        Ok(narrower.map_or(reduced.clone(), |dtype| reduced.astype(dtype)))
    }

    /// The running sum or product along an axis; of the elements in C order where none is given.
    pub fn cumulative(&self, scan: Scan, axis: Option<isize>, dtype: Option<DType>) -> Result<Self> {
        let Some(axis) = axis else { return self.reshape(&[-1])?.cumulative(scan, Some(0), dtype) };
        let axis = axis_of(axis, self.ndim())?;
        let sum = ReduceOp::Sum.result_dtype(self.dtype())?;
        let input = self.astype(dtype.unwrap_or(sum));
        if self.chunks().axes()[axis].blocks() == 1 {
            return Ok(input.scanned(scan, axis, None));
        }
        let cut = &input.chunks().axes()[axis];
        if let (Some(fields), Some(length)) = (carry::fields(scan, input.dtype()), cut.length())
            && cut.longest().is_some_and(|longest| longest <= fields)
        {
            // Summaries of blocks as short as these would be more than the blocks themselves, which come together then.
            let (own, mut chunks) = (input.chunks().clone(), input.chunks().clone());
            chunks.axes_mut()[axis] = AxisChunks::single(length);
            return Ok(input.recut(chunks).scanned(scan, axis, None).recut(own));
        }
        let before = input.before_blocks(scan, axis);
        Ok(input.scanned(scan, axis, Some(before)))
    }

    /// What is behind each block along an axis: of what blocks come to, which is little and comes in one block.
    fn before_blocks(&self, scan: Scan, axis: usize) -> Self {
        let (ndim, blocks) = (self.ndim(), self.chunks().axes()[axis].blocks() as usize);
        let fields = carry::fields(scan, self.dtype());
        let (inputs, reads) = (vec![self.clone()], vec![BlockInput::same(ndim)]);
        let (each, totals) = match fields {
            Some(_) => (DType::F64, Blockwise::native("summary", carry::Summarise { scan, axis }, inputs, reads)),
            None => (self.dtype(), Blockwise::native("total", native::Total { scan, axis }, inputs, reads)),
        };
        let (totals, length) = (totals.word(axis as u64).word(scan as u64), fields.unwrap_or(1));
        let mut chunks = self.chunks().clone();
        chunks.axes_mut()[axis] = AxisChunks::regular(blocks * length, length);
        let totals = Expr::Blockwise(totals).into_array(each, chunks.clone());
        chunks.axes_mut()[axis] = AxisChunks::single(blocks * length);
        let totals = totals.recut(chunks.clone());
        if fields.is_none() {
            return totals.scanned(scan, axis, None);
        }
        let kernel = carry::Carry { scan, axis, dtype: self.dtype() };
        let carry = Blockwise::native("carry", kernel, vec![totals], vec![BlockInput::same(ndim)]);
        let carry = carry.word(axis as u64).word(scan as u64).word(self.dtype() as u64);
        chunks.axes_mut()[axis] = AxisChunks::single(blocks);
        Expr::Blockwise(carry).into_array(self.dtype(), chunks)
    }

    fn scanned(&self, scan: Scan, axis: usize, before: Option<Self>) -> Self {
        let (grid, mut reads, mut inputs) = (self.grid(), vec![BlockInput::same(self.ndim())], vec![self.clone()]);
        if let Some(before) = before {
            reads.push(BlockInput::axes((0..self.ndim()).map(|at| (at != axis).then_some(at))));
            inputs.push(before);
        }
        let name = if scan == Scan::Sum { "cumsum" } else { "cumprod" };
        // The kernel knows the grid, so that the same over another grid is another function.
        let lengths = grid.lengths().to_vec();
        let blockwise = Blockwise::native(name, native::Running { scan, axis, grid }, inputs, reads).word(axis as u64);
        let blockwise = lengths.into_iter().fold(blockwise, |function, length| function.word(u64::from(length)));
        Expr::Blockwise(blockwise.running(scan, axis)).into_array(self.dtype(), self.chunks().clone())
    }

    fn reduction_input(&self, op: ReduceOp, dtype: Option<DType>) -> Self {
        use ReduceOp::*;
        match dtype {
            Some(dtype) if matches!(op, Sum | Prod | NanSum | NanProd | Mean | NanMean) => self.astype(dtype),
            Some(dtype) if matches!(op, Var | Std | NanVar | NanStd) && dtype.kind() >= Kind::Float => {
                if self.dtype().kind() == Kind::Complex { self.clone() } else { self.astype(dtype) }
            }
            _ => self.clone(),
        }
    }

    fn check_reduction(&self, op: ReduceOp, axes: &[usize], options: &ReduceOptions) -> Result<()> {
        let shape = self.shape();
        let empty = axes.iter().any(|&axis| shape[axis] == Some(0));
        if empty && op.is_position() {
            return Err(ArrayError::Value(format!("attempt to get {} of an empty sequence", op.name())));
        }
        if empty && op.has_no_identity() {
            let name = op.name();
            return Err(ArrayError::Value(format!(
                "zero-size array to reduction operation {name} which has no identity"
            )));
        }
        if op.is_position() && !(axes.len() == 1 || axes.len() == self.ndim()) {
            return Err(ArrayError::Axes(format!("{} takes one axis, or none for all", op.name())));
        }
        if op.is_position() && axes.iter().any(|&axis| shape[axis].is_none()) {
            return Err(ArrayError::Unknown { what: op.name().into() });
        }
        if !options.ddof.is_finite() {
            return Err(ArrayError::Value(format!("ddof must be a number, not {}", options.ddof)));
        }
        Ok(())
    }
}

//! The two steps of a running sum or product over blocks: to sum up each of them, and to find what is carried into each.

use super::{ComplexProduct, ComplexSum, RealProduct, RealSum, Summary, carried, summarised};
use crate::Scan;
use crate::blocks::inputs::{block_with_axis, unfit};
use raskt_value::{Call, DType, ErrorKind, Kernel, TaskError, Value};
use serde::{Deserialize, Serialize};

/// How many numbers the summary of a block has for each line; nothing where a total is enough.
pub(crate) fn fields(scan: Scan, dtype: DType) -> Option<usize> {
    match (scan, dtype) {
        (_, DType::F32 | DType::F64) => Some(RealSum::<f64>::FIELDS),
        (Scan::Sum, DType::C64 | DType::C128) => Some(ComplexSum::<f64>::FIELDS),
        (Scan::Prod, DType::C64 | DType::C128) => Some(ComplexProduct::<f64>::FIELDS),
        _ => None,
    }
}

/// The summary of a block along an axis, which stays with the fields beside each other.
#[derive(Serialize, Deserialize)]
pub(crate) struct Summarise {
    pub(crate) scan: Scan,
    pub(crate) axis: usize,
}

/// What is behind each block, from the summaries of all of them: the axis stays with an element for each block.
#[derive(Serialize, Deserialize)]
pub(crate) struct Carry {
    pub(crate) scan: Scan,
    pub(crate) axis: usize,
    pub(crate) dtype: DType,
}

/// Calls a function for the summaries of a running reduction over elements of a type.
macro_rules! with_summary {
    ($scan:expr, $dtype:expr, $function:ident($($argument:expr),*)) => {
        match ($scan, $dtype) {
            (Scan::Sum, DType::F32) => $function::<RealSum<f32>>($($argument),*),
            (Scan::Sum, DType::F64) => $function::<RealSum<f64>>($($argument),*),
            (Scan::Sum, DType::C64) => $function::<ComplexSum<f32>>($($argument),*),
            (Scan::Sum, DType::C128) => $function::<ComplexSum<f64>>($($argument),*),
            (Scan::Prod, DType::F32) => $function::<RealProduct<f32>>($($argument),*),
            (Scan::Prod, DType::F64) => $function::<RealProduct<f64>>($($argument),*),
            (Scan::Prod, DType::C64) => $function::<ComplexProduct<f32>>($($argument),*),
            (Scan::Prod, DType::C128) => $function::<ComplexProduct<f64>>($($argument),*),
            (_, dtype) => Err(TaskError::new(ErrorKind::Type, format!("totals of {dtype} need no summary"))),
        }
    };
}

impl Kernel for Summarise {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let block = block_with_axis(inputs, 0, self.axis)?;
        with_summary!(self.scan, block.dtype(), summarised(block, self.axis)).map(Value::from)
    }

    fn name(&self) -> String {
        "total".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

impl Kernel for Carry {
    fn run(&self, _call: &Call<'_>, inputs: &[Value]) -> Result<Value, TaskError> {
        let summaries = block_with_axis(inputs, 0, self.axis)?;
        let (found, fields) = (summaries.shape()[self.axis], fields(self.scan, self.dtype).unwrap_or(1));
        if !found.is_multiple_of(fields) {
            return Err(unfit(format!("summaries of {found} numbers came where each has {fields}")));
        }
        with_summary!(self.scan, self.dtype, carried(summaries, self.axis)).map(Value::from)
    }

    fn name(&self) -> String {
        "carry".into()
    }

    fn is_repeatable(&self) -> bool {
        true
    }
}

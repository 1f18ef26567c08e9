//! Functions of NumPy that are a few steps of a program.

use super::{BinaryOp, ProgramBuilder, Register, UnaryOp};
use raskt_value::{ErrorKind, Kind, Scalar, TaskError};

impl ProgramBuilder {
    /// `numpy.clip`: `minimum(maximum(x, low), high)`, where either bound may be left out.
    pub fn clip(&mut self, x: Register, low: Option<Register>, high: Option<Register>) -> Result<Register, TaskError> {
        let raised = low.map_or(Ok(x), |low| self.binary(BinaryOp::Maximum, x, low))?;
        high.map_or(Ok(raised), |high| self.binary(BinaryOp::Minimum, raised, high))
    }

    /// `numpy.nan_to_num`: NaN becomes `nan`, infinities `posinf` and `neginf`, by default the largest and the smallest
    /// finite numbers of the type. Integers stay as they are; complex numbers aren't done yet.
    pub fn nan_to_num(
        &mut self,
        x: Register,
        nan: f64,
        posinf: Option<f64>,
        neginf: Option<f64>,
    ) -> Result<Register, TaskError> {
        let dtype = self.dtype(x);
        match dtype.kind() {
            Kind::Bool | Kind::Unsigned | Kind::Signed => return Ok(x),
            Kind::Complex => return Err(TaskError::new(ErrorKind::NotImplemented, "nan_to_num of complex numbers")),
            Kind::Float => {}
        }
        let most = if dtype.size() == 4 { f64::from(f32::MAX) } else { f64::MAX };
        let is_nan = self.unary(UnaryOp::IsNan, x)?;
        let mut result = x;
        for (infinity, finite) in
            [(f64::INFINITY, posinf.unwrap_or(most)), (f64::NEG_INFINITY, neginf.unwrap_or(-most))]
        {
            let infinity = self.constant(Scalar::Float(infinity), dtype);
            let is_infinite = self.binary(BinaryOp::Equal, x, infinity)?;
            let finite = self.constant(Scalar::Float(finite), dtype);
            result = self.select(is_infinite, finite, result);
        }
        let nan = self.constant(Scalar::Float(nan), dtype);
        Ok(self.select(is_nan, nan, result))
    }
}

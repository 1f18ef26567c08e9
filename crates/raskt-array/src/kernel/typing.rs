//! The data types of elementwise operations, as NumPy 2 has them.
//!
//! One difference: where NumPy computes in `float16` (`sqrt` of `int8`), which raskt doesn't hold, it is `float32`.

use super::{BinaryOp, UnaryOp};
use DType::{Bool, C64, C128, F32, F64, I8};
use raskt_value::{DType, ErrorKind, Kind, TaskError, promote};

/// The types with which an operation computes: of its operands (all the same) and of its result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Signature {
    /// What the operands are cast to.
    pub operands: DType,
    /// What comes out.
    pub result: DType,
}

/// The type of `op` over an operand of `dtype`.
pub fn unary_dtype(op: UnaryOp, dtype: DType) -> Result<DType, TaskError> {
    unary_signature(op, dtype).map(|signature| signature.result)
}

/// The type of `op` over operands of types `a` and `b`.
pub fn binary_dtype(op: BinaryOp, a: DType, b: DType) -> Result<DType, TaskError> {
    binary_signature(op, a, b).map(|signature| signature.result)
}

/// The types with which `op` computes over an operand of `dtype`; an error (`TypeError`) if it can't.
pub fn unary_signature(op: UnaryOp, dtype: DType) -> Result<Signature, TaskError> {
    use UnaryOp::*;
    let refused = || unsupported(op.name(), &[dtype]);
    let kind = dtype.kind();
    let result = match op {
        Real | Imag => return Ok(Signature { operands: dtype, result: real_of(dtype) }),
        Absolute => return Ok(Signature { operands: dtype, result: real_of(dtype) }),
        IsFinite | IsInf | IsNan | LogicalNot => return Ok(Signature { operands: dtype, result: Bool }),
        SignBit if kind == Kind::Complex => return Err(refused()),
        SignBit => return Ok(Signature { operands: float_of(dtype), result: Bool }),
        Ceil | Floor | Trunc if kind == Kind::Complex => return Err(refused()),
        Ceil | Floor | Trunc => dtype,
        Invert if dtype.is_inexact() => return Err(refused()),
        Invert => dtype,
        Negative | Positive | Sign if dtype == Bool => return Err(refused()),
        Negative | Positive | Sign => dtype,
        Conjugate | Reciprocal | Square => no_bool(dtype),
        Cbrt | Deg2rad | Rad2deg | Fabs | Spacing if kind == Kind::Complex => return Err(refused()),
        _ => float_of(dtype),
    };
    Ok(Signature { operands: result, result })
}

/// The types with which `op` computes over operands of types `a` and `b`; an error (`TypeError`) if it can't.
///
/// Comparisons of a signed integer with `uint64` are exact in a [`ProgramBuilder`](super::ProgramBuilder), which
/// writes them as two comparisons.
pub fn binary_signature(op: BinaryOp, a: DType, b: DType) -> Result<Signature, TaskError> {
    use BinaryOp::*;
    let refused = || unsupported(op.name(), &[a, b]);
    let common = promote(a, b);
    let complex = common.kind() == Kind::Complex;
    let result = match op {
        Equal | NotEqual | Less | LessEqual | Greater | GreaterEqual => {
            return Ok(Signature { operands: common, result: Bool });
        }
        LogicalAnd | LogicalOr | LogicalXor => return Ok(Signature { operands: Bool, result: Bool }),
        Subtract if common == Bool => return Err(TaskError::new(ErrorKind::Type, BOOLEAN_SUBTRACT)),
        Add | Multiply | Subtract | Maximum | Minimum | Fmax | Fmin => common,
        Divide if common.is_inexact() => common,
        Divide => F64,
        FloatPower => {
            if complex {
                C128
            } else {
                F64
            }
        }
        Power => no_bool(common),
        FloorDivide | Remainder | Fmod if complex => return Err(refused()),
        FloorDivide | Remainder | Fmod => no_bool(common),
        BitwiseAnd | BitwiseOr | BitwiseXor | LeftShift | RightShift if common.is_inexact() => return Err(refused()),
        BitwiseAnd | BitwiseOr | BitwiseXor => common,
        LeftShift | RightShift => no_bool(common),
        Arctan2 | Copysign | Heaviside | Hypot | Logaddexp | Logaddexp2 | Nextafter if complex => return Err(refused()),
        // Each operand is taken to a float by itself, which may be smaller than that of the common integer.
        Arctan2 | Copysign | Heaviside | Hypot | Logaddexp | Logaddexp2 | Nextafter => {
            promote(float_of(a), float_of(b))
        }
    };
    Ok(Signature { operands: result, result })
}

const BOOLEAN_SUBTRACT: &str = "subtract is not defined for two bool arrays; use `logical_xor` (`^`) or `not_equal`";

/// The real type of the parts of `dtype`.
pub fn real_of(dtype: DType) -> DType {
    match dtype {
        C64 => F32,
        C128 => F64,
        real => real,
    }
}

/// The smallest real or complex type that holds every value of `dtype` (which `float16` does for a byte in NumPy).
fn float_of(dtype: DType) -> DType {
    match (dtype.kind(), dtype.size()) {
        (Kind::Float | Kind::Complex, _) => dtype,
        (_, 1 | 2) => F32,
        _ => F64,
    }
}

/// Arithmetic for which NumPy has no loop over `bool` takes the next one, `int8`.
fn no_bool(dtype: DType) -> DType {
    if dtype == Bool { I8 } else { dtype }
}

fn unsupported(op: &str, dtypes: &[DType]) -> TaskError {
    let names: Vec<_> = dtypes.iter().map(|dtype| dtype.name()).collect();
    TaskError::new(ErrorKind::Type, format!("`{op}` is not defined for data type {}", names.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// One line for each operation: a letter for each data type (or pair of them) in the order of [`DType::ALL`], as
    /// `ufunc.resolve_dtypes` of NumPy 2.4 says, with `f` for `float16` too and `-` for a `TypeError`.
    const NUMPY: &str = include_str!("numpy_types.txt");
    const LETTERS: &str = "?bhilBHILfdFD";

    fn letter(found: Result<DType, TaskError>) -> char {
        let at = found.ok().and_then(|dtype| DType::ALL.into_iter().position(|other| other == dtype));
        at.map_or('-', |at| LETTERS.chars().nth(at).unwrap())
    }

    #[test]
    fn every_type_is_as_numpy_has_it() {
        let mut wrong = vec![];
        for line in NUMPY.lines() {
            let (name, expected) = line.split_once(' ').unwrap();
            let found: String = match UnaryOp::from_name(name) {
                Some(op) => DType::ALL.into_iter().map(|a| letter(unary_dtype(op, a))).collect(),
                None => {
                    let op = BinaryOp::from_name(name).unwrap();
                    let pairs = DType::ALL.into_iter().flat_map(|a| DType::ALL.into_iter().map(move |b| (a, b)));
                    pairs.map(|(a, b)| letter(binary_dtype(op, a, b))).collect()
                }
            };
            if found != expected {
                wrong.push(format!("{name}: {found}, not {expected}"));
            }
        }
        assert!(wrong.is_empty(), "{wrong:#?}");
    }
}

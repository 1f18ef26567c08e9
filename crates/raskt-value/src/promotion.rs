//! NumPy's rules (NEP 50) for the data type of a result.

use crate::{DType, Kind};
use DType::*;

/// The data type that holds every value of `a` and of `b`, as `numpy.promote_types` gives it.
///
/// ```
/// use raskt_value::{DType, promote};
/// assert_eq!(promote(DType::I32, DType::F32), DType::F64);
/// assert_eq!(promote(DType::I64, DType::U64), DType::F64);
/// ```
pub fn promote(a: DType, b: DType) -> DType {
    let (low, high) = if a.kind() <= b.kind() { (a, b) } else { (b, a) };
    match (low.kind(), high.kind()) {
        (Kind::Bool, _) => high,
        (x, y) if x == y => wider(low, high),
        (Kind::Unsigned, Kind::Signed) => signed_for(low, high),
        (_, Kind::Float) => float_for(low, high),
        _ => complex_for(low, high),
    }
}

/// The data type of an operation between an array of `dtype` and a Python scalar of `kind`: the scalar is *weak*, it
/// raises the kind but never the width within a kind.
///
/// ```
/// use raskt_value::{DType, Kind, promote_weak};
/// assert_eq!(promote_weak(DType::U8, Kind::Signed), DType::U8);
/// assert_eq!(promote_weak(DType::F32, Kind::Float), DType::F32);
/// assert_eq!(promote_weak(DType::I32, Kind::Float), DType::F64);
/// ```
pub fn promote_weak(dtype: DType, kind: Kind) -> DType {
    match (dtype.kind(), kind) {
        (_, Kind::Bool) => dtype,
        (Kind::Bool, Kind::Signed | Kind::Unsigned) => I64,
        (Kind::Bool | Kind::Signed | Kind::Unsigned, Kind::Float) => F64,
        (Kind::Bool | Kind::Signed | Kind::Unsigned, Kind::Complex) => C128,
        (Kind::Float, Kind::Complex) => complex_for(dtype, C64),
        _ => dtype,
    }
}

fn wider(a: DType, b: DType) -> DType {
    if a.size() >= b.size() { a } else { b }
}

fn signed_for(unsigned: DType, signed: DType) -> DType {
    match (unsigned.size(), signed) {
        (8, _) => F64,
        (size, _) if size < signed.size() => signed,
        (1, _) => I16,
        (2, _) => I32,
        _ => I64,
    }
}

fn float_for(integer: DType, float: DType) -> DType {
    if integer.size() <= 2 { float } else { F64 }
}

fn complex_for(real: DType, complex: DType) -> DType {
    let exact = match real.kind() {
        Kind::Float => real,
        _ => float_for(real, F32),
    };
    if exact == F64 || complex == C128 { C128 } else { C64 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_agrees_with_numpy_where_numpy_surprises() {
        for (a, b, expected) in [
            (I8, U8, I16),
            (I16, U8, I16),
            (I32, U32, I64),
            (I64, U64, F64),
            (I8, F32, F32),
            (I16, F32, F32),
            (I32, F32, F64),
            (U16, C64, C64),
            (I64, C64, C128),
            (F64, C64, C128),
            (F32, C64, C64),
            (Bool, U8, U8),
            (Bool, Bool, Bool),
        ] {
            assert_eq!(promote(a, b), expected, "{a} {b}");
            assert_eq!(promote(b, a), expected, "{b} {a}");
        }
    }

    #[test]
    fn it_is_commutative_and_idempotent() {
        for a in DType::ALL {
            assert_eq!(promote(a, a), a);
            for b in DType::ALL {
                assert_eq!(promote(a, b), promote(b, a));
            }
        }
    }
}

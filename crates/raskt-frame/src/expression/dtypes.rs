//! The types of results: one table of NumPy's rules (NEP 50), with what pandas adds to them.
//!
//! Numbers that a user wrote are *weak*: an integer or a float takes the width of the column that it meets. So does a lazy
//! scalar in arithmetic with a column. Everything else has a type of its own. What the table doesn't know is left to pandas.

use super::Operand;
use crate::domain::{Domain, DomainClass::*};
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use crate::tree::{ColumnDtype, Expr, Function, literal};
use polars::prelude::{DataType, TimeUnit};
use raskt_value::{DType, Kind, promote, promote_weak};

/// The number type of a column of `dtype`; truth values are numbers.
pub(crate) fn number_of(dtype: &DataType) -> Option<DType> {
    Some(match dtype {
        DataType::Boolean => DType::Bool,
        DataType::Int8 => DType::I8,
        DataType::Int16 => DType::I16,
        DataType::Int32 => DType::I32,
        DataType::Int64 => DType::I64,
        DataType::UInt8 => DType::U8,
        DataType::UInt16 => DType::U16,
        DataType::UInt32 => DType::U32,
        DataType::UInt64 => DType::U64,
        DataType::Float32 => DType::F32,
        DataType::Float64 => DType::F64,
        _ => return None,
    })
}

/// The engine's type of such numbers.
pub(crate) fn engine_dtype(dtype: DType) -> DataType {
    match dtype {
        DType::Bool => DataType::Boolean,
        DType::I8 => DataType::Int8,
        DType::I16 => DataType::Int16,
        DType::I32 => DataType::Int32,
        DType::I64 => DataType::Int64,
        DType::U8 => DataType::UInt8,
        DType::U16 => DataType::UInt16,
        DType::U32 => DataType::UInt32,
        DType::U64 => DataType::UInt64,
        DType::F32 => DataType::Float32,
        DType::F64 | DType::C64 | DType::C128 => DataType::Float64,
    }
}

/// The type in which pandas has such numbers: integers some of which are missing are floats. `None` for what is no number,
/// and for truth values some of which are missing, which are objects.
pub(crate) fn pandas_number(domain: &Domain) -> Option<DType> {
    match (number_of(&domain.dtype)?, domain.missing || domain.was_missing) {
        (DType::Bool, true) => None,
        (_, true) if domain.is_rounded() => Some(DType::F64),
        (dtype, _) => Some(dtype),
    }
}

/// The type that two operands have in common, the one in which NumPy computes.
pub(crate) fn common_number(left: &Operand, right: &Operand) -> Result<DType> {
    let (a, b) = (Weakness::of(left)?, Weakness::of(right)?);
    Ok(match (a, b) {
        (Weakness::Strong(a), Weakness::Strong(b)) => promote(a, b),
        (Weakness::Strong(dtype), Weakness::Weak(kind)) | (Weakness::Weak(kind), Weakness::Strong(dtype)) => {
            promote_weak(dtype, kind)
        }
        (Weakness::Weak(a), Weakness::Weak(b)) => promote_weak(promote_weak(DType::Bool, a), b),
    })
}

/// The same in arithmetic, where pandas takes NumPy's scalars beside columns for numbers of Python.
pub(crate) fn common_in_arithmetic(left: &Operand, right: &Operand) -> Result<DType> {
    let weak = |operand: &Operand, other: &Operand| match (operand, other) {
        (Operand::Expression(scalar), Operand::Expression(rows))
            if scalar.extent.is_scalar() && !rows.extent.is_scalar() =>
        {
            match pandas_number(&scalar.domain)?.kind() {
                Kind::Signed | Kind::Unsigned => Some(Literal::Int(0)),
                Kind::Float => Some(Literal::Float(0.0)),
                _ => None,
            }
        }
        _ => None,
    };
    match (weak(left, right), weak(right, left)) {
        (Some(left), _) => common_number(&Operand::Literal(left), right),
        (_, Some(right)) => common_number(left, &Operand::Literal(right)),
        _ => common_number(left, right),
    }
}

enum Weakness {
    Strong(DType),
    Weak(Kind),
}

impl Weakness {
    fn of(operand: &Operand) -> Result<Self> {
        Ok(match operand {
            Operand::Literal(Literal::Int(_) | Literal::UInt(_)) => Self::Weak(Kind::Signed),
            Operand::Literal(Literal::Float(_) | Literal::Missing) => Self::Weak(Kind::Float),
            Operand::Literal(Literal::Bool(_)) => Self::Strong(DType::Bool),
            operand => match pandas_number(&operand.domain()) {
                Some(dtype) => Self::Strong(dtype),
                None => return Err(not_native(operand)),
            },
        })
    }
}

/// The type of a reduction of numbers of `dtype`; `None` for what isn't in the table.
pub(crate) fn reduced_number(function: &str, dtype: DType) -> Option<DType> {
    Some(match function {
        "count" | "size" | "nunique" => DType::I64,
        "any" | "all" => DType::Bool,
        "min" | "max" | "first" | "last" => dtype,
        "sum" | "prod" | "cumsum" | "cumprod" => match dtype.kind() {
            Kind::Bool | Kind::Signed => DType::I64,
            Kind::Unsigned => DType::U64,
            _ => dtype,
        },
        "mean" | "median" | "std" | "var" | "sem" | "skew" | "kurt" if dtype == DType::F32 => DType::F32,
        "mean" | "median" | "std" | "var" | "sem" | "skew" | "kurt" | "quantile" => DType::F64,
        _ => return None,
    })
}

/// The type that holds the values of both, as rows of one column: `pandas.concat`'s.
pub(crate) fn common_dtype(a: &Domain, b: &Domain) -> Result<DataType> {
    if a.dtype == b.dtype {
        return Ok(a.dtype.clone());
    }
    let refused = || {
        let (a, b) = (a.pandas_dtype(), b.pandas_dtype());
        FrameError::NotNative(format!("values of {a} and of {b} have no common type"))
    };
    match (a.class(), b.class()) {
        (Bool, Bool) | (Int | Float, Int | Float) => {
            let (a, b) = (pandas_number(a), pandas_number(b));
            Ok(engine_dtype(promote(a.ok_or_else(refused)?, b.ok_or_else(refused)?)))
        }
        // Fixed-point numbers and others: the engine's own common type, as long as the plan knows them so.
        (Decimal, Int | Float | Decimal) | (Int | Float, Decimal) => {
            crate::stage::common_engine_type(&a.dtype, &b.dtype)
        }
        (Text, Category) | (Category, Text) => Ok(DataType::String),
        (Time, Time) | (Duration, Duration) => finer(&a.dtype, &b.dtype).ok_or_else(refused),
        _ => Err(refused()),
    }
}

/// The type with the finer unit of two that differ in nothing else.
fn finer(a: &DataType, b: &DataType) -> Option<DataType> {
    let rank = |unit: &TimeUnit| match unit {
        TimeUnit::Milliseconds => 0,
        TimeUnit::Microseconds => 1,
        TimeUnit::Nanoseconds => 2,
    };
    match (a, b) {
        (DataType::Datetime(x, zone), DataType::Datetime(y, other)) if zone == other => {
            Some(if rank(x) >= rank(y) { a.clone() } else { b.clone() })
        }
        (DataType::Duration(x), DataType::Duration(y)) => Some(if rank(x) >= rank(y) { a.clone() } else { b.clone() }),
        _ => None,
    }
}

/// `operand` as numbers of `dtype`; pandas has to say what becomes of an integer that doesn't fit.
pub(crate) fn as_number(operand: &Operand, dtype: DType) -> Result<Expr> {
    match operand {
        Operand::Literal(number) => match number.number(dtype) {
            Some(number) => Ok(literal(number)),
            None => Err(not_native(operand)),
        },
        Operand::Expression(expression) if expression.domain.dtype == engine_dtype(dtype) => Ok(operand.expr()),
        // An integer that the type of the column doesn't have is an error at run time.
        Operand::Expression(expression) if expression.domain.class() == Int && dtype.kind() != Kind::Float => {
            Ok(operand.expr().strict_cast(ColumnDtype::Number(dtype)))
        }
        Operand::Expression(_) => Ok(operand.expr().cast(ColumnDtype::Number(dtype))),
    }
}

/// Integers as floats; those that would be rounded are refused at run time.
pub(crate) fn as_exact_floats(operand: &Operand) -> Result<Expr> {
    let whole = match operand {
        Operand::Literal(Literal::Int(value)) => literal(*value),
        Operand::Literal(_) => return as_number(operand, DType::F64),
        Operand::Expression(_) => operand.expr(),
    };
    Ok(whole.map(Function::RefuseRounded).cast(ColumnDtype::FLOAT64))
}

fn not_native(operand: &Operand) -> FrameError {
    FrameError::NotNative(format!("{} has no native form here", super::arithmetic::pandas_name(operand)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reductions_have_the_types_of_numpy() {
        assert_eq!(reduced_number("sum", DType::U8), Some(DType::U64));
        assert_eq!(reduced_number("cumsum", DType::Bool), Some(DType::I64));
        assert_eq!(reduced_number("mean", DType::F32), Some(DType::F32));
        assert_eq!(reduced_number("quantile", DType::F32), Some(DType::F64));
    }

    /// `numpy.result_type` of every two types, in the order of [`NAMES`].
    const NUMPY: [&str; 11] = [
        "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64",
        "int8 int8 int16 int32 int64 int16 int32 int64 float64 float32 float64",
        "int16 int16 int16 int32 int64 int16 int32 int64 float64 float32 float64",
        "int32 int32 int32 int32 int64 int32 int32 int64 float64 float64 float64",
        "int64 int64 int64 int64 int64 int64 int64 int64 float64 float64 float64",
        "uint8 int16 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64",
        "uint16 int32 int32 int32 int64 uint16 uint16 uint32 uint64 float32 float64",
        "uint32 int64 int64 int64 int64 uint32 uint32 uint32 uint64 float64 float64",
        "uint64 float64 float64 float64 float64 uint64 uint64 uint64 uint64 float64 float64",
        "float32 float32 float32 float64 float64 float32 float32 float64 float64 float32 float64",
        "float64 float64 float64 float64 float64 float64 float64 float64 float64 float64 float64",
    ];
    const NAMES: &str = "bool int8 int16 int32 int64 uint8 uint16 uint32 uint64 float32 float64";
    /// Each type, and what NumPy makes of it beside an integer and beside a float that were written out.
    const WEAK: [&str; 11] = [
        "bool int64 float64",
        "int8 int8 float64",
        "int16 int16 float64",
        "int32 int32 float64",
        "int64 int64 float64",
        "uint8 uint8 float64",
        "uint16 uint16 float64",
        "uint32 uint32 float64",
        "uint64 uint64 float64",
        "float32 float32 float32",
        "float64 float64 float64",
    ];

    fn column(dtype: DType) -> Operand {
        Operand::Expression(super::super::Expression::column("x", Domain::full(engine_dtype(dtype))))
    }

    fn named(name: &str) -> DType {
        DType::from_name(name).unwrap()
    }

    #[test]
    fn every_two_types_meet_in_the_type_of_numpy() {
        for (a, row) in NAMES.split(' ').zip(NUMPY) {
            for (b, expected) in NAMES.split(' ').zip(row.split(' ')) {
                let found = common_number(&column(named(a)), &column(named(b))).unwrap();
                assert_eq!(found.name(), expected, "{a} and {b}");
            }
        }
        for row in WEAK {
            let [name, integer, float] = row.split(' ').collect::<Vec<_>>()[..] else { panic!("three words") };
            for (literal, expected) in [(Literal::Int(1), integer), (Literal::Float(1.0), float)] {
                let found = common_number(&column(named(name)), &Operand::Literal(literal)).unwrap();
                assert_eq!(found.name(), expected, "{name}");
            }
        }
    }

    #[test]
    fn integers_some_of_which_are_missing_are_floats() {
        let column = |dtype| {
            let domain = Domain::with_missing(engine_dtype(dtype));
            Operand::Expression(super::super::Expression::column("x", domain))
        };
        assert_eq!(common_number(&column(DType::I8), &column(DType::I8)).unwrap(), DType::F64);
        assert!(common_number(&column(DType::Bool), &column(DType::I8)).is_err());
    }
}

use super::dtypes::{as_exact_floats, as_number, common_in_arithmetic, engine_dtype, number_of};
use super::{Expression, Operand};
use crate::domain::{Domain, DomainClass::*};
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use crate::tree::{Arithmetic, ColumnDtype, Expr, Function, TimeUnit, concat_text, literal, missing};
use polars::prelude::{DataType, Schema};
use raskt_value::{DType, Kind};

impl Expression {
    /// `left op right`, where `op` is an arithmetic operation by its Python name: `truediv`.
    pub(crate) fn arithmetic(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Self> {
        let (a, b) = (left.domain(), right.domain());
        if a.class() == Decimal && b.is_numeric() || a.is_numeric() && b.class() == Decimal {
            return fixed_point(scope, op, left, right);
        }
        if a.is_numeric() && b.is_numeric() {
            return numeric(scope, op, left, right);
        }
        let refused = || {
            FrameError::Type(format!("`{op}` doesn't work between {} and {}", pandas_name(left), pandas_name(right)))
        };
        let (x, y) = (left.expr(), right.expr());
        let expr = match (op, a.class(), b.class()) {
            ("add", Text, Text) => concat_text([x, y], ""),
            // Dates are no times of day, and far from overflowing.
            ("add", Time, Duration) | ("add", Duration, Time)
                if a.dtype == DataType::Date || b.dtype == DataType::Date =>
            {
                x + y
            }
            ("sub", Time, Duration) if a.dtype == DataType::Date => x - y,
            ("sub", Time, Time) if a.dtype == DataType::Date && b.dtype == DataType::Date => x - y,
            ("add", Time, Duration) | ("add", Duration, Time | Duration) if same_unit(&a, &b) => {
                x.arithmetic(Arithmetic::AddTimes, y)
            }
            ("sub", Time | Duration, Duration) if same_unit(&a, &b) => x.arithmetic(Arithmetic::SubtractTimes, y),
            ("sub", Time, Time) if a.dtype == b.dtype => x.arithmetic(Arithmetic::SubtractTimes, y),
            ("mul", Duration, Int) if !b.missing => {
                x.arithmetic(Arithmetic::MultiplyTimes, y.strict_cast(ColumnDtype::INT64))
            }
            ("mul", Int, Duration) if !a.missing => {
                x.strict_cast(ColumnDtype::INT64).arithmetic(Arithmetic::MultiplyTimes, y)
            }
            ("truediv", Duration, Duration) if same_unit(&a, &b) => {
                let number = |it: Expr| it.cast(ColumnDtype::INT64).cast(ColumnDtype::FLOAT64);
                let quotient = number(x).arithmetic(Arithmetic::Quotient, number(y));
                let found = Self::computed(scope, &[left, right], quotient).map_err(|_| refused())?;
                return Ok(found.nan(true));
            }
            (_, Time | Duration, Time | Duration | Int | Float) | (_, Int | Float, Duration) => {
                let (left, right) = (pandas_name(left), pandas_name(right));
                return Err(FrameError::NotNative(format!("`{op}` between {left} and {right} has no native form")));
            }
            _ => return Err(refused()),
        };
        let expr = match expr_with_time_of_day(&a, &b) {
            true => expr.cast(ColumnDtype::Datetime(TimeUnit::Microseconds, None)),
            false => expr,
        };
        Self::computed(scope, &[left, right], expr).map_err(|_| refused())
    }
}

/// Whether times and lengths of time are counted in one unit: the engine would take the coarser of two, and lose what is
/// finer.
fn same_unit(a: &Domain, b: &Domain) -> bool {
    let unit = |domain: &Domain| match domain.dtype {
        DataType::Datetime(unit, _) | DataType::Duration(unit) => Some(unit),
        _ => None,
    };
    unit(a).zip(unit(b)).is_none_or(|(a, b)| a == b)
}

/// A date moved by a length of time is a point in time.
fn expr_with_time_of_day(a: &Domain, b: &Domain) -> bool {
    let moved = |time: &Domain, by: &Domain| time.dtype == DataType::Date && by.class() == Duration;
    moved(a, b) || moved(b, a)
}

/// Numbers other than fixed-point ones: both operands become of one type by NumPy's table, and so is the result.
fn numeric(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Expression> {
    let (a, b) = (left.domain(), right.domain());
    let common = common_in_arithmetic(left, right)?;
    if a.class() == Bool && b.class() == Bool {
        return truth_values(scope, op, left, right);
    }
    if op == "pow" && (a.class() == Bool || b.class() == Bool) {
        return Err(FrameError::NotNative("powers of truth values have no native form".into()));
    }
    let dtype = if op == "truediv" && common.kind() != Kind::Float { DType::F64 } else { common };
    if matches!(op, "floordiv" | "mod") && is_zero(right) {
        return by_zero(scope, op, left, right, dtype);
    }
    // Integers that are floats because one of them may be missing, which only the rows tell.
    let whole = |domain: &Domain| number_of(&domain.dtype).filter(|_| domain.class() == Int);
    let always = match (whole(&a), whole(&b)) {
        (Some(_), Some(_)) if is_literal(left) || is_literal(right) => false,
        (Some(a), Some(b)) => raskt_value::promote(a, b).kind() == Kind::Float,
        _ => true,
    };
    let uncertain = (a.is_rounded() || b.is_rounded()) && !always && op != "truediv";
    let (x, y) = match uncertain {
        true => (as_exact_floats(left)?, as_exact_floats(right)?),
        false => (as_number(left, dtype)?, as_number(right, dtype)?),
    };
    let float = dtype.kind() == Kind::Float;
    let mut can_miss = super::can_miss(&[left, right]);
    let expr = match op {
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        "truediv" => true_division(x, y, dtype, left, right),
        // pandas has infinite quotients in double precision only.
        "floordiv" if dtype == DType::F32 && !is_literal(right) => {
            x.arithmetic(Arithmetic::FloorQuotient, y.map(Function::RefuseZero))
        }
        "floordiv" if float => x.arithmetic(Arithmetic::FloorQuotient, y),
        "mod" if float => x.arithmetic(Arithmetic::FloorRemainder, y),
        // An integer divided by zero has no integer for an answer, and whether there is a zero only the values tell.
        "floordiv" if !is_literal(right) => x.arithmetic(Arithmetic::FloorDivide, y.map(Function::RefuseZero)),
        "floordiv" => x.arithmetic(Arithmetic::FloorDivide, y),
        "mod" if !is_literal(right) => x.arithmetic(Arithmetic::Remainder, y.map(Function::RefuseZero)),
        "mod" => x.arithmetic(Arithmetic::Remainder, y),
        "pow" if !float => {
            refuse_negative(right)?;
            refuse_powers_of_nan(can_miss, left, right)?;
            x.arithmetic(Arithmetic::IntegerPower, y)
        }
        "pow" => {
            // Missing values are NaN: to the power of 0 they are 1, and so is 1 to their power.
            let nan = || literal(f64::NAN).cast(ColumnDtype::Number(dtype));
            let full = |operand: &Operand, it: Expr| if operand.domain().missing { it.fill_null(nan()) } else { it };
            can_miss = false;
            full(left, x).arithmetic(Arithmetic::Power, full(right, y))
        }
        _ => return Err(FrameError::Value(format!("`{op}` is not an arithmetic operation"))),
    };
    let expr = if uncertain { expr.map(Function::RefuseLarge) } else { expr };
    let found = Expression::computed(scope, &[left, right], expr)?;
    found.check(engine_dtype(dtype))?;
    let found = found.missing(can_miss).nan(true).within(magnitude(op, &a, &b));
    Ok(if float { found } else { found.null_with(&[left, right]) })
}

/// Arithmetic among truth values.
fn truth_values(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Expression> {
    let (x, y) = (left.expr(), right.expr());
    let expr = match op {
        "add" => x.or(y),
        "mul" => x.and(y),
        "sub" => return Err(FrameError::Type("`sub` doesn't work between truth values; use `^`".into())),
        _ => return Err(FrameError::NotNative(format!("`{op}` of truth values has no native form"))),
    };
    Expression::computed(scope, &[left, right], expr)
}

/// How far from zero a result can be.
fn magnitude(op: &str, a: &Domain, b: &Domain) -> f64 {
    let magnitude = match op {
        "add" | "sub" => a.magnitude + b.magnitude,
        "mul" => a.magnitude * b.magnitude,
        _ => f64::INFINITY,
    };
    // A product of zero and infinity is no number.
    if magnitude.is_nan() { f64::INFINITY } else { magnitude }
}

/// Arithmetic with fixed-point numbers, which the engine knows; a number that is one with as many places is exact.
fn fixed_point(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Expression> {
    let (a, b) = (left.domain(), right.domain());
    let (x, y) = (beside(left, right), beside(right, left));
    let expr = match op {
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        "truediv" => x / y,
        _ => return Err(FrameError::NotNative(format!("`{op}` of fixed-point numbers has no native form"))),
    };
    let missing = a.missing || b.missing;
    let found = Expression::computed(scope, &[left, right], expr)?;
    Ok(found.missing(missing).nan(true).within(magnitude(op, &a, &b)))
}

/// An operand of fixed-point arithmetic.
fn beside(operand: &Operand, other: &Operand) -> Expr {
    match operand {
        Operand::Literal(Literal::Bool(value)) => literal(i64::from(*value)),
        Operand::Literal(Literal::Missing) => missing(ColumnDtype::FLOAT64),
        Operand::Literal(_) => operand.beside(other),
        Operand::Expression(expression) if expression.domain.class() == Bool => operand.expr().cast(ColumnDtype::INT64),
        Operand::Expression(_) => operand.expr(),
    }
}

/// The quotients of floats. The engine divides by one value by multiplying with its reciprocal, which is off in the last
/// bit for one number in eight: `7 * (1 / 100)` is no longer `0.07`.
fn true_division(x: Expr, y: Expr, dtype: DType, left: &Operand, right: &Operand) -> Expr {
    match right {
        Operand::Literal(Literal::Int(value)) => divided_by(x, y, *value as f64, dtype),
        Operand::Literal(Literal::UInt(value)) => divided_by(x, y, *value as f64, dtype),
        Operand::Literal(Literal::Float(value)) => divided_by(x, y, *value, dtype),
        Operand::Expression(expression) if expression.extent.is_scalar() && !is_scalar(left) => {
            x.arithmetic(Arithmetic::Quotient, y)
        }
        _ => x / y,
    }
}

fn divided_by(x: Expr, y: Expr, value: f64, dtype: DType) -> Expr {
    // Reciprocals of powers of two are exact, but for those that are too small to have one.
    let is_power_of_two = value.is_normal() && value.to_bits() << 12 == 0 && (1.0 / value).is_normal();
    if is_power_of_two && dtype == DType::F64 { x / y } else { x.map(Function::DividedBy(value.to_bits())) }
}

fn is_scalar(operand: &Operand) -> bool {
    !matches!(operand, Operand::Expression(expression) if !expression.extent.is_scalar())
}

/// `//` and `%` by a zero that was written out: infinite and NaN, as floats.
fn by_zero(scope: &Schema, op: &str, left: &Operand, right: &Operand, dtype: DType) -> Result<Expression> {
    if left.domain().class() == Bool || dtype == DType::F32 {
        return Err(FrameError::NotNative(format!("`{op}` by zero has no native form for this type")));
    }
    let dtype = DType::F64;
    let zero = literal(0.0).cast(ColumnDtype::Number(dtype));
    let quotient = as_number(left, dtype)? / zero;
    let expr = if op == "mod" { quotient.clone() - quotient } else { quotient };
    let found = Expression::computed(scope, &[left, right], expr)?;
    found.check(engine_dtype(dtype))?;
    Ok(found.nan(true))
}

fn refuse_negative(exponent: &Operand) -> Result<()> {
    match exponent {
        Operand::Literal(Literal::Int(value)) if *value < 0 => {
            Err(FrameError::Value("Integers to negative integer powers are not allowed.".into()))
        }
        _ => Ok(()),
    }
}

/// NaN to the power of 0 is 1 in pandas, and so is 1 to its power: integers that may be none have it so only where they are
/// no base of another power.
fn refuse_powers_of_nan(can_miss: bool, base: &Operand, exponent: &Operand) -> Result<()> {
    let never_one = match (base, exponent) {
        (_, Operand::Literal(Literal::Int(exponent))) => *exponent != 0,
        (Operand::Literal(Literal::Int(base)), _) => *base != 1,
        _ => false,
    };
    match can_miss && !never_one {
        true => Err(FrameError::NotNative("powers of integers that may be missing have no native form".into())),
        false => Ok(()),
    }
}

fn is_zero(operand: &Operand) -> bool {
    matches!(operand, Operand::Literal(Literal::Int(0) | Literal::Bool(false) | Literal::UInt(0)))
}

fn is_literal(operand: &Operand) -> bool {
    matches!(operand, Operand::Literal(_))
}

pub(super) fn pandas_name(operand: &Operand) -> String {
    match operand {
        Operand::Expression(expression) => format!("a column of {}", expression.domain.pandas_dtype()),
        Operand::Literal(literal) => literal.in_words(),
    }
}

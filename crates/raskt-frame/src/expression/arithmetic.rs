use super::{Expression, Operand};
use crate::domain::{Domain, DomainClass::*};
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use polars::prelude::*;

impl Expression {
    /// `left op right`, where `op` is an arithmetic operation by its Python name: `truediv`.
    pub(crate) fn arithmetic(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Self> {
        let (a, b) = (left.domain(), right.domain());
        if a.is_numeric() && b.is_numeric() {
            return numeric(scope, op, left, right);
        }
        let refused = || {
            FrameError::Type(format!("`{op}` doesn't work between {} and {}", pandas_name(left), pandas_name(right)))
        };
        let (x, y) = (left.expr(), right.expr());
        let expr = match (op, a.class(), b.class()) {
            ("add", Text, Text) => concat_str([x, y], "", false),
            ("add", Time, Duration) | ("add", Duration, Time) | ("add", Duration, Duration) => x + y,
            ("sub", Time, Time) | ("sub", Time, Duration) | ("sub", Duration, Duration) => x - y,
            ("mul", Duration, Int | Float) | ("mul", Int | Float, Duration) => x * y,
            ("truediv", Duration, Int | Float) => x / y,
            ("truediv", Duration, Duration) => {
                let (x, y) = (x.cast(DataType::Int64), y.cast(DataType::Int64));
                x.cast(DataType::Float64) / y.cast(DataType::Float64)
            }
            _ => return Err(refused()),
        };
        let expr = match expr_with_time_of_day(&a, &b) {
            true => expr.cast(DataType::Datetime(TimeUnit::Microseconds, None)),
            false => expr,
        };
        Self::computed(scope, op, &[left, right], expr).map_err(|_| refused())
    }
}

/// A date moved by a length of time is a point in time.
fn expr_with_time_of_day(a: &Domain, b: &Domain) -> bool {
    let moved = |time: &Domain, by: &Domain| time.dtype == DataType::Date && by.class() == Duration;
    moved(a, b) || moved(b, a)
}

fn numeric(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Expression> {
    let (a, b) = (left.domain(), right.domain());
    let both_bool = a.class() == Bool && b.class() == Bool;
    let decimal = a.class() == Decimal || b.class() == Decimal;
    let (x, y) = match decimal {
        true => (beside(left, right), beside(right, left)),
        false => (as_number(left, both_bool), as_number(right, both_bool)),
    };
    let float = a.class() == Float || b.class() == Float;
    let expr = match op {
        "add" if both_bool => x.or(y),
        "mul" if both_bool => x.and(y),
        "sub" if both_bool => {
            return Err(FrameError::Type("`sub` doesn't work between truth values; use `^`".into()));
        }
        "add" => x + y,
        "sub" => x - y,
        "mul" => x * y,
        "truediv" => true_division(left, right),
        "floordiv" | "mod" if is_zero(right) => return by_zero(scope, op, left, right),
        "floordiv" if float => {
            float_division(as_number(left, false), as_number(right, false), floor_quotient, "floordiv")
        }
        "mod" if float => float_division(as_number(left, false), as_number(right, false), floor_remainder, "mod"),
        "floordiv" if !is_literal(right) => as_number(left, false).floor_div(refuse_zero(as_number(right, false))),
        "floordiv" => as_number(left, false).floor_div(as_number(right, false)),
        "mod" => as_number(left, false) % as_number(right, false),
        "pow" => power(left, right)?,
        _ => return Err(FrameError::Value(format!("`{op}` is not an arithmetic operation"))),
    };
    // An integer divided by zero has no integer for an answer: the engine gives null.
    let missing = a.missing || b.missing || (op == "mod" && !float && !is_literal(right));
    let magnitude = match op {
        "add" | "sub" => a.magnitude + b.magnitude,
        "mul" => a.magnitude * b.magnitude,
        _ => f64::INFINITY,
    };
    // A product of zero and infinity is no number.
    let magnitude = if magnitude.is_nan() { f64::INFINITY } else { magnitude };
    Ok(Expression::computed(scope, op, &[left, right], expr)?.missing(missing).nan(true).within(magnitude))
}

/// Truth values are numbers in arithmetic, except among themselves.
fn as_number(operand: &Operand, keep_bool: bool) -> Expr {
    match operand {
        Operand::Literal(Literal::Bool(value)) if !keep_bool => lit(i64::from(*value)),
        Operand::Literal(Literal::Missing) => lit(NULL).cast(DataType::Float64),
        Operand::Expression(expression) if expression.domain.class() == Bool && !keep_bool => {
            operand.expr().cast(DataType::Int64)
        }
        _ => operand.expr(),
    }
}

/// An operand of fixed-point arithmetic.
fn beside(operand: &Operand, other: &Operand) -> Expr {
    match operand {
        Operand::Literal(Literal::Int(_) | Literal::Float(_)) => operand.beside(other),
        _ => as_number(operand, false),
    }
}

fn true_division(left: &Operand, right: &Operand) -> Expr {
    let (a, b) = (left.domain(), right.domain());
    let (x, y) = (as_number(left, false), as_number(right, false));
    let narrow = |domain: &Domain| domain.dtype == DataType::Float32;
    if a.class() == Decimal || b.class() == Decimal || narrow(&a) || narrow(&b) {
        return x / y;
    }
    let widen = |domain: &Domain, expr: Expr| match domain.class() {
        Float => expr,
        _ => expr.cast(DataType::Float64),
    };
    let (x, y) = (widen(&a, x), widen(&b, y));
    // The engine divides by one value by multiplying with its reciprocal, which is off in the last bit for one number in
    // eight: `7 * (1 / 100)` is no longer `0.07`.
    match right {
        Operand::Literal(Literal::Int(value)) => divided_by(x, *value as f64),
        Operand::Literal(Literal::UInt(value)) => divided_by(x, *value as f64),
        Operand::Literal(Literal::Float(value)) => divided_by(x, *value),
        Operand::Expression(expression) if expression.extent.is_scalar() && !is_scalar(left) => {
            float_division(x, y, |x, y| x / y, "truediv")
        }
        _ => x / y,
    }
}

fn is_scalar(operand: &Operand) -> bool {
    !matches!(operand, Operand::Expression(expression) if !expression.extent.is_scalar())
}

/// The quotients of 64-bit floats and one value.
fn divided_by(x: Expr, value: f64) -> Expr {
    // Reciprocals of powers of two are exact, but for those that are too small to have one.
    let is_power_of_two = value.is_normal() && value.to_bits() << 12 == 0 && (1.0 / value).is_normal();
    if is_power_of_two {
        return x / lit(value);
    }
    let divide = move |values: Column| {
        let values = values.as_materialized_series().f64()?;
        Ok(arity::unary_elementwise_values::<_, Float64Type, _>(values, |x| x / value).into_column())
    };
    let dtype = |_: &Schema, field: &Field| Ok(Field::new(field.name().clone(), DataType::Float64));
    x.map_with_fmt_str(divide, dtype, "truediv")
}

/// The values; an error at run time if one of them is zero: integers have no infinity for the quotient.
fn refuse_zero(x: Expr) -> Expr {
    let check = |values: Column| match values.as_materialized_series().equal(0)?.any() {
        false => Ok(values),
        true => polars_bail!(
            ComputeError: "integers were divided by zero with `//`; convert them with astype(\"float64\") to get inf"
        ),
    };
    x.map_with_fmt_str(check, |_: &Schema, field: &Field| Ok(field.clone()), "refuse_zero")
}

/// `op` of floats pair by pair. The engine's own `//` rounds the quotient, which can be off by one from what Python says.
fn float_division(x: Expr, y: Expr, op: fn(f64, f64) -> f64, name: &'static str) -> Expr {
    let compute = move |pair: Column| {
        let fields = pair.struct_()?.fields_as_series();
        let (x, y) = (fields[0].cast(&DataType::Float64)?, fields[1].cast(&DataType::Float64)?);
        let (x, y) = (x.f64()?, y.f64()?);
        let found: Float64Chunked =
            arity::broadcast_binary_elementwise(x, y, |x: Option<f64>, y: Option<f64>| Some(op(x?, y?)));
        Ok(found.into_column().with_name(pair.name().clone()))
    };
    let dtype = |_: &Schema, field: &Field| Ok(Field::new(field.name().clone(), DataType::Float64));
    as_struct(vec![x.alias("x"), y.alias("y")]).map_with_fmt_str(compute, dtype, name)
}

/// `x // y` as Python computes it.
fn floor_quotient(x: f64, y: f64) -> f64 {
    let remainder = x % y;
    if y == 0.0 {
        return x / y;
    }
    let mut quotient = (x - remainder) / y;
    if remainder != 0.0 && (y < 0.0) != (remainder < 0.0) {
        quotient -= 1.0;
    }
    if quotient == 0.0 {
        return 0.0_f64.copysign(x / y);
    }
    let floor = quotient.floor();
    if quotient - floor > 0.5 { floor + 1.0 } else { floor }
}

/// `x % y` as Python computes it: with the sign of `y`.
fn floor_remainder(x: f64, y: f64) -> f64 {
    let remainder = x % y;
    match remainder {
        0.0 => 0.0_f64.copysign(y),
        remainder if (y < 0.0) != (remainder < 0.0) => remainder + y,
        remainder => remainder,
    }
}

/// `//` and `%` of integers by a zero that was written out: infinite and NaN, as floats.
fn by_zero(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Expression> {
    let quotient = as_number(left, false).cast(DataType::Float64) / lit(0.0);
    let expr = if op == "mod" { quotient.clone() - quotient } else { quotient };
    Ok(Expression::computed(scope, op, &[left, right], expr)?.nan(true))
}

fn power(left: &Operand, right: &Operand) -> Result<Expr> {
    let negative = matches!(right, Operand::Literal(Literal::Int(value)) if *value < 0);
    let integers = left.domain().class() != Float && right.domain().class() != Float;
    if negative && integers {
        return Err(FrameError::Value("integers to negative integer powers are not allowed".into()));
    }
    Ok(as_number(left, false).pow(as_number(right, false)))
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
        Operand::Literal(Literal::Text(text)) => format!("the string {text:?}"),
        Operand::Literal(literal) => format!("{literal:?}"),
    }
}

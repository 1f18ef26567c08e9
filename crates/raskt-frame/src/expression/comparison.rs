use super::arithmetic::pandas_name;
use super::dtypes::{as_number, common_number, engine_dtype, number_of, pandas_number};
use super::{Expression, Operand};
use crate::domain::{
    Domain,
    DomainClass::{self, *},
};
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use crate::tree::{self, ColumnDtype, Expr, Function, Logical, Value, when};
use polars::prelude::{DataType, Schema};
use raskt_value::{DType, Kind};

impl Expression {
    /// `left op right` for `eq ne lt le gt ge`: never missing; false where an operand is, but for `ne`.
    pub(crate) fn comparison(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Self> {
        let (left, right) = (&as_fixed_point(left, right), &as_fixed_point(right, left));
        let (a, b) = (left.domain(), right.domain());
        let unequal = op == "ne";
        if is_missing(left) || is_missing(right) || !comparable(left, right) {
            if !matches!(op, "eq" | "ne") && !is_missing(left) && !is_missing(right) {
                let (left, right) = (pandas_name(left), pandas_name(right));
                return Err(FrameError::Type(format!("`{op}` doesn't work between {left} and {right}")));
            }
            return constant(scope, op, left, right, unequal);
        }
        let (x, y) = match alike(op, left, right)? {
            Alike::Never(value) => return constant(scope, op, left, right, value),
            Alike::Pair(x, y) => (x, y),
        };
        let mut expr = compare(op, x.clone(), y.clone())?;
        // The engine takes NaN for a number that equals itself and is above all others.
        for (domain, operand) in [(&a, x), (&b, y)] {
            if domain.nan {
                expr = if unequal {
                    expr.or(operand.map(Function::IsNan))
                } else {
                    expr.and(operand.map(Function::IsNotNan))
                };
            }
        }
        let missing = a.missing || b.missing;
        let full = if missing { expr.clone().fill_null(tree::literal(unequal)) } else { expr.clone() };
        let mut found = Self::computed(scope, &[left, right], full)?.missing(false);
        if missing && !unequal {
            found.condition = Some(expr);
        }
        Ok(found)
    }

    /// `left op right` for `and or xor`, of truth values (a missing one counts as false) or of the bits of integers.
    pub(crate) fn logical(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Self> {
        let (a, b) = (left.domain().class(), right.domain().class());
        if matches!((a, b), (Int, Int)) {
            return bits(scope, op, left, right);
        }
        if matches!((a, b), (Bool, Int) | (Int, Bool)) {
            let (left, right) = (pandas_name(left), pandas_name(right));
            return Err(FrameError::NotNative(format!("`{op}` between {left} and {right} has no native form")));
        }
        if (a, b) != (Bool, Bool) {
            let (left, right) = (pandas_name(left), pandas_name(right));
            return Err(FrameError::Type(format!("`{op}` doesn't work between {left} and {right}")));
        }
        let combine = |x: Expr, y: Expr| combined(op, x, y);
        let known = |operand: &Operand| match operand.domain().missing {
            true => operand.expr().fill_null(tree::literal(false)),
            false => operand.expr(),
        };
        let mut found = Self::computed(scope, &[left, right], combine(known(left), known(right)))?.missing(false);
        let simple = |operand: &Operand| match operand {
            Operand::Expression(expression) => expression.as_condition(),
            Operand::Literal(_) => operand.expr(),
        };
        let simpler = |operand: &Operand| matches!(operand, Operand::Expression(it) if it.condition.is_some());
        if op != "xor" && (simpler(left) || simpler(right)) {
            found.condition = Some(combine(simple(left), simple(right)));
        }
        Ok(found)
    }
}

/// The bits of integers.
fn bits(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Expression> {
    let dtype = common_number(left, right)?;
    if dtype.kind() == Kind::Float {
        let (left, right) = (pandas_name(left), pandas_name(right));
        return Err(FrameError::NotNative(format!("`{op}` between {left} and {right} has no native form")));
    }
    let expr = combined(op, as_number(left, dtype)?, as_number(right, dtype)?);
    let found = Expression::computed(scope, &[left, right], expr)?.null_with(&[left, right]);
    found.check(engine_dtype(dtype))?;
    Ok(found)
}

fn combined(op: &str, x: Expr, y: Expr) -> Expr {
    match op {
        "and" => x.and(y),
        "or" => x.or(y),
        _ => x.logical(Logical::Xor, y),
    }
}

/// Two operands of one type, in which pandas would compare them.
#[expect(clippy::large_enum_variant, reason = "one at a time, for as long as a comparison is written")]
enum Alike {
    Pair(Expr, Expr),
    /// The same answer for every value: a number beyond all those of the other's type.
    Never(bool),
}

fn alike(op: &str, left: &Operand, right: &Operand) -> Result<Alike> {
    let (a, b) = (left.domain(), right.domain());
    let is_number = |domain: &Domain| matches!(domain.class(), Bool | Int | Float);
    match (left, right) {
        _ if !is_number(&a) || !is_number(&b) => {
            let one_unit = match (&a.dtype, &b.dtype) {
                (DataType::Datetime(x, zone), DataType::Datetime(y, other)) => {
                    x == y && zone.is_some() == other.is_some()
                }
                (DataType::Duration(x), DataType::Duration(y)) => x == y,
                _ => true,
            };
            if !one_unit {
                // The engine would take the coarser of two units, and lose what is finer.
                let (left, right) = (pandas_name(left), pandas_name(right));
                return Err(FrameError::NotNative(format!("`{op}` between {left} and {right} has no native form")));
            }
            let (x, y) = (left.beside(right), right.beside(left));
            match (&a.dtype, &b.dtype) {
                // Points in time are the same in every zone, but the engine compares no two zones.
                (DataType::Datetime(_, zone), DataType::Datetime(_, other)) if zone != other => {
                    Ok(Alike::Pair(x.cast(ColumnDtype::INT64), y.cast(ColumnDtype::INT64)))
                }
                _ => Ok(Alike::Pair(x, y)),
            }
        }
        (Operand::Expression(column), Operand::Literal(number)) => beside_number(op, column, number),
        (Operand::Literal(number), Operand::Expression(column)) => {
            let reflected = match op {
                "lt" => "gt",
                "le" => "ge",
                "gt" => "lt",
                "ge" => "le",
                op => op,
            };
            Ok(match beside_number(reflected, column, number)? {
                Alike::Pair(x, y) => Alike::Pair(y, x),
                never => never,
            })
        }
        _ => columns_alike(op, left, right),
    }
}

/// A column and a number that a user wrote: where the number is one of the column's type, as one of it, so that the engine
/// can compare it with the statistics of a file.
fn beside_number(op: &str, column: &Expression, number: &Literal) -> Result<Alike> {
    let own = number_of(&column.domain.dtype).expect("the column was found to be one of numbers");
    let x = column.expr.clone();
    let typed = |number: Value| tree::literal(number);
    if own.kind() == Kind::Float {
        let number = number.number(own).expect("every number is a float");
        return Ok(Alike::Pair(x, typed(number)));
    }
    if let Some(number) = number.number(own) {
        return Ok(Alike::Pair(x, typed(number)));
    }
    let whole = match number {
        Literal::Bool(value) => Some(i128::from(*value)),
        number => number.as_whole(),
    };
    match whole {
        // From 2^53 on a float stands for many integers.
        Some(whole) if whole.unsigned_abs() < 1 << 53 || !matches!(number, Literal::Float(_)) => {
            let wide = if own == DType::U64 { DType::U64 } else { DType::I64 };
            match Literal::Int(whole as i64).number(wide).filter(|_| i64::try_from(whole).is_ok()) {
                Some(number) => Ok(Alike::Pair(x.cast(ColumnDtype::Number(wide)), typed(number))),
                None => Ok(Alike::Never(match op {
                    "ne" => true,
                    "lt" | "le" => whole > 0,
                    "gt" | "ge" => whole < 0,
                    _ => false,
                })),
            }
        }
        _ => {
            let number = number.number(DType::F64).expect("every number is a float");
            Ok(Alike::Pair(x.cast(ColumnDtype::FLOAT64), typed(number)))
        }
    }
}

/// Two columns of numbers. Integers are compared as such, whatever their widths and signs.
fn columns_alike(op: &str, left: &Operand, right: &Operand) -> Result<Alike> {
    let (a, b) = (left.domain(), right.domain());
    // Whether or not one is missing: floats would make equal ones of integers that are not.
    let own = |domain: &Domain| if domain.class() == Int { number_of(&domain.dtype) } else { pandas_number(domain) };
    let (Some(x), Some(y)) = (own(&a), own(&b)) else {
        if a.dtype == b.dtype {
            return Ok(Alike::Pair(left.expr(), right.expr()));
        }
        let (left, right) = (pandas_name(left), pandas_name(right));
        return Err(FrameError::NotNative(format!("`{op}` between {left} and {right} has no native form")));
    };
    let mixed = |x: DType, y: DType| x == DType::U64 && y.kind() == Kind::Signed;
    if mixed(x, y) || mixed(y, x) {
        let (left, right) = (pandas_name(left), pandas_name(right));
        return Err(FrameError::NotNative(format!("`{op}` between {left} and {right} has no native form")));
    }
    let common = raskt_value::promote(x, y);
    Ok(Alike::Pair(as_number(left, common)?, as_number(right, common)?))
}

fn compare(op: &str, x: Expr, y: Expr) -> Result<Expr> {
    use tree::Comparison::{Equal, Greater, GreaterOrEqual, Less, LessOrEqual, NotEqual};
    let operation = match op {
        "eq" => Equal,
        "ne" => NotEqual,
        "lt" => Less,
        "le" => LessOrEqual,
        "gt" => Greater,
        "ge" => GreaterOrEqual,
        _ => return Err(FrameError::Value(format!("`{op}` is not a comparison"))),
    };
    Ok(x.compared(operation, y))
}

/// Floats that were fixed-point numbers as such, where `other` is a number with as many places: the floats are in the
/// same order, and no two of so few digits are equal.
fn as_fixed_point(operand: &Operand, other: &Operand) -> Operand {
    if let (Operand::Expression(Expression { fixed_point: Some(numbers), .. }), Operand::Literal(literal)) =
        (operand, other)
        && let DataType::Decimal(precision, _) = numbers.domain.dtype
        && precision <= f64::DIGITS as usize
        && literal.fixed_point(&numbers.domain).is_some()
    {
        return numbers.operand();
    }
    operand.clone()
}

fn is_missing(operand: &Operand) -> bool {
    matches!(operand, Operand::Literal(Literal::Missing))
}

fn comparable(left: &Operand, right: &Operand) -> bool {
    let group = |class: DomainClass| match class {
        Bool | Int | Float | Decimal => 0,
        Text | Category => 1,
        Time => 2,
        Duration => 3,
        _ => 4,
    };
    group(left.domain().class()) == group(right.domain().class())
}

/// The same answer in every row, but where a value is missing: things that can't be equal.
fn constant(scope: &Schema, op: &str, left: &Operand, right: &Operand, value: bool) -> Result<Expression> {
    let some = match left {
        Operand::Expression(expression) => expression.normal(),
        Operand::Literal(_) => match right {
            Operand::Expression(expression) => expression.normal(),
            Operand::Literal(_) => right.expr(),
        },
    };
    let expr = when(some.is_null(), tree::literal(op == "ne"), tree::literal(value));
    Ok(Expression::computed(scope, &[left, right], expr)?.missing(false))
}

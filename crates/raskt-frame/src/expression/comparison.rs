use super::arithmetic::pandas_name;
use super::{Expression, Operand};
use crate::domain::DomainClass::{self, *};
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use polars::prelude::*;

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
        let (x, y) = (left.beside(right), right.beside(left));
        let mut expr = compare(op, x.clone(), y.clone())?;
        // The engine takes NaN for a number that equals itself and is above all others.
        for (domain, operand) in [(&a, x), (&b, y)] {
            if domain.nan {
                expr = if unequal { expr.or(operand.is_nan()) } else { expr.and(operand.is_not_nan()) };
            }
        }
        let missing = a.missing || b.missing;
        let full = if missing { expr.clone().fill_null(lit(unequal)) } else { expr.clone() };
        let mut found = Self::computed(scope, op, &[left, right], full)?.missing(false);
        if missing && !unequal {
            found.condition = Some(expr);
        }
        Ok(found)
    }

    /// `left op right` for `and or xor`, of truth values (a missing one counts as false) or of the bits of integers.
    pub(crate) fn logical(scope: &Schema, op: &str, left: &Operand, right: &Operand) -> Result<Self> {
        let (a, b) = (left.domain().class(), right.domain().class());
        if !matches!((a, b), (Bool, Bool) | (Int, Int)) {
            let (left, right) = (pandas_name(left), pandas_name(right));
            return Err(FrameError::Type(format!("`{op}` doesn't work between {left} and {right}")));
        }
        let combine = |x: Expr, y: Expr| match op {
            "and" => x.and(y),
            "or" => x.or(y),
            _ => x.xor(y),
        };
        if a == Int {
            return Self::computed(scope, op, &[left, right], combine(left.expr(), right.expr()));
        }
        let known = |operand: &Operand| match operand.domain().missing {
            true => operand.expr().fill_null(lit(false)),
            false => operand.expr(),
        };
        let mut found = Self::computed(scope, op, &[left, right], combine(known(left), known(right)))?.missing(false);
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

fn compare(op: &str, x: Expr, y: Expr) -> Result<Expr> {
    Ok(match op {
        "eq" => x.eq(y),
        "ne" => x.neq(y),
        "lt" => x.lt(y),
        "le" => x.lt_eq(y),
        "gt" => x.gt(y),
        "ge" => x.gt_eq(y),
        _ => return Err(FrameError::Value(format!("`{op}` is not a comparison"))),
    })
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

/// The same answer in every row: things that can't be equal.
fn constant(scope: &Schema, op: &str, left: &Operand, right: &Operand, value: bool) -> Result<Expression> {
    let some = match left {
        Operand::Expression(_) => left.expr(),
        Operand::Literal(_) => right.expr(),
    };
    let expr = when(some.is_null()).then(lit(value)).otherwise(lit(value));
    Ok(Expression::computed(scope, op, &[left, right], expr)?.missing(false))
}

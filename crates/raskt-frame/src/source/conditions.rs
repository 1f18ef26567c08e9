//! The rows of Parquet files that filters choose, by the rules of pyarrow.

use crate::domain::{Domain, DomainClass};
use crate::error::{FrameError, Result};
use crate::expression::{Expression, Operand};
use crate::literal::Literal;
use crate::plan::{Column, ColumnOrValue, Frame};
use crate::tree::{ColumnDtype, Function};

/// A condition on a column: its name, one of `== != < <= > >= in` and `not in`, and a value (several for the last two).
#[derive(Clone, Debug)]
pub struct ParquetFilter {
    /// The column.
    pub column: String,
    /// The comparison.
    pub op: String,
    /// What it is compared with.
    pub values: Vec<Literal>,
}

/// Which rows are chosen: those for which all of one of the lists hold. `None` if there is no condition.
pub(super) fn chosen(frame: &Frame, filters: &[Vec<ParquetFilter>]) -> Result<Option<Column>> {
    let mut any: Option<Column> = None;
    for conditions in filters {
        let mut all: Option<Column> = None;
        for condition in conditions {
            let holds = holds(frame, condition)?;
            all = Some(match all {
                Some(before) => before.binary("and", &ColumnOrValue::Column(holds), false)?,
                None => holds,
            });
        }
        let Some(all) = all else { continue };
        any = Some(match any {
            Some(before) => before.binary("or", &ColumnOrValue::Column(all), false)?,
            None => all,
        });
    }
    Ok(any)
}

fn holds(frame: &Frame, condition: &ParquetFilter) -> Result<Column> {
    let column = frame.column(&condition.column)?;
    let scope = &frame.root.scope;
    let op = match condition.op.as_str() {
        "=" | "==" => "eq",
        "!=" => "ne",
        "<" => "lt",
        "<=" => "le",
        ">" => "gt",
        ">=" => "ge",
        "in" | "not in" => "in",
        op => {
            return Err(FrameError::Value(format!(
                "`{op}` is no comparison for a filter; there are `==`, `!=`, `<`, `<=`, `>`, `>=`, `in` and `not in`"
            )));
        }
    };
    let domain = &column.values.domain;
    let values: Vec<Literal> = condition.values.iter().map(|value| value.fitted(&domain.dtype)).collect();
    if let Some(odd) = values.iter().find(|value| !meets(op, value, domain)) {
        let (value, dtype) = (odd.in_words(), domain.pandas_dtype());
        return Err(FrameError::NotNative(format!("a filter of {dtype} by {value} has no native form")));
    }
    if op == "in" {
        let found = column.is_in(&values)?;
        return if condition.op == "in" { Ok(found) } else { found.unary("invert") };
    }
    let [value] = values.as_slice() else {
        return Err(FrameError::Value(format!("the comparison `{}` takes one value", condition.op)));
    };
    let with = |values| Column { values, ..column.clone() };
    let found = with(Expression::comparison(scope, op, &column.values.operand(), &Operand::Literal(value.clone()))?);
    if op != "ne" {
        return Ok(found);
    }
    // A null isn't known to be another value; NaN is.
    let known = column.values.expr.clone().map(Function::IsNotNull);
    let known = with(Expression::computed(scope, &[&column.values.operand()], known)?.missing(false));
    found.binary("and", &ColumnOrValue::Column(known), false)
}

/// Whether `value` is one of the column's, so that both compare as pyarrow compares them. pyarrow converts all else, and
/// says what it doesn't.
fn meets(op: &str, value: &Literal, domain: &Domain) -> bool {
    use DomainClass::{Bool, Decimal, Float, Int, Text, Time};
    let Some(class) = value.class() else { return false };
    let alike = match (domain.class(), class) {
        (Float | Decimal, Int | Float) => true,
        // Integers as floats are in the same order, as long as they are exact.
        (Int, Float) if op != "in" => return matches!(value, Literal::Float(it) if it.abs() < EXACT),
        (own @ (Bool | Int | Text | Time | DomainClass::Duration), class) => own == class,
        _ => false,
    };
    let own = ColumnDtype::of_engine(&domain.dtype);
    alike && own.is_ok_and(|own| value.equal_value(&own).is_some())
}

/// All integers below it are floats.
const EXACT: f64 = (1_i64 << f64::MANTISSA_DIGITS) as f64;

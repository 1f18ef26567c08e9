use super::{Expression, Operand};
use crate::domain::DomainClass::*;
use crate::error::{FrameError, Result};
use crate::literal::{Literal, series_of};
use crate::logical::is_missing;
use polars::prelude::*;
use polars_arrow::array::PrimitiveArray;

/// Which ends belong to an interval.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Inclusive {
    /// Both.
    Both,
    /// None.
    Neither,
    /// The left.
    Left,
    /// The right.
    Right,
}

impl Inclusive {
    /// By pandas' name.
    pub fn from_name(name: &str) -> Result<Self> {
        Ok(match name {
            "both" => Self::Both,
            "neither" => Self::Neither,
            "left" => Self::Left,
            "right" => Self::Right,
            _ => {
                return Err(FrameError::Value(format!(
                    "inclusive is `{name}`; it has to be `both`, `neither`, `left` or `right`"
                )));
            }
        })
    }
}

impl Expression {
    /// `op` of each value: `neg`, `invert`, `abs`, `isna`, `sqrt` and their like, by their names in NumPy and pandas.
    pub(crate) fn unary(&self, scope: &Schema, op: &str) -> Result<Self> {
        let refused = || FrameError::Type(format!("`{op}` doesn't work on a column of {}", self.domain.pandas_dtype()));
        let class = self.domain.class();
        let x = self.expr.clone();
        match op {
            "isna" | "notna" => return self.missingness(scope, op),
            "invert" if matches!(class, Bool | Int) => {
                let known = if self.domain.missing { x.fill_null(lit(false)) } else { x };
                let expr = if class == Bool { known.not() } else { lit(-1) - self.expr.clone() };
                return Ok(
                    Self::computed(scope, op, &[&self.operand()], expr)?.missing(class != Bool && self.domain.missing)
                );
            }
            "neg" if matches!(class, Int | Float | Decimal | Duration) => return self.same_nan(scope, op, -x),
            "pos" if class != Text => return Ok(self.clone()),
            "abs" if class == Bool => return Ok(self.clone()),
            "abs" if matches!(class, Int | Float | Decimal | Duration) => return self.same_nan(scope, op, x.abs()),
            "sign" if matches!(class, Int | Float) => return self.same_nan(scope, op, x.sign()),
            "floor" | "ceil" if matches!(class, Int | Float) => {
                let x = if class == Int { x.cast(DataType::Float64) } else { x };
                return self.same_nan(scope, op, if op == "floor" { x.floor() } else { x.ceil() });
            }
            _ => {}
        }
        if !matches!(class, Int | Float | Bool) {
            return Err(refused());
        }
        let x = if class == Float { x } else { x.cast(DataType::Float64) };
        let expr = match op {
            "sqrt" => x.sqrt(),
            "exp" => x.exp(),
            "expm1" => x.exp() - lit(1.0),
            "log" => x.log(lit(std::f64::consts::E)),
            "log2" => x.log(lit(2.0)),
            "log10" => x.log(lit(10.0)),
            "log1p" => x.log1p(),
            "sin" => x.sin(),
            "cos" => x.cos(),
            "tan" => x.tan(),
            "arcsin" => x.arcsin(),
            "arccos" => x.arccos(),
            "arctan" => x.arctan(),
            "sinh" => x.sinh(),
            "cosh" => x.cosh(),
            "tanh" => x.tanh(),
            _ => return Err(refused()),
        };
        Ok(Self::computed(scope, op, &[&self.operand()], expr)?.nan(true))
    }

    fn same_nan(&self, scope: &Schema, op: &str, expr: Expr) -> Result<Self> {
        Ok(Self::computed(scope, op, &[&self.operand()], expr)?.nan(self.domain.nan))
    }

    fn missingness(&self, scope: &Schema, op: &str) -> Result<Self> {
        let expr = match (self.domain.marks_missing(), op) {
            (true, "isna") => is_missing(self.expr.clone()),
            (true, _) => is_missing(self.expr.clone()).not(),
            (false, "isna") => self.normal().is_null(),
            (false, _) => self.normal().is_not_null(),
        };
        Ok(Self::computed(scope, op, &[&self.operand()], expr)?.missing(false))
    }

    /// The values converted to `dtype`; those that can't be are an error at run time.
    pub(crate) fn cast(&self, scope: &Schema, dtype: &DataType) -> Result<Self> {
        let class = self.domain.class();
        let what = format!("cast {dtype:?}");
        let x = self.expr.clone();
        let expr = match (class, dtype) {
            _ if self.domain.dtype == *dtype => return Ok(self.clone()),
            (Bool, DataType::String) => {
                when(x.clone()).then(lit("True")).when(x.is_not_null()).then(lit("False")).otherwise(lit(NULL))
            }
            (Float, DataType::String) => float_text(self.normal()),
            (Float, DataType::Boolean) => x.clone().neq(lit(0.0)).or(self.normal().is_null()).fill_null(lit(true)),
            (Int, DataType::Boolean) => x.neq(lit(0)),
            (Text, DataType::Boolean) => x.str().len_bytes().gt(lit(0)),
            (Float, dtype) if dtype.is_integer() => {
                let whole = if self.domain.can_miss() { refuse_missing(self.normal()) } else { x };
                whole.strict_cast(dtype.clone())
            }
            (Decimal, DataType::Float64) => decimal_as_float(x),
            (Text, DataType::Datetime(unit, zone)) => {
                x.str().to_datetime(Some(*unit), zone.clone(), StrptimeOptions::default(), lit("raise"))
            }
            (Text, DataType::Float32 | DataType::Float64) => x.str().strip_chars(lit(NULL)).strict_cast(dtype.clone()),
            _ => x.strict_cast(dtype.clone()),
        };
        let found = Self::computed(scope, &what, &[&self.operand()], expr)?;
        let integers = class == Float && dtype.is_integer();
        let missing = found.domain.missing && !integers;
        let mut found = found.missing(missing).nan(self.domain.nan || class == Text);
        if class == Decimal && *dtype == DataType::Float64 {
            found.fixed_point = Some(Box::new(self.clone()));
        }
        // What is halved in precision can become infinite.
        let magnitude = if *dtype == DataType::Float64 { self.domain.magnitude } else { f64::INFINITY };
        Ok(if self.domain.is_numeric() { found.within(magnitude) } else { found })
    }

    /// `value` where a value is missing.
    pub(crate) fn fill_missing(&self, scope: &Schema, value: &Operand) -> Result<Self> {
        if !self.domain.can_miss() {
            return Ok(self.clone());
        }
        self.check_value("fillna", value)?;
        let fits = matches!((self.domain.class(), value.domain().class()), (Int, Int) | (Float, Int | Float | Bool))
            || self.domain.class() == value.domain().class();
        let by = match value {
            Operand::Literal(literal) if fits && literal.class() == Some(Bool) && self.domain.class() == Float => {
                lit(if *literal == Literal::Bool(true) { 1.0 } else { 0.0 })
            }
            value => value.expr(),
        };
        let expr = self.normal().fill_null(by);
        let still = value.domain();
        Ok(Self::computed(scope, "fillna", &[&self.operand(), value], expr)?.missing(still.missing).nan(still.nan))
    }

    /// Whether each value is among `values`, missing among missing.
    pub(crate) fn is_in(&self, scope: &Schema, values: &[Literal]) -> Result<Self> {
        let missing = values.contains(&Literal::Missing);
        let class = self.domain.class();
        let alike: Vec<Literal> = values
            .iter()
            .filter(|value| match (class, value.class()) {
                (_, None) => false,
                (Int | Float | Bool | Decimal, Some(Int | Float | Bool)) => true,
                (Text | Category, Some(Text)) => true,
                (class, Some(other)) => class == other,
            })
            .cloned()
            .collect();
        let found = series_of(&alike, &self.domain.dtype)?;
        let mut expr = self.normal().is_in(lit(found).implode(true), false);
        if self.domain.can_miss() {
            expr = expr.fill_null(lit(missing));
        }
        let what = format!("isin {values:?}");
        Ok(Self::computed(scope, &what, &[&self.operand()], expr)?.missing(false))
    }

    /// Whether each value lies in an interval.
    pub(crate) fn between(&self, scope: &Schema, low: &Operand, high: &Operand, inclusive: Inclusive) -> Result<Self> {
        use Inclusive::{Both, Left, Right};
        let above = if matches!(inclusive, Both | Left) { "ge" } else { "gt" };
        let below = if matches!(inclusive, Both | Right) { "le" } else { "lt" };
        let above = Self::comparison(scope, above, &self.operand(), low)?;
        let below = Self::comparison(scope, below, &self.operand(), high)?;
        Self::logical(scope, "and", &above.operand(), &below.operand())
    }

    /// The values, but no less than `low` and no more than `high`.
    pub(crate) fn clip(&self, scope: &Schema, low: Option<&Operand>, high: Option<&Operand>) -> Result<Self> {
        let mut found = self.clone();
        for (op, bound) in [("lt", low), ("gt", high)] {
            if let Some(bound) = bound {
                let outside = Self::comparison(scope, op, &found.operand(), bound)?;
                let inside = outside.unary(scope, "invert")?;
                found = found.keep_where(scope, &inside, bound)?;
            }
        }
        Ok(found)
    }

    /// The values where `condition` is true, and `other` elsewhere.
    pub(crate) fn keep_where(&self, scope: &Schema, condition: &Expression, other: &Operand) -> Result<Self> {
        if condition.domain.class() != Bool {
            let dtype = condition.domain.pandas_dtype();
            return Err(FrameError::Type(format!("a condition has to be of truth values, and this is of {dtype}")));
        }
        let missing = matches!(other, Operand::Literal(Literal::Missing));
        if !missing {
            self.check_value("where", other)?;
        }
        let by = if missing { lit(NULL) } else { other.expr() };
        let known = if condition.domain.missing {
            condition.expr.clone().fill_null(lit(false))
        } else {
            condition.expr.clone()
        };
        let expr = when(known).then(self.expr.clone()).otherwise(by);
        let operands = [&self.operand(), &condition.operand(), other];
        let domain = other.domain();
        let found = Self::computed(scope, "where", &operands, expr)?;
        Ok(found.missing(self.domain.missing || domain.missing).nan(self.domain.nan || domain.nan))
    }

    /// The values rounded to `decimals` places, halves to even.
    pub(crate) fn round(&self, scope: &Schema, decimals: i32) -> Result<Self> {
        let x = self.expr.clone();
        let expr = match (self.domain.class(), u32::try_from(decimals)) {
            (Int | Bool, Ok(_)) => return Ok(self.clone()),
            (Float | Decimal, Ok(decimals)) => x.round(decimals, RoundMode::HalfToEven),
            (Int | Float, Err(_)) => {
                let unit = 10_f64.powi(-decimals);
                let rounded = (x / lit(unit)).round(0, RoundMode::HalfToEven) * lit(unit);
                rounded.cast(self.domain.dtype.clone())
            }
            _ => {
                let dtype = self.domain.pandas_dtype();
                return Err(FrameError::Type(format!("`round` doesn't work on a column of {dtype}")));
            }
        };
        self.same_nan(scope, &format!("round {decimals}"), expr)
    }

    /// The values with `old[i]` replaced by `new[i]`; all others as they are, or missing if not `keep_others`.
    pub(crate) fn replace(&self, scope: &Schema, old: &[Literal], new: &[Literal], keep_others: bool) -> Result<Self> {
        if old.len() != new.len() {
            let (old, new) = (old.len(), new.len());
            return Err(FrameError::Value(format!("{old} values can't be replaced by {new}")));
        }
        let mut chain: Option<Expr> = if keep_others { Some(self.expr.clone()) } else { None };
        let mut nan = keep_others && self.domain.nan;
        for (old, new) in old.iter().zip(new).rev() {
            let equal = match old {
                Literal::Missing => self.missingness(scope, "isna")?,
                old => Self::comparison(scope, "eq", &self.operand(), &Operand::Literal(old.clone()))?,
            };
            let new = if *new == Literal::Missing { lit(NULL) } else { new.weak() };
            chain = Some(when(equal.expr).then(new).otherwise(chain.unwrap_or_else(|| lit(NULL))));
        }
        nan &= !old.contains(&Literal::Missing);
        let what = format!("replace {old:?} {new:?} {keep_others}");
        let expr = chain.unwrap_or_else(|| lit(NULL).cast(DataType::Float64));
        let missing = !keep_others || new.contains(&Literal::Missing) || self.domain.missing;
        Ok(Self::computed(scope, &what, &[&self.operand()], expr)?.missing(missing).nan(nan))
    }

    /// An error if `value` can't stand beside these values.
    fn check_value(&self, what: &str, value: &Operand) -> Result<()> {
        let fits = match (self.domain.class(), value.domain().class()) {
            (Int | Float | Bool | Decimal, Int | Float | Bool | Decimal) => true,
            (Text | Category, Text | Category) => true,
            (a, b) => a == b,
        };
        if fits || matches!(value, Operand::Literal(Literal::Missing)) {
            return Ok(());
        }
        let (own, other) = (self.domain.pandas_dtype(), super::arithmetic::pandas_name(value));
        Err(FrameError::Type(format!("`{what}`: {other} doesn't fit a column of {own}")))
    }
}

/// The values; an error at run time if one of them is missing.
fn refuse_missing(x: Expr) -> Expr {
    let check = |values: Column| match values.null_count() {
        0 => Ok(values),
        count => {
            polars_bail!(ComputeError: "{count} missing values can't be converted to integers; use fillna or dropna")
        }
    };
    x.map_with_fmt_str(check, |_: &Schema, field: &Field| Ok(field.clone()), "refuse_missing")
}

/// Fixed-point numbers as the nearest floats. Nearly all of them fit 64 bits, and are converted as such: the engine's own
/// way through 128 bits takes several times as long.
fn decimal_as_float(x: Expr) -> Expr {
    let convert = |values: Column| {
        let values = values.as_materialized_series().decimal()?;
        let scale = 10f64.powi(values.scale() as i32);
        let name = values.name().clone();
        let chunks = values.physical().downcast_iter().map(|chunk| {
            PrimitiveArray::from_vec(scaled(chunk.values(), scale)).with_validity(chunk.validity().cloned())
        });
        Ok(Float64Chunked::from_chunk_iter(name, chunks).into_column())
    };
    let dtype = |_: &Schema, field: &Field| Ok(Field::new(field.name().clone(), DataType::Float64));
    x.map_with_fmt_str(convert, dtype, "as_float")
}

/// Whole numbers divided by `scale`. A block at a time, so that one test says of many that they fit 64 bits.
fn scaled(whole: &[i128], scale: f64) -> Vec<f64> {
    let mut found = Vec::with_capacity(whole.len());
    for block in whole.chunks(1024) {
        if block.iter().all(|value| i128::from(*value as i64) == *value) {
            found.extend(block.iter().map(|value| *value as i64 as f64 / scale));
        } else {
            found.extend(block.iter().map(|value| *value as f64 / scale));
        }
    }
    found
}

/// Floats as pandas writes them: `1.0`, `nan` is missing.
fn float_text(x: Expr) -> Expr {
    x.cast(DataType::String)
}

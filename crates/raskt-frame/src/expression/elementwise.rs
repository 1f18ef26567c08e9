use super::dtypes::number_of;
use super::{Expression, Operand, functions};
use crate::domain::{
    Domain,
    DomainClass::{self, *},
};
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
        if matches!(op, "isna" | "notna") {
            return self.missingness(scope, op);
        }
        let own = self.settled();
        let refused = || FrameError::Type(format!("`{op}` doesn't work on a column of {}", self.domain.pandas_dtype()));
        let not_native = || {
            let dtype = self.domain.pandas_dtype();
            FrameError::NotNative(format!("`{op}` of a column of {dtype} has no native form"))
        };
        let class = own.domain.class();
        let x = own.expr.clone();
        match op {
            "invert" if class == Bool => {
                let known = if own.domain.missing { x.fill_null(lit(false)) } else { x };
                return Ok(Self::computed(scope, op, &[&own.operand()], known.not())?.missing(false));
            }
            "invert" if class == Int => {
                // All bits differ from those of the number whose bits are all set.
                let ones = if own.domain.dtype.is_signed_integer() {
                    lit(-1)
                } else {
                    lit(0).cast(own.domain.dtype.clone()).not()
                };
                let ones = ones.cast(own.domain.dtype.clone());
                return own.same_type(scope, op, ones - x);
            }
            "neg" if own.domain.dtype.is_unsigned_integer() || class == Bool => return Err(not_native()),
            "neg" if matches!(class, Int | Float | Decimal | Duration) => return own.same_type(scope, op, -x),
            "pos" if class != Text => return Ok(own),
            "abs" if class == Bool => return Ok(own),
            "abs" if matches!(class, Int | Float | Decimal | Duration) => return own.same_type(scope, op, x.abs()),
            "sign" if matches!(class, Int | Float) => return own.same_type(scope, op, x.sign()),
            "floor" | "ceil" if class == Int => return Ok(own),
            "floor" | "ceil" if class == Float => {
                return own.same_type(scope, op, if op == "floor" { x.floor() } else { x.ceil() });
            }
            _ => {}
        }
        if !matches!(class, Int | Float | Bool) {
            return Err(refused());
        }
        let dtype = match own.domain.dtype {
            DataType::Float32 => DataType::Float32,
            DataType::Float64 | DataType::Int32 | DataType::UInt32 | DataType::Int64 | DataType::UInt64 => {
                DataType::Float64
            }
            // NumPy computes these of narrow integers in narrow floats.
            _ => return Err(not_native()),
        };
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
        let found = Self::computed(scope, op, &[&own.operand()], expr)?.nan(true);
        found.check(dtype)?;
        Ok(found)
    }

    /// An operation that gives values of the type that it takes.
    fn same_type(&self, scope: &Schema, op: &str, expr: Expr) -> Result<Self> {
        let found = Self::computed(scope, op, &[&self.operand()], expr)?.nan(self.domain.nan);
        found.check(self.domain.dtype.clone())?;
        Ok(found)
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
        if self.domain.dtype == *dtype {
            return Ok(self.clone());
        }
        let own = self.settled();
        if own.domain.dtype == *dtype {
            return Ok(own);
        }
        let class = own.domain.class();
        let what = format!("cast {dtype:?}");
        let x = own.expr.clone();
        let expr = match (class, dtype) {
            (Bool, DataType::String) if !own.domain.missing => when(x).then(lit("True")).otherwise(lit("False")),
            (Bool, _) if own.domain.missing => return Err(own.cast_not_native(dtype)),
            (Float, DataType::String) if own.domain.dtype == DataType::Float64 => functions::float_text(own.normal()),
            (Float | Decimal | Time | Duration | Other, DataType::String) => return Err(own.cast_not_native(dtype)),
            (Float, DataType::Boolean) => x.clone().neq(lit(0.0)).or(own.normal().is_null()).fill_null(lit(true)),
            (Int, DataType::Boolean) => x.neq(lit(0)),
            (Text, DataType::Boolean) => x.str().len_bytes().gt(lit(0)),
            (Float, dtype) if dtype.is_integer() => {
                let whole = if own.domain.can_miss() { refuse_missing(own.normal()) } else { x };
                whole.strict_cast(dtype.clone())
            }
            // What doesn't fit wraps.
            (Int, dtype) if dtype.is_integer() => {
                x.cast_with_options(dtype.clone(), polars::chunked_array::cast::CastOptions::Overflowing)
            }
            (Decimal, DataType::Float64) => decimal_as_float(x),
            (Text, DataType::Datetime(unit, zone)) => {
                x.str().to_datetime(Some(*unit), zone.clone(), StrptimeOptions::default(), lit("raise"))
            }
            (Text, DataType::Float32 | DataType::Float64) => x.str().strip_chars(lit(NULL)).strict_cast(dtype.clone()),
            _ => x.strict_cast(dtype.clone()),
        };
        let found = Self::computed(scope, &what, &[&own.operand()], expr)?;
        let integers = class == Float && dtype.is_integer();
        let missing = found.domain.missing && !integers;
        let mut found = found.missing(missing).nan(own.domain.nan || class == Text);
        if class == Decimal && *dtype == DataType::Float64 {
            found.fixed_point = Some(Box::new(own.clone()));
        }
        // What is halved in precision can become infinite.
        let magnitude = if *dtype == DataType::Float64 { own.domain.magnitude } else { f64::INFINITY };
        Ok(if own.domain.is_numeric() { found.within(magnitude) } else { found })
    }

    fn cast_not_native(&self, dtype: &DataType) -> FrameError {
        let (from, to) = (self.domain.pandas_dtype(), Domain::full(dtype.clone()).pandas_dtype());
        FrameError::NotNative(format!("the conversion of {from} to {to} has no native form"))
    }

    /// `value` where a value is missing.
    pub(crate) fn fill_missing(&self, scope: &Schema, value: &Operand) -> Result<Self> {
        if !self.domain.can_miss() {
            return Ok(self.clone());
        }
        let own = self.settled();
        if own.domain.class() == Bool {
            return Err(FrameError::NotNative("truth values some of which are missing are objects in pandas".into()));
        }
        if matches!(value, Operand::Literal(Literal::Missing)) {
            return Ok(own);
        }
        let expr = own.normal().fill_null(own.fitting("fillna", value)?);
        let still = value.domain();
        let found = Self::computed(scope, "fillna", &[&own.operand(), value], expr)?;
        found.check(own.domain.dtype.clone())?;
        Ok(found.missing(still.missing).nan(still.nan))
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
        if self.domain.class() == Bool {
            return Err(FrameError::NotNative("`clip` of truth values has no native form".into()));
        }
        // A bound that is missing is none; bounds that were written in the wrong order are taken in the right one.
        let is_bound = |bound: &&Operand| !matches!(bound, Operand::Literal(Literal::Missing));
        let (mut low, mut high) = (low.filter(is_bound), high.filter(is_bound));
        if let (Some(Operand::Literal(least)), Some(Operand::Literal(most))) = (low, high)
            && least.is_above(most)
        {
            (low, high) = (high, low);
        }
        let mut found = self.settled();
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
        let own = self.settled();
        let by = match other {
            Operand::Literal(Literal::Missing) => lit(NULL),
            other => own.fitting("where", other)?,
        };
        let known = if condition.domain.missing {
            condition.expr.clone().fill_null(lit(false))
        } else {
            condition.expr.clone()
        };
        let expr = when(known).then(own.expr.clone()).otherwise(by);
        let operands = [&own.operand(), &condition.operand(), other];
        let domain = other.domain();
        let found = Self::computed(scope, "where", &operands, expr)?;
        found.check(own.domain.dtype.clone())?;
        Ok(found.missing(own.domain.missing || domain.missing).nan(own.domain.nan || domain.nan))
    }

    /// `value` as one of these values, where pandas keeps their type for it.
    pub(super) fn fitting(&self, what: &str, value: &Operand) -> Result<Expr> {
        let own = &self.domain;
        let not_native = || {
            let (value, dtype) = (super::arithmetic::pandas_name(value), own.pandas_dtype());
            FrameError::NotNative(format!("`{what}`: {value} beside a column of {dtype} has no native form"))
        };
        let literal = match value {
            Operand::Expression(other) => {
                let other = other.settled();
                return match (&own.dtype, other.domain.class()) {
                    (dtype, _) if *dtype == other.domain.dtype && own.class() != Other => Ok(other.expr),
                    (DataType::Float64, Int) => Ok(other.expr.cast(DataType::Float64)),
                    _ => Err(not_native()),
                };
            }
            Operand::Literal(literal) => literal,
        };
        let typed = |number| Expr::Literal(LiteralValue::Scalar(number));
        match (own.class(), literal) {
            (Bool, Literal::Bool(value)) => Ok(lit(*value)),
            (Int, Literal::Int(_) | Literal::UInt(_) | Literal::Float(_)) => {
                let dtype = number_of(&own.dtype).ok_or_else(not_native)?;
                let whole = literal.as_whole().and_then(|whole| i64::try_from(whole).ok()).map(Literal::Int);
                let whole = whole.unwrap_or_else(|| literal.clone());
                whole.number(dtype).map(typed).ok_or_else(not_native)
            }
            (Float, Literal::Int(_) | Literal::UInt(_) | Literal::Float(_)) => {
                let dtype = number_of(&own.dtype).ok_or_else(not_native)?;
                literal.number(dtype).map(typed).ok_or_else(not_native)
            }
            (Decimal, Literal::Int(_) | Literal::Float(_)) => {
                literal.fixed_point(own).map(typed).ok_or_else(not_native)
            }
            (Text, Literal::Text(_)) => Ok(literal.typed()),
            (Time | Duration, literal) if literal.domain().dtype == own.dtype => Ok(literal.typed()),
            _ => Err(not_native()),
        }
    }

    /// The values rounded to `decimals` places, halves to even.
    pub(crate) fn round(&self, scope: &Schema, decimals: i32) -> Result<Self> {
        let own = self.settled();
        let x = own.expr.clone();
        let expr = match (own.domain.class(), u32::try_from(decimals)) {
            (Int | Bool, Ok(_)) => return Ok(own),
            (Float | Decimal, Ok(decimals)) => x.round(decimals, RoundMode::HalfToEven),
            (Float, Err(_)) if own.domain.dtype == DataType::Float64 => {
                let unit = 10_f64.powi(-decimals);
                (x / lit(unit)).round(0, RoundMode::HalfToEven) * lit(unit)
            }
            (Int | Float | Bool, Err(_)) => {
                return Err(FrameError::NotNative(
                    "rounding left of the point has no native form for this type".into(),
                ));
            }
            _ => {
                let dtype = self.domain.pandas_dtype();
                return Err(FrameError::Type(format!("`round` doesn't work on a column of {dtype}")));
            }
        };
        own.same_type(scope, &format!("round {decimals}"), expr)
    }

    /// The values with `old[i]` replaced by `new[i]`; all others as they are, or missing if not `keep_others`.
    pub(crate) fn replace(&self, scope: &Schema, old: &[Literal], new: &[Literal], keep_others: bool) -> Result<Self> {
        if old.len() != new.len() {
            let (old, new) = (old.len(), new.len());
            return Err(FrameError::Value(format!("{old} values can't be replaced by {new}")));
        }
        let own = self.settled();
        let pairs: Vec<(&Literal, &Literal)> = old.iter().zip(new).filter(|(old, _)| own.could_equal(old)).collect();
        let values = if keep_others { own.replacements(&pairs)? } else { mapped_values(new, &pairs)? };
        let mut chain = if keep_others { own.expr.clone() } else { lit(NULL) };
        for ((old, _), value) in pairs.iter().zip(values).rev() {
            let equal = match old {
                Literal::Missing => own.missingness(scope, "isna")?,
                old => Self::comparison(scope, "eq", &own.operand(), &Operand::Literal((*old).clone()))?,
            };
            chain = when(equal.expr).then(value).otherwise(chain);
        }
        if !keep_others && pairs.is_empty() {
            chain = lit(NULL).cast(DataType::Float64);
        }
        let nan = keep_others && own.domain.nan && !old.contains(&Literal::Missing);
        let what = format!("replace {old:?} {new:?} {keep_others}");
        let missing = !keep_others || new.contains(&Literal::Missing) || own.domain.missing;
        let found = Self::computed(scope, &what, &[&own.operand()], chain)?;
        if keep_others {
            found.check(own.domain.dtype.clone())?;
        }
        Ok(found.missing(missing).nan(nan))
    }

    /// Whether pandas would find `value` among such values: truth values are no numbers there.
    fn could_equal(&self, value: &Literal) -> bool {
        match (self.domain.class(), value.class()) {
            (_, None) | (Int | Float | Decimal, Some(Int | Float)) | (Text | Category, Some(Text)) => true,
            (class, Some(other)) => class == other,
        }
    }

    /// What replaces values: it has to keep their type.
    fn replacements(&self, pairs: &[(&Literal, &Literal)]) -> Result<Vec<Expr>> {
        let each = |(_, new): &(&Literal, &Literal)| match new {
            // Whether a missing one comes in, and changes the type, only the values can say.
            Literal::Missing if matches!(self.domain.class(), Int | Bool) => {
                Err(FrameError::NotNative("`replace` by a missing value has no native form for this type".into()))
            }
            Literal::Missing => Ok(lit(NULL)),
            new => self.fitting("replace", &Operand::Literal((*new).clone())),
        };
        pairs.iter().map(each).collect()
    }
}

/// What values are mapped to: values of one type.
fn mapped_values(all: &[Literal], pairs: &[(&Literal, &Literal)]) -> Result<Vec<Expr>> {
    let mut classes: Vec<DomainClass> = all.iter().filter_map(Literal::class).collect();
    classes.dedup();
    let numbers = classes.iter().all(|class| matches!(class, Int | Float));
    let unsigned = all.iter().any(|value| matches!(value, Literal::UInt(_)));
    let dtypes: Vec<DataType> = all.iter().filter(|it| **it != Literal::Missing).map(|it| it.domain().dtype).collect();
    let one_type = dtypes.windows(2).all(|pair| pair[0] == pair[1]);
    if unsigned || !(numbers || one_type) {
        return Err(FrameError::NotNative("`map` to values of several types has no native form".into()));
    }
    let float = classes.contains(&Float) || all.contains(&Literal::Missing);
    let each = |(_, new): &(&Literal, &Literal)| match new {
        Literal::Missing => lit(NULL),
        Literal::Int(value) if float => lit(*value as f64),
        new => new.typed(),
    };
    Ok(pairs.iter().map(each).collect())
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

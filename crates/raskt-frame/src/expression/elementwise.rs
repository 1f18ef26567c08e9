use super::dtypes::number_of;
use super::{Expression, Extent, Operand};
use crate::domain::{Domain, DomainClass::*};
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use crate::tree::{
    Aggregate, ColumnDtype, Conversion, Expr, Function, TextFunction, TimeUnit, Value, literal, missing, when,
};
use polars::prelude::{DataType, Schema, TimeUnit as EngineUnit};
use raskt_value::DType;

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
        let whole = matches!(op, "neg" | "pos" | "abs" | "sign" | "floor" | "ceil" | "invert");
        let own = if whole { self.settled() } else { self.rounded() };
        let refused = || FrameError::Type(format!("`{op}` doesn't work on a column of {}", self.domain.pandas_dtype()));
        let not_native = || {
            let dtype = self.domain.pandas_dtype();
            FrameError::NotNative(format!("`{op}` of a column of {dtype} has no native form"))
        };
        let class = own.domain.class();
        // Truth values some of which are missing are objects in pandas.
        if own.domain.may_be_objects() {
            return Err(not_native());
        }
        let x = own.expr.clone();
        match op {
            "invert" if class == Bool => {
                return Ok(Self::computed(scope, &[&own.operand()], x.negated())?.missing(false));
            }
            "invert" if class == Int => {
                // All bits differ from those of the number whose bits are all set.
                let dtype = number_of(&own.domain.dtype).ok_or_else(not_native)?;
                let ones = match own.domain.dtype.is_signed_integer() {
                    true => -1,
                    false => (1 << (8 * dtype.size() as i128)) - 1,
                };
                let ones = Value::Integer { value: ones, dtype: ColumnDtype::Number(dtype) };
                return own.same_type(scope, literal(ones) - x);
            }
            "neg" if own.domain.dtype.is_unsigned_integer() || class == Bool => return Err(not_native()),
            "neg" if matches!(class, Int | Float | Decimal | Duration) => {
                return own.same_type(scope, x.map(Function::Negative));
            }
            "pos" if class != Text => return Ok(own),
            "abs" if class == Bool => return Ok(own),
            "abs" if matches!(class, Int | Float | Decimal | Duration) => {
                return own.same_type(scope, x.map(Function::Absolute));
            }
            "sign" if matches!(class, Int | Float) => return own.same_type(scope, x.map(Function::Sign)),
            "floor" | "ceil" if class == Int => return Ok(own),
            "floor" | "ceil" if class == Float => {
                return own.same_type(scope, x.map(if op == "floor" { Function::Floor } else { Function::Ceiling }));
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
        let x = if class == Float { x } else { x.cast(ColumnDtype::FLOAT64) };
        let function = match op {
            "sqrt" => Function::SquareRoot,
            "exp" => Function::Exponential,
            // `exp(x) - 1` would lose all digits near zero, and the engine has nothing else.
            "expm1" => return Err(not_native()),
            "log" => Function::Logarithm,
            "log2" => Function::Logarithm2,
            "log10" => Function::Logarithm10,
            "log1p" => Function::Logarithm1p,
            "sin" => Function::Sine,
            "cos" => Function::Cosine,
            "tan" => Function::Tangent,
            "arcsin" => Function::Arcsine,
            "arccos" => Function::Arccosine,
            "arctan" => Function::Arctangent,
            "sinh" => Function::HyperbolicSine,
            "cosh" => Function::HyperbolicCosine,
            "tanh" => Function::HyperbolicTangent,
            _ => return Err(refused()),
        };
        let expr = x.map(function);
        let found = Self::computed(scope, &[&own.operand()], expr)?.nan(true);
        found.check(dtype)?;
        Ok(found)
    }

    /// An operation that gives values of the type that it takes.
    fn same_type(&self, scope: &Schema, expr: Expr) -> Result<Self> {
        let own = [&self.operand()];
        let found = Self::computed(scope, &own, expr)?.nan(self.domain.nan);
        found.check(self.domain.dtype.clone())?;
        Ok(if self.domain.class() == Int { found.null_with(&own) } else { found })
    }

    fn missingness(&self, scope: &Schema, op: &str) -> Result<Self> {
        let function = match (self.domain.marks_missing(), op) {
            (true, _) => Function::IsMarkedMissing,
            (false, "isna") => Function::IsNull,
            (false, _) => Function::IsNotNull,
        };
        let expr = self.normal().map(function);
        let expr = if function == Function::IsMarkedMissing && op != "isna" { expr.negated() } else { expr };
        Ok(Self::computed(scope, &[&self.operand()], expr)?.missing(false))
    }

    /// Integers as texts, of floats if one of them is missing: what they are when they are computed.
    fn rounded_texts(&self, scope: &Schema) -> Result<Self> {
        let integers = Self { domain: self.domain.clone().full_of_values(), ..self.clone() };
        let (whole, rounded) =
            (integers.cast(scope, &DataType::String)?, self.rounded().cast(scope, &DataType::String)?);
        let full = self.expr.clone().aggregate(Aggregate::NullCount).equals(literal(0_i64));
        let expr = when(full, whole.expr, rounded.expr);
        let extent = if self.extent.is_scalar() { self.extent } else { Extent::Window };
        Ok(Self { expr, ..rounded }.extent(extent))
    }

    /// The values converted to `dtype`; those that can't be are an error at run time.
    pub(crate) fn cast(&self, scope: &Schema, dtype: &DataType) -> Result<Self> {
        if self.domain.dtype == *dtype {
            let mut found = self.clone();
            found.domain.was_missing &= found.domain.missing;
            return Ok(found);
        }
        if *dtype == DataType::String && self.domain.is_rounded() {
            return self.rounded_texts(scope);
        }
        let own = if dtype.is_float() || dtype.is_bool() { self.rounded() } else { self.settled() };
        if own.domain.dtype == *dtype {
            return Ok(own);
        }
        let class = own.domain.class();
        let x = own.expr.clone();
        let wanted = ColumnDtype::of_engine(dtype)?;
        let can_miss = own.domain.can_miss();
        let there = |x: Expr| if can_miss { own.normal().map(Function::RefuseMissing) } else { x };
        let expr = match (class, dtype) {
            (Bool, DataType::String) if !own.domain.missing => when(x, literal("True"), literal("False")),
            (Bool, _) if own.domain.missing => return Err(own.cast_not_native(dtype)),
            (Float, DataType::String) if own.domain.dtype == DataType::Float64 => {
                own.normal().map(Function::FloatAsText)
            }
            (Float | Decimal | Time | Duration | Other, DataType::String) => return Err(own.cast_not_native(dtype)),
            // pandas refuses some of these, and has a way of its own to round times.
            (Time | Duration, dtype) if !is_finer(&own.domain.dtype, dtype) => return Err(own.cast_not_native(dtype)),
            (Bool | Int | Float | Decimal, dtype) if dtype.is_temporal() => return Err(own.cast_not_native(dtype)),
            (Float, DataType::Boolean) => {
                let zero = number_of(&own.domain.dtype).and_then(|dtype| Literal::Int(0).number(dtype));
                let nonzero = x.differs(literal(zero.expect("floats have a zero")));
                nonzero.or(own.normal().is_null()).fill_null(literal(true))
            }
            (Int, DataType::Boolean) => {
                let zero = number_of(&own.domain.dtype).and_then(|dtype| Literal::Int(0).number(dtype));
                let nonzero = x.differs(literal(zero.expect("integers have a zero")));
                if can_miss { nonzero.fill_null(literal(true)) } else { nonzero }
            }
            // A missing one is NaN, and so true.
            (Text, DataType::Boolean) => x.text(TextFunction::NotEmpty).fill_null(literal(true)),
            (Float, dtype) if dtype.is_integer() => {
                let number = number_of(dtype).ok_or_else(|| own.cast_not_native(dtype))?;
                there(x).map(Function::Truncate(number))
            }
            (Text, dtype) if let Some(number) = number_of(dtype) => {
                let text = if dtype.is_integer() { there(x) } else { x };
                text.text(TextFunction::ParseNumber(number))
            }
            (Time | Duration, DataType::Datetime(unit, _) | DataType::Duration(unit)) => {
                // Dates are as good as microseconds.
                let from_date = ColumnDtype::Datetime(TimeUnit::Microseconds, None);
                let x = if own.domain.dtype == DataType::Date { x.strict_cast(from_date) } else { x };
                let same = matches!((&own.domain.dtype, unit), (DataType::Date, EngineUnit::Microseconds));
                if same { x } else { x.map(Function::FinerTime((*unit).into())) }
            }
            // What doesn't fit wraps.
            (Int, dtype) if dtype.is_integer() => x.converted(wanted, Conversion::Wrapping),
            (Decimal, DataType::Float64) => x.map(Function::DecimalAsFloat),
            // pandas reads times in more ways than one, and goes by the text which of them it is.
            (Text, DataType::Datetime(..)) => return Err(own.cast_not_native(dtype)),
            _ => x.strict_cast(wanted),
        };
        let found = Self::computed(scope, &[&own.operand()], expr)?;
        let all_there = matches!((class, dtype), (Float | Text, _) | (Int, DataType::Boolean))
            && (dtype.is_integer() || dtype.is_bool());
        let missing = found.domain.missing && !all_there;
        let mut found = found.missing(missing).nan(own.domain.nan || class == Text);
        if class == Int && dtype.is_integer() {
            found = found.null_with(&[&own.operand()]);
        }
        if class == Decimal && *dtype == DataType::Float64 {
            found.fixed_point = Some(Box::new(own.clone()));
        }
        // What is halved in precision can become infinite.
        let magnitude = if *dtype == DataType::Float64 { own.domain.magnitude } else { f64::INFINITY };
        Ok(if own.domain.is_numeric() { found.within(magnitude) } else { found })
    }

    /// The same for integers of which none may be missing: one that is is an error at run time.
    pub(crate) fn all_there(&self, scope: &Schema) -> Result<Self> {
        if self.domain.class() != Int || !self.domain.missing {
            return Ok(self.clone());
        }
        let there = self.expr.clone().map(Function::RefuseMissing);
        Ok(Self::computed(scope, &[&self.operand()], there)?.missing(false))
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
        let value = &self.exactly(value);
        let own = self.settled();
        if own.domain.class() == Bool {
            return Err(FrameError::NotNative("truth values some of which are missing are objects in pandas".into()));
        }
        if matches!(value, Operand::Literal(Literal::Missing)) {
            return Ok(own);
        }
        let expr = own.normal().fill_null(own.fitting("fillna", value)?);
        let still = value.domain();
        let found = Self::computed(scope, &[&own.operand(), value], expr)?;
        found.check(own.domain.dtype.clone())?;
        Ok(found.missing(still.missing).nan(still.nan))
    }

    /// Whether each value is among `values`, missing among missing.
    pub(crate) fn is_in(&self, scope: &Schema, values: &[Literal]) -> Result<Self> {
        let among = values.contains(&Literal::Missing);
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
        let is_float = |value: &Literal| matches!(value, Literal::Float(_));
        if alike.iter().any(is_float) && alike.iter().any(|value| !value.is_float_exactly()) {
            return Err(FrameError::NotNative("integers that are no floats, among floats, have no native form".into()));
        }
        let dtype = self.dtype()?;
        let values: Vec<Value> = alike.iter().filter_map(|value| value.equal_value(&dtype)).collect();
        let mut expr = Expr::IsIn { input: self.normal().into(), values, dtype };
        if self.domain.can_miss() {
            expr = expr.fill_null(literal(among));
        }
        Ok(Self::computed(scope, &[&self.operand()], expr)?.missing(false))
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
        let (low, high) = (low.map(|bound| self.exactly(bound)), high.map(|bound| self.exactly(bound)));
        let (low, high) = (low.as_ref(), high.as_ref());
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
        let other = &self.exactly(other);
        let own = self.settled();
        let by = match other {
            Operand::Literal(Literal::Missing) => missing(own.dtype()?),
            other => own.fitting("where", other)?,
        };
        let known = if condition.domain.missing {
            condition.expr.clone().fill_null(literal(false))
        } else {
            condition.expr.clone()
        };
        let expr = when(known, own.expr.clone(), by);
        let operands = [&own.operand(), &condition.operand(), other];
        let domain = other.domain();
        let found = Self::computed(scope, &operands, expr)?;
        found.check(own.domain.dtype.clone())?;
        let mut found = found.missing(own.domain.missing || domain.missing).nan(own.domain.nan || domain.nan);
        found.domain.was_missing = own.domain.may_be_objects() || domain.may_be_objects();
        Ok(found)
    }

    /// What meets these values, if they are integers that are floats because one may be missing: an integer as a float that
    /// is the same, refused at run time if there is none.
    fn exactly(&self, value: &Operand) -> Operand {
        let wide = matches!(value.domain().dtype, DataType::Int64 | DataType::UInt64);
        if !self.domain.is_rounded() || !wide {
            return value.clone();
        }
        let mut found = match value {
            Operand::Expression(expression) => expression.clone(),
            Operand::Literal(value) => Self::literal(value),
        };
        found.expr = found.expr.map(Function::RefuseRounded).cast(ColumnDtype::FLOAT64);
        found.domain = Domain::new(DataType::Float64, found.domain.missing, false);
        Operand::Expression(found)
    }

    /// `value` as one of these values, where pandas keeps their type for it.
    pub(super) fn fitting(&self, what: &str, value: &Operand) -> Result<Expr> {
        let own = &self.domain;
        let not_native = || {
            let (value, dtype) = (super::arithmetic::pandas_name(value), own.pandas_dtype());
            FrameError::NotNative(format!("`{what}`: {value} beside a column of {dtype} has no native form"))
        };
        let given = match value {
            Operand::Expression(other) => {
                let other = other.settled();
                return match (&own.dtype, other.domain.class()) {
                    (dtype, _) if *dtype == other.domain.dtype && own.class() != Other => Ok(other.expr),
                    (DataType::Float64, Int) => Ok(other.expr.cast(ColumnDtype::FLOAT64)),
                    _ => Err(not_native()),
                };
            }
            Operand::Literal(given) => given,
        };
        match (own.class(), given) {
            (Bool, Literal::Bool(value)) => Ok(literal(*value)),
            (Int, Literal::Int(_) | Literal::UInt(_) | Literal::Float(_)) => {
                let dtype = number_of(&own.dtype).ok_or_else(not_native)?;
                let whole = given.as_whole().and_then(|whole| i64::try_from(whole).ok()).map(Literal::Int);
                let whole = whole.unwrap_or_else(|| given.clone());
                whole.number(dtype).map(literal).ok_or_else(not_native)
            }
            (Float, Literal::Int(_) | Literal::UInt(_) | Literal::Float(_)) => {
                let dtype = number_of(&own.dtype).ok_or_else(not_native)?;
                given.number(dtype).map(literal).ok_or_else(not_native)
            }
            (Decimal, Literal::Int(_) | Literal::Float(_)) => {
                given.fixed_point(own).map(literal).ok_or_else(not_native)
            }
            (Text, Literal::Text(_)) => Ok(literal(given.value())),
            (Time | Duration, given) if given.domain().dtype == own.dtype => Ok(literal(given.value())),
            _ => Err(not_native()),
        }
    }

    /// The values rounded to `decimals` places, halves to even.
    pub(crate) fn round(&self, scope: &Schema, decimals: i32) -> Result<Self> {
        let own = self.settled();
        let x = own.expr.clone();
        let expr = match (own.domain.class(), u32::try_from(decimals)) {
            (Bool, _) if own.domain.may_be_objects() => {
                return Err(FrameError::NotNative("truth values that may be missing are objects".into()));
            }
            (Int | Bool, Ok(_)) => return Ok(own),
            (Decimal, Ok(decimals)) => x.map(Function::Round(decimals)),
            (Float, _) => {
                // With an infinite scale nothing but NaN is left.
                let greatest = if own.domain.dtype == DataType::Float32 { 38 } else { 308 };
                let found = own.same_type(scope, x.map(Function::RoundScaled(decimals)))?;
                let nan = own.domain.nan || decimals.unsigned_abs() > greatest;
                return Ok(found.nan(nan));
            }
            (Int | Bool, Err(_)) => {
                return Err(FrameError::NotNative(
                    "rounding left of the point has no native form for this type".into(),
                ));
            }
            _ => {
                let dtype = self.domain.pandas_dtype();
                return Err(FrameError::Type(format!("`round` doesn't work on a column of {dtype}")));
            }
        };
        own.same_type(scope, expr)
    }

    /// The values with `old[i]` replaced by `new[i]`; all others as they are, or missing if not `keep_others`.
    pub(crate) fn replace(&self, scope: &Schema, old: &[Literal], new: &[Literal], keep_others: bool) -> Result<Self> {
        if old.len() != new.len() {
            let (old, new) = (old.len(), new.len());
            return Err(FrameError::Value(format!("{old} values can't be replaced by {new}")));
        }
        let own = self.settled();
        if own.domain.may_be_objects() {
            return Err(FrameError::NotNative("truth values that may be missing are objects".into()));
        }
        let pairs: Vec<(&Literal, &Literal)> = old.iter().zip(new).filter(|(old, _)| own.could_equal(old)).collect();
        if pairs.len() > PAIRS_MAX {
            return Err(FrameError::NotNative(format!("a chain of {} conditions has no native form", pairs.len())));
        }
        let (dtype, values) = match keep_others {
            true => (own.dtype()?, own.replacements(self, &pairs)?),
            false => mapped_values(new, &pairs)?,
        };
        let mut chain = if keep_others { own.expr.clone() } else { missing(dtype) };
        for ((old, _), value) in pairs.iter().zip(values).rev() {
            let equal = match old {
                Literal::Missing => own.missingness(scope, "isna")?,
                old => Self::comparison(scope, "eq", &own.operand(), &Operand::Literal((*old).clone()))?,
            };
            chain = when(equal.expr, value, chain);
        }
        let nan = keep_others && own.domain.nan && !old.contains(&Literal::Missing);
        let can_miss = !keep_others || new.contains(&Literal::Missing) || own.domain.missing;
        let found = Self::computed(scope, &[&own.operand()], chain)?;
        if keep_others {
            found.check(own.domain.dtype.clone())?;
        }
        Ok(found.missing(can_miss).nan(nan))
    }

    /// Whether pandas would find `value` among such values: truth values are no numbers there.
    fn could_equal(&self, value: &Literal) -> bool {
        match (self.domain.class(), value.class()) {
            (_, None) | (Int | Float | Decimal, Some(Int | Float)) | (Text | Category, Some(Text)) => true,
            (class, Some(other)) => class == other,
        }
    }

    /// What replaces values: it has to keep their type.
    fn replacements(&self, unsettled: &Self, pairs: &[(&Literal, &Literal)]) -> Result<Vec<Expr>> {
        let each = |(_, new): &(&Literal, &Literal)| match new {
            // Whether a missing one comes in, and changes the type, only the values can say.
            Literal::Missing if matches!(self.domain.class(), Int | Bool) => {
                Err(FrameError::NotNative("`replace` by a missing value has no native form for this type".into()))
            }
            Literal::Missing => Ok(missing(self.dtype()?)),
            new => self.fitting("replace", &unsettled.exactly(&Operand::Literal((*new).clone()))),
        };
        pairs.iter().map(each).collect()
    }
}

/// So many values are looked for one after the other in each row; pandas looks more of them up by their hash.
const PAIRS_MAX: usize = 1024;

/// Whether times of type `from` are exact as those of type `to`, which differs in nothing but its unit.
fn is_finer(from: &DataType, to: &DataType) -> bool {
    use polars::prelude::TimeUnit::{Microseconds, Milliseconds, Nanoseconds};
    let finer =
        |from, to| matches!((from, to), (Milliseconds, Microseconds | Nanoseconds) | (Microseconds, Nanoseconds));
    match (from, to) {
        (DataType::Datetime(a, zone), DataType::Datetime(b, other)) => zone == other && finer(*a, *b),
        (DataType::Duration(a), DataType::Duration(b)) => finer(*a, *b),
        (DataType::Date, DataType::Datetime(_, None)) => true,
        _ => false,
    }
}

/// What values are mapped to: values of one type.
fn mapped_values(all: &[Literal], pairs: &[(&Literal, &Literal)]) -> Result<(ColumnDtype, Vec<Expr>)> {
    let given = || all.iter().filter(|value| **value != Literal::Missing);
    let numbers = given().all(|value| matches!(value, Literal::Int(_) | Literal::Float(_)));
    let dtypes: Vec<ColumnDtype> = given().map(|value| value.value().dtype()).collect();
    let one_type = dtypes.windows(2).all(|pair| pair[0] == pair[1]);
    if !numbers && !one_type {
        return Err(FrameError::NotNative("`map` to values of several types has no native form".into()));
    }
    let float = numbers && (!one_type || all.contains(&Literal::Missing));
    let dtype = match dtypes.first() {
        Some(dtype) if !float => dtype.clone(),
        _ => ColumnDtype::FLOAT64,
    };
    let each = |(_, new): &(&Literal, &Literal)| match new {
        Literal::Missing => missing(dtype.clone()),
        new if float => literal(new.number(DType::F64).expect("every number is a float")),
        new => literal(new.value()),
    };
    let values = pairs.iter().map(each).collect();
    Ok((dtype, values))
}

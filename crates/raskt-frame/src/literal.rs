use crate::domain::{Domain, DomainClass};
use crate::expression::engine_dtype;
use polars::prelude::*;
use raskt_value::DType;

/// A value that a user wrote: an operand, a fill value, an element of `isin`.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// `None`, `NaN` or `NaT`.
    Missing,
    /// A truth value.
    Bool(bool),
    /// An integer.
    Int(i64),
    /// An integer that only fits without a sign.
    UInt(u64),
    /// A float other than NaN.
    Float(f64),
    /// A string.
    Text(String),
    /// A point in time since 1970, in `unit`, of UTC if it has a zone.
    Datetime(i64, TimeUnit, Option<TimeZone>),
    /// A date, in days since 1970.
    Date(i32),
    /// A length of time, in `unit`.
    Duration(i64, TimeUnit),
}

impl Literal {
    /// The class of type it belongs to; `None` for a missing value, which belongs to all.
    pub fn class(&self) -> Option<DomainClass> {
        Some(match self {
            Self::Missing => return None,
            Self::Bool(_) => DomainClass::Bool,
            Self::Int(_) | Self::UInt(_) => DomainClass::Int,
            Self::Float(_) => DomainClass::Float,
            Self::Text(_) => DomainClass::Text,
            Self::Datetime(..) | Self::Date(_) => DomainClass::Time,
            Self::Duration(..) => DomainClass::Duration,
        })
    }

    /// What the values of a column filled with it can be.
    pub fn domain(&self) -> Domain {
        let dtype = match self {
            Self::Missing => return Domain::with_missing(DataType::Float64),
            Self::Bool(_) => DataType::Boolean,
            Self::Int(_) => DataType::Int64,
            Self::UInt(_) => DataType::UInt64,
            Self::Float(_) => DataType::Float64,
            Self::Text(_) => DataType::String,
            Self::Datetime(_, unit, zone) => DataType::Datetime(*unit, zone.clone()),
            Self::Date(_) => DataType::Date,
            Self::Duration(_, unit) => DataType::Duration(*unit),
        };
        let magnitude = match self {
            Self::Int(value) => *value as f64,
            Self::UInt(value) => *value as f64,
            Self::Float(value) => *value,
            _ => f64::INFINITY,
        };
        let magnitude = if magnitude.is_nan() { f64::INFINITY } else { magnitude.abs() };
        Domain::full(dtype).within(magnitude)
    }

    /// As a number of `dtype`, null if it is missing; `None` if it isn't one: too large, or no whole number.
    pub(crate) fn number(&self, dtype: DType) -> Option<Scalar> {
        let engine = engine_dtype(dtype);
        let whole = |value: i128| whole_number(value, dtype);
        let value = match (self, dtype) {
            (Self::Missing, _) => return Some(Scalar::null(engine)),
            (Self::Bool(value), DType::Bool) => AnyValue::Boolean(*value),
            (_, DType::Bool) => return None,
            (Self::Bool(value), _) => whole(i128::from(*value))?,
            (Self::Int(value), _) => whole(i128::from(*value))?,
            (Self::UInt(value), _) => whole(i128::from(*value))?,
            (Self::Float(value), DType::F32) => AnyValue::Float32(*value as f32),
            (Self::Float(value), DType::F64) => AnyValue::Float64(*value),
            _ => return None,
        };
        Some(Scalar::new(engine, value))
    }

    /// The integer that it is, also if it is written as a float.
    pub(crate) fn as_whole(&self) -> Option<i128> {
        match self {
            Self::Int(value) => Some(i128::from(*value)),
            Self::UInt(value) => Some(i128::from(*value)),
            Self::Float(value) if value.fract() == 0.0 && value.abs() < 1e19 => Some(*value as i128),
            _ => None,
        }
    }

    /// Whether it is a number above `other`.
    pub(crate) fn is_above(&self, other: &Self) -> bool {
        let number = |literal: &Self| literal.number(DType::F64).and_then(|number| number.value().extract::<f64>());
        number(self).zip(number(other)).is_some_and(|(a, b)| a > b)
    }

    /// As a user would write it.
    pub(crate) fn in_words(&self) -> String {
        match self {
            Self::Missing => "a missing value".into(),
            Self::Bool(true) => "True".into(),
            Self::Bool(false) => "False".into(),
            Self::Int(value) => value.to_string(),
            Self::UInt(value) => value.to_string(),
            Self::Float(value) => value.to_string(),
            Self::Text(text) => format!("the string {text:?}"),
            Self::Datetime(..) | Self::Date(_) => "a point in time".into(),
            Self::Duration(..) => "a length of time".into(),
        }
    }

    /// As an operand: numbers are weak, they take the width of the column they meet (NEP 50).
    pub(crate) fn weak(&self) -> Expr {
        match self {
            Self::Int(value) => lit(*value),
            Self::UInt(value) => lit(*value),
            Self::Float(value) => lit(*value),
            _ => self.typed(),
        }
    }

    /// As an operand that meets a column of `domain`: beside fixed-point numbers, a number that is one with as many
    /// places is exact. So is `0.05`, which as a float would be a little more. Beside dates, a midnight is a date: the
    /// engine need not convert them, and can compare it with the statistics of a file.
    pub(crate) fn beside(&self, domain: &Domain) -> Expr {
        if domain.dtype == DataType::Date
            && let Some(date) = self.as_date()
        {
            return date.typed();
        }
        match self.fixed_point(domain) {
            Some(number) => Expr::Literal(LiteralValue::Scalar(number)),
            None => self.weak(),
        }
    }

    /// As a fixed-point number of `domain`, if it is exactly one.
    pub(crate) fn fixed_point(&self, domain: &Domain) -> Option<Scalar> {
        let DataType::Decimal(precision, scale) = domain.dtype else { return None };
        let text = match self {
            Self::Int(value) => value.to_string(),
            Self::Float(value) if value.abs() < 1e15 => value.to_string(),
            _ => return None,
        };
        let value = fixed_point(&text, scale, precision)?;
        Some(Scalar::new_decimal(value, precision, scale))
    }

    /// The date that begins at this point in time, if one does.
    fn as_date(&self) -> Option<Self> {
        let Self::Datetime(value, unit, None) = self else { return None };
        let day = 86_400
            * match unit {
                TimeUnit::Nanoseconds => 1_000_000_000,
                TimeUnit::Microseconds => 1_000_000,
                TimeUnit::Milliseconds => 1_000,
            };
        (value % day == 0).then(|| i32::try_from(value / day).ok().map(Self::Date)).flatten()
    }

    /// As a column of its own type.
    pub(crate) fn typed(&self) -> Expr {
        Expr::Literal(LiteralValue::Scalar(self.scalar()))
    }

    /// As the engine's scalar.
    pub(crate) fn scalar(&self) -> Scalar {
        match self {
            Self::Missing => Scalar::null(DataType::Null),
            Self::Bool(value) => Scalar::from(*value),
            Self::Int(value) => Scalar::from(*value),
            Self::UInt(value) => Scalar::from(*value),
            Self::Float(value) => Scalar::from(*value),
            Self::Text(value) => Scalar::from(PlSmallStr::from_str(value)),
            Self::Datetime(value, unit, zone) => Scalar::new_datetime(*value, *unit, zone.clone()),
            Self::Date(value) => Scalar::new_date(*value),
            Self::Duration(value, unit) => Scalar::new_duration(*value, *unit),
        }
    }
}

fn whole_number(value: i128, dtype: DType) -> Option<AnyValue<'static>> {
    Some(match dtype {
        DType::I8 => AnyValue::Int8(value.try_into().ok()?),
        DType::I16 => AnyValue::Int16(value.try_into().ok()?),
        DType::I32 => AnyValue::Int32(value.try_into().ok()?),
        DType::I64 => AnyValue::Int64(value.try_into().ok()?),
        DType::U8 => AnyValue::UInt8(value.try_into().ok()?),
        DType::U16 => AnyValue::UInt16(value.try_into().ok()?),
        DType::U32 => AnyValue::UInt32(value.try_into().ok()?),
        DType::U64 => AnyValue::UInt64(value.try_into().ok()?),
        DType::F32 => AnyValue::Float32(value as f32),
        DType::F64 => AnyValue::Float64(value as f64),
        DType::Bool | DType::C64 | DType::C128 => return None,
    })
}

/// The number that `text` writes, times ten to the power of `scale`, if it has no more places and digits.
fn fixed_point(text: &str, scale: usize, precision: usize) -> Option<i128> {
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    if places.len() > scale || whole.trim_start_matches('-').len() + scale > precision {
        return None;
    }
    format!("{whole}{places:0<scale$}").parse().ok()
}

/// The literals as one series, cast to `dtype` where they can be; those that can't equal no value of it and are left out.
pub(crate) fn series_of(values: &[Literal], dtype: &DataType) -> PolarsResult<Series> {
    let mut found: Vec<AnyValue<'static>> = vec![];
    for value in values {
        let own = value.scalar().into_series(PlSmallStr::EMPTY);
        let cast = own.cast(dtype)?;
        let kept = cast.get(0)?.into_static();
        let back = cast.cast(own.dtype());
        if !kept.is_null() && back.is_ok_and(|back| back.equals(&own)) {
            found.push(kept);
        }
    }
    Series::from_any_values_and_dtype(PlSmallStr::EMPTY, &found, dtype, true)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_become_fixed_point_where_nothing_is_lost() {
        for (text, expected) in [("24", Some(2400)), ("0.05", Some(5)), ("-1.5", Some(-150)), ("0.055", None)] {
            assert_eq!(fixed_point(text, 2, 15), expected, "{text}");
        }
        assert_eq!(fixed_point("12345", 2, 5), None);
    }

    #[test]
    fn values_that_a_type_does_not_have_are_left_out() {
        let values = [Literal::Float(1.0), Literal::Float(2.5), Literal::Int(3)];
        let found = series_of(&values, &DataType::Int64).unwrap();
        assert_eq!(found, Series::new(PlSmallStr::EMPTY, [1_i64, 3]));
        let found = series_of(&[Literal::Int(3), Literal::Int(1)], &DataType::Boolean).unwrap();
        assert_eq!(found, Series::new(PlSmallStr::EMPTY, [true]));
    }
}

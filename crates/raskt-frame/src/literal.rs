use crate::domain::{Domain, DomainClass};
use crate::tree::{ColumnDtype, Value};
use polars::prelude::{DataType, TimeUnit, TimeZone};
use raskt_value::DType;
use std::hash::{Hash, Hasher};
use std::mem::discriminant;

/// A value that a user wrote: an operand, a fill value, an element of `isin`.
#[derive(Clone, Debug, PartialEq, serde::Serialize, serde::Deserialize)]
#[serde(into = "crate::wire::WrittenLiteral", try_from = "crate::wire::WrittenLiteral")]
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

/// Of the bits of a float: what may lead to other results has another hash.
impl Hash for Literal {
    fn hash<H: Hasher>(&self, state: &mut H) {
        discriminant(self).hash(state);
        match self {
            Self::Missing => {}
            Self::Bool(value) => value.hash(state),
            Self::Int(value) => value.hash(state),
            Self::UInt(value) => value.hash(state),
            Self::Float(value) => value.to_bits().hash(state),
            Self::Text(value) => value.hash(state),
            Self::Datetime(value, unit, zone) => (value, unit, zone).hash(state),
            Self::Date(value) => value.hash(state),
            Self::Duration(value, unit) => (value, unit).hash(state),
        }
    }
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
    pub(crate) fn number(&self, dtype: DType) -> Option<Value> {
        let whole = |value: i128| whole_number(value, dtype);
        Some(match (self, dtype) {
            (Self::Missing, _) => Value::Null(ColumnDtype::Number(dtype)),
            (Self::Bool(value), DType::Bool) => Value::Bool(*value),
            (_, DType::Bool) => return None,
            (Self::Bool(value), _) => whole(i128::from(*value))?,
            (Self::Int(value), _) => whole(i128::from(*value))?,
            (Self::UInt(value), _) => whole(i128::from(*value))?,
            (Self::Float(value), DType::F32) => Value::Single((*value as f32).to_bits()),
            (Self::Float(value), DType::F64) => Value::from(*value),
            _ => return None,
        })
    }

    /// As the value of a column of `dtype` that equals it, if there is one.
    pub(crate) fn equal_value(&self, dtype: &ColumnDtype) -> Option<Value> {
        match (self, dtype) {
            (Self::Missing, _) => None,
            (literal, ColumnDtype::Number(DType::F64)) => literal.as_float().map(Value::from),
            (literal, ColumnDtype::Number(DType::F32)) => {
                let (value, single) = (literal.as_float()?, literal.as_float()? as f32);
                (f64::from(single) == value).then(|| Value::Single(single.to_bits()))
            }
            (Self::Bool(value), ColumnDtype::Number(DType::Bool)) => Some(Value::Bool(*value)),
            (literal, ColumnDtype::Number(DType::Bool)) => match literal.as_whole()? {
                0 => Some(Value::Bool(false)),
                1 => Some(Value::Bool(true)),
                _ => None,
            },
            (Self::Bool(value), ColumnDtype::Number(dtype)) => whole_number(i128::from(*value), *dtype),
            (literal, ColumnDtype::Number(dtype)) => whole_number(literal.as_whole()?, *dtype),
            (literal, ColumnDtype::Decimal { precision, scale }) => {
                literal.fixed_point(&Domain::full(DataType::Decimal(*precision, *scale)))
            }
            (Self::Text(_), ColumnDtype::Text | ColumnDtype::Enumeration(_) | ColumnDtype::Category { .. }) => {
                Some(self.value())
            }
            (literal, ColumnDtype::Date) => literal.as_date().map(|date| date.value()),
            (literal, dtype) => Some(literal.value()).filter(|value| value.dtype() == *dtype),
        }
    }

    /// A time in the unit and zone of the column of `dtype` that it meets, where that loses nothing.
    pub fn fitted(&self, dtype: &DataType) -> Self {
        match (self, dtype) {
            (Self::Datetime(value, from, Some(_)), DataType::Datetime(to, Some(zone))) => {
                let (value, unit) = rescaled(*value, *from, *to);
                Self::Datetime(value, unit, Some(zone.clone()))
            }
            (Self::Datetime(value, from, None), DataType::Datetime(to, None)) => {
                let (value, unit) = rescaled(*value, *from, *to);
                Self::Datetime(value, unit, None)
            }
            (Self::Duration(value, from), DataType::Duration(to)) => {
                let (value, unit) = rescaled(*value, *from, *to);
                Self::Duration(value, unit)
            }
            _ => self.clone(),
        }
    }

    /// Whether it is no number, or one that is the same as a float.
    pub(crate) fn is_float_exactly(&self) -> bool {
        self.as_whole().is_none() || self.as_float().is_some()
    }

    /// The float that is equal to it.
    fn as_float(&self) -> Option<f64> {
        match self {
            Self::Bool(value) => Some(f64::from(u8::from(*value))),
            Self::Float(value) => Some(*value),
            literal => {
                let whole = literal.as_whole()?;
                Some(whole as f64).filter(|float| *float as i128 == whole)
            }
        }
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
        self.as_float().zip(other.as_float()).is_some_and(|(a, b)| a > b)
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

    /// As a value of a type of its own.
    pub(crate) fn value(&self) -> Value {
        match self {
            Self::Missing => Value::Null(ColumnDtype::FLOAT64),
            Self::Bool(value) => Value::from(*value),
            Self::Int(value) => Value::from(*value),
            Self::UInt(value) => Value::from(*value),
            Self::Float(value) => Value::from(*value),
            Self::Text(value) => Value::from(value.as_str()),
            Self::Datetime(value, unit, zone) => {
                let zone = zone.as_ref().map(|zone| zone.to_string());
                Value::Datetime { value: *value, unit: (*unit).into(), zone }
            }
            Self::Date(value) => Value::Date(*value),
            Self::Duration(value, unit) => Value::Duration { value: *value, unit: (*unit).into() },
        }
    }

    /// As an operand that meets a column of `domain`: beside fixed-point numbers, a number that is one with as many
    /// places is exact. So is `0.05`, which as a float would be a little more. Beside dates, a midnight is a date: the
    /// engine need not convert them, and can compare it with the statistics of a file.
    pub(crate) fn beside(&self, domain: &Domain) -> Value {
        if domain.dtype == DataType::Date
            && let Some(date) = self.as_date()
        {
            return date.value();
        }
        self.fixed_point(domain).unwrap_or_else(|| self.value())
    }

    /// As a fixed-point number of `domain`, if it is exactly one.
    pub(crate) fn fixed_point(&self, domain: &Domain) -> Option<Value> {
        let DataType::Decimal(precision, scale) = domain.dtype else { return None };
        let text = match self {
            Self::Int(value) => value.to_string(),
            Self::Float(value) if value.abs() < 1e15 => value.to_string(),
            _ => return None,
        };
        let value = fixed_point(&text, scale, precision)?;
        Some(Value::Decimal { value, precision, scale })
    }

    /// The date that begins at this point in time, if one does.
    fn as_date(&self) -> Option<Self> {
        let Self::Datetime(value, unit, None) = self else {
            return matches!(self, Self::Date(_)).then(|| self.clone());
        };
        let day = 86_400
            * match unit {
                TimeUnit::Nanoseconds => 1_000_000_000,
                TimeUnit::Microseconds => 1_000_000,
                TimeUnit::Milliseconds => 1_000,
            };
        (value % day == 0).then(|| i32::try_from(value / day).ok().map(Self::Date)).flatten()
    }
}

fn rescaled(value: i64, from: TimeUnit, to: TimeUnit) -> (i64, TimeUnit) {
    let nanoseconds = |unit: TimeUnit| match unit {
        TimeUnit::Nanoseconds => 1,
        TimeUnit::Microseconds => 1000,
        TimeUnit::Milliseconds => 1_000_000,
    };
    let scaled = i128::from(value) * nanoseconds(from);
    match (scaled % nanoseconds(to) == 0, i64::try_from(scaled / nanoseconds(to))) {
        (true, Ok(value)) => (value, to),
        _ => (value, from),
    }
}

fn whole_number(value: i128, dtype: DType) -> Option<Value> {
    let (least, most): (i128, i128) = match dtype {
        DType::I8 => (i8::MIN.into(), i8::MAX.into()),
        DType::I16 => (i16::MIN.into(), i16::MAX.into()),
        DType::I32 => (i32::MIN.into(), i32::MAX.into()),
        DType::I64 => (i64::MIN.into(), i64::MAX.into()),
        DType::U8 => (0, u8::MAX.into()),
        DType::U16 => (0, u16::MAX.into()),
        DType::U32 => (0, u32::MAX.into()),
        DType::U64 => (0, u64::MAX.into()),
        DType::F32 => return Some(Value::Single((value as f32).to_bits())),
        DType::F64 => return Some(Value::from(value as f64)),
        DType::Bool | DType::C64 | DType::C128 => return None,
    };
    (least..=most).contains(&value).then_some(Value::Integer { value, dtype: ColumnDtype::Number(dtype) })
}

/// Whether a whole number is one of the integers of `dtype`.
pub(crate) fn holds(dtype: DType, value: i128) -> bool {
    matches!(whole_number(value, dtype), Some(Value::Integer { .. }))
}

/// The number that `text` writes, times ten to the power of `scale`, if it has no more places and digits.
fn fixed_point(text: &str, scale: usize, precision: usize) -> Option<i128> {
    let (whole, places) = text.split_once('.').unwrap_or((text, ""));
    if places.len() > scale || whole.trim_start_matches('-').len() + scale > precision {
        return None;
    }
    format!("{whole}{places:0<scale$}").parse().ok()
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
    fn values_that_a_type_does_not_have_equal_none_of_its() {
        let int = ColumnDtype::INT64;
        assert_eq!(Literal::Float(1.0).equal_value(&int), Some(Value::from(1_i64)));
        assert_eq!(Literal::Float(2.5).equal_value(&int), None);
        assert_eq!(Literal::Int(3).equal_value(&ColumnDtype::BOOL), None);
        assert_eq!(Literal::Int(1).equal_value(&ColumnDtype::BOOL), Some(Value::Bool(true)));
        assert_eq!(Literal::Float(0.1).equal_value(&ColumnDtype::Number(DType::F32)), None);
        assert_eq!(Literal::Int(300).equal_value(&ColumnDtype::Number(DType::I8)), None);
    }
}

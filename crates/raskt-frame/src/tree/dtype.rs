use super::written::WrittenDtype;
use crate::error::{FrameError, Result};
use polars::prelude as engine;
use raskt_value::DType;
use serde::{Deserialize, Serialize};

/// The type of a column.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(into = "WrittenDtype", try_from = "WrittenDtype")]
pub enum ColumnDtype {
    /// Nothing but missing values.
    Null,
    /// Truth values, integers and floats.
    Number(DType),
    /// Fixed-point numbers.
    Decimal { precision: usize, scale: usize },
    /// Strings.
    Text,
    /// Bytes.
    Binary,
    /// Strings of a list that is known, stored by their place in it.
    Enumeration(Vec<String>),
    /// Strings stored by code, in a list that grows.
    Category { name: String, namespace: String, bytes: u8 },
    /// Dates.
    Date,
    /// Points in time, of a zone or of none.
    Datetime(TimeUnit, Option<String>),
    /// Lengths of time.
    Duration(TimeUnit),
    /// Times of day.
    TimeOfDay,
    /// Lists.
    List(Box<ColumnDtype>),
    /// Lists of one length.
    Array(Box<ColumnDtype>, usize),
    /// Several values, each with a name.
    Struct(Vec<(String, ColumnDtype)>),
}

/// What times are counted in.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub enum TimeUnit {
    Milliseconds,
    Microseconds,
    Nanoseconds,
}

impl From<engine::TimeUnit> for TimeUnit {
    fn from(unit: engine::TimeUnit) -> Self {
        match unit {
            engine::TimeUnit::Milliseconds => Self::Milliseconds,
            engine::TimeUnit::Microseconds => Self::Microseconds,
            engine::TimeUnit::Nanoseconds => Self::Nanoseconds,
        }
    }
}

impl From<TimeUnit> for engine::TimeUnit {
    fn from(unit: TimeUnit) -> Self {
        match unit {
            TimeUnit::Milliseconds => Self::Milliseconds,
            TimeUnit::Microseconds => Self::Microseconds,
            TimeUnit::Nanoseconds => Self::Nanoseconds,
        }
    }
}

impl ColumnDtype {
    pub(crate) const BOOL: Self = Self::Number(DType::Bool);
    pub(crate) const INT64: Self = Self::Number(DType::I64);
    pub(crate) const FLOAT64: Self = Self::Number(DType::F64);

    /// The engine's type as one of raskt's.
    pub(crate) fn of_engine(dtype: &engine::DataType) -> Result<Self> {
        use engine::DataType as E;
        Ok(match dtype {
            E::Null => Self::Null,
            E::Boolean => Self::Number(DType::Bool),
            E::Int8 => Self::Number(DType::I8),
            E::Int16 => Self::Number(DType::I16),
            E::Int32 => Self::Number(DType::I32),
            E::Int64 => Self::Number(DType::I64),
            E::UInt8 => Self::Number(DType::U8),
            E::UInt16 => Self::Number(DType::U16),
            E::UInt32 => Self::Number(DType::U32),
            E::UInt64 => Self::Number(DType::U64),
            E::Float32 => Self::Number(DType::F32),
            E::Float64 => Self::Number(DType::F64),
            E::Decimal(precision, scale) => Self::Decimal { precision: *precision, scale: *scale },
            E::String => Self::Text,
            E::Binary => Self::Binary,
            E::Enum(categories, _) => {
                Self::Enumeration(categories.categories().values_iter().map(str::to_owned).collect())
            }
            E::Categorical(categories, _) => Self::Category {
                name: categories.name().to_string(),
                namespace: categories.namespace().to_string(),
                bytes: match categories.physical() {
                    engine::CategoricalPhysical::U8 => 1,
                    engine::CategoricalPhysical::U16 => 2,
                    engine::CategoricalPhysical::U32 => 4,
                },
            },
            E::Date => Self::Date,
            E::Datetime(unit, zone) => Self::Datetime((*unit).into(), zone.as_ref().map(|zone| zone.to_string())),
            E::Duration(unit) => Self::Duration((*unit).into()),
            E::Time => Self::TimeOfDay,
            E::List(inner) => Self::List(Box::new(Self::of_engine(inner)?)),
            E::Array(inner, length) => Self::Array(Box::new(Self::of_engine(inner)?), *length),
            E::Struct(fields) => {
                let field = |field: &engine::Field| Ok((field.name().to_string(), Self::of_engine(field.dtype())?));
                Self::Struct(fields.iter().map(field).collect::<Result<_>>()?)
            }
            other => return Err(FrameError::NotNative(format!("columns of {other} have no native form"))),
        })
    }

    /// The engine's type for it.
    pub(crate) fn to_engine(&self) -> Result<engine::DataType> {
        use engine::DataType as E;
        let small = |name: &String| engine::PlSmallStr::from_str(name);
        Ok(match self {
            Self::Null => E::Null,
            Self::Number(dtype) => crate::expression::engine_dtype(*dtype),
            Self::Decimal { precision, scale } => E::Decimal(*precision, *scale),
            Self::Text => E::String,
            Self::Binary => E::Binary,
            Self::Enumeration(names) => {
                let categories = engine::FrozenCategories::new(names.iter().map(String::as_str))?;
                E::from_frozen_categories(categories)
            }
            Self::Category { name, namespace, bytes } => {
                let physical = match bytes {
                    1 => engine::CategoricalPhysical::U8,
                    2 => engine::CategoricalPhysical::U16,
                    _ => engine::CategoricalPhysical::U32,
                };
                E::from_categories(engine::Categories::new(small(name), small(namespace), physical))
            }
            Self::Date => E::Date,
            Self::Datetime(unit, zone) => E::Datetime((*unit).into(), engine::TimeZone::opt_try_new(zone.as_deref())?),
            Self::Duration(unit) => E::Duration((*unit).into()),
            Self::TimeOfDay => E::Time,
            Self::List(inner) => E::List(Box::new(inner.to_engine()?)),
            Self::Array(inner, length) => E::Array(Box::new(inner.to_engine()?), *length),
            Self::Struct(fields) => {
                let field = |(name, dtype): &(String, Self)| Ok(engine::Field::new(small(name), dtype.to_engine()?));
                E::Struct(fields.iter().map(field).collect::<Result<_>>()?)
            }
        })
    }

    /// The type of its numbers, if it has any.
    pub(crate) fn number(&self) -> Option<DType> {
        match self {
            Self::Number(dtype) => Some(*dtype),
            _ => None,
        }
    }
}

/// Types of numbers are written down by NumPy's names.
pub(crate) mod by_name {
    use raskt_value::DType;
    use serde::{Deserialize, Deserializer, Serializer, de::Error};

    pub(crate) fn serialize<S: Serializer>(dtype: &DType, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(dtype.name())
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<DType, D::Error> {
        let name = String::deserialize(deserializer)?;
        DType::from_name(&name).ok_or_else(|| D::Error::custom(format!("there is no data type `{name}`")))
    }
}

use super::{ColumnDtype, TimeUnit};
use crate::error::Result;
use polars::prelude as engine;
use raskt_value::DType;
use serde::{Deserialize, Serialize};

/// One value of a type. Floats are kept by their bits, so that equal trees are equal bit for bit.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Value {
    /// A missing value of a type.
    Null(ColumnDtype),
    Bool(bool),
    /// An integer of `dtype`, which is one of integers.
    Integer {
        value: i128,
        dtype: ColumnDtype,
    },
    /// A float of 32 bits.
    Single(u32),
    /// A float of 64 bits.
    Double(u64),
    /// A fixed-point number: `value` divided by 10 to the power of `scale`.
    Decimal {
        value: i128,
        precision: usize,
        scale: usize,
    },
    Text(String),
    /// Days since 1970.
    Date(i32),
    /// `unit`s since 1970.
    Datetime {
        value: i64,
        unit: TimeUnit,
        zone: Option<String>,
    },
    Duration {
        value: i64,
        unit: TimeUnit,
    },
}

impl Value {
    /// Its type.
    pub(crate) fn dtype(&self) -> ColumnDtype {
        match self {
            Self::Null(dtype) | Self::Integer { dtype, .. } => dtype.clone(),
            Self::Bool(_) => ColumnDtype::BOOL,
            Self::Single(_) => ColumnDtype::Number(DType::F32),
            Self::Double(_) => ColumnDtype::FLOAT64,
            Self::Decimal { precision, scale, .. } => ColumnDtype::Decimal { precision: *precision, scale: *scale },
            Self::Text(_) => ColumnDtype::Text,
            Self::Date(_) => ColumnDtype::Date,
            Self::Datetime { unit, zone, .. } => ColumnDtype::Datetime(*unit, zone.clone()),
            Self::Duration { unit, .. } => ColumnDtype::Duration(*unit),
        }
    }

    /// The engine's scalar for it.
    pub(crate) fn to_engine(&self) -> Result<engine::Scalar> {
        use engine::{AnyValue, Scalar};
        Ok(match self {
            Self::Null(dtype) => Scalar::null(dtype.to_engine()?),
            Self::Bool(value) => Scalar::from(*value),
            Self::Integer { value, dtype } => {
                let value = match dtype.number() {
                    Some(DType::I8) => AnyValue::Int8(*value as i8),
                    Some(DType::I16) => AnyValue::Int16(*value as i16),
                    Some(DType::I32) => AnyValue::Int32(*value as i32),
                    Some(DType::U8) => AnyValue::UInt8(*value as u8),
                    Some(DType::U16) => AnyValue::UInt16(*value as u16),
                    Some(DType::U32) => AnyValue::UInt32(*value as u32),
                    Some(DType::U64) => AnyValue::UInt64(*value as u64),
                    _ => AnyValue::Int64(*value as i64),
                };
                Scalar::new(dtype.to_engine()?, value)
            }
            Self::Single(bits) => Scalar::from(f32::from_bits(*bits)),
            Self::Double(bits) => Scalar::from(f64::from_bits(*bits)),
            Self::Decimal { value, precision, scale } => Scalar::new_decimal(*value, *precision, *scale),
            Self::Text(text) => Scalar::from(engine::PlSmallStr::from_str(text)),
            Self::Date(days) => Scalar::new_date(*days),
            Self::Datetime { value, unit, zone } => {
                Scalar::new_datetime(*value, (*unit).into(), engine::TimeZone::opt_try_new(zone.as_deref())?)
            }
            Self::Duration { value, unit } => Scalar::new_duration(*value, (*unit).into()),
        })
    }
}

impl From<bool> for Value {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<i64> for Value {
    fn from(value: i64) -> Self {
        Self::Integer { value: i128::from(value), dtype: ColumnDtype::INT64 }
    }
}

impl From<u64> for Value {
    fn from(value: u64) -> Self {
        Self::Integer { value: i128::from(value), dtype: ColumnDtype::Number(DType::U64) }
    }
}

impl From<f64> for Value {
    fn from(value: f64) -> Self {
        Self::Double(value.to_bits())
    }
}

impl From<&str> for Value {
    fn from(value: &str) -> Self {
        Self::Text(value.into())
    }
}

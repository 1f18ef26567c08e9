//! Names, literals and schemas as they are written: the engine's types of them have no written form.

use crate::literal::Literal;
use crate::tree::TimeUnit;
use polars::prelude as engine;
use serde::{Deserialize, Serialize};

/// A literal as it is written.
#[derive(Serialize, Deserialize)]
pub(crate) enum WrittenLiteral {
    Missing,
    Bool(bool),
    Int(i64),
    UInt(u64),
    Float(f64),
    Text(String),
    Datetime(i64, TimeUnit, Option<String>),
    Date(i32),
    Duration(i64, TimeUnit),
}

impl From<Literal> for WrittenLiteral {
    fn from(literal: Literal) -> Self {
        match literal {
            Literal::Missing => Self::Missing,
            Literal::Bool(value) => Self::Bool(value),
            Literal::Int(value) => Self::Int(value),
            Literal::UInt(value) => Self::UInt(value),
            Literal::Float(value) => Self::Float(value),
            Literal::Text(text) => Self::Text(text),
            Literal::Datetime(value, unit, zone) => Self::Datetime(value, unit.into(), zone.map(|it| it.to_string())),
            Literal::Date(days) => Self::Date(days),
            Literal::Duration(value, unit) => Self::Duration(value, unit.into()),
        }
    }
}

impl TryFrom<WrittenLiteral> for Literal {
    type Error = String;

    fn try_from(written: WrittenLiteral) -> Result<Self, String> {
        Ok(match written {
            WrittenLiteral::Missing => Self::Missing,
            WrittenLiteral::Bool(value) => Self::Bool(value),
            WrittenLiteral::Int(value) => Self::Int(value),
            WrittenLiteral::UInt(value) => Self::UInt(value),
            WrittenLiteral::Float(value) if value.is_nan() => return Err("a number that is none".into()),
            WrittenLiteral::Float(value) => Self::Float(value),
            WrittenLiteral::Text(text) => Self::Text(text),
            WrittenLiteral::Datetime(value, unit, zone) => {
                let zone = engine::TimeZone::opt_try_new(zone.as_deref()).map_err(|error| error.to_string())?;
                Self::Datetime(value, unit.into(), zone)
            }
            WrittenLiteral::Date(days) => Self::Date(days),
            WrittenLiteral::Duration(value, unit) => Self::Duration(value, unit.into()),
        })
    }
}

/// Names of the engine: `#[serde(with = "crate::wire::word")]`.
pub(crate) mod word {
    use polars::prelude::PlSmallStr;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(word: &PlSmallStr, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(word)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<PlSmallStr, D::Error> {
        String::deserialize(deserializer).map(PlSmallStr::from_string)
    }
}

/// Lists of them: `#[serde(with = "crate::wire::words")]`.
pub(crate) mod words {
    use polars::prelude::PlSmallStr;
    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(words: &[PlSmallStr], serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_seq(words.iter().map(PlSmallStr::as_str))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>, L: FromIterator<PlSmallStr>>(
        deserializer: D,
    ) -> Result<L, D::Error> {
        Ok(Vec::<String>::deserialize(deserializer)?.into_iter().map(PlSmallStr::from_string).collect())
    }
}

/// Names with types: `#[serde(with = "crate::wire::schema")]`.
pub(crate) mod schema {
    use crate::tree::ColumnDtype;
    use polars::prelude::{Field, PlSmallStr, SchemaRef};
    use serde::{Deserialize, Deserializer, Serializer, de, ser};
    use std::sync::Arc;

    pub(crate) fn serialize<S: Serializer>(schema: &SchemaRef, serializer: S) -> Result<S::Ok, S::Error> {
        let field = |(name, dtype): (&PlSmallStr, _)| Ok((name.to_string(), ColumnDtype::of_engine(dtype)?));
        let fields: crate::Result<Vec<(String, ColumnDtype)>> = schema.iter().map(field).collect();
        serializer.collect_seq(fields.map_err(ser::Error::custom)?)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<SchemaRef, D::Error> {
        let written = Vec::<(String, ColumnDtype)>::deserialize(deserializer)?;
        let count = written.len();
        let field = |(name, dtype): (String, ColumnDtype)| Ok(Field::new(name.into(), dtype.to_engine()?));
        let fields: crate::Result<Vec<Field>> = written.into_iter().map(field).collect();
        let schema: polars::prelude::Schema = fields.map_err(de::Error::custom)?.into_iter().collect();
        if schema.len() == count { Ok(Arc::new(schema)) } else { Err(de::Error::custom("two columns of one name")) }
    }
}

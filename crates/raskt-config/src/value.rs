//! Values of settings.

use figment::value::Value as Parsed;
use std::collections::BTreeMap;
use std::fmt;

/// A value of a setting.
#[derive(Clone, Debug, PartialEq)]
pub enum Value {
    /// Nothing.
    Null,
    /// True or false.
    Flag(bool),
    /// A whole number.
    Integer(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(String),
    /// Values in order.
    List(Vec<Value>),
    /// Values by name; only programs' own settings hold one.
    Map(BTreeMap<String, Value>),
}

impl Value {
    /// As a float, if it is a number.
    pub fn as_f64(&self) -> Option<f64> {
        match self {
            Self::Integer(number) => Some(*number as f64),
            Self::Float(number) => Some(*number),
            _ => None,
        }
    }
}

impl From<&str> for Value {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

impl From<i64> for Value {
    fn from(number: i64) -> Self {
        Self::Integer(number)
    }
}

impl From<i32> for Value {
    fn from(number: i32) -> Self {
        Self::Integer(number.into())
    }
}

impl From<f64> for Value {
    fn from(number: f64) -> Self {
        Self::Float(number)
    }
}

impl From<bool> for Value {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<Parsed> for Value {
    fn from(parsed: Parsed) -> Self {
        match parsed {
            Parsed::Empty(..) => Self::Null,
            Parsed::Bool(_, flag) => Self::Flag(flag),
            Parsed::Char(_, letter) => Self::Text(letter.into()),
            Parsed::String(_, text) => Self::Text(text),
            Parsed::Num(_, number) => match number.to_i128().or(number.to_u128().map(|n| n as i128)) {
                Some(whole) => i64::try_from(whole).map_or(Self::Float(whole as f64), Self::Integer),
                None => Self::Float(number.to_f64().unwrap_or(f64::NAN)),
            },
            Parsed::Array(_, items) => Self::List(items.into_iter().map(Self::from).collect()),
            Parsed::Dict(_, items) => Self::Map(items.into_iter().map(|(name, item)| (name, item.into())).collect()),
        }
    }
}

impl From<Value> for Parsed {
    fn from(value: Value) -> Self {
        match value {
            Value::Null => figment::value::Empty::Unit.into(),
            Value::Flag(flag) => flag.into(),
            Value::Integer(number) => number.into(),
            Value::Float(number) => number.into(),
            Value::Text(text) => text.into(),
            Value::List(items) => items.into_iter().map(Parsed::from).collect::<Vec<_>>().into(),
            Value::Map(items) => {
                let items: BTreeMap<_, _> = items.into_iter().map(|(name, item)| (name, Parsed::from(item))).collect();
                items.into()
            }
        }
    }
}

impl fmt::Display for Value {
    /// As one would write it in a YAML file.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Flag(flag) => write!(f, "{flag}"),
            Self::Integer(number) => write!(f, "{number}"),
            Self::Float(number) => write!(f, "{number:?}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::List(items) => {
                let items: Vec<_> = items.iter().map(Self::to_string).collect();
                write!(f, "[{}]", items.join(", "))
            }
            Self::Map(items) => {
                let items: Vec<_> = items.iter().map(|(name, item)| format!("{name}: {item}")).collect();
                write!(f, "{{{}}}", items.join(", "))
            }
        }
    }
}

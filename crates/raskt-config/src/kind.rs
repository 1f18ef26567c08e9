//! What a setting may be.

use crate::Value;
use crate::bytes::{parse_bytes, write_bytes};
use std::fmt;

/// What a setting may be. Its `Display` completes the sentence "allowed is …".
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// One of these words, each with other words for the same.
    Choice(&'static [(&'static str, &'static [&'static str])]),
    /// A whole number within bounds.
    Count {
        /// The smallest that is allowed.
        least: u64,
        /// The largest that is allowed.
        most: u64,
    },
    /// A whole number within bounds, or null.
    OptionalCount {
        /// The smallest that is allowed.
        least: u64,
        /// The largest that is allowed.
        most: u64,
    },
    /// A number of bytes, as a number or with a unit: `64MiB`.
    Bytes {
        /// The fewest that are allowed.
        least: u64,
        /// The most that are allowed.
        most: u64,
    },
    /// A number of bytes, or null.
    OptionalBytes {
        /// The fewest that are allowed.
        least: u64,
        /// The most that are allowed.
        most: u64,
    },
    /// Where something lies, or null.
    OptionalPath,
    /// A length of time in seconds.
    Seconds {
        /// The shortest that is allowed.
        least: f64,
        /// The longest that is allowed.
        most: f64,
    },
}

/// The value isn't one that the kind allows.
#[derive(Debug, PartialEq, Eq)]
pub struct NotAllowed;

impl Kind {
    /// The value as the setting holds it: a choice by its first word, bytes and counts as integers, seconds as a float.
    pub fn normalise(&self, value: &Value) -> Result<Value, NotAllowed> {
        match (self, value) {
            (Self::Choice(words), Value::Text(text)) => choose(words, text),
            (Self::OptionalCount { .. } | Self::OptionalBytes { .. } | Self::OptionalPath, Value::Null) => {
                Ok(Value::Null)
            }
            (Self::OptionalPath, Value::Text(text)) if !text.is_empty() => Ok(value.clone()),
            (Self::Count { least, most } | Self::OptionalCount { least, most }, Value::Integer(count)) => {
                within(*count, *least, *most)
            }
            (Self::Bytes { least, most } | Self::OptionalBytes { least, most }, size) => {
                within(bytes_of(size).ok_or(NotAllowed)?, *least, *most)
            }
            (Self::Seconds { least, most }, Value::Integer(_) | Value::Float(_)) => {
                let seconds = value.as_f64().ok_or(NotAllowed)?;
                if (*least..=*most).contains(&seconds) { Ok(Value::Float(seconds)) } else { Err(NotAllowed) }
            }
            _ => Err(NotAllowed),
        }
    }
}

fn choose(words: &[(&str, &[&str])], text: &str) -> Result<Value, NotAllowed> {
    let chosen = words.iter().find(|(word, others)| *word == text || others.contains(&text));
    chosen.map(|(word, _)| Value::Text(word.to_string())).ok_or(NotAllowed)
}

fn bytes_of(size: &Value) -> Option<i64> {
    match size {
        Value::Integer(bytes) => Some(*bytes),
        Value::Text(text) => parse_bytes(text),
        _ => None,
    }
}

fn within(number: i64, least: u64, most: u64) -> Result<Value, NotAllowed> {
    let inside = u64::try_from(number).is_ok_and(|number| (least..=most).contains(&number));
    if inside { Ok(Value::Integer(number)) } else { Err(NotAllowed) }
}

impl fmt::Display for Kind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Choice(words) => {
                let words: Vec<_> = words.iter().map(|(word, _)| format!("`{word}`")).collect();
                f.write_str(&words.join(" or "))
            }
            Self::Count { least, most } => write!(f, "a whole number from {least} to {most}"),
            Self::OptionalCount { least, most } => write!(f, "a whole number from {least} to {most}, or null"),
            Self::Bytes { least, most } => write_size(f, *least, *most),
            Self::OptionalBytes { least, most } => {
                write_size(f, *least, *most)?;
                f.write_str(", or null")
            }
            Self::OptionalPath => f.write_str("the path of a folder, or null"),
            Self::Seconds { least, most } => write!(f, "a number of seconds from {least} to {most}"),
        }
    }
}

fn write_size(f: &mut fmt::Formatter<'_>, least: u64, most: u64) -> fmt::Result {
    let (least, most) = (write_bytes(least), write_bytes(most));
    write!(f, "a number of bytes from {least} to {most}, such as 67108864 or \"64MiB\"")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_held_in_one_form() {
        let bytes = Kind::Bytes { least: 1, most: 1 << 40 };
        assert_eq!(bytes.normalise(&"64 MiB".into()), Ok(Value::Integer(64 << 20)));
        assert_eq!(bytes.normalise(&Value::Integer(0)), Err(NotAllowed));
        assert_eq!(bytes.normalise(&Value::Flag(true)), Err(NotAllowed));

        let count = Kind::OptionalCount { least: 1, most: 8 };
        assert_eq!(count.normalise(&Value::Null), Ok(Value::Null));
        assert_eq!(count.normalise(&Value::Integer(-1)), Err(NotAllowed));
        assert_eq!(count.normalise(&Value::Float(2.0)), Err(NotAllowed));

        let path = Kind::OptionalPath;
        assert_eq!(path.normalise(&"/tmp".into()), Ok("/tmp".into()));
        assert_eq!(path.normalise(&Value::Null), Ok(Value::Null));
        assert_eq!(path.normalise(&"".into()), Err(NotAllowed));
        assert_eq!(path.normalise(&Value::Integer(1)), Err(NotAllowed));

        let seconds = Kind::Seconds { least: 0.0, most: 10.0 };
        assert_eq!(seconds.normalise(&Value::Integer(2)), Ok(Value::Float(2.0)));
        assert_eq!(seconds.normalise(&Value::Float(f64::NAN)), Err(NotAllowed));

        let choice = Kind::Choice(&[("sync", &["synchronous"])]);
        assert_eq!(choice.normalise(&"synchronous".into()), Ok("sync".into()));
        assert_eq!(choice.normalise(&"Sync".into()), Err(NotAllowed));
    }
}

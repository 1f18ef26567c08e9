use crate::message;
use crate::table::shown_label;
use polars::prelude::PolarsError;
use raskt_value::{ErrorKind, TaskError};
use thiserror::Error;

/// What can go wrong with a plan or with reading and writing files. None of it helps to try again.
#[derive(Clone, Debug, Error, PartialEq, Eq)]
#[non_exhaustive]
pub enum FrameError {
    /// A column that isn't there.
    #[error("there is no column `{name}`{hint}")]
    UnknownColumn {
        /// What was asked for.
        name: String,
        /// The columns with a similar name, as a clause, or nothing.
        hint: String,
    },
    /// An operation on columns of the wrong types.
    #[error("{0}")]
    Type(String),
    /// An argument with a value that makes no sense here.
    #[error("{0}")]
    Value(String),
    /// A value that is too large for its type.
    #[error("{0}")]
    Overflow(String),
    /// A file or folder that isn't there.
    #[error("{0}")]
    NotFound(String),
    /// A file that can't be read or written.
    #[error("{0}")]
    Io(String),
    /// Something that raskt doesn't do yet.
    #[error("{0}")]
    NotImplemented(String),
    /// An operation whose answer the engine can't give as pandas gives it, on these types or with these arguments. The
    /// face lets pandas compute it, partition by partition.
    #[error("{0}")]
    NotNative(String),
    /// The run was cancelled.
    #[error("the computation was cancelled")]
    Cancelled,
    /// A bug in the dataframe engine.
    #[error("the dataframe engine failed: {0}")]
    Engine(String),
}

/// Results of this crate.
pub type Result<T, E = FrameError> = std::result::Result<T, E>;

impl FrameError {
    /// A column that isn't among `known`.
    pub fn unknown_column<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Self {
        let known: Vec<&str> = known.into_iter().collect();
        let mut near: Vec<(usize, &str)> = known.iter().map(|other| (distance(name, other), *other)).collect();
        near.sort();
        let limit = (name.chars().count() / 3).max(1);
        let near = near.iter().take_while(|(steps, _)| *steps <= limit).take(3);
        let near = near.map(|(_, name)| format!("`{}`", shown_label(name)));
        let near: Vec<String> = near.collect();
        let hint = match (near.is_empty(), known.len()) {
            (false, _) => format!("; did you mean {}?", near.join(" or ")),
            (true, 0) => "; there are no columns".into(),
            (true, 1..=20) => {
                let known: Vec<String> = known.iter().map(|name| shown_label(name)).collect();
                format!("; there are `{}`", known.join("`, `"))
            }
            (true, count) => format!("; there are {count} others"),
        };
        Self::UnknownColumn { name: shown_label(name), hint }
    }

    /// What sort of failure it is.
    pub fn kind(&self) -> ErrorKind {
        match self {
            Self::UnknownColumn { .. } => ErrorKind::Key,
            Self::Type(_) => ErrorKind::Type,
            Self::Value(_) => ErrorKind::Value,
            Self::Overflow(_) => ErrorKind::Overflow,
            Self::NotFound(_) => ErrorKind::NotFound,
            Self::Io(_) => ErrorKind::Io,
            Self::NotImplemented(_) | Self::NotNative(_) => ErrorKind::NotImplemented,
            Self::Cancelled => ErrorKind::Cancelled,
            Self::Engine(_) => ErrorKind::Panic,
        }
    }
}

impl From<FrameError> for TaskError {
    fn from(error: FrameError) -> Self {
        Self::new(error.kind(), error.to_string())
    }
}

impl From<PolarsError> for FrameError {
    fn from(error: PolarsError) -> Self {
        let message = message::of_error(&error);
        if let Some((_, refused)) = message.split_once(message::REFUSED) {
            return Self::NotImplemented(refused.to_owned());
        }
        if let Some((_, overflow)) = message.split_once(message::OVERFLOW) {
            return Self::Overflow(overflow.to_owned());
        }
        // Values that can't be converted are no matter of types.
        if error.to_string().contains("conversion from `") {
            return Self::Value(message);
        }
        match error.remove_context() {
            PolarsError::ColumnNotFound(_) | PolarsError::SchemaFieldNotFound(_) => {
                Self::UnknownColumn { name: message, hint: String::new() }
            }
            PolarsError::InvalidOperation(_) | PolarsError::SchemaMismatch(_) => Self::Type(message),
            PolarsError::IO { error, .. } if error.kind() == std::io::ErrorKind::NotFound => Self::NotFound(message),
            PolarsError::IO { .. } => Self::Io(message),
            _ => Self::Value(message),
        }
    }
}

/// How many letters have to be changed, added or left out (Levenshtein), letter case aside.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.to_lowercase().chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, x) in a.to_lowercase().chars().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for (j, y) in b.iter().enumerate() {
            let substituted = diagonal + usize::from(x != *y);
            diagonal = row[j + 1];
            row[j + 1] = substituted.min(diagonal + 1).min(row[j] + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_column_names_those_like_it() {
        let error = FrameError::unknown_column("carier", ["carrier", "origin", "dest"]);
        assert_eq!(error.to_string(), "there is no column `carier`; did you mean `carrier`?");
        assert_eq!(error.kind(), ErrorKind::Key);
        let error = FrameError::unknown_column("zzz", ["\u{1d}0", "b\u{1f}\u{1d}1"]);
        assert_eq!(error.to_string(), "there is no column `zzz`; there are `0`, `(b, 1)`");
        let error = FrameError::unknown_column("zzz", ["a", "b"]);
        assert_eq!(error.to_string(), "there is no column `zzz`; there are `a`, `b`");
    }
}

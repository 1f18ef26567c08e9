//! What is wrong with settings.

use std::fmt;
use std::path::PathBuf;
use thiserror::Error;

/// Why settings can't be read or set. Trying again helps only after the file, the variable or the call is corrected.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum Error {
    /// A value that the setting doesn't allow.
    #[error("{origin}`{key}` is {value}; allowed is {allowed}")]
    Value {
        /// The setting.
        key: String,
        /// The value, as one would write it in a file.
        value: String,
        /// What would work.
        allowed: String,
        /// Where the value stands.
        origin: Origin,
    },
    /// A name that raskt doesn't know, among its own.
    #[error("{origin}there is no setting `{key}`{}", suggestion(.near))]
    Unknown {
        /// The name.
        key: String,
        /// The setting that was meant, most likely.
        near: Option<String>,
        /// Where the name stands.
        origin: Origin,
    },
    /// A value for a whole group.
    #[error("{origin}`{key}` is a group of settings: give its members, such as `{member}`")]
    Group {
        /// The group.
        key: String,
        /// One of its members.
        member: String,
        /// Where the value stands.
        origin: Origin,
    },
    /// A file that isn't YAML, or isn't a mapping of names to values.
    #[error("{}: not a YAML mapping of settings: {message}", .path.display())]
    Syntax {
        /// The file.
        path: PathBuf,
        /// What is wrong, with line and column where they are known.
        message: String,
    },
    /// A file that can't be read.
    #[error("{}: can't be read: {source}", .path.display())]
    Read {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
}

/// Where a value came from. Its `Display` opens an error message, and is empty for code: the caller knows.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// The table of defaults.
    Default,
    /// A line of a file; no line where the file writes it in a way of its own.
    File {
        /// The file.
        path: PathBuf,
        /// The line, counted from 1.
        line: Option<usize>,
    },
    /// An environment variable.
    Variable(String),
    /// A call.
    Code,
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default | Self::Code => Ok(()),
            Self::File { path, line: Some(line) } => write!(f, "{}, line {line}: ", path.display()),
            Self::File { path, line: None } => write!(f, "{}: ", path.display()),
            Self::Variable(name) => write!(f, "variable {name}: "),
        }
    }
}

fn suggestion(near: &Option<String>) -> String {
    near.as_ref().map_or_else(String::new, |near| format!("; did you mean `{near}`?"))
}

//! Names of settings.

use std::fmt;

/// The name of a setting. Hyphens and underscores are the same: `array.chunk_size` is `array.chunk-size`.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    canonical: String,
    /// As it was written, so that a program finds its own names again.
    parts: Vec<String>,
}

impl Key {
    /// The key that `text` writes with dots between the groups.
    pub fn parse(text: &str) -> Self {
        Self::from_parts(text.split('.').map(str::to_string).collect())
    }

    /// The key whose groups and name are `parts`.
    pub fn from_parts(parts: Vec<String>) -> Self {
        Self { canonical: parts.join(".").replace('_', "-"), parts }
    }

    /// With hyphens, and dots between the groups.
    pub fn canonical(&self) -> &str {
        &self.canonical
    }

    /// Its groups and its name, as they were written.
    pub fn parts(&self) -> &[String] {
        &self.parts
    }

    /// The key of `name` in the group that this key names.
    pub(crate) fn join(&self, name: &str) -> Self {
        let added = name.split('.').map(str::to_string);
        Self::from_parts(self.parts.iter().cloned().chain(added).collect())
    }

    /// Whether this key names a group that `other` lies in.
    pub(crate) fn holds(&self, other: &Self) -> bool {
        other.canonical.strip_prefix(&self.canonical).is_some_and(|rest| rest.starts_with('.'))
    }
}

impl fmt::Display for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.parts.join("."))
    }
}

//! What is known of a column while its fields are looked at.

use super::facts::{ColumnFacts, Watch};
use super::fields::{Spelled, spelled, word_at};
use super::syntax::Syntax;

/// What is known of a column while its fields are looked at, so that a field which tells nothing new costs a few
/// operations on one word.
#[derive(Clone, Copy, Debug)]
pub(super) struct Quick {
    pub kind: Kind,
    /// Whether a number with a point was seen.
    pub point: bool,
    /// Whether a number with a sign was seen.
    pub sign: bool,
    /// The last short word for a missing value, with its length.
    missing: (u64, usize),
}

/// What there is to find out about the next field of a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Whether it is missing: the column is text.
    Text,
    /// Whether it is a plain number, as all before it or most of them.
    Number,
    /// Everything.
    Unknown,
}

impl Kind {
    pub fn of(facts: &ColumnFacts, syntax: &Syntax) -> Self {
        match facts {
            _ if syntax.comment.is_some() || facts.watch != Watch::Type => Self::Unknown,
            ColumnFacts { present: false, .. } | ColumnFacts { bool: true, .. } => Self::Unknown,
            ColumnFacts { int: false, float: false, .. } => Self::Text,
            _ if syntax.numeric_words => Self::Unknown,
            _ => Self::Number,
        }
    }
}

impl Quick {
    pub fn of(facts: &ColumnFacts, syntax: &Syntax) -> Self {
        Self { kind: Kind::of(facts, syntax), point: false, sign: false, missing: (0, NOT_SEEN) }
    }

    /// Whether the field from `start` to `end` tells nothing but what is noted here.
    #[inline]
    pub fn settles(&mut self, text: &[u8], start: usize, end: usize, syntax: &Syntax) -> bool {
        let length = end - start;
        if length == 0 || length > 8 {
            return match self.kind {
                Kind::Text if length > 0 => {
                    Some(text[start]) != syntax.quote && !syntax.may_be_missing(text[start], length)
                }
                _ => length == 0 && self.missing == (0, 0),
            };
        }
        let word = word_at(text, start, length);
        match self.kind {
            Kind::Number => match spelled(word, length) {
                Spelled::Other => self.missing == (word, length),
                number => {
                    self.point |= number == Spelled::Float;
                    self.sign |= matches!(word as u8, b'-' | b'+');
                    true
                }
            },
            Kind::Text if Some(word as u8) == syntax.quote => false,
            Kind::Text => !syntax.may_be_missing(word as u8, length) || self.missing == (word, length),
            Kind::Unknown => false,
        }
    }

    /// Remembers the field if it is a short word for a missing value.
    pub fn note_missing(&mut self, field: &[u8], facts: &ColumnFacts) {
        if field.len() <= 8 && facts.words.contains(field) {
            self.missing = (if field.is_empty() { 0 } else { word_at(field, 0, field.len()) }, field.len());
        }
    }
}

/// A length that no short word has.
const NOT_SEEN: usize = usize::MAX;

//! What the fields of one column have in common, and the type that pandas would give it.

use super::dates::DateShape;
use super::quick::Quick;
use super::syntax::Syntax;
use polars::prelude::DataType;
use serde::{Deserialize, Serialize};
use std::collections::BTreeSet;

/// What the fields of one column have in common.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) struct ColumnFacts {
    /// Whether each is an integer, however large.
    pub int: bool,
    /// Whether an integer was too large for 64 bits with a sign.
    pub large: bool,
    /// Whether each integer that large fits into 64 bits without one.
    unsigned: bool,
    /// Whether a number had a sign.
    signed: bool,
    pub float: bool,
    pub bool: bool,
    /// Whether any field is missing.
    pub missing: bool,
    /// Whether any field isn't.
    pub present: bool,
    /// The words for missing values that occur.
    pub words: BTreeSet<Vec<u8>>,
    /// Whether a field of no characters stood in quotes.
    pub quoted_empty: bool,
    /// Whether a number had spaces around it.
    pub spaced: bool,
    /// What more has to be found out, since the caller said how the column is to be read.
    pub watch: Watch,
    /// The least and the greatest integer, where they are watched for.
    pub range: Option<(i64, i64)>,
    /// The form that all points in time have, where they are watched for and have one.
    pub dates: Option<DateShape>,
    /// The first field that isn't missing.
    #[cfg(test)]
    #[serde(skip)]
    pub first: Option<String>,
}

/// What has to be found out about a column beside its type: it takes a look at every field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(super) enum Watch {
    /// Nothing.
    #[default]
    Type,
    /// The least and the greatest integer.
    Range,
    /// Whether fields are points in time of one form.
    Dates,
}

impl Default for ColumnFacts {
    fn default() -> Self {
        Self {
            int: true,
            large: false,
            unsigned: true,
            signed: false,
            float: true,
            bool: true,
            missing: false,
            present: false,
            words: BTreeSet::new(),
            quoted_empty: false,
            spaced: false,
            watch: Watch::Type,
            range: None,
            dates: None,
            #[cfg(test)]
            first: None,
        }
    }
}

impl ColumnFacts {
    /// Of a column of which more than the type is asked.
    pub(super) fn watching(watch: Watch) -> Self {
        Self { watch, ..Self::default() }
    }

    /// Takes in what was noted in passing.
    pub(super) fn absorb(&mut self, known: &mut Quick) {
        if known.point {
            self.int = false;
        }
        self.signed |= known.sign;
        (known.point, known.sign) = (false, false);
    }

    #[cold]
    #[inline(never)]
    pub(super) fn see(&mut self, field: &[u8], syntax: &Syntax) {
        if syntax.is_missing(field) {
            self.missing = true;
            if !self.words.contains(field) {
                self.words.insert(field.to_vec());
            }
            return;
        }
        #[cfg(test)]
        if !self.present {
            self.first = Some(String::from_utf8_lossy(field).into_owned());
        }
        self.see_type(field);
        match self.watch {
            Watch::Type => {}
            Watch::Range => self.see_range(field),
            Watch::Dates => {
                let shape = DateShape::of(field);
                self.dates = if self.present && self.dates != shape { None } else { shape };
            }
        }
        self.present = true;
    }

    fn see_type(&mut self, field: &[u8]) {
        if !self.spaced && (self.int || self.float) {
            self.spaced = has_spaces(field) && is_float(field.trim_ascii());
        }
        self.signed |= matches!(field.first(), Some(b'-' | b'+'));
        if self.int {
            self.int = is_integer(field);
        }
        if self.int && !is_int(field) {
            self.large = true;
            self.unsigned &= is_unsigned(field);
        }
        if self.float && !self.int {
            self.float = is_float(field);
        }
        if self.bool {
            self.bool = is_bool(field);
        }
    }

    fn see_range(&mut self, field: &[u8]) {
        if let Some(value) = std::str::from_utf8(field).ok().and_then(|text| text.parse::<i64>().ok()) {
            let (least, greatest) = self.range.unwrap_or((value, value));
            self.range = Some((least.min(value), greatest.max(value)));
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        if other.present && self.present {
            // What an integer column saw first as integers can turn out to be floats.
            self.float = (self.float || self.int) && (other.float || other.int);
            self.int &= other.int;
            self.bool &= other.bool;
            self.dates = self.dates.filter(|shape| other.dates == Some(*shape));
        } else if other.present {
            (self.int, self.float, self.bool, self.dates) = (other.int, other.float, other.bool, other.dates);
        }
        self.large |= other.large;
        self.unsigned &= other.unsigned;
        self.signed |= other.signed;
        self.missing |= other.missing;
        self.quoted_empty |= other.quoted_empty;
        self.spaced |= other.spaced;
        self.present |= other.present;
        self.words.extend(other.words);
        self.range = match (self.range, other.range) {
            (Some((a, b)), Some((c, d))) => Some((a.min(c), b.max(d))),
            (own, other) => own.or(other),
        };
        #[cfg(test)]
        {
            self.first = self.first.take().or(other.first);
        }
    }

    /// The type that pandas would give the column; nothing if it is none of the engine's: Python's own integers, or text
    /// because no integer has both a sign and that many digits.
    pub(super) fn dtype(&self) -> Option<DataType> {
        Some(match self {
            Self { present: false, .. } => DataType::Float64,
            Self { bool: true, .. } => DataType::Boolean,
            Self { int: true, large: true, missing: false, signed: false, unsigned: true, .. } => DataType::UInt64,
            Self { int: true, large: true, .. } => return None,
            Self { int: true, missing: false, .. } => DataType::Int64,
            Self { int: true, .. } | Self { float: true, .. } => DataType::Float64,
            _ => DataType::String,
        })
    }

    /// Whether each field is a number.
    pub(super) fn is_numeric(&self) -> bool {
        self.int || self.float
    }
}

fn is_integer(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").or_else(|| field.strip_prefix(b"+")).unwrap_or(field);
    !digits.is_empty() && digits.iter().all(u8::is_ascii_digit)
}

pub(super) fn is_int(field: &[u8]) -> bool {
    is_integer(field) && (field.len() < 19 || std::str::from_utf8(field).is_ok_and(|text| text.parse::<i64>().is_ok()))
}

fn has_spaces(field: &[u8]) -> bool {
    field.first().is_some_and(u8::is_ascii_whitespace) || field.last().is_some_and(u8::is_ascii_whitespace)
}

fn is_unsigned(field: &[u8]) -> bool {
    std::str::from_utf8(field).is_ok_and(|text| text.parse::<u64>().is_ok())
}

pub(super) fn is_float(field: &[u8]) -> bool {
    let unsigned = field.strip_prefix(b"-").or_else(|| field.strip_prefix(b"+")).unwrap_or(field);
    let (mut digits, mut dots, mut exponent) = (0, 0, false);
    let mut at = 0;
    while at < unsigned.len() {
        match unsigned[at] {
            b'0'..=b'9' => digits += 1,
            b'.' if !exponent => dots += 1,
            b'e' | b'E' if digits > 0 && !exponent => {
                exponent = true;
                at += usize::from(matches!(unsigned.get(at + 1), Some(b'+' | b'-')));
                if at + 1 >= unsigned.len() {
                    return false;
                }
            }
            _ => return matches!(unsigned.to_ascii_lowercase().as_slice(), b"inf" | b"infinity"),
        }
        at += 1;
    }
    digits > 0 && dots <= 1
}

fn is_bool(field: &[u8]) -> bool {
    matches!(field, b"True" | b"TRUE" | b"true" | b"False" | b"FALSE" | b"false")
}

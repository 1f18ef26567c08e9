//! What the fields of one column have in common, and the type that pandas would give it.

use super::quick::Quick;
use super::syntax::Syntax;
use polars::prelude::DataType;
use std::collections::BTreeSet;

/// What the fields of one column have in common.
#[derive(Clone, Debug)]
pub(super) struct ColumnFacts {
    pub int: bool,
    /// Whether each is an integer, with a sign or a large one without.
    unsigned: bool,
    /// Whether a number was below zero.
    negative: bool,
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
    /// The first field that isn't missing.
    pub first: Option<String>,
}

impl Default for ColumnFacts {
    fn default() -> Self {
        let (missing, present, words, first) = (false, false, BTreeSet::new(), None);
        let (negative, quoted_empty, spaced) = (false, false, false);
        Self {
            int: true,
            unsigned: true,
            negative,
            float: true,
            bool: true,
            missing,
            present,
            words,
            quoted_empty,
            spaced,
            first,
        }
    }
}

impl ColumnFacts {
    /// Takes in what was noted in passing.
    pub(super) fn absorb(&mut self, known: &mut Quick) {
        if known.point {
            (self.int, self.unsigned) = (false, false);
        }
        self.negative |= known.minus;
        (known.point, known.minus) = (false, false);
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
        if !self.present {
            self.present = true;
            self.first = Some(String::from_utf8_lossy(field).into_owned());
        }
        if !self.spaced && (self.int || self.float) && field.first().or(field.last()).is_some() {
            self.spaced = has_spaces(field) && is_float(field.trim_ascii());
        }
        if self.int {
            self.int = is_int(field);
        }
        self.negative |= field.first() == Some(&b'-');
        if !self.int && self.unsigned {
            self.unsigned = is_unsigned(field) || is_int(field);
        }
        if self.float && !self.int {
            self.float = is_float(field);
        }
        if self.bool {
            self.bool = is_bool(field);
        }
    }

    pub(super) fn merge(&mut self, other: Self) {
        if other.present && self.present {
            // What an integer column saw first as integers can turn out to be floats.
            self.float = (self.float || self.int) && (other.float || other.int);
            self.unsigned = (self.unsigned || self.int) && (other.unsigned || other.int);
            self.int &= other.int;
            self.bool &= other.bool;
        } else if other.present {
            (self.int, self.unsigned, self.float, self.bool) = (other.int, other.unsigned, other.float, other.bool);
        }
        self.negative |= other.negative;
        self.missing |= other.missing;
        self.quoted_empty |= other.quoted_empty;
        self.spaced |= other.spaced;
        self.present |= other.present;
        self.words.extend(other.words);
        self.first = self.first.take().or(other.first);
    }

    /// The type that pandas would give the column.
    pub(super) fn dtype(&self) -> DataType {
        if !self.present {
            return DataType::Float64;
        }
        if self.bool {
            return DataType::Boolean;
        }
        match (self.int, self.missing) {
            (true, false) => DataType::Int64,
            (true, true) => DataType::Float64,
            // No integer of pandas holds both numbers below zero and numbers that only fit without a sign.
            _ if self.float && self.unsigned && !self.missing && self.negative => DataType::String,
            _ if self.float && self.unsigned && !self.missing => DataType::UInt64,
            _ if self.float => DataType::Float64,
            _ => DataType::String,
        }
    }
}

pub(super) fn is_int(field: &[u8]) -> bool {
    let digits = field.strip_prefix(b"-").or_else(|| field.strip_prefix(b"+")).unwrap_or(field);
    let plain = !digits.is_empty() && digits.iter().all(u8::is_ascii_digit);
    plain && (digits.len() < 19 || std::str::from_utf8(field).is_ok_and(|text| text.parse::<i64>().is_ok()))
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

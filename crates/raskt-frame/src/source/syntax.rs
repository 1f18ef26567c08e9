//! How the fields of a CSV file are told apart, and which of them are missing.

use super::csv::CsvOptions;
use super::facts::{is_float, is_int};
use std::collections::BTreeSet;

/// What pandas takes for missing unless told otherwise.
pub(super) const MISSING_WORDS: [&str; 19] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
];

/// Words for a missing value of so many bytes or more are told apart by looking them up.
const WORD_BYTES_MAX: usize = 63;

/// How fields are told apart, and which of them are missing.
#[derive(Clone, Debug)]
pub(super) struct Syntax {
    pub separator: u8,
    pub quote: Option<u8>,
    pub comment: Option<u8>,
    pub missing: BTreeSet<Vec<u8>>,
    /// By first byte, a bit for each length that a word for a missing value can have.
    lengths: Box<[u64; 256]>,
    /// Whether a word for a missing value is a number too.
    pub numeric_words: bool,
}

impl Syntax {
    /// How the fields of files are told apart that are read with `options`.
    pub(super) fn of(options: &CsvOptions) -> Self {
        let own = options.missing_words.iter().map(|word| word.as_bytes().to_vec());
        let words = own.chain(MISSING_WORDS.iter().map(|word| word.as_bytes().to_vec())).collect();
        Self::new(options.separator, options.quote, options.comment, words)
    }

    pub(super) fn new(separator: u8, quote: Option<u8>, comment: Option<u8>, missing: BTreeSet<Vec<u8>>) -> Self {
        let mut lengths = Box::new([0; 256]);
        for word in &missing {
            if let Some(byte) = word.first() {
                lengths[usize::from(*byte)] |= 1 << word.len().min(WORD_BYTES_MAX);
            }
        }
        let numeric_words = missing.iter().any(|word| is_int(word) || is_float(word));
        Self { separator, quote, comment, missing, lengths, numeric_words }
    }

    /// Whether a field of `length` bytes from `first` on can be a word for a missing value.
    pub(super) fn may_be_missing(&self, first: u8, length: usize) -> bool {
        self.lengths[usize::from(first)] >> length.min(WORD_BYTES_MAX) & 1 == 1
    }

    pub(super) fn is_missing(&self, field: &[u8]) -> bool {
        field.first().is_none_or(|byte| self.may_be_missing(*byte, field.len())) && self.missing.contains(field)
    }
}

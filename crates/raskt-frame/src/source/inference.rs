//! Which type pandas would give a column of a CSV file: one look at every field.

use polars::prelude::DataType;
use std::collections::BTreeSet;

/// What pandas takes for missing unless told otherwise.
pub(super) const MISSING_WORDS: [&str; 19] = [
    "", "#N/A", "#N/A N/A", "#NA", "-1.#IND", "-1.#QNAN", "-NaN", "-nan", "1.#IND", "1.#QNAN", "<NA>", "N/A", "NA",
    "NULL", "NaN", "None", "n/a", "nan", "null",
];

/// The longest word for a missing value that a user may give, in bytes.
const WORD_BYTES_MAX: usize = 64;

/// How fields are told apart, and which of them are missing.
#[derive(Clone, Debug)]
pub(super) struct Syntax {
    pub separator: u8,
    pub quote: Option<u8>,
    pub comment: Option<u8>,
    pub missing: BTreeSet<Vec<u8>>,
    /// Which first bytes a word for a missing value can have.
    first: [bool; 256],
    longest: usize,
}

impl Syntax {
    pub(super) fn new(separator: u8, quote: Option<u8>, comment: Option<u8>, missing: BTreeSet<Vec<u8>>) -> Self {
        let mut first = [false; 256];
        missing.iter().filter_map(|word| word.first()).for_each(|byte| first[usize::from(*byte)] = true);
        let longest = missing.iter().map(Vec::len).max().unwrap_or(0).min(WORD_BYTES_MAX);
        Self { separator, quote, comment, missing, first, longest }
    }

    fn is_missing(&self, field: &[u8]) -> bool {
        match field.first() {
            None => self.missing.contains(field),
            Some(byte) => self.first[usize::from(*byte)] && field.len() <= self.longest && self.missing.contains(field),
        }
    }
}

/// What the fields of one column have in common.
#[derive(Clone, Debug)]
pub(super) struct ColumnFacts {
    int: bool,
    /// Whether each is an integer, with a sign or a large one without.
    unsigned: bool,
    /// Whether a number was below zero.
    negative: bool,
    float: bool,
    bool: bool,
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
    fn see(&mut self, field: &[u8], syntax: &Syntax) {
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

/// What the engine's reader reads otherwise than pandas does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Oddities {
    /// A line without characters, which pandas skips.
    pub blank_line: bool,
    /// A comment after fields.
    pub inline_comment: bool,
}

/// A line that has more or fewer fields than the header has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ragged {
    pub row: usize,
    pub found: usize,
}

/// Looks at all rows of `text` and counts them. Rows may end early, as pandas lets them; more fields are an error.
pub(super) fn examine(
    text: &[u8],
    syntax: &Syntax,
    columns: &mut [ColumnFacts],
    oddities: &mut Oddities,
) -> Result<usize, Ragged> {
    let mut rows = 0;
    let mut at = 0;
    let mut unquoted = vec![];
    while at < text.len() {
        if let Some(end) = blank_or_comment(&text[at..], syntax) {
            oddities.blank_line |= Some(text[at]) != syntax.comment;
            at += end;
            continue;
        }
        let mut column = 0;
        loop {
            let (field, next, ended) = next_field(&text[at..], syntax, &mut unquoted);
            match columns.get_mut(column) {
                Some(facts) => {
                    facts.quoted_empty |=
                        field.is_empty() && text.get(at).copied() == syntax.quote && syntax.quote.is_some();
                    oddities.inline_comment |= syntax.comment.is_some_and(|comment| field.contains(&comment));
                    facts.see(field, syntax);
                }
                None => return Err(Ragged { row: rows, found: column + 1 }),
            }
            at += next;
            column += 1;
            if ended {
                break;
            }
        }
        for facts in columns.iter_mut().skip(column) {
            facts.see(b"", syntax);
        }
        rows += 1;
    }
    Ok(rows)
}

/// The length of the line at the start of `text`, if pandas skips it.
fn blank_or_comment(text: &[u8], syntax: &Syntax) -> Option<usize> {
    match text[0] {
        b'\n' => Some(1),
        b'\r' => Some(if text.get(1) == Some(&b'\n') { 2 } else { 1 }),
        byte if Some(byte) == syntax.comment => {
            Some(text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1))
        }
        _ => None,
    }
}

/// The field at the start of `text`, how far the next one is, and whether the line ends with it.
pub(super) fn next_field<'a>(text: &'a [u8], syntax: &Syntax, unquoted: &'a mut Vec<u8>) -> (&'a [u8], usize, bool) {
    if text.first().is_some_and(|byte| Some(*byte) == syntax.quote) {
        return quoted_field(text, syntax, unquoted);
    }
    let separator = syntax.separator;
    let end = text.iter().position(|byte| *byte == separator || *byte == b'\n').unwrap_or(text.len());
    let ended = text.get(end) != Some(&separator);
    let mut field = &text[..end];
    if ended {
        field = field.strip_suffix(b"\r").unwrap_or(field);
    }
    (field, (end + 1).min(text.len().max(1)), ended)
}

fn quoted_field<'a>(text: &'a [u8], syntax: &Syntax, unquoted: &'a mut Vec<u8>) -> (&'a [u8], usize, bool) {
    let quote = text[0];
    unquoted.clear();
    let mut at = 1;
    while at < text.len() {
        match (text[at] == quote, text.get(at + 1) == Some(&quote)) {
            (true, true) => {
                unquoted.push(quote);
                at += 2;
            }
            (true, false) => break,
            _ => {
                unquoted.push(text[at]);
                at += 1;
            }
        }
    }
    let rest = &text[(at + 1).min(text.len())..];
    let end = rest.iter().position(|byte| *byte == syntax.separator || *byte == b'\n').unwrap_or(rest.len());
    let ended = rest.get(end) != Some(&syntax.separator);
    (unquoted, (at + 1 + end + 1).min(text.len()), ended)
}

fn is_int(field: &[u8]) -> bool {
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

fn is_float(field: &[u8]) -> bool {
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

#[cfg(test)]
mod tests {
    use super::*;

    fn dtype_of(fields: &[&str]) -> DataType {
        let missing = MISSING_WORDS.iter().map(|word| word.as_bytes().to_vec()).collect();
        let syntax = Syntax::new(b',', Some(b'"'), None, missing);
        let mut facts = [ColumnFacts::default(), ColumnFacts::default()];
        let text: String = fields.iter().map(|field| format!("0,{field}\n")).collect();
        let mut oddities = Oddities::default();
        assert_eq!(examine(text.as_bytes(), &syntax, &mut facts, &mut oddities).unwrap(), fields.len());
        assert_eq!(oddities, Oddities::default());
        facts[1].dtype()
    }

    #[test]
    fn types_are_those_of_pandas() {
        for (fields, expected) in [
            (&["1", "-2", "+3"][..], DataType::Int64),
            (&["1", ""], DataType::Float64),
            (&["1", "NA", "2"], DataType::Float64),
            (&["1", "2.5"], DataType::Float64),
            (&["1e5", "-inf"], DataType::Float64),
            (&["", "NaN"], DataType::Float64),
            (&["True", "false"], DataType::Boolean),
            (&["True", ""], DataType::Boolean),
            (&["True", "1"], DataType::String),
            (&["1", "x"], DataType::String),
            (&["1", "2013-01-01"], DataType::String),
            (&["9223372036854775808", "1"], DataType::UInt64),
            (&["9223372036854775808", "-1"], DataType::String),
            (&["\"1\"", "\"2\""], DataType::Int64),
            (&["1.2.3"], DataType::String),
            (&["e5"], DataType::String),
            (&["1e"], DataType::String),
            (&["-"], DataType::String),
        ] {
            assert_eq!(dtype_of(fields), expected, "{fields:?}");
        }
    }

    #[test]
    fn quotes_hide_separators_and_ends_of_lines() {
        let syntax = Syntax::new(b',', Some(b'"'), None, BTreeSet::new());
        let mut facts = [ColumnFacts::default(), ColumnFacts::default()];
        let text = b"\"a,\nb\",1\r\n\"say \"\"hi\"\"\",2";
        assert_eq!(examine(text, &syntax, &mut facts, &mut Oddities::default()).unwrap(), 2);
        assert_eq!(facts[0].first.as_deref(), Some("a,\nb"));
        assert_eq!(facts[1].dtype(), DataType::Int64);
    }

    #[test]
    fn a_row_with_too_many_fields_is_named() {
        let syntax = Syntax::new(b',', None, None, BTreeSet::new());
        let mut facts = [ColumnFacts::default()];
        assert_eq!(
            examine(b"1\n2,3\n", &syntax, &mut facts, &mut Oddities::default()),
            Err(Ragged { row: 1, found: 2 })
        );
    }
}

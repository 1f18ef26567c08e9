//! Which type pandas would give a column of a CSV file: one look at every field.

use super::facts::ColumnFacts;
use super::fields::Ends;
use super::quick::{Kind, Quick};
use super::syntax::Syntax;

/// What the engine's reader reads otherwise than pandas does.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Oddities {
    /// A line without characters, which pandas skips.
    pub blank_line: bool,
    /// A comment after fields.
    pub inline_comment: bool,
}

/// What there is in a file beside columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Rows.
    pub rows: usize,
    /// Whether a field stands in quotes.
    pub quotes: bool,
}

/// A line that has more or fewer fields than the header has.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Ragged {
    pub row: usize,
    pub found: usize,
}

/// Looks at all rows of `text`. Rows may end early, as pandas lets them; more fields are an error.
pub(super) fn examine(
    text: &[u8],
    syntax: &Syntax,
    columns: &mut [ColumnFacts],
    oddities: &mut Oddities,
) -> Result<Found, Ragged> {
    let (mut rows, mut at, mut unquoted, mut quotes) = (0, 0, vec![], false);
    let mut ends = Ends::new(text, syntax.separator);
    let mut quick: Vec<Quick> = columns.iter().map(|facts| Quick::of(facts, syntax)).collect();
    while at < text.len() {
        if let Some(end) = blank_or_comment(&text[at..], syntax) {
            oddities.blank_line |= Some(text[at]) != syntax.comment;
            at += end;
            continue;
        }
        let mut column = 0;
        loop {
            let Some(known) = quick.get_mut(column) else { return Err(Ragged { row: rows, found: column + 1 }) };
            let stop = ends.next(at);
            let mut ended = text.get(stop) != Some(&syntax.separator);
            let end = if ended && stop > at && text[stop - 1] == b'\r' { stop - 1 } else { stop };
            if !known.settles(text, at, end, syntax) {
                let facts = &mut columns[column];
                facts.absorb(known);
                if text.get(at).is_some_and(|first| Some(*first) == syntax.quote) {
                    let (field, next, last) = quoted_field(&text[at..], syntax, &mut unquoted);
                    facts.quoted_empty |= field.is_empty();
                    oddities.inline_comment |= has_comment(field, syntax);
                    facts.see(field, syntax);
                    (at, ended, quotes) = (at + next, last, true);
                } else {
                    let field = &text[at..end];
                    oddities.inline_comment |= has_comment(field, syntax);
                    facts.see(field, syntax);
                    known.note_missing(field, facts);
                    at = stop + 1;
                }
                known.kind = Kind::of(facts, syntax);
            } else {
                at = stop + 1;
            }
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
    columns.iter_mut().zip(&mut quick).for_each(|(facts, known)| facts.absorb(known));
    Ok(Found { rows, quotes })
}

fn has_comment(field: &[u8], syntax: &Syntax) -> bool {
    syntax.comment.is_some_and(|comment| field.contains(&comment))
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

#[cfg(test)]
mod tests {
    use super::super::syntax::MISSING_WORDS;
    use super::*;
    use polars::prelude::DataType;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn dtype_of(fields: &[&str]) -> DataType {
        let missing = MISSING_WORDS.iter().map(|word| word.as_bytes().to_vec()).collect();
        let syntax = Syntax::new(b',', Some(b'"'), None, missing);
        let mut facts = [ColumnFacts::default(), ColumnFacts::default()];
        let text: String = fields.iter().map(|field| format!("0,{field}\n")).collect();
        let mut oddities = Oddities::default();
        assert_eq!(examine(text.as_bytes(), &syntax, &mut facts, &mut oddities).unwrap().rows, fields.len());
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
        let found = examine(text, &syntax, &mut facts, &mut Oddities::default()).unwrap();
        assert_eq!(found, Found { rows: 2, quotes: true });
        assert_eq!(facts[0].first.as_deref(), Some("a,\nb"));
        assert_eq!(facts[1].dtype(), DataType::Int64);
    }

    /// Every field by itself, without what is made fast in [`examine`].
    fn examine_plainly(text: &[u8], syntax: &Syntax, columns: &mut [ColumnFacts]) -> usize {
        let (mut rows, mut at, mut unquoted) = (0, 0, vec![]);
        while at < text.len() {
            if let Some(end) = blank_or_comment(&text[at..], syntax) {
                at += end;
                continue;
            }
            let mut column = 0;
            loop {
                let (field, next, ended) = next_field(&text[at.min(text.len())..], syntax, &mut unquoted);
                columns[column].see(field, syntax);
                at += next;
                column += 1;
                if ended {
                    break;
                }
            }
            columns.iter_mut().skip(column).for_each(|facts| facts.see(b"", syntax));
            rows += 1;
        }
        rows
    }

    fn told(facts: &ColumnFacts) -> (DataType, bool, bool, BTreeSet<Vec<u8>>, bool, Option<String>) {
        (facts.dtype(), facts.missing, facts.present, facts.words.clone(), facts.spaced, facts.first.clone())
    }

    proptest! {
        #[test]
        fn fast_and_plain_looks_agree(
            rows in prop::collection::vec(
                prop::collection::vec(
                    prop::sample::select(&[
                        "", "0", "-7", "+12", "12345678", "123456789", "-1.5", "3.25", ".5", "1e3", "inf", "NA", "nan",
                        "-nan", "N14228", "UA", "True", "false", " 5", "5 ", "2013-01-01 05:00:00", "1.#IND",
                        "9223372036854775808", "\"1\"", "\"\"", "\"a,b\nc\"", "é", "-999", "1.2.3", "-", "x1",
                    ][..]),
                    1..4,
                ),
                0..40,
            ),
            carriage in any::<bool>(),
            numeric_word in any::<bool>(),
        ) {
            let mut missing: BTreeSet<Vec<u8>> = MISSING_WORDS.iter().map(|word| word.as_bytes().to_vec()).collect();
            if numeric_word {
                missing.insert(b"-999".to_vec());
            }
            let syntax = Syntax::new(b',', Some(b'"'), None, missing);
            let end = if carriage { "\r\n" } else { "\n" };
            let text: String = rows.iter().map(|row| row.join(",") + end).collect();
            let (mut fast, mut plain) = (vec![ColumnFacts::default(); 3], vec![ColumnFacts::default(); 3]);
            let found = examine(text.as_bytes(), &syntax, &mut fast, &mut Oddities::default()).unwrap();
            prop_assert_eq!(found.rows, examine_plainly(text.as_bytes(), &syntax, &mut plain));
            prop_assert_eq!(found.quotes, text.contains('"'));
            for (fast, plain) in fast.iter().zip(&plain) {
                prop_assert_eq!(told(fast), told(plain));
            }
        }
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

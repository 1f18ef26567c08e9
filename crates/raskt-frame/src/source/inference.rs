//! Which type pandas would give a column of a CSV file: one look at every field.

use super::facts::ColumnFacts;
use super::fields::Ends;
use super::quick::{Kind, Quick};
use super::syntax::Syntax;

/// Why a text is left to pandas: the engine's reader reads it otherwise, or not at all.
pub(super) type Odd = &'static str;

/// What there is in a text beside columns.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Found {
    /// Rows.
    pub rows: usize,
    /// Whether a field stands in quotes.
    pub quotes: bool,
    /// How many bytes whole rows take.
    pub bytes: usize,
}

/// Looks at the rows of `text`, which may be cut in its last row unless it is the `last` one. Rows may end early, as
/// pandas lets them.
pub(super) fn examine(text: &[u8], syntax: &Syntax, columns: &mut [ColumnFacts], last: bool) -> Result<Found, Odd> {
    let (mut found, mut at, mut unquoted) = (Found::default(), 0, vec![]);
    let mut counts = Counts::default();
    let mut ends = Ends::new(text, syntax.separator);
    let mut quick: Vec<Quick> = columns.iter().map(|facts| Quick::of(facts, syntax)).collect();
    let width = columns.len();
    'rows: while at < text.len() {
        if let Some(end) = comment_line(&text[at..], syntax)? {
            if end == text.len() - at && !last {
                break;
            }
            counts.add(count_special(&text[at..at + end], syntax));
            at += end;
            found.bytes = at;
            continue;
        }
        let (mut column, start, before) = (0, at, counts);
        loop {
            let Some(known) = quick.get_mut(column) else {
                return Err("lines with more fields than there are columns");
            };
            let stop = ends.next(at);
            if stop >= text.len() && !last {
                counts = before;
                break 'rows;
            }
            let mut ended = text.get(stop) != Some(&syntax.separator);
            let end = if ended && stop > at && text[stop - 1] == b'\r' { stop - 1 } else { stop };
            if !known.settles(text, at, end, syntax) {
                let facts = &mut columns[column];
                facts.absorb(known);
                if text.get(at).is_some_and(|first| Some(*first) == syntax.quote) {
                    let Some(field) = quoted_field(&text[at..], syntax, &mut unquoted) else {
                        if last {
                            return Err("a quote that is not closed");
                        }
                        counts = before;
                        break 'rows;
                    };
                    if at + field.next >= text.len() && !last && !text.ends_with(b"\n") {
                        counts = before;
                        break 'rows;
                    }
                    let all = field.all?;
                    facts.quoted_empty |= unquoted.is_empty();
                    check_comment(&unquoted, syntax)?;
                    facts.see(&unquoted, syntax);
                    counts.add(count_special(&text[at..at + all], syntax));
                    (at, ended, found.quotes) = (at + field.next, field.ended, true);
                } else {
                    let field = &text[at..end];
                    check_comment(field, syntax)?;
                    facts.see(field, syntax);
                    known.note_missing(field, facts);
                    counts.carriages += usize::from(end < stop);
                    at = stop + 1;
                }
                known.kind = Kind::of(facts, syntax);
            } else {
                counts.carriages += usize::from(end < stop);
                at = stop + 1;
            }
            column += 1;
            if ended {
                break;
            }
        }
        if column == 1 && width > 1 || width == 1 {
            check_spaces(&text[start..at.min(text.len())])?;
        }
        for facts in columns.iter_mut().skip(column) {
            facts.see(b"", syntax);
        }
        found.rows += 1;
        found.bytes = at.min(text.len());
    }
    columns.iter_mut().zip(&mut quick).for_each(|(facts, known)| facts.absorb(known));
    check_special(&text[..found.bytes], counts, syntax)?;
    Ok(found)
}

/// How many bytes there are that mean something only at certain places.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Counts {
    quotes: usize,
    carriages: usize,
}

impl Counts {
    fn add(&mut self, other: Self) {
        self.quotes += other.quotes;
        self.carriages += other.carriages;
    }
}

fn count_special(text: &[u8], syntax: &Syntax) -> Counts {
    Counts { quotes: syntax.quote.map_or(0, |quote| count(text, quote)), carriages: count(text, b'\r') }
}

/// Quotes and carriage returns at other places than those that were `accounted` for, and what is no text.
fn check_special(text: &[u8], accounted: Counts, syntax: &Syntax) -> Result<(), Odd> {
    if accounted == Counts::default() && is_plain(text, syntax) {
        return Ok(());
    }
    let found = count_special(text, syntax);
    match std::str::from_utf8(text) {
        _ if found.quotes != accounted.quotes => Err("quotes inside of fields"),
        _ if found.carriages != accounted.carriages => Err("carriage returns that end no line"),
        _ if count(text, 0) > 0 => Err("bytes of zeros"),
        Err(_) => Err("bytes that are not UTF-8"),
        Ok(_) => Ok(()),
    }
}

/// Whether there is nothing but ASCII without quotes, carriage returns and zeros, as in most files: one pass, where
/// [`check_special`] needs one for each.
fn is_plain(text: &[u8], syntax: &Syntax) -> bool {
    let quote = syntax.quote.unwrap_or(0);
    let odd = |byte: u8| byte & 0x80 | u8::from(byte == quote) | u8::from(byte == b'\r') | u8::from(byte == 0);
    text.chunks(PLAIN_BYTES).all(|block| block.iter().fold(0, |found, byte| found | odd(*byte)) == 0)
}

/// How often `byte` occurs, a block at a time.
fn count(text: &[u8], byte: u8) -> usize {
    let block = |block: &[u8]| usize::from(block.iter().fold(0_u8, |found, other| found + u8::from(*other == byte)));
    text.chunks(COUNTED_BYTES).map(block).sum()
}

/// Bytes that are looked at before the answer is.
const PLAIN_BYTES: usize = 1 << 12;
/// As many bytes as one byte can count, in whole vectors.
const COUNTED_BYTES: usize = 224;

/// A line of nothing but spaces, which pandas skips.
fn check_spaces(line: &[u8]) -> Result<(), Odd> {
    if line.iter().all(|byte| matches!(byte, b' ' | b'\t' | b'\r' | b'\n')) { Err("blank lines") } else { Ok(()) }
}

fn check_comment(field: &[u8], syntax: &Syntax) -> Result<(), Odd> {
    match syntax.comment {
        Some(comment) if field.contains(&comment) => Err("comments after values"),
        _ => Ok(()),
    }
}

/// The length of the comment at the start of `text`; a blank line there is left to pandas.
fn comment_line(text: &[u8], syntax: &Syntax) -> Result<Option<usize>, Odd> {
    match text[0] {
        b'\n' | b'\r' => Err("blank lines"),
        byte if Some(byte) == syntax.comment => {
            Ok(Some(text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1)))
        }
        _ => Ok(None),
    }
}

/// A field in quotes.
pub(super) struct Quoted {
    /// Its length with the quotes; an error if something follows that belongs to it.
    all: Result<usize, Odd>,
    /// Where the next field begins.
    pub next: usize,
    /// Whether the line ends with it.
    pub ended: bool,
}

/// The field in quotes at the start of `text`, its characters in `unquoted`; nothing if the quotes aren't closed.
fn quoted_field(text: &[u8], syntax: &Syntax, unquoted: &mut Vec<u8>) -> Option<Quoted> {
    let quote = text[0];
    unquoted.clear();
    let mut at = 1;
    loop {
        match (*text.get(at)? == quote, text.get(at + 1) == Some(&quote)) {
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
    at += 1;
    let rest = &text[at..];
    let end = rest.iter().position(|byte| *byte == syntax.separator || *byte == b'\n').unwrap_or(rest.len());
    let ended = rest.get(end) != Some(&syntax.separator);
    let all = match &rest[..end] {
        [] => Ok(at),
        [b'\r'] if ended => Ok(at + 1),
        _ => Err("characters after a closing quote"),
    };
    Some(Quoted { all, next: (at + end + 1).min(text.len()), ended })
}

/// The field at the start of `text` as it is meant, how far the next one is, and whether the line ends with it.
pub(super) fn next_field(text: &[u8], syntax: &Syntax, unquoted: &mut Vec<u8>) -> Option<(Vec<u8>, usize, bool)> {
    if text.first().is_some_and(|byte| Some(*byte) == syntax.quote) {
        let field = quoted_field(text, syntax, unquoted)?;
        field.all.ok()?;
        return Some((unquoted.clone(), field.next, field.ended));
    }
    let separator = syntax.separator;
    let end = text.iter().position(|byte| *byte == separator || *byte == b'\n').unwrap_or(text.len());
    let ended = text.get(end) != Some(&separator);
    let mut field = &text[..end];
    if ended {
        field = field.strip_suffix(b"\r").unwrap_or(field);
    }
    Some((field.to_vec(), (end + 1).min(text.len().max(1)), ended))
}

#[cfg(test)]
mod tests {
    use super::super::syntax::MISSING_WORDS;
    use super::*;
    use polars::prelude::DataType;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    fn dtype_of(fields: &[&str]) -> Option<DataType> {
        let missing = MISSING_WORDS.iter().map(|word| word.as_bytes().to_vec()).collect();
        let syntax = Syntax::new(b',', Some(b'"'), None, missing);
        let mut facts = [ColumnFacts::default(), ColumnFacts::default()];
        let text: String = fields.iter().map(|field| format!("0,{field}\n")).collect();
        assert_eq!(examine(text.as_bytes(), &syntax, &mut facts, true).unwrap().rows, fields.len());
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
            (&["\"1\"", "\"2\""], DataType::Int64),
            (&["1.2.3"], DataType::String),
            (&["e5"], DataType::String),
            (&["1e"], DataType::String),
            (&["-"], DataType::String),
        ] {
            assert_eq!(dtype_of(fields), Some(expected), "{fields:?}");
        }
        for fields in [&["9223372036854775808", "-1"][..], &["99999999999999999999"], &["9223372036854775808", "NA"]] {
            assert_eq!(dtype_of(fields), None, "{fields:?}");
        }
    }

    #[test]
    fn quotes_hide_separators_and_ends_of_lines() {
        let syntax = Syntax::new(b',', Some(b'"'), None, BTreeSet::new());
        let mut facts = [ColumnFacts::default(), ColumnFacts::default()];
        let text = b"\"a,\nb\",1\r\n\"say \"\"hi\"\"\",2";
        let found = examine(text, &syntax, &mut facts, true).unwrap();
        assert_eq!(found, Found { rows: 2, quotes: true, bytes: text.len() });
        assert_eq!(facts[0].first.as_deref(), Some("a,\nb"));
        assert_eq!(facts[1].dtype(), Some(DataType::Int64));
    }

    /// Every field by itself, without what is made fast in [`examine`].
    fn examine_plainly(text: &[u8], syntax: &Syntax, columns: &mut [ColumnFacts]) -> usize {
        let (mut rows, mut at, mut unquoted) = (0, 0, vec![]);
        while at < text.len() {
            let mut column = 0;
            loop {
                let (field, next, ended) = next_field(&text[at.min(text.len())..], syntax, &mut unquoted).unwrap();
                columns[column].see(&field, syntax);
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

    type Told = (Option<DataType>, bool, bool, BTreeSet<Vec<u8>>, bool, Option<String>);

    fn told(facts: &ColumnFacts) -> Told {
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
            let text: String = rows.iter().map(|row| format!("0,{}{end}", row.join(","))).collect();
            let text = text.as_bytes();
            let mut looks = [(); 3].map(|()| vec![ColumnFacts::default(); 4]);
            let [fast, cut, plain] = &mut looks;
            let found = examine(text, &syntax, fast, true).unwrap();
            prop_assert_eq!(found.rows, examine_plainly(text, &syntax, plain));
            prop_assert_eq!((found.quotes, found.bytes), (text.contains(&b'"'), text.len()));
            let first = examine(&text[..text.len() * 2 / 3], &syntax, cut, false).unwrap();
            let rest = examine(&text[first.bytes..], &syntax, cut, true).unwrap();
            prop_assert_eq!(first.rows + rest.rows, found.rows);
            for at in 0..4 {
                prop_assert_eq!(told(&fast[at]), told(&plain[at]));
                prop_assert_eq!(told(&cut[at]), told(&plain[at]));
            }
        }
    }

    #[test]
    fn a_plain_text_has_no_byte_that_means_something_only_at_certain_places() {
        let syntax = Syntax::new(b',', Some(b'"'), None, BTreeSet::new());
        let mut text = b"1,a\n".repeat(PLAIN_BYTES / 2);
        assert!(is_plain(&text, &syntax));
        for at in [0, PLAIN_BYTES - 1, PLAIN_BYTES, text.len() - 1] {
            let was = text[at];
            for odd in [b'"', b'\r', 0, 0x80, 0xff] {
                text[at] = odd;
                assert!(!is_plain(&text, &syntax), "{odd} at {at}");
            }
            text[at] = was;
        }
    }

    #[test]
    fn what_is_left_to_pandas_is_told() {
        let syntax = Syntax::new(b',', Some(b'"'), Some(b'#'), BTreeSet::new());
        for (text, expected) in [
            ("1,2\n2,3,4\n", "lines with more fields than there are columns"),
            ("1,2\n\n2,3\n", "blank lines"),
            ("1,2\n  \n2,3\n", "blank lines"),
            ("1,2 # two\n", "comments after values"),
            ("1,a\"b\n", "quotes inside of fields"),
            ("1,\"a\"b\n", "characters after a closing quote"),
            ("1,\"ab\n", "a quote that is not closed"),
            ("1,a\rb\n", "carriage returns that end no line"),
            ("1,\0\n", "bytes of zeros"),
        ] {
            let mut facts = [ColumnFacts::default(), ColumnFacts::default()];
            assert_eq!(examine(text.as_bytes(), &syntax, &mut facts, true), Err(expected), "{text:?}");
        }
        let mut facts = [ColumnFacts::default(), ColumnFacts::default()];
        assert_eq!(examine(b"1,\xe9\n", &syntax, &mut facts, true), Err("bytes that are not UTF-8"));
    }
}

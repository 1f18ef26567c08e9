use super::csv::CsvOptions;
use super::inference::{Odd, next_field};
use super::syntax::Syntax;

/// The names of the columns of a file, and where its rows begin.
pub(super) struct Header {
    /// The names, or the columns by position if no line has names.
    pub names: Vec<String>,
    /// How many bytes stand before the rows.
    pub bytes: usize,
    /// Whether a name stands in quotes.
    pub quotes: bool,
}

impl Header {
    /// The header at the start of `text`; an error says why it is left to pandas.
    pub(super) fn of(text: &[u8], options: &CsvOptions, syntax: &Syntax) -> Result<Self, Odd> {
        let mut at = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        for _ in 0..options.skip_rows {
            let skipped = &text[at..at + line(&text[at..])];
            if skipped.iter().any(|byte| Some(*byte) == syntax.quote) || is_blank(skipped) {
                return Err("quotes or nothing in the lines that are skipped");
            }
            at += skipped.len();
        }
        while at < text.len() && Some(text[at]) == syntax.comment {
            at += line(&text[at..]);
        }
        let first = &text[at..at + line(&text[at..])];
        if is_blank(first) {
            return Err("no names for its columns, or a blank line before them");
        }
        if syntax.comment.is_some_and(|comment| first.contains(&comment)) {
            return Err("a comment after the names of its columns");
        }
        let names = fields(first, syntax)?;
        let quotes = syntax.quote.is_some_and(|quote| first.contains(&quote));
        Ok(match options.has_header {
            true => Self { names: checked(names)?, bytes: at + first.len(), quotes },
            false => Self { names: (0..names.len()).map(|at| at.to_string()).collect(), bytes: at, quotes },
        })
    }
}

/// What some programs begin files in UTF-8 with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn is_blank(line: &[u8]) -> bool {
    line.iter().all(u8::is_ascii_whitespace)
}

fn line(text: &[u8]) -> usize {
    text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1)
}

fn fields(line: &[u8], syntax: &Syntax) -> Result<Vec<String>, Odd> {
    const ODD: Odd = "quotes or line breaks in the names of its columns that only pandas reads";
    let (mut found, mut at, mut unquoted) = (vec![], 0, vec![]);
    loop {
        let rest = &line[at.min(line.len())..];
        let is_quoted = rest.first().is_some_and(|byte| Some(*byte) == syntax.quote);
        let (field, next, ended) = next_field(rest, syntax, &mut unquoted).ok_or(ODD)?;
        if field.contains(&b'\r') || !is_quoted && field.iter().any(|byte| Some(*byte) == syntax.quote) {
            return Err(ODD);
        }
        found.push(String::from_utf8(field).map_err(|_| "bytes that are not UTF-8")?);
        at += next;
        if ended {
            return Ok(found);
        }
    }
}

/// Empty names are replaced as pandas does it; names that occur again are left to it.
fn checked(names: Vec<String>) -> Result<Vec<String>, Odd> {
    let name = |(at, name): (usize, String)| if name.is_empty() { format!("Unnamed: {at}") } else { name };
    let names: Vec<String> = names.into_iter().enumerate().map(name).collect();
    let repeated = names.iter().enumerate().any(|(at, name)| names[..at].contains(name));
    if repeated { Err("names of columns that occur again") } else { Ok(names) }
}

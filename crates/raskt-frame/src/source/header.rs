use super::csv::CsvOptions;
use super::inference::next_field;
use super::syntax::Syntax;
use crate::error::{FrameError, Result};
use polars::io::utils::compression::CompressedReader;
use polars::prelude::PolarsResult;
use std::fs;
use std::io::Read;
use std::path::Path;

/// The text of one CSV file, decompressed, cut in what comes before the rows and the rows.
pub(super) struct CsvText {
    text: Vec<u8>,
    rows_from: usize,
    /// The names in the header, or of the columns by position if there is none.
    pub names: Vec<String>,
}

impl CsvText {
    /// Reads the file (all of it, or about its first `limit` bytes) and its header. The memory of `buffer` is used again.
    pub(super) fn read(
        path: &Path,
        options: &CsvOptions,
        syntax: &Syntax,
        limit: Option<usize>,
        buffer: Vec<u8>,
    ) -> Result<Self> {
        let text = text_of(path, limit, buffer)?;
        let mut at = if text.starts_with(BYTE_ORDER_MARK) { BYTE_ORDER_MARK.len() } else { 0 };
        for _ in 0..options.skip_rows + options.header.unwrap_or(0) {
            at += line(&text[at..]);
        }
        while at < text.len() && (matches!(text[at], b'\n' | b'\r') || Some(text[at]) == syntax.comment) {
            at += line(&text[at..]);
        }
        let (fields, length) = fields(&text[at..], syntax);
        if fields.is_empty() {
            return Err(FrameError::Value(format!("the file `{}` is empty: no columns to read", path.display())));
        }
        match options.header {
            Some(_) => Ok(Self { names: distinct(fields), rows_from: at + length, text }),
            None => Ok(Self { names: (0..fields.len()).map(|at| at.to_string()).collect(), rows_from: at, text }),
        }
    }

    /// The rows.
    pub(super) fn rows(&self) -> &[u8] {
        &self.text[self.rows_from..]
    }

    /// The memory that it lies in.
    pub(super) fn into_buffer(self) -> Vec<u8> {
        self.text
    }
}

/// What some programs begin files in UTF-8 with.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

fn text_of(path: &Path, limit: Option<usize>, mut bytes: Vec<u8>) -> Result<Vec<u8>> {
    let unreadable = |error: &dyn std::fmt::Display| FrameError::Io(format!("the file `{}`: {error}", path.display()));
    let compressed = path.extension().is_some_and(|ending| ending == "gz" || ending == "zst" || ending == "zlib");
    let limit = limit.filter(|_| !compressed).unwrap_or(usize::MAX);
    bytes.clear();
    let mut file = fs::File::open(path).map_err(|error| unreadable(&error))?;
    let size = file.metadata().map_or(0, |about| about.len() as usize);
    // One byte more than there are, so that the end is found without asking for more memory.
    bytes.reserve(size.min(limit) + 1);
    (&mut file).take(limit as u64).read_to_end(&mut bytes).map_err(|error| unreadable(&error))?;
    if bytes.len() == limit {
        // A line that was cut in two would be read wrongly.
        let end = bytes.iter().rposition(|byte| *byte == b'\n').map_or(bytes.len(), |end| end + 1);
        bytes.truncate(end);
    }
    if !compressed {
        return Ok(bytes);
    }
    decompressed(bytes).map_err(|error| unreadable(&error))
}

fn decompressed(bytes: Vec<u8>) -> PolarsResult<Vec<u8>> {
    let mut text = vec![];
    CompressedReader::try_new(bytes.into())?.read_to_end(&mut text)?;
    Ok(text)
}

fn line(text: &[u8]) -> usize {
    text.iter().position(|byte| *byte == b'\n').map_or(text.len(), |end| end + 1)
}

fn fields(text: &[u8], syntax: &Syntax) -> (Vec<String>, usize) {
    let (mut found, mut at, mut unquoted) = (vec![], 0, vec![]);
    while at < text.len() {
        let (field, next, ended) = next_field(&text[at..], syntax, &mut unquoted);
        found.push(String::from_utf8_lossy(field).into_owned());
        at += next;
        if ended {
            break;
        }
    }
    (found, at)
}

/// Names that occur again get a number, and those that are empty a name, as pandas gives them.
fn distinct(names: Vec<String>) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    for (at, name) in names.into_iter().enumerate() {
        let name = if name.is_empty() { format!("Unnamed: {at}") } else { name };
        let mut candidate = name.clone();
        let mut count = 1;
        while found.contains(&candidate) {
            candidate = format!("{name}.{count}");
            count += 1;
        }
        found.push(candidate);
    }
    found
}

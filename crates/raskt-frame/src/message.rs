//! What the engine says, in the words of those who use frames: they know pandas' types and their files, and nothing of the
//! engine. The one place where its messages are read.

use polars::prelude::PolarsError;

/// A message of the engine about something that went wrong, in plain words.
pub(crate) fn in_plain_words(message: &str) -> String {
    let message = without_advice(message);
    if let Some(known) = known(message) {
        return known;
    }
    let told = with_pandas_types(message);
    match is_inner(&told) {
        true => "the dataframe engine can't do this with columns of these types or with this file".into(),
        false => told,
    }
}

/// What is said of a file whose bytes make no sense.
pub(crate) const DAMAGED: &str = "it is no Parquet file, or it is damaged";

/// How the message of an error begins that says at run time what raskt doesn't do.
pub(crate) const REFUSED: &str = "not supported: ";

/// How the message of an error begins that says at run time that a value is too large for its type.
pub(crate) const OVERFLOW: &str = "overflow: ";

/// The same of an error.
pub(crate) fn of_error(error: &PolarsError) -> String {
    in_plain_words(&error.to_string())
}

/// What only those know who wrote the engine.
const INNER_WORDS: [&str; 20] = [
    "polars",
    "lazyframe",
    "dataframe.",
    "supertype",
    "thrift",
    "schema_overrides",
    "infer_schema",
    "ignore_errors",
    "logical plan",
    "ir::",
    "dsl",
    "arrow",
    "rechunk",
    "physical",
    "dtype-",
    "chunkedarray",
    "streaming",
    "panicked",
    "unreachable",
    "specification",
];

/// Whether a text has words that only they understand.
fn is_inner(text: &str) -> bool {
    let lower = text.to_lowercase();
    INNER_WORDS.iter().any(|word| lower.contains(word))
}

/// What the operating system says when the file isn't at fault, as far as the engine passes it on.
const SYSTEM_WORDS: [&str; 6] = [
    "No space left on device",
    "Disk quota exceeded",
    "File too large",
    "Read-only file system",
    "Permission denied",
    "Too many open files",
];

/// The first lines: what follows talks about options and plans of the engine.
fn without_advice(message: &str) -> &str {
    let marks =
        ["\n\nThis error occurred", "\n\nYou might want to try", "\n\nResolved plan until failure", "\n\nHint:"];
    let end = marks.iter().filter_map(|mark| message.find(mark)).min().unwrap_or(message.len());
    message[..end].trim()
}

/// Messages that many meet.
fn known(message: &str) -> Option<String> {
    if message.contains("was called with no format and no time zone") {
        return Some("there are times with a zone among the values: pass utc=True, or a format with %z".into());
    }
    if let Some(time) = pair(message, "datetime '", "' is ", " in time zone") {
        return Some(match time {
            (time, "ambiguous") => format!("Cannot infer dst time from {time}, try using the 'ambiguous' argument"),
            (time, _) => format!(
                "{time} is a nonexistent time due to daylight savings time. Try using the 'nonexistent' argument."
            ),
        });
    }
    if let Some((value, dtype)) = pair(message, "could not parse `", "` as dtype `", "`") {
        let column =
            between(message, "at column '", "'").map(|name| format!(" in column `{name}`")).unwrap_or_default();
        let dtype = pandas_type(dtype).unwrap_or(dtype);
        return Some(format!(
            "`{value}`{column} can't be read as {dtype}; is the file still what it was when it was opened?"
        ));
    }
    if let Some(rest) = message.find("failed to determine supertype of ").map(|at| &message[at + 33..]) {
        let types = with_pandas_types(rest.lines().next().unwrap_or(rest));
        return Some(format!("values of types {types} have no type in common"));
    }
    if let Some((from, to)) = pair(message, "conversion from `", "` to `", "`") {
        let [from, to] = [from, to].map(|name| pandas_type(name).unwrap_or(name).to_owned());
        let column = between(message, "in column '", "'").filter(|name| !name.is_empty() && !is_inner(name));
        let column = column.map(|name| format!(" in column `{name}`")).unwrap_or_default();
        let values = between(message, "values: [", "]").map(|values| format!(": {values}")).unwrap_or_default();
        return Some(format!("values of {from}{column} can't become {to}{values}"));
    }
    if let Some(at) = SYSTEM_WORDS.iter().find_map(|words| message.find(words)) {
        return Some(message[at..].to_owned());
    }
    let lower = message.to_lowercase();
    let is_parquet = lower.contains("parquet") || lower.contains("out of specification") || lower.contains("thrift");
    is_parquet.then(|| DAMAGED.into())
}

fn between<'a>(text: &'a str, before: &str, after: &str) -> Option<&'a str> {
    let from = text.find(before)? + before.len();
    Some(&text[from..from + text[from..].find(after)?])
}

fn pair<'a>(text: &'a str, before: &str, middle: &str, after: &str) -> Option<(&'a str, &'a str)> {
    let from = text.find(before)? + before.len();
    let first = text[from..].find(middle)? + from;
    let second = first + middle.len();
    Some((&text[from..first], &text[second..second + text[second..].find(after)?]))
}

/// The text with pandas' names of types.
fn with_pandas_types(text: &str) -> String {
    let mut found = String::with_capacity(text.len());
    let mut word = String::new();
    for letter in text.chars().chain(['\0']) {
        if letter.is_alphanumeric() || letter == '_' || matches!(letter, '[' | ']') && !word.is_empty() {
            word.push(letter);
            continue;
        }
        found.push_str(pandas_type(&word).unwrap_or(&word));
        word.clear();
        if letter != '\0' {
            found.push(letter);
        }
    }
    found
}

fn pandas_type(name: &str) -> Option<&'static str> {
    Some(match name {
        "i8" => "int8",
        "i16" => "int16",
        "i32" => "int32",
        "i64" => "int64",
        "u8" => "uint8",
        "u16" => "uint16",
        "u32" => "uint32",
        "u64" => "uint64",
        "f32" => "float32",
        "f64" => "float64",
        "String" => "str",
        "Boolean" => "bool",
        "cat" | "enum" | "categorical" | "Enum" | "Categorical" => "category",
        "datetime[ms]" => "datetime64[ms]",
        "datetime[μs]" | "datetime[us]" => "datetime64[us]",
        "datetime[ns]" => "datetime64[ns]",
        "duration[ms]" => "timedelta64[ms]",
        "duration[μs]" | "duration[us]" => "timedelta64[us]",
        "duration[ns]" => "timedelta64[ns]",
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::in_plain_words;

    #[test]
    fn nothing_of_the_engine_is_told() {
        for (message, expected) in [
            (
                "could not parse `x` as dtype `i64` at column 'a' (column number 1)\n\nYou might want to try:\n- …",
                "`x` in column `a` can't be read as int64; is the file still what it was when it was opened?",
            ),
            (
                "failed to determine supertype of i64 and enum",
                "values of types int64 and category have no type in common",
            ),
            (
                "conversion from `str` to `f64` failed in column 'b' for 1 out of 3 values: [\"x\"]",
                "values of str in column `b` can't become float64: \"x\"",
            ),
            ("parquet: File out of specification: Invalid thrift", "it is no Parquet file, or it is damaged"),
            (
                "column _POLARS_TMP_47 is gone",
                "the dataframe engine can't do this with columns of these types or with this file",
            ),
            ("addition of `datetime[μs]` and i64", "addition of `datetime64[us]` and int64"),
            ("No space left on device (os error 28)", "No space left on device (os error 28)"),
            ("parquet: No space left on device (os error 28)", "No space left on device (os error 28)"),
        ] {
            assert_eq!(in_plain_words(message), expected);
        }
    }
}

//! One setting of a YAML file, changed in place: comments, order and all else stay.
//!
//! What can be found is a name on a line of its own, in groups by indentation or with dots. The result is read again and compared
//! with what is wanted, so that a file that is written in another way is left alone, with a sentence.

use figment::providers::{Format, Yaml};
use figment::value::Value as Parsed;
use raskt_config::{Key, Value};
use std::collections::BTreeMap;

/// The value that a text is: YAML where it is YAML, text else.
pub(super) fn parse_value(text: &str) -> Value {
    Yaml::from_str::<Parsed>(text).map_or_else(|_| text.into(), Value::from)
}

/// The text with the setting as `value`; why that can't be.
pub(super) fn set_in_text(text: &str, key: &str, value: &str) -> Result<String, String> {
    let value = value.trim();
    if value.contains(['\n', '\r']) {
        return Err("a value of several lines has to be written by hand".into());
    }
    let key = Key::parse(key).canonical().to_owned();
    let mut wanted = leaves(text)?;
    let nested: Vec<_> = wanted.keys().filter(|other| other.starts_with(&format!("{key}."))).cloned().collect();
    if let Some(member) = nested.first() {
        return Err(format!("`{key}` is a group there, with `{member}` in it"));
    }
    let by_hand =
        || format!("it is written in a way that can't be changed and keep its form: set `{key}: {value}` by hand");
    let lines: Vec<String> = text.lines().map(String::from).collect();
    let at = line_of(&lines, &key);
    if at.is_none() && wanted.contains_key(&key) {
        return Err(by_hand());
    }
    let changed = changed(lines, at, &key, value);
    flatten(&key, parse_value(value), &mut wanted);
    match leaves(&changed) {
        Ok(found) if found == wanted => Ok(changed),
        _ => Err(by_hand()),
    }
}

fn changed(mut lines: Vec<String>, at: Option<usize>, key: &str, value: &str) -> String {
    match at {
        Some(at) => lines[at] = with_value(&lines[at], value),
        None => lines.push(format!("{key}: {value}")),
    }
    lines.join("\n") + "\n"
}

/// The line on which a name has its value.
fn line_of(lines: &[String], key: &str) -> Option<usize> {
    let mut groups: Vec<(usize, String)> = vec![];
    for (at, line) in lines.iter().enumerate() {
        let trimmed = line.trim_start();
        let Some((name, _)) = trimmed.split_once(':').filter(|_| !trimmed.starts_with(['#', '-'])) else { continue };
        let indent = line.len() - trimmed.len();
        while groups.last().is_some_and(|(above, _)| *above >= indent) {
            groups.pop();
        }
        let name = name.trim().trim_matches(['"', '\'']).replace('_', "-");
        let whole = groups.last().map_or(name.clone(), |(_, group)| format!("{group}.{name}"));
        if whole == key {
            return Some(at);
        }
        groups.push((indent, whole));
    }
    None
}

/// The line with another value; what is said about it stays.
fn with_value(line: &str, value: &str) -> String {
    let (name, rest) = line.split_once(':').unwrap_or((line, ""));
    match comment(rest) {
        Some(comment) => format!("{name}: {value}  {comment}"),
        None => format!("{name}: {value}"),
    }
}

/// The comment after a value.
fn comment(rest: &str) -> Option<&str> {
    let start = rest.len() - rest.trim_start().len();
    let quote = rest[start..].chars().next().filter(|first| ['"', '\''].contains(first));
    let end = quote.and_then(|quote| rest[start + 1..].find(quote)).map_or(0, |end| start + 1 + end);
    let found = rest[end..].match_indices('#').find(|(at, _)| rest[..end + at].ends_with([' ', '\t']));
    found.map(|(at, _)| &rest[end + at..])
}

/// Each setting of a file, by its name.
fn leaves(text: &str) -> Result<BTreeMap<String, Value>, String> {
    let parsed = Yaml::from_str::<Parsed>(text).map_err(|error| format!("it is no YAML: {error}"))?;
    let mut leaves = BTreeMap::new();
    match Value::from(parsed) {
        Value::Null => {}
        Value::Map(items) => items.into_iter().for_each(|(name, value)| flatten(&name, value, &mut leaves)),
        other => return Err(format!("it holds {other}, and no settings by name")),
    }
    Ok(leaves)
}

fn flatten(key: &str, value: Value, into: &mut BTreeMap<String, Value>) {
    match value {
        Value::Map(items) if !items.is_empty() => {
            items.into_iter().for_each(|(name, value)| flatten(&format!("{key}.{name}"), value, into));
        }
        value => _ = into.insert(Key::parse(key).canonical().to_owned(), value),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn a_value_is_changed_where_it_stands_and_all_else_stays() {
        let file = "# mine\narray:\n  chunk_size: 1MiB  # small\n\nprogress.width: \"40\" # wide\n# end\n";
        let set = |key: &str, value: &str| set_in_text(file, key, value).unwrap();
        assert_eq!(set("array.chunk-size", "64MiB"), file.replace("1MiB", "64MiB"));
        assert_eq!(set("progress.width", "50"), file.replace("\"40\" #", "50  #"));
        assert_eq!(set("memory.limit", "1GiB"), format!("{file}memory.limit: 1GiB\n"));
        assert_eq!(set_in_text("", "num-workers", "4").unwrap(), "num-workers: 4\n");
        assert_eq!(set_in_text("a: 1", "num_workers", "4").unwrap(), "a: 1\nnum-workers: 4\n");
    }

    #[test]
    fn what_is_written_otherwise_is_left_alone() {
        for (file, key, value) in [
            ("array: {chunk-size: 1MiB}\n", "array.chunk-size", "2MiB"),
            ("text: >\n  memory.limit: 3\n", "memory.limit", "4"),
            ("memory:\n  limit: |\n    1GiB\n", "memory.limit", "2GiB"),
            ("array:\n  chunk-size: 1MiB\n", "array", "3"),
            ("[1, 2]", "num-workers", "4"),
            ("a: [", "num-workers", "4"),
            ("a: 1", "num-workers", "4\nb: 5"),
            ("a: 1", "num-workers", "4 # five\n"),
        ] {
            match set_in_text(file, key, value) {
                Ok(changed) => {
                    // It may be done where the result says just what is wanted.
                    let mut wanted = leaves(file).unwrap();
                    wanted.insert(key.into(), parse_value(value));
                    assert_eq!(leaves(&changed).unwrap(), wanted, "{file}");
                }
                Err(why) => assert!(!why.is_empty()),
            }
        }
        assert!(
            set_in_text("array: {chunk-size: 1MiB}\n", "array.chunk-size", "2MiB").unwrap_err().contains("by hand")
        );
        assert!(set_in_text("array:\n  chunk-size: 1MiB\n", "array", "3").unwrap_err().contains("group"));
    }

    proptest! {
        /// Whatever stands in a file: it is changed to say what is wanted and nothing else, or not at all.
        #[test]
        fn nothing_else_changes(
            text in proptest::collection::vec("[ab]?[a-c: #'\"|>{}\\[\\],.-]{0,12}", 0..6).prop_map(|lines| lines.join("\n")),
            key in "[ab](\\.[ab])?",
            value in "[0-9a-c#'\": ]{1,6}",
        ) {
            if let Ok(changed) = set_in_text(&text, &key, &value) {
                let mut wanted = leaves(&text).unwrap();
                flatten(&key, parse_value(value.trim()), &mut wanted);
                prop_assert_eq!(leaves(&changed).unwrap(), wanted);
                prop_assert!(changed.lines().count() >= text.lines().count());
            }
        }
    }
}

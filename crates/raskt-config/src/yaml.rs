//! YAML in, keys and values out.

use crate::{Error, Key, Value};
use figment::providers::{Format, Yaml};
use figment::value::Value as Parsed;
use std::path::Path;

/// One value as somebody writes it in a variable: YAML where it is YAML, text else.
pub(crate) fn parse_value(text: &str) -> Value {
    Yaml::from_str::<Parsed>(text).map_or_else(|_| text.into(), Value::from)
}

/// The settings that a file writes, with the line of each.
pub(crate) fn parse_file(path: &Path, text: &str) -> Result<Vec<(Key, Value, Option<usize>)>, Error> {
    let syntax = |message: String| Error::Syntax { path: path.into(), message };
    let parsed = Yaml::from_str::<Parsed>(text).map_err(|error| syntax(error.to_string()))?;
    let root = Key::from_parts(Vec::new());
    match Value::from(parsed) {
        Value::Null => Ok(Vec::new()),
        file @ Value::Map(_) => {
            let leaves = flatten(root, file).into_iter();
            Ok(leaves.map(|(key, value)| (key.clone(), value, line_of(&key, text))).collect())
        }
        other => Err(syntax(format!("it holds {other}"))),
    }
}

/// The values at the ends of nested maps, each under the key that leads to it.
pub(crate) fn flatten(key: Key, value: Value) -> Vec<(Key, Value)> {
    match value {
        Value::Map(items) if !items.is_empty() => {
            items.into_iter().flat_map(|(name, item)| flatten(key.join(&name), item)).collect()
        }
        leaf => vec![(key, leaf)],
    }
}

/// The line on which the last part of the key stands, each part looked for below the one before.
fn line_of(key: &Key, text: &str) -> Option<usize> {
    let mut lines = text.lines().enumerate();
    let mut found = None;
    for part in key.canonical().split('.') {
        let opens = |line: &str| line.trim_start().replace('_', "-").trim_matches('"').starts_with(&format!("{part}:"));
        // A dotted name stands on one line: `array.chunk-size: 1MiB`.
        let closes = |line: &str| line.replace('_', "-").contains(&format!("{}:", key.canonical()));
        let (number, _) = lines.find(|(_, line)| opens(line) || closes(line))?;
        found = Some(number + 1);
        if text.lines().nth(number).is_some_and(closes) {
            return found;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parsed(text: &str) -> Vec<(String, String, Option<usize>)> {
        let leaves = parse_file(Path::new("a.yaml"), text).unwrap();
        leaves.into_iter().map(|(key, value, line)| (key.canonical().into(), value.to_string(), line)).collect()
    }

    #[test]
    fn nested_and_dotted_names_are_the_same() {
        let expected = vec![("array.chunk-size".to_string(), "\"1MiB\"".to_string(), Some(3))];
        assert_eq!(parsed("# mine\narray:\n  chunk_size: 1MiB\n"), expected);
        let expected = vec![("array.chunk-size".to_string(), "\"1MiB\"".to_string(), Some(1))];
        assert_eq!(parsed("array.chunk-size: 1MiB\n"), expected);
    }

    #[test]
    fn an_empty_file_sets_nothing() {
        assert_eq!(parsed(""), vec![]);
        assert_eq!(parsed("# nothing\n"), vec![]);
    }

    #[test]
    fn a_file_of_something_else_says_what_it_holds() {
        let error = parse_file(Path::new("a.yaml"), "[1, 2]").unwrap_err();
        assert_eq!(error.to_string(), "a.yaml: not a YAML mapping of settings: it holds [1, 2]");
        let error = parse_file(Path::new("a.yaml"), "array: [1, 2").unwrap_err().to_string();
        assert!(error.contains("line 1"), "{error}");
    }

    #[test]
    fn variables_hold_yaml() {
        assert_eq!(parse_value("4"), Value::Integer(4));
        assert_eq!(parse_value("0.5"), Value::Float(0.5));
        assert_eq!(parse_value("null"), Value::Null);
        assert_eq!(parse_value("64MiB"), Value::Text("64MiB".into()));
        assert_eq!(parse_value("a: [b"), Value::Text("a: [b".into()));
    }
}

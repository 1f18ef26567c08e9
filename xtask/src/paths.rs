//! What a program names, of the standard library and of its own crate.

use crate::source::Token;

/// Crates that are the standard library, or a part of it.
const STANDARD: [&str; 3] = ["std", "core", "alloc"];

/// Every path of it, without the name of the crate, with its line: `use std::{a, b::c}` names two. A crate that is named by
/// itself, so that anything may be reached through it, is an empty path.
pub fn standard_paths(tokens: &[Token]) -> Vec<(String, usize)> {
    paths(tokens, &STANDARD, true)
}

/// Every path that begins with one of `roots`, without that, with its line.
pub fn paths_from(tokens: &[Token], roots: &[&str]) -> Vec<(String, usize)> {
    paths(tokens, roots, false)
}

fn paths(tokens: &[Token], roots: &[&str], by_itself: bool) -> Vec<(String, usize)> {
    let mut found = vec![];
    for (at, token) in tokens.iter().enumerate() {
        if !roots.contains(&token.text) || is_part_of_another(tokens, at) {
            continue;
        }
        match tokens.get(at + 1).map(|next| next.text) {
            Some("::") => _ = read_tree(tokens, at + 2, &mut vec![], &mut found),
            // The name of something else: a field, an argument, a function.
            Some(":" | "=" | "(" | "." | ")") if !follows_a_list(tokens, at) => {}
            _ if by_itself => found.push((String::new(), token.line)),
            _ => {}
        }
    }
    found
}

/// Whether the word at `at` goes on a path or names a field: then it isn't the crate.
fn is_part_of_another(tokens: &[Token], at: usize) -> bool {
    match at.checked_sub(1).map(|before| tokens[before].text) {
        Some("::") => at >= 2 && is_word(tokens[at - 2].text),
        Some("." | "fn" | "let" | "mod") => true,
        _ => false,
    }
}

fn follows_a_list(tokens: &[Token], at: usize) -> bool {
    at.checked_sub(1).is_some_and(|before| matches!(tokens[before].text, "use" | "{"))
}

fn is_word(text: &str) -> bool {
    text.starts_with(|letter: char| letter.is_alphanumeric() || letter == '_')
}

/// Reads what stands after `::`, and gives where it ends.
fn read_tree<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    way: &mut Vec<&'a str>,
    found: &mut Vec<(String, usize)>,
) -> usize {
    let depth = way.len();
    let line = tokens.get(at).map_or(0, |token| token.line);
    while let Some(token) = tokens.get(at) {
        match token.text {
            "{" => {
                at = read_list(tokens, at + 1, way, found);
                way.truncate(depth);
                return at;
            }
            text if is_word(text) || text == "*" => {
                way.push(text);
                at += 1;
                if tokens.get(at).is_none_or(|next| next.text != "::") {
                    break;
                }
                at += 1;
            }
            // `Vec::<u8>` and the like.
            _ => break,
        }
    }
    found.push((way.join("::"), line));
    way.truncate(depth);
    at
}

fn read_list<'a>(
    tokens: &[Token<'a>],
    mut at: usize,
    way: &mut Vec<&'a str>,
    found: &mut Vec<(String, usize)>,
) -> usize {
    while let Some(token) = tokens.get(at) {
        match token.text {
            "}" => return at + 1,
            "," => at += 1,
            "self" => {
                found.push((way.join("::"), token.line));
                at += 1;
            }
            // Under another name.
            "as" => at += 2,
            _ => {
                let end = read_tree(tokens, at, way, found);
                at = end.max(at + 1);
            }
        }
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source::tokens;

    fn paths(text: &str) -> Vec<String> {
        standard_paths(&tokens(text)).into_iter().map(|(path, _)| path).collect()
    }

    #[test]
    fn every_path_of_a_list_is_found() {
        assert_eq!(
            paths("use std::{fs, collections::{BTreeMap, HashMap as Map}, io::{self, Read}};"),
            ["fs", "collections::BTreeMap", "collections::HashMap", "io", "io::Read"]
        );
        assert_eq!(paths("let a = ::std::thread::spawn(b); core::mem::take(c)"), ["thread::spawn", "mem::take"]);
        assert_eq!(paths("use std::collections::*;"), ["collections::*"]);
        assert_eq!(paths("std::iter::from_fn::<u8, _>(f)"), ["iter::from_fn"]);
    }

    #[test]
    fn the_crate_by_itself_is_a_path_to_anything() {
        assert_eq!(paths("use std as s; extern crate std;"), ["", ""]);
        assert_eq!(paths("self.core(); a.std; my::core::b(); fn std() {} let core = 1;"), Vec::<String>::new());
    }
}

//! Sources of the pure crates against the list of what they may name.

use crate::paths::standard_paths;
use crate::source::{Token, tokens, without_tests};
use crate::table::{ALLOWED_PATHS, IMPURE_FILES, MORE_PATHS, WRITING_MACROS, layer};
use crate::workspace::Workspace;
use std::fs;

/// What the `lib.rs` of a pure crate says, so that no output depends on the order of a hash map.
const NO_HASH_ORDER: &str = "#![deny(clippy::iter_over_hash_type)]";

/// Everything that a pure crate names and mustn't, as sentences. Tests may.
pub fn check(workspace: &Workspace) -> Vec<String> {
    let pure = workspace.crates.iter().filter(|member| layer(&member.name).is_some_and(|layer| layer.is_pure()));
    let each = pure.flat_map(|member| {
        let lib = fs::read_to_string(member.folder.join("src/lib.rs")).unwrap_or_default();
        let denied =
            (!lib.contains(NO_HASH_ORDER)).then(|| format!("`{}` doesn't say `{NO_HASH_ORDER}`.", member.name));
        let files = member.files("src").into_iter();
        let files = files.filter(|file| !IMPURE_FILES.iter().any(|exception| file.path.ends_with(exception)));
        let wrong = files.flat_map(|file| check_text(&member.name, &file.name, &file.text));
        denied.into_iter().chain(wrong).collect::<Vec<_>>()
    });
    each.collect()
}

fn check_text(member: &str, file: &str, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let code = without_tests(&tokens);
    let mut wrong: Vec<_> = wrong_paths(member, &code).chain(wrong_macros(&code)).collect();
    wrong.sort();
    wrong.into_iter().map(|(line, what)| format!("{file}:{line}: {what}")).collect()
}

fn wrong_paths(member: &str, code: &[Token]) -> impl Iterator<Item = (usize, String)> {
    let own = MORE_PATHS.iter().filter(|(of, _)| *of == member).map(|(_, path)| *path);
    let allowed: Vec<_> = ALLOWED_PATHS.iter().copied().chain(own).collect();
    let is_allowed = move |path: &str| {
        allowed
            .iter()
            .any(|allowed| path.strip_prefix(allowed).is_some_and(|rest| rest.is_empty() || rest.starts_with("::")))
    };
    standard_paths(code).into_iter().filter(move |(path, _)| !is_allowed(path)).map(|(path, line)| {
        let path = if path.is_empty() { "std".to_string() } else { format!("std::{path}") };
        (line, format!("`{path}` isn't among what a pure crate may name (xtask/src/table.rs)."))
    })
}

fn wrong_macros(code: &[Token]) -> impl Iterator<Item = (usize, String)> {
    let called = code.windows(2).filter(|pair| pair[1].text == "!" && WRITING_MACROS.contains(&pair[0].text));
    called.map(|pair| (pair[0].line, format!("`{}!` touches the world, and this crate must not.", pair[0].text)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wrong(text: &str) -> Vec<String> {
        let found = check_text("raskt-schedule", "a.rs", text).into_iter();
        found.map(|text| text.split(" isn't").next().unwrap_or_default().to_string()).collect()
    }

    #[test]
    fn what_is_not_on_the_list_is_found_however_it_is_written() {
        assert_eq!(wrong("use std::{fs, fmt};"), ["a.rs:1: `std::fs`"]);
        assert_eq!(wrong("let now =\n    std::time::Instant::now();"), ["a.rs:2: `std::time::Instant::now`"]);
        assert_eq!(wrong("use std::collections::{HashMap, BTreeMap};"), ["a.rs:1: `std::collections::HashMap`"]);
        assert_eq!(wrong("use std::sync::{Arc, Mutex};"), ["a.rs:1: `std::sync::Mutex`"]);
        assert_eq!(wrong("use core::sync::atomic::AtomicU8;"), ["a.rs:1: `std::sync::atomic::AtomicU8`"]);
        assert_eq!(wrong("use std as s;"), ["a.rs:1: `std`"]);
        assert_eq!(wrong("use std::io;\nfn a() { println!(); }").len(), 2);
        assert_eq!(wrong("use std::fmt; use std::sync::Arc; std::mem::take(a);"), Vec::<String>::new());
    }

    #[test]
    fn the_world_may_be_touched_by_tests_and_named_by_comments_only() {
        let text = "// std::fs is for others\n#[cfg(test)]\nuse std::thread;\nuse std::env;\n#[cfg(test)]\nmod tests { use std::fs; }";
        assert_eq!(wrong(text), ["a.rs:4: `std::env`"], "what comes after a test is looked at");
    }

    #[test]
    fn one_crate_may_name_what_another_may_not() {
        assert_eq!(check_text("raskt-value", "a.rs", "use std::ptr::NonNull;"), Vec::<String>::new());
        assert_eq!(wrong("use std::ptr::NonNull;").len(), 1);
    }
}

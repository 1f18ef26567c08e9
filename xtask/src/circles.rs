//! Files of one crate that need each other in a circle, so that none of them can be read before the others.
//!
//! A file needs those whose items it names by `crate::…`, `super::…` or the name of a module in it. What it only hands on
//! (`pub use`) it doesn't need: whoever names that needs the file that it comes from.

use crate::paths::paths_from;
use crate::source::{Token, tokens, without_tests};
use crate::table::WITHOUT_CIRCLES;
use crate::workspace::{File, Workspace};
use std::collections::{BTreeMap, BTreeSet};

/// A module by its path within the crate; the root is empty.
type Module = Vec<String>;

/// Every circle of the crates that have none, as a sentence.
pub fn check(workspace: &Workspace) -> Vec<String> {
    let members = workspace.crates.iter().filter(|member| WITHOUT_CIRCLES.contains(&member.name.as_str()));
    let each = members.flat_map(|member| {
        let files = member.files("src").into_iter().filter_map(|file| Some((module_of(&file)?, file)));
        let files: BTreeMap<_, _> = files.collect();
        let texts = files.iter().map(|(module, file)| (module.clone(), file.text.as_str()));
        circles(&needs(&texts.collect())).into_iter().map(|circle| {
            let names: Vec<_> = circle.iter().map(|module| module.join("::")).collect();
            format!("files of `{}` need each other in a circle: {}.", member.name, names.join(", "))
        })
    });
    each.collect()
}

/// The module that a file is; nothing if only tests have it.
fn module_of(file: &File) -> Option<Module> {
    let (_, path) = file.name.split_once("src/")?;
    let mut module: Module = path.strip_suffix(".rs")?.split('/').map(String::from).collect();
    if module.iter().any(|part| part == "tests") {
        return None;
    }
    if matches!(module.last().map(String::as_str), Some("mod" | "lib")) {
        module.pop();
    }
    Some(module)
}

/// Which modules each of them needs.
fn needs(texts: &BTreeMap<Module, &str>) -> BTreeMap<Module, BTreeSet<Module>> {
    let code: BTreeMap<_, _> = texts.iter().map(|(module, text)| (module, without_tests(&tokens(text)))).collect();
    let handed_on = code.iter().flat_map(|(module, code)| {
        let public = absolute(module, &uses(code, true), texts).into_iter();
        public.filter_map(|path| Some(([module.as_slice(), &[path.last()?.clone()]].concat(), path)))
    });
    let handed_on: BTreeMap<Module, Module> = handed_on.collect();
    let each = code.iter().filter(|(module, _)| !module.is_empty()).map(|(module, code)| {
        let named = absolute(module, &uses(code, false), texts).into_iter();
        let needed = named.filter_map(|path| home_of(path, &handed_on, texts)).filter(|home| home != *module);
        ((*module).clone(), needed.collect())
    });
    each.collect()
}

/// The code without what it hands on (`pub use`), or only that.
fn uses<'a>(code: &[Token<'a>], handed_on: bool) -> Vec<Token<'a>> {
    let (mut found, mut at) = (vec![], 0);
    while at < code.len() {
        let start = at;
        if code[at].text == "pub" {
            at += 1;
            if code.get(at).is_some_and(|token| token.text == "(") {
                at += code[at..].iter().position(|token| token.text == ")").map_or(code.len(), |end| end + 1);
            }
            if code.get(at).is_some_and(|token| token.text == "use") {
                let end = code[at..].iter().position(|token| token.text == ";").map_or(code.len(), |end| at + end + 1);
                if handed_on {
                    found.extend(&code[at..end]);
                }
                at = end;
                continue;
            }
        }
        at = at.max(start + 1);
        if !handed_on {
            found.extend(&code[start..at.min(code.len())]);
        }
    }
    found
}

/// The paths of this crate that the code of `module` names, from the root on.
fn absolute(module: &[String], code: &[Token], texts: &BTreeMap<Module, &str>) -> Vec<Module> {
    let own = |path: &str| -> Module { path.split("::").map(String::from).collect() };
    let mut found: Vec<Module> = paths_from(code, &["crate"]).into_iter().map(|(path, _)| own(&path)).collect();
    for (path, _) in paths_from(code, &["super"]) {
        let path = own(&path);
        let up = path.iter().take_while(|part| *part == "super").count();
        let base = module.len().saturating_sub(up + 1);
        found.push([&module[..base], &path[up..]].concat());
    }
    // Modules within this one are named by themselves.
    let within = texts.keys().filter(|other| other.len() == module.len() + 1 && other.starts_with(module));
    for child in within {
        let name = child.last().map_or("", String::as_str);
        let base: Module = child.clone();
        found.extend(paths_from(code, &[name]).into_iter().map(|(path, _)| [base.as_slice(), &own(&path)].concat()));
    }
    found
}

/// The file that what a path names comes from: as far as it is known, the longest part of it that is a module.
fn home_of(path: Module, handed_on: &BTreeMap<Module, Module>, texts: &BTreeMap<Module, &str>) -> Option<Module> {
    let mut path = path;
    // What is handed on may be handed on again; never in a circle, or it wouldn't compile.
    while let Some((length, from)) =
        (1..=path.len()).rev().find_map(|length| Some((length, handed_on.get(&path[..length])?)))
    {
        path = [from.as_slice(), &path[length..]].concat();
    }
    let length = (1..=path.len()).rev().find(|length| texts.contains_key(&path[..*length]))?;
    Some(path[..length].to_vec())
}

/// Sets of modules each of which reaches all others of its set.
fn circles(needs: &BTreeMap<Module, BTreeSet<Module>>) -> Vec<BTreeSet<Module>> {
    let reached: BTreeMap<_, _> = needs.keys().map(|module| (module, reached_from(module, needs))).collect();
    let in_circle = needs.keys().filter(|module| reached[module].contains(*module));
    let sets = in_circle.map(|module| {
        let back = reached[module].iter().filter(|other| reached.get(other).is_some_and(|back| back.contains(module)));
        back.cloned().collect::<BTreeSet<_>>()
    });
    sets.collect::<BTreeSet<_>>().into_iter().collect()
}

fn reached_from(module: &Module, needs: &BTreeMap<Module, BTreeSet<Module>>) -> BTreeSet<Module> {
    let (mut reached, mut waiting) = (BTreeSet::new(), vec![module]);
    while let Some(module) = waiting.pop() {
        for need in needs.get(module).into_iter().flatten() {
            if reached.insert(need.clone()) {
                waiting.push(need);
            }
        }
    }
    reached
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(files: &[(&str, &'static str)]) -> Vec<String> {
        let own = |path: &str| path.split("::").filter(|part| !part.is_empty()).map(String::from).collect::<Module>();
        let texts: BTreeMap<_, _> = files.iter().map(|(path, text)| (own(path), *text)).collect();
        let named = |circle: &BTreeSet<Module>| circle.iter().map(|module| module.join("::")).collect::<Vec<_>>();
        circles(&needs(&texts)).iter().map(|circle| named(circle).join(" ")).collect()
    }

    #[test]
    fn files_that_name_each_other_are_a_circle() {
        assert_eq!(found(&[("a", "use crate::b::B;"), ("b", "fn c() { crate::a::d() }")]), ["a b"]);
        assert_eq!(
            found(&[("a", "use crate::{b::B, d};"), ("b", "use super::c;"), ("c", "use crate::a;"), ("d", "")]),
            ["a b c"]
        );
        assert_eq!(found(&[("a", "use crate::b::B;"), ("b", "#[cfg(test)] mod tests { use crate::a::A; }")]).len(), 0);
    }

    #[test]
    fn what_is_handed_on_is_needed_from_where_it_is() {
        let root = ("", "pub use a::A; pub use b::{B, C};");
        assert_eq!(found(&[root, ("a", "use crate::B;"), ("b", "use crate::A;")]), ["a b"]);
        assert_eq!(found(&[root, ("a", "use crate::B;"), ("b", "")]).len(), 0);
        let parent = ("p", "mod a; pub(crate) use a::A; use b::B;");
        assert_eq!(
            found(&[parent, ("p::a", "use super::c;"), ("p::b", ""), ("p::c", "use crate::p::A;")]),
            ["p::a p::c"]
        );
        assert_eq!(found(&[parent, ("p::a", ""), ("p::b", "use super::D;")]), ["p p::b"]);
    }
}

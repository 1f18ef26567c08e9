//! How large files are, and whether they say what they are about.

use crate::source::code_lines;
use crate::table::{CODE_LINES, LONG_FILES, SCREEN, UNTOLD_FILES};
use crate::workspace::{File, Workspace};

/// Every file that is too long, and every crate with more files than before that don't say what they are about.
pub fn check(workspace: &Workspace) -> Vec<String> {
    let mut wrong = vec![];
    for member in &workspace.crates {
        let files: Vec<_> =
            ["src", "tests", "examples", "benches"].iter().flat_map(|part| member.files(part)).collect();
        wrong.extend(files.iter().filter_map(|file| check_length(file, LONG_FILES)));
        wrong.extend(check_told(&member.name, &files, UNTOLD_FILES));
    }
    wrong
}

fn check_length(file: &File, long: &[(&str, usize)]) -> Option<String> {
    let name = &file.name;
    let (lines, code) = (file.text.lines().count(), code_lines(&file.text));
    if name.ends_with("src/lib.rs") {
        return (lines > SCREEN).then(|| format!("{name} has {lines} lines; a `lib.rs` is a screen of {SCREEN}."));
    }
    match long.iter().find(|(path, _)| path == name) {
        Some(&(_, allowed)) if code > allowed => {
            Some(format!("{name} has {code} lines of code; it had {allowed}, and may only become shorter."))
        }
        Some(_) if code <= CODE_LINES => {
            Some(format!("{name} isn't too long any more: take it off the list (xtask/src/table.rs)."))
        }
        Some(_) => None,
        None => (code > CODE_LINES).then(|| format!("{name} has {code} lines of code, and may have {CODE_LINES}.")),
    }
}

fn check_told(member: &str, files: &[File], untold: &[(&str, usize)]) -> Option<String> {
    let silent: Vec<_> = files.iter().filter(|file| !file.text.starts_with("//!")).collect();
    let allowed = untold.iter().find(|(name, _)| *name == member).map_or(0, |(_, allowed)| *allowed);
    let last = silent.last().filter(|_| silent.len() > allowed)?;
    Some(format!(
        "{} files of `{member}` don't open with `//!` and say what they are about, {} among them; {allowed} were so.",
        silent.len(),
        last.name
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn file(name: &str, text: String) -> File {
        File { path: name.into(), name: name.into(), text }
    }

    #[test]
    fn files_have_a_bound_and_longer_ones_only_shrink() {
        let long = [("a/src/b.rs", 400)];
        let check = |name: &str, lines: usize| check_length(&file(name, "a;\n// b\n\n".repeat(lines)), &long);
        assert_eq!(check("a/src/c.rs", 350), None);
        assert!(check("a/src/c.rs", 351).unwrap().contains("351 lines of code"));
        assert_eq!(check("a/src/b.rs", 400), None);
        assert!(check("a/src/b.rs", 401).unwrap().contains("only become shorter"));
        assert!(check("a/src/b.rs", 350).unwrap().contains("off the list"));
        assert!(check("a/src/lib.rs", SCREEN / 3 + 1).unwrap().contains("a screen"));
    }

    #[test]
    fn no_more_files_than_before_are_silent() {
        let files = [file("a.rs", "//! Says it.\n".into()), file("b.rs", "use c;\n".into())];
        assert!(check_told("d", &files, &[]).unwrap().contains("b.rs among them"));
        assert_eq!(check_told("d", &files, &[("d", 1)]), None);
    }
}

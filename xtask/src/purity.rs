//! Sources of the pure crates against the list of what they may not name.

use crate::table::{IMPURE_FILES, IMPURE_PATHS, layer};
use crate::workspace::Workspace;
use std::fs;
use std::path::{Path, PathBuf};

/// Every line of a pure crate that touches the world, as a sentence. Tests may.
pub fn check(workspace: &Workspace) -> Vec<String> {
    let pure = workspace.crates.iter().filter(|member| layer(&member.name).is_some_and(|layer| layer.is_pure()));
    let files = pure.flat_map(|member| rust_files(&member.folder.join("src")));
    let files = files.filter(|path| !IMPURE_FILES.iter().any(|exception| path.ends_with(exception)));
    files.flat_map(|path| check_text(&path, &fs::read_to_string(&path).unwrap_or_default())).collect()
}

fn check_text(path: &Path, text: &str) -> Vec<String> {
    let before_tests = text.split("#[cfg(test)]").next().unwrap_or_default();
    let code = before_tests.lines().enumerate().filter(|(_, line)| !line.trim_start().starts_with("//"));
    code.flat_map(|(number, line)| {
        let named = IMPURE_PATHS.iter().filter(|(impure, _)| line.contains(impure));
        named.map(move |(impure, effect)| {
            format!("{}:{}: `{impure}` {effect}, and this crate must not.", path.display(), number + 1)
        })
    })
    .collect()
}

fn rust_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut paths: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    paths.sort();
    let nested = paths.iter().filter(|path| path.is_dir()).flat_map(|path| rust_files(path));
    let own = paths.iter().filter(|path| path.extension().is_some_and(|extension| extension == "rs")).cloned();
    own.chain(nested).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_world_may_be_touched_by_tests_and_named_by_comments_only() {
        let text = "// std::fs is for others\nlet now = Instant::now();\n#[cfg(test)]\nuse std::thread;\n";
        assert_eq!(
            check_text(Path::new("a.rs"), text),
            ["a.rs:2: `Instant::now` reads the clock, and this crate must not."]
        );
    }
}

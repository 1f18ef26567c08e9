use crate::error::{FrameError, Result};
use std::fs;
use std::path::{Path, PathBuf};

/// The files that `paths` mean, in order: a file as it is, a folder's files with one of `endings` (folders in it
/// included), what a pattern with `*`, `?` or `[...]` in file or folder names matches.
pub fn expand_paths(paths: &[String], endings: &[&str]) -> Result<Vec<PathBuf>> {
    let mut found = vec![];
    for path in paths {
        let path = path.strip_prefix("file://").unwrap_or(path);
        if path.contains("://") {
            let scheme = path.split("://").next().unwrap_or_default();
            return Err(FrameError::NotImplemented(format!("files can't be read from `{scheme}://` yet: `{path}`")));
        }
        let before = found.len();
        if Path::new(path).is_file() {
            found.push(PathBuf::from(path));
        } else if Path::new(path).is_dir() {
            add_folder(Path::new(path), endings, &mut found)?;
        } else if path.contains(['*', '?', '[']) {
            found.extend(matches(path)?);
        } else {
            return Err(FrameError::NotFound(format!("no such file or folder: `{path}`")));
        }
        if found.len() == before {
            let endings = endings.join("`, `");
            return Err(FrameError::NotFound(match Path::new(path).is_dir() {
                true => format!("the folder `{path}` holds no file that ends in `{endings}`"),
                false => format!("no file matches `{path}`"),
            }));
        }
    }
    if found.is_empty() {
        return Err(FrameError::Value("no path was given".into()));
    }
    Ok(found)
}

/// Files in name order; hidden ones and those that start with `_` are somebody's notes.
fn add_folder(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) -> Result<()> {
    for path in sorted_entries(folder)? {
        let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
        if name.starts_with(['.', '_']) {
            continue;
        }
        if path.is_dir() {
            add_folder(&path, endings, found)?;
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
    Ok(())
}

fn sorted_entries(folder: &Path) -> Result<Vec<PathBuf>> {
    let unreadable = |error: std::io::Error| FrameError::Io(format!("the folder `{}`: {error}", folder.display()));
    let mut entries: Vec<PathBuf> = vec![];
    for entry in fs::read_dir(folder).map_err(unreadable)? {
        entries.push(entry.map_err(unreadable)?.path());
    }
    entries.sort_by_cached_key(|path| natural_key(path));
    Ok(entries)
}

/// Text and numbers of a name in turn, so that part 2 comes before part 10; then the name itself, which tells part 2 from
/// part 02.
fn natural_key(path: &Path) -> (Vec<(String, u64)>, PathBuf) {
    (pieces(&path.to_string_lossy()), path.to_owned())
}

fn pieces(name: &str) -> Vec<(String, u64)> {
    let mut found = vec![];
    let mut rest = name;
    while !rest.is_empty() {
        let text = rest.find(|letter: char| letter.is_ascii_digit()).unwrap_or(rest.len());
        let number = rest[text..].find(|letter: char| !letter.is_ascii_digit()).map_or(rest.len(), |end| text + end);
        found.push((rest[..text].to_string(), rest[text..number].parse().unwrap_or(0)));
        rest = &rest[number..];
    }
    found
}

/// The files whose path matches `pattern`, name by name.
fn matches(pattern: &str) -> Result<Vec<PathBuf>> {
    let mut candidates = vec![if pattern.starts_with('/') { PathBuf::from("/") } else { PathBuf::new() }];
    for part in pattern.split('/').filter(|part| !part.is_empty()) {
        let mut next = vec![];
        for folder in candidates {
            if !part.contains(['*', '?', '[']) {
                let path = folder.join(part);
                next.extend(path.exists().then_some(path));
                continue;
            }
            let listed = if folder.as_os_str().is_empty() { Path::new(".") } else { &folder };
            if listed.is_dir() {
                for path in sorted_entries(listed)? {
                    let name = path.file_name().unwrap_or_default().to_string_lossy().to_string();
                    if (!name.starts_with('.') || part.starts_with('.')) && name_matches(&name, part) {
                        next.push(folder.join(name));
                    }
                }
            }
        }
        candidates = next;
    }
    Ok(candidates.into_iter().filter(|path| path.is_file()).collect())
}

/// Whether `name` is of the form `pattern`, with `*`, `?` and `[a-z]` as shells read them.
fn name_matches(name: &str, pattern: &str) -> bool {
    let (name, pattern): (Vec<char>, Vec<char>) = (name.chars().collect(), pattern.chars().collect());
    matches_from(&name, &pattern)
}

fn matches_from(name: &[char], pattern: &[char]) -> bool {
    match pattern.first() {
        None => name.is_empty(),
        Some('*') => (0..=name.len()).any(|skipped| matches_from(&name[skipped..], &pattern[1..])),
        Some('?') => !name.is_empty() && matches_from(&name[1..], &pattern[1..]),
        Some('[') => match (name.first(), pattern.iter().position(|letter| *letter == ']')) {
            (Some(letter), Some(end)) => {
                in_class(*letter, &pattern[1..end]) && matches_from(&name[1..], &pattern[end + 1..])
            }
            (found, _) => found == Some(&'[') && matches_from(&name[1..], &pattern[1..]),
        },
        Some(letter) => name.first() == Some(letter) && matches_from(&name[1..], &pattern[1..]),
    }
}

fn in_class(letter: char, class: &[char]) -> bool {
    let (negated, class) = match class.first() {
        Some('!' | '^') => (true, &class[1..]),
        _ => (false, class),
    };
    let mut at = 0;
    let mut found = false;
    while at < class.len() {
        if at + 2 < class.len() && class[at + 1] == '-' {
            found |= class[at] <= letter && letter <= class[at + 2];
            at += 3;
        } else {
            found |= class[at] == letter;
            at += 1;
        }
    }
    found != negated
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_read_as_in_a_shell() {
        for (name, pattern, expected) in [
            ("part.0.csv", "part.*.csv", true),
            ("part.0.csv", "part.?.csv", true),
            ("part.10.csv", "part.?.csv", false),
            ("b.csv", "[a-c].csv", true),
            ("d.csv", "[!a-c].csv", true),
            ("a.csv", "*.parquet", false),
        ] {
            assert_eq!(name_matches(name, pattern), expected, "{name} {pattern}");
        }
    }

    #[test]
    fn numbers_in_names_count_as_numbers() {
        let mut names = ["part.10.csv", "part.2.csv", "part.1.csv"].map(PathBuf::from);
        names.sort_by_cached_key(|path| natural_key(path));
        assert_eq!(names.map(|path| path.to_string_lossy().to_string()), ["part.1.csv", "part.2.csv", "part.10.csv"]);
    }

    #[test]
    fn names_of_equal_numbers_are_in_one_order() {
        let expected = ["a.csv", "p01.csv", "p1.csv", "p002.csv", "p02.csv", "p2.csv"].map(PathBuf::from);
        for turn in 0..expected.len() {
            let mut names = expected.clone();
            names.rotate_left(turn);
            names.sort_by_cached_key(|path| natural_key(path));
            assert_eq!(names, expected);
        }
    }

    #[test]
    fn what_is_not_there_is_named() {
        let error = expand_paths(&["/nowhere/x.csv".into()], &[".csv"]).unwrap_err();
        assert_eq!(error.to_string(), "no such file or folder: `/nowhere/x.csv`");
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().to_string_lossy().to_string();
        assert!(matches!(expand_paths(&[path], &[".csv"]), Err(FrameError::NotFound(_))));
    }
}

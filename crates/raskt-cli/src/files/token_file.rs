//! The token of this user's clusters.

use crate::failure::Failure;
use raskt_cluster::{Token, usual};
use std::fs;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

/// Where it is unless somebody says otherwise.
pub(crate) fn usual_token_file() -> Result<PathBuf, Failure> {
    let none =
        || Failure::usage("there is no place for a token file, since HOME isn't set: name one by `--token-file`");
    usual::token_file().ok_or_else(none)
}

/// The token in that file, which is made if it isn't there.
pub(crate) fn read_or_create(path: &Path) -> Result<Token, Failure> {
    if !path.exists() {
        create(path)?;
    }
    Token::read(path).map_err(Failure::usage)
}

/// Makes it: whoever reads it meanwhile sees none, or all of it. If somebody else makes one at the same time, that one stays.
fn create(path: &Path) -> Result<(), Failure> {
    let failed = |error: &dyn std::fmt::Display| {
        Failure::usage(format!("token file `{}` can't be made: {error}", path.display()))
    };
    if let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        let made = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
        made.map_err(|error| failed(&error))?;
    }
    let beside = path.with_extension(format!("new-{}", std::process::id()));
    let token = Token::random().map_err(|error| failed(&error))?;
    let _ = fs::remove_file(&beside);
    token.create(&beside).map_err(|error| failed(&error))?;
    let linked = fs::hard_link(&beside, path);
    let _ = fs::remove_file(&beside);
    match linked {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(failed(&error)),
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn those_who_come_at_once_have_one_token() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("deep/er/token");
        // Each process makes a file of its own before it is the token; threads of one would share its name.
        read_or_create(&path).unwrap();
        let text = fs::read_to_string(&path).unwrap();
        std::thread::scope(|scope| {
            (0..8).for_each(|_| _ = scope.spawn(|| read_or_create(&path).unwrap()));
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), text);
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(path.parent().unwrap().metadata().unwrap().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(path.parent().unwrap()).unwrap().count(), 1);
    }
}

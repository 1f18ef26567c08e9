//! The secret that makes processes one cluster.
//!
//! A token is 256 random bits in a file that its owner alone may read. It never crosses the wire: both sides prove that they
//! have it (see `hello`). From the token of the whole cluster follow those of each role, so that a worker may be given one by
//! which it can only come as a worker.

use crate::hello::Role;
use ring::hmac;
use rustix::fs::{Mode, OFlags};
use std::fmt;
use std::fs::File;
use std::io::{self, Read, Write};
use std::os::unix::fs::MetadataExt;
use std::path::Path;

/// Bytes of a token.
const TOKEN_BYTES: usize = 32;
/// A longer file isn't one with a token.
const FILE_BYTES_MAX: u64 = 256;
/// What the line in the file begins with.
const PREFIX: &str = "raskt-token-1";
/// In the file, for a token that isn't of one role.
const ANY_ROLE: &str = "any";

/// A secret; it prints as nothing.
#[derive(Clone)]
pub struct Token {
    secret: [u8; TOKEN_BYTES],
    /// Whose it is; that of the whole cluster if nobody's.
    scope: Option<Role>,
    /// Whether this process has found it, and nobody has given it.
    is_found: bool,
}

impl Token {
    /// A new one of the whole cluster.
    pub fn random() -> io::Result<Self> {
        Ok(Self { secret: crate::random::random()?, scope: None, is_found: false })
    }

    /// What somebody gets who shall only come as `role`; nothing if this one is another role's.
    pub fn scoped(&self, role: Role) -> Option<Self> {
        match self.scope {
            Some(own) => (own == role).then(|| self.clone()),
            None => {
                let key = hmac::Key::new(hmac::HMAC_SHA256, &self.secret);
                let tag = hmac::sign(&key, format!("raskt role {role}").as_bytes());
                let secret = tag.as_ref().try_into().expect("SHA-256 has 32 bytes");
                Some(Self { secret, scope: Some(role), is_found: self.is_found })
            }
        }
    }

    /// The same, for a process that has found it where the tokens of its user are, or where the file of a scheduler says, and to which
    /// nobody has given it. To whoever listens where another process did it is proven in such a way that he can't pass that on (see
    /// `hello`), and so it doesn't go through ports that are forwarded.
    pub fn found(self) -> Self {
        Self { is_found: true, ..self }
    }

    /// Whether nobody has given it to this process.
    pub(crate) fn is_found(&self) -> bool {
        self.is_found
    }

    /// The key by which a peer of `role` is known; nothing if this token is another role's.
    pub(crate) fn key(&self, role: Role) -> Option<hmac::Key> {
        self.scoped(role).map(|token| hmac::Key::new(hmac::HMAC_SHA256, &token.secret))
    }

    /// What somebody says who is known as `role` by nothing but that, and what the file of a token of that role has; nothing if this
    /// one is another role's.
    pub fn bearer(&self, role: Role) -> Option<String> {
        Some(hexadecimal(&self.scoped(role)?.secret))
    }

    /// Writes it to a file that doesn't exist yet and that nobody else may read.
    pub fn create(&self, path: &Path) -> Result<(), TokenError> {
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let opened = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR);
        let mut file = File::from(opened.map_err(|error| TokenError::file("created", path, error.into()))?);
        let scope = self.scope.map_or(ANY_ROLE.to_owned(), |role| role.to_string());
        let secret = hexadecimal(&self.secret);
        writeln!(file, "{PREFIX} {scope} {secret}").map_err(|error| TokenError::file("written", path, error))
    }

    /// Reads it from a file, if nobody else may.
    pub fn read(path: &Path) -> Result<Self, TokenError> {
        let failed = |error| TokenError::file("read", path, error);
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::NONBLOCK;
        let opened = rustix::fs::open(path, flags, Mode::empty());
        let file = File::from(opened.map_err(|error| failed(error.into()))?);
        let about = file.metadata().map_err(failed)?;
        let refused = |why| TokenError::Unsafe { path: path.display().to_string(), why };
        if !about.is_file() || about.len() > FILE_BYTES_MAX {
            return Err(refused("is no short regular file".to_owned()));
        }
        if about.mode() & 0o077 != 0 {
            return Err(refused(format!("may be used by others (mode {:o}): `chmod 600` it", about.mode() & 0o777)));
        }
        let own = rustix::process::geteuid().as_raw();
        if about.uid() != own && about.uid() != 0 {
            return Err(refused(format!("belongs to user {} and not to user {own}", about.uid())));
        }
        let mut text = String::new();
        file.take(FILE_BYTES_MAX).read_to_string(&mut text).map_err(failed)?;
        Self::parse(&text).ok_or_else(|| refused("holds no token".to_owned()))
    }

    fn parse(text: &str) -> Option<Self> {
        let mut words = text.split_ascii_whitespace();
        (words.next()? == PREFIX).then_some(())?;
        let scope = match words.next()? {
            ANY_ROLE => None,
            role => Some(role.parse().ok()?),
        };
        let digits = words.next()?;
        let is_whole = digits.len() == 2 * TOKEN_BYTES && digits.is_ascii() && words.next().is_none();
        is_whole.then_some(())?;
        let mut secret = [0; TOKEN_BYTES];
        for (byte, at) in secret.iter_mut().zip((0..).step_by(2)) {
            *byte = u8::from_str_radix(&digits[at..at + 2], 16).ok()?;
        }
        Some(Self { secret, scope, is_found: false })
    }
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

impl fmt::Debug for Token {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Token(..)")
    }
}

/// Why there is no token.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file system says no.
    #[error("token file `{path}` can't be {what}: {source}")]
    File {
        /// What was tried.
        what: &'static str,
        /// Where.
        path: String,
        /// Why not.
        source: io::Error,
    },
    /// Others may know it, or it is none.
    #[error("token file `{path}` {why}")]
    Unsafe {
        /// Where.
        path: String,
        /// What is wrong with it.
        why: String,
    },
}

impl TokenError {
    fn file(what: &'static str, path: &Path, source: io::Error) -> Self {
        Self::File { what, path: path.display().to_string(), source }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::{PermissionsExt, symlink};

    #[test]
    fn a_token_comes_back_from_its_file_which_nobody_else_may_read() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        let token = Token::random().unwrap();
        token.create(&path).unwrap();
        assert_eq!(path.metadata().unwrap().mode() & 0o777, 0o600);
        assert_eq!(Token::read(&path).unwrap().secret, token.secret);
        assert!(token.create(&path).is_err(), "nothing is written over");
        let worker = token.scoped(Role::Worker).unwrap();
        worker.create(&folder.path().join("worker")).unwrap();
        let read = Token::read(&folder.path().join("worker")).unwrap();
        assert_eq!((read.secret, read.scope), (worker.secret, Some(Role::Worker)));
        assert_ne!(worker.secret, token.secret);
        assert!(read.scoped(Role::Client).is_none());
        assert!(!read.is_found() && token.found().scoped(Role::Worker).unwrap().is_found());
    }

    #[test]
    fn files_that_others_could_have_read_or_made_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("token");
        Token::random().unwrap().create(&path).unwrap();
        let link = folder.path().join("link");
        symlink(&path, &link).unwrap();
        assert!(Token::read(&link).is_err());
        assert!(Token::random().unwrap().create(&link).is_err());
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o640)).unwrap();
        assert!(Token::read(&path).unwrap_err().to_string().contains("chmod 600"));
        assert!(Token::read(folder.path()).is_err());
    }

    #[test]
    fn what_is_no_token_is_refused() {
        let good = format!("{PREFIX} any {}", "0a".repeat(32));
        assert!(Token::parse(&good).is_some());
        for bad in ["", "raskt-token-1", &good[..good.len() - 1], &format!("{good} x"), &good.replace("any", "king")] {
            assert!(Token::parse(bad).is_none(), "{bad}");
        }
        assert!(Token::parse(&good.replace("0a", "ü")).is_none());
        assert_eq!(format!("{:?}", Token::parse(&good).unwrap()), "Token(..)");
    }
}

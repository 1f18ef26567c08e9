//! What a process knows others by: a token file, certificates.

use crate::failure::Failure;
use crate::files::{Found, read_or_create, usual_token_file};
use raskt_cluster::{Address, Names, Security, Tls, Token};
use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// Options that say so.
#[derive(Clone, Debug, Default, PartialEq, clap::Args)]
#[command(next_help_heading = "Security")]
pub(crate) struct SecurityOptions {
    /// The file with the cluster's token, which only its owner may read. Within a host `~/.config/raskt/token` is used unless
    /// this says otherwise; a scheduler makes it. Where a port is forwarded it has to be named here, beside `--scheduler-file` too.
    #[arg(long, value_name = "FILE")]
    pub token_file: Option<PathBuf>,
    /// The certificate of the cluster's authority, as `raskt certs` makes it.
    #[arg(long, value_name = "FILE")]
    pub tls_ca_file: Option<PathBuf>,
    /// The certificate of this process.
    #[arg(long, value_name = "FILE", requires = "tls_key", requires = "tls_ca_file")]
    pub tls_cert: Option<PathBuf>,
    /// The key to it, which only its owner may read.
    #[arg(long, value_name = "FILE", requires = "tls_cert")]
    pub tls_key: Option<PathBuf>,
    /// Whether a scheduler's file has named the token, and not the user.
    #[arg(skip)]
    is_token_of_scheduler_file: bool,
}

/// Who makes a token that isn't there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MissingToken {
    /// This process.
    Make,
    /// Somebody else.
    Refuse,
}

impl SecurityOptions {
    /// Reads what is needed at that address; and where the token is, if one is used.
    pub fn load(&self, address: &Address, missing: MissingToken) -> Result<(Security, Option<PathBuf>), Failure> {
        let is_tls = matches!(address, Address::Tls { .. });
        if is_tls && self.tls_ca_file.is_none() {
            return Err(Failure::usage(format!(
                "`{address}` needs certificates: make them by `raskt certs DIR`, and name them by `--tls-ca-file`, `--tls-cert` \
                 and `--tls-key`"
            )));
        }
        let own = self.tls_cert.as_deref().zip(self.tls_key.as_deref());
        let tls = match &self.tls_ca_file {
            Some(authority) => Some(Tls::read(authority, own, Names::Role).map_err(Failure::usage)?),
            None => None,
        };
        // Where certificates say who is who, a token is asked for only if somebody has said so.
        let token_file = match &self.token_file {
            Some(file) => Some(file.clone()),
            None if is_tls => None,
            None => Some(usual_token_file()?),
        };
        let token = token_file.as_deref().map(|file| read_token(file, missing)).transpose()?;
        let token = if self.is_token_found(address) { token.map(Token::found) } else { token };
        Ok((Security { token, tls }, token_file))
    }

    /// Whether nobody has given the token that is used at that address. What a scheduler's file names is given by nobody: the file
    /// of one that was killed stays, and anybody may have taken its port since.
    fn is_token_found(&self, address: &Address) -> bool {
        let is_within_host = matches!(address, Address::Tcp { .. }) && address.is_of_this_host();
        self.token_file.is_none() || self.is_token_of_scheduler_file && is_within_host
    }

    /// With what a scheduler's file says where the options say nothing.
    pub fn or_of(&self, found: &Found) -> Self {
        let mut known = self.clone();
        known.is_token_of_scheduler_file = known.token_file.is_none();
        known.token_file = known.token_file.or_else(|| found.token_file.clone());
        known.tls_ca_file = known.tls_ca_file.or_else(|| found.tls_ca_file.clone());
        known
    }

    /// As arguments that are read to the same options.
    pub fn write(&self, arguments: &mut Vec<OsString>) {
        let options = [
            ("--token-file", &self.token_file),
            ("--tls-ca-file", &self.tls_ca_file),
            ("--tls-cert", &self.tls_cert),
            ("--tls-key", &self.tls_key),
        ];
        for (name, file) in options {
            if let Some(file) = file {
                arguments.extend([name.into(), file.into()]);
            }
        }
    }
}

fn read_token(file: &Path, missing: MissingToken) -> Result<Token, Failure> {
    match missing {
        MissingToken::Make => read_or_create(file),
        MissingToken::Refuse if !file.exists() => Err(Failure::usage(format!(
            "there is no token file `{}`: the scheduler makes one when it starts; name the same by `--token-file`",
            file.display()
        ))),
        MissingToken::Refuse => Token::read(file).map_err(Failure::usage),
    }
}

/// What is missing where nobody has said which scheduler is meant.
pub(crate) fn no_scheduler() -> Failure {
    Failure::usage("say which scheduler is meant: by its address, like `tls://host:8786`, or by its `--scheduler-file`")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_token_is_given_by_users_and_not_by_files_of_schedulers() {
        let found = Found {
            id: "1".into(),
            address: "tcp://127.0.0.1:1".into(),
            token_file: Some("/theirs".into()),
            tls_ca_file: None,
            process: 1,
            version: "1".into(),
        };
        let given = SecurityOptions { token_file: Some("/mine".into()), ..SecurityOptions::default() };
        let none = SecurityOptions::default();
        let is_found = |known: &SecurityOptions, address: &str| known.is_token_found(&address.parse().unwrap());
        for address in ["tcp://127.0.0.1:1", "tcp://localhost:1", "tcp://[::1]:1"] {
            assert!(is_found(&none, address) && is_found(&none.or_of(&found), address), "{address}");
            assert!(!is_found(&given, address) && !is_found(&given.or_of(&found), address), "{address}");
        }
        // There the way says who listens.
        for address in ["tls://127.0.0.1:1", "unix:///run/raskt.sock"] {
            assert!(!is_found(&none.or_of(&found), address), "{address}");
        }
        assert_eq!(none.or_of(&found).token_file, found.token_file);
        assert_eq!(given.or_of(&found).token_file, given.token_file);
        // A file without one leaves it at the usual one.
        assert!(is_found(&none.or_of(&Found { token_file: None, ..found }), "unix:///run/raskt.sock"));
    }
}

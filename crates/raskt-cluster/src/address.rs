//! Where a process listens: `tcp://host:port`, `tls://host:port`, `unix:///path`.

use std::fmt;
use std::net::IpAddr;
use std::path::PathBuf;
use std::str::FromStr;

/// An address as people write it. There is no place for names and passwords in it.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Address {
    /// Unencrypted, within one host.
    Tcp {
        /// A name or a number.
        host: String,
        /// The port; zero for any when listening.
        port: u16,
    },
    /// Encrypted.
    Tls {
        /// A name or a number.
        host: String,
        /// The port; zero for any when listening.
        port: u16,
    },
    /// A socket in the file system of one host.
    Unix(PathBuf),
}

/// The longest path of a socket that systems take.
const SOCKET_PATH_BYTES_MAX: usize = 107;

impl Address {
    /// Whether nobody beyond this host can reach it. A name counts only if it is `localhost`.
    pub fn is_of_this_host(&self) -> bool {
        match self {
            Self::Unix(_) => true,
            Self::Tcp { host, .. } | Self::Tls { host, .. } => {
                host == "localhost" || host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback())
            }
        }
    }

    /// The host, for those of a network.
    pub fn host(&self) -> Option<&str> {
        match self {
            Self::Unix(_) => None,
            Self::Tcp { host, .. } | Self::Tls { host, .. } => Some(host),
        }
    }

    /// The same with another port, if it has one.
    pub fn with_port(mut self, to: u16) -> Self {
        match &mut self {
            Self::Unix(_) => {}
            Self::Tcp { port, .. } | Self::Tls { port, .. } => *port = to,
        }
        self
    }
}

impl fmt::Display for Address {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (scheme, host, port) = match self {
            Self::Unix(path) => return write!(formatter, "unix://{}", path.display()),
            Self::Tcp { host, port } => ("tcp", host, port),
            Self::Tls { host, port } => ("tls", host, port),
        };
        if host.contains(':') {
            write!(formatter, "{scheme}://[{host}]:{port}")
        } else {
            write!(formatter, "{scheme}://{host}:{port}")
        }
    }
}

impl FromStr for Address {
    type Err = AddressError;

    fn from_str(text: &str) -> Result<Self, AddressError> {
        // What is wrong isn't repeated: it may hold what somebody took for a place of a password.
        let error = |why| AddressError(why);
        let (scheme, rest) = text.split_once("://").ok_or(error("has no `tcp://`, `tls://` or `unix://` before it"))?;
        if scheme == "unix" {
            let is_fine = rest.starts_with('/') && rest.len() <= SOCKET_PATH_BYTES_MAX && !rest.contains('\0');
            return is_fine
                .then(|| Self::Unix(rest.into()))
                .ok_or(error("isn't an absolute path of at most 107 bytes"));
        }
        if rest.contains(['@', '?', '#']) {
            return Err(error("has a user, password or query in it: tokens are given as files"));
        }
        let (host, port) = rest.trim_end_matches('/').rsplit_once(':').ok_or(error("has no port"))?;
        let port = port.parse().map_err(|_| error("has no port between 0 and 65535"))?;
        let inner = host.strip_prefix('[').and_then(|host| host.strip_suffix(']'));
        let is_host = match inner {
            Some(inner) => inner.parse::<std::net::Ipv6Addr>().is_ok(),
            None => !host.is_empty() && host.chars().all(|char| char.is_ascii_alphanumeric() || "-._".contains(char)),
        };
        let host = is_host
            .then(|| inner.unwrap_or(host).to_owned())
            .ok_or(error("has a host that is neither name nor number"))?;
        match scheme {
            "tcp" => Ok(Self::Tcp { host, port }),
            "tls" => Ok(Self::Tls { host, port }),
            _ => Err(error("begins with another scheme than `tcp`, `tls` and `unix`")),
        }
    }
}

/// Why something is no address.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("an address of the cluster, like `tls://host:8786`, {0}")]
pub struct AddressError(&'static str);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_come_back_as_they_were_written() {
        for text in ["tcp://127.0.0.1:8786", "tls://node-3.example.org:0", "tls://[::1]:99", "unix:///run/raskt/s"] {
            assert_eq!(text.parse::<Address>().unwrap().to_string(), text);
        }
    }

    #[test]
    fn what_is_wrong_with_others_is_said_without_them() {
        for text in [
            "host:1",
            "http://a:1",
            "tcp://a",
            "tcp://a:70000",
            "tls://me:hunter2@a:1",
            "tcp://a b:1",
            "unix://relative",
            "tcp://[::1:5",
            "tcp://:5",
            "tls://a:1?token=hunter2",
        ] {
            let error = text.parse::<Address>().unwrap_err().to_string();
            assert!(error.contains("like `tls://") && !error.contains("hunter2"), "{text}: {error}");
        }
    }

    #[test]
    fn what_others_reach_is_told_from_what_they_do_not() {
        let is_own = |text: &str| text.parse::<Address>().unwrap().is_of_this_host();
        assert!(
            is_own("tcp://127.9.9.9:1")
                && is_own("tls://[::1]:1")
                && is_own("tcp://localhost:1")
                && is_own("unix:///a")
        );
        assert!(!is_own("tcp://0.0.0.0:1") && !is_own("tcp://[::]:1") && !is_own("tcp://localhost.evil.org:1"));
    }
}

//! What a process knows others by, and where it may listen with that.

use crate::address::Address;
use crate::tls::Tls;
use crate::token::Token;

/// What peers are known by: a token, certificates, or both.
#[derive(Clone, Debug, Default)]
pub struct Security {
    /// The token of the cluster.
    pub token: Option<Token>,
    /// Certificates, which `tls://` needs. With a token as well, those who come need no certificate of their own.
    pub tls: Option<Tls>,
}

impl Security {
    /// Whether a process may listen there; else what has to be done.
    pub fn check_listening(&self, address: &Address) -> Result<(), InsecureError> {
        let error = |why| Err(InsecureError { address: address.to_string(), why });
        match address {
            Address::Tls { .. } => match &self.tls {
                Some(tls) if tls.has_certificate() => Ok(()),
                _ => error("needs a certificate: make one with `raskt certs` and name its file and its key's"),
            },
            Address::Tcp { .. } if !address.is_of_this_host() => error(
                "could be reached by others and is not encrypted: listen at `tls://` with certificates or a token \
                 (`raskt certs` makes certificates), or at `tcp://127.0.0.1`",
            ),
            Address::Tcp { .. } | Address::Unix(_) if self.token.is_none() => {
                error("needs a token, since every user of this host can reach it: name a token file")
            }
            Address::Tcp { .. } | Address::Unix(_) => Ok(()),
        }
    }

    /// Whether a process may dial that. A token would prove nothing to somebody who only passes on what he hears.
    pub fn check_dialing(&self, address: &Address) -> Result<(), InsecureError> {
        let error = |why| Err(InsecureError { address: address.to_string(), why });
        match address {
            Address::Tls { .. } if self.tls.is_none() => error("needs the certificate of the cluster's authority"),
            Address::Tcp { .. } if !address.is_of_this_host() => {
                error("is on another host, and `tcp://` is not encrypted: use `tls://`")
            }
            Address::Tcp { .. } | Address::Unix(_) if self.token.is_none() => error("needs the token of the cluster"),
            _ => Ok(()),
        }
    }
}

/// Why an address isn't safe to use.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{address}` {why}")]
pub struct InsecureError {
    address: String,
    why: &'static str,
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::certs::{Authority, from_now};
    use crate::hello::Role;
    use crate::tls::Names;

    #[test]
    fn what_others_can_reach_is_closed() {
        let authority = Authority::create(1).unwrap();
        let own = authority.issue(Role::Scheduler, &[], from_now(1)).unwrap();
        let tls = |own| Tls::new(authority.certificate(), own, Names::Role).unwrap();
        let with_certificate = tls(Some((&*own.certificate, &*own.key)));
        let listens = |address: &str, token: bool, tls: Option<&Tls>| {
            let token = token.then(|| Token::random().unwrap());
            Security { token, tls: tls.cloned() }.check_listening(&address.parse().unwrap())
        };
        for (address, token, tls, word) in [
            ("tcp://0.0.0.0:0", true, None, "tls://"),
            ("tcp://[::]:0", true, Some(&with_certificate), "tls://"),
            ("tcp://10.0.0.1:0", false, None, "raskt certs"),
            ("tcp://127.0.0.1:0", false, None, "token file"),
            ("unix:///tmp/x", false, None, "token file"),
            ("tls://0.0.0.0:0", true, None, "raskt certs"),
            ("tls://127.0.0.1:0", true, Some(&tls(None)), "raskt certs"),
        ] {
            let refused = listens(address, token, tls).unwrap_err().to_string();
            assert!(refused.contains(word) && refused.contains(address), "{refused}");
        }
        assert!(listens("tcp://127.0.0.1:0", true, None).is_ok());
        assert!(listens("tls://0.0.0.0:0", false, Some(&with_certificate)).is_ok());
        assert!(listens("unix:///tmp/x", true, None).is_ok());
    }
}

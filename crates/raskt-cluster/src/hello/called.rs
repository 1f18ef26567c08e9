//! Which socket a dialer has called.

use super::this_host;
use std::net::{IpAddr, Ipv6Addr, SocketAddr};
use std::sync::OnceLock;

/// Bytes of it in a greeting.
const CALLED_BYTES: usize = 34;

/// A socket of a host. One process alone listens at it, so whoever hears a proof there and passes it on comes to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Called {
    /// Which boot of which host: several hosts may have one home directory, and with it one token, and all have loopback addresses.
    pub host: u128,
    /// Address and port. No port is zero.
    pub at: SocketAddr,
}

impl Called {
    /// That socket of this host.
    pub fn here(at: SocketAddr) -> Self {
        static HOST: OnceLock<u128> = OnceLock::new();
        let host = *HOST.get_or_init(|| u128::from_str_radix(&this_host().replace('-', ""), 16).unwrap_or(0));
        // Who listens for both versions of IP sees the older one's addresses in the newer one's form.
        Self { host, at: SocketAddr::new(at.ip().to_canonical(), at.port()) }
    }

    /// Zeros if none is said.
    pub(super) fn encode(called: Option<&Self>) -> [u8; CALLED_BYTES] {
        let mut bytes = [0; CALLED_BYTES];
        if let Some(Self { host, at }) = called {
            let ip = match at.ip() {
                IpAddr::V4(ip) => ip.to_ipv6_mapped(),
                IpAddr::V6(ip) => ip,
            };
            bytes[..2].copy_from_slice(&at.port().to_le_bytes());
            bytes[2..18].copy_from_slice(&ip.octets());
            bytes[18..].copy_from_slice(&host.to_le_bytes());
        }
        bytes
    }

    pub(super) fn decode(bytes: &[u8; CALLED_BYTES]) -> Option<Self> {
        let port = u16::from_le_bytes([bytes[0], bytes[1]]);
        let ip: [u8; 16] = bytes[2..18].try_into().expect("sixteen bytes");
        let host = u128::from_le_bytes(bytes[18..].try_into().expect("sixteen bytes"));
        (port != 0).then(|| Self { host, at: SocketAddr::new(Ipv6Addr::from(ip).to_canonical(), port) })
    }
}

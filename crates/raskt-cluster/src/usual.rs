//! Where things are unless somebody says otherwise.

use crate::address::Address;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, ToSocketAddrs, UdpSocket};
use std::path::PathBuf;

/// `$XDG_CONFIG_HOME/raskt`, or `~/.config/raskt`: where the settings of this user are.
pub fn user_folder() -> Option<PathBuf> {
    let of = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let home = of("XDG_CONFIG_HOME").or_else(|| of("HOME").map(|home| home.join(".config")));
    home.map(|home| home.join("raskt"))
}

/// The file with the token of this user's clusters, which a scheduler makes.
pub fn token_file() -> Option<PathBuf> {
    user_folder().map(|folder| folder.join("token"))
}

/// The number by which this host goes out towards another one. Nothing is sent for that.
pub fn outward_host(towards: &str, port: u16) -> Option<String> {
    let target = (towards, port.max(1)).to_socket_addrs().ok()?.next()?;
    let own: IpAddr = if target.is_ipv4() { Ipv4Addr::UNSPECIFIED.into() } else { Ipv6Addr::UNSPECIFIED.into() };
    let socket = UdpSocket::bind((own, 0)).ok()?;
    socket.connect(target).ok()?;
    Some(socket.local_addr().ok()?.ip().to_string())
}

/// Where a process listens that comes to the scheduler at that address: within this host if that is, else at the number by which it
/// goes there; at a port that is free.
pub fn listening_beside(scheduler: &Address) -> Address {
    match scheduler {
        Address::Tls { host, port } => {
            let own = outward_host(host, *port).unwrap_or_else(|| Ipv4Addr::LOCALHOST.to_string());
            Address::Tls { host: own, port: 0 }
        }
        Address::Tcp { .. } | Address::Unix(_) => Address::Tcp { host: Ipv4Addr::LOCALHOST.to_string(), port: 0 },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn who_comes_to_a_scheduler_of_this_host_listens_within_it() {
        let beside = |address: &str| listening_beside(&address.parse().unwrap());
        for address in ["tcp://127.0.0.1:8786", "unix:///run/raskt/scheduler"] {
            assert_eq!(beside(address).to_string(), "tcp://127.0.0.1:0");
        }
        assert_eq!(beside("tls://127.0.0.1:8786").to_string(), "tls://127.0.0.1:0");
    }
}

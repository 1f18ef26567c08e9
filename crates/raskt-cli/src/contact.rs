//! Where a process listens, and where others reach it.

use crate::failure::Failure;
use clap::ValueEnum;
use raskt_cluster::Address;
pub(crate) use raskt_cluster::usual::outward_host;
use std::net::IpAddr;

/// How it is spoken over a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum Protocol {
    /// Unencrypted, within this host.
    Tcp,
    /// TLS 1.3.
    Tls,
}

impl Protocol {
    /// An address of it.
    pub fn address(self, host: String, port: u16) -> Address {
        match self {
            Self::Tcp => Address::Tcp { host, port },
            Self::Tls => Address::Tls { host, port },
        }
    }
}

/// The host to listen at: what is said, the number of an interface, or nothing.
pub(crate) fn listening_host(host: Option<&str>, interface: Option<&str>) -> Result<Option<String>, Failure> {
    match (host, interface) {
        (Some(_), Some(_)) => {
            Err(Failure::usage("`--host` and `--interface` both say where to listen: give one of them"))
        }
        (Some(host), None) => Ok(Some(host.to_owned())),
        (None, Some(interface)) => interface_host(interface).map(Some),
        (None, None) => Ok(None),
    }
}

/// The number of an interface; that of version 4 if there are both.
fn interface_host(name: &str) -> Result<String, Failure> {
    let all = if_addrs::get_if_addrs();
    let all = all.map_err(|error| Failure::failed(format!("the interfaces of this host can't be listed: {error}")))?;
    let mut own: Vec<IpAddr> = all.iter().filter(|other| other.name == name).map(|own| own.ip()).collect();
    own.sort_by_key(|address| !address.is_ipv4());
    let mut names: Vec<_> = all.iter().map(|interface| interface.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let none =
        || Failure::usage(format!("there is no interface `{name}` with an address: there are {}", names.join(", ")));
    own.first().map(IpAddr::to_string).ok_or_else(none)
}

/// An address by which others reach who listens at all of a host's addresses; the same if it is at one.
pub(crate) fn reachable(address: &Address) -> Address {
    let host = address.host().and_then(|host| host.parse::<IpAddr>().ok());
    let is_all = host.is_some_and(|host| host.is_unspecified());
    // Any address beyond this network does.
    let own = is_all.then(|| outward_host("192.0.2.1", 9)).flatten();
    let host = match own {
        Some(own) => own,
        None if is_all => host_name(),
        None => return address.clone(),
    };
    match address {
        Address::Tls { port, .. } => Address::Tls { host, port: *port },
        Address::Tcp { port, .. } => Address::Tcp { host, port: *port },
        Address::Unix(_) => address.clone(),
    }
}

/// What this host calls itself.
pub(crate) fn host_name() -> String {
    let said = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let name: String =
        said.trim().chars().filter(|char| char.is_ascii_alphanumeric() || "-._".contains(*char)).collect();
    if name.is_empty() { "localhost".into() } else { name }
}

/// An address as it is written.
pub(crate) fn parse_address(text: &str) -> Result<Address, String> {
    text.parse::<Address>().map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_interface_is_known_by_its_name() {
        assert!(interface_host("lo").unwrap().parse::<IpAddr>().unwrap().is_loopback());
        let error = interface_host("wan77").unwrap_err().to_string();
        assert!(error.contains("`wan77`") && error.contains("lo"), "{error}");
        assert!(listening_host(Some("a"), Some("lo")).is_err());
    }

    #[test]
    fn this_host_goes_out_to_itself_by_itself() {
        assert_eq!(outward_host("127.0.0.1", 1).as_deref(), Some("127.0.0.1"));
        let one: Address = "tls://10.0.0.1:8786".parse().unwrap();
        assert_eq!(reachable(&one), one);
        let all = reachable(&"tls://0.0.0.0:8786".parse().unwrap()).to_string();
        assert!(all.ends_with(":8786") && !all.contains("0.0.0.0"), "{all}");
    }
}

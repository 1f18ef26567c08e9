//! Where a process may be looked at: a port, or an address and a port.

use std::net::{IpAddr, SocketAddr};

/// Reads `9000`, `:9000`, `127.0.0.1:9000` or `[::1]:9000`; without an address it is within the host.
pub(crate) fn parse_looking(text: &str) -> Result<SocketAddr, String> {
    let wrong = || format!("`{text}` is neither a port nor an address of numbers and a port, like `127.0.0.1:9000`");
    if let Ok(port) = text.trim().trim_start_matches(':').parse::<u16>() {
        return Ok(SocketAddr::new(IpAddr::from([127, 0, 0, 1]), port));
    }
    text.trim().replacen("localhost:", "127.0.0.1:", 1).parse().map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn where_one_may_look_is_read() {
        for (text, expected) in [
            ("9000", "127.0.0.1:9000"),
            (":0", "127.0.0.1:0"),
            ("localhost:7", "127.0.0.1:7"),
            ("0.0.0.0:8", "0.0.0.0:8"),
            ("[::1]:9", "[::1]:9"),
        ] {
            assert_eq!(parse_looking(text).unwrap().to_string(), expected);
        }
        for text in ["", "host:9", "70000", "1.2.3.4"] {
            assert!(parse_looking(text).unwrap_err().contains(text));
        }
    }
}

//! Hosts as certificates name them.

use std::net::IpAddr;

/// The longest name of a host, and the longest of its parts.
const NAME_MOST: usize = 253;
const PART_MOST: usize = 63;

/// Reads `node-3.example.org`, `*.example.org`, `10.0.0.3` or `::1`.
pub(crate) fn parse_host(text: &str) -> Result<String, String> {
    let is_host = text.parse::<IpAddr>().is_ok() || is_name(text.strip_prefix("*.").unwrap_or(text));
    is_host.then(|| text.to_owned()).ok_or_else(|| {
        "a host is a name like `node-3.example.org`, or a number like `10.0.0.3` or `::1`; of several, each has a `--host`"
            .into()
    })
}

fn is_name(text: &str) -> bool {
    let is_part = |part: &str| {
        let is_of_letters = part.chars().all(|letter| letter.is_ascii_alphanumeric() || "-_".contains(letter));
        (1..=PART_MOST).contains(&part.len()) && is_of_letters && !part.starts_with('-') && !part.ends_with('-')
    };
    text.len() <= NAME_MOST && text.split('.').all(is_part)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_names_or_numbers() {
        for text in ["localhost", "node-3.example.org", "*.example.org", "my_host", "10.0.0.3", "::1", "7"] {
            assert_eq!(parse_host(text).as_deref(), Ok(text));
        }
        for bad in
            ["", "a b", " a", "a..b", "a.", "-a", "-1", "a,b", "a:1", "[::1]", "tcp://a", "*", "a*", "bücher.org"]
        {
            assert!(parse_host(bad).unwrap_err().contains("a host is a name"), "{bad}");
        }
        assert!(parse_host(&"a".repeat(64)).is_err() && parse_host(&"a.".repeat(127)).is_err());
    }
}

//! A port, or a range of which each process takes one that is free.

use std::fmt;
use std::str::FromStr;

/// Ports from the first to the last.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Ports {
    first: u16,
    last: u16,
}

impl Ports {
    /// Any that is free.
    pub const ANY: Self = Self { first: 0, last: 0 };

    /// All of them, beginning with the one at `at` and going round, so that neighbours don't try the same one first.
    pub fn from(self, at: usize) -> impl Iterator<Item = u16> {
        let count = usize::from(self.last - self.first) + 1;
        (0..count).map(move |step| self.first + ((at + step) % count) as u16)
    }

    /// Whether so many processes can each have one.
    pub fn suffice_for(self, processes: usize) -> bool {
        self == Self::ANY || usize::from(self.last - self.first) + 1 >= processes
    }
}

impl FromStr for Ports {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || "a port is a number up to 65535, and a range of them is like `9000:9010`".to_owned();
        let port = |text: &str| text.trim().parse::<u16>().map_err(|_| wrong());
        let (first, last) = match text.split_once(':') {
            None => (port(text)?, port(text)?),
            Some((first, last)) => (port(first)?, port(last)?),
        };
        let is_range = first <= last && (first > 0 || last == 0);
        if is_range { Ok(Self { first, last }) } else { Err(wrong()) }
    }
}

impl fmt::Display for Ports {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.first == self.last {
            write!(formatter, "{}", self.first)
        } else {
            write!(formatter, "{}:{}", self.first, self.last)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_process_begins_with_another_port_of_a_range() {
        let ports: Ports = "9000:9002".parse().unwrap();
        assert_eq!(ports.from(0).collect::<Vec<_>>(), [9000, 9001, 9002]);
        assert_eq!(ports.from(4).collect::<Vec<_>>(), [9001, 9002, 9000]);
        assert!(ports.suffice_for(3) && !ports.suffice_for(4) && Ports::ANY.suffice_for(1000));
        assert_eq!(ports.to_string(), "9000:9002");
        assert_eq!("8786".parse::<Ports>().unwrap().to_string(), "8786");
        for bad in ["", "x", "70000", "9:8", "0:5", "1:2:3", "-1"] {
            assert!(bad.parse::<Ports>().is_err(), "{bad}");
        }
    }
}

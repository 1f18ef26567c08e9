//! How much memory a worker may have.

use raskt_config::Value;
use raskt_store::ProcessLimit;
use std::fmt;
use std::str::FromStr;

/// What `--memory-limit` says.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum MemoryLimit {
    /// The worker's share of the machine's, by its threads.
    Auto,
    /// No limit.
    None,
    /// A part of the machine's.
    Part(f64),
    /// So many.
    Bytes(u64),
}

/// With less no worker can do anything: it has some of this before it begins.
const LEAST_BYTES: u64 = 64 << 20;
/// Results may have this in any case.
const RESULTS_LEAST_BYTES: u64 = 8 << 20;

impl FromStr for MemoryLimit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let wrong = || {
            Err("a memory limit is a number of bytes, like `16GiB`, a part of the machine's memory, like `0.5`, `auto`, or `0` for \
                 none"
                .to_owned())
        };
        if text.trim() == "auto" {
            return Ok(Self::Auto);
        }
        match text.trim().parse::<f64>() {
            Ok(0.0) => return Ok(Self::None),
            Ok(part) if part > 0.0 && part <= 1.0 => return Ok(Self::Part(part)),
            _ => {}
        }
        match bytes(text) {
            Some(bytes) if bytes >= LEAST_BYTES => Ok(Self::Bytes(bytes)),
            Some(bytes) => {
                Err(format!("{bytes} bytes are too little for a worker, which needs {LEAST_BYTES} at least"))
            }
            None => wrong(),
        }
    }
}

/// The bytes that a size with a unit stands for, by the rules that settings have.
fn bytes(text: &str) -> Option<u64> {
    let mut settings = raskt_config::Configuration::default();
    // This setting takes any number of bytes.
    settings.set("memory.disk-limit", text.trim()).ok()?;
    match settings.get("memory.disk-limit") {
        Some(Value::Integer(bytes)) => u64::try_from(*bytes).ok(),
        _ => None,
    }
}

impl MemoryLimit {
    /// The bytes that one of so many workers with so many threads may have; nothing if there is no limit.
    pub fn bytes(self, threads: usize, workers: usize) -> Option<u64> {
        let all = raskt_store::machine_memory();
        match self {
            Self::None => None,
            Self::Bytes(bytes) => Some(bytes),
            Self::Part(part) => Some(share(all?, part)),
            Self::Auto => {
                let of_threads = threads as f64 / raskt_store::processors().max(1) as f64;
                Some(share(all?, of_threads.min(1.0 / workers.max(1) as f64)))
            }
        }
    }
}

/// What results may have in this process, of what it may hold; and at most, where none of them can leave memory.
pub(crate) fn for_results(limit: Option<u64>) -> (u64, u64) {
    let Some(limit) = limit.map(ProcessLimit) else { return (u64::MAX, u64::MAX) };
    let own = raskt_store::own_bytes().unwrap_or(0);
    (limit.for_results(own).max(RESULTS_LEAST_BYTES), limit.at_most(own).max(RESULTS_LEAST_BYTES))
}

impl fmt::Display for MemoryLimit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Auto => formatter.write_str("auto"),
            Self::None => formatter.write_str("0"),
            Self::Part(part) => write!(formatter, "{part}"),
            Self::Bytes(bytes) => write!(formatter, "{bytes}"),
        }
    }
}

fn share(all: u64, part: f64) -> u64 {
    ((all as f64 * part) as u64).max(LEAST_BYTES)
}

/// A number of bytes, for people.
pub(crate) struct Size(pub Option<u64>);

impl fmt::Display for Size {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(bytes) = self.0 else { return formatter.write_str("none") };
        for (unit, shift) in [("TiB", 40), ("GiB", 30), ("MiB", 20), ("KiB", 10)] {
            if bytes >= 1 << shift {
                return write!(formatter, "{:.2} {unit}", bytes as f64 / (1_u64 << shift) as f64);
            }
        }
        write!(formatter, "{bytes} B")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limits_are_bytes_parts_or_none() {
        for (text, limit) in [
            ("auto", MemoryLimit::Auto),
            ("0", MemoryLimit::None),
            ("0.5", MemoryLimit::Part(0.5)),
            ("1", MemoryLimit::Part(1.0)),
            ("16GiB", MemoryLimit::Bytes(16 << 30)),
            ("2 gb", MemoryLimit::Bytes(2_000_000_000)),
            ("67108864", MemoryLimit::Bytes(64 << 20)),
        ] {
            assert_eq!(text.parse(), Ok(limit), "{text}");
            assert_eq!(limit.to_string().parse(), Ok(limit), "{text}");
        }
        for bad in ["", "much", "-1", "nan", "1.5", "100", "4MiB", "4 apples"] {
            assert!(bad.parse::<MemoryLimit>().is_err(), "{bad}");
        }
    }

    #[test]
    fn a_share_goes_by_threads_and_is_never_more_than_all() {
        let all = raskt_store::machine_memory().unwrap();
        assert_eq!(MemoryLimit::Auto.bytes(100_000, 1), Some(all));
        assert!(MemoryLimit::Auto.bytes(100_000, 4).unwrap() <= all / 4 + 1, "several don't have more than there is");
        assert_eq!(MemoryLimit::None.bytes(1, 1), None);
        assert_eq!(MemoryLimit::Part(1.0).bytes(1, 2), Some(all));
        let (results, bound) = for_results(Some(1 << 30));
        assert!(1 << 29 < results && results < bound && bound < (1 << 30) / 10 * 9);
        assert_eq!(for_results(None), (u64::MAX, u64::MAX));
    }

    #[test]
    fn sizes_are_written_for_people() {
        assert_eq!(Size(Some(3 << 29)).to_string(), "1.50 GiB");
        assert_eq!(Size(Some(12)).to_string(), "12 B");
        assert_eq!(Size(None).to_string(), "none");
    }
}

//! What a process is called on its host, so that those beside it can see it end.

use serde::{Deserialize, Serialize};
use std::os::unix::fs::MetadataExt;

/// A process of a host. Numbers are given anew, and every container may have its own: with the time of its start, and the space
/// that the number is of, it means one process of one boot.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct ProcessName {
    /// Its number.
    pub pid: i32,
    /// When it started, in clock ticks since the host did.
    pub started: u64,
    /// The inode of the space of numbers.
    pub space: u64,
}

impl ProcessName {
    /// That of this process; none where the system doesn't say.
    pub fn own() -> Option<Self> {
        let pid = std::process::id() as i32;
        Some(Self { pid, started: started(pid)?, space: own_space()? })
    }

    /// Whether it runs, and is seen from here by its number.
    pub fn is_seen(&self) -> bool {
        own_space() == Some(self.space) && started(self.pid) == Some(self.started)
    }
}

fn own_space() -> Option<u64> {
    std::fs::metadata("/proc/self/ns/pid").ok().map(|space| space.ino())
}

/// When the process started of which this is the number.
fn started(pid: i32) -> Option<u64> {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).ok()?;
    // The name may have blanks and parentheses in it; what follows has none. It is the 22nd of the whole line.
    let after_name = &stat[stat.rfind(')')? + 1..];
    after_name.split_ascii_whitespace().nth(19)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_process_is_seen_and_nobody_with_its_number_but_another_start_or_space() {
        let own = ProcessName::own().unwrap();
        assert_eq!(own.pid, std::process::id() as i32);
        assert!(own.is_seen());
        assert!(!ProcessName { started: own.started + 1, ..own }.is_seen());
        assert!(!ProcessName { space: own.space + 1, ..own }.is_seen());
        assert!(!ProcessName { pid: i32::MAX, ..own }.is_seen());
    }
}

//! Room on the disk.

/// How much lies on disk, and how much may.
#[derive(Debug)]
pub(crate) struct Disk {
    pub used: u64,
    pub limit: u64,
    /// Why the last file couldn't be written; nothing is written until somebody looks again.
    pub trouble: Option<String>,
}

impl Default for Disk {
    fn default() -> Self {
        Self { used: 0, limit: u64::MAX, trouble: None }
    }
}

impl Disk {
    /// Whether a file for a result of `bytes` may be written.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.trouble.is_none() && self.used.saturating_add(bytes) <= self.limit
    }
}

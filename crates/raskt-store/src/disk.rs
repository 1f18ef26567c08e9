//! Room on the disk.

use crate::slot::SlotId;
use std::collections::BTreeMap;

/// How much lies on disk, and how much may.
#[derive(Debug)]
pub(crate) struct Disk {
    /// Bytes of the files of results.
    pub files: u64,
    pub limit: u64,
    /// Why the last file couldn't be written; nothing is written until somebody looks again.
    pub trouble: Option<String>,
    /// None was written since one couldn't be: what is being written may well stay in memory.
    pub is_failing: bool,
    /// Bytes of files that are about to be written, or are being written.
    reserved: BTreeMap<SlotId, u64>,
    /// Their sum.
    reserved_bytes: u64,
}

impl Default for Disk {
    fn default() -> Self {
        Self {
            files: 0,
            limit: u64::MAX,
            trouble: None,
            is_failing: false,
            reserved: BTreeMap::new(),
            reserved_bytes: 0,
        }
    }
}

impl Disk {
    /// Whether a file of `bytes` may be written.
    pub fn has_room(&self, bytes: u64) -> bool {
        self.trouble.is_none() && self.used().saturating_add(bytes) <= self.limit
    }

    /// Bytes of files that are there or about to be.
    pub fn used(&self) -> u64 {
        self.files.saturating_add(self.reserved_bytes)
    }

    /// Keeps `bytes` free for the file of a result, in place of what was kept for it before; where there is no room for them, what
    /// was kept stays so. Says whether there is. What has begun goes on though another file couldn't be written.
    pub fn reserve(&mut self, id: SlotId, bytes: u64) -> bool {
        let before = self.release(id);
        let fits = (before > 0 || self.trouble.is_none()) && self.used().saturating_add(bytes) <= self.limit;
        let kept = if fits { bytes } else { before };
        if kept > 0 {
            self.reserved.insert(id, kept);
            self.reserved_bytes = self.reserved_bytes.saturating_add(kept);
        }
        fits
    }

    /// The file of a result has been written, or won't be; gives what was kept free for it.
    pub fn release(&mut self, id: SlotId) -> u64 {
        let bytes = self.reserved.remove(&id).unwrap_or(0);
        self.reserved_bytes = self.reserved_bytes.saturating_sub(bytes);
        bytes
    }

    /// Nobody is writing any more, and files have so many bytes.
    pub fn recount(&mut self, files: u64) {
        self.files = files;
        self.reserved.clear();
        self.reserved_bytes = 0;
    }
}

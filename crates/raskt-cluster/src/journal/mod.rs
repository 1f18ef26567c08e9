//! What outlives a scheduler: who its clients are, what they have submitted, and what they want of it.
//!
//! ```text
//!  Journal   a file that is only ever appended to, and written anew when most of it is of no account any more
//!     │
//!  frames    a record and its bulk, with checksums that hang together: cut at the end, or damaged
//!     │
//!  Ledger    what the records come to: pure, the same for the same records
//! ```
//!
//! A record is with the system before anybody hears of what it says: a process that is killed loses nothing that it has told. Single
//! tasks that are done aren't written: results are with workers, who say what they hold when they come back. What has failed is.
//!
//! An end that was cut off is what a killed process leaves, and is passed in silence: nobody was told of it. Whatever else is wrong
//! is damage, which nobody can tell the extent of, and an error.

mod error;
mod frames;
mod ledger;
mod record;
#[cfg(test)]
mod tests;

pub use error::JournalError;
pub(crate) use ledger::{Ledger, RunLine};
pub(crate) use record::{Ended, Record};

use crate::random::random;
use bytes::Bytes;
use frames::{Frames, encode, header};
use raskt_schedule::RunId;
use std::fs::{File, OpenOptions, TryLockError};
use std::io::Write;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

/// The file is written anew when it has twice as many bytes as it had after that was done last, and so many at least.
const REWRITTEN_FROM_BYTES: u64 = 64 << 20;

/// How records are written.
#[derive(Clone, Copy, Debug, Default)]
pub struct JournalOptions {
    /// Waits until a record is on the disk before anybody hears of it, so that also a machine that loses power loses nothing; if not,
    /// only a process that dies doesn't.
    pub sync: bool,
}

/// A journal, and what it comes to.
pub struct Journal {
    folder: PathBuf,
    file: File,
    /// What tells this journal, and what was handed out under it, from any other.
    lineage: [u8; 16],
    ledger: Ledger,
    options: JournalOptions,
    bytes: u64,
    /// The checksum of the last record.
    chain: u64,
    /// When it has so many bytes it is written anew.
    rewritten_at: u64,
    /// What wasn't written yet: nobody hears of it before.
    later: Vec<u8>,
    /// Why nothing is written any more, if that is so.
    broken: Option<String>,
    /// Kept as long as nobody else may write here.
    _lock: File,
}

impl Journal {
    /// Opens the journal in `folder`, or begins one; nobody else may have it open.
    pub fn open(folder: &Path, options: JournalOptions) -> Result<Self, JournalError> {
        let failed = |what: &'static str| {
            let folder = folder.to_owned();
            move |source| JournalError::Io { what, folder, source }
        };
        std::fs::DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(failed("made"))?;
        let lock = open_private(&folder.join("lock")).map_err(failed("locked"))?;
        lock.try_lock().map_err(|error| match error {
            TryLockError::WouldBlock => JournalError::InUse { folder: folder.to_owned() },
            TryLockError::Error(error) => failed("locked")(error),
        })?;
        let (lineage, ledger) = match File::open(folder.join(NAME)) {
            Ok(file) => read(folder, file)?,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
                (random().map_err(failed("begun"))?, Ledger::default())
            }
            Err(error) => return Err(failed("read")(error)),
        };
        let written = rewrite(folder, lineage, &ledger).map_err(failed("written"))?;
        let Rewritten { file, bytes, chain } = written;
        let rewritten_at = REWRITTEN_FROM_BYTES.max(2 * bytes);
        let (folder, later, broken) = (folder.to_owned(), vec![], None);
        Ok(Self { folder, file, lineage, ledger, options, bytes, chain, rewritten_at, later, broken, _lock: lock })
    }

    /// What it comes to.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What tells it from any other.
    pub fn lineage(&self) -> [u8; 16] {
        self.lineage
    }

    /// Runs that somebody wants something of, or reads.
    pub fn runs(&self) -> usize {
        self.ledger.runs().count()
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes a record, and what is to be written before it. Where that fails nothing has changed.
    pub(crate) fn append(&mut self, record: Record, bulk: Bytes) -> Result<(), JournalError> {
        self.later(record, bulk)?;
        self.flush()
    }

    /// What was written is lost with a power failure no more.
    pub(crate) fn sync(&mut self) -> Result<(), JournalError> {
        self.file.sync_data().map_err(|source| self.failed(source))
    }

    /// Notes a record that may be written with the next.
    pub(crate) fn later(&mut self, record: Record, bulk: Bytes) -> Result<(), JournalError> {
        if let Some(why) = &self.broken {
            return Err(JournalError::Broken { folder: self.folder.clone(), why: why.clone() });
        }
        self.chain = encode(&record, &bulk, self.chain, &mut self.later)?;
        self.ledger.apply(record, bulk);
        Ok(())
    }

    /// Writes what was noted.
    pub(crate) fn flush(&mut self) -> Result<(), JournalError> {
        if self.later.is_empty() || self.broken.is_some() {
            return Ok(());
        }
        let mut written = self.file.write_all(&self.later);
        if self.options.sync && written.is_ok() {
            written = self.file.sync_data();
        }
        if let Err(source) = written {
            return Err(self.break_down(source));
        }
        self.bytes += self.later.len() as u64;
        self.later.clear();
        // What one large graph took needn't be kept for ever.
        self.later.shrink_to(SPARE_BYTES);
        if self.bytes >= self.rewritten_at { self.rewrite() } else { Ok(()) }
    }

    /// Writes what counts into a file of its own, which takes the place of this one.
    fn rewrite(&mut self) -> Result<(), JournalError> {
        match rewrite(&self.folder, self.lineage, &self.ledger) {
            Ok(Rewritten { file, bytes, chain }) => {
                (self.file, self.bytes, self.chain) = (file, bytes, chain);
                self.rewritten_at = REWRITTEN_FROM_BYTES.max(2 * bytes);
            }
            // The old one is as good as before, and larger.
            Err(error) => {
                tracing::warn!("the journal can't be written anew, and goes on growing: {error}");
                self.rewritten_at = self.bytes.saturating_mul(2);
            }
        }
        Ok(())
    }

    /// What is in the file after a failed write isn't known: nothing is written behind it.
    fn break_down(&mut self, source: std::io::Error) -> JournalError {
        self.broken = Some(source.to_string());
        self.later.clear();
        self.failed(source)
    }

    fn failed(&self, source: std::io::Error) -> JournalError {
        JournalError::Io { what: "written", folder: self.folder.clone(), source }
    }

    /// The run that a client has submitted under this number, if it is known.
    pub(crate) fn line(&self, run: RunId) -> Option<&RunLine> {
        self.ledger.run(run)
    }
}

/// The name of the file in its folder.
const NAME: &str = "journal";

/// Memory that is kept for records which are to be written.
const SPARE_BYTES: usize = 1 << 20;

fn open_private(path: &Path) -> std::io::Result<File> {
    let nofollow = rustix::fs::OFlags::NOFOLLOW.bits() as i32;
    OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).custom_flags(nofollow).open(path)
}

/// Reads a journal from its beginning to where it was cut off, if it was.
fn read(folder: &Path, file: File) -> Result<([u8; 16], Ledger), JournalError> {
    let path = folder.join(NAME);
    let failed = |source| JournalError::Io { what: "read", folder: folder.to_owned(), source };
    let bytes = file.metadata().map_err(failed)?.len();
    let mut frames = Frames::begin(std::io::BufReader::with_capacity(1 << 20, file), bytes, &path)?;
    let mut ledger = Ledger::default();
    while let Some((record, bulk)) = frames.next()? {
        ledger.apply(record, bulk);
    }
    Ok((frames.lineage(), ledger))
}

struct Rewritten {
    file: File,
    bytes: u64,
    chain: u64,
}

/// Writes all that counts into a new file, and puts it in the place of the old one.
fn rewrite(folder: &Path, lineage: [u8; 16], ledger: &Ledger) -> std::io::Result<Rewritten> {
    let (path, new) = (folder.join(NAME), folder.join("journal.new"));
    let mut file = open_private(&new)?;
    let (beginning, mut chain) = header(lineage);
    file.write_all(&beginning)?;
    let mut bytes = beginning.len() as u64;
    let mut buffer = vec![];
    for (record, bulk) in ledger.records() {
        buffer.clear();
        chain = encode(&record, &bulk, chain, &mut buffer).map_err(std::io::Error::other)?;
        file.write_all(&buffer)?;
        bytes += buffer.len() as u64;
    }
    file.sync_all()?;
    std::fs::rename(&new, &path)?;
    File::open(folder)?.sync_all()?;
    Ok(Rewritten { file, bytes, chain })
}

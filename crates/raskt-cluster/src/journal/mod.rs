//! What outlives a scheduler: who its clients are, what they have submitted, and what they want of it.
//!
//! ```text
//!  Journal   a file that is only ever appended to, and written anew, beside that, when most of it is of no account any more
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

mod causes;
#[cfg(test)]
mod disk;
mod error;
mod file;
mod frames;
#[cfg(feature = "testing")]
pub(crate) mod laws;
mod ledger;
mod line;
mod record;
mod rewriting;
#[cfg(test)]
mod tests;

pub use error::JournalError;
pub(crate) use ledger::Ledger;
pub(crate) use line::RunLine;
pub(crate) use record::{Ended, EndedForm, Record};

use crate::random::random;
use bytes::Bytes;
use file::{Found, NAME, Writing, go_on, open_private, read, rewrite};
use frames::encode;
use raskt_schedule::RunId;
use rewriting::Rewriting;
use std::fs::{File, TryLockError};
use std::io::Write;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

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
    rewriting: Option<Rewriting>,
    /// What wasn't written yet: nobody hears of it before.
    later: Vec<u8>,
    /// Why nothing is written, if that is so.
    broken: Option<Broken>,
    /// It was there before.
    is_found: bool,
    /// Kept as long as nobody else may write here.
    _lock: File,
}

/// A write has failed: what is in the file since isn't known.
struct Broken {
    why: String,
    /// When it is tried next to write all that counts into a new file, and how long it is waited after that.
    tries_at: Instant,
    pause: Duration,
}

/// After a write has failed it is so long until it is tried again, and longer each time.
const PAUSE: Duration = Duration::from_secs(1);
const LONGEST_PAUSE: Duration = Duration::from_secs(30);

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
        let found = match File::open(folder.join(NAME)) {
            Ok(file) => Some(read(folder, file)?),
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => None,
            Err(error) => return Err(failed("read")(error)),
        };
        let is_found = found.is_some();
        let (lineage, ledger, written) = match found {
            None => {
                let (lineage, ledger) = (random().map_err(failed("begun"))?, Ledger::default());
                let written = rewrite(folder, lineage, &ledger);
                (lineage, ledger, written)
            }
            Some(found) => {
                let written = rewrite(folder, found.lineage, &found.ledger).or_else(|error| {
                    tracing::warn!("the journal can't be written anew, and goes on where it is: {error}");
                    go_on(folder, &found)
                });
                let Found { lineage, ledger, .. } = found;
                (lineage, ledger, written)
            }
        };
        let Writing { file, bytes, chain } = written.map_err(failed("written"))?;
        let rewritten_at = REWRITTEN_FROM_BYTES.max(2 * bytes);
        let (folder, rewriting, later, broken, _lock) = (folder.to_owned(), None, vec![], None, lock);
        Ok(Self {
            folder,
            file,
            lineage,
            ledger,
            options,
            bytes,
            chain,
            rewritten_at,
            rewriting,
            later,
            broken,
            is_found,
            _lock,
        })
    }

    /// What it comes to.
    pub(crate) fn ledger(&self) -> &Ledger {
        &self.ledger
    }

    /// What tells it from any other.
    pub fn lineage(&self) -> [u8; 16] {
        self.lineage
    }

    /// Whether another one has written here before.
    pub(crate) fn is_found(&self) -> bool {
        self.is_found
    }

    /// Runs that somebody wants something of, or reads.
    pub fn runs(&self) -> usize {
        self.ledger.runs().count()
    }

    /// Bytes of the file.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Writes a record, and what is to be written before it. Where that fails what it would begin isn't begun ([`Ledger::undoing`]); what
    /// it ends is ended all the same, and written as soon as something can be.
    pub(crate) fn append(&mut self, record: Record, bulk: Bytes) -> Result<(), JournalError> {
        let undoing = self.ledger.undoing(&record);
        self.later(record, bulk)?;
        let written = self.flush().and_then(|()| self.check_whole());
        if let (Err(_), Some(undoing)) = (&written, undoing) {
            self.ledger.apply(undoing, Bytes::new());
        }
        written
    }

    /// The same with what has ended by now, whatever can be written: it is written as soon as something can be.
    pub(crate) fn end(&mut self, record: Record) -> Result<(), JournalError> {
        let written = self.append(record.clone(), Bytes::new());
        if written.is_err() {
            self.ledger.apply(record, Bytes::new());
        }
        written
    }

    /// The same with a record that isn't lost with a power failure, nor any before it.
    pub(crate) fn append_for_good(&mut self, record: Record, bulk: Bytes) -> Result<(), JournalError> {
        let undoing = self.ledger.undoing(&record);
        self.append(record, bulk)?;
        let Err(source) = self.file.sync_data() else { return Ok(()) };
        // It may be read all the same: what it has begun is ended there as well.
        if let Some(undoing) = undoing {
            _ = self.append(undoing, Bytes::new());
        }
        Err(self.break_down(source))
    }

    /// Notes a record that may be written with the next.
    pub(crate) fn later(&mut self, record: Record, bulk: Bytes) -> Result<(), JournalError> {
        self.try_again();
        if self.broken.is_none() {
            self.chain = encode(&record, &bulk, self.chain, &mut self.later)?;
            if let Some(rewriting) = &mut self.rewriting {
                rewriting.note(&record, &bulk);
            }
        } else if self.ledger.undoing(&record).is_some() {
            return self.check_whole();
        }
        // While nothing is written it counts here, and is written with all that does.
        self.ledger.apply(record, bulk);
        Ok(())
    }

    /// An error if nothing is written.
    fn check_whole(&self) -> Result<(), JournalError> {
        let broken = |broken: &Broken| JournalError::Broken { folder: self.folder.clone(), why: broken.why.clone() };
        self.broken.as_ref().map_or(Ok(()), |it| Err(broken(it)))
    }

    /// Writes all that counts into a new file, if a write has failed and it is time for it.
    fn try_again(&mut self) {
        if self.broken.as_ref().is_none_or(|broken| broken.tries_at > Instant::now()) {
            return;
        }
        match rewrite(&self.folder, self.lineage, &self.ledger) {
            Ok(written) => {
                tracing::info!("the journal is written again");
                self.broken = None;
                self.write_to(written);
            }
            Err(error) => {
                if let Some(broken) = &mut self.broken {
                    broken.pause = (2 * broken.pause).min(LONGEST_PAUSE);
                    (broken.why, broken.tries_at) = (error.to_string(), Instant::now() + broken.pause);
                }
            }
        }
    }

    /// Writes what was noted.
    pub(crate) fn flush(&mut self) -> Result<(), JournalError> {
        self.try_again();
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
        self.look_after_rewriting();
        Ok(())
    }

    /// Has what counts written into a file of its own, and that take the place of this one.
    fn look_after_rewriting(&mut self) {
        let step = match self.rewriting.take_if(|rewriting| rewriting.is_done()) {
            Some(rewriting) => rewriting.end().map(|written| self.write_to(written)),
            None if self.rewriting.is_none() && self.bytes >= self.rewritten_at => {
                Rewriting::begin(&self.folder, self.lineage, &self.ledger).map(|begun| self.rewriting = Some(begun))
            }
            None => return,
        };
        // The old one is as good as before, and larger.
        if let Err(error) = step {
            tracing::warn!("the journal can't be written anew, and goes on growing: {error}");
            self.rewritten_at = self.bytes.saturating_mul(2);
        }
    }

    fn write_to(&mut self, Writing { file, bytes, chain }: Writing) {
        (self.file, self.bytes, self.chain) = (file, bytes, chain);
        self.rewritten_at = REWRITTEN_FROM_BYTES.max(2 * bytes);
    }

    /// What is in the file after a failed write isn't known: nothing is written behind it.
    fn break_down(&mut self, source: std::io::Error) -> JournalError {
        self.rewriting = None;
        self.broken = Some(Broken { why: source.to_string(), tries_at: Instant::now() + PAUSE, pause: PAUSE });
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

/// Memory that is kept for records which are to be written.
const SPARE_BYTES: usize = 1 << 20;

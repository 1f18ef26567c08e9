//! The file of a journal: read to where it was cut off, written anew, or gone on with where it is.

use super::error::JournalError;
use super::frames::{Frames, encode, header};
use super::ledger::Ledger;
use super::record::Record;
use bytes::Bytes;
use std::fs::{File, OpenOptions};
use std::io::{self, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// The name of the file in its folder.
pub(super) const NAME: &str = "journal";
/// That of the one which is to take its place.
pub(super) const NEW: &str = "journal.new";

pub(super) fn open_private(path: &Path) -> io::Result<File> {
    OpenOptions::new().create(true).truncate(true).write(true).mode(0o600).custom_flags(no_follow()).open(path)
}

fn no_follow() -> i32 {
    rustix::fs::OFlags::NOFOLLOW.bits() as i32
}

/// What a file has.
pub(super) struct Found {
    pub lineage: [u8; 16],
    pub ledger: Ledger,
    /// Where the last record ends that was written whole, and its checksum.
    upto: u64,
    chain: u64,
}

/// Reads a journal from its beginning to where it was cut off, if it was.
pub(super) fn read(folder: &Path, file: File) -> Result<Found, JournalError> {
    let path = folder.join(NAME);
    let failed = |source| JournalError::Io { what: "read", folder: folder.to_owned(), source };
    let bytes = file.metadata().map_err(failed)?.len();
    let mut frames = Frames::begin(io::BufReader::with_capacity(1 << 20, file), bytes, &path)?;
    let mut ledger = Ledger::default();
    while let Some((record, bulk)) = frames.next()? {
        ledger.apply(record, bulk);
    }
    let (upto, chain) = frames.upto();
    Ok(Found { lineage: frames.lineage(), ledger, upto, chain })
}

/// A file that is written to.
pub(super) struct Writing {
    pub file: File,
    pub bytes: u64,
    /// The checksum of the last record.
    pub chain: u64,
}

/// Goes on behind the last record that was written whole.
pub(super) fn go_on(folder: &Path, found: &Found) -> io::Result<Writing> {
    let mut file = OpenOptions::new().write(true).custom_flags(no_follow()).open(folder.join(NAME))?;
    file.set_len(found.upto)?;
    file.seek(SeekFrom::Start(found.upto))?;
    Ok(Writing { file, bytes: found.upto, chain: found.chain })
}

/// Writes all that counts into a new file, and puts it in the place of the old one; where that fails the old one is as it was.
pub(super) fn rewrite(folder: &Path, lineage: [u8; 16], ledger: &Ledger) -> io::Result<Writing> {
    let new = folder.join(NEW);
    let written = write_new(&new, lineage, ledger.records());
    let written = written.and_then(|written| put_in_place(folder).map(|()| written));
    if written.is_err() {
        // What it takes up is missing elsewhere.
        _ = std::fs::remove_file(&new);
    }
    written
}

/// The new file takes the old one's place.
pub(super) fn put_in_place(folder: &Path) -> io::Result<()> {
    std::fs::rename(folder.join(NEW), folder.join(NAME))?;
    if let Err(error) = File::open(folder).and_then(|folder| folder.sync_all()) {
        // It is in its place all the same: only with a power failure the old one may be back.
        tracing::warn!("that the journal was written anew may be lost with a power failure: {error}");
    }
    Ok(())
}

pub(super) fn write_new(
    new: &Path,
    lineage: [u8; 16],
    records: impl Iterator<Item = (Record, Bytes)>,
) -> io::Result<Writing> {
    let mut file = open_private(new)?;
    let (beginning, mut chain) = header(lineage);
    file.write_all(&beginning)?;
    let mut bytes = beginning.len() as u64;
    let mut buffer = vec![];
    for (record, bulk) in records {
        buffer.clear();
        chain = encode(&record, &bulk, chain, &mut buffer).map_err(io::Error::other)?;
        file.write_all(&buffer)?;
        bytes += buffer.len() as u64;
    }
    file.sync_all()?;
    Ok(Writing { file, bytes, chain })
}

//! Records as bytes.
//!
//! ```text
//!  header    "rasktjnl"  version u32  lineage 16 bytes  checksum u64
//!  record    control bytes u32  bulk bytes u32  checksum of these u64  checksum of all u64  control  bulk
//! ```
//!
//! Each checksum is begun with the one before it, so that records that are missing, doubled or in another order are damage as well. That
//! of the lengths stands alone, so that a length which is wrong isn't taken for an end that was cut off.

use super::error::JournalError;
use super::record::Record;
use bytes::Bytes;
use std::io::Read;
use std::path::{Path, PathBuf};
use xxhash_rust::xxh3::{xxh3_64, xxh3_64_with_seed};

/// The form that is written, and the only one that is read.
pub(super) const VERSION: u32 = 5;
const MAGIC: &[u8; 8] = b"rasktjnl";
const HEADER_BYTES: usize = 36;
const LENGTHS_BYTES: usize = 8;
/// Systems make room for so many bytes at a time, which are zero until they are written.
const BLOCK_BYTES: u64 = 4096;
/// Of a record, what stands before its control part.
const FRONT_BYTES: usize = LENGTHS_BYTES + 16;
/// A control part has so many bytes at most: names, ranges, an error with its cause.
const CONTROL_BYTES_MAX: usize = 64 << 20;
/// What comes with it: a graph.
const BULK_BYTES_MAX: usize = crate::message::GRAPH_BYTES_MAX;

/// The beginning of a journal, and where its checksums begin.
pub(super) fn header(lineage: [u8; 16]) -> (Vec<u8>, u64) {
    let mut bytes = Vec::with_capacity(HEADER_BYTES);
    bytes.extend_from_slice(MAGIC);
    bytes.extend_from_slice(&VERSION.to_le_bytes());
    bytes.extend_from_slice(&lineage);
    let chain = xxh3_64(&bytes);
    bytes.extend_from_slice(&chain.to_le_bytes());
    (bytes, chain)
}

/// Writes a record behind the one whose checksum is `chain`; gives its own.
pub(super) fn encode(record: &Record, bulk: &Bytes, chain: u64, to: &mut Vec<u8>) -> Result<u64, JournalError> {
    let control = postcard::to_stdvec(record).map_err(|_| JournalError::TooLong { bytes: 0 })?;
    if control.len() > CONTROL_BYTES_MAX || bulk.len() > BULK_BYTES_MAX {
        return Err(JournalError::TooLong { bytes: (control.len() + bulk.len()) as u64 });
    }
    let lengths = [control.len() as u32, bulk.len() as u32].map(u32::to_le_bytes).concat();
    let of_lengths = xxh3_64_with_seed(&lengths, chain);
    let of_all = sum(&control, bulk, of_lengths);
    to.reserve(FRONT_BYTES + control.len() + bulk.len());
    to.extend_from_slice(&lengths);
    to.extend_from_slice(&of_lengths.to_le_bytes());
    to.extend_from_slice(&of_all.to_le_bytes());
    to.extend_from_slice(&control);
    to.extend_from_slice(bulk);
    Ok(of_all)
}

fn sum(control: &[u8], bulk: &[u8], seed: u64) -> u64 {
    xxh3_64_with_seed(bulk, xxh3_64_with_seed(control, seed))
}

/// Records that are read one after the other.
pub(super) struct Frames<R> {
    from: R,
    path: PathBuf,
    bytes: u64,
    at: u64,
    chain: u64,
    lineage: [u8; 16],
}

impl<R: Read> Frames<R> {
    /// Reads the beginning of a file of so many bytes.
    pub fn begin(mut from: R, bytes: u64, path: &Path) -> Result<Self, JournalError> {
        let path = path.to_owned();
        let not_one = || JournalError::NotOne { path: path.clone(), version: VERSION };
        let beginning = read_exactly(&mut from, HEADER_BYTES).map_err(|source| io_error(&path, source))?;
        let beginning = beginning.ok_or_else(not_one)?;
        let lineage: [u8; 16] = beginning.get(12..28).and_then(|bytes| bytes.try_into().ok()).ok_or_else(not_one)?;
        let (expected, chain) = header(lineage);
        if beginning != expected {
            return Err(not_one());
        }
        Ok(Self { from, path, bytes, at: HEADER_BYTES as u64, chain, lineage })
    }

    /// Where the last record ends that was written whole, and its checksum.
    pub fn upto(&self) -> (u64, u64) {
        (self.at, self.chain)
    }

    pub fn lineage(&self) -> [u8; 16] {
        self.lineage
    }

    /// The next record; nothing after the last one that was written whole.
    pub fn next(&mut self) -> Result<Option<(Record, Bytes)>, JournalError> {
        let Some(front) = self.read(FRONT_BYTES)? else { return Ok(None) };
        let number =
            |at: usize| front.get(at..at + 8).and_then(|bytes| Some(u64::from_le_bytes(bytes.try_into().ok()?)));
        let (lengths, of_lengths, of_all) = (number(0), number(LENGTHS_BYTES), number(LENGTHS_BYTES + 8));
        let of_lengths = of_lengths.filter(|&sum| sum == xxh3_64_with_seed(&front[..LENGTHS_BYTES], self.chain));
        let (Some(lengths), Some(of_lengths), Some(of_all)) = (lengths, of_lengths, of_all) else {
            return self.nothing_or(&[&front[..]], "the lengths of a record aren't those that were written");
        };
        let (control, bulk) = ((lengths & 0xffff_ffff) as usize, (lengths >> 32) as usize);
        if control > CONTROL_BYTES_MAX || bulk > BULK_BYTES_MAX {
            return Err(self.damaged("a record is longer than any may be"));
        }
        let (Some(control), Some(bulk)) = (self.read(control)?, self.read(bulk)?) else { return Ok(None) };
        if sum(&control, &bulk, of_lengths) != of_all {
            return self.nothing_or(&[&front[..], &control[..], &bulk[..]], "a record isn't what was written");
        }
        let record = match postcard::take_from_bytes(&control) {
            Ok((record, [])) => record,
            _ => return Err(self.damaged("a record can't be read")),
        };
        self.at += (FRONT_BYTES + control.len() + bulk.len()) as u64;
        self.chain = of_all;
        Ok(Some((record, bulk.into())))
    }

    fn read(&mut self, count: usize) -> Result<Option<Vec<u8>>, JournalError> {
        read_exactly(&mut self.from, count).map_err(|source| io_error(&self.path, source))
    }

    /// A record isn't what was written. Nothing, if that is since the system had made room for it, and never wrote there: from some block
    /// on, which begins within what was read of it, all is zero.
    fn nothing_or<T>(&mut self, read: &[&[u8]], why: &str) -> Result<Option<T>, JournalError> {
        let end = self.at + read.iter().map(|part| part.len() as u64).sum::<u64>();
        let zeros = read.iter().rev().flat_map(|part| part.iter().rev()).take_while(|&&byte| byte == 0).count();
        let written = end - zeros as u64;
        let is_cut_off = written == self.at || written.next_multiple_of(BLOCK_BYTES) < end;
        match is_cut_off && self.is_nothing_left()? {
            true => Ok(None),
            false => Err(self.damaged(why)),
        }
    }

    fn is_nothing_left(&mut self) -> Result<bool, JournalError> {
        let mut piece = [0; 4096];
        loop {
            match self.from.read(&mut piece).map_err(|source| io_error(&self.path, source))? {
                0 => return Ok(true),
                read if piece[..read].iter().any(|&byte| byte != 0) => return Ok(false),
                _ => {}
            }
        }
    }

    fn damaged(&self, why: &str) -> JournalError {
        JournalError::Damaged { path: self.path.clone(), at: self.at, bytes: self.bytes, why: why.to_owned() }
    }
}

fn io_error(path: &Path, source: std::io::Error) -> JournalError {
    let folder = path.parent().unwrap_or(path).to_owned();
    JournalError::Io { what: "read", folder, source }
}

/// Reads exactly so many bytes; nothing if there are fewer.
fn read_exactly(from: &mut impl Read, count: usize) -> std::io::Result<Option<Vec<u8>>> {
    let mut bytes = vec![];
    from.take(count as u64).read_to_end(&mut bytes)?;
    Ok((bytes.len() == count).then_some(bytes))
}

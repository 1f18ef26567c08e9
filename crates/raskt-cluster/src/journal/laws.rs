//! What holds of journals, whatever their bytes are.

use super::frames::{Frames, encode, header};
use super::ledger::Ledger;
use super::record::Record;
use bytes::Bytes;
use std::path::Path;

/// Records and what comes with them.
type Records = Vec<(Record, Bytes)>;

/// `bytes` as a file: it is read, or refused; and what is read of it is written anew and read once more.
pub(crate) fn file(bytes: &[u8]) {
    if let Some(records) = read(bytes) {
        written_anew(records);
    }
}

/// `bytes` as the records of a file whose checksums are right, as one has that another version wrote, or a hand.
pub(crate) fn records(bytes: &[u8]) {
    let Ok(records) = postcard::from_bytes::<Vec<(Record, Vec<u8>)>>(bytes) else { return };
    let records: Records = records.into_iter().map(|(record, bulk)| (record, bulk.into())).collect();
    assert_eq!(read(&write(&records)).as_ref(), Some(&records));
    written_anew(records);
}

/// A file of these records.
pub(crate) fn sealed(records: &[(Record, Vec<u8>)]) -> Vec<u8> {
    write(&records.iter().map(|(record, bulk)| (record.clone(), bulk.clone().into())).collect())
}

fn read(bytes: &[u8]) -> Option<Records> {
    let mut frames = Frames::begin(bytes, bytes.len() as u64, Path::new("journal")).ok()?;
    let mut records = vec![];
    while let Some(record) = frames.next().ok()? {
        records.push(record);
    }
    Some(records)
}

fn write(records: &Records) -> Vec<u8> {
    let (mut bytes, mut chain) = header([3; 16]);
    for (record, bulk) in records {
        chain = encode(record, bulk, chain, &mut bytes).expect("what was read can be written");
    }
    bytes
}

/// What the records come to is the same when it is written anew, and can be looked at.
fn written_anew(records: Records) {
    let ledger = ledger_of(records);
    let anew: Records = ledger.records().collect();
    assert_eq!(read(&write(&anew)).as_ref(), Some(&anew));
    assert_eq!(ledger_of(anew.clone()).records().collect::<Records>(), anew);
    for (run, line) in ledger.runs() {
        drop((line.still_wanted(), line.failures(), ledger.failed_with(run, &line.submission.wanted)));
        drop(crate::face::read_shape(&line.graph));
    }
}

fn ledger_of(records: Records) -> Ledger {
    let mut ledger = Ledger::default();
    records.into_iter().for_each(|(record, bulk)| ledger.apply(record, bulk));
    ledger
}

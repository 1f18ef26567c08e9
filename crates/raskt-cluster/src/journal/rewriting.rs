//! A journal that is written anew while it is written to: a thread writes what counted when it began, and what has come since is
//! written behind that before the new file takes the old one's place.

use super::file::{NEW, Writing, put_in_place, write_new};
use super::frames::encode;
use super::ledger::Ledger;
use super::record::Record;
use bytes::Bytes;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::thread::JoinHandle;

pub(super) struct Rewriting {
    folder: PathBuf,
    thread: Option<JoinHandle<io::Result<Writing>>>,
    /// What has been noted since.
    since: Vec<(Record, Bytes)>,
}

impl Rewriting {
    /// Begins with what counts now. Graphs aren't copied for it.
    pub fn begin(folder: &Path, lineage: [u8; 16], ledger: &Ledger) -> io::Result<Self> {
        let records: Vec<_> = ledger.records().collect();
        let new = folder.join(NEW);
        let write = move || write_new(&new, lineage, records.into_iter());
        let thread = std::thread::Builder::new().name("raskt-journal".into()).spawn(write)?;
        Ok(Self { folder: folder.to_owned(), thread: Some(thread), since: vec![] })
    }

    /// A record is in the old file, or will be.
    pub fn note(&mut self, record: &Record, bulk: &Bytes) {
        self.since.push((record.clone(), bulk.clone()));
    }

    /// Whether all is written but what has come since.
    pub fn is_done(&self) -> bool {
        self.thread.as_ref().is_none_or(JoinHandle::is_finished)
    }

    /// Has the new file take the old one's place; where that fails the old one is as it was.
    pub fn end(mut self) -> io::Result<Writing> {
        let mut written = self.join()?;
        let mut rest = vec![];
        for (record, bulk) in &self.since {
            written.chain = encode(record, bulk, written.chain, &mut rest).map_err(io::Error::other)?;
        }
        written.file.write_all(&rest)?;
        // Something of it may have been promised not to be lost with a power failure.
        written.file.sync_data()?;
        written.bytes += rest.len() as u64;
        put_in_place(&self.folder)?;
        Ok(written)
    }

    fn join(&mut self) -> io::Result<Writing> {
        let broke = || io::Error::other("the thread that writes it broke down");
        self.thread.take().map_or_else(|| Err(broke()), |thread| thread.join().unwrap_or_else(|_| Err(broke())))
    }
}

impl Drop for Rewriting {
    /// What hasn't been put in place is of no use, and takes up room.
    fn drop(&mut self) {
        _ = self.join();
        _ = std::fs::remove_file(self.folder.join(NEW));
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::{ledger_of, read_all, records, submitted};
    use super::super::{Journal, JournalOptions};
    use super::*;
    use proptest::prelude::*;

    /// Whether it is written anew is looked at with the next record.
    impl Journal {
        fn begin_now(&mut self) {
            self.rewritten_at = 0;
        }

        fn wait_until_written(&self) {
            while self.rewriting.as_ref().is_some_and(|rewriting| !rewriting.is_done()) {
                std::thread::yield_now();
            }
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

        /// Whenever it is written anew, and however long that takes, the file comes to the same.
        #[test]
        fn what_comes_meanwhile_is_in_the_new_file(records in records(), begin in 0..20_usize, end in 0..20_usize) {
            let folder = tempfile::tempdir().unwrap();
            let mut journal = Journal::open(folder.path(), JournalOptions::default()).unwrap();
            for (at, (record, bulk)) in records.iter().enumerate() {
                if at == begin {
                    journal.begin_now();
                }
                if at == begin + end {
                    journal.wait_until_written();
                }
                journal.append(record.clone(), bulk.clone()).unwrap();
            }
            let bytes = std::fs::read(folder.path().join("journal")).unwrap();
            prop_assert_eq!(bytes.len() as u64, journal.bytes());
            prop_assert_eq!(&ledger_of(&read_all(&bytes).unwrap()), journal.ledger());
            drop(journal);
            prop_assert!(!folder.path().join(NEW).exists());
        }
    }

    #[test]
    fn nobody_waits_while_it_is_written() {
        let folder = tempfile::tempdir().unwrap();
        let mut journal = Journal::open(folder.path(), JournalOptions::default()).unwrap();
        journal.append(submitted(1, 0), Bytes::from_static(b"graph")).unwrap();
        // Whoever writes to it waits until somebody reads.
        rustix::fs::mknodat(
            rustix::fs::CWD,
            folder.path().join(NEW),
            rustix::fs::FileType::Fifo,
            rustix::fs::Mode::RWXU,
            0,
        )
        .unwrap();
        journal.begin_now();
        for run in 2..50 {
            journal.append(submitted(run, 0), Bytes::from_static(b"graph")).unwrap();
        }
        assert!(journal.rewriting.as_ref().is_some_and(|rewriting| !rewriting.is_done()));
        drop(std::fs::File::open(folder.path().join(NEW)));
        journal.wait_until_written();
        // A pipe can't be synced: the old file goes on.
        journal.append(submitted(50, 0), Bytes::new()).unwrap();
        assert!(journal.rewriting.is_none() && journal.rewritten_at > journal.bytes());
        drop(journal);
        let again = Journal::open(folder.path(), JournalOptions::default()).unwrap();
        assert_eq!(again.runs(), 50);
    }
}

//! Disks that are full, and files that a power failure has left half written.

use super::frames::{Frames, VERSION, header};
use super::tests::{failure, identity, ledger_of, range, read_all, root, submitted};
use super::*;
use crate::failure::Killed;
use crate::message::ErrorForm;
use raskt_value::ErrorKind;
use std::io::{PipeReader, Read};
use std::os::fd::OwnedFd;
use xxhash_rust::xxh3::xxh3_64;

fn open(folder: &Path) -> Journal {
    Journal::open(folder, JournalOptions::default()).unwrap()
}

fn graph() -> Bytes {
    Bytes::from_static(b"graph")
}

#[test]
fn a_disk_that_was_full_is_written_to_again() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path());
    journal.append(submitted(1, 0), graph()).unwrap();
    journal.append(submitted(2, 0), graph()).unwrap();
    let names = vec![(vec![1], Some(vec![1])), (vec![2], Some(vec![2]))];
    journal.append(Record::Others { kind: 2, entries: names }, Bytes::new()).unwrap();
    journal.fill();
    let plugin = |value: u8| Record::Other { kind: 1, name: vec![1], value: Some(vec![value]) };
    for run in 3..5 {
        assert!(journal.append(submitted(run, 0), graph()).is_err(), "the first, and those after it");
        assert!(journal.append(plugin(1), Bytes::new()).is_err());
    }
    assert_eq!((journal.runs(), journal.ledger.others(1).count()), (2, 0), "what is refused isn't known");
    // What ends something counts all the same.
    journal.later(Record::Forgotten { runs: vec![RunId(1)] }, Bytes::new()).unwrap();
    assert!(journal.end(Record::Others { kind: 2, entries: vec![(vec![1], None)] }).is_err());
    let both = |value| Record::Others { kind: 2, entries: vec![(vec![2], None), (vec![3], Some(vec![value]))] };
    assert!(journal.append(both(9), Bytes::new()).is_err());
    let pause = journal.broken.as_ref().unwrap().pause;
    journal.broken.as_mut().unwrap().tries_at = Instant::now();
    assert!(journal.append(submitted(5, 0), graph()).is_err(), "there is no room yet");
    assert!(journal.broken.as_ref().unwrap().pause > pause, "it is tried less and less often");
    journal.make_room();
    journal.append(submitted(6, 0), graph()).unwrap();
    journal.append(plugin(2), Bytes::new()).unwrap();
    drop(journal);
    let journal = open(folder.path());
    assert_eq!(journal.ledger().runs().map(|(run, _)| run.0).collect::<Vec<_>>(), [2, 6]);
    assert!(journal.ledger.others(1).eq([(&[1][..], &[2][..])]));
    assert!(journal.ledger.others(2).eq([(&[2][..], &[2][..])]), "one was over, and the other one's change refused");
}

impl Journal {
    /// Whatever is written from now on doesn't fit, nor does a new file.
    pub(crate) fn fill(&mut self) {
        self.file = std::fs::OpenOptions::new().write(true).open("/dev/full").unwrap();
        std::fs::create_dir(self.folder.join("journal.new")).unwrap();
    }

    pub(crate) fn make_room(&mut self) {
        std::fs::remove_dir(self.folder.join("journal.new")).unwrap();
        self.try_now();
    }

    /// What is written from now on is read there, and can't be synced.
    pub(crate) fn lose_sync(&mut self) -> PipeReader {
        let (reader, writer) = std::io::pipe().unwrap();
        self.file = OwnedFd::from(writer).into();
        reader
    }

    /// It is time to write again.
    pub(crate) fn try_now(&mut self) {
        self.broken.as_mut().unwrap().tries_at = Instant::now();
    }
}

#[test]
fn what_may_be_lost_with_power_is_not_begun_here_or_by_the_next() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path());
    journal.append(submitted(1, 0), graph()).unwrap();
    let mut bytes = std::fs::read(folder.path().join("journal")).unwrap();
    let mut written = journal.lose_sync();
    assert!(matches!(journal.append_for_good(submitted(2, 0), graph()), Err(JournalError::Io { .. })));
    assert_eq!(journal.runs(), 1);
    assert!(journal.append(submitted(3, 0), graph()).is_err(), "nobody knows what is there of the file");
    journal.try_now();
    journal.append_for_good(submitted(4, 0), graph()).unwrap();
    written.read_to_end(&mut bytes).unwrap();
    let runs = |ledger: &Ledger| ledger.runs().map(|(run, _)| run.0).collect::<Vec<_>>();
    let records = read_all(&bytes).unwrap();
    assert!(records.contains(&(submitted(2, 0), graph())), "it was written before it couldn't be synced");
    assert_eq!(runs(&ledger_of(&records)), [1]);
    drop(journal);
    assert_eq!(runs(open(folder.path()).ledger()), [1, 4]);
}

#[test]
fn what_could_not_be_written_anew_leaves_nothing_behind() {
    let folder = tempfile::tempdir().unwrap();
    let mut journal = open(folder.path());
    journal.append(submitted(1, 0), graph()).unwrap();
    // It can be written, and not be put in its place.
    std::fs::rename(folder.path().join("journal"), folder.path().join("elsewhere")).unwrap();
    std::fs::create_dir_all(folder.path().join("journal/full")).unwrap();
    assert!(rewrite(folder.path(), journal.lineage, &journal.ledger).is_err());
    assert!(!folder.path().join("journal.new").exists());
}

#[test]
fn a_journal_that_can_not_be_written_anew_goes_on_behind_its_last_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("journal");
    let mut journal = open(folder.path());
    journal.append(submitted(1, 0), graph()).unwrap();
    let lineage = journal.lineage();
    let bytes = journal.bytes();
    journal.append(submitted(2, 0), graph()).unwrap();
    drop(journal);
    // The last is cut off.
    std::fs::OpenOptions::new().write(true).open(&path).unwrap().set_len(bytes + 30).unwrap();
    std::fs::create_dir(folder.path().join("journal.new")).unwrap();
    let mut journal = open(folder.path());
    assert_eq!((journal.lineage(), journal.runs(), journal.bytes()), (lineage, 1, bytes));
    journal.append(submitted(3, 0), graph()).unwrap();
    drop(journal);
    let journal = open(folder.path());
    assert_eq!(journal.ledger().runs().map(|(run, _)| run.0).collect::<Vec<_>>(), [1, 3]);
}

/// Records that were begun to be written when the power failed: blocks of the file are zero from one on.
#[test]
fn blocks_that_were_never_written_are_an_end_that_was_cut_off() {
    let block = 4096;
    let bulk = Bytes::from(vec![7; 3 * block]);
    let mut bytes = header([3; 16]).0;
    let mut chain = header([3; 16]).1;
    for run in 0..3 {
        chain = encode(&submitted(run, 0), &bulk, chain, &mut bytes).unwrap();
    }
    let read = |bytes: &[u8]| {
        let mut frames = Frames::begin(bytes, bytes.len() as u64, Path::new("journal")).unwrap();
        let mut runs = 0;
        while frames.next()?.is_some() {
            runs += 1;
        }
        Ok::<_, JournalError>(runs)
    };
    let each = (bytes.len() - 36) / 3;
    for from in 1..bytes.len().div_ceil(block) {
        let mut cut = bytes.clone();
        cut[from * block..].fill(0);
        assert_eq!(read(&cut).unwrap(), (from * block - 36) / each, "zero from block {from} on");
        cut.extend([0; 5000]);
        assert_eq!(read(&cut).unwrap(), (from * block - 36) / each);
    }
    // Zeros with something behind them are damage, and so are some that begin within a block.
    let mut hole = bytes.clone();
    hole[block..2 * block].fill(0);
    assert!(matches!(read(&hole), Err(JournalError::Damaged { .. })));
    let mut end = bytes.clone();
    let at = end.len() - 100;
    assert!(at / block == (end.len() - 1) / block);
    end[at..].fill(0);
    assert!(matches!(read(&end), Err(JournalError::Damaged { .. })));
}

/// Each form of a record has bytes of its own, and the version says which: when these are others, the version has to be another.
#[test]
fn the_version_is_that_of_the_forms() {
    let (run, tasks) = (RunId(5), vec![range(3, 9), range(11, 12)]);
    let (identity, secret) = (identity(9), [3; 16]);
    let mut given = submitted(6, 2);
    if let Record::Submitted { submission, .. } = &mut given {
        let import = raskt_schedule::Import { tasks: range(0, 1), run, from: root(1, 2).1 };
        (submission.parent, submission.imports) = (Some(run), vec![import]);
        (submission.given, submission.given_at) = (tasks.clone(), vec!["tcp://host:1".into()]);
        (submission.named, submission.in_pieces) = (vec![(run, 8)], true);
        submission.failure = raskt_schedule::FailureScope::Run;
    }
    let mut whole = failure(1, 2);
    let (key, message) = ("key".into(), "words".into());
    whole.error = Some(ErrorForm { key, kind: ErrorKind::Value, message, cause: Some(vec![1, 2]) }.into());
    let killed = Killed { key: "poison-1".into(), cause: Some("it was ended".into()) };
    (whole.is_lost, whole.killed) = (true, Some(killed.into()));
    let records = [
        Record::Numbers { next_client: 1, next_worker: 300 },
        Record::Client { client: 1, identity, secret },
        Record::ClientGone { client: 1 },
        submitted(5, 2),
        given,
        Record::Released { run, tasks: tasks.clone() },
        Record::RunsReleased { runs: vec![run] },
        Record::Forgotten { runs: vec![run] },
        Record::Cause { failure: failure(1, 2) },
        Record::Cause { failure: whole },
        Record::Failed { run, tasks: tasks.clone(), root: root(1, 2) },
        Record::Tried { run, task: root(1, 2).1, times: 3 },
        Record::Retried { run, tasks },
        Record::Ended { run, ended: EndedForm::Failed(root(1, 2)) },
        Record::Ended { run, ended: EndedForm::Lost },
        Record::Ended { run, ended: EndedForm::Refused("no".into()) },
        Record::WorkerIn { worker: 3, identity },
        Record::WorkerOut { worker: 3 },
        Record::Other { kind: 7, name: vec![1], value: Some(vec![2]) },
        Record::Other { kind: 7, name: vec![1], value: None },
        Record::Others { kind: 7, entries: vec![(vec![1], Some(vec![2])), (vec![3], None)] },
    ];
    let (mut bytes, mut chain) = header([3; 16]);
    for record in &records {
        chain = encode(record, &graph(), chain, &mut bytes).unwrap();
    }
    assert_eq!(
        (VERSION, xxh3_64(&bytes)),
        (5, 5_971_879_299_967_044_070),
        "forms have changed: so has the version to, and then this number"
    );
}

//! Journals that are cut, damaged, written anew, and what they come to.

use super::frames::{Frames, encode, header};
use super::*;
use crate::hello::Identity;
use crate::message::{FailureForm, Submission};
use proptest::prelude::*;
use raskt_graph::{LayerId, TaskId};
use raskt_schedule::{FailureScope, TaskRange};
use std::sync::Arc;

pub(super) fn range(start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(0), start, end }
}

pub(super) fn submitted(run: u64, client: u32) -> Record {
    let wanted = vec![range(0, 20)];
    let (imports, given, given_at) = Default::default();
    let failure = FailureScope::Task;
    let submission = Submission {
        run: RunId(run),
        mark: 7,
        named: vec![],
        parent: None,
        wanted,
        failure,
        imports,
        given,
        given_at,
        keeps: false,
        in_pieces: false,
    };
    Record::Submitted { client, submission }
}

pub(super) fn failure(run: u64, index: u64) -> FailureForm {
    let task = TaskId::new(LayerId(0), index);
    FailureForm { run: RunId(run), task, error: None, story: vec![], is_lost: false, killed: None }
}

pub(super) fn root(run: u64, index: u64) -> (RunId, TaskId) {
    (RunId(run), TaskId::new(LayerId(0), index))
}

pub(super) fn identity(number: u32) -> Identity {
    Identity { process: u128::from(number), incarnation: 1 }
}

/// Few runs and clients, so that records meet.
pub(super) fn records() -> impl Strategy<Value = Vec<(Record, Bytes)>> {
    let record = (0..14_u8, 0..6_u64, 0..18_u64, 1..4_u64, 0..3_u32).prop_map(|(kind, run, start, len, client)| {
        let (id, tasks) = (RunId(run), vec![range(start, start + len)]);
        let record = match kind {
            0..=2 => submitted(run, client),
            3 => Record::Client { client, identity: identity(client), secret: [client as u8; 16] },
            4 => Record::ClientGone { client },
            5 => Record::Released { run: id, tasks },
            6 => Record::RunsReleased { runs: vec![id] },
            7 => Record::Forgotten { runs: vec![id] },
            13 if len == 3 => Record::Tried { run: id, task: TaskId::new(LayerId(0), start), times: client + 1 },
            12 | 13 => Record::Cause { failure: failure(start % 2, start % 3) },
            8 => Record::Failed { run: id, tasks, root: root(start % 2, start % 3) },
            9 => Record::Retried { run: id, tasks },
            10 => Record::WorkerIn { worker: client, identity: identity(client) },
            _ if start % 3 == 0 => Record::WorkerOut { worker: client },
            _ if start % 6 == 1 => Record::Ended { run: id, ended: EndedForm::Refused("no".into()) },
            _ if start % 6 == 4 => Record::Ended { run: id, ended: EndedForm::Failed(root(run % 2, len % 3)) },
            _ if run % 2 == 0 => {
                let entry = |name: u8| (vec![name], (len > 1).then(|| vec![start as u8]));
                Record::Others { kind: 7, entries: vec![entry(run as u8), entry(run as u8 + 1)] }
            }
            _ => Record::Other { kind: 7, name: vec![run as u8], value: (len > 1).then(|| vec![start as u8]) },
        };
        let bulk = if kind < 3 { Bytes::from(vec![start as u8; 10 * len as usize]) } else { Bytes::new() };
        (record, bulk)
    });
    prop::collection::vec(record, 0..40)
}

fn written(records: &[(Record, Bytes)]) -> Vec<u8> {
    let (mut bytes, mut chain) = header([3; 16]);
    for (record, bulk) in records {
        chain = encode(record, bulk, chain, &mut bytes).unwrap();
    }
    bytes
}

pub(super) fn read_all(bytes: &[u8]) -> Result<Vec<(Record, Bytes)>, JournalError> {
    let mut frames = Frames::begin(bytes, bytes.len() as u64, Path::new("journal"))?;
    let mut records = vec![];
    while let Some(record) = frames.next()? {
        records.push(record);
    }
    Ok(records)
}

pub(super) fn ledger_of(records: &[(Record, Bytes)]) -> Ledger {
    let mut ledger = Ledger::default();
    records.iter().cloned().for_each(|(record, bulk)| ledger.apply(record, bulk));
    ledger
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn what_is_written_anew_comes_to_the_same(records in records()) {
        for upto in 0..=records.len() {
            let ledger = ledger_of(&records[..upto]);
            let [causes, runs] = ledger.referred();
            prop_assert_eq!(causes, runs);
            let anew: Vec<_> = ledger.records().collect();
            prop_assert_eq!(&ledger_of(&anew), &ledger);
            prop_assert_eq!(&read_all(&written(&anew)).unwrap(), &anew);
        }
    }

    /// Cut anywhere, it is what was written whole before.
    #[test]
    fn an_end_that_was_cut_off_is_passed_in_silence(records in records()) {
        let bytes = written(&records);
        let first = header([3; 16]).0.len();
        for end in 0..bytes.len() {
            match read_all(&bytes[..end]) {
                Ok(read) => prop_assert!(end >= first && records.starts_with(&read) && written(&read).len() <= end),
                Err(JournalError::NotOne { .. }) => prop_assert!(end < first),
                Err(error) => prop_assert!(false, "{}", error),
            }
        }
        // Room that the system made and nothing was written to.
        let zeros = [bytes, vec![0; 100]].concat();
        prop_assert_eq!(read_all(&zeros).unwrap(), records);
    }

    /// No byte can be another one unnoticed; and nothing that is read makes it panic.
    #[test]
    fn damage_is_an_error(records in records(), with in 1..=255_u8) {
        let bytes = written(&records);
        for at in 0..bytes.len() {
            let mut damaged = bytes.clone();
            damaged[at] ^= with;
            let error = read_all(&damaged).err();
            let is_told = matches!(error, Some(JournalError::NotOne { .. } | JournalError::Damaged { .. }));
            prop_assert!(is_told, "byte {}: {:?}", at, error);
        }
    }

    /// Nor can a record be missing, doubled or out of its turn.
    #[test]
    fn records_hang_together(records in records(), at in any::<prop::sample::Index>()) {
        prop_assume!(records.len() > 2);
        let at = at.index(records.len() - 1);
        let pieces: Vec<Vec<u8>> = (0..records.len()).map(|upto| {
            written(&records[..=upto])[written(&records[..upto]).len()..].to_vec()
        }).collect();
        let joined = |order: Vec<usize>| [header([3; 16]).0, order.into_iter().flat_map(|at| pieces[at].clone()).collect()].concat();
        let all: Vec<usize> = (0..records.len()).collect();
        prop_assert_eq!(joined(all.clone()), written(&records));
        let mut missing = all.clone();
        missing.remove(at);
        let mut doubled = all.clone();
        doubled.insert(at, at);
        let mut turned = all;
        turned.swap(at, at + 1);
        for order in [missing, doubled, turned] {
            let is_told = matches!(read_all(&joined(order)), Err(JournalError::Damaged { .. }));
            prop_assert!(is_told);
        }
    }
}

#[test]
fn a_journal_goes_on_where_it_was_and_is_one_schedulers() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Journal::open(folder.path(), JournalOptions::default());
    let mut journal = open().unwrap();
    let lineage = journal.lineage();
    assert!(matches!(open(), Err(JournalError::InUse { .. })));
    let client = Record::Client { client: 4, identity: identity(4), secret: [9; 16] };
    journal.append(client, Bytes::new()).unwrap();
    journal.append_for_good(submitted(1, 4), Bytes::from_static(b"graph")).unwrap();
    journal.later(Record::Released { run: RunId(1), tasks: vec![range(0, 5)] }, Bytes::new()).unwrap();
    journal.flush().unwrap();
    // Never written, as when the process is killed before.
    journal.later(Record::RunsReleased { runs: vec![RunId(1)] }, Bytes::new()).unwrap();
    drop(journal);
    let mut journal = open().unwrap();
    assert_eq!((journal.lineage(), journal.runs()), (lineage, 1));
    let line = journal.line(RunId(1)).unwrap();
    assert_eq!((line.still_wanted(), line.is_released, &line.graph[..]), (vec![range(5, 20)], false, &b"graph"[..]));
    assert_eq!(journal.ledger().next_client(), 5);
    journal.append(Record::Forgotten { runs: vec![RunId(1)] }, Bytes::new()).unwrap();
    drop(journal);
    assert_eq!(open().unwrap().runs(), 0);
    let mode = std::os::unix::fs::PermissionsExt::mode(
        &std::fs::metadata(folder.path().join("journal")).unwrap().permissions(),
    );
    assert_eq!(mode & 0o777, 0o600, "graphs are nobody else's business");
}

#[test]
fn what_has_failed_is_wanted_no_more_until_it_is_retried_with_all_that_failed_of_the_same() {
    let failed =
        |run, start, end, of| Record::Failed { run: RunId(run), tasks: vec![range(start, end)], root: root(1, of) };
    let cause = |of| Record::Cause { failure: failure(1, of) };
    let failures = [cause(3), failed(1, 3, 4, 3), failed(2, 0, 2, 3), cause(5), failed(2, 7, 8, 5)];
    let records: Vec<_> = [submitted(1, 0), submitted(2, 0)].into_iter().chain(failures).map(Record::alone).collect();
    let mut ledger = ledger_of(&records);
    let wanted = |ledger: &Ledger, run| TaskRange::count(&ledger.run(RunId(run)).unwrap().still_wanted());
    assert_eq!((wanted(&ledger, 1), wanted(&ledger, 2)), (19, 17));
    assert_eq!(ledger.run(RunId(2)).unwrap().failures().len(), 2);
    ledger.apply(Record::Retried { run: RunId(2), tasks: vec![range(0, 1)] }, Bytes::new());
    assert_eq!((wanted(&ledger, 1), wanted(&ledger, 2)), (20, 19));
}

#[test]
fn what_others_want_to_last_does() {
    let other = |name: u8, value: Option<u8>| Record::Other {
        kind: 3,
        name: vec![name],
        value: value.map(|value| vec![value]),
    };
    let records = [other(1, Some(1)), other(2, Some(2)), other(1, Some(4)), other(2, None)];
    let ledger = ledger_of(&records.map(|record| (record, Bytes::new())));
    assert!(ledger.others(3).eq([(&[1][..], &[4][..])]) && ledger.others(4).next().is_none());
}

/// What an error takes up is written once, however much fails with it, and forgotten with the last of that.
#[test]
fn an_error_is_written_once() {
    let mut large = failure(1, 3);
    let (key, kind) = ("key".into(), raskt_value::ErrorKind::Value);
    let cause = Some(vec![7; 1 << 20]);
    large.error = Some(crate::message::ErrorForm { key, kind, message: "no".into(), cause }.into());
    let mut ledger = Ledger::default();
    let mut bytes = vec![];
    let note = |ledger: &mut Ledger, record: Record, bytes: &mut Vec<u8>| {
        encode(&record, &Bytes::new(), 0, bytes).unwrap();
        ledger.apply(record, Bytes::new());
    };
    for run in 1..200 {
        note(&mut ledger, submitted(run, 0), &mut bytes);
        let cause = ledger.unwritten_cause(&large).map(|failure| Record::Cause { failure });
        assert_eq!(cause.is_some(), run == 1);
        cause.into_iter().for_each(|cause| note(&mut ledger, cause, &mut bytes));
        let ended = Record::Ended { run: RunId(run), ended: EndedForm::Failed(root(1, 3)) };
        let failed = Record::Failed { run: RunId(run), tasks: vec![range(0, 5)], root: root(1, 3) };
        note(&mut ledger, if run % 2 == 0 { ended } else { failed }, &mut bytes);
    }
    assert!(bytes.len() < 2 << 20, "{} bytes", bytes.len());
    let anew: Vec<_> = ledger.records().collect();
    assert_eq!(ledger_of(&anew), ledger);
    assert!(written(&anew).len() < 2 << 20);
    assert_eq!(ledger.run(RunId(77)).unwrap().failures(), [(range(0, 5), Arc::new(large.clone()))]);
    assert_eq!(ledger.run(RunId(78)).unwrap().ended, Some(Ended::Failed(Arc::new(large.clone()))));
    ledger.apply(Record::Forgotten { runs: (1..199).map(RunId).collect() }, Bytes::new());
    assert!(ledger.unwritten_cause(&large).is_none());
    ledger.apply(Record::Retried { run: RunId(199), tasks: vec![range(1, 2)] }, Bytes::new());
    assert_eq!(ledger.unwritten_cause(&large), Some(large));
}

/// A result that has failed is kept, and read by what comes and goes.
#[test]
fn what_has_failed_keeps_nothing_of_those_that_have_read_it() {
    let mut ledger = Ledger::default();
    let mut note = |record| ledger.apply(record, Bytes::new());
    let ended = |run, of| Record::Ended { run: RunId(run), ended: EndedForm::Failed(root(50, of)) };
    let failed = |run, of| Record::Failed { run: RunId(run), tasks: vec![range(3, 5)], root: root(50, of) };
    note(submitted(50, 0));
    for of in [3, 4] {
        note(Record::Cause { failure: failure(50, of) });
        note(Record::Failed { run: RunId(50), tasks: vec![range(of, of + 1)], root: root(50, of) });
    }
    for run in 0..40 {
        note(submitted(run, 0));
        // The last counts.
        let others = if run % 2 == 0 { [failed(run, 3), failed(run, 4)] } else { [ended(run, 4), ended(run, 3)] };
        others.into_iter().for_each(&mut note);
        note(Record::Forgotten { runs: vec![RunId(run)] });
    }
    assert_eq!(ledger.referred().map(|it| it.len()), [2, 2]);
    ledger.apply(Record::Retried { run: RunId(50), tasks: vec![range(3, 4)] }, Bytes::new());
    assert_eq!(
        (ledger.unwritten_cause(&failure(50, 3)), ledger.unwritten_cause(&failure(50, 4))),
        (Some(failure(50, 3)), None)
    );
}

/// To retry costs as much as what is run again, and not as what has failed besides.
#[test]
fn a_retry_looks_at_what_failed_of_the_same() {
    let mut ledger = Ledger::default();
    ledger.apply(submitted(0, 0), Bytes::new());
    for index in 0..20 {
        ledger.apply(Record::Cause { failure: failure(0, index) }, Bytes::new());
        ledger.apply(
            Record::Failed { run: RunId(0), tasks: vec![range(index, index + 1)], root: root(0, index) },
            Bytes::new(),
        );
    }
    for run in 1..100 {
        ledger.apply(submitted(run, 0), Bytes::new());
        let of = run % 10;
        ledger.apply(Record::Failed { run: RunId(run), tasks: vec![range(3, 5)], root: root(0, of) }, Bytes::new());
    }
    let expected: Vec<_> = std::iter::once((RunId(0), vec![range(4, 5)]))
        .chain((1..100).filter(|run| run % 10 == 4).map(|run| (RunId(run), vec![range(3, 5)])))
        .collect();
    assert_eq!(ledger.failed_with(RunId(14), &[range(0, 20)]), expected);
    ledger.apply(Record::Retried { run: RunId(14), tasks: vec![range(0, 20)] }, Bytes::new());
    assert!(ledger.failed_with(RunId(14), &[range(0, 20)]).is_empty());
    assert_eq!(ledger.failed_with(RunId(0), &[range(0, 20)]).len(), 20 + 99 - 11);
}

//! What is shared by name outlives the scheduler, if it has a journal.

use super::core::Core;
use super::written::complain;
use crate::coordination::Keeping;
use crate::journal::{Journal, JournalError, Ledger, Record};
use bytes::Bytes;
use raskt_schedule::coordination::{Change, Entry, Keeper, Value};
use raskt_schedule::{RunId, TaskRange};

/// Under this kind it is in the journal.
const JOURNALED_AS: u16 = 2;

/// Bytes of the names that one record says are gone, about.
const GONE_BYTES: usize = 1 << 20;

/// A journal that is written to before something that is shared by name changes. What begins with one change is one record: none is
/// there by halves. What ends may be more than a record has room for.
pub(super) struct Names(pub Journal);

impl Keeper for Names {
    fn write(&mut self, change: Change) -> Result<(), String> {
        let entries = change.iter().map(|(entry, value)| written(entry, value.as_ref()));
        let mut entries = entries.collect::<Result<Vec<_>, _>>().map_err(|error| error.to_string())?;
        let rest = match entries.iter().all(|(_, value)| value.is_none()) {
            true => entries.split_off(first_bytes(&entries)),
            false => vec![],
        };
        let record = Record::Others { kind: JOURNALED_AS, entries };
        self.0.append(record, Bytes::new()).map_err(|error| error.to_string())?;
        // Some of it is gone by now: the rest is as well, whenever that can be written.
        end_all(&mut self.0, rest).or_else(|error| {
            tracing::warn!("what was shared by name and is over is written down later: {error}");
            Ok(())
        })
    }

    fn end(&mut self, gone: Vec<Entry>) {
        let entries = gone.iter().filter_map(|entry| written(entry, None).ok()).collect();
        if let Err(error) = end_all(&mut self.0, entries) {
            tracing::warn!("what was shared by name and is over is written down later: {error}");
        }
    }
}

impl Core {
    /// The cluster is ended: nothing that was shared by name is to be had from the next scheduler.
    pub fn note_no_entries(&mut self) {
        let Some(journal) = &mut self.journal else { return };
        let entries = journal.ledger().others(JOURNALED_AS).map(|(name, _)| (name.to_vec(), None)).collect();
        complain(end_all(journal, entries));
    }

    /// Puts back what was shared by name under the scheduler before, and wants the results that it refers to.
    pub fn restore_entries(&mut self, ledger: &Ledger) {
        let mut holds: Vec<(RunId, TaskRange)> = vec![];
        for (name, value) in ledger.others(JOURNALED_AS) {
            let Some((entry, value)) = read(name, value) else { continue };
            let kept = self.sharing.server.restore(entry, value).into_iter();
            holds.extend(kept.filter_map(|kept| match kept {
                Keeping::Hold { run, tasks } => Some((run, tasks)),
                Keeping::LetGo { .. } => None,
            }));
        }
        self.hold_all(holds);
    }
}

/// An entry as it is written, and its value.
type Written = (Vec<u8>, Option<Vec<u8>>);

/// Writes down what is over, in as many records as it takes; the last error, if there was one.
fn end_all(journal: &mut Journal, mut entries: Vec<Written>) -> Result<(), JournalError> {
    let mut ended = Ok(());
    while !entries.is_empty() {
        let rest = entries.split_off(first_bytes(&entries));
        let record = Record::Others { kind: JOURNALED_AS, entries: std::mem::replace(&mut entries, rest) };
        ended = journal.end(record).or_else(|error| if ended.is_err() { ended } else { Err(error) });
    }
    ended
}

/// How many of them one record may name.
fn first_bytes(entries: &[Written]) -> usize {
    let mut bytes = 0_usize;
    let fits = |(name, _): &&Written| {
        bytes += name.len() + 2 * size_of::<u64>();
        bytes <= GONE_BYTES
    };
    entries.iter().take_while(fits).count().max(1)
}

/// How an entry is called in the journal, and its value there: the results that it refers to, and then its bytes as they are.
fn written(entry: &Entry, value: Option<&Value>) -> Result<Written, postcard::Error> {
    let value = value.map(|value| {
        let mut written = postcard::to_stdvec(&value.results)?;
        written.extend_from_slice(&value.bytes.0);
        Ok(written)
    });
    Ok((postcard::to_stdvec(entry)?, value.transpose()?))
}

fn read(name: &[u8], value: &[u8]) -> Option<(Entry, Value)> {
    let (results, bytes) = postcard::take_from_bytes(value).ok()?;
    Some((postcard::from_bytes(name).ok()?, Value { bytes: bytes.into(), results }))
}

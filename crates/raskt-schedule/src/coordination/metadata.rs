//! Metadata: keys, keys within them, and bytes under the innermost.
//!
//! What is under a key is bytes or further keys, as in nested dictionaries. They are kept flat, by the whole way to each: those
//! under a key stand together.

use super::bytes::{Bytes, Name, VALUE_COST_BYTES, Value};
use super::desk::Desk;
use super::entries::Entry;
use super::error::{CoordinationError, Kind, Quantity};
use super::keeping::Change;
use std::collections::BTreeMap;

/// All metadata.
#[derive(Debug, Default)]
pub(super) struct Metadata {
    /// No way to one is the beginning of the way to another.
    entries: BTreeMap<Vec<Name>, Bytes>,
    bytes: u64,
}

impl Metadata {
    /// Puts entries under a key, in the place of all that was there, and of bytes under a key on the way.
    pub fn set(
        &mut self,
        desk: &mut Desk,
        keys: &[Name],
        entries: Vec<(Vec<Name>, Bytes)>,
    ) -> Result<(), CoordinationError> {
        let mut gone: Vec<_> = self.under(keys).map(|(path, _)| path.clone()).collect();
        gone.extend((1..keys.len()).map(|depth| keys[..depth].to_vec()).filter(|path| self.entries.contains_key(path)));
        let freed: u64 = gone.iter().filter_map(|path| Some(cost(path, self.entries.get(path)?))).sum();
        let new: BTreeMap<_, _> = entries.into_iter().map(|(rest, bytes)| ([keys, &rest].concat(), bytes)).collect();
        let more: u64 = new.iter().map(|(path, bytes)| cost(path, bytes)).sum();
        let (most, after) = (desk.limits.metadata_bytes, self.bytes - freed + more);
        if after > most {
            return Err(CoordinationError::TooMany { what: Quantity::MetadataBytes, most });
        }
        let counted = more.saturating_sub(freed);
        desk.count(counted)?;
        desk.write(|| changed(&gone, &new)).inspect_err(|_| desk.bytes -= counted)?;
        desk.bytes -= freed.saturating_sub(more);
        self.bytes = after;
        gone.iter().for_each(|path| drop(self.entries.remove(path)));
        self.entries.extend(new);
        Ok(())
    }

    /// All that is under a key, by the rest of the way.
    pub fn get(&self, keys: &[Name]) -> Result<Vec<(Vec<Name>, Bytes)>, CoordinationError> {
        let found: Vec<_> =
            self.under(keys).map(|(path, bytes)| (path[keys.len()..].to_vec(), bytes.clone())).collect();
        if found.is_empty() && !keys.is_empty() {
            let name: Name = keys.join(".").into();
            return Err(CoordinationError::Unknown { kind: Kind::Metadata, name });
        }
        Ok(found)
    }

    fn under<'a>(&'a self, keys: &'a [Name]) -> impl Iterator<Item = (&'a Vec<Name>, &'a Bytes)> {
        self.entries.range(keys.to_vec()..).take_while(move |(path, _)| path.starts_with(keys))
    }

    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Counts again, and that nothing is bytes and further keys.
    pub fn validate(&self) {
        assert_eq!(self.bytes, self.entries.iter().map(|(path, bytes)| cost(path, bytes)).sum::<u64>());
        let paths: Vec<_> = self.entries.keys().collect();
        assert!(paths.windows(2).all(|pair| !pair[1].starts_with(pair[0])));
    }
}

/// What is written of new entries in the place of those that go.
fn changed(gone: &[Vec<Name>], new: &BTreeMap<Vec<Name>, Bytes>) -> Change {
    let gone = gone.iter().filter(|path| !new.contains_key(*path)).map(|path| (path, None));
    let value = |bytes: &Bytes| Value { bytes: bytes.clone(), results: vec![] };
    let new = new.iter().map(|(path, bytes)| (path, Some(value(bytes))));
    new.chain(gone).map(|(path, value)| (Entry::Metadata(path.clone()), value)).collect()
}

/// What an entry counts.
fn cost(path: &[Name], bytes: &Bytes) -> u64 {
    let keys: usize = path.iter().map(|key| key.len()).sum();
    (keys + bytes.len()) as u64 + VALUE_COST_BYTES * (1 + path.len() as u64)
}

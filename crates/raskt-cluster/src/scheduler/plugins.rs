//! What workers are to have, those that come later too: opaque bytes, which the faces of workers read.

use super::entries::WorkerEntry;
use crate::journal::{Ledger, Record};
use crate::message::ToWorker;
use bytes::Bytes;

/// Bytes of one.
const ONE_BYTES: usize = 16 << 20;
/// Bytes of all: they go to a worker that joins at once.
const ALL_BYTES: usize = 64 << 20;
/// How many there may be.
const MOST: usize = 256;
/// Bytes of a name.
const NAME_BYTES: usize = 1 << 10;

/// Under this kind they are in the journal.
const JOURNALED_AS: u16 = 1;

/// By name, in the order in which they came.
#[derive(Clone, Default)]
pub(super) struct Plugins(Vec<Plugin>);

#[derive(Clone)]
struct Plugin {
    name: String,
    bytes: Bytes,
    /// Larger than of those that came before.
    number: u64,
}

impl Plugin {
    /// How it is called in a journal: in the order in which they came.
    fn journaled_as(&self) -> Vec<u8> {
        [&self.number.to_be_bytes(), self.name.as_bytes()].concat()
    }
}

impl Plugins {
    /// Those that a journal has.
    pub fn restored(ledger: &Ledger) -> Self {
        let plugin = |(key, bytes): (&[u8], &[u8])| {
            let (number, name) = key.split_first_chunk()?;
            let (number, name) = (u64::from_be_bytes(*number), String::from_utf8(name.to_vec()).ok()?);
            Some(Plugin { name, bytes: Bytes::copy_from_slice(bytes), number })
        };
        Self(ledger.others(JOURNALED_AS).filter_map(plugin).collect())
    }

    /// Tells a worker that has just joined. One that was there before may have some.
    pub fn show_all(&self, worker: &mut WorkerEntry) {
        let names = self.0.iter().map(|plugin| plugin.name.clone()).collect();
        worker.send(&ToWorker::Plugins { names }, vec![]);
        for Plugin { name, bytes, .. } in &self.0 {
            worker.send(&ToWorker::Plugin { name: name.clone(), is_new: false }, vec![bytes.clone()]);
        }
        if !self.0.is_empty() {
            worker.prepare();
        }
    }

    /// Takes one in, or away, and gives what is to be written of it; why it can't be, if it can't.
    pub fn change(&mut self, name: &str, plugin: Option<&Bytes>) -> Result<Record, String> {
        let at = self.0.iter().position(|known| known.name == name);
        let Some(plugin) = plugin else {
            let gone = self.0.remove(at.ok_or_else(|| format!("there is no plugin `{name}`"))?);
            return Ok(Record::Other { kind: JOURNALED_AS, name: gone.journaled_as(), value: None });
        };
        let others: usize = self.0.iter().filter(|known| known.name != name).map(|known| known.bytes.len()).sum();
        if name.len() > NAME_BYTES {
            return Err(format!("the name of a plugin has {} bytes; {NAME_BYTES} may be", name.len()));
        }
        if plugin.len() > ONE_BYTES || others + plugin.len() > ALL_BYTES {
            let (bytes, all) = (plugin.len(), others + plugin.len());
            return Err(format!(
                "plugin `{name}` has {bytes} bytes, and with the others {all}; {ONE_BYTES} and {ALL_BYTES} may be"
            ));
        }
        if at.is_none() && self.0.len() == MOST {
            return Err(format!("there are {MOST} plugins; plugin `{name}` would be one more than there may be"));
        }
        let at = at.unwrap_or_else(|| {
            let number = self.0.last().map_or(0, |last| last.number + 1);
            self.0.push(Plugin { name: name.to_owned(), bytes: Bytes::new(), number });
            self.0.len() - 1
        });
        self.0[at].bytes = plugin.clone();
        Ok(Record::Other { kind: JOURNALED_AS, name: self.0[at].journaled_as(), value: Some(plugin.to_vec()) })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plugins_are_bounded_and_take_the_place_of_others_of_their_name() {
        let mut plugins = Plugins::default();
        let one = Bytes::from(vec![1; ONE_BYTES]);
        for name in ["a", "b", "c", "d", "a"] {
            plugins.change(name, Some(&one)).unwrap();
        }
        let names = |plugins: &Plugins| plugins.0.iter().map(|it| it.name.clone()).collect::<Vec<_>>();
        assert_eq!(names(&plugins), ["a", "b", "c", "d"]);
        assert!(plugins.change("e", Some(&Bytes::from_static(b"x"))).unwrap_err().contains("may be"));
        plugins.change("b", None).unwrap();
        assert!(plugins.change("b", None).unwrap_err().contains("no plugin `b`"));
        assert!(plugins.change("e", Some(&Bytes::from(vec![1; ONE_BYTES + 1]))).is_err());
        assert!(plugins.change(&"n".repeat(NAME_BYTES + 1), Some(&Bytes::new())).is_err());
        assert_eq!(names(&plugins), ["a", "c", "d"]);
        let mut plugins = Plugins::default();
        for at in 0..MOST {
            plugins.change(&at.to_string(), Some(&Bytes::new())).unwrap();
        }
        assert!(plugins.change("more", Some(&Bytes::new())).unwrap_err().contains("one more"));
    }

    #[test]
    fn a_journal_has_them_in_their_order() {
        let (mut plugins, mut ledger) = (Plugins::default(), Ledger::default());
        let changes =
            [("b", Some("1")), ("a", Some("2")), ("c", Some("3")), ("b", None), ("a", Some("4")), ("b", Some("5"))];
        for (name, bytes) in changes {
            let bytes = bytes.map(|bytes| Bytes::from_static(bytes.as_bytes()));
            ledger.apply(plugins.change(name, bytes.as_ref()).unwrap(), Bytes::new());
        }
        let shown =
            |plugins: &Plugins| plugins.0.iter().map(|it| (it.name.clone(), it.bytes.clone())).collect::<Vec<_>>();
        assert_eq!(shown(&Plugins::restored(&ledger)), shown(&plugins));
        assert_eq!(shown(&plugins).iter().map(|(name, _)| &**name).collect::<Vec<_>>(), ["a", "c", "b"]);
    }
}

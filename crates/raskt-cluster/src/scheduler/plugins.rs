//! What workers are to have, those that come later too: opaque bytes, which the faces of workers read.

use super::entries::WorkerEntry;
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

/// By name, in the order in which they came.
#[derive(Default)]
pub(super) struct Plugins(Vec<(String, Bytes)>);

impl Plugins {
    /// Tells a worker that has just joined.
    pub fn show_all(&self, worker: &WorkerEntry) {
        for (name, plugin) in &self.0 {
            worker.send(&ToWorker::Plugin { name: name.clone() }, vec![plugin.clone()]);
        }
    }

    /// Takes one in, or away; why it can't be, if it can't.
    pub fn change(&mut self, name: &str, plugin: Option<&Bytes>) -> Result<(), String> {
        let at = self.0.iter().position(|(known, _)| known == name);
        let Some(plugin) = plugin else {
            let at = at.ok_or_else(|| format!("there is no plugin `{name}`"))?;
            self.0.remove(at);
            return Ok(());
        };
        let others: usize = self.0.iter().filter(|(known, _)| known != name).map(|(_, bytes)| bytes.len()).sum();
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
        match at {
            Some(at) => self.0[at].1 = plugin.clone(),
            None => self.0.push((name.to_owned(), plugin.clone())),
        }
        Ok(())
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
        let names = |plugins: &Plugins| plugins.0.iter().map(|(name, _)| name.clone()).collect::<Vec<_>>();
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
}

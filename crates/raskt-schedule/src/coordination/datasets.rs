//! Datasets: what was published, and stays when whoever published it has gone.

use super::bytes::{Name, Value};
use super::desk::Desk;
use super::entries::Entry;
use super::error::{CoordinationError, Kind};
use super::given::Given;
use super::limits::Limits;
use super::reply::Reply;
use super::variables::show;
use super::waiting::Asker;
use std::collections::BTreeMap;
use std::ops::Bound;

/// All datasets.
#[derive(Debug, Default)]
pub(super) struct Datasets {
    datasets: BTreeMap<Name, Value>,
}

impl Datasets {
    pub fn publish(
        &mut self,
        desk: &mut Desk,
        name: Name,
        value: Value,
        replace: bool,
    ) -> Result<(), CoordinationError> {
        match self.datasets.contains_key(&name) {
            true if !replace => return Err(CoordinationError::Exists { name }),
            true => {}
            false => desk.check_names(Kind::Dataset, self.datasets.len() + 1)?,
        }
        desk.keep_under(|| Entry::Dataset(name.clone()), &value)?;
        if let Some(old) = self.datasets.insert(name, value) {
            desk.let_go(&old);
        }
        Ok(())
    }

    pub fn get(&self, desk: &mut Desk, given: &mut Given, asker: Asker, name: Name) -> Result<(), CoordinationError> {
        let value = self.datasets.get(&name);
        let value = value.ok_or(CoordinationError::Unknown { kind: Kind::Dataset, name })?;
        show(desk, given, asker, value);
        Ok(())
    }

    /// Whether there was one.
    pub fn unpublish(&mut self, desk: &mut Desk, name: &Name) -> Result<bool, CoordinationError> {
        if !self.datasets.contains_key(name) {
            return Ok(false);
        }
        desk.write(|| vec![(Entry::Dataset(name.clone()), None)])?;
        self.datasets.remove(name).iter().for_each(|value| desk.let_go(value));
        Ok(true)
    }

    pub fn list(&self, after: Option<Name>, limits: &Limits) -> Reply {
        page(self.datasets.keys_after(after), limits.reply_names)
    }

    pub fn values(&self) -> impl Iterator<Item = &Value> {
        self.datasets.values()
    }
}

/// What has names in order.
pub(super) trait KeysAfter {
    /// Those after one, or all.
    fn keys_after(&self, after: Option<Name>) -> impl Iterator<Item = &Name>;
}

impl<T> KeysAfter for BTreeMap<Name, T> {
    fn keys_after(&self, after: Option<Name>) -> impl Iterator<Item = &Name> {
        let from = after.map_or(Bound::Unbounded, Bound::Excluded);
        self.range((from, Bound::Unbounded)).map(|(name, _)| name)
    }
}

/// The first `most` of some names, and whether there are more.
pub(super) fn page<'a>(mut names: impl Iterator<Item = &'a Name>, most: usize) -> Reply {
    let page = names.by_ref().take(most).cloned().collect();
    Reply::Names { names: page, more: names.next().is_some() }
}

//! What is known of each run and of each worker, found without a search.

use crate::{RunId, WorkerId};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Index;

/// A map whose values stand still. Small numbers have a table of places, and the one that was found last is remembered: an event
/// asks for the same run and the same workers many times, and beside thousands of others each search would cost as much as
/// the event.
#[derive(Debug)]
pub(crate) struct ByNumber<K: Copy, V> {
    places: BTreeMap<K, usize>,
    /// For each number below [`NEAR`], one more than its place; zero if it has none.
    near: Vec<u32>,
    values: Vec<Option<V>>,
    free: Vec<usize>,
    last: Cell<Option<(K, usize)>>,
}

/// All but one, or all: to be looked at while that one is changed.
#[derive(Debug)]
pub(crate) struct Others<'a, K: Copy, V> {
    places: &'a BTreeMap<K, usize>,
    near: &'a [u32],
    before: &'a [Option<V>],
    /// Behind the one that is left out.
    after: &'a [Option<V>],
}

impl<K: Copy, V> Clone for Others<'_, K, V> {
    fn clone(&self) -> Self {
        *self
    }
}

impl<K: Copy, V> Copy for Others<'_, K, V> {}

impl<'a, K: Number, V> Others<'a, K, V> {
    pub fn get(&self, key: &K) -> Option<&'a V> {
        let place = match key.number() < NEAR {
            true => (*self.near.get(key.number() as usize)?).checked_sub(1)? as usize,
            false => *self.places.get(key)?,
        };
        let found = match place.checked_sub(self.before.len()) {
            None => self.before.get(place),
            Some(behind) => self.after.get(behind.checked_sub(1)?),
        };
        found?.as_ref()
    }
}

/// Numbers below it have an entry in the table, of four bytes each; others are searched for.
const NEAR: u64 = if cfg!(test) { 4 } else { 1 << 16 };

/// A name that is a number.
pub(crate) trait Number: Copy + Ord {
    fn number(self) -> u64;
}

impl Number for RunId {
    fn number(self) -> u64 {
        self.0
    }
}

impl Number for WorkerId {
    fn number(self) -> u64 {
        self.0.into()
    }
}

impl<K: Copy, V> Default for ByNumber<K, V> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), near: vec![], values: vec![], free: vec![], last: Cell::new(None) }
    }
}

impl<K: Number, V> ByNumber<K, V> {
    fn find(&self, key: K) -> Option<usize> {
        if key.number() < NEAR {
            return (*self.near.get(key.number() as usize)?).checked_sub(1).map(|place| place as usize);
        }
        if let Some((_, place)) = self.last.get().filter(|(last, _)| *last == key) {
            debug_assert_eq!(self.places.get(&key), Some(&place), "where the last one stands");
            return Some(place);
        }
        let place = *self.places.get(&key)?;
        self.last.set(Some((key, place)));
        Some(place)
    }

    pub fn get(&self, key: &K) -> Option<&V> {
        self.values[self.find(*key)?].as_ref()
    }

    pub fn get_mut(&mut self, key: &K) -> Option<&mut V> {
        let place = self.find(*key)?;
        self.values[place].as_mut()
    }

    /// What is known by `key`, to be changed, and all others beside it.
    pub fn split(&mut self, key: &K) -> Option<(&mut V, Others<'_, K, V>)> {
        let place = self.find(*key)?;
        let Self { places, near, values, .. } = self;
        let (before, rest) = values.split_at_mut(place);
        let (value, after) = rest.split_first_mut()?;
        Some((value.as_mut()?, Others { places, near, before, after }))
    }

    /// All of them.
    pub fn others(&self) -> Others<'_, K, V> {
        Others { places: &self.places, near: &self.near, before: &self.values, after: &[] }
    }

    /// Those up to that number.
    pub fn until(&self, last: K) -> impl Iterator<Item = K> {
        self.places.range(..=last).map(|(key, _)| *key)
    }

    /// The largest number of all.
    pub fn last(&self) -> Option<K> {
        self.places.last_key_value().map(|(key, _)| *key)
    }

    pub fn len(&self) -> usize {
        self.places.len()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn contains_key(&self, key: &K) -> bool {
        self.find(*key).is_some()
    }

    pub fn insert(&mut self, key: K, value: V) {
        if let Some(place) = self.find(key) {
            self.values[place] = Some(value);
            return;
        }
        let place = self.free.pop().unwrap_or_else(|| {
            self.values.push(None);
            self.values.len() - 1
        });
        self.values[place] = Some(value);
        self.places.insert(key, place);
        if key.number() < NEAR {
            let at = key.number() as usize;
            self.near.resize(self.near.len().max(at + 1), 0);
            self.near[at] = place as u32 + 1;
        }
    }

    pub fn remove(&mut self, key: &K) -> Option<V> {
        let place = self.places.remove(key)?;
        if key.number() < NEAR {
            self.near[key.number() as usize] = 0;
        }
        self.last.take();
        self.free.push(place);
        self.values[place].take()
    }

    /// In order, from one on.
    pub fn keys_from(&self, key: K) -> impl Iterator<Item = &K> {
        self.places.range(key..).map(|(key, _)| key)
    }

    /// In order.
    pub fn keys(&self) -> impl Iterator<Item = &K> {
        self.places.keys()
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&K, &V)> {
        self.places.iter().filter_map(|(key, &place)| Some((key, self.values[place].as_ref()?)))
    }
}

impl<K: Number, V> Index<&K> for ByNumber<K, V> {
    type Output = V;

    fn index(&self, key: &K) -> &V {
        self.get(key).expect("it is there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// It is a map, whatever was found last, and wherever the table ends.
        #[test]
        fn it_finds_what_a_map_finds(steps in prop::collection::vec((0..4_u8, 0..2 * NEAR, any::<u32>()), 0..100)) {
            let (mut map, mut found) = (BTreeMap::new(), ByNumber::default());
            for (step, run, value) in steps {
                let run = RunId(run);
                match step {
                    0 => {
                        map.insert(run, value);
                        found.insert(run, value);
                    }
                    1 => prop_assert_eq!(map.remove(&run), found.remove(&run)),
                    2 => prop_assert_eq!(map.get_mut(&run), found.get_mut(&run)),
                    _ => prop_assert_eq!(map.get(&run), found.get(&run)),
                }
                let all = |key: u64| found.others().get(&RunId(key)).copied() == map.get(&RunId(key)).copied();
                prop_assert!((0..2 * NEAR).all(all));
                if let Some((own, others)) = found.split(&run) {
                    prop_assert_eq!(Some(*own), map.get(&run).copied());
                    for other in (0..2 * NEAR).map(RunId) {
                        let expected = map.get(&other).filter(|_| other != run);
                        prop_assert_eq!(others.get(&other), expected);
                    }
                }
                prop_assert!(found.iter().eq(&map) && found.keys().eq(map.keys()) && found.len() == map.len());
            }
        }
    }
}

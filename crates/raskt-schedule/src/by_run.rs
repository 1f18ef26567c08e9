//! What is known of each run, found without a search where the same run is asked for again.

use crate::RunId;
use std::cell::Cell;
use std::collections::BTreeMap;
use std::ops::Index;

/// A map whose values stand still, with the place of the one that was found last: an event asks for the same run many times, and
/// beside thousands of others each search would cost as much as the event.
#[derive(Debug)]
pub(crate) struct ByRun<V> {
    places: BTreeMap<RunId, usize>,
    values: Vec<Option<V>>,
    free: Vec<usize>,
    last: Cell<Option<(RunId, usize)>>,
}

impl<V> Default for ByRun<V> {
    fn default() -> Self {
        Self { places: BTreeMap::new(), values: vec![], free: vec![], last: Cell::new(None) }
    }
}

impl<V> ByRun<V> {
    fn find(&self, run: &RunId) -> Option<usize> {
        if let Some((last, place)) = self.last.get().filter(|(last, _)| last == run) {
            debug_assert_eq!(self.places.get(&last), Some(&place), "where {last:?} stands");
            return Some(place);
        }
        let place = *self.places.get(run)?;
        self.last.set(Some((*run, place)));
        Some(place)
    }

    pub fn get(&self, run: &RunId) -> Option<&V> {
        self.values[self.find(run)?].as_ref()
    }

    pub fn get_mut(&mut self, run: &RunId) -> Option<&mut V> {
        let place = self.find(run)?;
        self.values[place].as_mut()
    }

    pub fn is_empty(&self) -> bool {
        self.places.is_empty()
    }

    pub fn contains_key(&self, run: &RunId) -> bool {
        self.find(run).is_some()
    }

    pub fn insert(&mut self, run: RunId, value: V) {
        match self.find(&run).or_else(|| self.free.pop()) {
            Some(place) => {
                self.values[place] = Some(value);
                self.places.insert(run, place);
            }
            None => {
                self.places.insert(run, self.values.len());
                self.values.push(Some(value));
            }
        }
    }

    pub fn remove(&mut self, run: &RunId) -> Option<V> {
        let place = self.places.remove(run)?;
        self.last.take();
        self.free.push(place);
        self.values[place].take()
    }

    /// In order.
    pub fn keys(&self) -> impl Iterator<Item = &RunId> {
        self.places.keys()
    }

    pub fn values(&self) -> impl Iterator<Item = &V> {
        self.iter().map(|(_, value)| value)
    }

    pub fn iter(&self) -> impl Iterator<Item = (&RunId, &V)> {
        self.places.iter().filter_map(|(run, &place)| Some((run, self.values[place].as_ref()?)))
    }
}

impl<V> Index<&RunId> for ByRun<V> {
    type Output = V;

    fn index(&self, run: &RunId) -> &V {
        self.get(run).expect("the run is there")
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        /// It is a map, whatever was found last.
        #[test]
        fn it_finds_what_a_map_finds(steps in prop::collection::vec((0..4_u8, 0..8_u64, any::<u32>()), 0..100)) {
            let (mut map, mut found) = (BTreeMap::new(), ByRun::default());
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
                prop_assert!(found.iter().eq(&map));
            }
        }
    }
}

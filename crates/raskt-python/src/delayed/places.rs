use super::parts::Place;
use hashbrown::HashMap;

/// Where nodes stand, by their numbers.
///
/// Nodes that were made one after the other have numbers in a row, and mostly are computed together: so places lie in
/// pages of as many neighbours, which takes a quarter of the memory of a table of single ones, and no search for most.
#[derive(Default)]
pub(super) struct Places {
    pages: HashMap<u64, Box<[Option<Place>; PAGE]>>,
}

const PAGE: usize = 64;

const _: () = assert!(size_of::<Option<Place>>() == 8, "there is a place for each call");

impl Places {
    pub fn get(&self, node: u64) -> Option<Place> {
        self.pages.get(&(node / PAGE as u64))?[node as usize % PAGE]
    }

    pub fn contains(&self, node: u64) -> bool {
        self.get(node).is_some()
    }

    pub fn insert(&mut self, node: u64, place: Place) {
        let page = self.pages.entry(node / PAGE as u64).or_insert_with(|| Box::new([None; PAGE]));
        page[node as usize % PAGE] = Some(place);
    }
}

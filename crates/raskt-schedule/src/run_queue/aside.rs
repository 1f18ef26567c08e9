//! How many stand aside for a requirement, of those that share the time of a group.

use crate::RunId;
use crate::needs::Need;
use std::collections::BTreeMap;

/// By what they stand aside for and the group, the members, and how many classes of each.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Aside<G>(BTreeMap<(Need, G), BTreeMap<RunId, u32>>);

impl<G> Default for Aside<G> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<G: Ord + Copy> Aside<G> {
    pub fn insert(&mut self, need: Need, group: G, member: RunId) {
        *self.0.entry((need, group)).or_default().entry(member).or_default() += 1;
    }

    pub fn remove(&mut self, need: Need, group: G, member: RunId) {
        let Some(members) = self.0.get_mut(&(need, group)) else { return };
        if let Some(classes) = members.get_mut(&member) {
            *classes -= 1;
            if *classes == 0 {
                members.remove(&member);
            }
        }
        if members.is_empty() {
            self.0.remove(&(need, group));
        }
    }

    /// The first group that has somebody who stands aside for `need`.
    pub fn first(&self, need: Need, from: G, to: G) -> Option<G> {
        self.0.range((need, from)..=(need, to)).next().map(|(&(_, group), _)| group)
    }

    /// How many of a group do beside `member`.
    pub fn beside(&self, need: Need, group: G, member: RunId) -> u64 {
        let members = self.0.get(&(need, group));
        members.map_or(0, |members| members.len() as u64 - u64::from(members.contains_key(&member)))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

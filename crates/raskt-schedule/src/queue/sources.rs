//! Tasks without inputs, behind a cursor.

use raskt_graph::LayerId;
use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet};

/// The tasks of a layer that nobody has looked at yet, by rank.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sources {
    pub layer: LayerId,
    pub priority: i32,
    pub next: u64,
    pub end: u64,
    /// Tasks among them that may turn out to be ready; with the last of them the cursor goes.
    pub left: u64,
    /// Their turn in the course of the run.
    pub turn: (u64, u64),
}

/// Layers with untouched tasks, in the order in which these have their turn: highest priority, then least advanced in the
/// course of the run, so that layers that are read together advance together.
#[derive(Debug, Default)]
pub(crate) struct SourceLayers {
    layers: BTreeMap<LayerId, Sources>,
    order: BTreeSet<(Reverse<i32>, u64, LayerId)>,
    /// The first in order: it is asked for at every turn.
    first: Option<Sources>,
    /// Tasks that are ready, at most.
    untouched: u64,
}

impl Sources {
    /// How far it is in the course of the run.
    pub fn along(&self) -> u64 {
        let (start, end) = self.turn;
        let along = u128::from(end - start) * u128::from(self.next) / u128::from(self.end.max(1));
        start + along as u64
    }

    fn turn(&self) -> (Reverse<i32>, u64, LayerId) {
        (Reverse(self.priority), self.along(), self.layer)
    }

    fn untouched(&self) -> u64 {
        (self.end - self.next).min(self.left)
    }
}

impl SourceLayers {
    pub fn insert(&mut self, sources: Sources) {
        self.remove(sources.layer);
        self.untouched = self.untouched.saturating_add(sources.untouched());
        self.order.insert(sources.turn());
        self.layers.insert(sources.layer, sources);
        self.find_first();
    }

    fn find_first(&mut self) {
        self.first = self.order.first().and_then(|(.., layer)| self.layers.get(layer)).copied();
    }

    pub fn remove(&mut self, layer: LayerId) -> Option<Sources> {
        let sources = self.layers.remove(&layer)?;
        self.order.remove(&sources.turn());
        self.untouched = self.untouched.saturating_sub(sources.untouched());
        self.find_first();
        Some(sources)
    }

    /// The layer whose tasks are next.
    pub fn first(&self) -> Option<&Sources> {
        self.first.as_ref()
    }

    /// The layer whose tasks are next, but for some layers.
    pub fn first_past(&self, passed: &[LayerId]) -> Option<&Sources> {
        if passed.is_empty() {
            return self.first();
        }
        let mut order = self.order.iter().filter(|(.., layer)| !passed.contains(layer));
        order.next().and_then(|(.., layer)| self.layers.get(layer))
    }

    /// Takes the first `count` tasks of a layer; `started` of them were ready.
    pub fn advance(&mut self, layer: LayerId, count: u64, started: u64) {
        let Some(mut sources) = self.remove(layer) else { return };
        sources.next += count;
        sources.left = sources.left.saturating_sub(started);
        if sources.next < sources.end && sources.left > 0 {
            self.insert(sources);
        }
    }

    pub fn untouched(&self) -> u64 {
        self.untouched
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sources(layer: u32, priority: i32, end: u64) -> Sources {
        Sources { layer: LayerId(layer), priority, next: 0, end, left: end, turn: (0, u64::MAX) }
    }

    #[test]
    fn layers_advance_together_whatever_their_lengths() {
        let mut layers = SourceLayers::default();
        [(0, 10), (1, 20), (2, 5)].into_iter().for_each(|(layer, end)| layers.insert(sources(layer, 0, end)));
        let mut taken = vec![];
        while let Some(&Sources { layer, .. }) = layers.first() {
            taken.push(layer.0);
            layers.advance(layer, 1, 1);
        }
        assert_eq!(taken[..7], [0, 1, 2, 1, 0, 1, 1], "a tenth, two twentieths, a fifth of …");
        assert_eq!((taken.len(), layers.untouched()), (35, 0));
    }

    #[test]
    fn layers_whose_turns_follow_one_another_go_one_after_the_other() {
        let mut layers = SourceLayers::default();
        let turns = [(0, (50, 100)), (1, (0, 50)), (2, (0, 100))];
        turns.into_iter().for_each(|(layer, turn)| layers.insert(Sources { turn, ..sources(layer, 0, 4) }));
        let mut taken = vec![];
        while let Some(&Sources { layer, .. }) = layers.first() {
            taken.push(layer.0);
            layers.advance(layer, 1, 1);
        }
        assert_eq!(taken, [1, 2, 1, 1, 2, 1, 0, 2, 0, 0, 2, 0]);
    }

    #[test]
    fn higher_priority_goes_first_and_what_is_closed_is_gone() {
        let mut layers = SourceLayers::default();
        layers.insert(sources(0, 0, 3));
        layers.insert(sources(1, 5, 3));
        assert_eq!((layers.first().map(|first| first.layer.0), layers.untouched()), (Some(1), 6));
        layers.remove(LayerId(1));
        assert_eq!((layers.first().map(|first| first.layer.0), layers.untouched()), (Some(0), 3));
        // Of the next two none was ready; one task may be.
        layers.advance(LayerId(0), 2, 0);
        assert_eq!(layers.untouched(), 1);
        layers.advance(LayerId(0), 1, 1);
        assert!(layers.first().is_none());
    }
}

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
}

/// Layers with untouched tasks, in the order in which these have their turn: highest priority, then least advanced, so that
/// layers that are read together advance together.
#[derive(Debug, Default)]
pub(crate) struct SourceLayers {
    layers: BTreeMap<LayerId, Sources>,
    order: BTreeSet<(Reverse<i32>, u128, LayerId)>,
    /// The first in order: it is asked for at every turn.
    first: Option<Sources>,
    /// Tasks that are ready, at most.
    untouched: u64,
}

impl Sources {
    fn turn(&self) -> (Reverse<i32>, u128, LayerId) {
        // How far it is, as a part of the whole in 2⁶⁴ths.
        (Reverse(self.priority), (u128::from(self.next) << 64) / u128::from(self.end.max(1)), self.layer)
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
        Sources { layer: LayerId(layer), priority, next: 0, end, left: end }
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

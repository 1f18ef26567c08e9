use crate::TaskRange;
use crate::rank_set::RankSet;
use crate::sources::{SourceLayers, Sources};
use raskt_graph::LayerId;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::collections::binary_heap::PeekMut;
use std::ops::Range;

/// Tasks that are ready, in the order in which they should start.
///
/// Higher priority first; then later layers (they are nearer to the end, and free what earlier ones made); then by rank
/// within the layer. Tasks stand here by rank: in ranges, or as bits where a large explicit layer has them become ready in no
/// order. Tasks without inputs don't stand here one by one: each
/// layer of them is a cursor.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    ready: BinaryHeap<Stretch>,
    /// The stretch that grows while neighbours become ready one after the other.
    growing: Option<Stretch>,
    /// One for each large explicit layer.
    scattered: Vec<Scattered>,
    sources: SourceLayers,
}

/// Neighbours by rank. A task may stand in several; what its record says counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Stretch {
    priority: i32,
    layer: LayerId,
    start: Reverse<u64>,
    end: u64,
}

/// Ready tasks of a layer, by rank.
#[derive(Debug)]
struct Scattered {
    priority: i32,
    layer: LayerId,
    ranks: RankSet,
}

/// Where the queue begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Head {
    pub priority: i32,
    pub layer: LayerId,
    /// By rank.
    pub start: u64,
    pub end: u64,
    part: Part,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    Stretch,
    Scattered,
    Source,
}

impl Head {
    /// Whether they come from a cursor, so that each must be looked at before it is taken for ready.
    pub fn is_source(&self) -> bool {
        self.part == Part::Source
    }
}

impl Queue {
    /// Adds the task of `layer` at `rank`.
    pub fn push(&mut self, priority: i32, layer: LayerId, rank: u64) {
        match &mut self.growing {
            Some(last) if last.end == rank && last.layer == layer => last.end += 1,
            growing => {
                let next = Stretch { priority, layer, start: Reverse(rank), end: rank + 1 };
                self.ready.extend(growing.replace(next));
            }
        }
    }

    /// Adds the task at `rank` of a layer of `len` tasks whose order is its own.
    pub fn push_scattered(&mut self, priority: i32, layer: LayerId, rank: u64, len: u64) {
        let at = self.scattered.iter().position(|other| other.layer == layer).unwrap_or_else(|| {
            self.scattered.push(Scattered { priority, layer, ranks: RankSet::new(len) });
            self.scattered.len() - 1
        });
        self.scattered[at].ranks.insert(rank);
    }

    pub fn add_sources(&mut self, sources: Sources) {
        self.sources.insert(sources);
    }

    /// The untouched tasks of `layer` aren't to start any more.
    pub fn close_sources(&mut self, layer: LayerId) {
        self.sources.remove(layer);
    }

    /// Tasks behind the cursors that are ready, at most.
    pub fn untouched(&self) -> u64 {
        self.sources.untouched()
    }

    /// The tasks that are next.
    pub fn head(&self) -> Option<Head> {
        let (ready, source) = (self.ready_head(), self.sources.first());
        if let Some(ready) = ready.filter(|ready| source.is_none_or(|other| ready.priority >= other.priority)) {
            return Some(ready);
        }
        let &Sources { layer, priority, next, end, .. } = source?;
        Some(Head { priority, layer, start: next, end, part: Part::Source })
    }

    /// Those that are next of the tasks that have become ready.
    pub fn ready_head(&self) -> Option<Head> {
        let top = self.ready.peek().copied();
        let stretch = if top > self.growing { top } else { self.growing };
        let mut ready = stretch.map(|Stretch { priority, layer, start: Reverse(start), end }| Head {
            priority,
            layer,
            start,
            end,
            part: Part::Stretch,
        });
        for Scattered { priority, layer, ranks } in &self.scattered {
            let is_better = ready.is_none_or(|ready| (*priority, *layer) > (ready.priority, ready.layer));
            if let Some(Range { start, end }) = ranks.first().filter(|_| is_better) {
                ready = Some(Head { priority: *priority, layer: *layer, start, end, part: Part::Scattered });
            }
        }
        ready
    }

    /// Takes the first `count` tasks of `head`, which was the head just now; `started` of them were ready.
    pub fn advance(&mut self, head: Head, count: u64, started: u64) {
        if head.part == Part::Scattered {
            let found = self.scattered.iter_mut().find(|scattered| scattered.layer == head.layer);
            if let Some(Scattered { ranks, .. }) = found {
                (head.start..head.start + count).for_each(|rank| ranks.remove(rank));
            }
            return;
        }
        if head.is_source() {
            return self.sources.advance(head.layer, count, started);
        }
        let is_head = |stretch: &Stretch| stretch.layer == head.layer && stretch.start.0 == head.start;
        if let Some(growing) = self.growing.as_mut().filter(|growing| is_head(growing)) {
            growing.start.0 += count;
            self.growing.take_if(|growing| growing.start.0 >= growing.end);
        } else if let Some(mut top) = self.ready.peek_mut() {
            top.start.0 += count;
            if top.start.0 >= top.end {
                PeekMut::pop(top);
            }
        }
    }
}

/// Adds `task` to the last of `ranges` that goes to the same place if it follows there, else a range of its own.
pub(crate) fn push_for<T: PartialEq>(ranges: &mut Vec<(T, TaskRange)>, to: T, task: raskt_graph::TaskId) {
    match ranges.last_mut() {
        Some((last, range)) if *last == to && range.layer == task.layer && range.end == task.index => range.end += 1,
        _ => ranges.push((to, TaskRange::one(task))),
    }
}

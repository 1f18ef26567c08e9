//! Ready tasks of one requirement, in the order in which they start.

pub(crate) mod opened;
pub(crate) mod sources;

use crate::TaskRange;
use crate::collections::rank_set::RankSet;
use crate::queue::opened::{Opened, Opening};
use crate::queue::sources::{SourceLayers, Sources};
use raskt_graph::{LayerId, TaskId};
use std::cmp::Reverse;
use std::collections::binary_heap::PeekMut;
use std::collections::{BTreeMap, BTreeSet, BinaryHeap};
use std::ops::Range;

/// Tasks that are ready, in the order in which they should start.
///
/// Higher priority first; then later layers (they are nearer to the end, and free what earlier ones made); then by rank
/// within the layer. Tasks stand here by rank: in ranges, or as bits where a large explicit layer has them become ready in no
/// order. Tasks without inputs don't stand here one by one: each
/// layer of them is a cursor.
#[derive(Debug, Default)]
pub(crate) struct Queue {
    ready: BTreeMap<(i32, LayerId), Stretches>,
    /// The stretch that grows while neighbours become ready one after the other.
    growing: Option<RankRange>,
    /// One for each large explicit layer, and the priorities of those that have ready tasks.
    scattered: BTreeMap<LayerId, RankSet>,
    scattered_ready: BTreeSet<(i32, LayerId)>,
    opened: Opened,
    sources: SourceLayers,
}

/// Of one layer, where stretches begin and end.
type Stretches = BinaryHeap<(Reverse<u64>, u64)>;

/// Neighbours by rank. A task may stand in several; what its record says counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct RankRange {
    priority: i32,
    layer: LayerId,
    start: Reverse<u64>,
    end: u64,
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

/// When the head of a queue has its turn among those of the other queues of its run: as if all stood in one.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct HeadTurn {
    pub priority: Reverse<i32>,
    pub place: HeadPlace,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum HeadPlace {
    Ready(Reverse<LayerId>),
    /// How far it is in the course of the run: what reads nothing comes after what frees what was made.
    Source(u64, LayerId),
}

impl HeadTurn {
    /// That of the head of the only queue.
    pub fn of_only(priority: i32) -> Self {
        Self { priority: Reverse(priority), place: HeadPlace::Ready(Reverse(LayerId(u32::MAX))) }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Part {
    RankRange,
    Scattered,
    Opened,
    Source { along: u64 },
}

impl Head {
    pub fn turn(&self) -> HeadTurn {
        let place = match self.part {
            Part::Source { along } => HeadPlace::Source(along, self.layer),
            _ => HeadPlace::Ready(Reverse(self.layer)),
        };
        HeadTurn { priority: Reverse(self.priority), place }
    }

    /// Whether they come from a cursor, so that each must be looked at before it is taken for ready.
    pub fn is_source(&self) -> bool {
        matches!(self.part, Part::Source { .. })
    }

    /// The same of tasks that something lets start which many of them read.
    pub fn is_opened(&self) -> bool {
        self.part == Part::Opened
    }
}

impl Queue {
    /// Adds the task of `layer` at `rank`.
    pub fn push(&mut self, priority: i32, layer: LayerId, rank: u64) {
        match &mut self.growing {
            Some(last) if last.end == rank && last.layer == layer => last.end += 1,
            growing => {
                let next = RankRange { priority, layer, start: Reverse(rank), end: rank + 1 };
                if let Some(RankRange { priority, layer, start, end }) = growing.replace(next) {
                    self.ready.entry((priority, layer)).or_default().push((start, end));
                }
            }
        }
    }

    /// Adds the task at `rank` of a layer of `len` tasks whose order is its own.
    pub fn push_scattered(&mut self, priority: i32, layer: LayerId, rank: u64, len: u64) {
        let ranks = self.scattered.entry(layer).or_insert_with(|| RankSet::new(len));
        if ranks.first().is_none() {
            self.scattered_ready.insert((priority, layer));
        }
        ranks.insert(rank);
    }

    pub fn add_sources(&mut self, sources: Sources) {
        self.sources.insert(sources);
    }

    /// The untouched tasks of `layer` aren't to start any more.
    pub fn close_sources(&mut self, layer: LayerId) {
        self.sources.remove(layer);
    }

    /// Adds the tasks that something lets start which many of them read.
    pub fn open_box(&mut self, opening: Opening) {
        self.opened.insert(opening);
    }

    /// Of `layer`, what `input` let start isn't to start any more.
    pub fn close_box(&mut self, layer: LayerId, port: usize, input: TaskId) {
        self.opened.remove(layer, port, input);
    }

    /// Whether task `index` of `layer` is among those: for tests.
    pub fn has_opened(&self, layer: LayerId, index: u64) -> bool {
        self.opened.has(layer, index)
    }

    /// Tasks behind the cursors that are ready, at most.
    pub fn untouched(&self) -> u64 {
        self.sources.untouched().saturating_add(self.opened.untouched())
    }

    /// The tasks that are next.
    pub fn head(&self) -> Option<Head> {
        self.head_past(&[])
    }

    /// The tasks that are next, but for those of some layers.
    pub fn head_past(&self, passed: &[LayerId]) -> Option<Head> {
        let (ready, source) = (self.ready_head(passed), self.sources.first_past(passed));
        if let Some(ready) = ready.filter(|ready| source.is_none_or(|other| ready.priority >= other.priority)) {
            return Some(ready);
        }
        let &Sources { layer, priority, next, end, .. } = source?;
        let along = source?.along();
        Some(Head { priority, layer, start: next, end, part: Part::Source { along } })
    }

    /// Those that are next of the tasks that have become ready.
    fn ready_head(&self, passed: &[LayerId]) -> Option<Head> {
        let mut layers = self.ready.iter().rev().filter(|((_, layer), _)| !passed.contains(layer));
        let top = layers.next().and_then(|(&(priority, layer), stretches)| {
            stretches.peek().map(|&(start, end)| RankRange { priority, layer, start, end })
        });
        let growing = self.growing.filter(|growing| !passed.contains(&growing.layer));
        let stretch = if top > growing { top } else { growing };
        let mut ready = stretch.map(|RankRange { priority, layer, start: Reverse(start), end }| Head {
            priority,
            layer,
            start,
            end,
            part: Part::RankRange,
        });
        let scattered = self.scattered_ready.iter().rev().find(|(_, layer)| !passed.contains(layer));
        if let Some(&(priority, layer)) = scattered
            && ready.is_none_or(|ready| (priority, layer) > (ready.priority, ready.layer))
            && let Some(Range { start, end }) = self.scattered.get(&layer).and_then(RankSet::first)
        {
            ready = Some(Head { priority, layer, start, end, part: Part::Scattered });
        }
        if let Some((priority, layer, Range { start, end })) = self.opened.first_past(passed) {
            let turn = (priority, layer, Reverse(start));
            if ready.is_none_or(|ready| turn > (ready.priority, ready.layer, Reverse(ready.start))) {
                ready = Some(Head { priority, layer, start, end, part: Part::Opened });
            }
        }
        ready
    }

    /// Takes the first `count` tasks of `head`, which was a head just now; `started` of them were ready.
    pub fn advance(&mut self, head: Head, count: u64, started: u64) {
        if head.part == Part::Scattered {
            let Some(ranks) = self.scattered.get_mut(&head.layer) else { return };
            (head.start..head.start + count).for_each(|rank| ranks.remove(rank));
            if ranks.first().is_none() {
                self.scattered_ready.remove(&(head.priority, head.layer));
            }
            return;
        }
        if head.is_opened() {
            return self.opened.advance(head.priority, head.layer, count);
        }
        if head.is_source() {
            return self.sources.advance(head.layer, count, started);
        }
        let is_head = |stretch: &RankRange| stretch.layer == head.layer && stretch.start.0 == head.start;
        if let Some(growing) = self.growing.as_mut().filter(|growing| is_head(growing)) {
            growing.start.0 += count;
            self.growing.take_if(|growing| growing.start.0 >= growing.end);
            return;
        }
        let Some(stretches) = self.ready.get_mut(&(head.priority, head.layer)) else { return };
        if let Some(mut top) = stretches.peek_mut() {
            top.0.0 += count;
            if top.0.0 >= top.1 {
                PeekMut::pop(top);
            }
        }
        if stretches.is_empty() {
            self.ready.remove(&(head.priority, head.layer));
        }
    }
}

/// Adds `task` to the last of `ranges` that goes to the same place if it follows there, else a range of its own.
pub(crate) fn push_for<T: PartialEq>(ranges: &mut Vec<(T, TaskRange)>, to: T, task: TaskId) {
    push_all_for(ranges, to, TaskRange::one(task));
}

/// The same for neighbours.
pub(crate) fn push_all_for<T: PartialEq>(ranges: &mut Vec<(T, TaskRange)>, to: T, tasks: TaskRange) {
    match ranges.last_mut() {
        Some((last, range)) if *last == to && range.layer == tasks.layer && range.end == tasks.start => {
            range.end = tasks.end;
        }
        _ => ranges.push((to, tasks)),
    }
}

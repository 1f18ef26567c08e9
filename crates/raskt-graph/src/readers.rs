//! Which layers read a layer, and which of these may read a given task of it.
//!
//! An array may be read by very many layers: a slice for each of its blocks, stacked anew. Whoever asks who reads one
//! block mustn't ask all of them. So where there are many, they are listed by what they read along one axis of the
//! array, in parts of that axis.

use crate::{Explicit, Grid, GridSet, Layer, LayerId, Shape};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::ops::Range;

/// The layers that read one layer, in order.
#[derive(Clone, Debug, Default)]
pub(crate) struct Readers {
    all: Vec<LayerId>,
    /// Where there are many, and they read different parts.
    parts: Option<Box<Parts>>,
}

/// Readers by what they read along an axis.
#[derive(Clone, Debug)]
struct Parts {
    /// Blocks along the axis, and of those after it.
    length: u64,
    inner: u64,
    /// Where the readers of each part begin, and at last the end.
    starts: Vec<usize>,
    readers: Vec<LayerId>,
}

/// So many readers are asked one by one.
const FEW_READERS: usize = 16;

/// Parts of the axis, and entries in all of them, for each reader: those who read much of it stand in many parts.
const PARTS_EACH: usize = 4;
const ENTRIES_EACH: usize = 16;

/// What a reader reads along each axis, between the first and the last; nothing if that isn't known.
type Hull = Option<Vec<Range<u32>>>;

impl Readers {
    /// All of them.
    pub fn all(&self) -> &[LayerId] {
        &self.all
    }

    /// Those that may read task `index`: all that do, and perhaps some that don't.
    pub fn of(&self, index: u64) -> &[LayerId] {
        let Some(parts) = &self.parts else { return &self.all };
        let at = part_of(index / parts.inner % parts.length, parts.length, parts.starts.len() - 1);
        &parts.readers[parts.starts[at]..parts.starts[at + 1]]
    }

    /// Those that may read some task of `range`, which isn't empty.
    pub fn within(&self, range: Range<u64>) -> Cow<'_, [LayerId]> {
        let Some(parts) = &self.parts else { return Cow::Borrowed(&self.all) };
        let (from, to) = (range.start / parts.inner, range.end.saturating_sub(1).max(range.start) / parts.inner);
        // From one row of the axis to the next it begins anew.
        if from / parts.length != to / parts.length {
            return Cow::Borrowed(&self.all);
        }
        let part = |at: u64| part_of(at % parts.length, parts.length, parts.starts.len() - 1);
        let (from, to) = (part(from), part(to));
        let listed = &parts.readers[parts.starts[from]..parts.starts[to + 1]];
        if from == to {
            return Cow::Borrowed(listed);
        }
        // Who reads much of the axis stands in many parts of it.
        let mut listed = listed.to_vec();
        listed.sort_unstable();
        listed.dedup();
        Cow::Owned(listed)
    }

    /// The readers of each layer of a graph.
    pub fn of_all(layers: &[Layer]) -> Vec<Self> {
        let mut found = vec![Self::default(); layers.len()];
        for (at, layer) in layers.iter().enumerate() {
            read_by(at, layer).into_iter().for_each(|input| found[input.0 as usize].all.push(LayerId(at as u32)));
        }
        let mut hulls: BTreeMap<LayerId, Vec<Hull>> = BTreeMap::new();
        for (at, layer) in layers.iter().enumerate() {
            let is_many = |input: &LayerId| found[input.0 as usize].all.len() > FEW_READERS;
            let many: Vec<_> = read_by(at, layer).into_iter().filter(is_many).collect();
            if !many.is_empty() {
                let mut own = hulls_of(layers, &layer.shape);
                many.into_iter().for_each(|input| hulls.entry(input).or_default().push(own.remove(&input).flatten()));
            }
        }
        for (input, hulls) in hulls {
            let readers = &mut found[input.0 as usize];
            readers.parts = Parts::of(&layers[input.0 as usize].shape.grid(), &readers.all, &hulls).map(Box::new);
        }
        found
    }
}

/// The layers that layer `at` reads; one whose edges are listed may read itself.
fn read_by(at: usize, layer: &Layer) -> Vec<LayerId> {
    let mut inputs = layer.shape.input_layers();
    inputs.extend(matches!(&layer.shape, Shape::Explicit(_)).then_some(LayerId(at as u32)));
    inputs
}

/// What a layer reads of each other one, as far as it can be told from its shape.
fn hulls_of(layers: &[Layer], shape: &Shape) -> BTreeMap<LayerId, Hull> {
    let mut hulls: BTreeMap<LayerId, Hull> = BTreeMap::new();
    match shape {
        Shape::Explicit(explicit) => return listed_hulls(layers, explicit),
        Shape::Exchange { .. } => return hulls,
        _ => {}
    }
    shape.for_each_read(&GridSet::whole(&shape.grid()), |input, grid, read| {
        // It may take the blocks of its input to be arranged otherwise than that does.
        let is_known = *grid == layers[input.0 as usize].shape.grid();
        let axes = read.axes().iter().map(|set| {
            let mut ranges = set.ranges();
            let first = ranges.next().unwrap_or(0..0);
            first.start..ranges.next_back().unwrap_or(first).end
        });
        let axes = is_known.then(|| axes.collect::<Vec<_>>());
        hulls.entry(input).and_modify(|hull| *hull = joined(hull.take(), axes.clone())).or_insert(axes);
    });
    hulls
}

/// The same of listed edges: what is read along the first axis, which tells all where there is no other.
fn listed_hulls(layers: &[Layer], explicit: &Explicit) -> BTreeMap<LayerId, Hull> {
    let mut read: BTreeMap<LayerId, Range<u64>> = BTreeMap::new();
    for (input, _) in explicit.outer_inputs() {
        let range = read.entry(input.layer).or_insert(input.index..input.index + 1);
        *range = range.start.min(input.index)..range.end.max(input.index + 1);
    }
    let hull = |(input, range): (LayerId, Range<u64>)| {
        let grid = layers[input.0 as usize].shape.grid();
        let (_, beside) = grid.lengths().split_first()?;
        let inner: u64 = beside.iter().map(|&length| u64::from(length)).product();
        let first = (range.start / inner) as u32..((range.end - 1) / inner) as u32 + 1;
        Some((input, Some(std::iter::once(first).chain(beside.iter().map(|&length| 0..length)).collect())))
    };
    read.into_iter().filter_map(hull).collect()
}

fn joined(one: Hull, other: Hull) -> Hull {
    let axes = one?.into_iter().zip(other?);
    Some(axes.map(|(one, other)| one.start.min(other.start)..one.end.max(other.end)).collect())
}

/// The part of an axis in which coordinate `at` lies.
fn part_of(at: u64, length: u64, parts: usize) -> usize {
    (u128::from(at) * parts as u128 / u128::from(length.max(1))) as usize
}

impl Parts {
    /// Lists `readers`, of which is known what they read, along the axis along which they differ most; nothing if they
    /// don't.
    fn of(grid: &Grid, readers: &[LayerId], hulls: &[Hull]) -> Option<Self> {
        let lists = (0..grid.axes()).filter(|_| !grid.is_empty()).map(|axis| {
            let length = u64::from(grid.lengths()[axis]);
            let parts = length.min((readers.len() * PARTS_EACH) as u64) as usize;
            let ranges: Vec<_> = hulls.iter().map(|hull| range_of(hull, axis, length, parts)).collect();
            (ranges.iter().map(Range::len).sum::<usize>(), axis, parts, ranges)
        });
        let (entries, axis, parts, ranges) = lists.min_by_key(|(entries, axis, ..)| (*entries, *axis))?;
        if entries > readers.len() * ENTRIES_EACH {
            return None;
        }
        let mut starts = vec![0; parts + 1];
        ranges.iter().cloned().flatten().for_each(|part| starts[part + 1] += 1);
        (0..parts).for_each(|part| starts[part + 1] += starts[part]);
        let (mut next, mut listed) = (starts.clone(), vec![LayerId(0); entries]);
        for (&reader, range) in readers.iter().zip(ranges) {
            for part in range {
                listed[next[part]] = reader;
                next[part] += 1;
            }
        }
        let inner = grid.lengths()[axis + 1..].iter().map(|&length| u64::from(length)).product();
        Some(Self { length: grid.lengths()[axis].into(), inner, starts, readers: listed })
    }
}

/// The parts of `axis` in which somebody reads.
fn range_of(hull: &Hull, axis: usize, length: u64, parts: usize) -> Range<usize> {
    let Some(read) = hull.as_ref().map(|hull| &hull[axis]) else { return 0..parts };
    match read.is_empty() {
        true => 0..0,
        false => part_of(read.start.into(), length, parts)..part_of((read.end - 1).into(), length, parts) + 1,
    }
}

//! Concatenations and stacks: layers one after the other, as one shape.

use crate::{Grid, GridSet, LayerId, TaskId};
use std::ops::Range;
use std::sync::Arc;

/// Layers one after the other along an axis, of any number: which of them a block comes from is found by bisection.
#[derive(Clone, Debug)]
pub struct Parts(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    /// Along which axis of the grid they stand.
    axis: u8,
    /// The grid of all of them together.
    grid: Grid,
    layers: Vec<LayerId>,
    /// Where each ends along the axis.
    ends: Vec<u32>,
    /// How many blocks each has along the axis, if all have as many and some; else nothing.
    each: u32,
    /// Layers and which part they are, in order: a layer may be several.
    by_layer: Vec<(LayerId, u32)>,
    /// Blocks of the axes after that one.
    inner: u64,
}

impl Parts {
    /// Layers, each with its blocks along `axis`, of a grid whose other lengths are those of `beside`; nothing if there is no
    /// such axis, or more blocks along it than can be counted.
    pub fn new(axis: usize, beside: &Grid, parts: impl IntoIterator<Item = (LayerId, u32)>) -> Option<Self> {
        let mut end = 0_u32;
        let (mut layers, mut ends) = (vec![], vec![]);
        for (layer, length) in parts {
            end = end.checked_add(length)?;
            layers.push(layer);
            ends.push(end);
        }
        let mut lengths = beside.lengths().to_vec();
        *lengths.get_mut(axis)? = end;
        let inner = lengths[axis + 1..].iter().try_fold(1_u64, |all, &length| all.checked_mul(u64::from(length)))?;
        let mut by_layer: Vec<_> = layers.iter().copied().zip(0..).collect();
        by_layer.sort_unstable();
        let (axis, grid) = (u8::try_from(axis).ok()?, Grid::new(lengths));
        let first = ends.first().copied().unwrap_or(0);
        let is_even = ends.iter().zip(1_u64..).all(|(&end, parts)| u64::from(end) == u64::from(first) * parts);
        let each = if is_even { first } else { 0 };
        Some(Self(Arc::new(Inner { axis, grid, layers, ends, each, by_layer, inner })))
    }

    /// Along which axis they stand.
    pub fn axis(&self) -> usize {
        usize::from(self.0.axis)
    }

    /// The grid of all of them together.
    pub fn grid(&self) -> &Grid {
        &self.0.grid
    }

    /// The layers in order, each with its blocks along the axis.
    pub fn layers(&self) -> impl ExactSizeIterator<Item = (LayerId, u32)> {
        self.0.layers.iter().enumerate().map(|(part, &layer)| (layer, self.length(part)))
    }

    /// The grid of a part with so many blocks along the axis.
    pub fn grid_of(&self, length: u32) -> Grid {
        let lengths = self.0.grid.lengths().iter().enumerate();
        Grid::new(lengths.map(|(axis, &own)| if axis == self.axis() { length } else { own }))
    }

    fn start(&self, part: usize) -> u32 {
        if part == 0 { 0 } else { self.0.ends[part - 1] }
    }

    fn length(&self, part: usize) -> u32 {
        self.0.ends[part] - self.start(part)
    }

    /// The part that has this block along the axis: by bisection, unless all are of one length.
    fn part_at(&self, along: u32) -> usize {
        match self.0.each {
            0 => self.0.ends.partition_point(|&end| end <= along),
            each => (along / each) as usize,
        }
    }

    /// The first place of `layer` among the layers in order: where it stands if they are numbered one by one, else by bisection.
    fn place_of(&self, layer: LayerId) -> usize {
        let by_layer = &self.0.by_layer;
        let guess = by_layer.first().map_or(0, |(first, _)| layer.0.saturating_sub(first.0)) as usize;
        let is_at = by_layer.get(guess).is_some_and(|(at, _)| *at == layer);
        let is_first = guess == 0 || by_layer.get(guess - 1).is_some_and(|(before, _)| *before < layer);
        if is_at && is_first { guess } else { by_layer.partition_point(|(at, _)| *at < layer) }
    }

    fn whole(&self) -> u64 {
        u64::from(self.0.grid.lengths()[self.axis()])
    }

    /// What block `index` is: a block of one part.
    pub fn input_of(&self, index: u64) -> TaskId {
        let (row, at) = (index / self.0.inner, index % self.0.inner);
        let (outer, along) = (row / self.whole(), (row % self.whole()) as u32);
        let part = self.part_at(along);
        let row = outer * u64::from(self.length(part)) + u64::from(along - self.start(part));
        TaskId::new(self.0.layers[part], row * self.0.inner + at)
    }

    /// Calls `visit` with each block that block `input` of a part is.
    pub(crate) fn for_each_dependent(&self, input: TaskId, mut visit: impl FnMut(u64)) {
        let from = self.place_of(input.layer);
        let parts = self.0.by_layer[from..].iter().take_while(|(layer, _)| *layer == input.layer);
        for part in parts.map(|&(_, part)| part as usize).filter(|&part| self.length(part) > 0) {
            let length = u64::from(self.length(part));
            let (row, at) = (input.index / self.0.inner, input.index % self.0.inner);
            let row = row / length * self.whole() + row % length + u64::from(self.start(part));
            visit(row * self.0.inner + at);
        }
    }

    /// Calls `visit` with what `readers` are of each part, once for each part that they are something of.
    pub(crate) fn for_each_read(&self, readers: &GridSet, mut visit: impl FnMut(LayerId, &Grid, GridSet)) {
        let along = &readers.axes()[self.axis()];
        let mut from = 0;
        while let Some(first) = along.next(from) {
            let part = self.part_at(first);
            let range = self.range(part);
            let read = readers.with_axis(self.axis(), along.within(range.clone()));
            visit(self.0.layers[part], &self.grid_of(range.end - range.start), read);
            from = range.end;
        }
    }

    /// Which blocks along the axis part `part` is.
    pub fn range(&self, part: usize) -> Range<u32> {
        self.start(part)..self.0.ends[part]
    }
}

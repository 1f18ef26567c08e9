//! Feeds the tiles of a program to a fold.
//!
//! The axes of the region are walked in an order that suits: kept axes first, reduced axes last, so that what goes
//! into one state comes in one row; but where the last axes of the region are kept, they stay last, so that blocks are
//! read along their rows, and a row of states takes in one row of items at a time.

use super::fold::{Fold, Place, WithFold};
use super::state::State;
use super::{Partial, Reduction};
use crate::kernel::engine::{Engine, TILE};
use crate::kernel::operand::Operand;
use crate::kernel::room::room;
use crate::kernel::walk::Walk;
use crate::kernel::{Program, Region};
use raskt_value::{CancelToken, Chunk, TaskError};
use std::marker::PhantomData;

/// Rows that states take in before they are merged into the total: what keeps long sums along an axis accurate.
const ROWS_PER_MERGE: usize = 128;
/// States for which that is done: more of them would take too much scratch memory.
const STATES_MERGED_MAX: usize = 8192;

/// The reduction of a region.
pub(super) struct Reduce<'a> {
    pub program: &'a Program,
    pub region: &'a Region,
    pub inputs: &'a [&'a Chunk],
    pub reduction: &'a Reduction,
    pub cancel: &'a CancelToken,
}

impl WithFold for Reduce<'_> {
    type Output = Result<Partial, TaskError>;

    fn run<F: Fold>(self) -> Self::Output {
        let layout = Layout::new(self.region, &self.reduction.axes);
        let (program, region) = (self.program, self.region);
        let outputs = &program.outputs()[..1];
        let mut engine = Engine::permuted(program, region, self.inputs, outputs, &layout.order)?;
        let numbers = self.reduction.index.as_ref().map(|index| {
            let shape: Vec<usize> = layout.order.iter().map(|&axis| region.shape[axis]).collect();
            let index = index.permuted(&layout.order);
            let origin: Vec<u64> = layout.order.iter().map(|&axis| region.origin[axis]).collect();
            Walk::new(&shape, index.steps.iter().copied(), index.at(&origin))
        });
        let mut repeated = Vec::new();
        let mut sink = Sink::<F>::new(&layout)?;
        engine.for_each_tile(region.len(), self.cancel, |engine, start, length| {
            let operand = engine.run(start, length)?;
            // SAFETY: the operand is of the type of the program's output, which is the fold's item.
            let items = unsafe { items_of::<F::Item>(operand, length, &mut repeated) };
            sink.take(items, Place { numbers: numbers.as_ref(), start });
            Ok(())
        })?;
        let mut fields = State::store(&sink.finish(), &layout.shape);
        fields.push(Chunk::scalar(layout.reduced as i64));
        Ok(Partial { fields })
    }
}

/// The items of a tile; a uniform one is repeated.
///
/// # Safety
/// The operand holds `length` elements (or one) of type `T`, until the engine runs on.
unsafe fn items_of<T: raskt_value::Element>(operand: Operand, length: usize, repeated: &mut Vec<T>) -> &[T] {
    // SAFETY: as the caller promises.
    unsafe {
        if !operand.uniform {
            return operand.slice(length);
        }
        if repeated.is_empty() {
            repeated.resize(TILE, operand.slice::<T>(1)[0]);
        }
        &repeated[..length]
    }
}

/// How a region is walked to be reduced.
struct Layout {
    order: Vec<usize>,
    /// Of the result, with reduced axes of length 1.
    shape: Vec<usize>,
    /// Items of one state.
    reduced: usize,
    /// States that lie side by side in a row of items; 1 if what goes into one state comes in one row.
    lanes: usize,
    /// Rows of states.
    rows: usize,
}

impl Layout {
    fn new(region: &Region, axes: &[usize]) -> Self {
        let shape = &region.shape;
        let (reduced, kept): (Vec<usize>, Vec<usize>) = (0..shape.len()).partition(|axis| axes.contains(axis));
        // StoredRef axes after the last reduced one (of more than one element) stay last.
        let last = reduced.iter().copied().filter(|&axis| shape[axis] != 1).max();
        let (outer, inner): (Vec<usize>, Vec<usize>) =
            kept.iter().copied().partition(|&axis| last.is_none_or(|last| axis < last));
        let product = |axes: &[usize]| axes.iter().map(|&axis| shape[axis]).product::<usize>();
        let (lanes, rows) = (product(&inner), product(&outer));
        Self {
            shape: (0..shape.len()).map(|axis| if axes.contains(&axis) { 1 } else { shape[axis] }).collect(),
            reduced: product(&reduced),
            lanes,
            rows,
            order: [outer, reduced, inner].concat(),
        }
    }
}

/// Takes items in the order of the walk, and has the states at the end.
struct Sink<F: Fold> {
    lanes: usize,
    reduced: usize,
    done: Vec<F::State>,
    states: usize,
    /// The current row of states where each has a row of items: merged pairwise.
    cascade: Cascade<F>,
    /// The current row of states where they lie side by side: the latest rows, and those before.
    latest: Vec<F::State>,
    before: Vec<F::State>,
    merged: bool,
}

impl<F: Fold> Sink<F> {
    fn new(layout: &Layout) -> Result<Self, TaskError> {
        let merged = layout.reduced > ROWS_PER_MERGE && layout.lanes <= STATES_MERGED_MAX;
        let row = if layout.lanes == 1 { 0 } else { layout.lanes };
        let started = |count: usize| -> Result<Vec<F::State>, TaskError> {
            let mut states = room(count)?;
            states.resize(count, F::start());
            Ok(states)
        };
        Ok(Self {
            lanes: layout.lanes,
            reduced: layout.reduced,
            done: room(layout.rows * layout.lanes)?,
            states: layout.rows * layout.lanes,
            cascade: Cascade::new(),
            latest: started(row)?,
            before: started(if merged { row } else { 0 })?,
            merged,
        })
    }

    fn take(&mut self, items: &[F::Item], place: Place<'_>) {
        let row = if self.lanes == 1 { self.reduced } else { self.lanes };
        let mut done = 0;
        while done < items.len() {
            let position = place.start + done;
            let at = position % row;
            let length = (row - at).min(items.len() - done);
            let part = &items[done..done + length];
            let place = Place { numbers: place.numbers, start: position };
            if self.lanes == 1 {
                self.take_part(part, place, at + length == row);
            } else {
                F::lanes(&mut self.latest[at..at + length], part, place);
                if at + length == row {
                    self.end_row(position / row % self.reduced + 1);
                }
            }
            done += length;
        }
    }

    /// Takes a part of the items of one state, the last one if `ends`.
    fn take_part(&mut self, items: &[F::Item], place: Place<'_>, ends: bool) {
        self.cascade.push(F::slice(items, place));
        if ends {
            self.done.push(self.cascade.finish());
        }
    }

    /// After `rows` rows of items of a row of states.
    fn end_row(&mut self, rows: usize) {
        if self.merged && (rows.is_multiple_of(ROWS_PER_MERGE) || rows == self.reduced) {
            for (before, latest) in self.before.iter_mut().zip(&mut self.latest) {
                *before = F::merge(*before, *latest);
                *latest = F::start();
            }
        }
        if rows == self.reduced {
            let row = if self.merged { &mut self.before } else { &mut self.latest };
            self.done.extend_from_slice(row);
            row.fill(F::start());
        }
    }

    /// The states: those that got no item, too.
    fn finish(mut self) -> Vec<F::State> {
        self.done.resize(self.states, F::start());
        self.done
    }
}

/// Merges states pairwise: two of as many parts each, like the carries of a binary counter.
struct Cascade<F: Fold> {
    pending: Vec<(u32, F::State)>,
    fold: PhantomData<F>,
}

impl<F: Fold> Cascade<F> {
    fn new() -> Self {
        Self { pending: Vec::new(), fold: PhantomData }
    }

    fn push(&mut self, mut state: F::State) {
        let mut level = 0;
        while let Some(&(last, earlier)) = self.pending.last()
            && last == level
        {
            state = F::merge(earlier, state);
            level += 1;
            self.pending.pop();
        }
        self.pending.push((level, state));
    }

    /// All of them merged, later ones first, as they are fewer.
    fn finish(&mut self) -> F::State {
        let later = self.pending.pop().map_or_else(F::start, |(_, state)| state);
        self.pending.drain(..).rev().fold(later, |later, (_, earlier)| F::merge(earlier, later))
    }
}

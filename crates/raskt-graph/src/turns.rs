//! When, in the course of a run, each layer has its turn.
//!
//! Layers that are read together advance together, and those of which one stands behind the other go one after the other:
//! what of a concatenation were read all at once would all have to be held.

use crate::{Layer, LayerId, Parts, Shape};
use std::ops::Range;

/// A part of a run, of which 0 is the beginning and `u64::MAX` the end.
type Turn = Range<u64>;

const WHOLE: Turn = 0..u64::MAX;

/// The turn of each layer; none where all have the whole run.
#[derive(Clone, Debug, Default)]
pub(crate) struct Turns(Vec<Turn>);

impl Turns {
    /// A layer has the turns of those that read it, from the first of them to the last; a part of several that stand one after
    /// the other has its share of the reader's. Linear in the layers and what they read.
    pub fn of_all(layers: &[Layer]) -> Self {
        if !layers.iter().any(|layer| is_in_line(&layer.shape)) {
            return Self::default();
        }
        let mut turns: Vec<Option<Turn>> = vec![None; layers.len()];
        for (at, layer) in layers.iter().enumerate().rev() {
            let own = turns[at].get_or_insert(WHOLE).clone();
            for_each_input(&layer.shape, &own, |input, turn| {
                let known = &mut turns[input.0 as usize];
                *known = Some(match known.take() {
                    Some(known) => known.start.min(turn.start)..known.end.max(turn.end),
                    None => turn,
                });
            });
        }
        Self(turns.into_iter().map(|turn| turn.unwrap_or(WHOLE)).collect())
    }

    pub fn of(&self, layer: LayerId) -> Turn {
        self.0.get(layer.0 as usize).cloned().unwrap_or(WHOLE)
    }
}

/// Whether what it reads isn't read together, but one layer after the other.
fn is_in_line(shape: &Shape) -> bool {
    match shape {
        Shape::Concatenate(parts) => is_outermost(parts),
        // One task that reads the ends of several: each of them may come to its end before the next begins.
        Shape::Map { grid, inputs } => grid.len() == 1 && inputs.len() > 1,
        _ => false,
    }
}

/// Whether the blocks of each part stand together, in the order of the blocks.
fn is_outermost(parts: &Parts) -> bool {
    parts.grid().lengths()[..parts.axis()].iter().all(|&length| length == 1)
}

fn for_each_input(shape: &Shape, own: &Turn, mut visit: impl FnMut(LayerId, Turn)) {
    match shape {
        Shape::Concatenate(parts) if is_outermost(parts) => {
            let blocks = u64::from(parts.grid().lengths()[parts.axis()]);
            for (part, (layer, _)) in parts.layers().enumerate() {
                let range = parts.range(part);
                visit(layer, share(own, u64::from(range.start)..u64::from(range.end), blocks));
            }
        }
        Shape::Map { inputs, .. } if is_in_line(shape) => {
            let count = inputs.len() as u64;
            for (input, at) in inputs.iter().zip(0..) {
                visit(input.layer, share(own, at..at + 1, count));
            }
        }
        _ => shape.input_layers().into_iter().for_each(|layer| visit(layer, own.clone())),
    }
}

/// Of a turn, the part that a range of so many has.
fn share(turn: &Turn, range: Range<u64>, count: u64) -> Turn {
    let at = |part: u64| {
        let along = u128::from(turn.end - turn.start) * u128::from(part) / u128::from(count.max(1));
        turn.start + along as u64
    };
    at(range.start)..at(range.end)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Grid, MapInput, OpId};

    const END: u64 = u64::MAX;

    fn source(lengths: &[u32]) -> Shape {
        Shape::Map { grid: Grid::new(lengths.iter().copied()), inputs: vec![] }
    }

    fn concatenated(axis: usize, beside: &[u32], parts: &[(u32, u32)]) -> Shape {
        let parts = parts.iter().map(|&(layer, length)| (LayerId(layer), length));
        Shape::Concatenate(Parts::new(axis, &Grid::new(beside.iter().copied()), parts).unwrap())
    }

    fn mapped(lengths: &[u32], inputs: &[u32]) -> Shape {
        let grid = Grid::new(lengths.iter().copied());
        let inputs = inputs.iter().map(|&layer| MapInput::same(LayerId(layer), grid.clone())).collect();
        Shape::Map { grid, inputs }
    }

    fn turns(shapes: Vec<Shape>) -> Vec<Turn> {
        let layers: Vec<_> = shapes.into_iter().map(|shape| Layer::new("layer", OpId(0), shape)).collect();
        let turns = Turns::of_all(&layers);
        (0..layers.len() as u32).map(|layer| turns.of(LayerId(layer))).collect()
    }

    #[test]
    fn parts_have_their_share_of_the_outermost_axis_that_has_one() {
        let (first, last) = (0..END / 4, END / 4..END);
        let shapes = |axis, parts: [&[u32]; 2], beside| {
            vec![source(parts[0]), source(parts[1]), concatenated(axis, beside, &[(0, 1), (1, 3)])]
        };
        assert_eq!(turns(shapes(0, [&[1, 5], &[3, 5]], &[4, 5])), [first.clone(), last.clone(), WHOLE]);
        assert_eq!(turns(shapes(1, [&[1, 1], &[1, 3]], &[1, 4])), [first, last, WHOLE]);
        assert_eq!(
            turns(shapes(1, [&[2, 1], &[2, 3]], &[2, 4])),
            [WHOLE, WHOLE, WHOLE],
            "row by row, they are read together"
        );
        let empty = vec![source(&[0]), source(&[0]), concatenated(0, &[0], &[(0, 0), (1, 0)])];
        assert_eq!(turns(empty), [0..0, 0..0, WHOLE]);
    }

    #[test]
    fn what_many_read_has_its_turn_from_the_first_of_them_to_the_last() {
        let shapes = vec![
            source(&[2]),
            source(&[2]),
            mapped(&[2], &[0, 1]),
            concatenated(0, &[8], &[(0, 2), (1, 2), (2, 2), (1, 2)]),
        ];
        let half = END / 4 + END / 4 + 1;
        assert_eq!(turns(shapes), [0..END / 4 * 3 + 2, END / 4..END, half..END / 4 * 3 + 2, WHOLE]);
    }

    #[test]
    fn sums_that_one_task_reads_come_one_after_the_other() {
        let sum = |input, length| Shape::Reduce {
            input: LayerId(input),
            grid: Grid::new([length]),
            fan_in: [length].into_iter().collect(),
        };
        let both = vec![source(&[4]), source(&[9]), sum(0, 4), sum(1, 9), mapped(&[1], &[2, 3])];
        let (first, last) = (0..END / 2, END / 2..END);
        assert_eq!(turns(both), [first.clone(), last.clone(), first, last, WHOLE]);
        let together = vec![source(&[4]), source(&[4]), mapped(&[4], &[0, 1])];
        assert_eq!(turns(together), [WHOLE, WHOLE, WHOLE]);
    }
}

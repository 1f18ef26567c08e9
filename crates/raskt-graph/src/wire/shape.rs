//! Rules of which task reads which, as they travel.

use crate::{AxisRanges, ExplicitBuilder, GraphError, Grid, LayerId, MapInput, Parts, Shape, TaskId};
use serde::{Deserialize, Serialize};
use smallvec::SmallVec;
use std::sync::Arc;

/// A [`Shape`].
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(super) enum ShapeForm {
    Explicit(Vec<Vec<Edge>>),
    Map {
        grid: Grid,
        inputs: Vec<MapInput>,
    },
    Reduce {
        input: LayerId,
        grid: Grid,
        #[serde(with = "crate::small")]
        fan_in: SmallVec<[u32; 4]>,
    },
    Exchange {
        input: LayerId,
        producers: u64,
        consumers: u64,
    },
    Overlap {
        input: LayerId,
        grid: Grid,
        ranges: Arc<[AxisRanges]>,
    },
    Concatenate {
        axis: u32,
        beside: Grid,
        parts: Vec<(LayerId, u32)>,
    },
}

/// What a task of a layer reads whose edges are listed.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub(super) enum Edge {
    /// The task so many before it in its own layer.
    Back(u64),
    /// A task of another layer.
    Outer(TaskId),
}

impl ShapeForm {
    /// That of the shape of layer `own`.
    pub fn of(own: LayerId, shape: &Shape) -> Self {
        match shape.clone() {
            Shape::Explicit(explicit) => {
                let edge = |index: u64, input: TaskId| match input.layer == own {
                    true => Edge::Back(index - input.index),
                    false => Edge::Outer(input),
                };
                let edges = |index| explicit.inputs(own, index).map(|input| edge(index, input)).collect();
                Self::Explicit((0..shape.len()).map(edges).collect())
            }
            Shape::Map { grid, inputs } => Self::Map { grid, inputs },
            Shape::Reduce { input, grid, fan_in } => Self::Reduce { input, grid, fan_in },
            Shape::Exchange { input, producers, consumers } => Self::Exchange { input, producers, consumers },
            Shape::Overlap { input, grid, ranges } => Self::Overlap { input, grid, ranges },
            Shape::Concatenate(parts) => Self::Concatenate {
                axis: parts.axis() as u32,
                beside: parts.grid_of(1),
                parts: parts.layers().collect(),
            },
        }
    }

    /// The shape of a layer called `name`. Whether it fits those that it reads, the graph checks.
    pub fn build(self, name: &str) -> Result<Shape, GraphError> {
        let malformed = |reason: &str| GraphError::IndexMap { layer: name.into(), reason: reason.into() };
        Ok(match self {
            Self::Explicit(rows) => explicit(name, &rows)?,
            Self::Map { grid, inputs } => Shape::Map { grid, inputs },
            Self::Reduce { input, grid, fan_in } => Shape::Reduce { input, grid, fan_in },
            Self::Exchange { input, producers, consumers } => Shape::Exchange { input, producers, consumers },
            Self::Overlap { input, grid, ranges } => Shape::Overlap { input, grid, ranges },
            Self::Concatenate { axis, beside, parts } => {
                let parts = Parts::new(axis as usize, &beside, parts);
                Shape::Concatenate(parts.ok_or_else(|| malformed("parts along an axis that isn't there, or too long"))?)
            }
        })
    }
}

fn explicit(name: &str, rows: &[Vec<Edge>]) -> Result<Shape, GraphError> {
    let mut edges = ExplicitBuilder::with_capacity(rows.len());
    for (index, row) in (0_u64..).zip(rows) {
        for &edge in row {
            match edge {
                Edge::Outer(input) if input.can_be_named() => edges.input(input),
                Edge::Back(back) if (1..=index).contains(&back) => edges.own_input(index - back),
                edge => {
                    let reason = format!("task {index} reads {edge:?}");
                    return Err(GraphError::IndexMap { layer: name.into(), reason });
                }
            }
        }
        edges.task();
    }
    Ok(Shape::Explicit(edges.finish()?))
}

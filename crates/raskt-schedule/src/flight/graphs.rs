//! Graphs as bytes, without what only runners understand.

use super::codec::{Decoder, Encoder};
use crate::flight::error::FlightError;
use raskt_graph::*;
use std::sync::Arc;

pub(super) fn encode(graph: &Graph, to: &mut Encoder) {
    to.list(graph.ops(), |to, op| {
        to.number(op.kind as u64);
        to.text(&op.name);
        to.number((op.digest >> 64) as u64);
        to.number(op.digest as u64);
        let OpFlags { uses_all_threads, gives_stored } = op.flags;
        [uses_all_threads, gives_stored].into_iter().for_each(|flag| to.flag(flag));
    });
    to.list(graph.layers(), |to, (id, layer)| {
        to.text(&layer.name);
        to.number(u64::from(layer.op.0));
        let Cost { nanoseconds, output_bytes, scratch_bytes } = layer.cost;
        [nanoseconds, output_bytes, scratch_bytes].into_iter().for_each(|number| to.number(number));
        encode_annotations(&layer.annotations, to);
        encode_shape(id, &layer.shape, to);
    });
}

pub(super) fn decode(from: &mut Decoder) -> Result<Graph, FlightError> {
    let mut graph = GraphBuilder::new();
    let ops: Vec<OpId> = from.list(|from| {
        let kind = match from.number()? {
            0 => OpKind::Array,
            1 => OpKind::Frame,
            2 => OpKind::Python,
            _ => return Err(FlightError::Malformed("an op is of no known kind")),
        };
        let name = from.text()?;
        let digest = u128::from(from.number()?) << 64 | u128::from(from.number()?);
        let flags = OpFlags { uses_all_threads: from.flag()?, gives_stored: from.flag()? };
        Ok(graph.op(Op { kind, name, digest, flags, body: Arc::new(()) }))
    })?;
    let layers: Vec<Layer> = from.list(|from| {
        let name = from.text()?;
        let op = ops.get(from.number()? as usize).copied();
        let op = op.ok_or(FlightError::Malformed("a layer runs an op that isn't there"))?;
        let cost = Cost { nanoseconds: from.number()?, output_bytes: from.number()?, scratch_bytes: from.number()? };
        let annotations = Arc::new(decode_annotations(from)?);
        let shape = decode_shape(from)?;
        Ok(Layer { name, op, shape, cost, annotations })
    })?;
    for layer in layers {
        graph.layer(layer)?;
    }
    Ok(graph.finish())
}

fn encode_annotations(annotations: &Annotations, to: &mut Encoder) {
    let Annotations { priority, retries, resources, workers, allow_other_workers, other } = annotations;
    to.signed(*priority);
    to.number(u64::from(*retries));
    encode_resources(resources, to);
    to.list(workers.iter(), |to, worker| to.text(worker));
    to.flag(*allow_other_workers);
    to.list(other.iter(), |to, (name, value)| {
        to.text(name);
        to.text(value);
    });
}

fn decode_annotations(from: &mut Decoder) -> Result<Annotations, FlightError> {
    Ok(Annotations {
        priority: from.signed()?,
        retries: from.word()?,
        resources: decode_resources(from)?,
        workers: from.list(|from| Ok(from.text()?.to_string()))?,
        allow_other_workers: from.flag()?,
        other: from.list(|from| Ok((from.text()?.to_string(), from.text()?.to_string())))?,
    })
}

pub(super) fn encode_resources(resources: &Resources, to: &mut Encoder) {
    to.list(resources.iter(), |to, (name, amount)| {
        to.text(name);
        to.number(*amount);
    });
}

pub(super) fn decode_resources(from: &mut Decoder) -> Result<Resources, FlightError> {
    from.list(|from| Ok((from.text()?, from.number()?)))
}

fn encode_grid(grid: &Grid, to: &mut Encoder) {
    to.list(grid.lengths().iter(), |to, &length| to.number(u64::from(length)));
}

fn decode_grid(from: &mut Decoder) -> Result<Grid, FlightError> {
    checked_grid(from.list(Decoder::word)?)
}

fn checked_grid(lengths: Vec<u32>) -> Result<Grid, FlightError> {
    let blocks = lengths.iter().try_fold(1_u64, |blocks, &length| blocks.checked_mul(u64::from(length)));
    blocks.ok_or(FlightError::Malformed("a grid has more blocks than can be counted"))?;
    Ok(Grid::new(lengths))
}

fn encode_shape(own: LayerId, shape: &Shape, to: &mut Encoder) {
    match shape {
        Shape::Explicit(explicit) => {
            to.number(0);
            to.number(u64::from(own.0));
            to.list((0..shape.len() as usize).map(|index| index as u64), |to, index| {
                // How many layers back the input is; none is the layer itself.
                to.list(explicit.inputs(own, index), |to, input| {
                    to.number(u64::from(own.0 - input.layer.0));
                    to.number(input.index);
                });
            });
        }
        Shape::Map { grid, inputs } => {
            to.number(1);
            encode_grid(grid, to);
            to.list(inputs.iter(), |to, input| {
                to.number(u64::from(input.layer.0));
                encode_grid(&input.grid, to);
                to.list(input.axes.iter(), |to, axis| to.number(axis.map_or(0, |axis| u64::from(axis) + 1)));
            });
        }
        Shape::Reduce { input, grid, fan_in } => {
            to.number(2);
            to.number(u64::from(input.0));
            encode_grid(grid, to);
            to.list(fan_in.iter(), |to, &fan_in| to.number(u64::from(fan_in)));
        }
        Shape::Exchange { input, producers, consumers } => {
            to.number(3);
            [u64::from(input.0), *producers, *consumers].into_iter().for_each(|number| to.number(number));
        }
        Shape::Overlap { input, grid, ranges } => {
            to.number(6);
            to.number(u64::from(input.0));
            encode_grid(grid, to);
            to.list(ranges.iter(), |to, axis| encode_ranges(axis, to));
        }
        Shape::Concatenate(parts) => {
            to.number(5);
            to.number(parts.axis() as u64);
            encode_grid(parts.grid(), to);
            to.list(parts.layers(), |to, (layer, length)| {
                to.number(u64::from(layer.0));
                to.number(u64::from(length));
            });
        }
    }
}

/// Numbers of windows, of which the count is never so large; or a list of ranges.
const WINDOWS: u64 = u64::MAX;

fn encode_ranges(axis: &AxisRanges, to: &mut Encoder) {
    if let Some(Windows { count, first, stride, width, points, block }) = axis.windows() {
        to.number(WINDOWS);
        to.number(u64::from(*count));
        // The bits of negative numbers.
        let numbers = [*first as u64, *stride as u64, *width, points.start, points.end, *block];
        return numbers.into_iter().for_each(|number| to.number(number));
    }
    to.list((0..axis.len()).map(|at| axis.at(at)), |to, range| {
        to.number(u64::from(range.start));
        to.number(u64::from(range.end));
    });
}

fn decode_ranges(from: &mut Decoder) -> Result<AxisRanges, FlightError> {
    let count = from.number()?;
    if count != WINDOWS {
        let ranges: Result<Vec<_>, FlightError> = (0..count).map(|_| Ok(from.word()?..from.word()?)).collect();
        return Ok(ranges?.into());
    }
    let windows = Windows {
        count: from.word()?,
        first: from.number()? as i64,
        stride: from.number()? as i64,
        width: from.number()?,
        points: from.number()?..from.number()?,
        block: from.number()?,
    };
    AxisRanges::even(windows).ok_or(FlightError::Malformed("windows show nothing, or leave blocks out"))
}

fn decode_shape(from: &mut Decoder) -> Result<Shape, FlightError> {
    let layer = |from: &mut Decoder| Ok::<_, FlightError>(LayerId(from.word()?));
    Ok(match from.number()? {
        0 => Shape::Explicit(decode_explicit(from)?),
        1 => Shape::Map {
            grid: decode_grid(from)?,
            inputs: from.list(|from| {
                let (layer, grid) = (layer(from)?, decode_grid(from)?);
                let axes = from.list(|from| Ok(from.number()?.checked_sub(1).map(|axis| axis as u8)))?;
                Ok(MapInput { layer, grid, axes })
            })?,
        },
        2 => {
            let (input, grid) = (layer(from)?, decode_grid(from)?);
            let fan_in: Vec<u32> = from.list(Decoder::word)?;
            if fan_in.contains(&0) {
                return Err(FlightError::Malformed("a reduction reads nothing"));
            }
            Shape::Reduce { input, grid, fan_in: fan_in.into_iter().collect() }
        }
        3 => Shape::Exchange { input: layer(from)?, producers: from.number()?, consumers: from.number()? },
        5 => {
            let (axis, grid) = (from.number()? as usize, decode_grid(from)?);
            let parts: Vec<_> = from.list(|from| Ok((layer(from)?, from.word()?)))?;
            let parts = Parts::new(axis, &grid, parts).filter(|parts| *parts.grid() == grid);
            Shape::Concatenate(parts.ok_or(FlightError::Malformed("parts don't make up the whole"))?)
        }
        6 => {
            let (input, grid) = (layer(from)?, decode_grid(from)?);
            let ranges: Vec<_> = from.list(decode_ranges)?;
            checked_grid(ranges.iter().map(AxisRanges::len).collect())?;
            Shape::Overlap { input, grid, ranges: ranges.into() }
        }
        _ => return Err(FlightError::Malformed("a layer is of no known shape")),
    })
}

fn decode_explicit(from: &mut Decoder) -> Result<Explicit, FlightError> {
    let mut edges = ExplicitBuilder::default();
    let own = from.word()?;
    for _ in 0..from.number()? {
        for _ in 0..from.number()? {
            let (back, index) = (from.word()?, from.number()?);
            match own.checked_sub(back) {
                Some(layer) if back > 0 && index < 1 << TaskId::INDEX_BITS => {
                    edges.input(TaskId::new(LayerId(layer), index));
                }
                Some(_) if back == 0 => edges.own_input(index),
                _ => return Err(FlightError::Malformed("an edge comes from no task")),
            }
        }
        edges.task();
    }
    Ok(edges.finish()?)
}

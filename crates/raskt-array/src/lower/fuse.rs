use super::fused::{Fold, Fused, Leaf, Merge};
use super::{Planner, cost, digest, fan_ins, native_op};
use crate::elementwise::MapOp;
use crate::expression::{Expr, Reduce, View};
use crate::kernel::{Affine, Generator, Program, ProgramBuilder, Reduction, Register};
use crate::stack::grown;
use crate::{Array, Chunks};
use raskt_graph::{GraphError, LayerId, MapInput, Shape};
use raskt_value::Value;
use smallvec::SmallVec;
use std::collections::HashMap;
use std::sync::Arc;

/// Elementwise work that one layer does.
struct Fusion {
    program: Program,
    leaves: Vec<Leaf>,
    inputs: Vec<MapInput>,
}

impl Planner<'_> {
    /// A layer of elementwise work.
    pub(super) fn elementwise(&mut self, array: &Array) -> Result<LayerId, GraphError> {
        let fusion = self.fuse(array)?;
        let nanoseconds = 0.5 + fusion.program.steps().len() as f64;
        let kernel = Fused::new(fusion.program, fusion.leaves, array.chunks().clone(), Fold::None);
        let shape = Shape::Map { grid: array.grid(), inputs: fusion.inputs };
        self.native(array, kernel, digest("elementwise", array.key()), shape, nanoseconds)
    }

    /// A reduction with the elementwise work that feeds it: partial results of blocks, merged in a tree.
    pub(super) fn reduction(&mut self, array: &Array, reduce: &Reduce) -> Result<LayerId, GraphError> {
        let input = &reduce.input;
        let fusion = self.fuse(input)?;
        let mut reduction = Reduction::new(reduce.op, input.dtype(), &reduce.axes).with_ddof(reduce.ddof);
        reduction.index = index_of(reduce, input);
        let (reduction, keepdims) = (Arc::new(reduction), reduce.keepdims);
        let mut grid = input.grid();
        let is_whole = |lengths: &[u32]| reduce.axes.iter().all(|&axis| lengths[axis] == 1);
        let fold = if is_whole(grid.lengths()) {
            Fold::Finish { reduction: reduction.clone(), keepdims }
        } else {
            Fold::Partial(reduction.clone())
        };
        let nanoseconds = 0.5 + fusion.program.steps().len() as f64;
        let mut task = cost(input.chunks(), input.dtype().size(), nanoseconds);
        task.output_bytes = cost(array.chunks(), 2 * array.dtype().size(), 0.0).output_bytes;
        let kernel = Fused::new(fusion.program, fusion.leaves, input.chunks().clone(), fold);
        let op = native_op(kernel, digest("partial", array.key()));
        let mut layer = self.add(array.name(), op, Shape::Map { grid: grid.clone(), inputs: fusion.inputs }, task)?;
        while !is_whole(grid.lengths()) {
            let fan_in = fan_ins(&grid, &reduce.axes, reduce.split_every);
            let shape = Shape::Reduce { input: layer, grid, fan_in };
            grid = shape.grid();
            let finish = is_whole(grid.lengths());
            let merge = Merge { reduction: reduction.clone(), finish: finish.then_some(keepdims) };
            let op = native_op(merge, digest(if finish { "finish" } else { "merge" }, array.key()));
            layer = self.add(array.name(), op, shape, cost(array.chunks(), array.dtype().size(), 10.0))?;
        }
        Ok(layer)
    }

    fn fuse(&mut self, array: &Array) -> Result<Fusion, GraphError> {
        let mut fuser = Fuser {
            output: array.chunks().clone(),
            root: array.key(),
            builder: ProgramBuilder::new(),
            known: HashMap::new(),
            leaves: vec![],
            inputs: vec![],
        };
        let result = fuser.register(self, array)?;
        Ok(Fusion { program: fuser.builder.finish(&[result]), leaves: fuser.leaves, inputs: fuser.inputs })
    }
}

/// Whether the program of a layer is to have blocks in itself.
fn holds(planner: &Planner<'_>, values: &[Value]) -> bool {
    !(super::is_kept(values) || planner.graph.keeps_data_apart())
}

/// Writes the program of a layer.
struct Fuser {
    /// The blocks that the layer computes.
    output: Chunks,
    root: u128,
    builder: ProgramBuilder,
    /// What was written, by key: equal work is done once.
    known: HashMap<u128, Register>,
    leaves: Vec<Leaf>,
    inputs: Vec<MapInput>,
}

impl Fuser {
    fn register(&mut self, planner: &mut Planner<'_>, array: &Array) -> Result<Register, GraphError> {
        if let Some(&known) = self.known.get(&array.key()) {
            return Ok(known);
        }
        let register = match array.expr() {
            Expr::Map { op, inputs } if array.key() == self.root || !planner.has(array) => {
                let operands: SmallVec<[Register; 3]> =
                    inputs.iter().map(|input| grown(|| self.register(planner, input))).collect::<Result<_, _>>()?;
                self.apply(op, &operands, array)?
            }
            Expr::Generated(source) => match source.generator {
                Generator::Full(value) => self.builder.constant(value, source.dtype),
                _ => self.builder.source(source.clone()),
            },
            Expr::Memory { chunk, .. } if !planner.graph.keeps_data_apart() => {
                self.leaf(Leaf::Memory(chunk.clone()), array)
            }
            Expr::Blocks { values, .. } if holds(planner, values) => {
                let leaf = Leaf::Blocks { values: values.clone(), view: None, grid: array.grid() };
                self.leaf(leaf, array)
            }
            Expr::View { input, view } => self.viewed(planner, array, input, view)?,
            _ => {
                let layer = grown(|| planner.materialise(array))?;
                self.inputs.push(MapInput::same(layer, array.grid()));
                let at = self.inputs.len() - 1;
                self.leaf(Leaf::Input { at, view: None }, array)
            }
        };
        self.known.insert(array.key(), register);
        Ok(register)
    }

    fn apply(&mut self, op: &MapOp, operands: &[Register], array: &Array) -> Result<Register, GraphError> {
        let written = match op {
            MapOp::Unary(op) => self.builder.unary(*op, operands[0]),
            MapOp::Binary(op) => self.builder.binary(*op, operands[0], operands[1]),
            MapOp::Select => Ok(self.builder.select(operands[0], operands[1], operands[2])),
            MapOp::Cast => Ok(self.builder.cast(operands[0], array.dtype())),
        };
        written.map_err(|error| GraphError::Lowering(error.to_string()))
    }

    /// A view of blocks that are there: what it slices off is a layer of its own.
    fn viewed(
        &mut self,
        planner: &mut Planner<'_>,
        array: &Array,
        input: &Array,
        view: &View,
    ) -> Result<Register, GraphError> {
        let whole = view.takes_whole_blocks(input.chunks(), array.chunks());
        if let (Expr::Blocks { values, .. }, true) = (input.expr(), whole)
            && holds(planner, values)
        {
            let leaf = Leaf::Blocks { values: values.clone(), view: Some(view.clone()), grid: input.grid() };
            return Ok(self.leaf(leaf, array));
        }
        let (layer, grid, view) = if whole {
            (grown(|| planner.materialise(input))?, input.grid(), view.clone())
        } else {
            let (slice, chunks, rest) = view.split(array.chunks());
            (planner.slice(input, &slice, &chunks)?, chunks.grid(), rest)
        };
        let axes = (0..grid.axes()).map(|axis| view.output_axis(axis).map(|axis| axis as u8)).collect();
        self.inputs.push(MapInput { layer, grid, axes });
        let leaf = Leaf::Input { at: self.inputs.len() - 1, view: Some(view) };
        Ok(self.leaf(leaf, array))
    }

    fn leaf(&mut self, leaf: Leaf, array: &Array) -> Register {
        debug_assert_eq!(array.chunks().ndim(), self.output.ndim());
        self.leaves.push(leaf);
        self.builder.input(array.dtype())
    }
}

/// How `argmin` and its like number elements: along their one axis, or in C order of the whole array.
fn index_of(reduce: &Reduce, input: &Array) -> Option<Affine> {
    let shape: Option<SmallVec<[u64; 4]>> =
        input.shape().iter().map(|length| length.map(|length| length as u64)).collect();
    match reduce.axes.as_slice() {
        [axis] => Some(Affine::along(*axis, input.ndim())),
        _ => shape.map(|shape| Affine::c_order(&shape)),
    }
}

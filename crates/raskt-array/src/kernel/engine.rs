//! The interpreter: one loop for each step, over tiles that lie in the L1 cache.

use super::action::{Action, Work, allocate, operands_of};
use super::band::Band;
use super::fuse::fuse;
use super::gather::{broadcast_strides, copy, gather};
use super::operand::{Operand, Target};
use super::walk::Walk;
use super::{Generator, Instruction, Program, Region, Register, Source, loops, source};
use raskt_value::{CancelToken, Chunk, DType, ErrorKind, TaskError, with_element};
use smallvec::SmallVec;

/// Elements of a tile. Eight tiles of `float64` fit the L1 cache of 32 KiB, and the cost of choosing a loop (some ten
/// nanoseconds) is spread over enough elements.
pub(super) const TILE: usize = 512;

/// Tiles between two looks at the cancel token: about a millisecond of the slowest work.
const TILES_PER_CHECK: usize = 32;

/// A program that is set up for a region and inputs, and the scratch memory it needs: at most a few tiles.
pub(super) struct Engine<'a> {
    program: &'a Program,
    /// The steps that run for each tile, in order.
    actions: Vec<Action<'a>>,
    /// Where each register's elements lie: once for all, if uniform, else in the tile that is being run.
    operands: Vec<Operand>,
    /// One element of each uniform register.
    uniforms: Vec<Slot>,
    tiles: Vec<Tile>,
    bands: Vec<Band<'a>>,
    outputs: Vec<Register>,
}

/// Room for one element of any type.
#[derive(Clone, Copy)]
#[repr(C, align(16))]
struct Slot([u8; 16]);

/// Room for the elements of one register; in cache lines, which aligns it.
type Tile = Vec<CacheLine>;

#[derive(Clone, Copy)]
#[repr(C, align(64))]
struct CacheLine([u8; 64]);

impl<'a> Engine<'a> {
    /// Sets up `program` for `region`, to compute `outputs`.
    pub fn new(
        program: &'a Program,
        region: &Region,
        inputs: &'a [&'a Chunk],
        outputs: &[Register],
    ) -> Result<Self, TaskError> {
        let axes: Vec<usize> = (0..region.shape.len()).collect();
        Self::permuted(program, region, inputs, outputs, &axes)
    }

    /// The same, walking the axes of `region` in another order: axis `i` of the walk is axis `order[i]`.
    pub fn permuted(
        program: &'a Program,
        region: &Region,
        inputs: &'a [&'a Chunk],
        outputs: &[Register],
        order: &[usize],
    ) -> Result<Self, TaskError> {
        check_inputs(program, region, inputs)?;
        let count = program.steps().len();
        let nowhere = Operand { start: std::ptr::null(), uniform: false };
        let mut engine = Self {
            program,
            actions: Vec::new(),
            operands: vec![nowhere; count],
            uniforms: vec![Slot([0; 16]); count],
            tiles: Vec::new(),
            bands: Vec::new(),
            outputs: outputs.to_vec(),
        };
        let needed = engine.needed();
        // An empty region has no element that a uniform value could be computed from.
        if region.is_empty() {
            return Ok(engine);
        }
        let shape: Vec<usize> = order.iter().map(|&axis| region.shape[axis]).collect();
        for at in (0..count).filter(|&at| needed[at]) {
            let work = match program.steps()[at].instruction {
                Instruction::Input(input) => {
                    let chunk = inputs[input as usize];
                    let steps = broadcast_strides(chunk, &region.shape);
                    let walk = Walk::new(&shape, order.iter().map(|&axis| steps[axis]), 0);
                    Work::input(chunk, walk)
                }
                Instruction::Source(source) => {
                    let source = &program.sources()[source as usize];
                    let steps = order.iter().map(|&axis| source.index.steps[axis]);
                    engine.generated(source, Walk::new(&shape, steps, source.index.at(&region.origin)))
                }
                instruction => Work::Step(instruction),
            };
            engine.place(Register(at as u32), work)?;
        }
        engine.actions = fuse(std::mem::take(&mut engine.actions), program, outputs, &engine.operands);
        let lengths = allocate(&mut engine.actions, program, outputs);
        engine.tiles = lengths.iter().map(|bytes| vec![CacheLine([0; 64]); bytes.div_ceil(64)]).collect();
        Ok(engine)
    }

    /// The types of the outputs.
    pub fn output_dtypes(&self) -> Vec<DType> {
        self.outputs.iter().map(|&output| self.program.dtype(output)).collect()
    }

    /// Calls `visit` with the start and the length of each tile of `length` elements.
    pub fn for_each_tile(
        &mut self,
        length: usize,
        cancel: &CancelToken,
        mut visit: impl FnMut(&mut Self, usize, usize) -> Result<(), TaskError>,
    ) -> Result<(), TaskError> {
        for (number, start) in (0..length).step_by(TILE).enumerate() {
            if number % TILES_PER_CHECK == 0 && cancel.is_cancelled() {
                return Err(TaskError::cancelled());
            }
            visit(self, start, TILE.min(length - start))?;
        }
        Ok(())
    }

    /// Computes the elements `start..start + length` and writes them into blocks of all elements.
    pub fn run_into(&mut self, start: usize, length: usize, blocks: &[*mut u8]) -> Result<(), TaskError> {
        let targets: SmallVec<[(Register, Target); 2]> = self
            .outputs
            .iter()
            .zip(blocks)
            .map(|(&output, &block)| {
                let size = self.program.dtype(output).size();
                (output, Target { start: block.wrapping_add(start * size), length })
            })
            .collect();
        self.run_to(start, length, &targets)?;
        for (output, target) in targets {
            let operand = self.operands[output.0 as usize];
            if operand.start != target.start.cast_const() {
                // SAFETY: the operand holds `length` elements (or one) of the type of the block, which has room.
                with_element!(self.program.dtype(output), T => unsafe { copy::<T>(operand, target) });
            }
        }
        Ok(())
    }

    /// Computes the elements `start..start + length` of the first output, all of them if it isn't uniform.
    pub fn run(&mut self, start: usize, length: usize) -> Result<Operand, TaskError> {
        self.run_to(start, length, &[])?;
        Ok(self.operands[self.outputs[0].0 as usize])
    }

    /// Runs the steps, those of registers in `targets` straight into them.
    fn run_to(&mut self, start: usize, length: usize, targets: &[(Register, Target)]) -> Result<(), TaskError> {
        for action in &self.actions {
            let register = action.register;
            if let Work::Point { start: first, size } = action.work {
                self.operands[register.0 as usize].start = first.wrapping_add(start * size);
                continue;
            }
            let tile = action.tile.expect("every step but reading in place has a tile");
            let scratch = Target { start: self.tiles[tile].as_mut_ptr().cast(), length };
            let target = targets.iter().find(|(output, _)| *output == register).map_or(scratch, |(_, target)| *target);
            self.operands[register.0 as usize].start = target.start;
            match action.work {
                // SAFETY: the target is a tile or a part of a block of the source's type.
                Work::Band(at) => with_element!(self.program.dtype(register), T => unsafe {
                    self.bands[at].fill::<T>(start, target)?;
                }),
                _ => self.perform(action, start, target)?,
            }
        }
        Ok(())
    }

    /// How a source is made that is read along `walk`.
    fn generated(&mut self, source: &'a Source, walk: Walk) -> Work<'a> {
        match Band::of(source, &walk) {
            Some(band) => {
                self.bands.push(band);
                Work::Band(self.bands.len() - 1)
            }
            None => Work::Generate { source, walk },
        }
    }

    fn perform(&self, action: &Action<'_>, start: usize, target: Target) -> Result<(), TaskError> {
        let dtype = self.program.dtype(action.register);
        match &action.work {
            Work::Point { .. } | Work::Band(_) => Ok(()),
            Work::Gather { start: first, walk } => {
                // SAFETY: `broadcast_strides` keeps within the chunk, whose type was checked.
                with_element!(dtype, T => unsafe { gather::<T>(*first, walk, start, target) });
                Ok(())
            }
            // SAFETY: the target is a tile or a part of a block of the source's type.
            Work::Generate { source, walk } => unsafe { source::generate(source, walk, start, target) },
            Work::Step(instruction) => self.step(*instruction, dtype, target),
            Work::Terms { subtract, terms } => {
                let terms = terms.map(|term| term.operands(|register| self.operands[register.0 as usize]));
                // SAFETY: the operands were computed, are of the type of the register, and disjoint from the target.
                unsafe { loops::terms(dtype, *subtract, terms, target) };
                Ok(())
            }
            Work::Deferred => Ok(()),
            Work::RootAndExp { root, exp } => {
                let operand = |register: Register| self.operands[register.0 as usize];
                let result = |register| Target { start: operand(register).start.cast_mut(), length: target.length };
                let (root, exp) = ((operand(root.1), result(root.0)), (operand(exp.1), result(exp.0)));
                // SAFETY: both operands were computed, both results have places of their own, disjoint from them.
                unsafe { loops::root_and_exp(dtype, root, exp) };
                Ok(())
            }
        }
    }

    fn step(&self, instruction: Instruction, dtype: DType, target: Target) -> Result<(), TaskError> {
        let at = |register: Register| self.operands[register.0 as usize];
        let dtype_of = |register: Register| self.program.dtype(register);
        // SAFETY: operands were computed before, have as many elements as the target (or one), and the types are those
        // of the program, whose builder made them fit the operation. Tiles of live registers are disjoint.
        unsafe {
            match instruction {
                Instruction::Unary(op, a) => loops::unary(op, dtype_of(a), at(a), target),
                Instruction::Binary(op, a, b) => loops::binary(op, dtype_of(a), at(a), at(b), target),
                Instruction::Cast(a) => {
                    loops::cast(dtype_of(a), dtype, at(a), target);
                    Ok(())
                }
                Instruction::Select(c, a, b) => {
                    loops::select(dtype.size(), at(c), at(a), at(b), target);
                    Ok(())
                }
                Instruction::Constant(value) => {
                    with_element!(dtype, T => target.slice::<T>().fill(std::mem::MaybeUninit::new(value.cast::<T>())));
                    Ok(())
                }
                Instruction::Input(_) | Instruction::Source(_) => unreachable!("they are set up as work of their own"),
            }
        }
    }

    /// Computes a register now, if it is uniform, or puts it among the actions.
    fn place(&mut self, register: Register, work: Work<'a>) -> Result<(), TaskError> {
        let at = register.0 as usize;
        if !self.is_uniform(&work) {
            self.actions.push(Action { register, work, tile: None });
            return Ok(());
        }
        let slot = (&raw mut self.uniforms[at]).cast::<u8>();
        let action = Action { register, work, tile: None };
        self.perform(&action, 0, Target { start: slot, length: 1 })?;
        self.operands[at] = Operand { start: slot, uniform: true };
        Ok(())
    }

    fn is_uniform(&self, work: &Work<'_>) -> bool {
        let uniform = |register: &Register| self.operands[register.0 as usize].uniform;
        match work {
            Work::Point { .. } | Work::Band(_) => false,
            Work::Gather { walk, .. } => walk.uniform().is_some(),
            Work::Generate { source, walk } => {
                walk.uniform().is_some() || matches!(source.generator, Generator::Full(_))
            }
            Work::Step(instruction) => operands_of(*instruction).iter().all(uniform),
            Work::Terms { .. } | Work::Deferred | Work::RootAndExp { .. } => false,
        }
    }

    /// Which registers an output depends on.
    fn needed(&self) -> Vec<bool> {
        let steps = self.program.steps();
        let mut needed = vec![false; steps.len()];
        for output in &self.outputs {
            needed[output.0 as usize] = true;
        }
        for at in (0..steps.len()).rev() {
            if needed[at] {
                operands_of(steps[at].instruction).iter().for_each(|operand| needed[operand.0 as usize] = true);
            }
        }
        needed
    }
}

fn check_inputs(program: &Program, region: &Region, inputs: &[&Chunk]) -> Result<(), TaskError> {
    let refused = |message| Err(TaskError::new(ErrorKind::Value, message));
    if inputs.len() != program.inputs().len() {
        return refused(format!("the program takes {} blocks, and got {}", program.inputs().len(), inputs.len()));
    }
    for (at, (chunk, &dtype)) in inputs.iter().zip(program.inputs()).enumerate() {
        if chunk.dtype() != dtype {
            return refused(format!("block {at} is of type {}, and the program takes {dtype}", chunk.dtype()));
        }
        let aligned = region.shape.iter().rev().zip(chunk.shape().iter().rev());
        let fits =
            chunk.shape().len() <= region.shape.len() && aligned.clone().all(|(&to, &own)| own == to || own == 1);
        if !fits {
            return refused(format!(
                "block {at} of shape {:?} can't be broadcast to {:?}",
                chunk.shape(),
                region.shape
            ));
        }
    }
    for source in program.sources() {
        if let Generator::Random(random) = &source.generator {
            // A parameter out of range could keep a rejection loop going for ever.
            random.distribution.validate()?;
        }
    }
    let mut axes = program.sources().iter().map(|source| source.index.steps.len());
    if let Some(axes) = axes.find(|&axes| axes != region.shape.len()) {
        return refused(format!("a source of {axes} axes can't be evaluated over shape {:?}", region.shape));
    }
    Ok(())
}

//! The interpreter: one loop for each step, over tiles that lie in the L1 cache.

use super::operand::{Operand, Target};
use super::walk::Walk;
use super::{Generator, Instruction, Program, Region, Register, Source, loops, source};
use raskt_value::{CancelToken, Chunk, DType, Element, ErrorKind, TaskError, with_element};

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

/// A step that runs for each tile, and the scratch tile that it writes.
struct Action<'a> {
    register: Register,
    work: Work<'a>,
    tile: Option<usize>,
}

enum Work<'a> {
    /// Points at an input without gaps.
    Point {
        start: *const u8,
        size: usize,
    },
    /// Copies from a strided input.
    Gather {
        start: *const u8,
        walk: Walk,
    },
    Generate {
        source: &'a Source,
        walk: Walk,
    },
    Step(Instruction),
}

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
            outputs: outputs.to_vec(),
        };
        let last_use = engine.last_uses();
        // An empty region has no element that a uniform value could be computed from.
        if region.is_empty() {
            return Ok(engine);
        }
        let shape: Vec<usize> = order.iter().map(|&axis| region.shape[axis]).collect();
        for at in (0..count).filter(|&at| last_use[at].is_some()) {
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
                    Work::Generate { source, walk: Walk::new(&shape, steps, source.index.at(&region.origin)) }
                }
                instruction => Work::Step(instruction),
            };
            engine.place(Register(at as u32), work)?;
        }
        engine.allocate(&last_use);
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
        let targets: Vec<_> = self
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
            self.perform(action, start, target)?;
        }
        Ok(())
    }

    fn perform(&self, action: &Action<'_>, start: usize, target: Target) -> Result<(), TaskError> {
        let dtype = self.program.dtype(action.register);
        match &action.work {
            Work::Point { .. } => Ok(()),
            Work::Gather { start: first, walk } => {
                // SAFETY: `broadcast_strides` keeps within the chunk, whose type was checked.
                with_element!(dtype, T => unsafe { gather::<T>(*first, walk, start, target) });
                Ok(())
            }
            // SAFETY: the target is a tile or a part of a block of the source's type.
            Work::Generate { source, walk } => unsafe { source::generate(source, walk, start, target) },
            Work::Step(instruction) => self.step(*instruction, dtype, target),
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
            Work::Point { .. } => false,
            Work::Gather { walk, .. } => walk.uniform().is_some(),
            Work::Generate { source, walk } => {
                walk.uniform().is_some() || matches!(source.generator, Generator::Full(_))
            }
            Work::Step(instruction) => operands_of(*instruction).iter().all(uniform),
        }
    }

    /// For each register, the last step that reads it: its own if it is only an output, none if nothing needs it.
    fn last_uses(&self) -> Vec<Option<usize>> {
        let steps = self.program.steps();
        let mut last = vec![None; steps.len()];
        for output in &self.outputs {
            last[output.0 as usize] = Some(usize::MAX);
        }
        for at in (0..steps.len()).rev() {
            if last[at].is_some() {
                for operand in operands_of(steps[at].instruction) {
                    last[operand.0 as usize].get_or_insert(at);
                }
            }
        }
        last
    }

    /// Gives each action a tile that no register holds which is still read.
    fn allocate(&mut self, last_use: &[Option<usize>]) {
        let mut holders: Vec<Option<Register>> = Vec::new();
        let mut sizes: Vec<usize> = Vec::new();
        for at in 0..self.actions.len() {
            let register = self.actions[at].register;
            let now = register.0 as usize;
            if matches!(self.actions[at].work, Work::Point { .. }) {
                continue;
            }
            let free = |holder: &Option<Register>| {
                holder.is_none_or(|held| last_use[held.0 as usize].is_some_and(|last| last < now))
            };
            let tile = holders.iter().position(free).unwrap_or_else(|| {
                holders.push(None);
                sizes.push(0);
                holders.len() - 1
            });
            holders[tile] = Some(register);
            sizes[tile] = sizes[tile].max(TILE * self.program.dtype(register).size());
            self.actions[at].tile = Some(tile);
        }
        self.tiles = sizes.iter().map(|bytes| vec![CacheLine([0; 64]); bytes.div_ceil(64)]).collect();
    }
}

impl Work<'_> {
    fn input(chunk: &Chunk, walk: Walk) -> Self {
        let start = chunk.as_ptr();
        match walk.contiguous() {
            Some(_) if walk.uniform().is_none() => Self::Point { start, size: chunk.dtype().size() },
            _ => Self::Gather { start, walk },
        }
    }
}

/// The registers that an instruction reads.
fn operands_of(instruction: Instruction) -> smallvec::SmallVec<[Register; 3]> {
    match instruction {
        Instruction::Input(_) | Instruction::Source(_) | Instruction::Constant(_) => smallvec::smallvec![],
        Instruction::Cast(a) | Instruction::Unary(_, a) => smallvec::smallvec![a],
        Instruction::Binary(_, a, b) => smallvec::smallvec![a, b],
        Instruction::Select(c, a, b) => smallvec::smallvec![c, a, b],
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
    for source in program.sources().iter().filter(|source| source.index.steps.len() != region.shape.len()) {
        let axes = source.index.steps.len();
        return refused(format!("a source of {axes} axes can't be evaluated over shape {:?}", region.shape));
    }
    Ok(())
}

/// The strides of `chunk` seen as a block of `shape`: zero where it is repeated.
fn broadcast_strides(chunk: &Chunk, shape: &[usize]) -> Vec<i64> {
    let missing = shape.len() - chunk.shape().len();
    let own = chunk.shape().iter().zip(chunk.strides());
    let strides = own.map(|(&length, &stride)| if length == 1 { 0 } else { stride as i64 });
    std::iter::repeat_n(0, missing).chain(strides).collect()
}

/// Copies elements of a strided block.
///
/// # Safety
/// The walk stays within the elements of type `T` around `start`, and `out` has room for them.
unsafe fn gather<T: Element>(start: *const u8, walk: &Walk, first: usize, out: Target) {
    // SAFETY: as the caller promises.
    let out = unsafe { out.slice::<T>() };
    let start = start.cast::<T>();
    walk.for_each_run(first, out.len(), |run| {
        let out = &mut out[run.at..run.at + run.length];
        let from = start.wrapping_offset(run.index as isize);
        // SAFETY: every index of the run is within the block.
        unsafe {
            match run.step {
                0 => out.fill(std::mem::MaybeUninit::new(*from)),
                1 => std::ptr::copy_nonoverlapping(from, out.as_mut_ptr().cast(), out.len()),
                step => {
                    for (at, out) in out.iter_mut().enumerate() {
                        out.write(*from.wrapping_offset(step as isize * at as isize));
                    }
                }
            }
        }
    });
}

/// Copies a tile, or repeats its one element.
///
/// # Safety
/// Operand and target are of type `T`, and disjoint.
unsafe fn copy<T: Element>(from: Operand, to: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        let to = to.slice::<T>();
        if from.uniform {
            to.fill(std::mem::MaybeUninit::new(from.slice::<T>(1)[0]));
        } else {
            std::ptr::copy_nonoverlapping(from.start.cast::<T>(), to.as_mut_ptr().cast::<T>(), to.len());
        }
    }
}

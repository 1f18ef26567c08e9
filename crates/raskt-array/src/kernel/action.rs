//! What the engine does for each tile, and in which scratch memory.

use super::engine::TILE;
use super::loops::{TermKind, TermOperands};
use super::operand::Operand;
use super::walk::Walk;
use super::{Instruction, Program, Register, Source};
use raskt_value::Chunk;
use smallvec::{SmallVec, smallvec};

/// Work that is done for each tile, and the scratch tile that it writes.
pub(super) struct Action<'a> {
    pub register: Register,
    pub work: Work<'a>,
    pub tile: Option<usize>,
}

pub(super) enum Work<'a> {
    /// Points at an input without gaps.
    Point { start: *const u8, size: usize },
    /// Copies from a strided input.
    Gather { start: *const u8, walk: Walk },
    /// Makes the elements of a source.
    Generate { source: &'a Source, walk: Walk },
    /// Makes the elements of a source by the band of this number.
    Band(usize),
    /// One step of the program.
    Step(Instruction),
    /// The sum or the difference of two terms, products among them.
    Terms { subtract: bool, terms: [Term; 2] },
    /// A square root or an exponential that is computed later, with another.
    Deferred,
    /// A square root and an exponential: of each, the register and its operand.
    RootAndExp { root: (Register, Register), exp: (Register, Register) },
}

/// A term of a sum; the second register counts for products only.
#[derive(Clone, Copy)]
pub(super) struct Term {
    pub kind: TermKind,
    pub registers: [Register; 2],
}

impl Term {
    /// Where its operands lie.
    pub fn operands(self, at: impl Fn(Register) -> Operand) -> TermOperands {
        TermOperands { kind: self.kind, operands: self.registers.map(at) }
    }
}

impl Work<'_> {
    /// Reads `chunk` along `walk`.
    pub fn input(chunk: &Chunk, walk: Walk) -> Self {
        let start = chunk.as_ptr();
        match walk.contiguous() {
            Some(_) if walk.uniform().is_none() => Self::Point { start, size: chunk.dtype().size() },
            _ => Self::Gather { start, walk },
        }
    }

    /// The registers that it reads.
    pub fn reads(&self) -> SmallVec<[Register; 4]> {
        match self {
            Self::Point { .. } | Self::Gather { .. } | Self::Generate { .. } | Self::Band(_) | Self::Deferred => {
                smallvec![]
            }
            Self::Step(instruction) => operands_of(*instruction).into_iter().collect(),
            Self::Terms { terms, .. } => terms.iter().flat_map(|term| term.registers).collect(),
            Self::RootAndExp { root, exp } => smallvec![root.1, exp.1],
        }
    }
}

/// The registers that an instruction reads.
pub(super) fn operands_of(instruction: Instruction) -> SmallVec<[Register; 3]> {
    match instruction {
        Instruction::Input(_) | Instruction::Source(_) | Instruction::Constant(_) => smallvec![],
        Instruction::Cast(a) | Instruction::Unary(_, a) => smallvec![a],
        Instruction::Binary(_, a, b) => smallvec![a, b],
        Instruction::Select(c, a, b) => smallvec![c, a, b],
    }
}

/// Gives each action a tile that no register holds which is still read; the bytes of each tile.
pub(super) fn allocate(actions: &mut [Action<'_>], program: &Program, outputs: &[Register]) -> Vec<usize> {
    let last_read = last_reads(actions, program, outputs);
    let mut holders: Vec<Option<Register>> = Vec::new();
    let mut sizes: Vec<usize> = Vec::new();
    for (now, action) in actions.iter_mut().enumerate() {
        if matches!(action.work, Work::Point { .. }) {
            continue;
        }
        let free = |holder: &Option<Register>| holder.is_none_or(|held| last_read[held.0 as usize] < now);
        let tile = holders.iter().position(free).unwrap_or_else(|| {
            holders.push(None);
            sizes.push(0);
            holders.len() - 1
        });
        holders[tile] = Some(action.register);
        sizes[tile] = sizes[tile].max(TILE * program.dtype(action.register).size());
        action.tile = Some(tile);
    }
    sizes
}

/// For each register, the last action that reads (or makes) it; outputs are read after all of them.
fn last_reads(actions: &[Action<'_>], program: &Program, outputs: &[Register]) -> Vec<usize> {
    let mut last = vec![0; program.steps().len()];
    for (now, action) in actions.iter().enumerate() {
        last[action.register.0 as usize] = now;
        action.work.reads().iter().for_each(|read| last[read.0 as usize] = now);
        if let Work::RootAndExp { root, exp } = &action.work {
            (last[root.0.0 as usize], last[exp.0.0 as usize]) = (now, now);
        }
    }
    outputs.iter().for_each(|output| last[output.0 as usize] = usize::MAX);
    last
}

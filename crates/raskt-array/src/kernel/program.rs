//! Fused elementwise work: a typed program over scalars, in single assignment form.

use super::{BinaryOp, Source, UnaryOp, binary_signature, unary_signature};
use raskt_value::{AtMost, DType, Scalar, TaskError};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;

/// The result of a step of a [`Program`].
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Register(pub u32);

/// What a step computes, from results of earlier steps.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Instruction {
    /// The element of an input block.
    Input(u32),
    /// The element that a source makes.
    Source(u32),
    /// A number.
    Constant(Scalar),
    /// The operand, converted to the type of the step.
    Cast(Register),
    /// One operand; its type is one for which [`unary_signature`] asks.
    Unary(UnaryOp, Register),
    /// Two operands of one type, for which [`binary_signature`] asks.
    Binary(BinaryOp, Register, Register),
    /// The second operand where the first is true, else the third; both are of the type of the step.
    Select(Register, Register, Register),
}

/// One instruction and the type of its result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Step {
    /// What is computed.
    pub instruction: Instruction,
    /// The type of the result.
    pub dtype: DType,
}

/// A function from the elements of input blocks (and of sources) to those of output blocks.
///
/// Every operand of a step is the result of an earlier one, and types fit: the only way to make a program is a
/// [`ProgramBuilder`], which sees to that. Equal steps are one.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(try_from = "ProgramForm")]
pub struct Program {
    pub(super) steps: Vec<Step>,
    pub(super) inputs: Vec<DType>,
    pub(super) sources: Vec<Source>,
    pub(super) outputs: Vec<Register>,
}

/// A program as it travels, of which nothing is known.
#[derive(Deserialize)]
struct ProgramForm {
    steps: AtMost<STEPS_MOST, Step>,
    inputs: AtMost<STEPS_MOST, DType>,
    sources: AtMost<STEPS_MOST, Source>,
    outputs: AtMost<STEPS_MOST, Register>,
}

/// The most steps of a program that has come, and inputs, sources and outputs: for each there is a step.
const STEPS_MOST: usize = 1 << 20;

impl TryFrom<ProgramForm> for Program {
    type Error = String;

    fn try_from(form: ProgramForm) -> Result<Self, Self::Error> {
        let ProgramForm { steps, inputs, sources, outputs } = form;
        let program = Self { steps: steps.0, inputs: inputs.0, sources: sources.0, outputs: outputs.0 };
        program.check()?;
        Ok(program)
    }
}

impl Program {
    /// The steps, in the order in which they run; a [`Register`] is a position in it.
    pub fn steps(&self) -> &[Step] {
        &self.steps
    }

    /// The types of the inputs, by position.
    pub fn inputs(&self) -> &[DType] {
        &self.inputs
    }

    /// The sources, by position.
    pub fn sources(&self) -> &[Source] {
        &self.sources
    }

    /// The results, by position; at least one.
    pub fn outputs(&self) -> &[Register] {
        &self.outputs
    }

    /// The type of a register.
    pub fn dtype(&self, register: Register) -> DType {
        self.steps[register.0 as usize].dtype
    }

    /// The type of the first output.
    pub fn output_dtype(&self) -> DType {
        self.dtype(self.outputs[0])
    }

    /// The names of its operations in order, for `explain()`: `multiply+add+sqrt`.
    pub fn name(&self) -> String {
        let names = self.steps.iter().filter_map(|step| match step.instruction {
            Instruction::Unary(op, _) => Some(op.name()),
            Instruction::Binary(op, ..) => Some(op.name()),
            Instruction::Select(..) => Some("where"),
            Instruction::Cast(_) => Some("astype"),
            Instruction::Source(at) => Some(self.sources[at as usize].generator.name()),
            Instruction::Input(_) | Instruction::Constant(_) => None,
        });
        names.collect::<Vec<_>>().join("+")
    }
}

/// Writes a [`Program`]: checks types, inserts the casts that NumPy's promotion asks for, makes equal steps one.
#[derive(Clone, Debug, Default)]
pub struct ProgramBuilder {
    program: Program,
    known: HashMap<StepKey, Register>,
}

/// A step, comparable: numbers by their bits, so that `0.0` and `-0.0` stay two and a NaN is itself.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
struct StepKey {
    kind: (u8, Option<UnaryOp>, Option<BinaryOp>),
    operands: [u32; 3],
    number: (u8, u64, u64),
    dtype: DType,
}

impl ProgramBuilder {
    /// A program without steps.
    pub fn new() -> Self {
        Self::default()
    }

    /// The type of a register.
    pub fn dtype(&self, register: Register) -> DType {
        self.program.dtype(register)
    }

    /// The next input block.
    pub fn input(&mut self, dtype: DType) -> Register {
        self.program.inputs.push(dtype);
        self.push(Instruction::Input(self.program.inputs.len() as u32 - 1), dtype)
    }

    /// What `source` makes; an equal source is made once.
    pub fn source(&mut self, source: Source) -> Register {
        let dtype = source.dtype;
        let found = self.program.sources.iter().position(|other| *other == source);
        let at = found.unwrap_or_else(|| {
            self.program.sources.push(source);
            self.program.sources.len() - 1
        });
        self.push(Instruction::Source(at as u32), dtype)
    }

    /// A number of type `dtype`.
    pub fn constant(&mut self, value: Scalar, dtype: DType) -> Register {
        self.push(Instruction::Constant(value), dtype)
    }

    /// `operand` as `dtype`.
    pub fn cast(&mut self, operand: Register, dtype: DType) -> Register {
        if self.dtype(operand) == dtype {
            return operand;
        }
        match self.program.steps[operand.0 as usize].instruction {
            // A number of a wider type of the same kind would not be rounded on the way, so only these are folded.
            Instruction::Constant(value) if value.dtype() == self.dtype(operand) => self.constant(value, dtype),
            _ => self.push(Instruction::Cast(operand), dtype),
        }
    }

    /// `op(operand)`.
    pub fn unary(&mut self, op: UnaryOp, operand: Register) -> Result<Register, TaskError> {
        let signature = unary_signature(op, self.dtype(operand))?;
        let operand = self.cast(operand, signature.operands);
        Ok(self.push(Instruction::Unary(op, operand), signature.result))
    }

    /// `op(a, b)`.
    pub fn binary(&mut self, op: BinaryOp, a: Register, b: Register) -> Result<Register, TaskError> {
        if let Some(compared) = self.compare_signs(op, a, b)? {
            return Ok(compared);
        }
        let signature = binary_signature(op, self.dtype(a), self.dtype(b))?;
        let (a, b) = (self.cast(a, signature.operands), self.cast(b, signature.operands));
        Ok(self.push(Instruction::Binary(op, a, b), signature.result))
    }

    /// `a` where `condition` is true, else `b`: `numpy.where`.
    pub fn select(&mut self, condition: Register, a: Register, b: Register) -> Register {
        let condition = self.cast(condition, DType::Bool);
        let dtype = raskt_value::promote(self.dtype(a), self.dtype(b));
        let (a, b) = (self.cast(a, dtype), self.cast(b, dtype));
        self.push(Instruction::Select(condition, a, b), dtype)
    }

    /// The steps of `program`, with its inputs taken from `inputs`; its outputs, by position.
    pub fn append(&mut self, program: &Program, inputs: &[Register]) -> Vec<Register> {
        assert_eq!(program.inputs.len(), inputs.len(), "a register for each input");
        let mut moved: Vec<Register> = Vec::with_capacity(program.steps.len());
        for step in &program.steps {
            let at = |register: Register| moved[register.0 as usize];
            let instruction = match step.instruction {
                Instruction::Input(input) => {
                    moved.push(inputs[input as usize]);
                    continue;
                }
                Instruction::Source(source) => {
                    let register = self.source(program.sources[source as usize].clone());
                    moved.push(register);
                    continue;
                }
                Instruction::Constant(value) => Instruction::Constant(value),
                Instruction::Cast(a) => Instruction::Cast(at(a)),
                Instruction::Unary(op, a) => Instruction::Unary(op, at(a)),
                Instruction::Binary(op, a, b) => Instruction::Binary(op, at(a), at(b)),
                Instruction::Select(c, a, b) => Instruction::Select(at(c), at(a), at(b)),
            };
            moved.push(self.push(instruction, step.dtype));
        }
        program.outputs.iter().map(|output| moved[output.0 as usize]).collect()
    }

    /// The program with these outputs.
    pub fn finish(mut self, outputs: &[Register]) -> Program {
        assert!(!outputs.is_empty(), "a program has an output");
        self.program.outputs = outputs.to_vec();
        self.program
    }

    /// NumPy compares `int64` with `uint64` exactly, though no integer type holds both.
    fn compare_signs(&mut self, op: BinaryOp, a: Register, b: Register) -> Result<Option<Register>, TaskError> {
        use BinaryOp::*;
        let (signed, unsigned, flipped) = match (self.dtype(a), self.dtype(b)) {
            (DType::U64, right) if right.kind() == raskt_value::Kind::Signed => (b, a, true),
            (left, DType::U64) if left.kind() == raskt_value::Kind::Signed => (a, b, false),
            _ => return Ok(None),
        };
        // Seen from the signed side; a negative number is less than, and differs from, every unsigned one.
        let (op, if_negative) = match (op, flipped) {
            (Equal, _) => (Equal, false),
            (NotEqual, _) => (NotEqual, true),
            (Less, false) | (Greater, true) => (Less, true),
            (LessEqual, false) | (GreaterEqual, true) => (LessEqual, true),
            (Greater, false) | (Less, true) => (Greater, false),
            (GreaterEqual, false) | (LessEqual, true) => (GreaterEqual, false),
            _ => return Ok(None),
        };
        let zero = self.constant(Scalar::Int(0), self.dtype(signed));
        let negative = self.binary(Less, signed, zero)?;
        let magnitude = self.cast(signed, DType::U64);
        let compared = self.binary(op, magnitude, unsigned)?;
        let otherwise = self.constant(Scalar::Bool(if_negative), DType::Bool);
        Ok(Some(self.select(negative, otherwise, compared)))
    }

    fn push(&mut self, instruction: Instruction, dtype: DType) -> Register {
        let next = Register(self.program.steps.len() as u32);
        let known = *self.known.entry(StepKey::new(instruction, dtype)).or_insert(next);
        if known == next {
            self.program.steps.push(Step { instruction, dtype });
        }
        known
    }
}

impl StepKey {
    fn new(instruction: Instruction, dtype: DType) -> Self {
        let mut key = Self { kind: (0, None, None), operands: [0; 3], number: (0, 0, 0), dtype };
        match instruction {
            Instruction::Input(at) => (key.kind.0, key.operands[0]) = (0, at),
            Instruction::Source(at) => (key.kind.0, key.operands[0]) = (1, at),
            Instruction::Constant(value) => (key.kind.0, key.number) = (2, number_key(value)),
            Instruction::Cast(a) => (key.kind.0, key.operands[0]) = (3, a.0),
            Instruction::Unary(op, a) => (key.kind, key.operands[0]) = ((4, Some(op), None), a.0),
            Instruction::Binary(op, a, b) => (key.kind, key.operands) = ((5, None, Some(op)), [a.0, b.0, 0]),
            Instruction::Select(c, a, b) => (key.kind.0, key.operands) = (6, [c.0, a.0, b.0]),
        }
        key
    }
}

fn number_key(value: Scalar) -> (u8, u64, u64) {
    match value {
        Scalar::Bool(x) => (0, u64::from(x), 0),
        Scalar::Int(x) => (1, x as u64, 0),
        Scalar::UInt(x) => (2, x, 0),
        Scalar::Float(x) => (3, x.to_bits(), 0),
        Scalar::Complex(x) => (4, x.re.to_bits(), x.im.to_bits()),
    }
}

//! Whether a program that has come from elsewhere is one that a [`super::ProgramBuilder`] could have written: kernels rely on it.

use super::{Generator, Instruction, Program, Register, Source, Step, binary_signature, unary_signature};
use raskt_value::DType;

impl Program {
    /// What is wrong with it.
    pub(super) fn check(&self) -> Result<(), String> {
        for (at, step) in self.steps.iter().enumerate() {
            self.check_step(at as u32, step).map_err(|reason| format!("step {at} {reason}"))?;
        }
        if self.outputs.is_empty() || self.outputs.iter().any(|output| output.0 as usize >= self.steps.len()) {
            return Err("a program has outputs, and each is a step of it".into());
        }
        self.sources.iter().try_for_each(check_source)
    }

    fn check_step(&self, at: u32, step: &Step) -> Result<(), String> {
        let Step { instruction, dtype } = *step;
        let of = |register: Register| {
            let is_earlier = register.0 < at;
            if is_earlier { Ok(self.dtype(register)) } else { Err(format!("reads step {}", register.0)) }
        };
        let promised = match instruction {
            Instruction::Input(at) => self.inputs.get(at as usize).copied(),
            Instruction::Source(at) => self.sources.get(at as usize).map(|source| source.dtype),
            Instruction::Constant(_) => Some(dtype),
            Instruction::Cast(a) => of(a).map(|_| Some(dtype))?,
            Instruction::Unary(op, a) => {
                let a = of(a)?;
                unary_signature(op, a).ok().filter(|found| found.operands == a).map(|found| found.result)
            }
            Instruction::Binary(op, a, b) => {
                let (a, b) = (of(a)?, of(b)?);
                let found = binary_signature(op, a, b).ok();
                found.filter(|found| found.operands == a && found.operands == b).map(|found| found.result)
            }
            Instruction::Select(condition, a, b) => {
                let is_sound = of(condition)? == DType::Bool && of(a)? == of(b)?;
                if is_sound { Some(of(a)?) } else { None }
            }
        };
        if promised == Some(dtype) { Ok(()) } else { Err(format!("{instruction:?} gives no {dtype}")) }
    }
}

fn check_source(source: &Source) -> Result<(), String> {
    match &source.generator {
        Generator::Random(random) => random.distribution.validate().map_err(|error| error.message.to_string()),
        _ => Ok(()),
    }
}

//! Makes one action of several where that saves more than it costs.
//!
//! An action reads and writes whole tiles, and for a sum or a product that, not the arithmetic, takes the time: so
//! sums of products are one action. A square root keeps the divider busy and leaves the multipliers idle, an
//! exponential does the opposite: so one of each, if neither waits for the other, are computed side by side. The
//! results are the same to the last bit.

use super::action::{Action, Term, Work};
use super::loops::TermKind;
use super::operand::Operand;
use super::{BinaryOp, Instruction, Program, Register, UnaryOp};
use raskt_value::DType;

/// The actions with those fused that can be; `operands` says which registers are uniform.
pub(super) fn fuse<'a>(
    actions: Vec<Action<'a>>,
    program: &Program,
    outputs: &[Register],
    operands: &[Operand],
) -> Vec<Action<'a>> {
    let mut actions = fuse_terms(actions, program, outputs, operands);
    pair_roots(&mut actions, program);
    actions
}

fn is_real(dtype: DType) -> bool {
    matches!(dtype, DType::F32 | DType::F64)
}

/// Turns sums and differences of products into single actions.
fn fuse_terms<'a>(
    mut actions: Vec<Action<'a>>,
    program: &Program,
    outputs: &[Register],
    operands: &[Operand],
) -> Vec<Action<'a>> {
    let mut reads = vec![0; program.steps().len()];
    let all = actions.iter().flat_map(|action| action.work.reads()).chain(outputs.iter().copied());
    all.for_each(|read| reads[read.0 as usize] += 1);
    let term = |register: Register| term_of(register, program, operands, reads[register.0 as usize]);
    let mut gone = vec![false; program.steps().len()];
    for action in &mut actions {
        let Work::Step(Instruction::Binary(op @ (BinaryOp::Add | BinaryOp::Subtract), a, b)) = action.work else {
            continue;
        };
        let terms = [term(a), term(b)];
        if !is_real(program.dtype(action.register)) || terms.iter().all(|term| !term.kind.is_product()) {
            continue;
        }
        for (term, register) in terms.iter().zip([a, b]).filter(|(term, _)| term.kind.is_product()) {
            debug_assert!(!term.registers.contains(&register));
            gone[register.0 as usize] = true;
        }
        action.work = Work::Terms { subtract: op == BinaryOp::Subtract, terms };
    }
    actions.retain(|action| !gone[action.register.0 as usize]);
    actions
}

/// What `register`, read so many times, is as a term: a product only if nothing else reads it.
fn term_of(register: Register, program: &Program, operands: &[Operand], reads: usize) -> Term {
    let uniform = |register: Register| operands[register.0 as usize].uniform;
    let plain = |kind| Term { kind, registers: [register; 2] };
    match program.steps()[register.0 as usize].instruction {
        _ if uniform(register) => plain(TermKind::Fixed),
        Instruction::Binary(BinaryOp::Multiply, a, b) if reads == 1 => match (uniform(a), uniform(b)) {
            _ if a == b => Term { kind: TermKind::Square, registers: [a; 2] },
            (true, _) => Term { kind: TermKind::Scaled, registers: [a, b] },
            (_, true) => Term { kind: TermKind::Scaled, registers: [b, a] },
            _ => Term { kind: TermKind::Product, registers: [a, b] },
        },
        _ => plain(TermKind::Plain),
    }
}

/// Pairs square roots with exponentials of which neither waits for the other.
fn pair_roots(actions: &mut [Action<'_>], program: &Program) {
    for first in 0..actions.len() {
        let Some((op, operand)) = root_or_exp(&actions[first], program) else { continue };
        let register = actions[first].register;
        let dtype = program.dtype(register);
        for second in first + 1..actions.len() {
            // Whatever reads the first result can't come before it is there.
            if actions[second].work.reads().contains(&register) {
                break;
            }
            let Some((other, exponent)) = root_or_exp(&actions[second], program) else { continue };
            let result = actions[second].register;
            if other == op || program.dtype(result) != dtype {
                continue;
            }
            let (one, two) = ((register, operand), (result, exponent));
            let (root, exp) = if op == UnaryOp::Sqrt { (one, two) } else { (two, one) };
            actions[first].work = Work::Deferred;
            actions[second].work = Work::RootAndExp { root, exp };
            break;
        }
    }
}

/// The operation and the operand of an action that is a square root or an exponential of real numbers.
fn root_or_exp(action: &Action<'_>, program: &Program) -> Option<(UnaryOp, Register)> {
    match action.work {
        Work::Step(Instruction::Unary(op @ (UnaryOp::Sqrt | UnaryOp::Exp), operand)) => {
            is_real(program.dtype(operand)).then_some((op, operand))
        }
        _ => None,
    }
}

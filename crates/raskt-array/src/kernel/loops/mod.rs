//! One vectorised loop for each operation and type.
//!
//! Each function here is unsafe for one reason: operands and targets are raw. The engine that calls them sees to it
//! that they hold as many elements, of the types of the program's step, as the tile has.

mod cast;
mod complex;
mod fused;
mod integer;
mod real;

use super::operand::{Operand, Target, map, zip};
use super::{BinaryOp, UnaryOp};
use raskt_value::complex::Complex;
use raskt_value::{DType, ErrorKind, TaskError};

pub(super) use cast::cast;
pub(super) use fused::{TermKind, TermOperands, root_and_exp, terms};

/// `op` over a tile of operands of `dtype`.
///
/// # Safety
/// `a` holds as many elements of `dtype` as `out` has room for; `out` is of the type that the operation's signature
/// says, and disjoint from `a`.
pub(super) unsafe fn unary(op: UnaryOp, dtype: DType, a: Operand, out: Target) -> Result<(), TaskError> {
    // SAFETY: as the caller promises, for the type that was matched.
    unsafe {
        match dtype {
            DType::Bool => boolean_unary(op, a, out),
            DType::I8 => integer::unary::<i8>(op, a, out),
            DType::I16 => integer::unary::<i16>(op, a, out),
            DType::I32 => integer::unary::<i32>(op, a, out),
            DType::I64 => integer::unary::<i64>(op, a, out),
            DType::U8 => integer::unary::<u8>(op, a, out),
            DType::U16 => integer::unary::<u16>(op, a, out),
            DType::U32 => integer::unary::<u32>(op, a, out),
            DType::U64 => integer::unary::<u64>(op, a, out),
            DType::F32 => real::unary::<f32>(op, a, out),
            DType::F64 => real::unary::<f64>(op, a, out),
            DType::C64 => complex::unary::<f32>(op, a, out),
            DType::C128 => complex::unary::<f64>(op, a, out),
        }
    }
    Ok(())
}

/// `op` over a tile of two operands of `dtype`.
///
/// # Safety
/// As for [`unary`].
pub(super) unsafe fn binary(op: BinaryOp, dtype: DType, a: Operand, b: Operand, out: Target) -> Result<(), TaskError> {
    // SAFETY: as the caller promises, for the type that was matched.
    unsafe {
        match dtype {
            DType::Bool => boolean_binary(op, a, b, out),
            DType::I8 => integer::binary::<i8>(op, a, b, out)?,
            DType::I16 => integer::binary::<i16>(op, a, b, out)?,
            DType::I32 => integer::binary::<i32>(op, a, b, out)?,
            DType::I64 => integer::binary::<i64>(op, a, b, out)?,
            DType::U8 => integer::binary::<u8>(op, a, b, out)?,
            DType::U16 => integer::binary::<u16>(op, a, b, out)?,
            DType::U32 => integer::binary::<u32>(op, a, b, out)?,
            DType::U64 => integer::binary::<u64>(op, a, b, out)?,
            DType::F32 => real::binary::<f32>(op, a, b, out),
            DType::F64 => real::binary::<f64>(op, a, b, out),
            DType::C64 => complex::binary::<f32>(op, a, b, out),
            DType::C128 => complex::binary::<f64>(op, a, b, out),
        }
    }
    Ok(())
}

/// The elements of `a` where `condition` is true, else those of `b`.
///
/// # Safety
/// As for [`unary`]; the condition is of type `bool`.
pub(super) unsafe fn select(size: usize, condition: Operand, a: Operand, b: Operand, out: Target) {
    // SAFETY: as the caller promises; a type of the same size stands for the element type, which is only moved.
    unsafe {
        match size {
            1 => select_as::<u8>(condition, a, b, out),
            2 => select_as::<u16>(condition, a, b, out),
            4 => select_as::<u32>(condition, a, b, out),
            8 => select_as::<u64>(condition, a, b, out),
            _ => select_as::<Complex<f64>>(condition, a, b, out),
        }
    }
}

unsafe fn select_as<T: raskt_value::Element>(condition: Operand, a: Operand, b: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        let out = out.slice::<T>();
        let length = out.len();
        let many = |operand: Operand| if operand.uniform { 1 } else { length };
        let condition = condition.slice::<bool>(many(condition));
        let (a_step, b_step) = (usize::from(!a.uniform), usize::from(!b.uniform));
        let (a, b) = (a.slice::<T>(many(a)), b.slice::<T>(many(b)));
        if condition.len() < length || (condition.len() == 1 && length == 1) {
            let (chosen, step) = if condition[0] { (a, a_step) } else { (b, b_step) };
            out.iter_mut().enumerate().for_each(|(at, out)| {
                out.write(chosen[at * step]);
            });
            return;
        }
        match (a_step, b_step) {
            (1, 1) => out.iter_mut().zip(condition).zip(a).zip(b).for_each(|(((out, &c), &a), &b)| {
                out.write(if c { a } else { b });
            }),
            (1, 0) => out.iter_mut().zip(condition).zip(a).for_each(|((out, &c), &a)| {
                out.write(if c { a } else { b[0] });
            }),
            (0, 1) => out.iter_mut().zip(condition).zip(b).for_each(|((out, &c), &b)| {
                out.write(if c { a[0] } else { b });
            }),
            _ => out.iter_mut().zip(condition).for_each(|(out, &c)| {
                out.write(if c { a[0] } else { b[0] });
            }),
        }
    }
}

unsafe fn boolean_unary(op: UnaryOp, a: Operand, out: Target) {
    use UnaryOp::*;
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            Invert | LogicalNot => map!(a, out, bool => bool, |x| !x),
            IsFinite => map!(a, out, bool => bool, |_x| true),
            IsInf | IsNan | Imag => map!(a, out, bool => bool, |_x| false),
            _ => map!(a, out, bool => bool, |x| x),
        }
    }
}

unsafe fn boolean_binary(op: BinaryOp, a: Operand, b: Operand, out: Target) {
    use BinaryOp::*;
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            Add | Maximum | Fmax | BitwiseOr | LogicalOr => zip!(a, b, out, bool => bool, |x, y| x | y),
            Multiply | Minimum | Fmin | BitwiseAnd | LogicalAnd => zip!(a, b, out, bool => bool, |x, y| x & y),
            NotEqual | BitwiseXor | LogicalXor => zip!(a, b, out, bool => bool, |x, y| x ^ y),
            Equal => zip!(a, b, out, bool => bool, |x, y| x == y),
            Less => zip!(a, b, out, bool => bool, |x, y| !x & y),
            LessEqual => zip!(a, b, out, bool => bool, |x, y| !x | y),
            Greater => zip!(a, b, out, bool => bool, |x, y| x & !y),
            GreaterEqual => zip!(a, b, out, bool => bool, |x, y| x | !y),
            _ => unreachable!("`{op}` has no loop over bool"),
        }
    }
}

fn negative_power() -> TaskError {
    TaskError::new(ErrorKind::Value, "integers to negative integer powers are not allowed")
}

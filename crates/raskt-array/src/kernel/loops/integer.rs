use super::negative_power;
use crate::kernel::number::Integer;
use crate::kernel::operand::{Operand, Target, map, zip};
use crate::kernel::{BinaryOp, UnaryOp};
use raskt_value::TaskError;

pub(super) unsafe fn unary<T: Integer>(op: UnaryOp, a: Operand, out: Target) {
    use UnaryOp::*;
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            Absolute => map!(a, out, T => T, |x| x.absolute()),
            Invert => map!(a, out, T => T, |x| x.not()),
            Negative => map!(a, out, T => T, |x| x.negative()),
            Square => map!(a, out, T => T, |x| x.multiply(x)),
            Reciprocal => map!(a, out, T => T, |x| reciprocal(x)),
            Sign => map!(a, out, T => T, |x| sign(x)),
            Imag => map!(a, out, T => T, |_x| T::ZERO),
            LogicalNot => map!(a, out, T => bool, |x| x == T::ZERO),
            IsFinite => map!(a, out, T => bool, |_x| true),
            IsInf | IsNan => map!(a, out, T => bool, |_x| false),
            Ceil | Conjugate | Floor | Positive | Real | Trunc => map!(a, out, T => T, |x| x),
            _ => unreachable!("`{op}` has no loop over integers"),
        }
    }
}

pub(super) unsafe fn binary<T: Integer>(op: BinaryOp, a: Operand, b: Operand, out: Target) -> Result<(), TaskError> {
    use BinaryOp::*;
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            Add => zip!(a, b, out, T => T, |x, y| x.add(y)),
            Subtract => zip!(a, b, out, T => T, |x, y| x.subtract(y)),
            Multiply => zip!(a, b, out, T => T, |x, y| x.multiply(y)),
            FloorDivide => zip!(a, b, out, T => T, |x, y| x.floor_divide(y)),
            Remainder => zip!(a, b, out, T => T, |x, y| x.remainder(y)),
            Fmod => zip!(a, b, out, T => T, |x, y| x.fmod(y)),
            BitwiseAnd => zip!(a, b, out, T => T, |x, y| x.and(y)),
            BitwiseOr => zip!(a, b, out, T => T, |x, y| x.or(y)),
            BitwiseXor => zip!(a, b, out, T => T, |x, y| x.xor(y)),
            LeftShift => zip!(a, b, out, T => T, |x, y| x.shift_left(y)),
            RightShift => zip!(a, b, out, T => T, |x, y| x.shift_right(y)),
            Maximum | Fmax => zip!(a, b, out, T => T, |x, y| if x >= y { x } else { y }),
            Minimum | Fmin => zip!(a, b, out, T => T, |x, y| if x <= y { x } else { y }),
            Equal => zip!(a, b, out, T => bool, |x, y| x == y),
            NotEqual => zip!(a, b, out, T => bool, |x, y| x != y),
            Less => zip!(a, b, out, T => bool, |x, y| x < y),
            LessEqual => zip!(a, b, out, T => bool, |x, y| x <= y),
            Greater => zip!(a, b, out, T => bool, |x, y| x > y),
            GreaterEqual => zip!(a, b, out, T => bool, |x, y| x >= y),
            Power => {
                let exponents = b.slice::<T>(if b.uniform { 1 } else { out.length });
                if T::SIGNED && exponents.iter().any(|&exponent| exponent < T::ZERO) {
                    return Err(negative_power());
                }
                zip!(a, b, out, T => T, |x, y| x.power(y));
            }
            _ => unreachable!("`{op}` has no loop over integers"),
        }
    }
    Ok(())
}

fn reciprocal<T: Integer>(x: T) -> T {
    if x == T::ZERO {
        return T::INVERSE_OF_ZERO;
    }
    // Truncated, as in C.
    T::ONE.subtract(T::ONE.fmod(x)).floor_divide(x)
}

fn sign<T: Integer>(x: T) -> T {
    if x > T::ZERO {
        T::ONE
    } else if x < T::ZERO {
        T::ONE.negative()
    } else {
        T::ZERO
    }
}

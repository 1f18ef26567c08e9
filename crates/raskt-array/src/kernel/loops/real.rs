use crate::kernel::math;
use crate::kernel::number::Real;
use crate::kernel::operand::{Operand, Target, map, vectorised, zip};
use crate::kernel::{BinaryOp, UnaryOp};
use std::f64::consts::PI;

vectorised! {
pub(super) unsafe fn unary<T: Real>(op: UnaryOp, a: Operand, out: Target) {
    use UnaryOp::*;
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            Absolute | Fabs => map!(a, out, T => T, |x| x.abs()),
            Ceil => map!(a, out, T => T, |x| x.ceil()),
            Floor => map!(a, out, T => T, |x| x.floor()),
            Trunc => map!(a, out, T => T, |x| x.trunc()),
            Rint => map!(a, out, T => T, |x| x.rint()),
            Negative => map!(a, out, T => T, |x| -x),
            Square => map!(a, out, T => T, |x| x.multiply(x)),
            Sqrt => map!(a, out, T => T, |x| x.sqrt()),
            Reciprocal => map!(a, out, T => T, |x| T::ONE.divide(x)),
            Exp if within::<T>(a, out.length, math::MODERATE) => {
                map!(a, out, T => T, |x| T::narrow(math::exp_moderate(x.wide())));
            }
            Exp => map!(a, out, T => T, |x| T::narrow(math::exp(x.wide()))),
            Expm1 => map!(a, out, T => T, |x| T::narrow(math::expm1(x.wide()))),
            Tanh => map!(a, out, T => T, |x| T::narrow(math::tanh(x.wide()))),
            Log => map!(a, out, T => T, |x| T::narrow(math::log(x.wide()))),
            Log1p => map!(a, out, T => T, |x| T::narrow(math::log1p(x.wide()))),
            Sin => {
                map!(a, out, T => T, |x| T::narrow(math::sin(x.wide())));
                beyond::<T>(a, out, math::REDUCIBLE, f64::sin);
            }
            Cos => {
                map!(a, out, T => T, |x| T::narrow(math::cos(x.wide())));
                beyond::<T>(a, out, math::REDUCIBLE, f64::cos);
            }
            // The factors as NumPy rounds them, in the type itself.
            Deg2rad => map!(a, out, T => T, |x| x.multiply(T::narrow(PI).divide(T::narrow(180.0)))),
            Rad2deg => map!(a, out, T => T, |x| x.multiply(T::narrow(180.0).divide(T::narrow(PI)))),
            Sign => map!(a, out, T => T, |x| sign(x)),
            IsNan => map!(a, out, T => bool, |x| x.nan()),
            IsFinite => map!(a, out, T => bool, |x| x.subtract(x) == T::ZERO),
            IsInf => map!(a, out, T => bool, |x| x.abs() == T::narrow(f64::INFINITY)),
            SignBit => map!(a, out, T => bool, |x| x.negative_bit()),
            LogicalNot => map!(a, out, T => bool, |x| x == T::ZERO),
            Conjugate | Positive | Real => map!(a, out, T => T, |x| x),
            Imag => map!(a, out, T => T, |_x| T::ZERO),
            _ => scalar_unary::<T>(op, a, out),
        }
    }
}
}

/// Functions that the standard library computes one by one.
unsafe fn scalar_unary<T: Real>(op: UnaryOp, a: Operand, out: Target) {
    use UnaryOp::*;
    macro_rules! by {
        ($function:path) => {
            map!(a, out, T => T, |x| T::narrow($function(x.wide())))
        };
    }
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            Tan => by!(f64::tan),
            Sinh => by!(f64::sinh),
            Cosh => by!(f64::cosh),
            Arcsin => by!(f64::asin),
            Arccos => by!(f64::acos),
            Arctan => by!(f64::atan),
            Arcsinh => by!(arcsinh),
            Arccosh => by!(arccosh),
            Arctanh => by!(arctanh),
            Cbrt => by!(f64::cbrt),
            Exp2 => by!(f64::exp2),
            Log2 => by!(f64::log2),
            Log10 => by!(f64::log10),
            Spacing => map!(a, out, T => T, |x| x.spacing()),
            _ => unreachable!("`{op}` has no loop over real numbers"),
        }
    }
}

vectorised! {
pub(super) unsafe fn binary<T: Real>(op: BinaryOp, a: Operand, b: Operand, out: Target) {
    use BinaryOp::*;
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            Add => zip!(a, b, out, T => T, |x, y| x.add(y)),
            Subtract => zip!(a, b, out, T => T, |x, y| x.subtract(y)),
            Multiply => zip!(a, b, out, T => T, |x, y| x.multiply(y)),
            Divide => zip!(a, b, out, T => T, |x, y| x.divide(y)),
            Maximum => zip!(a, b, out, T => T, |x, y| if x > y || x.nan() { x } else { y }),
            Minimum => zip!(a, b, out, T => T, |x, y| if x < y || x.nan() { x } else { y }),
            Fmax => zip!(a, b, out, T => T, |x, y| if x > y || y.nan() { x } else { y }),
            Fmin => zip!(a, b, out, T => T, |x, y| if x < y || y.nan() { x } else { y }),
            Equal => zip!(a, b, out, T => bool, |x, y| x == y),
            NotEqual => zip!(a, b, out, T => bool, |x, y| x != y),
            Less => zip!(a, b, out, T => bool, |x, y| x < y),
            LessEqual => zip!(a, b, out, T => bool, |x, y| x <= y),
            Greater => zip!(a, b, out, T => bool, |x, y| x > y),
            GreaterEqual => zip!(a, b, out, T => bool, |x, y| x >= y),
            Copysign => zip!(a, b, out, T => T, |x, y| x.with_sign_of(y)),
            Power | FloatPower if b.uniform && b.slice::<T>(1)[0].wide() == 2.0 => {
                map!(a, out, T => T, |x| x.multiply(x));
            }
            _ => scalar_binary::<T>(op, a, b, out),
        }
    }
}
}

/// Functions that the standard library computes one by one.
unsafe fn scalar_binary<T: Real>(op: BinaryOp, a: Operand, b: Operand, out: Target) {
    use BinaryOp::*;
    macro_rules! by {
        ($function:path) => {
            zip!(a, b, out, T => T, |x, y| T::narrow($function(x.wide(), y.wide())))
        };
    }
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            // A square is a product wherever the exponent stands, so that it doesn't depend on what is beside it.
            Power | FloatPower => zip!(a, b, out, T => T, |x, y| {
                if y.wide() == 2.0 { x.multiply(x) } else { T::narrow(x.wide().powf(y.wide())) }
            }),
            Arctan2 => by!(f64::atan2),
            Hypot => by!(f64::hypot),
            Logaddexp => by!(logaddexp),
            Logaddexp2 => by!(logaddexp2),
            Heaviside => zip!(a, b, out, T => T, |x, y| heaviside(x, y)),
            Fmod => zip!(a, b, out, T => T, |x, y| x.modulo(y)),
            FloorDivide => zip!(a, b, out, T => T, |x, y| divmod(x, y).0),
            Remainder => zip!(a, b, out, T => T, |x, y| divmod(x, y).1),
            Nextafter => zip!(a, b, out, T => T, |x, y| x.next_after(y)),
            _ => unreachable!("`{op}` has no loop over real numbers"),
        }
    }
}

/// Elements that are looked at before the first that is beyond is told of.
const LOOK: usize = 64;

/// Whether all of a tile are of at most some magnitude (and none is a NaN).
///
/// # Safety
/// There are `length` elements of type `T`.
#[inline(always)]
pub(super) unsafe fn within<T: Real>(a: Operand, length: usize, magnitude: f64) -> bool {
    // SAFETY: as the caller promises.
    let a = unsafe { a.slice::<T>(length) };
    let magnitude = T::narrow(magnitude);
    a.chunks(LOOK).all(|part| part.iter().fold(true, |all, &x| all & (x.abs() <= magnitude)))
}

/// Writes anew, by the standard library, the elements beyond some magnitude (and those of a NaN): each by itself, so
/// that no element depends on its neighbours.
///
/// # Safety
/// The operand and the target hold as many elements of type `T`.
#[inline(always)]
unsafe fn beyond<T: Real>(a: Operand, out: Target, magnitude: f64, function: fn(f64) -> f64) {
    // SAFETY: as the caller promises.
    unsafe {
        if within::<T>(a, out.length, magnitude) {
            return;
        }
        let magnitude = T::narrow(magnitude);
        let elements = a.slice::<T>(out.length);
        for (out, &x) in out.slice::<T>().iter_mut().zip(elements) {
            if x.nan() || x.abs() > magnitude {
                out.write(T::narrow(function(x.wide())));
            }
        }
    }
}

#[inline(always)]
fn sign<T: Real>(x: T) -> T {
    let sign = if x > T::ZERO { T::ONE } else { T::ZERO };
    let sign = if x < T::ZERO { -T::ONE } else { sign };
    if x.nan() { x } else { sign }
}

/// The quotient rounded down and the remainder with the sign of the divisor, as NumPy's `divmod`.
fn divmod<T: Real>(x: T, y: T) -> (T, T) {
    let rest = x.modulo(y);
    if y == T::ZERO {
        return (x.divide(y), rest);
    }
    let mut quotient = x.subtract(rest).divide(y);
    let mut remainder = rest;
    if rest != T::ZERO {
        if (y < T::ZERO) != (rest < T::ZERO) {
            remainder = rest.add(y);
            quotient = quotient.subtract(T::ONE);
        }
    } else {
        remainder = T::ZERO.with_sign_of(y);
    }
    if quotient == T::ZERO {
        return (T::ZERO.with_sign_of(x.divide(y)), remainder);
    }
    let floor = quotient.floor();
    let floor = if quotient.subtract(floor) > T::narrow(0.5) { floor.add(T::ONE) } else { floor };
    (floor, remainder)
}

fn heaviside<T: Real>(x: T, at_zero: T) -> T {
    if x.nan() {
        x
    } else if x == T::ZERO {
        at_zero
    } else if x < T::ZERO {
        T::ZERO
    } else {
        T::ONE
    }
}

fn logaddexp(x: f64, y: f64) -> f64 {
    let difference = x - y;
    if x == y {
        x + std::f64::consts::LN_2
    } else if difference > 0.0 {
        x + (-difference).exp().ln_1p()
    } else if difference <= 0.0 {
        y + difference.exp().ln_1p()
    } else {
        difference
    }
}

fn logaddexp2(x: f64, y: f64) -> f64 {
    let log2_1p = |x: f64| x.ln_1p() * std::f64::consts::LOG2_E;
    let difference = x - y;
    if x == y {
        x + 1.0
    } else if difference > 0.0 {
        x + log2_1p((-difference).exp2())
    } else if difference <= 0.0 {
        y + log2_1p(difference.exp2())
    } else {
        difference
    }
}

/// As the standard library's, which loses digits of large and of tiny arguments.
fn arcsinh(x: f64) -> f64 {
    let magnitude = x.abs();
    let result = if magnitude > 1e8 {
        magnitude.ln() + std::f64::consts::LN_2
    } else {
        (magnitude + magnitude * magnitude / (1.0 + (1.0 + magnitude * magnitude).sqrt())).ln_1p()
    };
    result.copysign(x)
}

fn arccosh(x: f64) -> f64 {
    if x < 1.0 {
        return f64::NAN;
    }
    if x > 1e8 {
        return x.ln() + std::f64::consts::LN_2;
    }
    let above = x - 1.0;
    (above + (above * (above + 2.0)).sqrt()).ln_1p()
}

fn arctanh(x: f64) -> f64 {
    let magnitude = x.abs();
    (0.5 * (2.0 * magnitude / (1.0 - magnitude)).ln_1p()).copysign(x)
}

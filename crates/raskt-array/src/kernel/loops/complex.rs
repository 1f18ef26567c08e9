use crate::kernel::number::Real;
use crate::kernel::operand::{Operand, Target, map, zip};
use crate::kernel::{BinaryOp, UnaryOp};
use raskt_value::Element;
use raskt_value::complex::Complex;

mod library;
mod power;

use library::Library;

/// What a complex number is made of, with the functions of real numbers that functions of complex ones are made of.
pub(super) trait Part: Real {
    type Complex: Parts<Self>;
    const LN_2: Self;
    const LOG2_E: Self;
    const LOG10_E: Self;
    /// `self * a + b`, rounded once.
    fn mul_add(self, a: Self, b: Self) -> Self;
    fn hypot(self, other: Self) -> Self;
    fn atan2(self, other: Self) -> Self;
    fn ln(self) -> Self;
    fn exp(self) -> Self;
    fn exp_m1(self) -> Self;
    fn sin(self) -> Self;
    fn cos(self) -> Self;
}

/// A complex number whose parts are `T`.
pub(super) trait Parts<T>: Element + Library {
    fn new(re: T, im: T) -> Self;
    fn parts(self) -> (T, T);
}

macro_rules! parts {
    ($($type:ident)*) => {$(
        impl Part for $type {
            type Complex = Complex<$type>;
            const LN_2: Self = std::$type::consts::LN_2;
            const LOG2_E: Self = std::$type::consts::LOG2_E;
            const LOG10_E: Self = std::$type::consts::LOG10_E;
            #[inline(always)]
            fn mul_add(self, a: Self, b: Self) -> Self { self.mul_add(a, b) }
            fn hypot(self, other: Self) -> Self { self.hypot(other) }
            fn atan2(self, other: Self) -> Self { self.atan2(other) }
            fn ln(self) -> Self { self.ln() }
            fn exp(self) -> Self { self.exp() }
            fn exp_m1(self) -> Self { self.exp_m1() }
            fn sin(self) -> Self { self.sin() }
            fn cos(self) -> Self { self.cos() }
        }
        impl Parts<$type> for Complex<$type> {
            #[inline(always)]
            fn new(re: $type, im: $type) -> Self { Complex::new(re, im) }
            #[inline(always)]
            fn parts(self) -> ($type, $type) { (self.re, self.im) }
        }
    )*};
}
parts!(f32 f64);

pub(super) unsafe fn unary<T: Part>(op: UnaryOp, a: Operand, out: Target) {
    use UnaryOp::*;
    macro_rules! by {
        ($function:expr) => {
            map!(a, out, T::Complex => T::Complex, |x| $function(x))
        };
    }
    macro_rules! parts {
        ($R:ty, |$re:ident, $im:ident| $body:expr) => {
            map!(a, out, T::Complex => $R, |x| { let ($re, $im) = x.parts(); $body })
        };
    }
    let finite = |x: T| x.subtract(x) == T::ZERO;
    let infinite = |x: T| x.abs().wide() == f64::INFINITY;
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            Absolute => parts!(T, |re, im| Part::hypot(re, im)),
            Real => parts!(T, |re, _im| re),
            Imag => parts!(T, |_re, im| im),
            Conjugate => parts!(T::Complex, |re, im| T::Complex::new(re, -im)),
            Negative => parts!(T::Complex, |re, im| T::Complex::new(-re, -im)),
            Rint => parts!(T::Complex, |re, im| T::Complex::new(re.rint(), im.rint())),
            IsNan => parts!(bool, |re, im| re.nan() || im.nan()),
            IsFinite => parts!(bool, |re, im| finite(re) && finite(im)),
            IsInf => parts!(bool, |re, im| infinite(re) || infinite(im)),
            LogicalNot => parts!(bool, |re, im| re == T::ZERO && im == T::ZERO),
            Positive => map!(a, out, T::Complex => T::Complex, |x| x),
            Square => parts!(T::Complex, |re, im| multiply::<T>((re, im), (re, im))),
            Reciprocal => parts!(T::Complex, |re, im| reciprocal(re, im)),
            Sign => parts!(T::Complex, |re, im| sign(re, im)),
            Exp2 => parts!(T::Complex, |re, im| scaled((re, im), T::LN_2).exponential()),
            Expm1 => parts!(T::Complex, |re, im| expm1(re, im)),
            Log2 => by!(|x: T::Complex| scaled(x.logarithm().parts(), T::LOG2_E)),
            Log10 => by!(|x: T::Complex| scaled(x.logarithm().parts(), T::LOG10_E)),
            Log1p => parts!(T::Complex, |re, im| log1p(re, im)),
            Sqrt => by!(T::Complex::square_root),
            Exp => by!(T::Complex::exponential),
            Log => by!(T::Complex::logarithm),
            Sin => by!(T::Complex::sine),
            Cos => by!(T::Complex::cosine),
            Tan => by!(T::Complex::tangent),
            Sinh => by!(T::Complex::hyperbolic_sine),
            Cosh => by!(T::Complex::hyperbolic_cosine),
            Tanh => by!(T::Complex::hyperbolic_tangent),
            Arcsin => by!(T::Complex::arc_sine),
            Arccos => by!(T::Complex::arc_cosine),
            Arctan => by!(T::Complex::arc_tangent),
            Arcsinh => by!(T::Complex::arc_hyperbolic_sine),
            Arccosh => by!(T::Complex::arc_hyperbolic_cosine),
            Arctanh => by!(T::Complex::arc_hyperbolic_tangent),
            _ => unreachable!("`{op}` has no loop over complex numbers"),
        }
    }
}

pub(super) unsafe fn binary<T: Part>(op: BinaryOp, a: Operand, b: Operand, out: Target) {
    use BinaryOp::*;
    macro_rules! by {
        ($R:ty, |$x:ident, $y:ident| $body:expr) => {
            zip!(a, b, out, T::Complex => $R, |x, y| { let ($x, $y) = (x.parts(), y.parts()); $body })
        };
    }
    // SAFETY: as the caller promises.
    unsafe {
        match op {
            Add => by!(T::Complex, |x, y| T::Complex::new(x.0.add(y.0), x.1.add(y.1))),
            Subtract => by!(T::Complex, |x, y| T::Complex::new(x.0.subtract(y.0), x.1.subtract(y.1))),
            Multiply => by!(T::Complex, |x, y| multiply::<T>(x, y)),
            Divide => by!(T::Complex, |x, y| divide::<T>(x, y)),
            Power | FloatPower => zip!(a, b, out, T::Complex => T::Complex, |x, y| power::power::<T>(x, y)),
            Equal => by!(bool, |x, y| x == y),
            NotEqual => by!(bool, |x, y| x != y),
            Less => by!(bool, |x, y| less(x, y)),
            LessEqual => by!(bool, |x, y| less(x, y) || x == y),
            Greater => by!(bool, |x, y| less(y, x)),
            GreaterEqual => by!(bool, |x, y| less(y, x) || x == y),
            Maximum => zip!(a, b, out, T::Complex => T::Complex, |x, y| {
                let (p, q) = (x.parts(), y.parts());
                if nan(p) || less(q, p) || p == q { x } else if nan(q) || less(p, q) { y } else { x }
            }),
            Minimum => zip!(a, b, out, T::Complex => T::Complex, |x, y| {
                let (p, q) = (x.parts(), y.parts());
                if nan(p) || less(p, q) || p == q { x } else if nan(q) || less(q, p) { y } else { x }
            }),
            Fmax => zip!(a, b, out, T::Complex => T::Complex, |x, y| {
                let (p, q) = (x.parts(), y.parts());
                if nan(q) || (!nan(p) && !less(p, q)) { x } else { y }
            }),
            Fmin => zip!(a, b, out, T::Complex => T::Complex, |x, y| {
                let (p, q) = (x.parts(), y.parts());
                if nan(q) || (!nan(p) && !less(q, p)) { x } else { y }
            }),
            _ => unreachable!("`{op}` has no loop over complex numbers"),
        }
    }
}

/// NumPy's order of complex numbers: by the real part, then by the imaginary part.
#[inline(always)]
pub(in crate::kernel) fn less<T: Real>(x: (T, T), y: (T, T)) -> bool {
    (x.0 < y.0 && !x.1.nan() && !y.1.nan()) || (x.0 == y.0 && x.1 < y.1)
}

#[inline(always)]
fn nan<T: Real>(x: (T, T)) -> bool {
    x.0.nan() || x.1.nan()
}

/// With one rounding less in each part, as NumPy's vector loops have it.
#[inline(always)]
fn multiply<T: Part>(x: (T, T), y: (T, T)) -> T::Complex {
    T::Complex::new(Part::mul_add(x.0, y.0, -(x.1.multiply(y.1))), Part::mul_add(x.0, y.1, x.1.multiply(y.0)))
}

/// Smith's algorithm, which doesn't overflow on the way (and is what NumPy uses).
#[inline(always)]
fn divide<T: Part>(x: (T, T), y: (T, T)) -> T::Complex {
    if y.0.abs() >= y.1.abs() {
        if y.0 == T::ZERO && y.1 == T::ZERO {
            return T::Complex::new(x.0.divide(y.0.abs()), x.1.divide(y.0.abs()));
        }
        let ratio = y.1.divide(y.0);
        let scale = T::ONE.divide(y.0.add(y.1.multiply(ratio)));
        T::Complex::new(x.0.add(x.1.multiply(ratio)).multiply(scale), x.1.subtract(x.0.multiply(ratio)).multiply(scale))
    } else {
        let ratio = y.0.divide(y.1);
        let scale = T::ONE.divide(y.1.add(y.0.multiply(ratio)));
        T::Complex::new(x.0.multiply(ratio).add(x.1).multiply(scale), x.1.multiply(ratio).subtract(x.0).multiply(scale))
    }
}

/// As NumPy has it: not what dividing 1 gives where a part is zero or infinite.
fn reciprocal<T: Part>(re: T, im: T) -> T::Complex {
    if im.abs() <= re.abs() {
        let ratio = im.divide(re);
        let scale = re.add(im.multiply(ratio));
        T::Complex::new(T::ONE.divide(scale), (-ratio).divide(scale))
    } else {
        let ratio = re.divide(im);
        let scale = re.multiply(ratio).add(im);
        T::Complex::new(ratio.divide(scale), (-T::ONE).divide(scale))
    }
}

/// The number of magnitude 1 in the same direction.
fn sign<T: Part>(re: T, im: T) -> T::Complex {
    let magnitude = Part::hypot(re, im);
    let infinite = |part: T| part.abs().wide() == f64::INFINITY;
    let one = |part: T| T::ONE.with_sign_of(part);
    let undefined = T::ZERO.divide(T::ZERO);
    match (infinite(re), infinite(im)) {
        _ if magnitude.nan() => T::Complex::new(undefined, undefined),
        (true, true) => T::Complex::new(undefined, undefined),
        (true, false) => T::Complex::new(one(re), T::ZERO),
        (false, true) => T::Complex::new(T::ZERO, one(im)),
        _ if magnitude == T::ZERO => T::Complex::new(T::ZERO, T::ZERO),
        _ => T::Complex::new(re.divide(magnitude), im.divide(magnitude)),
    }
}

fn scaled<T: Part>(x: (T, T), factor: T) -> T::Complex {
    T::Complex::new(x.0.multiply(factor), x.1.multiply(factor))
}

fn expm1<T: Part>(re: T, im: T) -> T::Complex {
    let half = Part::sin(im.multiply(T::narrow(0.5)));
    let less = T::narrow(2.0).multiply(half).multiply(half);
    T::Complex::new(Part::exp_m1(re).multiply(Part::cos(im)).subtract(less), Part::exp(re).multiply(Part::sin(im)))
}

fn log1p<T: Part>(re: T, im: T) -> T::Complex {
    let above = re.add(T::ONE);
    T::Complex::new(Part::ln(Part::hypot(above, im)), Part::atan2(im, above))
}

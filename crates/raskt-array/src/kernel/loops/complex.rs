use crate::kernel::number::{Convert, Real};
use crate::kernel::operand::{Operand, Target, map, zip};
use crate::kernel::{BinaryOp, UnaryOp};
use raskt_value::Element;
use raskt_value::complex::Complex;

mod inverse;

type Wide = Complex<f64>;

/// A complex number whose parts are `Self`.
pub(super) trait Part: Real {
    type Complex: Parts<Self>;
}

pub(super) trait Parts<T>: Element {
    fn new(re: T, im: T) -> Self;
    fn parts(self) -> (T, T);
    fn wide(self) -> Wide;
    fn narrow(value: Wide) -> Self;
}

macro_rules! parts {
    ($($type:ty)*) => {$(
        impl Part for $type {
            type Complex = Complex<$type>;
        }
        impl Parts<$type> for Complex<$type> {
            #[inline(always)]
            fn new(re: $type, im: $type) -> Self { Complex::new(re, im) }
            #[inline(always)]
            fn parts(self) -> ($type, $type) { (self.re, self.im) }
            #[inline(always)]
            fn wide(self) -> Wide { self.convert() }
            #[inline(always)]
            fn narrow(value: Wide) -> Self { value.convert() }
        }
    )*};
}
parts!(f32 f64);

pub(super) unsafe fn unary<T: Part>(op: UnaryOp, a: Operand, out: Target) {
    use UnaryOp::*;
    macro_rules! by {
        ($function:expr) => {
            map!(a, out, T::Complex => T::Complex, |x| T::Complex::narrow($function(x.wide())))
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
            Absolute => parts!(T, |re, im| T::narrow(re.wide().hypot(im.wide()))),
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
            Reciprocal => parts!(T::Complex, |re, im| divide::<T>((T::ONE, T::ZERO), (re, im))),
            Sign => by!(|x: Wide| sign(x)),
            Sqrt => by!(|x: Wide| x.sqrt()),
            Exp => by!(|x: Wide| x.exp()),
            Exp2 => by!(|x: Wide| (x * std::f64::consts::LN_2).exp()),
            Expm1 => by!(expm1),
            Log => by!(|x: Wide| x.ln()),
            Log2 => by!(|x: Wide| x.ln() * std::f64::consts::LOG2_E),
            Log10 => by!(|x: Wide| x.ln() * std::f64::consts::LOG10_E),
            Log1p => by!(|x: Wide| Wide::new((1.0 + x.re).hypot(x.im).ln(), x.im.atan2(1.0 + x.re))),
            Sin => by!(|x: Wide| x.sin()),
            Cos => by!(|x: Wide| x.cos()),
            Tan => by!(|x: Wide| x.tan()),
            Sinh => by!(|x: Wide| x.sinh()),
            Cosh => by!(|x: Wide| x.cosh()),
            Tanh => by!(|x: Wide| x.tanh()),
            Arcsin => by!(inverse::arcsin),
            Arccos => by!(inverse::arccos),
            Arctan => by!(inverse::arctan),
            Arcsinh => by!(inverse::arcsinh),
            Arccosh => by!(inverse::arccosh),
            Arctanh => by!(inverse::arctanh),
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
            Power | FloatPower => {
                zip!(a, b, out, T::Complex => T::Complex, |x, y| T::Complex::narrow(power(x.wide(), y.wide())));
            }
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

#[inline(always)]
fn multiply<T: Part>(x: (T, T), y: (T, T)) -> T::Complex {
    T::Complex::new(x.0.multiply(y.0).subtract(x.1.multiply(y.1)), x.0.multiply(y.1).add(x.1.multiply(y.0)))
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

fn sign(x: Wide) -> Wide {
    let magnitude = x.re.hypot(x.im);
    if magnitude == 0.0 {
        Wide::new(0.0, 0.0)
    } else if magnitude.is_infinite() {
        let part = |own: f64, other: f64| match (own.is_infinite(), other.is_infinite()) {
            (true, true) => f64::NAN,
            (true, false) => 1.0_f64.copysign(own),
            _ => 0.0_f64.copysign(own),
        };
        Wide::new(part(x.re, x.im), part(x.im, x.re))
    } else {
        Wide::new(x.re / magnitude, x.im / magnitude)
    }
}

fn expm1(x: Wide) -> Wide {
    let half = (x.im / 2.0).sin();
    Wide::new(x.re.exp_m1() * x.im.cos() - 2.0 * half * half, x.re.exp() * x.im.sin())
}

/// Small integer powers by multiplication, as NumPy does; others by the logarithm.
fn power(x: Wide, y: Wide) -> Wide {
    let one = Wide::new(1.0, 0.0);
    if y == Wide::new(0.0, 0.0) {
        return one;
    }
    if x == Wide::new(0.0, 0.0) {
        return if y.re > 0.0 { Wide::new(0.0, 0.0) } else { Wide::new(f64::NAN, f64::NAN) };
    }
    if y.im == 0.0 && y.re.fract() == 0.0 && y.re.abs() < 100.0 {
        return x.powi(y.re as i32);
    }
    (y * x.ln()).exp()
}

//! Loops that do the work of several steps.

use super::real;
use crate::kernel::UnaryOp;
use crate::kernel::math;
use crate::kernel::number::Real;
use crate::kernel::operand::{Operand, Target, vectorised};
use raskt_value::DType;

/// What a term of a sum is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::kernel) enum TermKind {
    /// An element.
    Plain,
    /// The same number for all.
    Fixed,
    /// An element times itself.
    Square,
    /// The same number for all (the first operand) times an element.
    Scaled,
    /// The product of two elements.
    Product,
}

impl TermKind {
    /// Whether there is a multiplication in it.
    pub fn is_product(self) -> bool {
        matches!(self, Self::Square | Self::Scaled | Self::Product)
    }
}

/// A term and where its operands lie.
#[derive(Clone, Copy)]
pub(in crate::kernel) struct TermOperands {
    pub kind: TermKind,
    pub operands: [Operand; 2],
}

/// The sum (or difference) of two terms.
///
/// # Safety
/// The operands are of `dtype`, which is real, and hold as many elements as `out` has room for, or one where the kind
/// says so; `out` is disjoint from them.
pub(in crate::kernel) unsafe fn terms(dtype: DType, subtract: bool, terms: [TermOperands; 2], out: Target) {
    // SAFETY: as the caller promises, for the type that was matched.
    unsafe {
        match dtype {
            DType::F32 => terms_of::<f32>(subtract, terms, out),
            _ => terms_of::<f64>(subtract, terms, out),
        }
    }
}

/// A term, element by element.
trait Term<T>: Copy {
    /// # Safety
    /// The term has an element `at`.
    unsafe fn at(self, at: usize) -> T;
}

macro_rules! term_types {
    ($($name:ident($($field:ty),*), |$self:ident, $at:ident| $body:expr;)*) => {$(
        #[derive(Clone, Copy)]
        struct $name<T>($($field),*);
        impl<T: Real> Term<T> for $name<T> {
            #[inline(always)]
            unsafe fn at($self, $at: usize) -> T {
                // SAFETY: as the caller promises.
                unsafe { $body }
            }
        }
    )*};
}

term_types! {
    Plain(*const T), |self, at| *self.0.add(at);
    Square(*const T), |self, at| { let x = *self.0.add(at); x.multiply(x) };
    Scaled(T, *const T), |self, at| self.0.multiply(*self.1.add(at));
    Product(*const T, *const T), |self, at| (*self.0.add(at)).multiply(*self.1.add(at));
}

#[derive(Clone, Copy)]
struct Fixed<T>(T);

impl<T: Real> Term<T> for Fixed<T> {
    #[inline(always)]
    unsafe fn at(self, _at: usize) -> T {
        self.0
    }
}

/// Runs `$body` with `$name` for a term of its own type.
macro_rules! with_term {
    ($term:expr, $T:ty, $name:ident => $body:expr) => {{
        let [first, second] = $term.operands.map(|operand| operand.start.cast::<$T>());
        match $term.kind {
            TermKind::Plain => {
                let $name = Plain(first);
                $body
            }
            TermKind::Fixed => {
                let $name = Fixed(*first);
                $body
            }
            TermKind::Square => {
                let $name = Square(first);
                $body
            }
            TermKind::Scaled => {
                let $name = Scaled(*first, second);
                $body
            }
            TermKind::Product => {
                let $name = Product(first, second);
                $body
            }
        }
    }};
}

unsafe fn terms_of<T: Real>(subtract: bool, [a, b]: [TermOperands; 2], out: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        with_term!(a, T, a => with_term!(b, T, b => {
            if subtract { difference::<T, _, _>(a, b, out) } else { sum::<T, _, _>(a, b, out) }
        }));
    }
}

vectorised! {
unsafe fn sum<T: Real, A: Term<T>, B: Term<T>>(a: A, b: B, out: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        for (at, out) in out.slice::<T>().iter_mut().enumerate() {
            out.write(a.at(at).add(b.at(at)));
        }
    }
}
}

vectorised! {
unsafe fn difference<T: Real, A: Term<T>, B: Term<T>>(a: A, b: B, out: Target) {
    // SAFETY: as the caller promises.
    unsafe {
        for (at, out) in out.slice::<T>().iter_mut().enumerate() {
            out.write(a.at(at).subtract(b.at(at)));
        }
    }
}
}

/// A square root and an exponential: of each, the operand and where it goes.
///
/// # Safety
/// Operands and targets are of `dtype`, which is real, and of one length; no target overlaps anything else.
pub(in crate::kernel) unsafe fn root_and_exp(dtype: DType, root: (Operand, Target), exp: (Operand, Target)) {
    // SAFETY: as the caller promises, for the type that was matched.
    unsafe {
        match dtype {
            DType::F32 => root_and_exp_of::<f32>(root, exp),
            _ => root_and_exp_of::<f64>(root, exp),
        }
    }
}

unsafe fn root_and_exp_of<T: Real>(root: (Operand, Target), exp: (Operand, Target)) {
    // SAFETY: as the caller promises.
    unsafe {
        if real::within::<T>(exp.0, exp.1.length, math::MODERATE) {
            side_by_side::<T>(root, exp);
        } else {
            real::unary::<T>(UnaryOp::Sqrt, root.0, root.1);
            real::unary::<T>(UnaryOp::Exp, exp.0, exp.1);
        }
    }
}

vectorised! {
unsafe fn side_by_side<T: Real>(root: (Operand, Target), exp: (Operand, Target)) {
    // SAFETY: as the caller promises.
    unsafe {
        let (roots, exps) = (root.1.slice::<T>(), exp.1.slice::<T>());
        let (squares, exponents) = (root.0.slice::<T>(roots.len()), exp.0.slice::<T>(roots.len()));
        for (((root, exp), &square), &exponent) in roots.iter_mut().zip(exps).zip(squares).zip(exponents) {
            root.write(square.sqrt());
            exp.write(T::narrow(math::exp_moderate(exponent.wide())));
        }
    }
}
}

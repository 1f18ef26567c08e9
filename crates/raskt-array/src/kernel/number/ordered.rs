//! The order of numbers, and what comes of NaN in it.

use super::{Number, Real};
use raskt_value::complex::Complex;

/// Numbers in NumPy's order, with its ways to treat NaN.
pub(in crate::kernel) trait Ordered: Number {
    /// No number is less.
    const LOWEST: Self;
    /// No number is greater.
    const HIGHEST: Self;
    /// NaN, or [`Self::LOWEST`] of types that have none.
    const LOWEST_OR_NAN: Self;
    /// NaN, or [`Self::HIGHEST`] of types that have none.
    const HIGHEST_OR_NAN: Self;
    fn is_nan(self) -> bool;
    fn is_less(a: Self, b: Self) -> bool;
    /// The lesser; a NaN if there is one.
    fn lesser(a: Self, b: Self) -> Self;
    /// The greater; a NaN if there is one.
    fn greater(a: Self, b: Self) -> Self;
    /// The lesser; a NaN only of two.
    fn lesser_number(a: Self, b: Self) -> Self;
    /// The greater; a NaN only of two.
    fn greater_number(a: Self, b: Self) -> Self;
}

macro_rules! ordered {
    ($($type:ty: $low:expr, $high:expr;)*) => {$(
        impl Ordered for $type {
            const LOWEST: Self = $low;
            const HIGHEST: Self = $high;
            const LOWEST_OR_NAN: Self = $low;
            const HIGHEST_OR_NAN: Self = $high;
            #[inline(always)]
            fn is_nan(self) -> bool { false }
            #[inline(always)]
            fn is_less(a: Self, b: Self) -> bool { a < b }
            #[inline(always)]
            fn lesser(a: Self, b: Self) -> Self { if b < a { b } else { a } }
            #[inline(always)]
            fn greater(a: Self, b: Self) -> Self { if b > a { b } else { a } }
            #[inline(always)]
            fn lesser_number(a: Self, b: Self) -> Self { Self::lesser(a, b) }
            #[inline(always)]
            fn greater_number(a: Self, b: Self) -> Self { Self::greater(a, b) }
        }
    )*};
}
ordered! {
    bool: false, true;
    i8: i8::MIN, i8::MAX;
    i16: i16::MIN, i16::MAX;
    i32: i32::MIN, i32::MAX;
    i64: i64::MIN, i64::MAX;
    u8: u8::MIN, u8::MAX;
    u16: u16::MIN, u16::MAX;
    u32: u32::MIN, u32::MAX;
    u64: u64::MIN, u64::MAX;
}

macro_rules! ordered_real {
    ($($type:ident)*) => {$(
        impl Ordered for $type {
            const LOWEST: Self = $type::NEG_INFINITY;
            const HIGHEST: Self = $type::INFINITY;
            const LOWEST_OR_NAN: Self = $type::NAN;
            const HIGHEST_OR_NAN: Self = $type::NAN;
            #[inline(always)]
            fn is_nan(self) -> bool { self.nan() }
            #[inline(always)]
            fn is_less(a: Self, b: Self) -> bool { a < b }
            #[inline(always)]
            fn lesser(a: Self, b: Self) -> Self { if a <= b || a.nan() { a } else { b } }
            #[inline(always)]
            fn greater(a: Self, b: Self) -> Self { if a >= b || a.nan() { a } else { b } }
            #[inline(always)]
            fn lesser_number(a: Self, b: Self) -> Self { if a <= b || b.nan() { a } else { b } }
            #[inline(always)]
            fn greater_number(a: Self, b: Self) -> Self { if a >= b || b.nan() { a } else { b } }
        }

        impl Ordered for Complex<$type> {
            const LOWEST: Self = Complex::new($type::NEG_INFINITY, $type::NEG_INFINITY);
            const HIGHEST: Self = Complex::new($type::INFINITY, $type::INFINITY);
            const LOWEST_OR_NAN: Self = Complex::new($type::NAN, $type::NAN);
            const HIGHEST_OR_NAN: Self = Complex::new($type::NAN, $type::NAN);
            #[inline(always)]
            fn is_nan(self) -> bool { self.re.nan() || self.im.nan() }
            #[inline(always)]
            fn is_less(a: Self, b: Self) -> bool { a.re < b.re || (a.re == b.re && a.im < b.im) }
            #[inline(always)]
            fn lesser(a: Self, b: Self) -> Self {
                if Ordered::is_nan(a) || (!Ordered::is_nan(b) && !Self::is_less(b, a)) { a } else { b }
            }
            #[inline(always)]
            fn greater(a: Self, b: Self) -> Self {
                if Ordered::is_nan(a) || (!Ordered::is_nan(b) && !Self::is_less(a, b)) { a } else { b }
            }
            #[inline(always)]
            fn lesser_number(a: Self, b: Self) -> Self {
                if Ordered::is_nan(b) || (!Ordered::is_nan(a) && !Self::is_less(b, a)) { a } else { b }
            }
            #[inline(always)]
            fn greater_number(a: Self, b: Self) -> Self {
                if Ordered::is_nan(b) || (!Ordered::is_nan(a) && !Self::is_less(a, b)) { a } else { b }
            }
        }
    )*};
}
ordered_real!(f32 f64);

//! What the loops ask of numbers: conversions, and integer arithmetic as NumPy defines it.

use raskt_value::Element;
use raskt_value::complex::Complex;

/// C's conversion to another type. A float that the integer type can't hold gives its nearest value, a NaN gives 0
/// (in C and in NumPy that is undefined).
pub(super) trait Convert<T> {
    fn convert(self) -> T;
}

macro_rules! convert_real {
    ($($from:ty),*) => {$(
        convert_real!(@to $from; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        impl Convert<bool> for $from {
            #[inline(always)]
            fn convert(self) -> bool { self != 0 as $from }
        }
        convert_real!(@complex $from; f32 f64);
    )*};
    (@to $from:ty; $($to:ty)*) => {$(
        impl Convert<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to { self as $to }
        }
        )*};
    (@complex $from:ty; $($part:ty)*) => {$(
        impl Convert<Complex<$part>> for $from {
            #[inline(always)]
            fn convert(self) -> Complex<$part> { Complex::new(self as $part, 0.0) }
        }
    )*};
}
convert_real!(i8, i16, i32, i64, u8, u16, u32, u64, f32, f64);

macro_rules! convert_bool {
    ($($to:ty)*) => {$(
        impl Convert<$to> for bool {
            #[inline(always)]
            fn convert(self) -> $to { u8::from(self).convert() }
        }
    )*};
}
convert_bool!(i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 Complex<f32> Complex<f64>);

impl Convert<bool> for bool {
    #[inline(always)]
    fn convert(self) -> bool {
        self
    }
}

macro_rules! convert_complex {
    ($($part:ty),*) => {$(
        convert_complex!(@real $part; i8 i16 i32 i64 u8 u16 u32 u64 f32 f64);
        impl Convert<bool> for Complex<$part> {
            #[inline(always)]
            fn convert(self) -> bool { self.re != 0.0 || self.im != 0.0 }
        }
        impl Convert<Complex<f32>> for Complex<$part> {
            #[inline(always)]
            fn convert(self) -> Complex<f32> { Complex::new(self.re as f32, self.im as f32) }
        }
        impl Convert<Complex<f64>> for Complex<$part> {
            #[inline(always)]
            fn convert(self) -> Complex<f64> { Complex::new(self.re as f64, self.im as f64) }
        }
    )*};
    (@real $part:ty; $($to:ty)*) => {$(
        impl Convert<$to> for Complex<$part> {
            #[inline(always)]
            fn convert(self) -> $to { self.re as $to }
        }
    )*};
}
convert_complex!(f32, f64);

/// A type that converts to each element type.
pub(super) trait Number:
    Element
    + Convert<bool>
    + Convert<i8>
    + Convert<i16>
    + Convert<i32>
    + Convert<i64>
    + Convert<u8>
    + Convert<u16>
    + Convert<u32>
    + Convert<u64>
    + Convert<f32>
    + Convert<f64>
    + Convert<Complex<f32>>
    + Convert<Complex<f64>>
{
}

macro_rules! numbers {
    ($($type:ty)*) => {$( impl Number for $type {} )*};
}
numbers!(bool i8 i16 i32 i64 u8 u16 u32 u64 f32 f64 Complex<f32> Complex<f64>);

/// Integers, with arithmetic that wraps, and zero for a division by zero.
pub(super) trait Integer: Number + Ord {
    const ZERO: Self;
    const ONE: Self;
    const SIGNED: bool;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn and(self, other: Self) -> Self;
    fn or(self, other: Self) -> Self;
    fn xor(self, other: Self) -> Self;
    fn not(self) -> Self;
    /// The quotient, rounded down.
    fn floor_divide(self, other: Self) -> Self;
    /// The remainder with the sign of the divisor.
    fn remainder(self, other: Self) -> Self;
    /// The remainder with the sign of the dividend.
    fn fmod(self, other: Self) -> Self;
    /// For exponents of at least 0.
    fn power(self, exponent: Self) -> Self;
    fn shift_left(self, bits: Self) -> Self;
    fn shift_right(self, bits: Self) -> Self;
    fn negative(self) -> Self {
        Self::ZERO.subtract(self)
    }
    fn absolute(self) -> Self {
        if self < Self::ZERO { self.negative() } else { self }
    }
}

macro_rules! integers {
    ($($type:ty)*) => {$(
        impl Integer for $type {
            const ZERO: Self = 0;
            const ONE: Self = 1;
            const SIGNED: bool = <$type>::MIN != 0;
            #[inline(always)]
            fn add(self, other: Self) -> Self { self.wrapping_add(other) }
            #[inline(always)]
            fn subtract(self, other: Self) -> Self { self.wrapping_sub(other) }
            #[inline(always)]
            fn multiply(self, other: Self) -> Self { self.wrapping_mul(other) }
            #[inline(always)]
            fn and(self, other: Self) -> Self { self & other }
            #[inline(always)]
            fn or(self, other: Self) -> Self { self | other }
            #[inline(always)]
            fn xor(self, other: Self) -> Self { self ^ other }
            #[inline(always)]
            fn not(self) -> Self { !self }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned types are never negative")]
            fn floor_divide(self, other: Self) -> Self {
                if other == 0 {
                    return 0;
                }
                let quotient = self.wrapping_div(other);
                let inexact = self.wrapping_rem(other) != 0 && (self < 0) != (other < 0);
                if inexact { quotient.wrapping_sub(1) } else { quotient }
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned types are never negative")]
            fn remainder(self, other: Self) -> Self {
                let rest = self.fmod(other);
                if rest != 0 && (rest < 0) != (other < 0) { rest.wrapping_add(other) } else { rest }
            }
            #[inline(always)]
            fn fmod(self, other: Self) -> Self { if other == 0 { 0 } else { self.wrapping_rem(other) } }
            #[inline(always)]
            fn power(self, exponent: Self) -> Self {
                let (mut result, mut base, mut rest) = (1 as $type, self, exponent);
                while rest > 0 {
                    if rest & 1 == 1 {
                        result = result.wrapping_mul(base);
                    }
                    base = base.wrapping_mul(base);
                    rest >>= 1;
                }
                result
            }
            #[inline(always)]
            fn shift_left(self, bits: Self) -> Self {
                if (bits as u64) < u64::from(<$type>::BITS) { self << bits } else { 0 }
            }
            #[inline(always)]
            #[allow(unused_comparisons, reason = "unsigned types are never negative")]
            fn shift_right(self, bits: Self) -> Self {
                let most = <$type>::BITS - 1;
                if (bits as u64) <= u64::from(most) { self >> bits } else if self < 0 { !0 } else { 0 }
            }
        }
    )*};
}
integers!(i8 i16 i32 i64 u8 u16 u32 u64);

/// Real numbers: exact operations in their own type, functions by way of `float64`.
pub(super) trait Real: Number + PartialOrd + std::ops::Neg<Output = Self> {
    const ONE: Self;
    const ZERO: Self;
    fn wide(self) -> f64;
    fn narrow(value: f64) -> Self;
    fn add(self, other: Self) -> Self;
    fn subtract(self, other: Self) -> Self;
    fn multiply(self, other: Self) -> Self;
    fn divide(self, other: Self) -> Self;
    fn modulo(self, other: Self) -> Self;
    fn sqrt(self) -> Self;
    fn floor(self) -> Self;
    fn ceil(self) -> Self;
    fn trunc(self) -> Self;
    fn rint(self) -> Self;
    fn abs(self) -> Self;
    fn with_sign_of(self, other: Self) -> Self;
    fn negative_bit(self) -> bool;
    fn next_after(self, towards: Self) -> Self;
    fn spacing(self) -> Self;
    #[inline(always)]
    fn nan(self) -> bool {
        #[expect(clippy::eq_op, reason = "a NaN differs from itself")]
        {
            self != self
        }
    }
}

macro_rules! reals {
    ($($type:ty)*) => {$(
        impl Real for $type {
            const ONE: Self = 1.0;
            const ZERO: Self = 0.0;
            #[inline(always)]
            fn wide(self) -> f64 { self as f64 }
            #[inline(always)]
            fn narrow(value: f64) -> Self { value as $type }
            #[inline(always)]
            fn add(self, other: Self) -> Self { self + other }
            #[inline(always)]
            fn subtract(self, other: Self) -> Self { self - other }
            #[inline(always)]
            fn multiply(self, other: Self) -> Self { self * other }
            #[inline(always)]
            fn divide(self, other: Self) -> Self { self / other }
            #[inline(always)]
            fn modulo(self, other: Self) -> Self { self % other }
            #[inline(always)]
            fn sqrt(self) -> Self { self.sqrt() }
            #[inline(always)]
            fn floor(self) -> Self { self.floor() }
            #[inline(always)]
            fn ceil(self) -> Self { self.ceil() }
            #[inline(always)]
            fn trunc(self) -> Self { self.trunc() }
            #[inline(always)]
            fn rint(self) -> Self { self.round_ties_even() }
            #[inline(always)]
            fn abs(self) -> Self { self.abs() }
            #[inline(always)]
            fn with_sign_of(self, other: Self) -> Self { self.copysign(other) }
            #[inline(always)]
            fn negative_bit(self) -> bool { self.is_sign_negative() }
            fn next_after(self, towards: Self) -> Self {
                if self.is_nan() || towards.is_nan() {
                    <$type>::NAN
                } else if self == towards {
                    towards
                } else if self < towards {
                    self.next_up()
                } else {
                    self.next_down()
                }
            }
            fn spacing(self) -> Self {
                if !self.is_finite() {
                    return <$type>::NAN;
                }
                let next = if self.is_sign_negative() && self != 0.0 { self.next_down() } else { self.next_up() };
                if next.is_finite() { next - self } else { self - self.abs().next_down().copysign(self) }
            }
        }
    )*};
}
reals!(f32 f64);

/// Numbers in NumPy's order, with its ways to treat NaN.
pub(super) trait Ordered: Number {
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

//! Integer arithmetic as NumPy defines it.

use super::Number;

/// Integers, with arithmetic that wraps, and zero for a division by zero.
pub(in crate::kernel) trait Integer: Number + Ord {
    const ZERO: Self;
    const ONE: Self;
    const SIGNED: bool;
    /// What NumPy's reciprocal of zero is: infinity, taken to the type as processors of x86-64 do it.
    const INVERSE_OF_ZERO: Self;
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
            const INVERSE_OF_ZERO: Self = if <$type>::BITS >= 32 { <$type>::MIN } else { 0 };
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

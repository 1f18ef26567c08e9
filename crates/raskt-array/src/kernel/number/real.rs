//! Arithmetic of real numbers.

use super::Number;

/// Real numbers: exact operations in their own type, functions by way of `float64`.
pub(in crate::kernel) trait Real: Number + PartialOrd + std::ops::Neg<Output = Self> {
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
                next - self
            }
        }
    )*};
}
reals!(f32 f64);

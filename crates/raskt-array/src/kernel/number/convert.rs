//! C's conversions between types.

use raskt_value::Truncate;
use raskt_value::complex::Complex;

/// C's conversion to another type; what an integer can't hold of a float is as [`Truncate`] says.
pub(in crate::kernel) trait Convert<T> {
    fn convert(self) -> T;
}

macro_rules! convert_real {
    ($($from:ty),*) => {$(
        convert_real!(@to $from; f32 f64);
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

macro_rules! convert_integer {
    ($($from:ty),*) => {$( convert_real!(@to $from; i8 i16 i32 i64 u8 u16 u32 u64); )*};
}
convert_integer!(i8, i16, i32, i64, u8, u16, u32, u64);

macro_rules! truncate_float {
    ($($from:ty),*) => {$( truncate_float!(@to $from; i8 i16 i32 i64 u8 u16 u32 u64); )*};
    (@to $from:ty; $($to:ty)*) => {$(
        impl Convert<$to> for $from {
            #[inline(always)]
            fn convert(self) -> $to { self.truncate() }
        }
    )*};
}
truncate_float!(f32, f64);

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
            fn convert(self) -> $to { Convert::<$to>::convert(self.re) }
        }
    )*};
}
convert_complex!(f32, f64);

//! What the loops ask of numbers.

mod convert;
mod integer;
mod ordered;
mod real;

pub(super) use convert::Convert;
pub(super) use integer::Integer;
pub(super) use ordered::Ordered;
pub(super) use real::Real;

use raskt_value::Element;
use raskt_value::complex::Complex;

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

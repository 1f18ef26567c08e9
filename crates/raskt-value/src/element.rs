//! Rust's types as elements of arrays.

use crate::DType;
use num_complex::Complex;

/// A Rust type that is the element of a [`DType`].
///
/// # Safety
/// `DTYPE.size()` is the size of `Self`, `Self` has no padding and no pointer, and the all-zero bit pattern is a value
/// of it. A `bool` is only ever read from bytes that are 0 or 1.
pub unsafe trait Element: Copy + Send + Sync + PartialEq + std::fmt::Debug + 'static {
    /// The data type whose elements are `Self`.
    const DTYPE: DType;
}

macro_rules! elements {
    ($($type:ty => $dtype:ident),* $(,)?) => {$(
        // SAFETY: a plain number (or bool) of the size that the data type states.
        unsafe impl Element for $type {
            const DTYPE: DType = DType::$dtype;
        }
    )*};
}

elements! {
    bool => Bool, i8 => I8, i16 => I16, i32 => I32, i64 => I64, u8 => U8, u16 => U16, u32 => U32, u64 => U64,
    f32 => F32, f64 => F64, Complex<f32> => C64, Complex<f64> => C128,
}

/// Runs `$body` with `$type` standing for the Rust type of the element of `$dtype`.
///
/// ```
/// use raskt_value::{DType, with_element};
/// let size = with_element!(DType::C64, T => size_of::<T>());
/// assert_eq!(size, 8);
/// ```
#[macro_export]
macro_rules! with_element {
    ($dtype:expr, $type:ident => $body:expr) => {
        match $dtype {
            $crate::DType::Bool => {
                type $type = bool;
                $body
            }
            $crate::DType::I8 => {
                type $type = i8;
                $body
            }
            $crate::DType::I16 => {
                type $type = i16;
                $body
            }
            $crate::DType::I32 => {
                type $type = i32;
                $body
            }
            $crate::DType::I64 => {
                type $type = i64;
                $body
            }
            $crate::DType::U8 => {
                type $type = u8;
                $body
            }
            $crate::DType::U16 => {
                type $type = u16;
                $body
            }
            $crate::DType::U32 => {
                type $type = u32;
                $body
            }
            $crate::DType::U64 => {
                type $type = u64;
                $body
            }
            $crate::DType::F32 => {
                type $type = f32;
                $body
            }
            $crate::DType::F64 => {
                type $type = f64;
                $body
            }
            $crate::DType::C64 => {
                type $type = $crate::complex::Complex<f32>;
                $body
            }
            $crate::DType::C128 => {
                type $type = $crate::complex::Complex<f64>;
                $body
            }
        }
    };
}

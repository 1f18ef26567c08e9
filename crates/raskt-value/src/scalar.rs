//! Single numbers of any type.

use crate::{DType, Element, Kind, Truncate};
use num_complex::Complex;
use serde::{Deserialize, Serialize};

/// One number, of any data type, widened to the largest of its kind.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub enum Scalar {
    /// A truth value.
    Bool(bool),
    /// A signed integer.
    Int(i64),
    /// An unsigned integer.
    UInt(u64),
    /// A real number.
    Float(f64),
    /// A complex number.
    Complex(#[serde(with = "parts")] Complex<f64>),
}

/// Complex numbers travel by their parts.
mod parts {
    use num_complex::Complex;
    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub fn serialize<S: Serializer>(number: &Complex<f64>, serializer: S) -> Result<S::Ok, S::Error> {
        (number.re, number.im).serialize(serializer)
    }

    pub fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Complex<f64>, D::Error> {
        <(f64, f64)>::deserialize(deserializer).map(|(re, im)| Complex::new(re, im))
    }
}

impl Scalar {
    /// The kind of number it is.
    pub fn kind(self) -> Kind {
        match self {
            Self::Bool(_) => Kind::Bool,
            Self::Int(_) => Kind::Signed,
            Self::UInt(_) => Kind::Unsigned,
            Self::Float(_) => Kind::Float,
            Self::Complex(_) => Kind::Complex,
        }
    }

    /// The widest data type of its kind.
    pub fn dtype(self) -> DType {
        match self {
            Self::Bool(_) => DType::Bool,
            Self::Int(_) => DType::I64,
            Self::UInt(_) => DType::U64,
            Self::Float(_) => DType::F64,
            Self::Complex(_) => DType::C128,
        }
    }

    /// Its real part, as a `f64`.
    pub fn as_f64(self) -> f64 {
        match self {
            Self::Bool(x) => f64::from(u8::from(x)),
            Self::Int(x) => x as f64,
            Self::UInt(x) => x as f64,
            Self::Float(x) => x,
            Self::Complex(x) => x.re,
        }
    }

    /// The element of `T` that it is by C's conversions: integers wrap, a float is truncated (see [`Truncate`]).
    pub fn cast<T: Element>(self) -> T {
        // SAFETY: each arm writes a value of the type whose data type was matched, which is `T`.
        macro_rules! put {
            ($value:expr) => {{
                let value = $value;
                assert_eq!(size_of_val(&value), size_of::<T>());
                // SAFETY: `T` is the type of `value`, by the match on `T::DTYPE`.
                unsafe { std::mem::transmute_copy::<_, T>(&value) }
            }};
        }
        macro_rules! integer {
            ($type:ty) => {
                put!(match self {
                    Self::Bool(x) => x as $type,
                    Self::Int(x) => x as $type,
                    Self::UInt(x) => x as $type,
                    Self::Float(x) => Truncate::<$type>::truncate(x),
                    Self::Complex(x) => Truncate::<$type>::truncate(x.re),
                })
            };
        }
        match T::DTYPE {
            DType::Bool => put!(match self {
                Self::Bool(x) => x,
                Self::Int(x) => x != 0,
                Self::UInt(x) => x != 0,
                Self::Float(x) => x != 0.0,
                Self::Complex(x) => x != Complex::new(0.0, 0.0),
            }),
            DType::I8 => integer!(i8),
            DType::I16 => integer!(i16),
            DType::I32 => integer!(i32),
            DType::I64 => integer!(i64),
            DType::U8 => integer!(u8),
            DType::U16 => integer!(u16),
            DType::U32 => integer!(u32),
            DType::U64 => integer!(u64),
            DType::F32 => put!(self.as_f64() as f32),
            DType::F64 => put!(self.as_f64()),
            DType::C64 => put!(Complex::new(self.as_f64() as f32, self.imaginary() as f32)),
            DType::C128 => put!(Complex::new(self.as_f64(), self.imaginary())),
        }
    }

    fn imaginary(self) -> f64 {
        match self {
            Self::Complex(x) => x.im,
            _ => 0.0,
        }
    }
}

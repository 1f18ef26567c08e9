//! Types of numbers, told when a program runs, as types of Rust.

/// Calls a macro with the Rust type of a primitive type; other types give `$else`.
macro_rules! with_primitive {
    ($primitive:expr, |$T:ident| $body:expr, $else:expr) => {{
        use polars_arrow::datatypes::PrimitiveType;
        macro_rules! with {
            ($Type:ty) => {{
                type $T = $Type;
                $body
            }};
        }
        match $primitive {
            PrimitiveType::Int8 => with!(i8),
            PrimitiveType::Int16 => with!(i16),
            PrimitiveType::Int32 => with!(i32),
            PrimitiveType::Int64 => with!(i64),
            PrimitiveType::Int128 => with!(i128),
            PrimitiveType::UInt8 => with!(u8),
            PrimitiveType::UInt16 => with!(u16),
            PrimitiveType::UInt32 => with!(u32),
            PrimitiveType::UInt64 => with!(u64),
            PrimitiveType::UInt128 => with!(u128),
            PrimitiveType::Float16 => {
                with!(<polars::prelude::Float16Type as polars::prelude::PolarsNumericType>::Native)
            }
            PrimitiveType::Float32 => with!(f32),
            PrimitiveType::Float64 => with!(f64),
            _ => $else,
        }
    }};
}

pub(super) use with_primitive;

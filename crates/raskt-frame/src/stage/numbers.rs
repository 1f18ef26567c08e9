//! Numbers rounded, converted and read as NumPy and Python do it.

use crate::expression::engine_dtype;
use polars::prelude::*;
use raskt_value::{DType, Truncate};
use std::borrow::Cow;

/// Floats rounded to `decimals` places, halves to even: scaled, rounded and scaled back, as NumPy does it. What it loses by
/// that, and the infinities that it makes, are lost and made here too.
pub(super) fn rounded(x: Expr, decimals: i32) -> Expr {
    let scale = power_of_ten(decimals.unsigned_abs());
    macro_rules! round {
        ($values:expr, $dtype:ty, $float:ty) => {{
            let scale = scale as $float;
            let round = |x: $float| match decimals {
                0 => x.round_ties_even(),
                1.. => (x * scale).round_ties_even() / scale,
                _ => (x / scale).round_ties_even() * scale,
            };
            arity::unary_elementwise_values::<_, $dtype, _>($values, round).into_column()
        }};
    }
    let compute = move |values: Column| {
        let values = values.as_materialized_series();
        Ok(match values.dtype() {
            DataType::Float32 => round!(values.f32()?, Float32Type, f32),
            _ => round!(values.f64()?, Float64Type, f64),
        })
    };
    x.map_with_fmt_str(compute, |_: &Schema, field: &Field| Ok(field.clone()), format!("round {decimals}"))
}

/// 10 to the power of `places` as NumPy's rounding has it: multiplied up from 10^9.
fn power_of_ten(places: u32) -> f64 {
    match places {
        0..9 => 10f64.powi(places as i32),
        // Beyond the greatest float all are infinite.
        _ => (9..places.min(400)).fold(1e9, |power, _| power * 10.0),
    }
}

/// Floats as integers of `dtype`, as pandas converts them: what is after the point goes, and what doesn't fit is what
/// processors make of it. Infinite ones, and negative ones as unsigned integers, are an error at run time.
pub(super) fn truncated(x: Expr, dtype: DType) -> Expr {
    let unsigned = engine_dtype(dtype).is_unsigned_integer();
    let compute = move |values: Column| {
        let values = values.as_materialized_series();
        let floats = values.cast(&DataType::Float64)?;
        let floats = floats.f64()?;
        if floats.iter().flatten().any(|value| !value.is_finite()) {
            polars_bail!(ComputeError: "Cannot convert non-finite values (NA or inf) to integer");
        }
        if unsigned && floats.iter().flatten().any(|value| value < 0.0) {
            let from = if *values.dtype() == DataType::Float32 { "float32" } else { "float64" };
            polars_bail!(ComputeError: "Cannot losslessly cast from {from} to {}", dtype.name());
        }
        macro_rules! truncate {
            ($dtype:ty, $number:ty) => {{
                let convert = |x: f64| <f64 as Truncate<$number>>::truncate(x);
                arity::unary_elementwise_values::<_, $dtype, _>(floats, convert).into_column()
            }};
        }
        Ok(match dtype {
            DType::I8 => truncate!(Int8Type, i8),
            DType::I16 => truncate!(Int16Type, i16),
            DType::I32 => truncate!(Int32Type, i32),
            DType::U8 => truncate!(UInt8Type, u8),
            DType::U16 => truncate!(UInt16Type, u16),
            DType::U32 => truncate!(UInt32Type, u32),
            DType::U64 => truncate!(UInt64Type, u64),
            _ => truncate!(Int64Type, i64),
        })
    };
    x.map_with_fmt_str(compute, of_type(dtype), format!("truncate {}", dtype.name()))
}

/// Texts as the numbers that Python's `int` and `float` read in them; others are an error at run time.
pub(super) fn parsed(x: Expr, dtype: DType) -> Expr {
    let compute = move |values: Column| {
        let texts = values.as_materialized_series().str()?;
        let name = texts.name().clone();
        let number = if matches!(dtype, DType::F32 | DType::F64) {
            let read = |text: &str| match without_underscores(text).and_then(|text| text.parse::<f64>().ok()) {
                Some(value) => Ok(value),
                None => polars_bail!(ComputeError: "could not convert string to float: '{text}'"),
            };
            let found: Float64Chunked = texts.try_apply_nonnull_values_generic(read)?;
            found.into_series()
        } else {
            let read = |text: &str| match without_underscores(text).and_then(|text| text.parse::<i128>().ok()) {
                Some(value) => Ok(value),
                None => polars_bail!(ComputeError: "invalid literal for int() with base 10: '{text}'"),
            };
            let fits = |value: i128| match in_range(value, dtype) {
                true => Ok(value),
                false => polars_bail!(ComputeError: "Python integer {value} out of bounds for {}", dtype.name()),
            };
            match dtype {
                DType::U64 => {
                    let found: UInt64Chunked = texts
                        .try_apply_nonnull_values_generic(|text| Ok::<_, PolarsError>(fits(read(text)?)? as u64))?;
                    found.into_series()
                }
                _ => {
                    let found: Int64Chunked = texts
                        .try_apply_nonnull_values_generic(|text| Ok::<_, PolarsError>(fits(read(text)?)? as i64))?;
                    found.into_series()
                }
            }
        };
        Ok(number.cast(&engine_dtype(dtype))?.with_name(name).into_column())
    };
    x.map_with_fmt_str(compute, of_type(dtype), format!("read {}", dtype.name()))
}

fn in_range(value: i128, dtype: DType) -> bool {
    let bits = 8 * dtype.size() as u32;
    match engine_dtype(dtype).is_unsigned_integer() {
        true => (0..1 << bits).contains(&value),
        false => (-1 << (bits - 1)..1 << (bits - 1)).contains(&value),
    }
}

/// The text without white space around it and without the underscores that Python takes between two digits; `None` if
/// there are others.
fn without_underscores(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim_matches(|letter: char| letter.is_whitespace() || ('\x1c'..='\x1f').contains(&letter));
    if !text.contains('_') {
        return Some(text.into());
    }
    let bytes = text.as_bytes();
    let digit = |at: Option<usize>| at.and_then(|at| bytes.get(at)).is_some_and(u8::is_ascii_digit);
    let misplaced = |(at, byte): (usize, &u8)| *byte == b'_' && !(digit(at.checked_sub(1)) && digit(Some(at + 1)));
    if bytes.iter().enumerate().any(misplaced) {
        return None;
    }
    Some(text.replace('_', "").into())
}

fn of_type(dtype: DType) -> impl Fn(&Schema, &Field) -> PolarsResult<Field> + Send + Sync + 'static {
    move |_: &Schema, field: &Field| Ok(Field::new(field.name().clone(), engine_dtype(dtype)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scales_are_those_of_numpy() {
        assert_eq!(power_of_ten(2), 100.0);
        // Not the nearest float to 10^25.
        assert_ne!(power_of_ten(25), 1e25);
        assert!(power_of_ten(u32::MAX).is_infinite());
    }

    #[test]
    fn numbers_are_read_as_python_reads_them() {
        assert_eq!(without_underscores(" 3_000\n").as_deref(), Some("3000"));
        for text in ["_1", "1_", "1__0", "+_1", "1_.5"] {
            assert_eq!(without_underscores(text), None, "{text}");
        }
        assert!(in_range(255, DType::U8) && !in_range(256, DType::U8) && !in_range(-129, DType::I8));
    }
}

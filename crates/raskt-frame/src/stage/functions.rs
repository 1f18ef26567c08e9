//! Functions of values that the engine lacks, or has in another way than pandas.

use crate::message::REFUSED;
use polars::prelude::*;
use polars_arrow::array::PrimitiveArray;

/// A function of two floats.
#[derive(Clone, Copy)]
pub(super) struct Pairwise {
    name: &'static str,
    double: fn(f64, f64) -> f64,
    single: fn(f32, f32) -> f32,
}

pub(super) const QUOTIENT: Pairwise = Pairwise { name: "truediv", double: |x, y| x / y, single: |x, y| x / y };
pub(super) const FLOOR_QUOTIENT: Pairwise =
    Pairwise { name: "floordiv", double: double::floor_quotient, single: single::floor_quotient };
pub(super) const FLOOR_REMAINDER: Pairwise =
    Pairwise { name: "mod", double: double::floor_remainder, single: single::floor_remainder };

/// `function` of floats pair by pair.
pub(super) fn pairs(x: Expr, y: Expr, function: Pairwise) -> Expr {
    let compute = move |pair: Column| {
        let fields = pair.struct_()?.fields_as_series();
        let (x, y) = (&fields[0], &fields[1]);
        let found = match x.dtype() {
            DataType::Float32 => {
                let op = function.single;
                let both = |x: Option<f32>, y: Option<f32>| Some(op(x?, y?));
                let found: Float32Chunked = arity::broadcast_binary_elementwise(x.f32()?, y.f32()?, both);
                found.into_column()
            }
            _ => {
                let op = function.double;
                let both = |x: Option<f64>, y: Option<f64>| Some(op(x?, y?));
                let found: Float64Chunked = arity::broadcast_binary_elementwise(x.f64()?, y.f64()?, both);
                found.into_column()
            }
        };
        Ok(found.with_name(pair.name().clone()))
    };
    of_pairs(x, y, compute, function.name)
}

fn of_pairs(
    x: Expr,
    y: Expr,
    compute: impl Fn(Column) -> PolarsResult<Column> + Send + Sync + 'static,
    name: &'static str,
) -> Expr {
    // Both are of one type, and so is what comes of them.
    let field = |_: &Schema, pair: &Field| match pair.dtype() {
        DataType::Struct(fields) => Ok(Field::new(pair.name().clone(), fields[0].dtype().clone())),
        other => polars_bail!(ComputeError: "{other} is no pair"),
    };
    as_struct(vec![x.alias("x"), y.alias("y")]).map_with_fmt_str(compute, field, name)
}

/// The quotients of floats and one value.
pub(super) fn divided_by(x: Expr, value: f64) -> Expr {
    let divide = move |values: Column| {
        let values = values.as_materialized_series();
        Ok(match values.dtype() {
            DataType::Float32 => {
                let value = value as f32;
                arity::unary_elementwise_values::<_, Float32Type, _>(values.f32()?, |x| x / value).into_column()
            }
            _ => arity::unary_elementwise_values::<_, Float64Type, _>(values.f64()?, |x| x / value).into_column(),
        })
    };
    let same = |_: &Schema, field: &Field| Ok(field.clone());
    // The text tells it from other divisors: the engine takes functions of one name for one.
    x.map_with_fmt_str(divide, same, format!("truediv {value:?}"))
}

/// The values; refused at run time if one of them is zero: integers have no infinity for the quotient.
pub(super) fn refuse_zero(x: Expr) -> Expr {
    let check = |values: Column| match values.as_materialized_series().equal(0)?.any() {
        false => Ok(values),
        true => polars_bail!(
            ComputeError: "{REFUSED}values were divided by zero with `//` or `%`, which makes float64 of all in pandas; \
            convert them with astype(\"float64\") first"
        ),
    };
    x.map_with_fmt_str(check, |_: &Schema, field: &Field| Ok(field.clone()), "refuse_zero")
}

/// The values; refused at run time if one of them is no float: whether pandas rounds them depends on whether any of all
/// rows is missing.
pub(super) fn refuse_rounded(x: Expr) -> Expr {
    refusing(x, "refuse_rounded", |series| {
        Ok(match series.dtype() {
            DataType::Int64 => series.i64()?.iter().flatten().any(|it| (it as f64) as i128 != i128::from(it)),
            DataType::UInt64 => series.u64()?.iter().flatten().any(|it| (it as f64) as i128 != i128::from(it)),
            _ => false,
        })
    })
}

/// The floats that integers were computed to; refused at run time if one of them is so large that it may be rounded.
pub(super) fn refuse_large(x: Expr) -> Expr {
    let gapless = (1_i64 << f64::MANTISSA_DIGITS) as f64;
    refusing(x, "refuse_large", move |series| Ok(series.f64()?.iter().flatten().any(|it| it.abs() >= gapless)))
}

fn refusing(
    x: Expr,
    name: &'static str,
    is_wrong: impl Fn(&Series) -> PolarsResult<bool> + Send + Sync + 'static,
) -> Expr {
    let check = move |values: Column| match is_wrong(values.as_materialized_series())? {
        false => Ok(values),
        true => polars_bail!(
            ComputeError: "{REFUSED}integers beyond 2**53 some of which may be missing would be rounded to float64, which \
            pandas does only if one is missing; convert them with astype(\"Int64\") first"
        ),
    };
    x.map_with_fmt_str(check, |_: &Schema, field: &Field| Ok(field.clone()), name)
}

/// Integers of one type to the power of others, as NumPy computes them: what overflows wraps.
pub(super) fn integer_power(x: Expr, y: Expr) -> Expr {
    let compute = |pair: Column| {
        let fields = pair.struct_()?.fields_as_series();
        let (x, y) = (&fields[0], &fields[1]);
        macro_rules! powers {
            ($($dtype:ident: $read:ident, $number:ty, $chunked:ty;)*) => {
                match x.dtype() {
                    $(DataType::$dtype => {
                        let power = |x: Option<$number>, y: Option<$number>| -> PolarsResult<Option<$number>> {
                            let (Some(x), Some(y)) = (x, y) else { return Ok(None) };
                            let (mut found, mut square, mut left) = (1 as $number, x, y as i128);
                            if left < 0 {
                                polars_bail!(ComputeError: "Integers to negative integer powers are not allowed.");
                            }
                            while left > 0 {
                                if left & 1 == 1 {
                                    found = found.wrapping_mul(square);
                                }
                                square = square.wrapping_mul(square);
                                left >>= 1;
                            }
                            Ok(Some(found))
                        };
                        let found: $chunked = arity::broadcast_try_binary_elementwise(x.$read()?, y.$read()?, power)?;
                        found.into_column()
                    })*
                    other => polars_bail!(ComputeError: "{other} is no type of integers"),
                }
            };
        }
        let found = powers!(
            Int8: i8, i8, Int8Chunked; Int16: i16, i16, Int16Chunked;
            Int32: i32, i32, Int32Chunked; Int64: i64, i64, Int64Chunked;
            UInt8: u8, u8, UInt8Chunked; UInt16: u16, u16, UInt16Chunked;
            UInt32: u32, u32, UInt32Chunked; UInt64: u64, u64, UInt64Chunked;
        );
        Ok(found.with_name(pair.name().clone()))
    };
    of_pairs(x, y, compute, "pow")
}

/// The values; an error at run time if one of them is missing.
pub(super) fn refuse_missing(x: Expr) -> Expr {
    let check = |values: Column| match values.null_count() {
        0 => Ok(values),
        count => {
            polars_bail!(ComputeError: "{count} missing values can't be converted to integers; use fillna or dropna")
        }
    };
    x.map_with_fmt_str(check, |_: &Schema, field: &Field| Ok(field.clone()), "refuse_missing")
}

/// Fixed-point numbers as the nearest floats. Nearly all of them fit 64 bits, and are converted as such: the engine's own
/// way through 128 bits takes several times as long.
pub(super) fn decimal_as_float(x: Expr) -> Expr {
    let convert = |values: Column| {
        let values = values.as_materialized_series().decimal()?;
        let scale = 10f64.powi(values.scale() as i32);
        let name = values.name().clone();
        let chunks = values.physical().downcast_iter().map(|chunk| {
            PrimitiveArray::from_vec(scaled(chunk.values(), scale)).with_validity(chunk.validity().cloned())
        });
        Ok(Float64Chunked::from_chunk_iter(name, chunks).into_column())
    };
    let dtype = |_: &Schema, field: &Field| Ok(Field::new(field.name().clone(), DataType::Float64));
    x.map_with_fmt_str(convert, dtype, "as_float")
}

/// Whole numbers divided by `scale`. A block at a time, so that one test says of many that they fit 64 bits.
fn scaled(whole: &[i128], scale: f64) -> Vec<f64> {
    let mut found = Vec::with_capacity(whole.len());
    for block in whole.chunks(1024) {
        if block.iter().all(|value| i128::from(*value as i64) == *value) {
            found.extend(block.iter().map(|value| *value as i64 as f64 / scale));
        } else {
            found.extend(block.iter().map(|value| *value as f64 / scale));
        }
    }
    found
}

/// Floats as Python writes them: `1.0`, `1e-05`, `1e+16`.
pub(super) fn float_text(x: Expr) -> Expr {
    let write = |values: Column| {
        let numbers = values.as_materialized_series().f64()?;
        let texts: StringChunked = numbers.iter().map(|value| value.map(python_repr)).collect_ca(values.name().clone());
        Ok(texts.into_column())
    };
    let dtype = |_: &Schema, field: &Field| Ok(Field::new(field.name().clone(), DataType::String));
    x.map_with_fmt_str(write, dtype, "float_text")
}

/// The shortest text that gives the number again, with an exponent below 0.0001 and from 10^16 on.
fn python_repr(value: f64) -> String {
    if value.is_nan() {
        return "nan".into();
    }
    if value.is_infinite() {
        return if value > 0.0 { "inf".into() } else { "-inf".into() };
    }
    let scientific = format!("{value:e}");
    let (digits, exponent) = scientific.split_once('e').expect("the format has an exponent");
    let exponent: i32 = exponent.parse().expect("the exponent is a number");
    match exponent {
        -4..16 => format!("{value:?}"),
        _ => format!("{digits}e{}{:02}", if exponent < 0 { '-' } else { '+' }, exponent.abs()),
    }
}

macro_rules! floor_division {
    ($float:ident) => {
        /// `x // y` as Python computes it. The engine's own rounds the quotient, which can be off by one.
        pub(super) fn floor_quotient(x: $float, y: $float) -> $float {
            let remainder = x % y;
            if y == 0.0 {
                return x / y;
            }
            let mut quotient = (x - remainder) / y;
            if remainder != 0.0 && (y < 0.0) != (remainder < 0.0) {
                quotient -= 1.0;
            }
            if quotient == 0.0 {
                return (0.0 as $float).copysign(x / y);
            }
            let floor = quotient.floor();
            if quotient - floor > 0.5 { floor + 1.0 } else { floor }
        }

        /// `x % y` as Python computes it: with the sign of `y`.
        pub(super) fn floor_remainder(x: $float, y: $float) -> $float {
            let remainder = x % y;
            match remainder {
                0.0 => (0.0 as $float).copysign(y),
                remainder if (y < 0.0) != (remainder < 0.0) => remainder + y,
                remainder => remainder,
            }
        }
    };
}

mod double {
    floor_division!(f64);
}

mod single {
    floor_division!(f32);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn floats_are_written_as_python_writes_them() {
        for (value, text) in [
            (1.0, "1.0"),
            (1e-5, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (0.0001, "0.0001"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.2345678901234568e17, "1.2345678901234568e+17"),
            (5e-324, "5e-324"),
            (-0.0, "-0.0"),
            (f64::NEG_INFINITY, "-inf"),
        ] {
            assert_eq!(python_repr(value), text);
        }
    }
}

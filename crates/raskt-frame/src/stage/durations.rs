//! Lengths of time in the parts that pandas has them in: whole days, and what is left of a day from its start.

use super::ticks::per_second;
use polars::prelude::*;

/// A part of a length of time.
#[derive(Clone, Copy)]
pub(super) enum Part {
    Days,
    Seconds,
    Microseconds,
    Nanoseconds,
}

/// One part of each length of time, in the type that pandas has it in.
pub(super) fn part(x: Expr, part: Part) -> Expr {
    let (name, dtype) = match part {
        Part::Days => ("days", DataType::Int64),
        Part::Seconds => ("seconds", DataType::Int32),
        Part::Microseconds => ("microseconds", DataType::Int32),
        Part::Nanoseconds => ("nanoseconds", DataType::Int32),
    };
    let field =
        move |dtype: DataType| move |_: &Schema, field: &Field| Ok(Field::new(field.name().clone(), dtype.clone()));
    let wanted = dtype.clone();
    let compute = move |values: Column| {
        let (ticks, second) = ticks(&values)?;
        let of_second = |ticks: i64, parts: i64| match second >= parts {
            true => ticks.rem_euclid(second) / (second / parts),
            false => ticks.rem_euclid(second) * (parts / second),
        };
        let found: Int64Chunked = ticks.apply_values(|ticks| match part {
            Part::Days => ticks.div_euclid(86_400 * second),
            Part::Seconds => ticks.rem_euclid(86_400 * second) / second,
            Part::Microseconds => of_second(ticks, 1_000_000),
            Part::Nanoseconds => of_second(ticks, 1_000_000_000) % 1000,
        });
        Ok(found.into_series().cast(&wanted)?.into_column())
    };
    x.map_with_fmt_str(compute, field(dtype), name)
}

/// Lengths of time in seconds. Whole seconds and the rest are divided apart, and a rest that doesn't vanish isn't let
/// vanish by rounding: so pandas does it.
pub(super) fn total_seconds(x: Expr) -> Expr {
    let compute = |values: Column| {
        let (ticks, second) = ticks(&values)?;
        let found: Float64Chunked = arity::unary_elementwise_values(&ticks, |ticks| seconds_of(ticks, second));
        Ok(found.into_column())
    };
    let dtype = |_: &Schema, field: &Field| Ok(Field::new(field.name().clone(), DataType::Float64));
    x.map_with_fmt_str(compute, dtype, "total_seconds")
}

fn seconds_of(ticks: i64, second: i64) -> f64 {
    let (whole, rest) = (ticks.div_euclid(second) as f64, ticks.rem_euclid(second));
    let seconds = whole + rest as f64 / second as f64;
    // From 2^52 seconds on there are no floats between two whole seconds.
    if rest == 0 || whole.abs() >= 4_503_599_627_370_496.0 {
        seconds
    } else if seconds == whole {
        seconds.next_up()
    } else if seconds == whole + 1.0 {
        seconds.next_down()
    } else {
        seconds
    }
}

/// The lengths as integers, and how many of their units a second has.
fn ticks(values: &Column) -> PolarsResult<(Int64Chunked, i64)> {
    let values = values.as_materialized_series();
    let second = match values.dtype() {
        DataType::Duration(unit) => per_second(*unit),
        other => polars_bail!(ComputeError: "{other} is no length of time"),
    };
    Ok((values.to_physical_repr().i64()?.clone(), second))
}

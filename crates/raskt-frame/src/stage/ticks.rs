//! Times and lengths of time as the integers that they are, where they may come to be too large for them: the engine lets
//! them wrap, and pandas raises.

use crate::message::OVERFLOW;
use crate::tree::{self, Arithmetic};
use polars::prelude::*;

/// `x operation y` of points and lengths of time that are counted in one unit, and of lengths and integers; an error at
/// run time where it overflows.
pub(super) fn checked(x: Expr, y: Expr, operation: Arithmetic) -> Expr {
    let name = match operation {
        Arithmetic::AddTimes => "add times",
        Arithmetic::SubtractTimes => "sub times",
        _ => "mul times",
    };
    let compute = move |pair: Column| {
        let fields = pair.struct_()?.fields_as_series();
        let dtype = type_of_pair(fields[0].dtype(), fields[1].dtype(), operation)?;
        let (x, y) = (fields[0].to_physical_repr(), fields[1].to_physical_repr());
        let (x, y) = (x.i64()?, y.i64()?);
        let found = match operation {
            Arithmetic::AddTimes => without_overflow(x, y, i64::overflowing_add),
            Arithmetic::SubtractTimes => without_overflow(x, y, i64::overflowing_sub),
            _ => without_overflow(x, y, i64::overflowing_mul),
        };
        match found {
            Some(found) => Ok(as_times(found, &dtype)?.with_name(pair.name().clone()).into_column()),
            None if operation == Arithmetic::MultiplyTimes => {
                polars_bail!(ComputeError: "Overflow in int64 multiplication")
            }
            None => polars_bail!(ComputeError: "{OVERFLOW}Overflow in int64 addition"),
        }
    };
    let field = move |_: &Schema, pair: &Field| match pair.dtype() {
        DataType::Struct(fields) => {
            Ok(Field::new(pair.name().clone(), type_of_pair(fields[0].dtype(), fields[1].dtype(), operation)?))
        }
        other => polars_bail!(ComputeError: "{other} is no pair"),
    };
    as_struct(vec![x.alias("x"), y.alias("y")]).map_with_fmt_str(compute, field, name)
}

fn type_of_pair(x: &DataType, y: &DataType, operation: Arithmetic) -> PolarsResult<DataType> {
    use DataType::{Datetime, Duration, Int64};
    Ok(match (x, y) {
        (Datetime(unit, _), Datetime(..)) if operation == Arithmetic::SubtractTimes => Duration(*unit),
        (Datetime(..) | Duration(_), Duration(_) | Int64) => x.clone(),
        (Duration(_) | Int64, Datetime(..) | Duration(_)) => y.clone(),
        _ => polars_bail!(ComputeError: "{x} and {y} are no times"),
    })
}

/// The results, if none of them is out of range; the least integer is, since it stands for a time that is missing.
fn without_overflow(
    x: &Int64Chunked,
    y: &Int64Chunked,
    operation: impl Fn(i64, i64) -> (i64, bool),
) -> Option<Int64Chunked> {
    let is_out = |(found, overflows): (i64, bool)| overflows || found == i64::MIN;
    if x.len() == y.len() {
        let mut any = false;
        let found = arity::binary_elementwise_values(x, y, |x, y| {
            let found = operation(x, y);
            any |= is_out(found);
            found.0
        });
        // What lies where values are missing may be anything.
        if !any {
            return Some(found);
        }
    }
    let each = |x: Option<i64>, y: Option<i64>| {
        let (Some(x), Some(y)) = (x, y) else { return Ok(None) };
        let found = operation(x, y);
        if is_out(found) { Err(()) } else { Ok(Some(found.0)) }
    };
    arity::broadcast_try_binary_elementwise(x, y, each).ok()
}

/// Sums of lengths of time; an error at run time where they have wrapped, which the sums of the same lengths as floats
/// tell: what has wrapped is off by 2^64, and these by far less.
pub(super) fn checked_sums(sums: Expr, floats: Expr) -> Expr {
    let check = |pair: Column| {
        let fields = pair.struct_()?.fields_as_series();
        let ticks = fields[0].to_physical_repr();
        let wrapped = |(sum, float): (Option<i64>, Option<f64>)| match (sum, float) {
            (Some(sum), Some(float)) => sum == i64::MIN || (sum as f64 - float).abs() > (1_i64 << 62) as f64,
            _ => false,
        };
        if ticks.i64()?.iter().zip(fields[1].f64()?.iter()).any(wrapped) {
            polars_bail!(ComputeError: "overflow in timedelta operation");
        }
        Ok(fields[0].clone().with_name(pair.name().clone()).into_column())
    };
    let field = |_: &Schema, pair: &Field| match pair.dtype() {
        DataType::Struct(fields) => Ok(Field::new(pair.name().clone(), fields[0].dtype().clone())),
        other => polars_bail!(ComputeError: "{other} is no pair"),
    };
    as_struct(vec![sums.alias("x"), floats.alias("y")]).map_with_fmt_str(check, field, "checked sums")
}

/// Times and lengths of time in a finer unit; an error at run time where there are none so far away in it.
pub(super) fn finer(x: Expr, unit: tree::TimeUnit) -> Expr {
    let unit: TimeUnit = unit.into();
    let compute = move |values: Column| {
        let values = values.as_materialized_series();
        let (from, dtype) = in_unit(values.dtype(), unit)?;
        let factor = per_second(unit) / per_second(from);
        let ticks = values.to_physical_repr();
        let finer = |ticks: i64| match ticks.checked_mul(factor) {
            Some(found) if found != i64::MIN => Ok(found),
            _ if dtype.is_duration() => {
                polars_bail!(ComputeError: "Cannot convert {ticks} {} to timedelta64[{unit}] without overflow", word(from))
            }
            _ => polars_bail!(ComputeError: "Out of bounds {} timestamp", word(unit).trim_end_matches('s')),
        };
        let found: Int64Chunked = ticks.i64()?.try_apply_nonnull_values_generic(finer)?;
        Ok(as_times(found, &dtype)?.into_column())
    };
    let field = move |_: &Schema, field: &Field| Ok(Field::new(field.name().clone(), in_unit(field.dtype(), unit)?.1));
    x.map_with_fmt_str(compute, field, format!("finer {unit}"))
}

/// The multiple of so many units below each time, or above.
#[derive(Clone, Copy)]
pub(super) enum Multiple {
    Below,
    Above,
}

/// Each time down (or up) to a multiple of `every` of its units; an error at run time where there is none.
pub(super) fn to_multiple(x: Expr, every: i64, multiple: Multiple) -> Expr {
    let (name, up) = match multiple {
        Multiple::Below => ("floor", false),
        Multiple::Above => ("ceil", true),
    };
    let move_one = move |ticks: i64, _: &DataType| {
        let rest = ticks.rem_euclid(every);
        let found = match (rest, up) {
            (0, _) => Some(ticks),
            (rest, false) => ticks.checked_sub(rest),
            (rest, true) => ticks.checked_add(every - rest),
        };
        match found {
            Some(found) if found != i64::MIN => Ok(found),
            _ => polars_bail!(ComputeError: "{OVERFLOW}value too large"),
        }
    };
    moved(x, format!("{name} {every}"), move_one)
}

/// The midnight before each time, as clocks without a zone have it; an error at run time where there is none.
pub(super) fn normalized(x: Expr) -> Expr {
    let midnight = |ticks: i64, dtype: &DataType| {
        let DataType::Datetime(unit, _) = dtype else { return Ok(ticks) };
        match ticks.checked_sub(ticks.rem_euclid(86_400 * per_second(*unit))) {
            Some(found) if found != i64::MIN => Ok(found),
            _ => polars_bail!(ComputeError: "Cannot normalize Timestamp without integer overflow"),
        }
    };
    moved(x, "normalize".into(), midnight)
}

/// Each time moved to another by a function of its integer.
fn moved(
    x: Expr,
    name: String,
    move_one: impl Fn(i64, &DataType) -> PolarsResult<i64> + Send + Sync + 'static,
) -> Expr {
    let compute = move |values: Column| {
        let times = values.as_materialized_series();
        if *times.dtype() == DataType::Date {
            return Ok(values);
        }
        let dtype = times.dtype().clone();
        let ticks = times.to_physical_repr();
        let found: Int64Chunked = ticks.i64()?.try_apply_nonnull_values_generic(|ticks| move_one(ticks, &dtype))?;
        Ok(as_times(found, &dtype)?.into_column())
    };
    x.map_with_fmt_str(compute, |_: &Schema, field: &Field| Ok(field.clone()), name)
}

/// A type of times in another unit, and the unit that it has.
fn in_unit(dtype: &DataType, unit: TimeUnit) -> PolarsResult<(TimeUnit, DataType)> {
    Ok(match dtype {
        DataType::Datetime(from, zone) => (*from, DataType::Datetime(unit, zone.clone())),
        DataType::Duration(from) => (*from, DataType::Duration(unit)),
        other => polars_bail!(ComputeError: "{other} are no times"),
    })
}

fn as_times(ticks: Int64Chunked, dtype: &DataType) -> PolarsResult<Series> {
    Ok(match dtype {
        DataType::Datetime(unit, zone) => ticks.into_datetime(*unit, zone.clone()).into_series(),
        DataType::Duration(unit) => ticks.into_duration(*unit).into_series(),
        other => polars_bail!(ComputeError: "{other} are no times"),
    })
}

/// How many of a unit a second has.
pub(super) fn per_second(unit: TimeUnit) -> i64 {
    match unit {
        TimeUnit::Milliseconds => 1000,
        TimeUnit::Microseconds => 1_000_000,
        TimeUnit::Nanoseconds => 1_000_000_000,
    }
}

fn word(unit: TimeUnit) -> &'static str {
    match unit {
        TimeUnit::Milliseconds => "milliseconds",
        TimeUnit::Microseconds => "microseconds",
        TimeUnit::Nanoseconds => "nanoseconds",
    }
}

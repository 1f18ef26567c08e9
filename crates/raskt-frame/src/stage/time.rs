//! Functions of times as the engine writes them.

use super::durations::{Part, part, total_seconds};
use super::ticks::{Multiple, normalized, to_multiple};
use crate::error::Result;
use crate::tree::{TimeField, TimeFunction};
use polars::prelude::*;

pub(super) fn time(function: &TimeFunction, x: Expr) -> Result<Expr> {
    Ok(match function {
        TimeFunction::Field(which) => field(*which, x).cast(DataType::Int32),
        TimeFunction::Week => x.dt().week().cast(DataType::UInt32),
        TimeFunction::IsLeapYear => x.dt().is_leap_year(),
        TimeFunction::Date => x.dt().date(),
        TimeFunction::TimeOfDay => x.dt().time(),
        TimeFunction::Normalize => normalized(x),
        TimeFunction::Format(format) => x.dt().strftime(format),
        TimeFunction::Floor(every) => to_multiple(x, *every, Multiple::Below),
        TimeFunction::Ceiling(every) => to_multiple(x, *every, Multiple::Above),
        TimeFunction::IsMonthStart => x.dt().day().eq(lit(1)),
        TimeFunction::IsMonthEnd => x.clone().dt().day().eq(x.dt().days_in_month()),
        TimeFunction::IsQuarterStart => x.clone().dt().day().eq(lit(1)).and((x.dt().month() % lit(3)).eq(lit(1))),
        TimeFunction::IsQuarterEnd => {
            let last = x.clone().dt().day().eq(x.clone().dt().days_in_month());
            last.and((x.dt().month() % lit(3)).eq(lit(0)))
        }
        TimeFunction::IsYearStart => x.dt().ordinal_day().eq(lit(1)),
        TimeFunction::IsYearEnd => x.clone().dt().month().eq(lit(12)).and(x.dt().day().eq(lit(31))),
        TimeFunction::Localize(zone) => in_zone(x, zone.as_deref())?,
        TimeFunction::Convert(Some(zone)) => x.dt().convert_time_zone(utc_or(Some(zone))?),
        TimeFunction::Convert(None) => in_zone(x.dt().convert_time_zone(utc_or(None)?), None)?,
        TimeFunction::TotalSeconds => total_seconds(x),
        TimeFunction::Days => part(x, Part::Days),
        TimeFunction::Seconds => part(x, Part::Seconds),
        TimeFunction::Microseconds => part(x, Part::Microseconds),
        TimeFunction::Nanoseconds => part(x, Part::Nanoseconds),
    })
}

fn field(field: TimeField, x: Expr) -> Expr {
    match field {
        TimeField::Year => x.dt().year(),
        TimeField::Month => x.dt().month(),
        TimeField::Day => x.dt().day(),
        TimeField::Hour => x.dt().hour(),
        TimeField::Minute => x.dt().minute(),
        TimeField::Second => x.dt().second(),
        TimeField::Microsecond => x.dt().microsecond(),
        TimeField::Nanosecond => x.dt().nanosecond() % lit(1000),
        TimeField::DayOfWeek => x.dt().weekday().cast(DataType::Int32) - lit(1),
        TimeField::DayOfYear => x.dt().ordinal_day(),
        TimeField::Quarter => x.dt().quarter(),
        TimeField::DaysInMonth => x.dt().days_in_month(),
    }
}

/// The clock shows the same, in a zone or in none.
fn in_zone(x: Expr, zone: Option<&str>) -> Result<Expr> {
    Ok(x.dt().replace_time_zone(TimeZone::opt_try_new(zone)?, lit("raise"), NonExistent::Raise))
}

fn utc_or(zone: Option<&str>) -> Result<TimeZone> {
    Ok(TimeZone::opt_try_new(Some(zone.unwrap_or("UTC")))?.expect("a zone was given"))
}

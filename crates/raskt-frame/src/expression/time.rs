use super::Expression;
use crate::domain::DomainClass;
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use crate::tree::{TextFunction, TimeField, TimeFunction, TimeUnit, literal};
use polars::prelude::{DataType, Schema, TimeUnit as EngineUnit, TimeZone};

impl Expression {
    /// `series.dt.method(*arguments)`.
    pub(crate) fn time(&self, scope: &Schema, method: &str, arguments: &[Literal]) -> Result<Self> {
        let text = match arguments.first() {
            Some(Literal::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let function = match self.domain.class() {
            DomainClass::Time => self.point_in_time(method, text)?,
            DomainClass::Duration => length_of_time(method)?,
            _ => {
                let dtype = self.domain.pandas_dtype();
                return Err(FrameError::Type(format!("`.dt.{method}` needs times, and the column is of {dtype}")));
            }
        };
        let asks = method.starts_with("is_");
        let expr = self.expr.clone().time(function);
        let expr = if asks && self.domain.missing { expr.fill_null(literal(false)) } else { expr };
        let found = Self::computed(scope, &[&self.operand()], expr)?;
        Ok(if asks { found.missing(false) } else { found })
    }

    fn point_in_time(&self, method: &str, text: Option<&str>) -> Result<TimeFunction> {
        let argument = || text.ok_or_else(|| FrameError::Type(format!("`.dt.{method}` lacks its argument")));
        let field = TimeFunction::Field;
        Ok(match method {
            "year" => field(TimeField::Year),
            "month" => field(TimeField::Month),
            "day" => field(TimeField::Day),
            "hour" => field(TimeField::Hour),
            "minute" => field(TimeField::Minute),
            "second" => field(TimeField::Second),
            "microsecond" => field(TimeField::Microsecond),
            "nanosecond" => field(TimeField::Nanosecond),
            "dayofweek" | "weekday" | "day_of_week" => field(TimeField::DayOfWeek),
            "dayofyear" | "day_of_year" => field(TimeField::DayOfYear),
            "quarter" => field(TimeField::Quarter),
            "days_in_month" | "daysinmonth" => field(TimeField::DaysInMonth),
            "week" => TimeFunction::Week,
            "is_leap_year" => TimeFunction::IsLeapYear,
            "date" => TimeFunction::Date,
            "time" => TimeFunction::TimeOfDay,
            "normalize" => TimeFunction::Normalize,
            "day_name" => TimeFunction::Format("%A".into()),
            "month_name" => TimeFunction::Format("%B".into()),
            "strftime" if is_plain_format(argument()?) => TimeFunction::Format(argument()?.to_owned()),
            "round" | "strftime" => return Err(no_native_form(method)),
            "floor" | "ceil" if !matches!(self.domain.dtype, DataType::Datetime(EngineUnit::Microseconds, None)) => {
                return Err(no_native_form(method));
            }
            "floor" => TimeFunction::Floor(engine_frequency(argument()?)?),
            "ceil" => {
                let every = engine_frequency(argument()?)?;
                TimeFunction::Ceiling { microseconds: microseconds_of(&every)?, every }
            }
            "is_month_start" => TimeFunction::IsMonthStart,
            "is_month_end" => TimeFunction::IsMonthEnd,
            "is_quarter_start" => TimeFunction::IsQuarterStart,
            "is_quarter_end" => TimeFunction::IsQuarterEnd,
            "is_year_start" => TimeFunction::IsYearStart,
            "is_year_end" => TimeFunction::IsYearEnd,
            "tz_localize" => TimeFunction::Localize(known_zone(text)?),
            "tz_convert" => {
                if !matches!(self.domain.dtype, DataType::Datetime(_, Some(_))) {
                    let hint = "use tz_localize to say which zone they are of";
                    return Err(FrameError::Type(format!("times without a zone can't be converted; {hint}")));
                }
                TimeFunction::Convert(known_zone(text)?)
            }
            _ => return Err(unknown(method)),
        })
    }

    /// Strings read as points in time by `format` (the engine finds one if there is none); what can't be read is an
    /// error at run time, or missing if not `strict`.
    pub(crate) fn to_datetime(&self, scope: &Schema, format: Option<&str>, strict: bool) -> Result<Self> {
        match self.domain.class() {
            DomainClass::Text => {}
            DomainClass::Time => return Ok(self.clone()),
            _ => {
                let dtype = self.domain.pandas_dtype();
                return Err(FrameError::Type(format!("a column of {dtype} can't be read as times")));
            }
        }
        let zoned = format.is_some_and(|format| format.contains("%z") || format.ends_with('Z'));
        let zone = zoned.then(|| "UTC".to_owned());
        let format = format.map(str::to_owned);
        let function = TextFunction::ParseDatetime { unit: TimeUnit::Microseconds, zone, format, strict };
        let found = Self::computed(scope, &[&self.operand()], self.expr.clone().text(function))?;
        let missing = self.domain.missing || !strict;
        Ok(found.missing(missing))
    }
}

fn length_of_time(method: &str) -> Result<TimeFunction> {
    Ok(match method {
        "total_seconds" => TimeFunction::TotalSeconds,
        "days" => TimeFunction::Days,
        "seconds" => TimeFunction::Seconds,
        "microseconds" => TimeFunction::Microseconds,
        "nanoseconds" => TimeFunction::Nanoseconds,
        _ => return Err(unknown(method)),
    })
}

/// The zone, if the engine knows it by this very name.
fn known_zone(zone: Option<&str>) -> Result<Option<String>> {
    let known = TimeZone::opt_try_new(zone).ok().flatten().map(|zone| zone.to_string());
    match known.as_deref() == zone {
        true => Ok(known),
        false => Err(FrameError::NotNative(format!("the zone {zone:?} has no native form"))),
    }
}

fn no_native_form(method: &str) -> FrameError {
    FrameError::NotNative(format!("`.dt.{method}` has no native form for these times and arguments"))
}

/// Whether all codes of a format mean the same to the engine and to Python.
fn is_plain_format(format: &str) -> bool {
    let mut letters = format.chars();
    while let Some(letter) = letters.next() {
        if letter == '%' && !letters.next().is_some_and(|code| "YmdHMSjybBaA%".contains(code)) {
            return false;
        }
    }
    true
}

fn unknown(method: &str) -> FrameError {
    FrameError::NotNative(format!("`.dt.{method}` has no native form"))
}

/// How many microseconds a fixed frequency is, given as the engine writes it.
fn microseconds_of(every: &str) -> Result<i64> {
    let digits = every.chars().take_while(char::is_ascii_digit).count();
    let (count, unit) = every.split_at(digits);
    let unit: i64 = match unit {
        "d" => 86_400_000_000_000,
        "h" => 3_600_000_000_000,
        "m" => 60_000_000_000,
        "s" => 1_000_000_000,
        "ms" => 1_000_000,
        "us" => 1000,
        _ => 1,
    };
    let count: i64 = count.parse().map_err(|_| FrameError::Value(format!("`{every}` is too long a time")))?;
    Ok(count.saturating_mul(unit) / 1000)
}

/// pandas' name of a fixed frequency (`15min`, `h`, `D`) as the engine writes it (`15m`, `1h`, `1d`).
fn engine_frequency(frequency: &str) -> Result<String> {
    let digits = frequency.chars().take_while(char::is_ascii_digit).count();
    let (count, unit) = frequency.split_at(digits);
    let count = if count.is_empty() { "1" } else { count };
    let unit = match unit {
        "D" => "d",
        "h" => "h",
        "min" => "m",
        "s" => "s",
        "ms" => "ms",
        "us" => "us",
        _ => return Err(FrameError::NotNative(format!("the frequency `{frequency}` has no native form"))),
    };
    if count.bytes().all(|digit| digit == b'0') {
        return Err(FrameError::NotNative("a frequency of nothing has no native form".into()));
    }
    Ok(format!("{count}{unit}"))
}

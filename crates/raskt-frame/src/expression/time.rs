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
        let expr = match (&function, &self.domain.dtype) {
            // In a zone a day may begin at a time that the clocks skip, or show twice: by the clocks, and back.
            (TimeFunction::Normalize, DataType::Datetime(_, Some(zone))) => {
                let clocks = self.expr.clone().time(TimeFunction::Localize(None));
                clocks.time(function).time(TimeFunction::Localize(Some(zone.to_string())))
            }
            _ => self.expr.clone().time(function),
        };
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
            "floor" => TimeFunction::Floor(microseconds_of(argument()?)?),
            "ceil" => TimeFunction::Ceiling(microseconds_of(argument()?)?),
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

/// How many microseconds a fixed frequency is, by pandas' name (`15min`, `h`, `D`).
fn microseconds_of(frequency: &str) -> Result<i64> {
    let digits = frequency.chars().take_while(char::is_ascii_digit).count();
    let (count, unit) = frequency.split_at(digits);
    let unit: i64 = match unit {
        "D" => 86_400_000_000,
        "h" => 3_600_000_000,
        "min" => 60_000_000,
        "s" => 1_000_000,
        "ms" => 1000,
        "us" => 1,
        _ => return Err(FrameError::NotNative(format!("the frequency `{frequency}` has no native form"))),
    };
    // pandas says of one that is too long, or of nothing, what is wrong with it.
    let count = if count.is_empty() { Some(1) } else { count.parse::<i64>().ok() };
    let found = count.and_then(|count| count.checked_mul(unit)).filter(|microseconds| *microseconds > 0);
    found.ok_or_else(|| FrameError::NotNative(format!("the frequency `{frequency}` has no native form")))
}

use super::Expression;
use crate::domain::DomainClass;
use crate::error::{FrameError, Result};
use crate::literal::Literal;
use polars::prelude::*;

impl Expression {
    /// `series.dt.method(*arguments)`.
    pub(crate) fn time(&self, scope: &Schema, method: &str, arguments: &[Literal]) -> Result<Self> {
        let text = match arguments.first() {
            Some(Literal::Text(text)) => Some(text.as_str()),
            _ => None,
        };
        let expr = match self.domain.class() {
            DomainClass::Time => self.point_in_time(method, text)?,
            DomainClass::Duration => self.length_of_time(method)?,
            _ => {
                let dtype = self.domain.pandas_dtype();
                return Err(FrameError::Type(format!("`.dt.{method}` needs times, and the column is of {dtype}")));
            }
        };
        let what = format!("dt.{method} {arguments:?}");
        let asks = method.starts_with("is_");
        let expr = if asks && self.domain.missing { expr.fill_null(lit(false)) } else { expr };
        let found = Self::computed(scope, &what, &[&self.operand()], expr)?;
        Ok(if asks { found.missing(false) } else { found })
    }

    fn point_in_time(&self, method: &str, text: Option<&str>) -> Result<Expr> {
        let x = self.expr.clone();
        let field = |expr: Expr| expr.cast(DataType::Int32);
        let day = || x.clone().dt().truncate(lit("1d"));
        let argument = || text.ok_or_else(|| FrameError::Type(format!("`.dt.{method}` lacks its argument")));
        Ok(match method {
            "year" => field(x.dt().year()),
            "month" => field(x.dt().month()),
            "day" => field(x.dt().day()),
            "hour" => field(x.dt().hour()),
            "minute" => field(x.dt().minute()),
            "second" => field(x.dt().second()),
            "microsecond" => field(x.clone().dt().microsecond()),
            "nanosecond" => field(x.dt().nanosecond() % lit(1000)),
            "dayofweek" | "weekday" | "day_of_week" => field(x.dt().weekday()) - lit(1),
            "dayofyear" | "day_of_year" => field(x.dt().ordinal_day()),
            "quarter" => field(x.dt().quarter()),
            "week" => x.dt().week().cast(DataType::UInt32),
            "days_in_month" | "daysinmonth" => field(x.dt().days_in_month()),
            "is_leap_year" => x.dt().is_leap_year(),
            "date" => x.dt().date(),
            "time" => x.dt().time(),
            "normalize" => day(),
            "day_name" => x.dt().strftime("%A"),
            "month_name" => x.dt().strftime("%B"),
            "strftime" if is_plain_format(argument()?) => x.dt().strftime(argument()?),
            "round" | "strftime" => return Err(no_native_form(method)),
            "floor" | "ceil" if !matches!(self.domain.dtype, DataType::Datetime(TimeUnit::Microseconds, None)) => {
                return Err(no_native_form(method));
            }
            "floor" => x.dt().truncate(lit(engine_frequency(argument()?)?)),
            "ceil" => {
                let every = engine_frequency(argument()?)?;
                let floor = x.clone().dt().truncate(lit(every.clone()));
                when(floor.clone().eq(x))
                    .then(floor.clone())
                    .otherwise(floor + Expr::Literal(LiteralValue::Scalar(length_of(&every)?)))
            }
            "is_month_start" => x.dt().day().eq(lit(1)),
            "is_month_end" => x.clone().dt().day().eq(x.dt().days_in_month()),
            "is_quarter_start" => x.clone().dt().day().eq(lit(1)).and((x.dt().month() % lit(3)).eq(lit(1))),
            "is_quarter_end" => {
                let last = x.clone().dt().day().eq(x.clone().dt().days_in_month());
                last.and((x.dt().month() % lit(3)).eq(lit(0)))
            }
            "is_year_start" => x.dt().ordinal_day().eq(lit(1)),
            "is_year_end" => x.clone().dt().month().eq(lit(12)).and(x.dt().day().eq(lit(31))),
            "tz_localize" => {
                let ambiguous = lit("raise");
                x.dt().replace_time_zone(TimeZone::opt_try_new(text)?, ambiguous, NonExistent::Raise)
            }
            "tz_convert" => self.in_zone(text)?,
            _ => return Err(unknown(method)),
        })
    }

    fn in_zone(&self, zone: Option<&str>) -> Result<Expr> {
        if !matches!(self.domain.dtype, DataType::Datetime(_, Some(_))) {
            let hint = "use tz_localize to say which zone they are of";
            return Err(FrameError::Type(format!("times without a zone can't be converted; {hint}")));
        }
        let utc = TimeZone::opt_try_new(Some(zone.unwrap_or("UTC")))?.expect("a zone was given");
        let converted = self.expr.clone().dt().convert_time_zone(utc);
        Ok(match zone {
            Some(_) => converted,
            None => converted.dt().replace_time_zone(None, lit("raise"), NonExistent::Raise),
        })
    }

    fn length_of_time(&self, method: &str) -> Result<Expr> {
        let x = self.expr.clone();
        let microseconds = || x.clone().dt().total_microseconds(false);
        let in_day = || microseconds() - days(microseconds()) * lit(86_400_000_000_i64);
        Ok(match method {
            "total_seconds" => x.dt().total_nanoseconds(false).cast(DataType::Float64) / lit(1e9),
            "days" => days(microseconds()),
            "seconds" => in_day().floor_div(lit(1_000_000_i64)).cast(DataType::Int32),
            "microseconds" => (in_day() % lit(1_000_000_i64)).cast(DataType::Int32),
            "nanoseconds" => (x.dt().total_nanoseconds(false) % lit(1000_i64)).cast(DataType::Int32),
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
        let zone = if zoned { TimeZone::opt_try_new(Some("UTC"))? } else { None };
        let format = format.map(PlSmallStr::from_str);
        let options = StrptimeOptions { format, strict, exact: true, cache: true };
        let dtype = DataType::Datetime(TimeUnit::Microseconds, zone.clone());
        let expr =
            self.expr.clone().str().to_datetime(Some(TimeUnit::Microseconds), zone, options.clone(), lit("raise"));
        let what = format!("to_datetime {options:?} {dtype:?}");
        let found = Self::computed(scope, &what, &[&self.operand()], expr)?;
        let missing = self.domain.missing || !strict;
        Ok(found.missing(missing))
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

fn days(microseconds: Expr) -> Expr {
    microseconds.floor_div(lit(86_400_000_000_i64))
}

fn unknown(method: &str) -> FrameError {
    FrameError::NotNative(format!("`.dt.{method}` has no native form"))
}

/// The length of a fixed frequency as the engine writes it.
fn length_of(every: &str) -> Result<Scalar> {
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
    Ok(Scalar::new_duration(count.saturating_mul(unit) / 1000, TimeUnit::Microseconds))
}

/// pandas' name of a fixed frequency (`15min`, `h`, `D`) as the engine writes it (`15m`, `1h`, `1d`).
fn engine_frequency(frequency: &str) -> Result<String> {
    let digits = frequency.chars().take_while(char::is_ascii_digit).count();
    let (count, unit) = frequency.split_at(digits);
    let count = if count.is_empty() { "1" } else { count };
    let unit = match unit {
        "D" | "d" => "d",
        "h" | "H" => "h",
        "min" | "T" | "m" => "m",
        "s" | "S" => "s",
        "ms" | "L" => "ms",
        "us" | "U" => "us",
        "ns" | "N" => "ns",
        _ => {
            return Err(FrameError::Value(format!(
                "`{frequency}` is not a fixed frequency such as `15min`, `h` or `D`"
            )));
        }
    };
    Ok(format!("{count}{unit}"))
}

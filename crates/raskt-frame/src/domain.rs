use crate::error::{FrameError, Result};
use crate::logical::{Logical, has_missing_field};
use polars::prelude::{Categories, DataType, TimeUnit, TimeZone};

/// What the values of a column can be.
#[derive(Clone, Debug, PartialEq)]
pub struct Domain {
    /// The engine's type.
    pub dtype: DataType,
    /// What they are to the user. What is not plain has a class of its own, so that rules for numbers, text and times
    /// don't touch it.
    pub logical: Logical,
    /// Whether nulls can be among them.
    pub missing: bool,
    /// Of integers among which nulls can be: whether they are nulls in all rows or in none, as a reduction is of no rows.
    /// They are computed with as integers, and what type they have in pandas the values tell.
    pub all_or_none: bool,
    /// Of truth values: whether some may have been nulls before rows were left out, or nulls filled in. In pandas they are
    /// objects then, whatever is left of them, and compute as integers.
    pub was_missing: bool,
    /// Whether NaN can be among them (floats only): read from a file that somebody else wrote, or computed.
    pub nan: bool,
    /// No number among them is further from zero; infinite where that isn't known. Sums and products of numbers with a
    /// known magnitude can't be NaN, since none of them is infinite.
    pub magnitude: f64,
}

/// Types that behave alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DomainClass {
    /// Truth values.
    Bool,
    /// Integers of any width.
    Int,
    /// Floats of any width.
    Float,
    /// Fixed-point numbers.
    Decimal,
    /// Strings.
    Text,
    /// Categories.
    Category,
    /// Points in time and dates.
    Time,
    /// Lengths of time.
    Duration,
    /// pandas' nullable types.
    Nullable,
    /// Arrow's types in pandas.
    Arrow,
    /// What the engine knows nothing of: Python objects, periods, intervals.
    Opaque,
    /// All else: times of day, lists, structs, nothing but nulls.
    Other,
}

impl Domain {
    /// Values of `dtype`, nulls among them if `missing`, and NaN if `nan`.
    pub fn new(dtype: DataType, missing: bool, nan: bool) -> Self {
        let (magnitude, logical) = (magnitude_of(&dtype), Logical::Plain);
        Self { magnitude, dtype, logical, missing, all_or_none: false, was_missing: false, nan }
    }

    /// Values of `dtype` without nulls or NaN.
    pub fn full(dtype: DataType) -> Self {
        Self::new(dtype, false, false)
    }

    /// Values of `dtype`, nulls among them but no NaN.
    pub fn with_missing(dtype: DataType) -> Self {
        Self::new(dtype, true, false)
    }

    /// The same, if it is of integers: nulls in all rows or in none.
    pub(crate) fn whole(mut self) -> Self {
        self.all_or_none = self.missing && self.class() == DomainClass::Int;
        self
    }

    /// The same, with nulls among the values in any of the rows if `more`.
    pub(crate) fn with_more_missing(mut self, more: bool) -> Self {
        self.missing |= more;
        self.all_or_none &= !more;
        self
    }

    /// The same where nulls may have been left out, or filled in.
    pub(crate) fn with_fewer_missing(mut self) -> Self {
        self.was_missing |= self.missing && self.class() == DomainClass::Bool;
        self
    }

    /// Whether it is of truth values that may be objects in pandas, since some of them are or were missing.
    pub fn may_be_objects(&self) -> bool {
        self.class() == DomainClass::Bool && (self.missing || self.was_missing)
    }

    /// Whether it is of integers that are floats in pandas, since some of them may be missing.
    pub fn is_rounded(&self) -> bool {
        self.missing && !self.all_or_none && self.class() == DomainClass::Int
    }

    /// The same without missing values.
    pub(crate) fn full_of_values(self) -> Self {
        Self { missing: false, all_or_none: false, nan: false, ..self }
    }

    /// The same values, stored, of another type to their user. Any of them may be missing.
    pub fn with_logical(self, logical: Logical) -> Self {
        match logical {
            Logical::Plain => Self { logical, ..self },
            _ => Self { logical, missing: true, all_or_none: false, nan: false, magnitude: f64::INFINITY, ..self },
        }
    }

    /// Whether it is what pandas makes of the engine's type by itself.
    pub fn is_plain(&self) -> bool {
        self.logical.is_plain()
    }

    /// Whether values are equal, and one before another, as their storage is: such columns are sorted, grouped and joined
    /// by natively. Floats aren't, beside values that are missing there can be NaN; nor are pickled objects.
    pub fn is_ordered_by_storage(&self) -> bool {
        self.is_plain() && self.dtype != DataType::Binary
            || matches!(&self.dtype, DataType::Boolean | DataType::String | DataType::Decimal(..))
            || self.dtype.is_integer()
            || self.dtype.is_temporal()
    }

    /// An error unless rows can be told apart and put in order by its values natively; `what` is what was to be done.
    pub(crate) fn check_ordered(&self, what: &str) -> Result<()> {
        if self.is_ordered_by_storage() {
            return Ok(());
        }
        Err(FrameError::NotNative(format!("`{what}` by values of {} has no native form", self.pandas_dtype())))
    }

    /// Whether its missing values are marked beside the values, and not null.
    pub(crate) fn marks_missing(&self) -> bool {
        has_missing_field(&self.dtype)
    }

    /// The same, known to be no further from zero than `magnitude`.
    pub(crate) fn within(mut self, magnitude: f64) -> Self {
        if self.is_numeric() {
            self.magnitude = self.magnitude.min(magnitude);
        }
        self
    }

    /// Whether sums and products of its values, however many, stay finite: such magnitudes are far from the largest
    /// float.
    pub(crate) fn is_moderate(&self) -> bool {
        self.magnitude < MODERATE
    }

    /// The class of its type.
    pub fn class(&self) -> DomainClass {
        match self.logical {
            Logical::Plain => class_of(&self.dtype),
            Logical::Nullable(_) => DomainClass::Nullable,
            Logical::Arrow(_) => DomainClass::Arrow,
            Logical::Category(_) => DomainClass::Category,
            Logical::Opaque(_) => DomainClass::Opaque,
        }
    }

    /// Whether pandas would see any value as missing.
    pub fn can_miss(&self) -> bool {
        self.missing || self.nan
    }

    /// Whether sums make sense.
    pub fn is_numeric(&self) -> bool {
        matches!(self.class(), DomainClass::Bool | DomainClass::Int | DomainClass::Float | DomainClass::Decimal)
    }

    /// The name of the type that pandas would give it: `float64` for integers among which some are missing.
    pub fn pandas_dtype(&self) -> String {
        match self.logical.pandas_type() {
            Some(found) => found.name.to_string(),
            None => pandas_dtype_name(&self.dtype, self.missing && !self.all_or_none),
        }
    }
}

/// Sums of 2^64 numbers below it are finite, and so is every sum or product whose magnitude is still below it.
const MODERATE: f64 = 1e280;

fn magnitude_of(dtype: &DataType) -> f64 {
    match dtype {
        DataType::Boolean => 1.0,
        DataType::Int8 | DataType::UInt8 => 256.0,
        DataType::Int16 | DataType::UInt16 => 65_536.0,
        DataType::Int32 | DataType::UInt32 => 4_294_967_296.0,
        DataType::Int64 | DataType::UInt64 => 18_446_744_073_709_551_616.0,
        DataType::Decimal(precision, scale) => 10f64.powi(*precision as i32 - *scale as i32),
        _ => f64::INFINITY,
    }
}

fn class_of(dtype: &DataType) -> DomainClass {
    match dtype {
        DataType::Boolean => DomainClass::Bool,
        dtype if dtype.is_integer() => DomainClass::Int,
        dtype if dtype.is_float() => DomainClass::Float,
        DataType::Decimal(..) => DomainClass::Decimal,
        DataType::String => DomainClass::Text,
        DataType::Categorical(..) | DataType::Enum(..) => DomainClass::Category,
        DataType::Datetime(..) | DataType::Date => DomainClass::Time,
        DataType::Duration(_) => DomainClass::Duration,
        _ => DomainClass::Other,
    }
}

/// The name of pandas' type for values of `dtype`, some of them null if `missing`.
pub fn pandas_dtype_name(dtype: &DataType, missing: bool) -> String {
    let unit_name = |unit: &TimeUnit| match unit {
        TimeUnit::Nanoseconds => "ns",
        TimeUnit::Microseconds => "us",
        TimeUnit::Milliseconds => "ms",
    };
    match dtype {
        DataType::Boolean if missing => "object".into(),
        DataType::Boolean => "bool".into(),
        dtype if dtype.is_integer() && missing => "float64".into(),
        DataType::Int8 => "int8".into(),
        DataType::Int16 => "int16".into(),
        DataType::Int32 => "int32".into(),
        DataType::Int64 => "int64".into(),
        DataType::UInt8 => "uint8".into(),
        DataType::UInt16 => "uint16".into(),
        DataType::UInt32 => "uint32".into(),
        DataType::UInt64 => "uint64".into(),
        DataType::Float32 => "float32".into(),
        DataType::Float64 => "float64".into(),
        DataType::String => "str".into(),
        DataType::Categorical(..) | DataType::Enum(..) => "category".into(),
        DataType::Datetime(unit, None) => format!("datetime64[{}]", unit_name(unit)),
        DataType::Datetime(unit, Some(zone)) => format!("datetime64[{}, {zone}]", unit_name(unit)),
        DataType::Duration(unit) => format!("timedelta64[{}]", unit_name(unit)),
        _ => "object".into(),
    }
}

/// The engine's type for pandas' or NumPy's name of one.
pub fn parse_dtype_name(name: &str) -> Result<DataType> {
    let dtype = match name {
        "bool" | "boolean" => DataType::Boolean,
        "int8" | "Int8" => DataType::Int8,
        "int16" | "Int16" => DataType::Int16,
        "int32" | "Int32" => DataType::Int32,
        "int64" | "Int64" | "int" => DataType::Int64,
        "uint8" | "UInt8" => DataType::UInt8,
        "uint16" | "UInt16" => DataType::UInt16,
        "uint32" | "UInt32" => DataType::UInt32,
        "uint64" | "UInt64" => DataType::UInt64,
        "float32" | "Float32" => DataType::Float32,
        "float64" | "Float64" | "float" => DataType::Float64,
        "str" | "string" | "object" | "string[python]" | "string[pyarrow]" => DataType::String,
        "category" => DataType::from_categories(Categories::global()),
        "datetime64" => DataType::Datetime(TimeUnit::Nanoseconds, None),
        _ => return parse_time_dtype(name),
    };
    Ok(dtype)
}

fn parse_time_dtype(name: &str) -> Result<DataType> {
    let unknown = || FrameError::Type(format!("data type `{name}` is not understood"));
    let (base, inner) = name.strip_suffix(']').and_then(|name| name.split_once('[')).ok_or_else(unknown)?;
    let (unit, zone) = match inner.split_once(',') {
        Some((unit, zone)) => (unit.trim(), Some(zone.trim())),
        None => (inner.trim(), None),
    };
    let unit = match unit {
        "ns" => TimeUnit::Nanoseconds,
        "us" => TimeUnit::Microseconds,
        // pandas' seconds have no counterpart here; milliseconds hold them.
        "ms" | "s" => TimeUnit::Milliseconds,
        _ => return Err(unknown()),
    };
    match base {
        "datetime64" => Ok(DataType::Datetime(unit, TimeZone::opt_try_new(zone)?)),
        "timedelta64" if zone.is_none() => Ok(DataType::Duration(unit)),
        _ => Err(unknown()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_of_types_go_both_ways() {
        for name in ["bool", "int8", "uint64", "float32", "str", "category", "datetime64[us]", "timedelta64[ns]"] {
            assert_eq!(pandas_dtype_name(&parse_dtype_name(name).unwrap(), false), name);
        }
        let zoned = parse_dtype_name("datetime64[us, UTC]").unwrap();
        assert_eq!(pandas_dtype_name(&zoned, true), "datetime64[us, UTC]");
        assert!(parse_dtype_name("float63").is_err());
    }

    #[test]
    fn missing_values_change_integers_and_truth_values() {
        assert_eq!(Domain::with_missing(DataType::Int64).pandas_dtype(), "float64");
        assert_eq!(Domain::with_missing(DataType::Boolean).pandas_dtype(), "object");
    }
}

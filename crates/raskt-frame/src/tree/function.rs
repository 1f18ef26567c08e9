use super::TimeUnit;
use super::dtype::by_name;
use raskt_value::DType;
use serde::{Deserialize, Serialize};

/// What becomes of values that the other type doesn't have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Conversion {
    /// They are an error at run time.
    Strict,
    /// They are missing.
    Lenient,
    /// They wrap, as integers do in NumPy.
    Wrapping,
}

/// A function of each value.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Function {
    IsNull,
    IsNotNull,
    IsNan,
    IsNotNan,
    /// Whether stored objects are marked as missing.
    IsMarkedMissing,
    /// Null for NaN.
    NanAsNull,
    Not,
    Negative,
    Absolute,
    Sign,
    Floor,
    Ceiling,
    /// Fixed-point numbers to so many places, halves to even.
    Round(u32),
    /// Floats to so many places, as NumPy rounds them.
    RoundScaled(i32),
    /// Floats as integers of a type, without what is after the point.
    #[serde(with = "by_name")]
    Truncate(DType),
    SquareRoot,
    Exponential,
    Logarithm,
    Logarithm2,
    Logarithm10,
    Logarithm1p,
    Sine,
    Cosine,
    Tangent,
    Arcsine,
    Arccosine,
    Arctangent,
    HyperbolicSine,
    HyperbolicCosine,
    HyperbolicTangent,
    /// Divided by a float, given by its bits, and not multiplied with its reciprocal.
    DividedBy(u64),
    /// The values themselves; a missing one is an error at run time.
    RefuseMissing,
    /// The integers themselves; a zero is an error at run time.
    RefuseZero,
    /// The integers themselves; one that no float stands for is an error at run time.
    RefuseRounded,
    /// The floats themselves; one beyond the integers that floats have without gaps is an error at run time.
    RefuseLarge,
    /// Fixed-point numbers as the nearest floats.
    DecimalAsFloat,
    /// Floats as Python writes them.
    FloatAsText,
    /// Times and lengths of time in a finer unit; what is out of its range is an error at run time.
    FinerTime(TimeUnit),
}

/// An operation of two numbers.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Arithmetic {
    Add,
    Subtract,
    Multiply,
    Divide,
    /// The quotient of floats, also where the divisor is one value: the engine would multiply with its reciprocal.
    Quotient,
    /// `//` of integers.
    FloorDivide,
    /// `%` of integers: null by zero.
    Remainder,
    /// `//` of floats, as Python computes it.
    FloorQuotient,
    /// `%` of floats, as Python computes it.
    FloorRemainder,
    /// `**` of floats.
    Power,
    /// `**` of integers, which wraps.
    IntegerPower,
    /// Of times and lengths of time: what overflows is an error at run time.
    AddTimes,
    SubtractTimes,
    MultiplyTimes,
    /// Sums of lengths of time, and the sums of the same lengths as floats: the former, unless they have wrapped.
    CheckedSum,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Comparison {
    Equal,
    NotEqual,
    Less,
    LessOrEqual,
    Greater,
    GreaterOrEqual,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Logical {
    And,
    Or,
    Xor,
}

/// One value of many; those that are null count for nothing unless it is said.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Aggregate {
    Sum,
    Product,
    Mean,
    Minimum,
    Maximum,
    /// How many aren't null.
    Count,
    /// How many there are, nulls among them.
    Length,
    /// How many are null.
    NullCount,
    /// With so many degrees of freedom taken off.
    StandardDeviation(u8),
    Variance(u8),
    Median,
    /// Linear between neighbours; which one, by the bits of a float.
    Quantile(u64),
    /// How many different values there are, null among them.
    Unique,
    /// The same without null.
    UniqueNotNull,
    First,
    FirstNotNull,
    Last,
    LastNotNull,
    Any,
    All,
    Skewness,
    Kurtosis,
}

impl Aggregate {
    /// Whether it depends on the order of the values.
    pub(super) fn looks_at_order(self) -> bool {
        matches!(self, Self::First | Self::FirstNotNull | Self::Last | Self::LastNotNull)
    }
}

/// How equal values are ranked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Ties {
    Average,
    Minimum,
    Maximum,
    First,
    Dense,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum WindowFunction {
    CumulativeSum,
    CumulativeProduct,
    CumulativeMinimum,
    CumulativeMaximum,
    /// Moved down by so many rows; `fill`, of the same type, where none comes from.
    Shift {
        rows: i64,
        fill: Option<super::Value>,
    },
    Rank {
        ties: Ties,
        descending: bool,
    },
    /// Nulls as the last value above.
    FillForward,
    /// Nulls as the next value below.
    FillBackward,
}

/// An end of a string.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum Side {
    Start,
    End,
    Both,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TextFunction {
    /// How many characters.
    Length,
    /// Whether it has any bytes.
    NotEmpty,
    /// How often a pattern is found.
    Count(String),
    /// Where a text begins, in characters; -1 where it isn't.
    Find(String),
    Contains {
        pattern: String,
        literal: bool,
    },
    StartsWith(String),
    EndsWith(String),
    Lowercase,
    Uppercase,
    Capitalize,
    Strip {
        side: Side,
        characters: Option<String>,
    },
    RemovePrefix(String),
    RemoveSuffix(String),
    /// At most `count` times.
    Replace {
        pattern: String,
        by: String,
        literal: bool,
        count: Option<i64>,
    },
    Slice {
        start: i64,
        stop: Option<i64>,
    },
    Get(i64),
    SplitGet {
        separator: String,
        at: i64,
    },
    Extract(String),
    FillWithZeros(u32),
    Pad {
        side: Side,
        width: u32,
        fill: char,
    },
    Repeat(usize),
    /// As Python reads numbers; what is none is an error at run time.
    #[serde(with = "by_name")]
    ParseNumber(DType),
    /// As points in time; what can't be read is null unless `strict`.
    ParseDatetime {
        unit: TimeUnit,
        zone: Option<String>,
        format: Option<String>,
        strict: bool,
    },
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimeField {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Microsecond,
    /// Those beyond the microseconds.
    Nanosecond,
    /// From Monday, 0.
    DayOfWeek,
    DayOfYear,
    Quarter,
    DaysInMonth,
}

#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub enum TimeFunction {
    Field(TimeField),
    Week,
    IsLeapYear,
    Date,
    TimeOfDay,
    /// The midnight before.
    Normalize,
    Format(String),
    /// Down to a multiple of so many of their units.
    Floor(i64),
    /// Up to one.
    Ceiling(i64),
    IsMonthStart,
    IsMonthEnd,
    IsQuarterStart,
    IsQuarterEnd,
    IsYearStart,
    IsYearEnd,
    /// The same clock in a zone (or in none).
    Localize(Option<String>),
    /// The same moment in a zone; in none as UTC's clock shows it.
    Convert(Option<String>),
    /// Of lengths of time.
    TotalSeconds,
    Days,
    Seconds,
    Microseconds,
    Nanoseconds,
}

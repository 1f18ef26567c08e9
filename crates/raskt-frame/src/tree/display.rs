use super::*;
use std::fmt;

impl fmt::Display for Expr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Column(name) => f.write_str(name),
            Self::Literal(value) => value.fmt(f),
            Self::Cast { input, dtype, .. } => write!(f, "{}.astype({dtype})", input),
            Self::Map { function, input } => write!(f, "{}({})", word(function), input),
            Self::Arithmetic { operation, left, right } => {
                let sign = match operation {
                    // The second sum is there for the first one only.
                    Arithmetic::CheckedSum => return left.fmt(f),
                    Arithmetic::Add | Arithmetic::AddTimes => "+",
                    Arithmetic::Subtract | Arithmetic::SubtractTimes => "-",
                    Arithmetic::Multiply | Arithmetic::MultiplyTimes => "*",
                    Arithmetic::Divide | Arithmetic::Quotient => "/",
                    Arithmetic::FloorDivide | Arithmetic::FloorQuotient => "//",
                    Arithmetic::Remainder | Arithmetic::FloorRemainder => "%",
                    Arithmetic::Power | Arithmetic::IntegerPower => "**",
                };
                write!(f, "({} {sign} {})", left, right)
            }
            Self::Comparison { operation, left, right } => {
                let sign = match operation {
                    Comparison::Equal => "==",
                    Comparison::NotEqual => "!=",
                    Comparison::Less => "<",
                    Comparison::LessOrEqual => "<=",
                    Comparison::Greater => ">",
                    Comparison::GreaterOrEqual => ">=",
                };
                write!(f, "({} {sign} {})", left, right)
            }
            Self::Logical { operation, left, right } => {
                let sign = match operation {
                    Logical::And => "&",
                    Logical::Or => "|",
                    Logical::Xor => "^",
                };
                write!(f, "({} {sign} {})", left, right)
            }
            Self::Conditional { condition, then, otherwise } => {
                write!(f, "({} if {} else {})", then, condition, otherwise)
            }
            Self::Coalesce(inputs) => call(f, "coalesce", inputs),
            Self::IsIn { input, values, .. } => write!(f, "{}.isin({} values)", input, values.len()),
            Self::Text { function, input } => write!(f, "{}.str.{}", input, word(function)),
            Self::ConcatText { inputs, .. } => call(f, "concat", inputs),
            Self::Time { function, input } => write!(f, "{}.dt.{}", input, word(function)),
            Self::Aggregate { function, input } => write!(f, "{}.{}()", input, word(function)),
            Self::Length => f.write_str("len()"),
            Self::Window { function, input } => write!(f, "{}.{}()", input, word(function)),
            Self::Over { input, keys } => {
                write!(f, "{}", input)?;
                call(f, ".over", keys)
            }
            Self::RowNumber => f.write_str("row_number()"),
        }
    }
}

/// Long parts are left out.
impl fmt::Display for Child {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.is_long() { f.write_str("...") } else { (**self).fmt(f) }
    }
}

fn call(f: &mut fmt::Formatter<'_>, name: &str, arguments: &[Child]) -> fmt::Result {
    let arguments: Vec<String> = arguments.iter().map(|argument| argument.to_string()).collect();
    write!(f, "{name}({})", arguments.join(", "))
}

/// The first word of a function's name, in small letters: for people to read, nothing hangs on it.
fn word(function: &impl fmt::Debug) -> String {
    let name = format!("{function:?}");
    name.split(|letter: char| !letter.is_alphanumeric()).next().unwrap_or_default().to_lowercase()
}

impl fmt::Display for Value {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null(_) => f.write_str("NA"),
            Self::Bool(value) => f.write_str(if *value { "True" } else { "False" }),
            Self::Integer { value, .. } => value.fmt(f),
            Self::Single(bits) => write!(f, "{:?}", f32::from_bits(*bits)),
            Self::Double(bits) => write!(f, "{:?}", f64::from_bits(*bits)),
            Self::Decimal { value, scale, .. } => write!(f, "{value}e-{scale}"),
            Self::Text(text) => write!(f, "{text:?}"),
            Self::Date(days) => write!(f, "day {days}"),
            Self::Datetime { value, unit, .. } => write!(f, "{value} {unit}"),
            Self::Duration { value, unit } => write!(f, "{value} {unit}"),
        }
    }
}

impl fmt::Display for TimeUnit {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Milliseconds => "ms",
            Self::Microseconds => "us",
            Self::Nanoseconds => "ns",
        })
    }
}

impl fmt::Display for ColumnDtype {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Number(dtype) => dtype.fmt(f),
            Self::Decimal { precision, scale } => write!(f, "decimal({precision}, {scale})"),
            Self::Text => f.write_str("str"),
            Self::Binary => f.write_str("bytes"),
            Self::Enumeration(_) | Self::Category { .. } => f.write_str("category"),
            Self::Date => f.write_str("date"),
            Self::Datetime(unit, None) => write!(f, "datetime64[{unit}]"),
            Self::Datetime(unit, Some(zone)) => write!(f, "datetime64[{unit}, {zone}]"),
            Self::Duration(unit) => write!(f, "timedelta64[{unit}]"),
            Self::TimeOfDay => f.write_str("time"),
            Self::List(inner) | Self::Array(inner, _) => write!(f, "list of {inner}"),
            Self::Struct(fields) => write!(f, "struct of {} fields", fields.len()),
        }
    }
}

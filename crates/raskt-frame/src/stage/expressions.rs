//! The one place where trees become expressions of the engine, and where the engine's own rules are kept from showing.

use super::runtimes::outside;
use super::text::text;
use super::time::time;
use super::{functions, numbers, ticks};
use crate::error::Result;
use crate::tree::*;
use polars::chunked_array::cast::CastOptions;
use polars::prelude as engine;
use polars::prelude::{IntoLazy as _, lit};
use std::collections::HashMap;

/// Trees as the engine computes them. Equal parts are translated once: the engine finds what expressions share by their
/// identity where functions of raskt's own are in them, and a tree with a part twice is not written out twice.
#[derive(Default)]
pub(crate) struct Translation {
    known: HashMap<u128, engine::Expr>,
}

impl Translation {
    /// `expr` as the engine computes it.
    pub(crate) fn of(&mut self, expr: &Expr) -> Result<engine::Expr> {
        self.once(expr.digest(), expr)
    }

    /// All of `expressions`.
    pub(crate) fn all(&mut self, expressions: &[Expr]) -> Result<Vec<engine::Expr>> {
        expressions.iter().map(|expr| self.of(expr)).collect()
    }

    fn once(&mut self, digest: u128, expr: &Expr) -> Result<engine::Expr> {
        if let Some(known) = self.known.get(&digest) {
            return Ok(known.clone());
        }
        let found = self.write(expr)?;
        self.known.insert(digest, found.clone());
        Ok(found)
    }

    fn part(&mut self, part: &Child) -> Result<engine::Expr> {
        self.once(part.digest(), part)
    }

    fn parts(&mut self, parts: &[Child]) -> Result<Vec<engine::Expr>> {
        parts.iter().map(|part| self.part(part)).collect()
    }

    fn write(&mut self, expr: &Expr) -> Result<engine::Expr> {
        Ok(match expr {
            Expr::Column(name) => column(name.as_str()),
            Expr::Literal(value) => constant(value)?,
            Expr::Cast { input, dtype, conversion } => {
                let (input, dtype) = (self.part(input)?, dtype.to_engine()?);
                match conversion {
                    Conversion::Strict => input.strict_cast(dtype),
                    Conversion::Lenient => input.cast(dtype),
                    Conversion::Wrapping => input.cast_with_options(dtype, CastOptions::Overflowing),
                }
            }
            Expr::Map { function, input } => mapped(*function, self.part(input)?),
            Expr::Arithmetic { operation, left, right } => arithmetic(*operation, self.part(left)?, self.part(right)?),
            Expr::Comparison { operation, left, right } => {
                let (left, right) = (self.part(left)?, self.part(right)?);
                match operation {
                    Comparison::Equal => left.eq(right),
                    Comparison::NotEqual => left.neq(right),
                    Comparison::Less => left.lt(right),
                    Comparison::LessOrEqual => left.lt_eq(right),
                    Comparison::Greater => left.gt(right),
                    Comparison::GreaterOrEqual => left.gt_eq(right),
                }
            }
            Expr::Logical { operation, left, right } => {
                let (left, right) = (self.part(left)?, self.part(right)?);
                match operation {
                    Logical::And => left.and(right),
                    Logical::Or => left.or(right),
                    Logical::Xor => left.xor(right),
                }
            }
            Expr::Conditional { condition, then, otherwise } => {
                engine::when(self.part(condition)?).then(self.part(then)?).otherwise(self.part(otherwise)?)
            }
            Expr::Coalesce(inputs) => match inputs.as_slice() {
                [input, by] => self.part(input)?.fill_null(self.part(by)?),
                inputs => engine::coalesce(&self.parts(inputs)?),
            },
            Expr::IsIn { input, values, dtype } => {
                let values: Vec<engine::Scalar> = values.iter().map(Value::to_engine).collect::<Result<_>>()?;
                let values: Vec<engine::AnyValue<'_>> = values.iter().map(|value| value.value().clone()).collect();
                let name = engine::PlSmallStr::EMPTY;
                let values = engine::Series::from_any_values_and_dtype(name, &values, &dtype.to_engine()?, true)?;
                self.part(input)?.is_in(lit(values).implode(true), false)
            }
            Expr::Text { function, input } => text(function, self.part(input)?)?,
            Expr::ConcatText { inputs, separator } => engine::concat_str(self.parts(inputs)?, separator, false),
            Expr::Time { function, input } => time(function, self.part(input)?)?,
            Expr::Aggregate { function, input } => aggregated(*function, self.part(input)?),
            Expr::Length => engine::len().cast(engine::DataType::Int64),
            Expr::Window { function, input } => window(function, self.part(input)?)?,
            Expr::Over { input, keys } => self.part(input)?.over(self.parts(keys)?)?,
            Expr::RowNumber => engine::int_range(lit(0), engine::len(), 1, engine::DataType::Int64),
        })
    }
}

/// The column of just that name: the engine takes names with a star, or between `^` and `$`, for patterns.
pub(super) fn column(name: impl Into<engine::PlSmallStr>) -> engine::Expr {
    engine::Expr::Column(name.into())
}

fn constant(value: &Value) -> Result<engine::Expr> {
    Ok(engine::Expr::Literal(engine::LiteralValue::Scalar(value.to_engine()?)))
}

fn mapped(function: Function, x: engine::Expr) -> engine::Expr {
    match function {
        Function::IsNull => x.is_null(),
        Function::IsNotNull => x.is_not_null(),
        Function::IsNan => x.is_nan(),
        Function::IsNotNan => x.is_not_nan(),
        Function::IsMarkedMissing => crate::logical::is_missing(x),
        Function::NanAsNull => x.fill_nan(lit(engine::NULL)),
        Function::Not => x.not(),
        Function::Negative => -x,
        Function::Absolute => x.abs(),
        Function::Sign => x.sign(),
        Function::Floor => x.floor(),
        Function::Ceiling => x.ceil(),
        Function::Round(decimals) => x.round(decimals, engine::RoundMode::HalfToEven),
        Function::RoundScaled(decimals) => numbers::rounded(x, decimals),
        Function::Truncate(dtype) => numbers::truncated(x, dtype),
        Function::SquareRoot => x.sqrt(),
        Function::Exponential => x.exp(),
        Function::Logarithm => x.log(lit(std::f64::consts::E)),
        Function::Logarithm2 => x.log(lit(2.0)),
        Function::Logarithm10 => x.log(lit(10.0)),
        Function::Logarithm1p => x.log1p(),
        Function::Sine => x.sin(),
        Function::Cosine => x.cos(),
        Function::Tangent => x.tan(),
        Function::Arcsine => x.arcsin(),
        Function::Arccosine => x.arccos(),
        Function::Arctangent => x.arctan(),
        Function::HyperbolicSine => x.sinh(),
        Function::HyperbolicCosine => x.cosh(),
        Function::HyperbolicTangent => x.tanh(),
        Function::DividedBy(bits) => functions::divided_by(x, f64::from_bits(bits)),
        Function::RefuseMissing => functions::refuse_missing(x),
        Function::RefuseZero => functions::refuse_zero(x),
        Function::RefuseRounded => functions::refuse_rounded(x),
        Function::RefuseLarge => functions::refuse_large(x),
        Function::DecimalAsFloat => functions::decimal_as_float(x),
        Function::FloatAsText => functions::float_text(x),
        Function::FinerTime(unit) => ticks::finer(x, unit),
    }
}

fn arithmetic(operation: Arithmetic, x: engine::Expr, y: engine::Expr) -> engine::Expr {
    match operation {
        Arithmetic::Add => x + y,
        Arithmetic::Subtract => x - y,
        Arithmetic::Multiply => x * y,
        Arithmetic::Divide => x / y,
        Arithmetic::FloorDivide => x.floor_div(y),
        Arithmetic::Remainder => x % y,
        Arithmetic::Power => x.pow(y),
        Arithmetic::IntegerPower => functions::integer_power(x, y),
        Arithmetic::Quotient => functions::pairs(x, y, functions::QUOTIENT),
        Arithmetic::FloorQuotient => functions::pairs(x, y, functions::FLOOR_QUOTIENT),
        Arithmetic::FloorRemainder => functions::pairs(x, y, functions::FLOOR_REMAINDER),
        Arithmetic::AddTimes | Arithmetic::SubtractTimes | Arithmetic::MultiplyTimes => ticks::checked(x, y, operation),
        Arithmetic::CheckedSum => ticks::checked_sums(x, y),
    }
}

fn aggregated(function: Aggregate, x: engine::Expr) -> engine::Expr {
    let whole = |count: engine::Expr| count.cast(engine::DataType::Int64);
    match function {
        Aggregate::Sum => x.sum(),
        Aggregate::Product => x.product(),
        Aggregate::Mean => x.mean(),
        Aggregate::Minimum => x.min(),
        Aggregate::Maximum => x.max(),
        Aggregate::Count => whole(x.count()),
        Aggregate::Length => whole(x.len()),
        Aggregate::NullCount => whole(x.null_count()),
        Aggregate::StandardDeviation(ddof) => x.std(ddof),
        Aggregate::Variance(ddof) => x.var(ddof),
        Aggregate::Median => x.median(),
        Aggregate::Quantile(bits) => x.quantile(lit(f64::from_bits(bits)), engine::QuantileMethod::Linear),
        Aggregate::Unique => whole(x.n_unique()),
        Aggregate::UniqueNotNull => whole(x.drop_nulls().n_unique()),
        Aggregate::First => x.first(),
        Aggregate::FirstNotNull => x.first_non_null(),
        Aggregate::Last => x.last(),
        Aggregate::LastNotNull => x.last_non_null(),
        Aggregate::Any => x.any(true),
        Aggregate::All => x.all(true),
        Aggregate::Skewness => x.skew(false),
        Aggregate::Kurtosis => x.kurtosis(true, false),
    }
}

fn window(function: &WindowFunction, x: engine::Expr) -> Result<engine::Expr> {
    Ok(match function {
        WindowFunction::CumulativeSum => x.cum_sum(false),
        WindowFunction::CumulativeProduct => x.cum_prod(false),
        WindowFunction::CumulativeMinimum => x.cum_min(false),
        WindowFunction::CumulativeMaximum => x.cum_max(false),
        WindowFunction::Shift { rows, fill: None } => x.shift(lit(*rows)),
        WindowFunction::Shift { rows, fill: Some(fill) } => x.shift_and_fill(lit(*rows), constant(fill)?),
        WindowFunction::Rank { ties, descending } => {
            let method = match ties {
                Ties::Average => engine::RankMethod::Average,
                Ties::Minimum => engine::RankMethod::Min,
                Ties::Maximum => engine::RankMethod::Max,
                Ties::First => engine::RankMethod::Ordinal,
                Ties::Dense => engine::RankMethod::Dense,
            };
            let options = engine::RankOptions { method, descending: *descending };
            x.rank(options, None).cast(engine::DataType::Float64)
        }
        WindowFunction::FillForward => x.fill_null_with_strategy(engine::FillNullStrategy::Forward(None)),
        WindowFunction::FillBackward => x.fill_null_with_strategy(engine::FillNullStrategy::Backward(None)),
    })
}

pub(super) fn engine_type_of(scope: &engine::Schema, expr: engine::Expr) -> Result<engine::DataType> {
    let mut query = engine::DataFrame::empty_with_schema(scope).lazy().select([expr.alias("it")]);
    let schema = outside(|| query.collect_schema())?;
    Ok(schema.get_at_index(0).expect("one column was selected").1.clone())
}

/// The engine's own type for values of both.
pub(crate) fn common_engine_type(a: &engine::DataType, b: &engine::DataType) -> Result<engine::DataType> {
    let fields = [engine::Field::new("a".into(), a.clone()), engine::Field::new("b".into(), b.clone())];
    let either = engine::when(lit(true)).then(column("a")).otherwise(column("b"));
    engine_type_of(&engine::Schema::from_iter(fields), either)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::stage::type_of;
    use crate::tree::column;
    use raskt_value::DType;

    /// Every operation of every two types of numbers is of the type that the tree promises, or is refused.
    #[test]
    fn the_engine_keeps_what_the_tree_promises() {
        use Arithmetic::*;
        let numbers = DType::ALL.into_iter().filter(|dtype| !matches!(dtype, DType::C64 | DType::C128));
        for dtype in numbers.filter(|dtype| *dtype != DType::Bool) {
            let own = ColumnDtype::Number(dtype);
            let field = |name: &str| engine::Field::new(name.into(), own.to_engine().unwrap());
            let scope = engine::Schema::from_iter([field("a"), field("b")]);
            let float = dtype.kind() == raskt_value::Kind::Float;
            let operations: &[Arithmetic] = match float {
                true => &[Add, Subtract, Multiply, Divide, Quotient, FloorQuotient, FloorRemainder, Power],
                false => &[Add, Subtract, Multiply, FloorDivide, Remainder, IntegerPower],
            };
            for operation in operations {
                let expr = column("a").arithmetic(*operation, column("b"));
                assert_eq!(type_of(&scope, &expr).unwrap(), own.to_engine().unwrap(), "{operation:?} of {dtype}");
            }
        }
    }

    /// Functions of raskt's own are equal to the engine where they are one: only then does it compute them once.
    #[test]
    fn what_expressions_share_is_one() {
        let float = |name: &str| Expr::Map { function: Function::DecimalAsFloat, input: column(name).into() };
        let (price, other) = (float("price"), float("price") * float("tax"));
        let mut translation = Translation::default();
        let price = translation.of(&price).unwrap();
        let engine::Expr::BinaryExpr { left, .. } = translation.of(&other).unwrap() else { panic!("a product") };
        assert_eq!(*left, price);
        assert_ne!(Translation::default().of(&float("price")).unwrap(), price);
    }

    #[test]
    fn operands_of_different_types_are_refused() {
        let field = |name: &str, dtype| engine::Field::new(name.into(), dtype);
        let scope =
            engine::Schema::from_iter([field("a", engine::DataType::Int8), field("b", engine::DataType::Int64)]);
        assert!(type_of(&scope, &(column("a") + column("b"))).is_err());
    }
}

use super::*;
use crate::error::Result;
use raskt_value::DType;

fn scope(name: &str) -> Result<ColumnDtype> {
    Ok(match name {
        "x" => ColumnDtype::FLOAT64,
        "t" => ColumnDtype::Datetime(TimeUnit::Microseconds, Some("UTC".into())),
        _ => ColumnDtype::INT64,
    })
}

/// A tree with a node of every kind.
fn sample() -> Expr {
    let sum = (column("x") / literal(3.0)).sum();
    let text =
        column("s").text(TextFunction::Replace { pattern: "a".into(), by: "b".into(), literal: true, count: None });
    let found = concat_text([text, literal("é")], "-").text(TextFunction::Length);
    let is_in = Expr::IsIn { input: found.into(), values: vec![Value::from(1_i64)], dtype: ColumnDtype::INT64 };
    let moved = column("x").window(WindowFunction::Shift { rows: 1, fill: Some(Value::from(f64::NAN)) });
    let year = column("t").time(TimeFunction::Field(TimeField::Year)).cast(ColumnDtype::FLOAT64);
    let condition = is_in.or(moved.clone().is_null()).and(row_number().equals(Expr::Length));
    when(condition, coalesce([moved, year]), sum.over([column("k")]))
}

#[test]
fn trees_that_differ_in_a_constant_differ() {
    let divided = |value: f64| column("x").map(Function::DividedBy(value.to_bits())).sum();
    assert_ne!(divided(3.0), divided(5.0));
    assert_ne!(divided(3.0).digest(), divided(5.0).digest());
    assert_eq!(divided(3.0).digest(), divided(3.0).digest());
    assert_ne!((column("x") + literal(0.0)).digest(), (column("x") + literal(-0.0)).digest());
    assert_ne!(missing(ColumnDtype::INT64).digest(), missing(ColumnDtype::FLOAT64).digest());
}

#[test]
fn results_have_the_types_of_the_table() {
    assert_eq!(sample().dtype(&scope).unwrap(), ColumnDtype::FLOAT64);
    assert!((column("x") + column("k")).dtype(&scope).is_err(), "operands have to be of one type");
    let narrow = column("k").cast(ColumnDtype::Number(DType::I8)).aggregate(Aggregate::Mean);
    assert_eq!(narrow.dtype(&scope).unwrap(), ColumnDtype::FLOAT64);
}

#[test]
fn a_tree_is_read_as_it_is_written() {
    let tree = (column("x") / literal(2.0)).sum().at_least(literal(1_i64));
    assert_eq!(tree.to_string(), "((x / 2.0).sum() >= 1)");
    assert_eq!(sample().columns(), ["s", "x", "t", "k"]);
}

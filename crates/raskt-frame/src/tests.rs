//! Plans against what pandas gives for them.

mod evaluator;
mod plans;
mod shown;
mod wire;

use crate::*;
use evaluator::{compute, evaluate, table};
use polars::prelude::{Column as Values, DataFrame, DataType, ParquetWriter};
use raskt_graph::GraphBuilder;
use std::fs;
use std::path::Path;

/// One column of it, as text.
fn column(frame: &Frame, name: &str) -> String {
    let values: Vec<String> =
        compute(frame).column(name).unwrap().as_materialized_series().iter().map(|it| it.to_string()).collect();
    values.join(" ")
}

fn labels(frame: &Frame) -> String {
    column(frame, &index_column_name(0))
}

fn frame_of(columns: Vec<Values>, partitions: usize) -> Frame {
    let table = DataFrame::new_infer_height(columns).unwrap();
    let rows = table.height().div_ceil(partitions).max(1);
    let parts = (0..partitions).map(|at| table.slice((at * rows) as i64, rows)).collect();
    memory(parts, &[], &[], None)
}

/// Six rows in two partitions: with keys, and numbers some of which are missing or NaN.
fn sample() -> Frame {
    frame_of(
        vec![
            Values::new("k".into(), ["b", "a", "b", "c", "a", "b"]),
            Values::new("x".into(), [Some(1.0), None, Some(f64::NAN), Some(4.0), Some(5.0), Some(-6.0)]),
            Values::new("i".into(), [1_i64, 2, 3, 4, 5, 6]),
        ],
        2,
    )
}

fn number(value: i64) -> ColumnOrValue {
    ColumnOrValue::Literal(Literal::Int(value))
}

fn reduced(frame: &Frame, name: &str, function: &str) -> String {
    let scalar = frame.column(name).unwrap().reduce(function, ReduceOptions::default()).unwrap();
    let mut graph = GraphBuilder::new();
    lower_whole(&mut graph, &StageOutput::of_column(&scalar)).unwrap();
    let found = table(&evaluate(&graph.finish()).unwrap());
    found.columns()[0].as_materialized_series().get(0).unwrap().to_string()
}

#[test]
fn nan_and_null_are_both_missing() {
    let frame = sample();
    for (function, expected) in
        [("sum", "4.0"), ("count", "4"), ("mean", "1.0"), ("min", "-6.0"), ("max", "5.0"), ("nunique", "4")]
    {
        assert_eq!(reduced(&frame, "x", function), expected, "{function}");
    }
    let missing =
        frame.select(&[("m", ColumnOrValue::Column(frame.column("x").unwrap().unary("isna").unwrap()))]).unwrap();
    assert_eq!(column(&missing, "m"), "false true true false false false");
    assert_eq!(column(&frame.drop_missing(Some(&["x"]), false, None).unwrap(), "i"), "1 4 5 6");
}

#[test]
fn comparisons_with_missing_are_false_but_unequal() {
    let frame = sample();
    let x = frame.column("x").unwrap();
    for (op, expected) in [
        ("gt", "true false false true true false"),
        ("lt", "false false false false false true"),
        ("eq", "false false false false false false"),
        ("ne", "true true true true true true"),
    ] {
        let compared = x.binary(op, &number(0), false).unwrap();
        let compared = frame.select(&[("c", ColumnOrValue::Column(compared))]).unwrap();
        assert_eq!(column(&compared, "c"), expected, "{op}");
    }
    let negated = x.binary("gt", &number(0), false).unwrap().unary("invert").unwrap();
    assert_eq!(column(&frame.filter(&negated).unwrap(), "i"), "2 3 6");
}

#[test]
fn labels_stay_with_their_rows() {
    let frame = sample();
    let large = frame.column("i").unwrap().binary("gt", &number(2), false).unwrap();
    let filtered = frame.filter(&large).unwrap();
    assert_eq!(labels(&filtered), "2 3 4 5");
    let sorted = filtered.sort(&[filtered.column("k").unwrap()], &[true], NullPosition::Last, false).unwrap();
    assert_eq!(labels(&sorted), "4 2 5 3");
    assert_eq!(labels(&sorted.tail(2).unwrap()), "5 3");
    assert!(matches!(sorted.reset_index(true, None).unwrap().index, Index::Rows(_)));
}

#[test]
fn groups_come_by_key_or_by_first_row() {
    let frame = sample();
    let sum = |sort| {
        let aggregation = Aggregation {
            name: "s".into(),
            column: frame.column("x").unwrap(),
            function: "sum".into(),
            options: ReduceOptions::default(),
        };
        frame.group(&[frame.column("k").unwrap()], &[aggregation], sort, true, true).unwrap()
    };
    assert_eq!(labels(&sum(true)), "\"a\" \"b\" \"c\"");
    assert_eq!(column(&sum(true), "s"), "5.0 -5.0 4.0");
    assert_eq!(labels(&sum(false)), "\"b\" \"a\" \"c\"");
}

#[test]
fn joins_keep_the_order_of_the_left_and_match_missing_keys() {
    let left = frame_of(
        vec![Values::new("k".into(), [Some(2_i64), None, Some(1), Some(9)]), Values::new("a".into(), [1_i64, 2, 3, 4])],
        1,
    );
    let right = frame_of(
        vec![
            Values::new("k".into(), [Some(1_i64), Some(2), None, Some(2)]),
            Values::new("b".into(), [10_i64, 20, 30, 40]),
        ],
        1,
    );
    let join = |how| {
        let keys = |frame: &Frame| JoinKeys::Columns(vec![frame.column("k").unwrap()]);
        let options = JoinOptions { how, suffixes: ("_x".into(), "_y".into()), indicator: None };
        left.join(&right, &keys(&left), &keys(&right), &options).unwrap()
    };
    assert_eq!(column(&join(JoinHow::Inner), "b"), "20 40 30 10");
    assert_eq!(column(&join(JoinHow::Left), "a"), "1 1 2 3 4");
    assert_eq!(column(&join(JoinHow::Outer), "k"), "1 2 2 9 null");
    assert_eq!(column(&join(JoinHow::LeftAnti), "a"), "4");
}

#[test]
fn division_is_that_of_python() {
    let frame = frame_of(vec![Values::new("x".into(), [-7.0, 2.0, 1.0]), Values::new("y".into(), [2.0, 0.1, 0.0])], 1);
    let (x, y) = (frame.column("x").unwrap(), ColumnOrValue::Column(frame.column("y").unwrap()));
    let computed = |op| {
        let values = ColumnOrValue::Column(x.binary(op, &y, false).unwrap());
        column(&frame.select(&[("v", values)]).unwrap(), "v")
    };
    assert_eq!(computed("floordiv"), "-4.0 19.0 inf");
    assert_eq!(computed("mod"), "1.0 0.1 NaN");
    assert_eq!(computed("truediv"), "-3.5 20.0 inf");
}

#[test]
fn columns_of_other_rows_are_refused() {
    let (a, b) = (sample(), sample());
    let other = ColumnOrValue::Column(b.column("x").unwrap());
    let error = a.column("x").unwrap().binary("add", &other, false).unwrap_err();
    assert!(matches!(error, FrameError::NotImplemented(_)));
    let error = a.column("k").unwrap().binary("add", &number(1), false).unwrap_err();
    assert!(matches!(error, FrameError::Type(_)), "{error}");
}

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    fs::write(&path, text).unwrap();
    path.to_string_lossy().to_string()
}

#[test]
fn csv_columns_have_the_types_of_all_files() {
    let folder = tempfile::tempdir().unwrap();
    let first = write(folder.path(), "1.csv", "a,b,s\n1,True,x\n2,False,\n");
    let second = write(folder.path(), "2.csv", "a,b,s\nNA,True,\"q,r\"\n");
    let frame = read_csv(&[first.clone(), second], CsvOptions::default()).unwrap();
    assert_eq!(column(&frame, "a"), "1.0 2.0 null");
    assert_eq!(column(&frame, "s"), "\"x\" null \"q,r\"");
    assert_eq!(frame.root.length(), Some(3));
    let other = write(folder.path(), "3.csv", "a,c,s\n1,True,x\n");
    let error = read_csv(&[first, other], CsvOptions::default()).unwrap_err().to_string();
    assert!(error.contains("3.csv") && error.contains('c'), "{error}");
}

#[test]
fn what_is_not_needed_is_not_read() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("t.parquet");
    let mut table = compute(&sample());
    ParquetWriter::new(fs::File::create(&path).unwrap()).finish(&mut table).unwrap();
    let frame = read_parquet(&[path.to_string_lossy().to_string()], &ParquetOptions::default()).unwrap();
    let large = frame.column("i").unwrap().binary("gt", &number(2), false).unwrap();
    let sum = frame.filter(&large).unwrap().column("x").unwrap().reduce("sum", ReduceOptions::default()).unwrap();
    let plan = sum.explain_engine().unwrap();
    assert!(plan.contains("PROJECT 2/3 COLUMNS") && plan.contains("SELECTION"), "{plan}");
    assert!(!plan.contains("ROW INDEX"), "{plan}");
    assert!(sum.explain().lines().all(|line| !line.starts_with("pandas")));
}

#[test]
fn a_corrupt_file_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = write(folder.path(), "bad.parquet", "PAR1 this is no Parquet file PAR1");
    let error = read_parquet(&[path], &ParquetOptions::default()).unwrap_err();
    assert!(matches!(&error, FrameError::Io(message) if message.contains("bad.parquet")), "{error}");
}

#[test]
fn partitions_are_written_to_a_file_each() {
    let folder = tempfile::tempdir().unwrap();
    let options = WriteOptions {
        path: folder.path().join("out"),
        single_file: false,
        has_folder: false,
        columns: vec!["k".into(), "x".into(), "i".into()],
        format: WriteFormat::Csv { separator: b',', header: true },
    };
    let mut graph = GraphBuilder::new();
    lower_write(&mut graph, &StageOutput::of_frame(&sample()), &options).unwrap();
    evaluate(&graph.finish()).unwrap();
    let text = fs::read_to_string(folder.path().join("out/part.1.csv")).unwrap();
    assert_eq!(text, "k,x,i\nc,4.0,4\na,5.0,5\nb,-6.0,6\n");
    assert_eq!(fs::read_dir(folder.path().join("out")).unwrap().count(), 2);
}

#[test]
fn an_error_of_a_stage_says_what_is_wrong() {
    let frame = sample();
    let cast = frame.column("x").unwrap().cast(&DataType::Int64).unwrap();
    let mut graph = GraphBuilder::new();
    lower_whole(&mut graph, &StageOutput::of_column(&cast)).unwrap();
    let error = evaluate(&graph.finish()).unwrap_err();
    assert_eq!(error.kind, raskt_value::ErrorKind::Value);
    assert!(error.message.contains("missing values can't be converted to integers"), "{}", error.message);
}

//! What frames and columns look like, as it is written: the plan over the same tables shows and computes the same.

use super::evaluator::{compute, evaluate};
use super::{frame_of, number, sample};
use crate::*;
use polars::prelude::{Column as Values, DataType};
use proptest::prelude::*;
use raskt_graph::{GraphBuilder, GraphError, LayerId, Lower};
use raskt_value::Value;
use raskt_value::wire::Decoders;
use std::sync::Arc;

/// Through bytes and back.
fn again<T: serde::Serialize + serde::de::DeserializeOwned>(form: &T) -> T {
    postcard::from_bytes(&postcard::to_stdvec(form).unwrap()).unwrap()
}

/// Tables that a stage gives, a partition each.
struct Tables(StageOutput);

impl Lower for Tables {
    fn key(&self) -> u128 {
        7
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        lower_partitions(graph, &self.0)
    }
}

fn elsewhere(frame: &Frame) -> Frame {
    let form = again(&FrameForm::of(frame).unwrap());
    assert_eq!(form.partitions(), frame.root.partitions);
    form.over(Arc::new(Tables(StageOutput::of_frame(frame)))).unwrap()
}

fn elsewhere_column(column: &Column) -> Column {
    let form = again(&ColumnForm::of(column).unwrap());
    form.over(Arc::new(Tables(column.tables()))).unwrap()
}

fn check(frame: &Frame) {
    let found = elsewhere(frame);
    assert_eq!(found.names().collect::<Vec<_>>(), frame.names().collect::<Vec<_>>());
    assert_eq!(found.index.names(), frame.index.names());
    for ((_, found), (_, own)) in found.columns.iter().zip(&frame.columns) {
        assert_eq!(found.domain, own.domain);
    }
    assert_eq!((found.divisions(), found.in_order()), (frame.divisions(), frame.in_order()));
    assert_eq!(found.frequency(), frame.frequency());
    let rows = |frame: &Frame| (0..3).map(|at| frame.rows_before(at)).collect::<Vec<_>>();
    assert_eq!(rows(&found), rows(frame));
    assert!(compute(&found).equals_missing(&compute(frame)));
    // It can be shown without what makes the tables.
    let hollow = again(&FrameForm::of(frame).unwrap()).hollow().unwrap();
    assert_eq!((hollow.index.names(), hollow.frequency()), (frame.index.names(), frame.frequency()));
}

fn of_column(column: &Column) -> String {
    let mut graph = GraphBuilder::new();
    lower_whole(&mut graph, &StageOutput::of_column(column)).unwrap();
    let found = evaluate(&graph.finish()).unwrap();
    format!("{:?}", FrameTable::of(&found[0]).unwrap().frame)
}

fn check_column(column: &Column) {
    let found = elsewhere_column(column);
    assert_eq!((&found.name, found.labels, found.counted), (&column.name, column.labels, column.counted));
    assert_eq!((found.is_scalar(), &found.values.domain), (column.is_scalar(), &column.values.domain));
    assert_eq!(of_column(&found), of_column(column));
    let hollow = again(&ColumnForm::of(column).unwrap()).hollow().unwrap();
    assert_eq!((hollow.is_scalar(), hollow.labels), (column.is_scalar(), column.labels));
}

#[test]
fn frames_come_as_they_went() {
    let frame = sample();
    check(&frame);
    let large = frame.column("i").unwrap().binary("gt", &number(1), false).unwrap();
    let filtered = frame.filter(&large).unwrap();
    check(&filtered);
    check(&filtered.assign(&[("large", ColumnOrValue::Column(filtered.column("x").unwrap()))]).unwrap());
    let by_number = frame.set_index(&frame.column("i").unwrap(), true, false).unwrap();
    check(&by_number);
    let divided = by_number.divided(Some(vec![Literal::Int(1), Literal::Int(4), Literal::Int(6)]), true).unwrap();
    assert!(elsewhere(&divided).divisions().is_some());
    check(&divided);
    check(&by_number.divided(None, true).unwrap());
    check(&by_number.set_index(&by_number.column("k").unwrap(), false, true).unwrap());
    check(&frame.rename_axis(&[Some("row")]).unwrap());
    check(&frame.sort(&[frame.column("x").unwrap()], &[false], NullPosition::First, false).unwrap());
}

#[test]
fn frames_without_columns_keep_their_rows() {
    let frame = Frame { columns: vec![], ..sample() };
    let found = elsewhere(&frame);
    assert_eq!((found.columns.len(), compute(&found).height()), (0, 6));
    check(&frame);
}

#[test]
fn columns_labels_and_scalars_come_as_they_went() {
    let frame = sample();
    check_column(&frame.column("x").unwrap());
    check_column(&frame.column("x").unwrap().rename(None));
    check_column(&frame.labels().unwrap());
    for (name, function) in [("x", "sum"), ("i", "max"), ("x", "count"), ("k", "min")] {
        check_column(&frame.column(name).unwrap().reduce(function, ReduceOptions::default()).unwrap());
    }
    let labelled = frame.set_index(&frame.column("i").unwrap(), true, false).unwrap();
    check_column(&labelled.column("k").unwrap());
    check_column(&labelled.labels().unwrap());
    let later = labelled.labels().unwrap().binary("add", &number(1), false).unwrap();
    check_column(&Column { labels: true, ..later });
    let several = labelled.set_index(&labelled.column("k").unwrap(), true, true).unwrap();
    check_column(&several.level(1).unwrap());
}

/// However much it takes to compute it.
#[test]
fn what_a_frame_looks_like_is_short() {
    let mut frame = sample();
    for _ in 0..200 {
        let more = frame.column("x").unwrap().binary("add", &number(1), false).unwrap();
        frame = frame.assign(&[("x", ColumnOrValue::Column(more))]).unwrap();
    }
    let bytes = postcard::to_stdvec(&FrameForm::of(&frame).unwrap()).unwrap().len();
    assert!(bytes < 200, "{bytes}");
}

#[test]
fn types_are_written_once_and_come_as_they_went() {
    let domain = |dtype: DataType| Domain::with_missing(dtype);
    let columns =
        [("a", domain(DataType::Int64)), ("b", Domain::full(DataType::String)), ("a", domain(DataType::Int64))];
    let form = DomainsForm::of(columns.iter().map(|(name, domain)| (*name, domain))).unwrap();
    let found = again(&form).read().unwrap();
    let found: Vec<(&str, Domain)> = found.iter().map(|(name, domain)| (name.as_str(), domain.clone())).collect();
    assert_eq!(found, columns);
    let stays = Domain::full(DataType::Int128);
    let Err(error) = DomainsForm::of([("big", &stays)]) else { panic!("it has no form") };
    assert!(error.to_string().contains("i128"), "{error}");
}

#[test]
fn tables_travel_with_what_is_known_of_them() {
    let mut graph = GraphBuilder::new();
    lower_persisted(&mut graph, &StageOutput::of_frame(&sample())).unwrap();
    let found = evaluate(&graph.finish()).unwrap();
    let mut decoders = Decoders::default();
    add_decoders(&mut decoders);
    for value in &found {
        let there = decoders.unpack(value.pack().unwrap()).unwrap();
        let (own, found) = (FrameTable::of(value).unwrap(), FrameTable::of(&there).unwrap());
        assert!(found.frame.equals_missing(&own.frame));
        let facts = |value: &Value| format!("{:?}", value.summary().unwrap().downcast::<TableFacts>().unwrap());
        assert_eq!(facts(&there), facts(value));
    }
}

#[test]
fn a_table_of_types_that_are_only_here_is_refused_by_name() {
    let big = Values::new("big".into(), [1_i64]).cast(&DataType::Int128).unwrap();
    let table = FrameTable::from(polars::prelude::DataFrame::new_infer_height(vec![big]).unwrap());
    let error = Value::from(table).pack().unwrap_err();
    assert!(error.message.contains("`big` can't be sent"), "{error}");
}

#[test]
fn what_is_no_table_is_told() {
    let value = Value::from(FrameTable::from(compute(&sample())));
    let mut decoders = Decoders::default();
    add_decoders(&mut decoders);
    let mut parcel = value.pack().unwrap();
    parcel.pieces.push(parcel.pieces[0].clone());
    assert!(decoders.unpack(parcel).unwrap_err().message.contains("one piece"));
}

proptest! {
    /// What comes is a frame or an error, whatever the bytes are.
    #[test]
    fn damaged_forms_are_told(at in any::<prop::sample::Index>(), byte: u8) {
        let frame = frame_of(vec![Values::new("k".into(), ["b", "a"]), Values::new("i".into(), [1_i64, 2])], 2);
        let frame = frame.set_index(&frame.column("i").unwrap(), true, false).unwrap();
        let frame = frame.divided(Some(vec![Literal::Int(1), Literal::Int(2), Literal::Int(2)]), true).unwrap();
        let mut bytes = postcard::to_stdvec(&FrameForm::of(&frame).unwrap()).unwrap();
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(form) = postcard::from_bytes::<FrameForm>(&bytes) {
            let _ = form.hollow();
        }
        let mut bytes = postcard::to_stdvec(&ColumnForm::of(&frame.labels().unwrap()).unwrap()).unwrap();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(form) = postcard::from_bytes::<ColumnForm>(&bytes) {
            let _ = form.hollow();
        }
    }
}

//! Kernels that travel: which of them do, and what comes of bytes that are none. That they are the same elsewhere every test of
//! whole plans sees, whose kernels have all travelled before they run.

use super::evaluator::both;
use super::{frame_of, number, sample};
use crate::*;
use polars::prelude::{Column as Values, NamedFrom as _};
use proptest::prelude::*;
use raskt_graph::{Graph, GraphBuilder, Lower};
use raskt_value::wire::{Decoders, WireError, WireForm};
use raskt_value::{Kernel, NativeOp};
use std::sync::Arc;

fn decoders() -> Decoders {
    let mut decoders = Decoders::default();
    add_decoders(&mut decoders);
    decoders
}

fn kernels(graph: &Graph) -> Vec<Arc<dyn Kernel>> {
    graph.ops().map(|op| op.body.clone().downcast::<NativeOp>().expect("they are native").0.clone()).collect()
}

fn forms(graph: &Graph) -> Vec<WireForm> {
    kernels(graph).iter().filter_map(|kernel| kernel.wire()).collect()
}

/// A plan with most operators, over rows of several partitions.
fn plan() -> Frame {
    let frame = sample();
    let large = frame.column("i").unwrap().binary("gt", &number(1), false).unwrap();
    let frame = frame.filter(&large).unwrap();
    let doubled = frame.column("x").unwrap().binary("mul", &number(2), false).unwrap();
    let upper = frame.column("k").unwrap().text("upper", &[]).unwrap();
    let frame = frame.assign(&[("x", ColumnOrValue::Column(doubled)), ("u", ColumnOrValue::Column(upper))]).unwrap();
    let sorted = frame.sort(&[frame.column("x").unwrap()], &[false], NullPosition::First, false).unwrap();
    let keys = |frame: &Frame| JoinKeys::Columns(vec![frame.column("k").unwrap()]);
    let options =
        JoinOptions { how: JoinHow::Outer, suffixes: ("_l".into(), "_r".into()), indicator: Some("side".into()) };
    let other = frame.head(3).unwrap();
    let joined = sorted.join(&other, &keys(&sorted), &keys(&other), &options).unwrap();
    let both = Frame::concat(&[joined.clone(), joined.tail(2).unwrap()], ConcatJoin::Inner, true).unwrap();
    both.unique(Some(&["k", "x_l"]), Keep::Last, false).unwrap().repartition(3).unwrap()
}

fn all_forms() -> Vec<WireForm> {
    let frame = plan();
    let output = StageOutput::of_frame(&frame);
    let sum = frame.column("x_l").unwrap().reduce("sum", ReduceOptions::default()).unwrap();
    let sum = StageOutput::of_column(&sum);
    let mut graph = GraphBuilder::for_travel();
    lower_partitions(&mut graph, &output).unwrap();
    let folder = std::path::PathBuf::from("/nowhere");
    let format = WriteFormat::Parquet { compression: "zstd".into(), metadata: Some("{}".into()) };
    let columns = output.columns().iter().map(|(name, _)| name.to_string()).collect();
    let options = WriteOptions { path: folder, single_file: false, has_folder: true, columns, format };
    lower_write(&mut graph, &output, &options).unwrap();
    let numbers = sample().project(&["i"]).unwrap();
    let array = FrameToArray::new(&numbers, true).unwrap();
    let array: Arc<dyn Lower> = Arc::new(array);
    graph.lower(&ArrayToFrame { array, blocks: 2, columns: vec!["i".into()] }).unwrap();
    let mut found = forms(&graph.finish());
    let mut graph = GraphBuilder::for_travel();
    lower_together(&mut graph, &[output.clone(), sum.clone()]).unwrap();
    lower_whole(&mut graph, &output).unwrap();
    found.extend(forms(&graph.finish()));
    found
}

#[test]
fn kernels_travel_that_hold_no_data_and_others_say_why_they_dont() {
    let names: Vec<String> = all_forms().iter().map(|form| decoders().decode(form).unwrap().name()).collect();
    for name in ["frame repartition", "slice", "write", "to_array", "from_array", "part"] {
        assert!(names.iter().any(|found| found == name), "{name} of {names:?}");
    }
    let mut graph = GraphBuilder::new();
    lower_whole(&mut graph, &StageOutput::of_frame(&sample())).unwrap();
    let graph = graph.finish();
    assert!(forms(&graph).is_empty());
    let why = kernels(&graph)[0].stays_because().unwrap();
    assert!(why.contains("tables in memory"), "{why}");
}

#[cfg(unix)]
#[test]
fn files_whose_names_are_no_text_stay_here_and_are_named() {
    use std::os::unix::ffi::OsStrExt;
    let path = std::path::Path::new(std::ffi::OsStr::from_bytes(b"/tmp/\xff.csv")).to_path_buf();
    let format = WriteFormat::Csv { separator: b',', header: true };
    let options = WriteOptions { path, single_file: true, has_folder: true, columns: vec![], format };
    let mut graph = GraphBuilder::for_travel();
    lower_write(&mut graph, &StageOutput::of_frame(&sample()), &options).unwrap();
    let graph = graph.finish();
    let write = kernels(&graph).pop().unwrap();
    assert!(write.wire().is_none() && write.stays_because().unwrap().contains(".csv` isn't text"));
}

/// Step after step joins a frame with itself: written out, there would be more nodes than any memory has room for.
#[test]
fn what_is_used_twice_is_written_once() {
    let mut frame = sample();
    let mut values = frame.column("x").unwrap();
    for _ in 0..60 {
        values = values.binary("add", &ColumnOrValue::Column(values.clone()), false).unwrap();
    }
    frame = frame.assign(&[("x", ColumnOrValue::Column(values))]).unwrap();
    for _ in 0..40 {
        frame = Frame::concat(&[frame.clone(), frame.head(1).unwrap()], ConcatJoin::Outer, true).unwrap();
        frame = frame.head(3).unwrap();
    }
    let mut graph = GraphBuilder::for_travel();
    lower_whole(&mut graph, &StageOutput::of_frame(&frame)).unwrap();
    let forms = forms(&graph.finish());
    let bytes: usize = forms.iter().map(|form| form.body.len()).sum();
    assert!(bytes < 50_000, "{bytes} bytes");
    assert!(forms.iter().all(|form| decoders().decode(form).is_ok()));
}

/// What is as deep as it may be is read, and let go of, with the stack that every thread has; what is deeper is refused in words.
#[test]
fn deep_plans_travel_and_deeper_ones_say_that_they_dont() {
    let stage = |steps: usize| {
        let frame = (0..steps).fold(sample(), |frame, at| frame.head(steps + 9 - at).unwrap());
        let mut graph = GraphBuilder::for_travel();
        lower_whole(&mut graph, &StageOutput::of_frame(&frame)).unwrap();
        kernels(&graph.finish()).pop().unwrap()
    };
    let form = stage(2000).wire().unwrap();
    drop(decoders().decode(&form).unwrap());
    let deeper = stage(2100);
    assert!(deeper.wire().is_none());
    assert!(deeper.stays_because().unwrap().contains("persist some of them"));
}

/// A column of any type is of it elsewhere, and constants of it are what they were.
#[test]
fn columns_of_every_type_travel() {
    use polars::prelude::{Categories, DataType, FrozenCategories, Series, TimeUnit, TimeZone};
    let numbers = Series::new("n".into(), [Some(1_i64), None, Some(3)]);
    let texts = Series::new("t".into(), [Some("a"), None, Some("b")]);
    let zone = TimeZone::opt_try_new(Some("Europe/Oslo")).unwrap();
    let names = FrozenCategories::new(["a", "b"]).unwrap();
    let casts = [
        (&numbers, DataType::Int8),
        (&numbers, DataType::UInt64),
        (&numbers, DataType::Float32),
        (&numbers, DataType::Decimal(20, 2)),
        (&numbers, DataType::Date),
        (&numbers, DataType::Time),
        (&numbers, DataType::Datetime(TimeUnit::Microseconds, zone)),
        (&numbers, DataType::Datetime(TimeUnit::Milliseconds, None)),
        (&numbers, DataType::Duration(TimeUnit::Nanoseconds)),
        (&texts, DataType::Binary),
        (&texts, DataType::from_categories(Categories::global())),
        (&texts, DataType::from_frozen_categories(names)),
        (&numbers, DataType::List(Box::new(DataType::Int64))),
    ];
    let mut columns = vec![Values::from(Series::new("k".into(), [1_i64, 2, 3]))];
    for (at, (values, dtype)) in casts.into_iter().enumerate() {
        columns.push(values.cast(&dtype).unwrap().with_name(format!("c{at}").into()).into());
    }
    let frame = frame_of(columns, 2);
    let missing = frame.shifted_everywhere();
    for frame in [frame, missing] {
        let output = StageOutput::of_frame(&frame);
        both(|graph| lower_whole(graph, &output)).unwrap();
        both(|graph| lower_partitions(graph, &output)).unwrap();
    }
}

trait Shifted {
    fn shifted_everywhere(&self) -> Self;
}

impl Shifted for Frame {
    /// The same with nothing in the first row of columns where that is native.
    fn shifted_everywhere(&self) -> Self {
        let names: Vec<String> = self.names().map(str::to_owned).collect();
        names.iter().fold(self.clone(), |frame, name| {
            let moved = frame.column(name).and_then(|column| column.shift(1, &Literal::Missing));
            moved.and_then(|moved| frame.assign(&[(name, ColumnOrValue::Column(moved))])).unwrap_or(frame)
        })
    }
}

#[test]
fn files_are_read_and_looked_at_elsewhere() {
    let folder = tempfile::tempdir().unwrap();
    let paths: Vec<String> = ["a,b\n1,x\n2,\n", "a,b\n3,y\nNA,z\n"]
        .iter()
        .enumerate()
        .map(|(at, text)| super::write(folder.path(), &format!("{at}.csv"), text))
        .collect();
    let look = look_at_csv(&paths, CsvOptions::default()).unwrap();
    let given = super::evaluator::elsewhere(|graph| look.lower(graph)).unwrap();
    assert!(look.take(&given[1..]).is_err());
    look.take(&given).unwrap();
    let frame = look.frame().unwrap();
    let output = StageOutput::of_frame(&frame);
    let found = both(|graph| lower_partitions(graph, &output)).unwrap();
    assert_eq!(found.height(), 4);
    std::fs::write(&paths[1], "a,b\n9,y\n8,z\n7,z\n").unwrap();
    let error = both(|graph| lower_partitions(graph, &output)).unwrap_err();
    assert!(error.message.contains("1.csv` has been written since"), "{}", error.message);
}

#[test]
fn what_nobody_knows_is_refused_by_name() {
    let form = all_forms().remove(0);
    let refused = |form: WireForm| decoders().decode(&form).err().expect("it is refused").to_string();
    let text = refused(WireForm { version: 9, ..form.clone() });
    assert!(text.contains("`raskt.frame` of version 9") && text.contains("[1]"), "{text}");
    let mut longer = form.clone();
    longer.body.push(0);
    assert!(matches!(decoders().decode(&longer), Err(WireError::Malformed { .. })));
}

fn cases() -> u32 {
    std::env::var("RASKT_BYTES").ok().and_then(|cases| cases.parse().ok()).unwrap_or(2000)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: cases(), ..ProptestConfig::default() })]

    /// Cut, changed and made up: there is an error or a kernel, and never a panic.
    #[test]
    fn bytes_that_are_no_kernel_are_refused(
        which in any::<prop::sample::Index>(), is_cut in any::<bool>(), cut in any::<prop::sample::Index>(),
        changes in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 0..5),
    ) {
        thread_local!(static FORMS: Vec<WireForm> = all_forms());
        let mut form = FORMS.with(|forms| which.get(forms).clone());
        for (at, byte) in changes {
            let at = at.index(form.body.len());
            form.body[at] = byte;
        }
        if is_cut {
            form.body.truncate(cut.index(form.body.len()));
        }
        if let Ok(kernel) = decoders().decode(&form) {
            prop_assert!(!kernel.name().is_empty());
        }
    }
}

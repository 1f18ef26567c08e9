//! Kernels as they travel: those of arrays and those of frames.

use raskt_array::{Array, Chunks, Distribution, Index, Operand, ReduceOptions, Reduction, Scan, Ufunc, linalg};
use raskt_cluster::testing::Chance;
use raskt_frame::polars::prelude::{Column as Values, DataFrame};
use raskt_frame::{
    ColumnOrValue, ConcatJoin, Frame, JoinHow, JoinKeys, JoinOptions, Keep, Literal, NullPosition, StageOutput, memory,
};
use raskt_graph::{GraphBuilder, Lower as _};
use raskt_value::wire::{Decoders, WireForm};
use raskt_value::{DType, NativeOp};
use std::cell::OnceCell;

fn decoders() -> Decoders {
    let mut decoders = Decoders::default();
    raskt_array::add_decoders(&mut decoders);
    raskt_frame::add_decoders(&mut decoders);
    decoders
}

/// A kernel or an error; a kernel travels on.
pub fn read(bytes: &[u8]) {
    let Ok(form) = postcard::from_bytes::<WireForm>(bytes) else { return };
    let decoders = decoders();
    let Ok(kernel) = decoders.decode(&form) else { return };
    assert!(!kernel.name().is_empty());
    let Some(once) = kernel.wire() else { panic!("`{}` came and can't travel on", kernel.name()) };
    let again = decoders.decode(&once).expect("what was written can be read");
    assert_eq!((again.wire(), again.name()), (Some(once), kernel.name()));
}

/// One of those that expressions lower to.
pub fn of_arrays(chance: &mut Chance) -> Option<Vec<u8>> {
    thread_local!(static FORMS: OnceCell<Vec<Vec<u8>>> = const { OnceCell::new() });
    FORMS.with(|forms| one_of(forms.get_or_init(|| arrays().iter().flat_map(of_array).collect()), chance))
}

/// One of those that plans lower to.
pub fn of_frames(chance: &mut Chance) -> Option<Vec<u8>> {
    thread_local!(static FORMS: OnceCell<Vec<Vec<u8>>> = const { OnceCell::new() });
    FORMS.with(|forms| one_of(forms.get_or_init(of_plan), chance))
}

fn one_of(forms: &[Vec<u8>], chance: &mut Chance) -> Option<Vec<u8>> {
    forms.get(chance.below(forms.len() as u64) as usize).cloned()
}

fn of_array(array: &Array) -> Vec<Vec<u8>> {
    let mut graph = GraphBuilder::for_travel();
    array.lower(&mut graph).expect("it can be lowered");
    forms(graph)
}

fn forms(graph: GraphBuilder) -> Vec<Vec<u8>> {
    let graph = graph.finish();
    let native = graph.ops().filter_map(|op| op.body.downcast_ref::<NativeOp>());
    native.filter_map(|op| postcard::to_stdvec(&op.0.wire()?).ok()).collect()
}

fn arrays() -> Vec<Array> {
    let random = |seed, lengths: &[Vec<usize>]| {
        let normal = Distribution::Normal { loc: 0.0, scale: 2.0 };
        Array::random(normal, seed, 0, DType::F64, Chunks::from_lengths(lengths)).expect("it can be made")
    };
    let (a, tall) = (random(7, &[vec![3, 4, 2], vec![2, 5]]), random(8, &[vec![6, 6], vec![3]]));
    let of = |array: &Array| Operand::from(array.clone());
    let apply = |name: &str, operands: &[Operand]| {
        Array::map(Ufunc::from_name(name).expect("it is known"), operands).expect("it can be applied")
    };
    let root = apply("sin", &[of(&apply("add", &[of(&a), of(&a)]))]);
    let along = |axis: isize| ReduceOptions { axes: Some(vec![axis]), ..ReduceOptions::default() };
    let (q, _) = linalg::qr(&tall).expect("it can be factored");
    let turned = root.transpose(None).expect("it can be turned");
    let slice = Index::Slice { start: Some(8), stop: None, step: Some(-2) };
    let all = vec![
        root.reduce(Reduction::Std, &along(0)),
        root.reduce(Reduction::ArgMax, &along(0)),
        root.reduce(Reduction::Max, &along(1)),
        root.index(&[slice]),
        root.take(&[3, 1, 8, 8], 0),
        root.cumulative(Scan::Sum, Some(0), None),
        root.cumulative(Scan::Prod, Some(1), None),
        linalg::matmul(&root, &turned),
        root.reshape(&[-1]),
        Ok(q),
    ];
    all.into_iter().map(|array| array.expect("it can be")).collect()
}

fn sample() -> Frame {
    let columns: Vec<Values> = vec![
        Values::new("k".into(), ["b", "a", "b", "c", "a", "b"]),
        Values::new("x".into(), [Some(1.0), None, Some(f64::NAN), Some(4.0), Some(5.0), Some(-6.0)]),
        Values::new("i".into(), [1_i64, 2, 3, 4, 5, 6]),
    ];
    let table = DataFrame::new_infer_height(columns).expect("all have six rows");
    memory(vec![table.slice(0, 3), table.slice(3, 3)], &[], &[], None)
}

/// Most operators there are, over rows of several partitions.
fn plan() -> raskt_frame::Result<Frame> {
    let number = |value| ColumnOrValue::Literal(Literal::Int(value));
    let frame = sample();
    let large = frame.column("i")?.binary("gt", &number(1), false)?;
    let frame = frame.filter(&large)?;
    let doubled = frame.column("x")?.binary("mul", &number(2), false)?;
    let upper = frame.column("k")?.text("upper", &[])?;
    let frame = frame.assign(&[("x", ColumnOrValue::Column(doubled)), ("u", ColumnOrValue::Column(upper))])?;
    let sorted = frame.sort(&[frame.column("x")?], &[false], NullPosition::First, false)?;
    let keys = |frame: &Frame| Ok::<_, raskt_frame::FrameError>(JoinKeys::Columns(vec![frame.column("k")?]));
    let options =
        JoinOptions { how: JoinHow::Outer, suffixes: ("_l".into(), "_r".into()), indicator: Some("side".into()) };
    let other = frame.head(3)?;
    let joined = sorted.join(&other, &keys(&sorted)?, &keys(&other)?, &options)?;
    let both = Frame::concat(&[joined.clone(), joined.tail(2)?], ConcatJoin::Inner, true)?;
    both.unique(Some(&["k", "x_l"]), Keep::Last, false)?.repartition(3)
}

fn of_plan() -> Vec<Vec<u8>> {
    let output = StageOutput::of_frame(&plan().expect("it is a plan"));
    let mut graph = GraphBuilder::for_travel();
    raskt_frame::lower_partitions(&mut graph, &output).expect("it can be lowered");
    raskt_frame::lower_whole(&mut graph, &output).expect("it can be lowered");
    forms(graph)
}

//! Kernels that travel: which of them do, and what comes of bytes that are none. That they are the same elsewhere every test of
//! whole expressions sees, whose kernels have all travelled before they run.

use super::*;
use crate::{Distribution, Index, Operand, ReduceOptions, Reduction, Scan, Ufunc, add_decoders};
use proptest::prelude::*;
use raskt_graph::Graph;
use raskt_value::wire::{Decoders, WireError, WireForm};
use raskt_value::{DType, NativeOp};

pub(super) fn decoders() -> Decoders {
    let mut decoders = Decoders::default();
    add_decoders(&mut decoders);
    decoders
}

/// An expression with about every kernel there is, over arrays that are made where they are read.
pub(super) fn expression() -> Vec<Array> {
    let chunks = Chunks::from_lengths(&[vec![3, 4, 2], vec![2, 5]]);
    let a = Array::random(Distribution::Normal { loc: 0.0, scale: 2.0 }, 7, 0, DType::F64, chunks).unwrap();
    let of = |array: &Array| Operand::from(array.clone());
    let apply = |name: &str, operands: &[Operand]| Array::map(Ufunc::from_name(name).unwrap(), operands).unwrap();
    let sum = apply("add", &[of(&a), of(&a)]);
    let root = apply("sin", &[of(&sum)]);
    let options = ReduceOptions { axes: Some(vec![0]), ..ReduceOptions::default() };
    let slice = Index::Slice { start: Some(8), stop: None, step: Some(-2) };
    let tall = Chunks::from_lengths(&[vec![6, 6], vec![3]]);
    let tall = Array::random(Distribution::Uniform { low: 0.0, high: 1.0 }, 8, 0, DType::F64, tall).unwrap();
    let (q, _) = crate::linalg::qr(&tall).unwrap();
    vec![
        root.reduce(Reduction::Std, &options).unwrap(),
        root.reduce(Reduction::ArgMax, &options).unwrap(),
        root.reduce(Reduction::Max, &ReduceOptions { axes: Some(vec![1]), ..ReduceOptions::default() }).unwrap(),
        crate::linalg::matmul(&root, &root.transpose(None).unwrap()).unwrap().index(&[slice]).unwrap(),
        root.take(&[3, 1, 8, 8], 0).unwrap(),
        root.cumulative(Scan::Sum, Some(0), None).unwrap(),
        root.cumulative(Scan::Prod, Some(1), None).unwrap(),
        crate::linalg::matmul(&root, &root.transpose(None).unwrap()).unwrap(),
        q,
    ]
}

fn forms(graph: &Graph) -> Vec<WireForm> {
    let bodies = graph.ops().map(|op| op.body.clone().downcast::<NativeOp>().expect("they are native"));
    bodies.map(|op| op.0.wire().unwrap_or_else(|| panic!("`{}` doesn't travel", op.0.name()))).collect()
}

fn all_forms() -> Vec<WireForm> {
    expression().iter().flat_map(|array| forms(&graph_of(array))).collect()
}

#[test]
fn kernels_travel_that_hold_no_data_and_others_say_that_they_dont() {
    let names: Vec<String> = all_forms().iter().map(|form| decoders().decode(form).unwrap().name()).collect();
    for name in ["getitem", "take", "cumsum", "cumprod", "matmul", "qr", "pick"] {
        assert!(names.iter().any(|found| found == name), "{name} of {names:?}");
    }
    let (held, _) = counted(&[&[2, 2], &[3]]);
    let graph = graph_of(&Array::map(Ufunc::from_name("square").unwrap(), &[held.into()]).unwrap());
    assert!(graph.ops().all(|op| op.body.clone().downcast::<NativeOp>().unwrap().0.wire().is_none()));
}

/// Rules stay rules: what is sent of a kernel doesn't grow with the blocks.
#[test]
fn a_kernel_of_a_hundred_million_blocks_is_some_hundred_bytes() {
    let bytes = |length: usize| {
        let chunks = Chunks::new([crate::AxisChunks::regular(length, 10), crate::AxisChunks::regular(length, 10)]);
        let a = Array::random(Distribution::StandardCauchy, 1, 0, DType::F64, chunks).unwrap();
        let slice = Index::Slice { start: Some(5), stop: None, step: Some(5) };
        forms(&graph_of(&a.index(&[slice]).unwrap())).iter().map(|form| form.body.len()).sum::<usize>()
    };
    assert!(bytes(100_000) < 300, "{} bytes", bytes(100_000));
}

#[test]
fn what_nobody_knows_is_refused_by_name() {
    let form = all_forms().remove(0);
    let refused = |form: WireForm| decoders().decode(&form).err().expect("it is refused").to_string();
    let text = refused(WireForm { version: 9, ..form.clone() });
    assert!(text.contains("`raskt.array` of version 9") && text.contains("[1]"), "{text}");
    assert!(refused(WireForm { tag: "other".into(), ..form.clone() }).contains("the name `other`"));
    let mut longer = form.clone();
    longer.body.push(0);
    assert!(matches!(decoders().decode(&longer), Err(WireError::Malformed { .. })));
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

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

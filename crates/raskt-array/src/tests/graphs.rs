use super::{check, counted, graph_of};
use crate::{Array, AxisChunks, Chunks, Distribution, Index, Operand, ReduceOptions, Reduction, Ufunc};
use raskt_graph::{LayerId, Shape};
use raskt_value::{DType, Scalar};

fn apply(name: &str, operands: &[Operand]) -> Array {
    Array::map(Ufunc::from_name(name).unwrap(), operands).unwrap()
}

fn uniform(chunks: Chunks) -> Array {
    Array::random(Distribution::Uniform { low: 0.0, high: 1.0 }, 1, 0, DType::F64, chunks).unwrap()
}

fn line(length: usize, chunk: usize) -> Chunks {
    Chunks::new([AxisChunks::regular(length, chunk)])
}

#[test]
fn a_chain_and_its_sum_are_one_op_for_each_block() {
    let x = uniform(line(64, 4));
    let root = apply("sqrt", &[apply("multiply", &[(&x).into(), (&x).into()]).into()]);
    let total = apply("add", &[root.into(), (&x).into()]).reduce(Reduction::Sum, &Default::default()).unwrap();
    let graph = graph_of(&total);
    assert_eq!(graph.layers().map(|(_, layer)| layer.len()).collect::<Vec<_>>(), [16, 1]);
    assert_eq!(&*graph.op_of(LayerId(0)).name, "random+multiply+sqrt+add+sum");
}

#[test]
fn a_slice_of_a_large_source_makes_only_what_is_wanted() {
    let x = uniform(line(1_000_000_000, 1000));
    let shifted = apply("add", &[(&x).into(), Scalar::Float(1.0).into()]);
    let part = shifted.index(&[Index::Slice { start: Some(10), stop: Some(20), step: None }]).unwrap();
    assert_eq!(graph_of(&part).tasks(), 1);
    assert_eq!(super::compute(&part).shape(), [10]);
}

#[test]
fn a_hundred_million_blocks_take_no_time() {
    let begin = std::time::Instant::now();
    let x = uniform(Chunks::new([AxisChunks::regular(10_usize.pow(11), 1000), AxisChunks::single(10)]));
    let y = apply("exp", &[apply("add", &[(&x).into(), Scalar::Int(1).into()]).into()]);
    let y = y
        .transpose(None)
        .unwrap()
        .index(&[Index::At(3), Index::Slice { start: Some(7), stop: None, step: None }])
        .unwrap();
    let graph = graph_of(&y.reduce(Reduction::Mean, &Default::default()).unwrap());
    assert!(graph.tasks() > 100_000_000);
    assert!(begin.elapsed().as_millis() < 50);
}

/// What is reshaped is made before it is cut or moved, so that each of these is a layer that moves blocks.
#[test]
fn a_hundred_million_blocks_are_moved_by_rules() {
    let each = || AxisChunks::regular(100_000, 10);
    let x = uniform(Chunks::new([each(), each()])).reshape(&[100_000, 100_000, 1]).unwrap();
    let step = |start, step| Index::Slice { start: Some(start), stop: None, step: Some(step) };
    let cut = Chunks::new([AxisChunks::regular(100_000, 7), AxisChunks::regular(100_000, 13), AxisChunks::single(1)]);
    let moved = [
        x.index(&[step(99_999, -2), step(3, 5)]).unwrap(),
        x.index(&[step(99_999, -15), step(3, 30)]).unwrap(),
        x.rechunk_to(cut).unwrap(),
        x.take(&(5..99_000).rev().collect::<Vec<_>>(), 1).unwrap(),
        Array::concatenate(&[x.clone(), x.index(&[step(7, 1)]).unwrap(), x.clone()], 0).unwrap(),
        Array::stack(&vec![x.clone(); 100], 1).unwrap(),
    ];
    for y in moved {
        let graph = graph_of(&y);
        assert!(graph.tasks() > 100_000_000);
        assert!(graph.layers().all(|(_, layer)| !matches!(layer.shape, Shape::Explicit(_))), "{y:?}");
    }
}

#[test]
fn many_arrays_in_memory_are_one_layer() {
    let arrays: Vec<Array> = (0..1000).map(|_| counted(&[&[3]]).0).collect();
    let graph = graph_of(&Array::stack(&arrays, 0).unwrap());
    assert_eq!(graph.layers().map(|(_, layer)| layer.len()).collect::<Vec<_>>(), [1000]);
    let made = uniform(line(3, 3)).reshape(&[3]).unwrap();
    let made = apply("exp", &[made.into()]).astype(DType::I64);
    let mut mixed = arrays[..10].to_vec();
    mixed.insert(4, made);
    let graph = graph_of(&Array::concatenate(&mixed, 0).unwrap());
    let lengths: Vec<u64> = graph.layers().map(|(_, layer)| layer.len()).collect();
    assert_eq!(lengths, [4, 1, 6, 11], "two runs of blocks in memory, what lies between them, and all together");
}

#[test]
fn equal_expressions_are_computed_once() {
    let x = uniform(line(8, 4));
    let mean = || x.reduce(Reduction::Mean, &Default::default()).unwrap();
    assert_eq!(mean().key(), mean().key());
    let both = apply("add", &[mean().into(), mean().into()]);
    assert_eq!(graph_of(&both).layers().len(), 3);
}

#[test]
fn sources_are_made_again_and_dear_work_is_kept() {
    let x = uniform(line(64, 4));
    let centred = |x: &Array| {
        let mean = x.reduce(Reduction::Mean, &ReduceOptions { keepdims: true, ..Default::default() }).unwrap();
        apply("subtract", &[x.into(), mean.into()])
    };
    assert_eq!(graph_of(&centred(&x)).layers().map(|(_, layer)| layer.len()).collect::<Vec<_>>(), [16, 1, 16]);
    let mut dear = x;
    for _ in 0..3 {
        dear = apply("power", &[(&dear).into(), (&dear).into()]);
    }
    assert_eq!(graph_of(&centred(&dear)).layers().map(|(_, layer)| layer.len()).collect::<Vec<_>>(), [16, 16, 1, 16]);
}

#[test]
fn the_tree_says_what_runs() {
    let (x, _) = counted(&[&[2, 2]]);
    let text = apply("add", &[(&x).into(), (&x).into()]).reduce(Reduction::Sum, &Default::default()).unwrap().tree();
    let lines: Vec<&str> = text.lines().map(str::trim_start).collect();
    assert!(lines[0].starts_with("sum-") && lines[0].ends_with("int64 ()  1 block  [native]"), "{text}");
    assert!(lines[1].starts_with("add-") && lines[1].ends_with("int64 (4,)  2 blocks  [native]"), "{text}");
    let found = x.describe().unwrap();
    assert_eq!((found.layers, found.tasks, found.bytes, found.block_bytes), (1, 2, Some(32), Some(16)));
}

#[test]
fn cutting_elementwise_work_on_sources_moves_nothing() {
    let (x, n) = counted(&[&[8, 8]]);
    let doubled = apply("add", &[(&x).into(), (&x).into()]).rechunk_to(line(16, 5)).unwrap();
    assert_eq!(graph_of(&doubled).layers().len(), 1);
    check(&doubled, &(&n * 2));
}

#[test]
fn a_long_loop_of_operations_is_one_op() {
    let (x, n) = counted(&[&[2, 1]]);
    let mut sum = x.clone();
    for _ in 0..20_000 {
        sum = apply("add", &[(&sum).into(), (&x).into()]);
    }
    let sum = sum.index(&[Index::Slice { start: Some(1), stop: None, step: None }]).unwrap();
    check(&sum, &(n.slice(ndarray::s![1..]).to_owned().into_dyn() * 20_001));
}

#[test]
fn shared_work_is_walked_once() {
    let mut x = uniform(line(8, 4));
    for _ in 0..60 {
        x = apply("add", &[(&x).into(), (&x).into()]);
    }
    let mean = x.reduce(Reduction::Mean, &Default::default()).unwrap();
    assert!(graph_of(&apply("subtract", &[(&x).into(), mean.into()])).layers().len() <= 4);
}

use super::{check, compute, counted, from_numbers};
use crate::{Array, ChunkSpec, Chunks, ChunksArg, Distribution, ReduceOptions, Reduction, Scan};
use ndarray::{Axis, s};
use raskt_value::{DType, Scalar};

fn along(axes: &[isize]) -> ReduceOptions {
    ReduceOptions { axes: Some(axes.to_vec()), ..Default::default() }
}

#[test]
fn sums_run_along_any_axes() {
    let (x, n) = counted(&[&[2, 3], &[1, 1, 1, 1], &[3]]);
    check(&x.reduce(Reduction::Sum, &along(&[1])).unwrap(), &n.sum_axis(Axis(1)));
    check(&x.reduce(Reduction::Sum, &along(&[0, 2])).unwrap(), &n.sum_axis(Axis(2)).sum_axis(Axis(0)));
    check(&x.reduce(Reduction::Sum, &Default::default()).unwrap(), &ndarray::arr0(n.sum()).into_dyn());
    let kept = ReduceOptions { keepdims: true, ..along(&[-2]) };
    check(&x.reduce(Reduction::Max, &kept).unwrap(), &n.slice(s![.., 3..4, ..]).to_owned().into_dyn());
    check(&x.reduce(Reduction::Sum, &along(&[])).unwrap(), &n);
}

#[test]
fn trees_of_any_width_agree() {
    let (x, n) = counted(&[&[1; 40]]);
    for split_every in [2, 3, 16, 100] {
        let options = ReduceOptions { split_every: Some(split_every), ..Default::default() };
        check(&x.reduce(Reduction::Sum, &options).unwrap(), &ndarray::arr0(n.sum()).into_dyn());
        check(&x.reduce(Reduction::ArgMax, &options).unwrap(), &ndarray::arr0(39).into_dyn());
    }
}

#[test]
fn a_slice_of_a_reduction_reads_no_more_than_it_needs() {
    let (x, n) = counted(&[&[2, 2], &[2, 2, 2]]);
    let total = x.reduce(Reduction::Sum, &along(&[0])).unwrap();
    let part = total.index(&[crate::Index::Slice { start: Some(5), stop: Some(1), step: Some(-2) }]).unwrap();
    check(&part, &n.sum_axis(Axis(0)).slice(s![2..=5;-2]).to_owned().into_dyn());
    assert_eq!(super::graph_of(&total.index(&[crate::Index::At(1)]).unwrap()).layer(raskt_graph::LayerId(0)).len(), 2);
}

#[test]
fn moments_and_positions_agree_with_plain_loops() {
    let (x, n) = counted(&[&[3, 4], &[2, 3]]);
    let floats = n.mapv(|x| (x as f64 * 1.7).sin());
    let x = from_numbers(&floats, &[vec![3, 4], vec![2, 3]])
        .rechunk(&ChunksArg::Each(ChunkSpec::Size(2)), None)
        .unwrap_or(x);
    let mean = compute(&x.reduce(Reduction::Mean, &along(&[0])).unwrap());
    let expected = floats.mean_axis(Axis(0)).unwrap();
    for (found, expected) in mean.view::<f64>().unwrap().iter().zip(&expected) {
        assert!((found - expected).abs() < 1e-14);
    }
    let deviation = ReduceOptions { ddof: 1.0, ..Default::default() };
    let deviation = compute(&x.reduce(Reduction::Std, &deviation).unwrap()).as_slice::<f64>().unwrap()[0];
    assert!((deviation - floats.std(1.0)).abs() < 1e-14);
    let largest = floats.iter().enumerate().max_by(|a, b| a.1.total_cmp(b.1)).unwrap().0 as i64;
    check(&x.reduce(Reduction::ArgMax, &Default::default()).unwrap(), &ndarray::arr0(largest).into_dyn());
    let rows: Vec<i64> = floats
        .axis_iter(Axis(0))
        .map(|row| row.iter().enumerate().min_by(|a, b| a.1.total_cmp(b.1)).unwrap().0 as i64)
        .collect();
    check(&x.reduce(Reduction::ArgMin, &along(&[1])).unwrap(), &ndarray::Array1::from(rows).into_dyn());
}

#[test]
fn running_sums_go_on_across_blocks() {
    let (x, n) = counted(&[&[2, 1, 3], &[2, 1]]);
    let mut expected = n.clone();
    expected.accumulate_axis_inplace(Axis(0), |&before, x| *x += before);
    check(&x.cumulative(Scan::Sum, Some(0), None).unwrap(), &expected);
    let flat: Vec<i64> = n
        .iter()
        .scan(0, |sum, x| {
            *sum += x;
            Some(*sum)
        })
        .collect();
    check(&x.cumulative(Scan::Sum, None, None).unwrap(), &ndarray::Array1::from(flat).into_dyn());
}

#[test]
fn random_sums_are_the_same_for_every_cut_and_every_run() {
    let random = |chunk| {
        let chunks = Chunks::new([crate::AxisChunks::regular(1000, chunk), crate::AxisChunks::single(7)]);
        Array::random(Distribution::Uniform { low: 0.0, high: 1.0 }, 7, 0, DType::F64, chunks).unwrap()
    };
    let (x, y) = (compute(&random(10)), compute(&random(333)));
    assert_eq!(x.as_slice::<f64>(), y.as_slice::<f64>());
    let total = |array: &Array| {
        compute(&array.reduce(Reduction::Sum, &Default::default()).unwrap()).as_slice::<f64>().unwrap()[0]
    };
    assert_eq!(total(&random(10)).to_bits(), total(&random(10)).to_bits());
    assert!((total(&random(10)) - total(&random(333))).abs() < 1e-9);
}

#[test]
fn reductions_of_nothing_are_zero_or_refused() {
    let nothing = Array::full(Chunks::from_lengths(&[vec![0], vec![3]]), Scalar::Float(0.0), DType::F64).unwrap();
    assert_eq!(
        compute(&nothing.reduce(Reduction::Sum, &Default::default()).unwrap()).as_slice::<f64>().unwrap(),
        [0.0]
    );
    let error = nothing.reduce(Reduction::Max, &Default::default()).unwrap_err();
    assert_eq!(error.to_string(), "zero-size array to reduction operation max which has no identity");
    assert!(compute(&nothing.reduce(Reduction::Max, &along(&[1])).unwrap()).is_empty());
}

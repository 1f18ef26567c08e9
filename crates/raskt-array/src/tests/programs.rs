//! Random programs of array operations against the same on plain arrays.

use super::{as_written, compute, from_numbers};
use crate::{Array, ChunkSpec, ChunksArg, Index, Operand, ReduceOptions, Reduction, Ufunc};
use ndarray::{ArrayD, Axis, IxDyn};
use proptest::prelude::*;
use raskt_value::Scalar;

/// One operation, with numbers that are fitted to the array that it meets.
#[derive(Clone, Debug)]
enum Step {
    Add(i64),
    MultiplyOld,
    Negate,
    Slice { axis: usize, start: i64, stop: i64, step: i64 },
    At { axis: usize, position: usize },
    NewAxis(usize),
    Transpose(usize),
    Rechunk(usize),
    Ravel,
    Split(usize),
    Sum { axis: usize, keepdims: bool },
    Max { axis: usize },
    Take { axis: usize, positions: Vec<usize> },
    JoinSelf(usize),
    SubtractLargest { axis: usize },
}

fn step() -> impl Strategy<Value = Step> {
    let axis = 0_usize..4;
    prop_oneof![
        (-5_i64..5).prop_map(Step::Add),
        Just(Step::MultiplyOld),
        Just(Step::Negate),
        (axis.clone(), -8_i64..8, -8_i64..12, prop_oneof![Just(-2_i64), Just(-1), Just(1), Just(2), Just(3)])
            .prop_map(|(axis, start, stop, step)| Step::Slice { axis, start, stop, step }),
        (axis.clone(), 0_usize..9).prop_map(|(axis, position)| Step::At { axis, position }),
        axis.clone().prop_map(Step::NewAxis),
        axis.clone().prop_map(Step::Transpose),
        (1_usize..5).prop_map(Step::Rechunk),
        Just(Step::Ravel),
        (2_usize..4).prop_map(Step::Split),
        (axis.clone(), any::<bool>()).prop_map(|(axis, keepdims)| Step::Sum { axis, keepdims }),
        axis.clone().prop_map(|axis| Step::Max { axis }),
        (axis.clone(), prop::collection::vec(0_usize..9, 0..6))
            .prop_map(|(axis, positions)| Step::Take { axis, positions }),
        axis.clone().prop_map(Step::JoinSelf),
        axis.prop_map(|axis| Step::SubtractLargest { axis }),
    ]
}

/// Lengths of blocks along up to three axes.
fn cuts() -> impl Strategy<Value = Vec<Vec<usize>>> {
    prop::collection::vec(prop::collection::vec(0_usize..4, 1..4), 0..4)
}

fn apply(name: &str, operands: &[Operand]) -> Array {
    Array::map(Ufunc::from_name(name).unwrap(), operands).unwrap()
}

fn on_axis(axis: usize, ndim: usize, index: Index) -> Vec<Index> {
    let all = Index::Slice { start: None, stop: None, step: None };
    (0..ndim).map(|at| if at == axis { index.clone() } else { all.clone() }).collect()
}

/// Applies a step to the array and to the reference, unless it doesn't fit them.
fn advance(step: &Step, x: &Array, n: &ArrayD<i64>) -> Option<(Array, ArrayD<i64>)> {
    let ndim = n.ndim();
    let on = |axis: usize| (ndim > 0).then(|| axis % ndim.max(1));
    let along =
        |axis: usize, keepdims| ReduceOptions { axes: Some(vec![axis as isize]), keepdims, ..Default::default() };
    Some(match step {
        Step::Add(by) => (apply("add", &[x.into(), Scalar::Int(*by).into()]), n.mapv(|x| x.wrapping_add(*by))),
        Step::MultiplyOld => {
            let plus = apply("add", &[x.into(), Scalar::Int(1).into()]);
            (apply("multiply", &[x.into(), plus.into()]), n.mapv(|x| x.wrapping_mul(x.wrapping_add(1))))
        }
        Step::Negate => (apply("negative", &[x.into()]), n.mapv(i64::wrapping_neg)),
        Step::Slice { axis, start, stop, step } => {
            let axis = on(*axis)?;
            let index = Index::Slice { start: Some(*start), stop: Some(*stop), step: Some(*step) };
            let (positions, length) = (python_slice(*start, *stop, *step, n.shape()[axis]), n.shape()[axis]);
            debug_assert!(positions.iter().all(|&at| at < length));
            (x.index(&on_axis(axis, ndim, index)).unwrap(), n.select(Axis(axis), &positions))
        }
        Step::At { axis, position } => {
            let axis = on(*axis)?;
            let position = position.checked_rem(n.shape()[axis])?;
            let picked = x.index(&on_axis(axis, ndim, Index::At(position as i64))).unwrap();
            (picked, n.index_axis(Axis(axis), position).to_owned())
        }
        Step::NewAxis(axis) => {
            let axis = (ndim < 4).then_some(axis % (ndim + 1))?;
            (x.expand_dims(&[axis as isize]).unwrap(), n.clone().insert_axis(Axis(axis)))
        }
        Step::Transpose(by) => {
            let order: Vec<usize> = (0..ndim).map(|axis| (axis + by) % ndim).collect();
            let axes: Vec<isize> = order.iter().map(|&axis| axis as isize).collect();
            (x.transpose(Some(&axes)).unwrap(), n.clone().permuted_axes(IxDyn(&order)).as_standard_layout().to_owned())
        }
        Step::Rechunk(size) => (x.rechunk(&ChunksArg::Each(ChunkSpec::Size(*size)), None).unwrap(), n.clone()),
        Step::Ravel => (x.reshape(&[-1]).unwrap(), n.flatten().into_owned().into_dyn()),
        Step::Split(parts) => {
            let last = *n.shape().last()?;
            (last.is_multiple_of(*parts) && ndim < 4).then_some(())?;
            let mut shape = n.shape().to_vec();
            shape[ndim - 1] = *parts;
            shape.push(last / parts);
            let target: Vec<i64> = shape.iter().map(|&length| length as i64).collect();
            (x.reshape(&target).unwrap(), n.as_standard_layout().to_owned().into_shape_with_order(shape).unwrap())
        }
        Step::Sum { axis, keepdims } => {
            let axis = on(*axis)?;
            let sum = n.fold_axis(Axis(axis), 0_i64, |sum, x| sum.wrapping_add(*x));
            let sum = if *keepdims { sum.insert_axis(Axis(axis)) } else { sum };
            (x.reduce(Reduction::Sum, &along(axis, *keepdims)).unwrap(), sum)
        }
        Step::Max { axis } => {
            let axis = on(*axis)?;
            (!n.is_empty()).then_some(())?;
            let largest = n.fold_axis(Axis(axis), i64::MIN, |largest, x| *largest.max(x));
            (x.reduce(Reduction::Max, &along(axis, false)).unwrap(), largest)
        }
        Step::Take { axis, positions } => {
            let axis = on(*axis)?;
            let length = n.shape()[axis];
            (length > 0).then_some(())?;
            let positions: Vec<usize> = positions.iter().map(|at| at % length).collect();
            let wanted: Vec<i64> = positions.iter().map(|&at| at as i64).collect();
            (x.take(&wanted, axis as isize).unwrap(), n.select(Axis(axis), &positions))
        }
        Step::JoinSelf(axis) => {
            let axis = on(*axis)?;
            let joined = Array::concatenate(&[x.clone(), x.clone()], axis as isize).unwrap();
            (joined, ndarray::concatenate(Axis(axis), &[n.view(), n.view()]).unwrap())
        }
        Step::SubtractLargest { axis } => {
            let axis = on(*axis)?;
            (!n.is_empty()).then_some(())?;
            let largest = n.fold_axis(Axis(axis), i64::MIN, |largest, x| *largest.max(x)).insert_axis(Axis(axis));
            let lazy = x.reduce(Reduction::Max, &along(axis, true)).unwrap();
            let zipped = ndarray::Zip::from(n).and_broadcast(&largest).map_collect(|x, y| x.wrapping_sub(*y));
            (apply("subtract", &[x.into(), lazy.into()]), zipped)
        }
    })
}

/// The positions that Python's slice picks.
fn python_slice(start: i64, stop: i64, step: i64, length: usize) -> Vec<usize> {
    let length = length as i64;
    let fix = |bound: i64| if bound < 0 { bound + length } else { bound };
    let (start, stop) = (fix(start), fix(stop));
    let mut at = if step > 0 { start.max(0) } else { start.min(length - 1) };
    let mut positions = vec![];
    while if step > 0 { at < stop.min(length) } else { at > stop.max(-1) } {
        positions.push(at as usize);
        at += step;
    }
    positions
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1500))]

    #[test]
    fn random_programs_agree_with_plain_arrays(cuts in cuts(), steps in prop::collection::vec(step(), 1..8)) {
        let shape: Vec<usize> = cuts.iter().map(|axis| axis.iter().sum()).collect();
        let count: usize = shape.iter().product();
        let mut n = ArrayD::from_shape_vec(shape, (0..count as i64).map(|x| x * 7 % 23 - 9).collect()).unwrap();
        let mut x = from_numbers(&n, &cuts);
        for step in &steps {
            if let Some((next, expected)) = advance(step, &x, &n) {
                (x, n) = (next, expected.as_standard_layout().to_owned());
            }
            if n.len() > 2000 {
                break;
            }
        }
        let shape: Vec<usize> = x.known_shape().unwrap().to_vec();
        prop_assert_eq!(shape.as_slice(), n.shape());
        let (optimised, written) = (compute(&x), as_written(&x));
        prop_assert_eq!(optimised.view::<i64>().unwrap(), n.view(), "optimised: {}", x.tree());
        prop_assert_eq!(written.view::<i64>().unwrap(), n.view(), "as written: {:?}", steps);
    }

    #[test]
    fn cuts_change_nothing(cut in 1_usize..20, other in 1_usize..20) {
        let chunks = |size| crate::Chunks::new([crate::AxisChunks::regular(50, size), crate::AxisChunks::regular(9, size)]);
        let program = |size| {
            let x = Array::random(crate::Distribution::Normal { loc: 1.0, scale: 2.0 }, 3, 1, raskt_value::DType::F64, chunks(size)).unwrap();
            let y = apply("multiply", &[apply("sin", &[(&x).into()]).into(), x.transpose(None).unwrap().transpose(None).unwrap().into()]);
            apply("subtract", &[(&y).into(), y.index(&[Index::At(3)]).unwrap().into()])
        };
        let (one, two) = (compute(&program(cut)), compute(&program(other)));
        prop_assert_eq!(one.as_slice::<f64>(), two.as_slice::<f64>());
    }
}

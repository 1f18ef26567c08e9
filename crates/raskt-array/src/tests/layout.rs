use super::{check, counted};
use crate::{Array, AxisChunks, ChunkSpec, Chunks, ChunksArg, Index};
use ndarray::{Axis, IxDyn, s};
use raskt_value::{DType, Scalar};

fn slice(start: i64, stop: i64, step: i64) -> Index {
    Index::Slice { start: Some(start), stop: Some(stop), step: Some(step) }
}

const ALL: Index = Index::Slice { start: None, stop: None, step: None };

#[test]
fn slices_follow_their_steps_backwards_too() {
    let (x, n) = counted(&[&[4, 3, 4], &[2, 3]]);
    for x in [x.clone(), x.rechunk(&ChunksArg::Each(ChunkSpec::Size(2)), None).unwrap()] {
        let back = Index::Slice { start: None, stop: None, step: Some(-1) };
        check(&x.index(&[slice(2, 9, 3), back.clone()]).unwrap(), &n.slice(s![2..9;3, ..;-1]).to_owned().into_dyn());
        check(&x.index(&[back, Index::At(-1)]).unwrap(), &n.slice(s![..;-1, 4]).to_owned().into_dyn());
        check(
            &x.index(&[Index::NewAxis, slice(-3, 100, 1)]).unwrap(),
            &n.slice(s![8.., ..]).to_owned().insert_axis(Axis(0)).into_dyn(),
        );
        check(&x.index(&[slice(5, 5, 1)]).unwrap(), &n.slice(s![5..5, ..]).to_owned().into_dyn());
        check(&x.index(&[Index::At(3), Index::At(2)]).unwrap(), &ndarray::arr0(17).into_dyn());
    }
}

#[test]
fn slices_of_moved_blocks_are_cut_from_them() {
    let (x, n) = counted(&[&[4, 3, 4], &[2, 3]]);
    let taken = x.take(&[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10], 0).unwrap();
    let back = Index::Slice { start: None, stop: None, step: Some(-2) };
    check(&taken.index(&[back, slice(1, 4, 1)]).unwrap(), &n.slice(s![..;-2, 1..4]).to_owned().into_dyn());
    check(
        &taken.index(&[slice(1, 10, 4)]).unwrap().transpose(None).unwrap(),
        &n.slice(s![1..10;4, ..]).t().to_owned().into_dyn(),
    );
    check(&taken.index(&[Index::At(7)]).unwrap(), &n.slice(s![7, ..]).to_owned().into_dyn());
    check(&taken.index(&[slice(3, 3, 1)]).unwrap(), &n.slice(s![3..3, ..]).to_owned().into_dyn());
}

#[test]
fn positions_and_masks_pick_along_an_axis() {
    let (x, n) = counted(&[&[4, 3], &[2, 3]]);
    let picked = x.index(&[ALL, Index::List(vec![4, 0, -1, 4])]).unwrap();
    check(&picked, &n.select(Axis(1), &[4, 0, 4, 4]).into_dyn());
    check(&x.take(&[], 0).unwrap(), &n.select(Axis(0), &[]).into_dyn());
    let keep = Index::Bools(vec![true, false, true, false, false, false, true]);
    check(&x.index(&[keep]).unwrap(), &n.select(Axis(0), &[0, 2, 6]).into_dyn());
    let three = Scalar::Int(3);
    let odd = Array::map(crate::Ufunc::from_name("remainder").unwrap(), &[(&x).into(), three.into()]).unwrap();
    let odd = Array::map(crate::Ufunc::from_name("equal").unwrap(), &[odd.into(), Scalar::Int(1).into()]).unwrap();
    let found = x.index(&[Index::Mask(odd)]).unwrap();
    assert_eq!(found.shape().as_slice(), [None]);
    let expected: Vec<i64> = n.iter().copied().filter(|x| x % 3 == 1).collect();
    check(&found, &ndarray::Array1::from(expected).into_dyn());
}

#[test]
fn an_unknown_length_becomes_known_when_blocks_are_there() {
    let (x, n) = counted(&[&[4, 3]]);
    let mask = Array::map(crate::Ufunc::from_name("greater").unwrap(), &[(&x).into(), Scalar::Int(2).into()]).unwrap();
    let found = x.index(&[Index::Mask(mask)]).unwrap();
    assert!(found.index(&[slice(0, 1, 1)]).unwrap_err().to_string().contains("compute_chunk_sizes"));
    let sized = found.with_chunk_sizes(&super::compute_value(&found).unwrap()).unwrap();
    assert_eq!(*sized.chunks(), Chunks::from_lengths(&[vec![1, 3]]));
    check(&sized.index(&[slice(1, 3, 1)]).unwrap(), &n.slice(s![4..6]).to_owned().into_dyn());
    let doubled = Array::map(crate::Ufunc::from_name("add").unwrap(), &[(&found).into(), (&found).into()]).unwrap();
    check(&doubled, &(n.slice(s![3..]).to_owned() * 2).into_dyn());
}

#[test]
fn reshapes_keep_the_order_of_elements() {
    let (x, n) = counted(&[&[4, 2], &[2, 2], &[3]]);
    for shape in [&[72_i64] as &[i64], &[-1, 12], &[2, 3, 4, 3], &[1, 6, 2, 2, 3, 1], &[8, 9], &[3, -1]] {
        let reshaped = x.reshape(shape).unwrap();
        let shape: Vec<usize> = reshaped.shape().iter().map(|length| length.unwrap()).collect();
        check(&reshaped, &n.clone().into_shape_with_order(IxDyn(&shape)).unwrap());
    }
    assert_eq!(x.reshape(&[5, -1]).unwrap_err().to_string(), "cannot reshape array of size 72 into shape (5,-1)");
}

#[test]
fn arrays_are_joined_along_old_and_new_axes() {
    let (x, n) = counted(&[&[2, 1], &[3, 1]]);
    let (y, m) = counted(&[&[3], &[1, 1, 2]]);
    let joined = Array::concatenate(&[x.clone(), y.clone()], 0).unwrap();
    check(&joined, &ndarray::concatenate![Axis(0), n, m]);
    check(
        &joined.index(&[slice(1, 6, 2)]).unwrap(),
        &ndarray::concatenate![Axis(0), n, m].slice(s![1..6;2, ..]).to_owned().into_dyn(),
    );
    check(&Array::stack(&[x.clone(), y.clone()], -1).unwrap(), &ndarray::stack![Axis(2), n, m]);
    let (z, _) = counted(&[&[2], &[3]]);
    assert!(Array::concatenate(&[x, z], 0).is_err());
}

#[test]
fn axes_are_added_left_out_and_repeated() {
    let (x, n) = counted(&[&[2, 1], &[1]]);
    check(&x.broadcast_to(&[2, 3, 4]).unwrap(), &n.broadcast(IxDyn(&[2, 3, 4])).unwrap().to_owned());
    check(&x.squeeze(None).unwrap(), &n.clone().remove_axis(Axis(1)));
    check(&x.expand_dims(&[0, -1]).unwrap(), &n.clone().insert_axis(Axis(0)).insert_axis(Axis(3)));
    check(&x.move_axis(&[0], &[1]).unwrap(), &n.t().to_owned());
    check(&x.flip(None).unwrap(), &n.slice(s![..;-1, ..;-1]).to_owned().into_dyn());
    assert!(x.broadcast_to(&[4, 4]).is_err());
}

#[test]
fn sources_are_cut_and_viewed_in_place() {
    let chunks = |length| Chunks::new([AxisChunks::regular(length, 4)]);
    let range = Array::arange(Scalar::Int(5), Scalar::Int(3), DType::I64, chunks(11)).unwrap();
    let expected: ndarray::Array1<i64> = (0..11).map(|i| 5 + 3 * i).collect();
    check(&range, &expected.clone().into_dyn());
    check(&range.index(&[slice(9, 1, -2)]).unwrap(), &expected.slice(s![2..10;-2]).to_owned().into_dyn());
    let eye = Array::eye(Chunks::from_lengths(&[vec![2, 1], vec![4]]), 1, DType::I64).unwrap();
    let expected = ndarray::arr2(&[[0, 1, 0, 0], [0, 0, 1, 0], [0, 0, 0, 1]]).into_dyn();
    check(&eye, &expected);
    check(&eye.transpose(None).unwrap(), &expected.t().to_owned());
    let line = Array::linspace(0.0, 1.0, true, DType::F64, chunks(5)).unwrap();
    assert_eq!(super::compute(&line).as_slice::<f64>().unwrap(), [0.0, 0.25, 0.5, 0.75, 1.0]);
}

#[test]
fn an_axis_of_one_element_may_have_empty_blocks_beside_it() {
    let (x, _) = counted(&[&[0, 1, 0], &[2]]);
    let sum = Array::map(crate::Ufunc::from_name("add").unwrap(), &[(&x).into(), (&x).into()]).unwrap();
    check(&sum.index(&[Index::At(0), Index::At(1)]).unwrap(), &ndarray::arr0(2).into_dyn());
    check(&sum.squeeze(Some(&[0])).unwrap(), &ndarray::arr1(&[0, 2]).into_dyn());
}

#[test]
fn slices_of_joined_arrays_are_slices_of_the_parts_that_they_touch() {
    let (x, n) = counted(&[&[2, 1], &[3, 1]]);
    let (y, m) = counted(&[&[3], &[1, 1, 2]]);
    let joined = Array::concatenate(&[x.clone(), y.clone(), x.clone()], 0).unwrap();
    let numbers = ndarray::concatenate![Axis(0), n, m, n];
    for (start, stop) in (0..9).flat_map(|start| (0..9).map(move |stop| (start, stop))) {
        for step in [1, 2, 3, 5] {
            let (from, to) = (start.min(stop), start.max(stop));
            let forth = joined.index(&[slice(from, to, step), ALL]).unwrap();
            let expected = numbers.slice(s![from as isize..to as isize;step as isize, ..]).to_owned().into_dyn();
            check(&forth, &expected);
            let shifted = Index::Slice { start: Some(to - 1), stop: (from > 0).then_some(from - 1), step: Some(-step) };
            let count = if to > from { (to - from + step - 1) / step } else { 0 };
            if to > 0 && count > 0 {
                let rows: Vec<usize> = (0..count).map(|at| (to - 1 - at * step) as usize).collect();
                check(&joined.index(&[shifted, slice(1, 3, 1)]).unwrap(), &{
                    numbers.select(Axis(0), &rows).slice(s![.., 1..3]).to_owned().into_dyn()
                });
            }
        }
    }
    let one = joined.index(&[Index::At(4), Index::NewAxis, slice(0, 4, 2)]).unwrap();
    check(&one, &numbers.slice(s![4, ..;2]).to_owned().insert_axis(Axis(0)).into_dyn());
}

#[test]
fn slices_of_running_sums_need_no_blocks_behind_them() {
    let (x, n) = counted(&[&[2, 1, 3, 1], &[3, 1]]);
    let mut sums = n.clone();
    (1..7).for_each(|row| {
        let before = sums.index_axis(Axis(0), row - 1).to_owned();
        sums.index_axis_mut(Axis(0), row).zip_mut_with(&before, |sum, before| *sum += before);
    });
    let run = x.cumulative(crate::Scan::Sum, Some(0), None).unwrap();
    for (from, to) in (0_i64..7).flat_map(|from| (from + 1..8).map(move |to| (from, to))) {
        let expected = sums.slice(s![from as isize..to as isize;2, ..;-1]).to_owned().into_dyn();
        check(
            &run.index(&[slice(from, to, 2), Index::Slice { start: None, stop: None, step: Some(-1) }]).unwrap(),
            &expected,
        );
    }
    let first = super::graph_of(&run.index(&[Index::At(0)]).unwrap());
    assert!(first.tasks() < super::graph_of(&run).tasks(), "all blocks were asked for");
}

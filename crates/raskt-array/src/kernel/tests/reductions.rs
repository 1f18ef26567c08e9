use super::*;
use proptest::prelude::*;

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn sums_over_any_axes_agree_with_plain_loops(shape in shapes(), mask in 0..8_usize, layout in 0..3_u8) {
        let (chunk, values) = laid_out(&shape, layout);
        let axes: Vec<usize> = (0..shape.len()).filter(|axis| mask >> axis & 1 == 1).collect();
        let expected = groups(&shape, &axes, &values);
        let found = reduced(ReduceOp::Sum, &chunk, &axes, 0.0).unwrap();
        let sums: Vec<f64> = expected.iter().map(|group| group.iter().sum()).collect();
        prop_assert_eq!(elements::<f64>(&found), sums);
        for (op, ddof) in [(ReduceOp::Var, 0.0), (ReduceOp::Std, 1.0), (ReduceOp::NanVar, 0.0)] {
            let found = elements::<f64>(&reduced(op, &chunk, &axes, ddof).unwrap());
            for (found, group) in found.iter().zip(&expected) {
                let mean = group.iter().sum::<f64>() / group.len() as f64;
                let squares: f64 = group.iter().map(|x| (x - mean) * (x - mean)).sum();
                let variance = squares / (group.len() as f64 - ddof).max(0.0);
                let wanted = if op == ReduceOp::Std { variance.sqrt() } else { variance };
                prop_assert!((found.is_nan() && wanted.is_nan()) || (found - wanted).abs() <= 1e-12 * wanted.abs());
            }
        }
        if !values.is_empty() {
            let least = elements::<f64>(&reduced(ReduceOp::Min, &chunk, &axes, 0.0).unwrap());
            let lowest = |group: &Vec<f64>| group.iter().copied().fold(f64::INFINITY, f64::min);
            prop_assert_eq!(least, expected.iter().map(lowest).collect::<Vec<_>>());
        }
    }
}

/// The elements of each group that is reduced to one, in C order.
fn groups(shape: &[usize], axes: &[usize], values: &[f64]) -> Vec<Vec<f64>> {
    let kept: Vec<usize> = (0..shape.len()).filter(|axis| !axes.contains(axis)).collect();
    let mut groups = vec![vec![]; kept.iter().map(|&axis| shape[axis]).product()];
    for (position, &value) in values.iter().enumerate() {
        let (mut rest, mut at) = (position, vec![0; shape.len()]);
        for axis in (0..shape.len()).rev() {
            at[axis] = rest % shape[axis];
            rest /= shape[axis];
        }
        groups[kept.iter().fold(0, |group, &axis| group * shape[axis] + at[axis])].push(value);
    }
    groups
}

fn reduced(op: ReduceOp, chunk: &Chunk, axes: &[usize], ddof: f64) -> Result<Chunk, TaskError> {
    let shape: Vec<u64> = chunk.shape().iter().map(|&length| length as u64).collect();
    let index = if axes.len() == 1 { Affine::along(axes[0], shape.len()) } else { Affine::c_order(&shape) };
    let reduction = Reduction::new(op, chunk.dtype(), axes).with_ddof(ddof).with_index(index);
    let region = Region::whole(chunk.shape());
    let partial = evaluate_reduce(&identity(chunk.dtype()), &region, &[chunk], &reduction, &CancelToken::default())?;
    finalise(&reduction, &partial, false)
}

fn number<T: Element>(op: ReduceOp, values: &[T]) -> Result<Chunk, TaskError> {
    reduced(op, &Chunk::from_vec(values.to_vec(), &[values.len()]).unwrap(), &[0], 0.0)
}

#[test]
fn reductions_treat_nan_as_numpy_does() {
    let values = [3.0, f64::NAN, -1.0, 7.0, f64::NAN];
    let float = |op| elements::<f64>(&number(op, &values).unwrap())[0];
    let index = |op| elements::<i64>(&number(op, &values).unwrap())[0];
    for op in [ReduceOp::Sum, ReduceOp::Prod, ReduceOp::Mean, ReduceOp::Var, ReduceOp::Min, ReduceOp::Max] {
        assert!(float(op).is_nan(), "{}", op.name());
    }
    assert_eq!((float(ReduceOp::NanSum), float(ReduceOp::NanProd), float(ReduceOp::NanMean)), (9.0, -21.0, 3.0));
    assert_eq!((float(ReduceOp::NanMin), float(ReduceOp::NanMax)), (-1.0, 7.0));
    assert_eq!((index(ReduceOp::ArgMin), index(ReduceOp::ArgMax)), (1, 1));
    assert_eq!((index(ReduceOp::NanArgMin), index(ReduceOp::NanArgMax)), (2, 3));
    assert_eq!((index(ReduceOp::CountNonzero)), 5);
    assert!(number(ReduceOp::NanArgMin, &[f64::NAN]).is_err());
    assert!(elements::<f64>(&number(ReduceOp::NanMin, &[f64::NAN; 40]).unwrap())[0].is_nan());
    assert!(elements::<f64>(&number(ReduceOp::NanVar, &[f64::NAN; 40]).unwrap())[0].is_nan());
}

#[test]
fn nothing_is_reduced_as_numpy_reduces_it() {
    let none: [f64; 0] = [];
    assert_eq!(elements::<f64>(&number(ReduceOp::Sum, &none).unwrap()), [0.0]);
    assert_eq!(elements::<f64>(&number(ReduceOp::Prod, &none).unwrap()), [1.0]);
    assert!(elements::<f64>(&number(ReduceOp::Mean, &none).unwrap())[0].is_nan());
    assert!(elements::<f64>(&number(ReduceOp::Var, &none).unwrap())[0].is_nan());
    let error = number(ReduceOp::Min, &none).unwrap_err();
    assert_eq!(error.message, "zero-size array to reduction operation minimum which has no identity");
    assert_eq!(number(ReduceOp::ArgMax, &none).unwrap_err().message, "attempt to get argmax of an empty sequence");
    let empty = Chunk::from_vec::<f64>(vec![], &[0, 3]).unwrap();
    assert_eq!(elements::<f64>(&reduced(ReduceOp::Sum, &empty, &[0], 0.0).unwrap()), [0.0; 3]);
    assert!(reduced(ReduceOp::Min, &empty, &[1], 0.0).unwrap().is_empty());
    assert!(reduced(ReduceOp::Min, &empty, &[0], 0.0).is_err());
}

#[test]
fn sums_are_of_the_types_that_numpy_gives() {
    assert_eq!(elements::<i64>(&number(ReduceOp::Sum, &[true, true, false]).unwrap()), [2]);
    assert_eq!(elements::<i64>(&number(ReduceOp::Sum, &[100_i8, 100]).unwrap()), [200]);
    assert_eq!(elements::<u64>(&number(ReduceOp::Sum, &[200_u8, 200]).unwrap()), [400]);
    assert_eq!(elements::<i64>(&number(ReduceOp::Sum, &[i64::MAX, 1]).unwrap()), [i64::MIN]);
    assert_eq!(elements::<f64>(&number(ReduceOp::Mean, &[1_i8, 2]).unwrap()), [1.5]);
    assert_eq!(elements::<f32>(&number(ReduceOp::Sum, &[1e8_f32, 1.0, -1e8]).unwrap()), [1.0]);
    assert_eq!(elements::<bool>(&number(ReduceOp::Any, &[0.0, f64::NAN]).unwrap()), [true]);
    assert_eq!(elements::<bool>(&number(ReduceOp::All, &[1_u8, 0]).unwrap()), [false]);
    let complex = [Complex::new(1.0, 2.0), Complex::new(3.0, -2.0)];
    assert_eq!(elements::<f64>(&number(ReduceOp::Var, &complex).unwrap()), [5.0]);
    assert_eq!(elements::<Complex<f64>>(&number(ReduceOp::Mean, &complex).unwrap()), [Complex::new(2.0, 0.0)]);
    assert_eq!(elements::<Complex<f64>>(&number(ReduceOp::Max, &complex).unwrap()), [Complex::new(3.0, -2.0)]);
}

#[test]
fn the_first_of_equal_elements_is_found_in_any_layout() {
    let (chunk, values) = laid_out(&[7, 300], 1);
    let small: Vec<i64> = values.iter().map(|&x| x as i64 % 5).collect();
    let small = Chunk::from_vec(small, chunk.shape()).unwrap();
    for axis in [0, 1] {
        let found = elements::<i64>(&reduced(ReduceOp::ArgMin, &small, &[axis], 0.0).unwrap());
        let as_floats: Vec<f64> = elements::<i64>(&small).iter().map(|&x| x as f64).collect();
        for (found, group) in found.iter().zip(groups(&[7, 300], &[axis], &as_floats)) {
            let least = group.iter().copied().fold(f64::INFINITY, f64::min);
            assert_eq!(*found as usize, group.iter().position(|&x| x == least).unwrap());
        }
    }
    let flat = elements::<i64>(&small);
    let found = elements::<i64>(&reduced(ReduceOp::ArgMax, &small, &[0, 1], 0.0).unwrap())[0] as usize;
    assert_eq!(found, flat.iter().position(|&x| x == 4).unwrap());
}

#[test]
fn partials_of_blocks_make_the_whole() {
    let values: Vec<f64> = (0..5000).map(|at| (at as f64 * 0.37).sin() * 100.0).collect();
    let whole = Chunk::from_vec(values, &[50, 100]).unwrap();
    for op in [ReduceOp::Sum, ReduceOp::Var, ReduceOp::ArgMin, ReduceOp::Max, ReduceOp::NanMean] {
        for axes in [vec![0], vec![0, 1]] {
            let index = if axes.len() == 1 { Affine::along(0, 2) } else { Affine::c_order(&[50, 100]) };
            let reduction = Reduction::new(op, DType::F64, &axes).with_index(index);
            let partials: Vec<Partial> = [0..7_usize, 7..7, 7..41, 41..50]
                .map(|rows| {
                    let slices = [
                        copy::AxisSlice { start: rows.start, step: 1, length: rows.len() },
                        copy::AxisSlice::whole(100),
                    ];
                    let block = copy::slice(&whole, &slices).unwrap();
                    let region = Region::new(block.shape(), &[rows.start as u64, 0]);
                    evaluate_reduce(&identity(DType::F64), &region, &[&block], &reduction, &CancelToken::default())
                        .unwrap()
                })
                .into();
            let merged = combine(&reduction, &partials).unwrap();
            let again = combine(&reduction, std::slice::from_ref(&merged)).unwrap();
            let found = finalise(&reduction, &again, true).unwrap();
            let expected = reduced(op, &whole, &axes, 0.0).unwrap();
            assert_eq!(found.shape(), if axes.len() == 1 { [1, 100] } else { [1, 1] });
            with_element!(found.dtype(), T => for (x, y) in elements::<T>(&found).iter().zip(elements::<T>(&expected)) {
                assert!(compare_loosely(*x, y, 1e-12), "{} {x:?} {y:?}", op.name());
            });
        }
    }
}

fn compare_loosely<T: Element>(x: T, y: T, within: f64) -> bool {
    let wide = |value: T| {
        elements::<f64>(&{
            let mut builder = ProgramBuilder::new();
            let input = builder.input(T::DTYPE);
            let cast = builder.cast(input, DType::F64);
            run(&builder.finish(&[cast]), &[], &[&Chunk::scalar(value)]).unwrap()
        })[0]
    };
    (wide(x) - wide(y)).abs() <= within * wide(y).abs().max(1.0)
}

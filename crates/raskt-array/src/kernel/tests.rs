//! Programs and reductions against NumPy's values and against plain loops.

use super::*;
use proptest::prelude::*;
use raskt_value::complex::Complex;
use raskt_value::{Buffer, CancelToken, Chunk, DType, Element, ErrorKind, Scalar, TaskError, with_element};

/// What NumPy 2.4 gives: lines of operation, data type, operands and result, the latter as bytes in hexadecimal.
const NUMPY: &str = include_str!("numpy_values.txt");

fn run(program: &Program, shape: &[usize], inputs: &[&Chunk]) -> Result<Chunk, TaskError> {
    evaluate(program, &Region::whole(shape), inputs, &CancelToken::default())
}

fn elements<T: Element>(chunk: &Chunk) -> Vec<T> {
    chunk.to_contiguous().as_slice::<T>().unwrap_or_else(|| panic!("{} elements", chunk.dtype())).to_vec()
}

fn from_hex(text: &str, dtype: DType) -> Chunk {
    let digit = |at: usize| u8::from_str_radix(&text[at..at + 2], 16).unwrap();
    let bytes: Vec<u8> = (0..text.len()).step_by(2).map(digit).collect();
    let length = bytes.len() / dtype.size();
    with_element!(dtype, T => {
        let mut elements = Vec::<T>::with_capacity(length);
        // SAFETY: there are bytes for as many elements, and NumPy's bytes of a bool are 0 and 1.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), elements.as_mut_ptr().cast(), bytes.len());
            elements.set_len(length);
        }
        Chunk::from_vec(elements, &[length]).unwrap()
    })
}

fn apply(name: &str, inputs: &[Chunk]) -> Result<Chunk, TaskError> {
    let mut builder = ProgramBuilder::new();
    let registers: Vec<Register> = inputs.iter().map(|input| builder.input(input.dtype())).collect();
    let result = match UnaryOp::from_name(name) {
        Some(op) => builder.unary(op, registers[0])?,
        None => builder.binary(BinaryOp::from_name(name).unwrap(), registers[0], registers[1])?,
    };
    let inputs: Vec<&Chunk> = inputs.iter().collect();
    run(&builder.finish(&[result]), inputs[0].shape(), &inputs)
}

fn same_float(found: f64, expected: f64, within: f64) -> bool {
    (found.is_nan() && expected.is_nan())
        || (found == expected && found.is_sign_negative() == expected.is_sign_negative())
        || (found != 0.0 && (found - expected).abs() <= within * expected.abs())
}

fn same_complex(found: Complex<f64>, expected: Complex<f64>) -> bool {
    // Where NumPy's result isn't finite, its parts follow C's annex G, and ours may differ in the kind of nothing.
    !expected.is_finite() || (found - expected).norm() <= 1e-14 * expected.norm().max(1e-300)
}

#[test]
fn every_operation_gives_what_numpy_gives() {
    let mut wrong = vec![];
    for line in NUMPY.lines() {
        let words: Vec<&str> = line.split(' ').collect();
        let dtype = DType::from_name(words[1]).unwrap();
        let inputs: Vec<Chunk> = words[2..words.len() - 1].iter().map(|word| from_hex(word, dtype)).collect();
        let found = apply(words[0], &inputs).unwrap_or_else(|error| panic!("{} of {dtype}: {error}", words[0]));
        let expected = from_hex(words[words.len() - 1], found.dtype());
        let operands = |at: usize| -> Vec<String> {
            inputs.iter().map(|input| with_element!(dtype, T => format!("{:?}", elements::<T>(input)[at]))).collect()
        };
        for at in 0..found.len() {
            let (same, shown) = with_element!(found.dtype(), T => {
                let (x, y) = (elements::<T>(&found)[at], elements::<T>(&expected)[at]);
                (compare(x, y), format!("{x:?}, not {y:?}"))
            });
            if !same {
                wrong.push(format!("{} of {dtype} {:?}: {shown}", words[0], operands(at)));
            }
        }
    }
    assert!(wrong.is_empty(), "{} differ: {wrong:#?}", wrong.len());
}

fn compare<T: Element>(found: T, expected: T) -> bool {
    let wide = |value: T| {
        let chunk = Chunk::scalar(value);
        let to = if T::DTYPE.kind() == raskt_value::Kind::Complex { DType::C128 } else { DType::F64 };
        let mut builder = ProgramBuilder::new();
        let input = builder.input(T::DTYPE);
        let cast = builder.cast(input, to);
        run(&builder.finish(&[cast]), &[], &[&chunk]).unwrap()
    };
    match T::DTYPE {
        DType::F32 => same_float(elements(&wide(found))[0], elements(&wide(expected))[0], 1.2e-7),
        DType::F64 => same_float(elements(&wide(found))[0], elements(&wide(expected))[0], 4.5e-16),
        DType::C64 | DType::C128 => same_complex(elements(&wide(found))[0], elements(&wide(expected))[0]),
        _ => found == expected,
    }
}

#[test]
fn negative_powers_of_integers_are_refused() {
    let inputs = [Chunk::from_vec(vec![2_i64], &[1]).unwrap(), Chunk::from_vec(vec![-1_i64], &[1]).unwrap()];
    let error = apply("power", &inputs).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Value);
}

#[test]
fn signed_and_unsigned_integers_are_compared_exactly() {
    let signed = Chunk::from_vec(vec![-1_i64, i64::MAX, 5, 0], &[4]).unwrap();
    let unsigned = Chunk::from_vec(vec![u64::MAX, i64::MAX as u64 + 1, 5, 1], &[4]).unwrap();
    let compared = |name: &str| elements::<bool>(&apply(name, &[signed.clone(), unsigned.clone()]).unwrap());
    assert_eq!(compared("less"), [true, true, false, true]);
    assert_eq!(compared("greater_equal"), [false, false, true, false]);
    assert_eq!(compared("equal"), [false, false, true, false]);
    let flipped = elements::<bool>(&apply("greater", &[unsigned.clone(), signed.clone()]).unwrap());
    assert_eq!(flipped, [true, true, false, true]);
}

/// A strided view of some layout of a block of `shape`, with elements 0.5, 1.5, …
fn laid_out(shape: &[usize], layout: u8) -> (Chunk, Vec<f64>) {
    let count: usize = shape.iter().product();
    let plain = Chunk::from_vec((0..count).map(|at| at as f64 + 0.5).collect(), shape).unwrap();
    let chunk = match layout {
        0 => plain,
        1 => {
            let order: Vec<usize> = (0..shape.len()).rev().collect();
            let turned: Vec<usize> = shape.iter().rev().copied().collect();
            let plain = Chunk::from_vec((0..count).map(|at| at as f64 + 0.5).collect(), &turned).unwrap();
            copy::transpose(&plain, &order).unwrap()
        }
        _ => {
            let backwards =
                shape.iter().map(|&length| copy::AxisSlice { start: length.saturating_sub(1), step: -1, length });
            copy::slice(&plain, &backwards.collect::<Vec<_>>()).unwrap()
        }
    };
    let values = elements(&chunk);
    (chunk, values)
}

/// `sqrt(a * b + 1) - a`, where `a` is of the shape and `b` is broadcast.
fn chain() -> Program {
    let mut builder = ProgramBuilder::new();
    let (a, b) = (builder.input(DType::F64), builder.input(DType::F64));
    let one = builder.constant(Scalar::Float(1.0), DType::F64);
    let product = builder.binary(BinaryOp::Multiply, a, b).unwrap();
    let sum = builder.binary(BinaryOp::Add, product, one).unwrap();
    let root = builder.unary(UnaryOp::Sqrt, sum).unwrap();
    let difference = builder.binary(BinaryOp::Subtract, root, a).unwrap();
    builder.finish(&[difference, product])
}

/// Sums and differences of terms of every kind, a square root and an exponential; with all steps as outputs if `open`,
/// which keeps the sums from being fused.
fn fusible(dtype: DType, open: bool) -> Program {
    let mut builder = ProgramBuilder::new();
    let (a, b) = (builder.input(dtype), builder.input(dtype));
    let two = builder.constant(Scalar::Float(2.0), dtype);
    let mut kinds = vec![a, two];
    for (x, y) in [(a, a), (two, b), (a, b), (b, two)] {
        kinds.push(builder.binary(BinaryOp::Multiply, x, y).unwrap());
    }
    let mut steps = kinds.clone();
    let mut total = b;
    for &x in &kinds {
        for &y in &kinds {
            // Each product of its own, so that only one sum reads it.
            let sum = builder.binary(BinaryOp::Add, x, y).unwrap();
            let root = builder.unary(UnaryOp::Sqrt, sum).unwrap();
            let decay = builder.unary(UnaryOp::Exp, total).unwrap();
            let product = builder.binary(BinaryOp::Multiply, root, decay).unwrap();
            total = builder.binary(BinaryOp::Subtract, b, product).unwrap();
            steps.extend([sum, root, decay, product, total]);
        }
    }
    let outputs = if open { [vec![total], steps].concat() } else { vec![total] };
    builder.finish(&outputs)
}

#[test]
fn fused_steps_give_the_same_bits() {
    for length in [1, 63, 512, 1300] {
        let numbers = |scale: f64| {
            let elements = (0..length).map(|at| (at as f64 * 0.37).sin() * scale);
            Chunk::from_vec(elements.collect::<Vec<f64>>(), &[length]).unwrap()
        };
        // With the second scale, exponents leave the moderate range.
        for scale in [1.0, 900.0] {
            let (a, b) = (numbers(1.0), numbers(scale));
            let fused = run(&fusible(DType::F64, false), &[length], &[&a, &b]).unwrap();
            let open = run(&fusible(DType::F64, true), &[length], &[&a, &b]).unwrap();
            let bits = |chunk: &Chunk| elements::<f64>(chunk).iter().map(|x| x.to_bits()).collect::<Vec<_>>();
            assert_eq!(bits(&fused), bits(&open));
        }
    }
}

#[test]
fn a_sum_of_products_is_one_action() {
    let mut builder = ProgramBuilder::new();
    let (x, y) = (builder.input(DType::F64), builder.input(DType::F64));
    let (a, b) = (builder.binary(BinaryOp::Multiply, x, x).unwrap(), builder.binary(BinaryOp::Multiply, y, x).unwrap());
    let difference = builder.binary(BinaryOp::Subtract, a, b).unwrap();
    let program = builder.finish(&[difference]);
    let (x, y) =
        (Chunk::from_vec(vec![3.0, 0.1], &[2]).unwrap(), Chunk::from_vec(vec![5.0, f64::INFINITY], &[2]).unwrap());
    assert_eq!(elements::<f64>(&run(&program, &[2], &[&x, &y]).unwrap()), [-6.0, f64::NEG_INFINITY]);
}

fn shapes() -> impl Strategy<Value = Vec<usize>> {
    prop_oneof![
        prop::collection::vec(0..9_usize, 0..4),
        (1..4_usize, 400..700_usize).prop_map(|(a, b)| vec![a, b]),
        (400..700_usize, 1..4_usize).prop_map(|(a, b)| vec![a, b]),
        (1..3_usize, 1..20_usize, 1..60_usize).prop_map(|(a, b, c)| vec![a, b, c]),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn programs_agree_with_plain_loops(shape in shapes(), layout in 0..3_u8, repeated in 0..8_u8, cut in 0..3_usize) {
        let (a, values) = laid_out(&shape, layout);
        let lengths = shape.iter().enumerate();
        let own: Vec<usize> = lengths.map(|(axis, &length)| if repeated >> axis & 1 == 1 { 1 } else { length }).collect();
        let own = &own[cut.min(own.len())..];
        let (b, _) = laid_out(own, layout);
        let spread = elements::<f64>(&copy::broadcast_to(&b, &shape).unwrap());
        let outputs = evaluate_all(&chain(), &Region::whole(&shape), &[&a, &b], &CancelToken::default()).unwrap();
        let product: Vec<f64> = values.iter().zip(&spread).map(|(a, b)| a * b).collect();
        let expected: Vec<f64> = product.iter().zip(&values).map(|(product, a)| (product + 1.0).sqrt() - a).collect();
        prop_assert_eq!(outputs[0].shape(), shape.as_slice());
        prop_assert_eq!(elements::<f64>(&outputs[0]), expected);
        prop_assert_eq!(elements::<f64>(&outputs[1]), product);
    }

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

    #[test]
    fn random_numbers_do_not_depend_on_how_they_are_cut(start in 0..2000_u64, length in 1..1500_usize, step in 1..4_i64) {
        for distribution in [
            Distribution::Uniform { low: -1.0, high: 2.0 },
            Distribution::Normal { loc: 1.0, scale: 2.0 },
            Distribution::Gamma { shape: 0.5, scale: 1.0 },
            Distribution::Exponential { scale: 1.0 },
        ] {
            let index = Affine::c_order(&[10_000]);
            let whole = elements::<f64>(&random(distribution, index.clone(), DType::F64, &Region::whole(&[10_000])));
            let region = Region::new(&[length], &[start]);
            let part = elements::<f64>(&random(distribution, index.sliced(0, 7, step), DType::F64, &region));
            for (at, found) in part.iter().enumerate() {
                prop_assert_eq!(*found, whole[7 + (start as usize + at) * step as usize]);
            }
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

fn identity(dtype: DType) -> Program {
    let mut builder = ProgramBuilder::new();
    let input = builder.input(dtype);
    builder.finish(&[input])
}

fn reduced(op: ReduceOp, chunk: &Chunk, axes: &[usize], ddof: f64) -> Result<Chunk, TaskError> {
    let shape: Vec<u64> = chunk.shape().iter().map(|&length| length as u64).collect();
    let index = if axes.len() == 1 { Affine::along(axes[0], shape.len()) } else { Affine::c_order(&shape) };
    let reduction = Reduction::new(op, chunk.dtype(), axes).with_ddof(ddof).with_index(index);
    let region = Region::whole(chunk.shape());
    let partial = evaluate_reduce(&identity(chunk.dtype()), &region, &[chunk], &reduction, &CancelToken::default())?;
    finalise(&reduction, &partial, false)
}

fn random(distribution: Distribution, index: Affine, dtype: DType, region: &Region) -> Chunk {
    let mut builder = ProgramBuilder::new();
    let generator = Generator::Random(Random { seed: 1, stream: 2, distribution });
    let source = builder.source(Source { generator, dtype, index });
    evaluate(&builder.finish(&[source]), region, &[], &CancelToken::default()).unwrap()
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

#[test]
fn sources_know_where_they_are() {
    let make = |generator: Generator, dtype: DType, index: Affine, region: &Region| {
        let mut builder = ProgramBuilder::new();
        let source = builder.source(Source { generator, dtype, index });
        evaluate(&builder.finish(&[source]), region, &[], &CancelToken::default()).unwrap()
    };
    let eye = make(Generator::Eye, DType::F64, Affine::diagonal(1), &Region::new(&[2, 3], &[1, 1]));
    assert_eq!(elements::<f64>(&eye), [0.0, 1.0, 0.0, 0.0, 0.0, 1.0]);
    let lower = make(Generator::Triangle, DType::I32, Affine::diagonal(0), &Region::new(&[2, 3], &[1, 1]));
    assert_eq!(elements::<i32>(&lower), [1, 0, 0, 1, 1, 0]);
    let (start, step) = (Scalar::Float(0.1), Scalar::Float(0.3));
    let line = Generator::Linear { start, step, end: Some((4, Scalar::Float(9.0))) };
    let found = make(line, DType::F64, Affine::c_order(&[5]), &Region::new(&[3], &[2]));
    assert_eq!(elements::<f64>(&found), [0.1 + 0.3 * 2.0, 0.1 + 0.3 * 3.0, 9.0]);
    let count = Generator::Linear { start: Scalar::Int(250), step: Scalar::Int(3), end: None };
    let found = make(count, DType::U8, Affine::c_order(&[4]), &Region::whole(&[4]));
    assert_eq!(elements::<u8>(&found), [250, 253, 0, 3]);
    let ones = make(Generator::Full(Scalar::Int(1)), DType::Bool, Affine::c_order(&[3]), &Region::whole(&[3]));
    assert_eq!(elements::<bool>(&ones), [true; 3]);
}

#[test]
fn distributions_have_their_means_and_variances() {
    use Distribution::*;
    let count = 200_000;
    let float = [
        (Uniform { low: -1.0, high: 3.0 }, 1.0, 16.0 / 12.0),
        (Normal { loc: 2.0, scale: 3.0 }, 2.0, 9.0),
        (Exponential { scale: 2.0 }, 2.0, 4.0),
        (Lognormal { mean: 0.0, sigma: 0.5 }, (0.125_f64).exp(), (0.25_f64.exp() - 1.0) * 0.25_f64.exp()),
        (Laplace { loc: 1.0, scale: 2.0 }, 1.0, 8.0),
        (Logistic { loc: 1.0, scale: 2.0 }, 1.0, 4.0 * std::f64::consts::PI.powi(2) / 3.0),
        (Gumbel { loc: 0.0, scale: 1.0 }, 0.577_215_664_9, std::f64::consts::PI.powi(2) / 6.0),
        (Rayleigh { scale: 1.0 }, (std::f64::consts::PI / 2.0).sqrt(), 2.0 - std::f64::consts::PI / 2.0),
        (Weibull { a: 2.0 }, 0.886_226_925, 0.214_601_836),
        (Pareto { a: 5.0 }, 0.25, 5.0 / 48.0),
        (Power { a: 3.0 }, 0.75, 3.0 / 80.0),
        (Triangular { left: 0.0, mode: 1.0, right: 3.0 }, 4.0 / 3.0, 7.0 / 18.0),
        (Gamma { shape: 0.5, scale: 2.0 }, 1.0, 2.0),
        (Gamma { shape: 7.5, scale: 1.0 }, 7.5, 7.5),
        (Beta { a: 0.5, b: 0.7 }, 0.5 / 1.2, 0.35 / (1.44 * 2.2)),
        (Beta { a: 2.0, b: 3.0 }, 0.4, 0.04),
        (Chisquare { df: 3.0 }, 3.0, 6.0),
        (StandardT { df: 8.0 }, 0.0, 8.0 / 6.0),
        (F { dfnum: 5.0, dfden: 12.0 }, 1.2, 1.08),
        (Poisson { lam: 3.0 }, 3.0, 3.0),
        (Poisson { lam: 300.0 }, 300.0, 300.0),
        (Binomial { n: 20, p: 0.1 }, 2.0, 1.8),
        (Binomial { n: 1000, p: 0.7 }, 700.0, 210.0),
        (NegativeBinomial { n: 4.0, p: 0.4 }, 6.0, 15.0),
        (Geometric { p: 0.25 }, 4.0, 12.0),
        (Bernoulli { p: 0.3 }, 0.3, 0.21),
        (Integers { low: -5, span: 11 }, 0.0, 10.0),
    ];
    for (distribution, mean, variance) in float {
        let found = random(distribution, Affine::c_order(&[count]), DType::F64, &Region::whole(&[count as usize]));
        let found = elements::<f64>(&found);
        let average = found.iter().sum::<f64>() / count as f64;
        let spread = found.iter().map(|x| (x - average) * (x - average)).sum::<f64>() / count as f64;
        let error = 5.0 * (variance / count as f64).sqrt();
        assert!((average - mean).abs() < error, "{distribution:?}: mean {average}, not {mean}");
        assert!((spread - variance).abs() < 0.06 * variance, "{distribution:?}: variance {spread}, not {variance}");
    }
}

#[test]
fn a_cancelled_run_stops() {
    let cancel = CancelToken::default();
    cancel.cancel();
    let chunk = Chunk::from_vec(vec![1.0; 10], &[10]).unwrap();
    let error = evaluate(&identity(DType::F64), &Region::whole(&[10]), &[&chunk], &cancel).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Cancelled);
}

#[test]
fn inputs_that_do_not_fit_are_refused() {
    let chunk = Chunk::from_vec(vec![1.0; 6], &[2, 3]).unwrap();
    let program = identity(DType::F64);
    assert!(run(&program, &[3, 3], &[&chunk]).is_err());
    assert!(run(&program, &[3], &[&chunk]).is_err());
    assert!(run(&program, &[2, 3], &[]).is_err());
    assert!(run(&identity(DType::F32), &[2, 3], &[&chunk]).is_err());
    let far = Chunk::from_parts(DType::F64, [1][..].into(), [7][..].into(), 0, Buffer::from_vec(vec![4.0_f64]));
    assert_eq!(elements::<f64>(&run(&program, &[2, 3], &[&far.unwrap()]).unwrap()), [4.0; 6]);
}

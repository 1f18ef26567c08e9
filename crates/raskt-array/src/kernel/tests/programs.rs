use super::*;
use proptest::prelude::*;

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

proptest! {
    #![proptest_config(ProptestConfig::with_cases(200))]

    #[test]
    fn programs_agree_with_plain_loops(shape in shapes(), layout in 0..3_u8, repeated in 0..8_u8, cut in 0..3_usize) {
        let (a, values) = laid_out(&shape, layout);
        let lengths = shape.iter().enumerate();
        let kept = |(axis, &length): (usize, &usize)| if repeated >> axis & 1 == 1 { 1 } else { length };
        let own: Vec<usize> = lengths.map(kept).collect();
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

#[test]
fn clip_and_nan_to_num_are_numpys() {
    let values = Chunk::from_vec(vec![f64::NAN, f64::INFINITY, f64::NEG_INFINITY, 2.0], &[4]).unwrap();
    let mut builder = ProgramBuilder::new();
    let x = builder.input(DType::F64);
    let numbers = builder.nan_to_num(x, 7.0, None, Some(-1.0)).unwrap();
    let one = builder.constant(Scalar::Float(1.0), DType::F64);
    let clipped = builder.clip(x, None, Some(one)).unwrap();
    let program = builder.finish(&[numbers, clipped]);
    let found = evaluate_all(&program, &Region::whole(&[4]), &[&values], &CancelToken::default()).unwrap();
    assert_eq!(elements::<f64>(&found[0]), [7.0, f64::MAX, -1.0, 2.0]);
    let clipped = elements::<f64>(&found[1]);
    assert!(clipped[0].is_nan());
    assert_eq!(clipped[1..], [1.0, f64::NEG_INFINITY, 1.0]);
}

use super::*;

/// What NumPy 2.4 gives: lines of operation, data type, operands and result, the latter as bytes in hexadecimal.
const NUMPY: &str = include_str!("../numpy_values.txt");

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

/// Elements far apart, as they come beside one another and one by one.
#[test]
fn no_element_depends_on_its_neighbours() {
    let values = [0.5, 3e7, -1e300, 2.25, 700.5, -745.2, f64::NAN, f64::INFINITY, 1e-310, -0.0, 8.125, 1e6, 999_999.9];
    for op in UnaryOp::ALL {
        let together = Chunk::from_vec(values.to_vec(), &[values.len()]).unwrap();
        let Ok(found) = apply(op.name(), &[together]) else { continue };
        for (at, &value) in values.iter().enumerate() {
            let alone = apply(op.name(), &[Chunk::from_vec(vec![value], &[1]).unwrap()]).unwrap();
            let same = with_element!(found.dtype(), T => {
                let (x, y) = (elements::<T>(&found)[at], elements::<T>(&alone)[0]);
                format!("{x:?}") == format!("{y:?}")
            });
            assert!(same, "{op} of {value}");
        }
    }
}

#[test]
fn a_square_is_one_wherever_its_exponent_stands() {
    let bases: Vec<f64> = (0..500).map(|at| 1.0 + f64::from(at) * 0.001_234_567).collect();
    let exponents: Vec<f64> = (0..500).map(|at| if at % 3 == 0 { 2.0 } else { 1.5 }).collect();
    let mixed = [bases.clone(), exponents.clone()].map(|values| Chunk::from_vec(values, &[500]).unwrap());
    let found = apply("power", &mixed).unwrap();
    for (at, &found) in elements::<f64>(&found).iter().enumerate().filter(|(at, _)| at % 3 == 0) {
        assert_eq!(found, bases[at] * bases[at]);
    }
}

use super::{check, compute, counted, from_numbers};
use crate::{Array, ErrorClass, Operand, Ufunc};
use raskt_value::{Chunk, DType, Scalar};

fn apply(name: &str, operands: &[Operand]) -> crate::Result<Array> {
    Array::map(Ufunc::from_name(name).unwrap(), operands)
}

#[test]
fn operands_are_broadcast_whatever_their_blocks() {
    let (x, n) = counted(&[&[2, 3], &[3, 1]]);
    let (y, m) = counted(&[&[1, 3]]);
    let sum = apply("add", &[(&x).into(), (&y).into()]).unwrap();
    check(&sum, &(&n + &m));
    let column = x.index(&[crate::Index::Ellipsis, crate::Index::At(0), crate::Index::NewAxis]).unwrap();
    let product = apply("multiply", &[column.into(), sum.into()]).unwrap();
    check(&product, &(n.slice(ndarray::s![.., 0..1]).to_owned().into_dyn() * (&n + &m)));
}

#[test]
fn numbers_of_python_do_not_widen() {
    let bytes = Array::from_chunk(Chunk::from_vec(vec![1_u8, 2], &[2]).unwrap());
    assert_eq!(apply("add", &[(&bytes).into(), Scalar::Int(3).into()]).unwrap().dtype(), DType::U8);
    assert_eq!(apply("add", &[(&bytes).into(), Scalar::Float(3.0).into()]).unwrap().dtype(), DType::F64);
    let error = apply("add", &[(&bytes).into(), Scalar::Int(300).into()]).unwrap_err();
    assert_eq!(
        (error.class(), error.to_string().as_str()),
        (ErrorClass::Overflow, "Python integer 300 out of bounds for uint8")
    );
    let less = apply("less", &[(&bytes).into(), Scalar::Int(300).into()]).unwrap();
    assert_eq!(compute(&less).as_slice::<bool>().unwrap(), [true, true]);
}

#[test]
fn errors_come_at_the_call() {
    let (x, _) = counted(&[&[3], &[4]]);
    let (y, _) = counted(&[&[2]]);
    let error = apply("add", &[(&x).into(), (&y).into()]).unwrap_err();
    assert_eq!(error.to_string(), "operands could not be broadcast together with shapes (3,4) and (2,)");
    let error = x.transpose(Some(&[0, 2])).unwrap_err();
    assert_eq!(error.to_string(), "axis 2 is out of bounds for array of dimension 2");
    let error = x.index(&[crate::Index::At(3)]).unwrap_err();
    assert_eq!(error.to_string(), "index 3 is out of bounds for axis 0 with size 3");
    assert_eq!(error.class(), ErrorClass::Index);
    assert_eq!(apply("invert", &[x.astype(DType::F64).into()]).unwrap_err().class(), ErrorClass::Type);
    assert_eq!(apply("power", &[x.into(), Scalar::Int(-1).into()]).unwrap_err().class(), ErrorClass::Value);
}

#[test]
fn arrays_without_axes_or_elements_work() {
    let nothing = from_numbers(&ndarray::ArrayD::<i64>::zeros(vec![0, 3]), &[vec![0], vec![2, 1]]);
    let doubled = apply("multiply", &[(&nothing).into(), Scalar::Int(2).into()]).unwrap();
    check(&doubled, &ndarray::ArrayD::zeros(vec![0, 3]));
    let one = Array::from_chunk(Chunk::scalar(4_i64));
    check(&apply("add", &[(&one).into(), (&one).into()]).unwrap(), &ndarray::arr0(8).into_dyn());
}

#[test]
fn numbers_are_clipped_selected_and_converted() {
    let (x, n) = counted(&[&[2, 3]]);
    check(&x.clip(Some(Scalar::Int(1).into()), Some(Scalar::Int(3).into())).unwrap(), &n.mapv(|x| x.clamp(1, 3)));
    let small = apply("less", &[(&x).into(), Scalar::Int(2).into()]).unwrap();
    let chosen = Array::select(small.into(), (&x).into(), Scalar::Int(-1).into()).unwrap();
    check(&chosen, &n.mapv(|x| if x < 2 { x } else { -1 }));
    let halves = apply("divide", &[(&x).into(), Scalar::Int(2).into()]).unwrap();
    check(&halves.astype(DType::I64), &n.mapv(|x| x / 2));
}

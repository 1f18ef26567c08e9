use super::*;
use crate::kernel::copy::{broadcast_to, transpose};
use raskt_value::complex::Complex;
use raskt_value::{Call, CancelToken, Chunk, Element, ErrorKind};

type C = Complex<f64>;

fn with_call<R>(run: impl FnOnce(&Call<'_>) -> R) -> R {
    run(&Call { index: 0, threads: 1, cancel: &CancelToken::default() })
}

fn matrix(rows: usize, columns: usize, value: impl Fn(usize, usize) -> f64) -> Chunk {
    let elements = (0..rows * columns).map(|at| value(at / columns.max(1), at % columns.max(1)));
    Chunk::from_vec(elements.collect(), &[rows, columns]).unwrap()
}

fn wavy(rows: usize, columns: usize) -> Chunk {
    matrix(rows, columns, |i, j| ((i * 7 + j * 3) as f64).sin() + f64::from(u8::from(i == j)) * 2.0)
}

fn elements<T: Element>(chunk: &Chunk) -> Vec<T> {
    chunk.to_contiguous().as_slice::<T>().unwrap().to_vec()
}

fn close(a: &Chunk, b: &Chunk) {
    assert_eq!(a.shape(), b.shape());
    let worst = elements::<f64>(a).iter().zip(elements::<f64>(b)).map(|(a, b)| (a - b).abs()).fold(0.0, f64::max);
    assert!(worst < 1e-12, "differs by {worst}");
}

fn product(a: &Chunk, b: &Chunk) -> Chunk {
    with_call(|call| matmul(&[(a, b)], call).unwrap())
}

fn turned(a: &Chunk) -> Chunk {
    transpose(a, &[1, 0]).unwrap()
}

#[test]
fn products_are_summed_over_pairs() {
    let (a, b) = (wavy(5, 7), wavy(7, 3));
    let plain = |i: usize, j: usize| {
        let (a, b) = (elements::<f64>(&a), elements::<f64>(&b));
        2.0 * (0..7).map(|k| a[i * 7 + k] * b[k * 3 + j]).sum::<f64>()
    };
    let found = with_call(|call| matmul(&[(&a, &b), (&a, &b)], call).unwrap());
    close(&found, &matrix(5, 3, plain));
    let found = with_call(|call| matmul(&[(&turned(&turned(&a).to_contiguous()), &b), (&a, &b)], call).unwrap());
    close(&found, &matrix(5, 3, plain));
}

#[test]
fn integer_and_boolean_products_wrap_and_join() {
    let a = Chunk::from_vec(vec![100_i8, 2, 3, 4], &[2, 2]).unwrap();
    let wrapped = [10_006_i32, 208, 312, 22].map(|wide| wide as i8);
    assert_eq!(elements::<i8>(&product(&a, &a)), wrapped);
    let mask = Chunk::from_vec(vec![true, false, false, false], &[2, 2]).unwrap();
    assert_eq!(elements::<bool>(&product(&mask, &mask)), [true, false, false, false]);
}

#[test]
fn stacks_are_broadcast_and_empty_products_are_zero() {
    let stack = Chunk::from_vec((0..12).map(f64::from).collect(), &[3, 2, 2]).unwrap();
    let identity = matrix(2, 2, |i, j| f64::from(u8::from(i == j)));
    assert_eq!(elements::<f64>(&product(&stack, &identity)), elements::<f64>(&stack));
    assert_eq!(elements::<f64>(&product(&matrix(2, 0, |_, _| 0.0), &matrix(0, 2, |_, _| 0.0))), [0.0; 4]);
    assert!(with_call(|call| matmul(&[(&identity, &matrix(3, 2, |_, _| 0.0))], call)).is_err());
}

#[test]
fn qr_gives_back_the_matrix() {
    for (rows, columns) in [(9, 4), (4, 4), (3, 6)] {
        let a = wavy(rows, columns);
        let (q, r) = with_call(|call| qr(&a, call).unwrap());
        close(&product(&q, &r), &a);
        let rank = rows.min(columns);
        close(&product(&turned(&q), &q), &matrix(rank, rank, |i, j| f64::from(u8::from(i == j))));
        let triangle = elements::<f64>(&r);
        assert!(
            (0..rank).all(|i| triangle[i * columns + i] >= 0.0 && (0..i).all(|j| triangle[i * columns + j] == 0.0))
        );
        close(&with_call(|call| qr_r(&a, call).unwrap()), &r);
    }
    let (q, r) = with_call(|call| qr(&matrix(0, 3, |_, _| 0.0), call).unwrap());
    assert_eq!((q.shape(), r.shape()), (&[0, 0][..], &[0, 3][..]));
}

#[test]
fn complex_qr_and_svd_give_back_the_matrix() {
    let a = Chunk::from_vec((0..12).map(|at| C::new(f64::from(at).sin(), f64::from(at * 5).cos())).collect(), &[4, 3])
        .unwrap();
    let (q, r) = with_call(|call| qr(&a, call).unwrap());
    let (u, s, v) = with_call(|call| svd(&a, call).unwrap());
    let scaled: Vec<C> = elements::<C>(&u).iter().enumerate().map(|(at, x)| x * elements::<f64>(&s)[at % 3]).collect();
    let scaled = Chunk::from_vec(scaled, &[4, 3]).unwrap();
    for back in [product(&q, &r), product(&scaled, &v)] {
        let away = elements::<C>(&back).iter().zip(elements::<C>(&a)).map(|(x, y)| (x - y).norm()).fold(0.0, f64::max);
        assert!(away < 1e-13, "{away}");
    }
}

#[test]
fn svd_and_eigenvalues_give_back_the_matrix() {
    let a = wavy(6, 4);
    let (u, s, v) = with_call(|call| svd(&a, call).unwrap());
    let s = elements::<f64>(&s);
    assert!(s.windows(2).all(|pair| pair[0] >= pair[1]));
    let scaled = matrix(6, 4, |i, j| elements::<f64>(&u)[i * 4 + j] * s[j]);
    close(&product(&scaled, &v), &a);
    let squared = with_call(|call| gram(&a, call).unwrap());
    close(&squared, &product(&turned(&a), &a));
    let (values, vectors) = with_call(|call| eigh(&squared, call).unwrap());
    let largest = elements::<f64>(&values)[3];
    assert!((largest - s[0] * s[0]).abs() < 1e-12);
    close(
        &product(&squared, &vectors),
        &matrix(4, 4, |i, j| elements::<f64>(&vectors)[i * 4 + j] * elements::<f64>(&values)[j]),
    );
    let bad = matrix(2, 2, |_, _| f64::NAN);
    assert_eq!(with_call(|call| svd(&bad, call)).unwrap_err().kind, ErrorKind::LinearAlgebra);
}

#[test]
fn a_product_larger_than_memory_can_be_is_an_error() {
    let long = |shape: [usize; 2]| broadcast_to(&Chunk::scalar(1_i8), &shape).unwrap();
    let error = with_call(|call| matmul(&[(&long([1 << 40, 1]), &long([1, 1 << 40]))], call)).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Memory);
}

#[test]
fn systems_are_solved() {
    let a = wavy(5, 5);
    let definite = product(&turned(&a), &a);
    let lower = with_call(|call| cholesky(&definite, call).unwrap());
    close(&product(&lower, &turned(&lower)), &definite);
    let b = wavy(5, 2);
    with_call(|call| {
        close(&product(&lower, &solve_triangular(&lower, &b, true, call).unwrap()), &b);
        let upper = turned(&lower);
        close(&product(&upper, &solve_triangular(&upper, &b, false, call).unwrap()), &b);
        close(&product(&a, &solve(&a, &b, call).unwrap()), &b);
        close(&product(&a, &inverse(&a, call).unwrap()), &matrix(5, 5, |i, j| f64::from(u8::from(i == j))));
        let singular = matrix(2, 2, |_, _| 1.0);
        assert!(solve(&singular, &matrix(2, 1, |_, _| 1.0), call).is_err());
        assert!(cholesky(&matrix(2, 2, |i, j| if i == j { -1.0 } else { 0.0 }), call).is_err());
        assert!(solve(&b, &b, call).is_err());
    });
}

#[test]
fn least_squares_solve_the_normal_equations() {
    let (a, b) = (wavy(8, 3), wavy(8, 2));
    let (x, rank, values) = with_call(|call| lstsq(&a, &b, 1e-15, call).unwrap());
    assert_eq!((rank, values.len()), (3, 3));
    close(&product(&turned(&a), &product(&a, &x)), &product(&turned(&a), &b));
    let deficient = matrix(4, 2, |i, _| i as f64);
    let (x, rank, _) = with_call(|call| lstsq(&deficient, &matrix(4, 1, |i, _| 2.0 * i as f64), 1e-12, call).unwrap());
    assert_eq!(rank, 1);
    close(&x, &matrix(2, 1, |_, _| 1.0));
}

use super::{check, compute, counted, from_numbers};
use crate::{Array, linalg};
use ndarray::{Array2, ArrayD, Ix2};

/// Numbers without a pattern.
fn matrix(rows: usize, columns: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, columns), |(i, j)| ((i * 31 + j * 17 + 3) as f64 * 0.7).sin() + f64::from(i == j))
}

fn cut(matrix: &Array2<f64>, rows: &[usize], columns: &[usize]) -> Array {
    from_numbers(&matrix.clone().into_dyn(), &[rows.to_vec(), columns.to_vec()])
}

fn computed(array: &Array) -> Array2<f64> {
    compute(array).view::<f64>().unwrap().to_owned().into_dimensionality::<Ix2>().unwrap()
}

#[track_caller]
fn close(a: &Array2<f64>, b: &Array2<f64>) {
    assert_eq!(a.shape(), b.shape());
    assert!((a - b).iter().all(|difference| difference.abs() < 1e-10), "{a:?} {b:?}");
}

#[test]
fn products_sum_over_blocks() {
    let (x, n) = counted(&[&[2, 3], &[1, 2, 1]]);
    let (y, m) = counted(&[&[2, 2], &[3, 3]]);
    let two = |array: &ArrayD<i64>| array.clone().into_dimensionality::<Ix2>().unwrap();
    check(&linalg::matmul(&x, &y).unwrap(), &two(&n).dot(&two(&m)).into_dyn());
    let (v, w) = counted(&[&[3, 1]]);
    let vector = w.into_dimensionality::<ndarray::Ix1>().unwrap();
    check(&linalg::matmul(&x, &v).unwrap(), &two(&n).dot(&vector).into_dyn());
    check(&linalg::dot(&v, &v).unwrap(), &ndarray::arr0(14).into_dyn());
    let (stack, s) = counted(&[&[1, 1], &[2], &[2, 2]]);
    let products = linalg::matmul(&stack, &y).unwrap();
    for at in 0..2 {
        let expected =
            s.index_axis(ndarray::Axis(0), at).to_owned().into_dimensionality::<Ix2>().unwrap().dot(&two(&m));
        check(&products.index(&[crate::Index::At(at as i64)]).unwrap(), &expected.into_dyn());
    }
    check(&linalg::tensordot(&x, &y, &[1], &[0]).unwrap(), &two(&n).dot(&two(&m)).into_dyn());
    assert!(linalg::matmul(&x, &x).unwrap_err().to_string().contains("(5,4) and (5,4)"));
}

#[test]
fn tall_matrices_are_factorised_by_blocks() {
    let a = matrix(60, 4);
    for rows in [&[60_usize] as &[usize], &[20, 20, 20], &[3; 20], &[1; 60]] {
        let x = cut(&a, rows, &[2, 2]);
        let (q, r) = linalg::qr(&x).unwrap();
        let (q, r) = (computed(&q), computed(&r));
        close(&q.dot(&r), &a);
        close(&q.t().dot(&q), &Array2::eye(4));
        let (u, s, vt) = linalg::svd(&x).unwrap();
        let s = compute(&s).as_slice::<f64>().unwrap().to_vec();
        close(&(computed(&u) * ndarray::Array1::from(s)).dot(&computed(&vt)), &a);
    }
    let wide = cut(&a.t().to_owned(), &[4], &[20, 40]);
    let (u, s, vt) = linalg::svd(&wide).unwrap();
    let s = ndarray::Array1::from(compute(&s).as_slice::<f64>().unwrap().to_vec());
    close(&(computed(&u) * s).dot(&computed(&vt)), &a.t().to_owned());
    assert!(linalg::qr(&wide).unwrap_err().to_string().contains("fewer rows (4) than columns (60)"));
}

#[test]
fn least_squares_agree_with_the_normal_equations() {
    let (a, truth) = (matrix(50, 3), ndarray::arr1(&[1.0, -2.0, 0.5]));
    let b = a.dot(&truth);
    let x = cut(&a, &[20, 20, 10], &[3]);
    let y = from_numbers(&b.into_dyn(), &[vec![25, 25]]);
    let (solution, residuals, rank, singular) = linalg::lstsq(&x, &y).unwrap();
    let found = compute(&solution);
    assert!(found.as_slice::<f64>().unwrap().iter().zip(&truth).all(|(a, b)| (a - b).abs() < 1e-12));
    assert!(compute(&residuals).as_slice::<f64>().unwrap()[0] < 1e-20);
    assert_eq!(compute(&rank).as_slice::<i64>().unwrap(), [3]);
    let (_, s, _) = linalg::svd(&x).unwrap();
    let (singular, s) = (compute(&singular), compute(&s));
    assert!(
        singular
            .as_slice::<f64>()
            .unwrap()
            .iter()
            .zip(s.as_slice::<f64>().unwrap())
            .all(|(a, b)| (a - b).abs() < 1e-10)
    );
}

//! Products by what this machine has: without a library there is nothing to test, and CI has one for Python's tests.

use crate::{Scalar, View, best};
use num_complex::Complex;

/// Operands in each way in which they may lie: strides for so many rows and columns, and how many elements that takes.
fn ways(shape: [usize; 2]) -> Vec<[isize; 2]> {
    let [rows, columns] = shape.map(|length| length as isize);
    vec![[columns.max(1), 1], [columns + 3, 1], [1, rows.max(1)], [1, rows + 2]]
}

fn value(at: usize) -> f64 {
    ((at * 7 + 3) % 11) as f64 - 5.0
}

trait Of: Scalar + PartialEq + std::fmt::Debug + std::ops::AddAssign + std::ops::Mul<Output = Self> {
    fn of(at: usize) -> Self;
}
impl Of for f32 {
    fn of(at: usize) -> Self {
        value(at) as f32
    }
}
impl Of for f64 {
    fn of(at: usize) -> Self {
        value(at)
    }
}
impl Of for Complex<f32> {
    fn of(at: usize) -> Self {
        Self::new(value(at) as f32, value(at + 5) as f32)
    }
}
impl Of for Complex<f64> {
    fn of(at: usize) -> Self {
        Self::new(value(at), value(at + 5))
    }
}

/// A matrix as an operand, and by its elements.
fn matrix<T: Of>(elements: &[T], shape: [usize; 2], strides: [isize; 2]) -> (View<'_, T>, impl Fn(usize, usize) -> T) {
    // SAFETY: there are elements enough for all these shapes.
    let operand = unsafe { View::new(elements.as_ptr(), shape, strides) }.expect("they lie together");
    (operand, move |row, column| elements[row * strides[0] as usize + column * strides[1] as usize])
}

fn all_ways<T: Of>() {
    let Some(blas) = best().and_then(|library| library.blas()) else { return };
    let elements: Vec<T> = (0..400).map(T::of).collect();
    for (rows, inner, columns) in
        [(1, 1, 1), (3, 4, 5), (7, 1, 2), (1, 6, 3), (5, 3, 1), (0, 2, 3), (2, 0, 3), (2, 3, 0)]
    {
        for left in ways([rows, inner]) {
            let (a, of_a) = matrix(&elements, [rows, inner], left);
            for right in ways([inner, columns]) {
                let (b, of_b) = matrix(&elements[100..], [inner, columns], right);
                let mut out: Vec<T> = (0..rows * columns).map(T::of).collect();
                assert!(blas.add_product(&a, &b, &mut out));
                for (at, out) in out.iter().enumerate() {
                    let mut expected = T::of(at);
                    (0..inner).for_each(|k| expected += of_a(at / columns, k) * of_b(k, at % columns));
                    assert_eq!(*out, expected, "{rows} x {inner} x {columns}: {left:?} {right:?}");
                }
            }
            let mut square = vec![T::of(1); inner * inner];
            assert!(blas.gram(&a, &mut square));
            for (at, found) in square.iter().enumerate() {
                let mut expected = T::ZERO;
                (0..rows).for_each(|k| expected += of_a(k, at / inner).conjugate() * of_a(k, at % inner));
                assert_eq!(*found, expected, "{rows} x {inner}: {left:?}");
            }
            if rows > 2 {
                let part = a.rows(1, rows);
                let mut out = vec![T::ZERO; inner * inner];
                assert!(part.shape() == [rows - 1, inner] && blas.gram(&part, &mut out));
                let mut expected = T::ZERO;
                (1..rows).for_each(|k| expected += of_a(k, 0).conjugate() * of_a(k, 0));
                assert_eq!(out[0], expected);
            }
        }
    }
}

#[test]
fn products_are_those_of_the_definition_however_the_operands_lie() {
    all_ways::<f32>();
    all_ways::<f64>();
    all_ways::<Complex<f32>>();
    all_ways::<Complex<f64>>();
}

#[test]
fn what_lies_along_neither_axis_is_no_operand() {
    let elements = [0.0_f64; 64];
    let is_one = |shape, strides| {
        // SAFETY: there are elements enough, counted from the middle.
        unsafe { View::new(elements[32..].as_ptr(), shape, strides) }.is_some()
    };
    assert!(is_one([3, 4], [4, 1]) && is_one([3, 4], [1, 3]) && is_one([1, 4], [-7, 1]) && is_one([4, 1], [2, 9]));
    assert!(!is_one([3, 4], [8, 2]) && !is_one([3, 4], [-4, 1]) && !is_one([3, 4], [4, -1]) && !is_one([3, 4], [0, 1]));
    assert!(!is_one([3, 4], [3, 1]), "rows would lie within one another");
}

/// Libraries are held by however many, and have again what they had.
#[test]
fn who_is_held_has_one_thread_until_the_last_lets_go() {
    let Some(library) = best() else { return };
    library.threads().set(2);
    let has = library.threads().get();
    let (first, second) = (library.hold(), library.hold());
    assert_eq!(library.threads().get(), 1);
    drop(first);
    assert_eq!(library.threads().get(), 1);
    drop(second);
    assert_eq!(library.threads().get(), has);
}

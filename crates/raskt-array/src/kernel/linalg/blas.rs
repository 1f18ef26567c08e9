//! Products by a library that the process has, where there is one: it knows the machine better than anybody.
//!
//! It computes with the threads that call it and with none of its own, so that tasks beside one another neither wait for its one pool
//! nor have more threads than processors. Where a product may use several, each computes some of its rows.

use super::field::{Field, Matrix};
use raskt_blas::{Blas, View, best};
use std::panic::resume_unwind;
use std::sync::{Mutex, PoisonError};
use std::thread::Builder;

/// Below so many multiplications it costs more to ask a library than it saves.
const LEAST: usize = 1 << 12;

/// So many rows at least are a part of a product.
const ROWS: usize = 64;

/// Adds `a @ b` to `out`, in C order. `false` if there is no library that could: nothing is done then.
pub(super) fn add_product<T: Field>(a: &Matrix, b: &Matrix, out: &mut [T], threads: usize) -> bool {
    let ([rows, inner], columns) = (a.shape(), b.shape()[1]);
    // What has one row, or one column, is read once, and no faster by anybody.
    if rows == 1 || columns == 1 || rows.saturating_mul(inner).saturating_mul(columns) < LEAST {
        return false;
    }
    with_library(|blas| {
        let (mut a_in_order, mut b_in_order) = (None, None);
        let (a, b) = (view::<T>(a, &mut a_in_order)?, view::<T>(b, &mut b_in_order)?);
        in_parts(blas, &a, &b, out, threads.min(rows / ROWS).max(1)).then_some(())
    })
}

/// So many threads have each an equal part of the rows.
fn in_parts<T: Field>(blas: &Blas, a: &View<'_, T>, b: &View<'_, T>, out: &mut [T], parts: usize) -> bool {
    let [rows, columns] = [a.shape()[0], b.shape()[1]];
    if parts == 1 {
        return blas.add_product(a, b, out);
    }
    let (mut rest, mut left) = (out, vec![]);
    for part in 1..=parts {
        let (start, end) = (rows * (part - 1) / parts, rows * part / parts);
        let (own, others) = rest.split_at_mut((end - start) * columns);
        left.push((a.rows(start, end), own));
        rest = others;
    }
    let left = Mutex::new(left);
    // All lengths but that of the rows are the same in all parts, so that none is taken, or all are.
    let multiply = || {
        let mut takes = true;
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).pop();
        while let Some((a, out)) = next() {
            takes &= blas.add_product(&a, b, out);
        }
        takes
    };
    std::thread::scope(|scope| {
        // Where the system gives fewer threads, these do more.
        let spawn = |_| Builder::new().name("raskt-product".into()).spawn_scoped(scope, multiply).ok();
        let others: Vec<_> = (1..parts).filter_map(spawn).collect();
        let takes = multiply();
        others.into_iter().fold(takes, |takes, other| takes & other.join().unwrap_or_else(|panic| resume_unwind(panic)))
    })
}

/// The Gram matrix of `a`, in C order; `false` as above.
pub(super) fn gram<T: Field>(a: &Matrix, out: &mut [T]) -> bool {
    with_library(|blas| {
        let mut in_order = None;
        let a = view::<T>(a, &mut in_order)?;
        blas.gram(&a, out).then_some(())
    })
}

/// A matrix as a library takes it; a copy of it, which is kept `in_order`, if it lies otherwise.
fn view<'a, T: Field>(matrix: &'a Matrix, in_order: &'a mut Option<Matrix>) -> Option<View<'a, T>> {
    matrix.lies_as().or_else(move || in_order.insert(matrix.in_order()).lies_as())
}

/// Has the library that multiplies do something; whether it did.
fn with_library(run: impl FnOnce(&Blas) -> Option<()>) -> bool {
    let Some((library, blas)) = best().and_then(|library| Some((library, library.blas()?))) else { return false };
    let _held = library.hold();
    run(blas).is_some()
}

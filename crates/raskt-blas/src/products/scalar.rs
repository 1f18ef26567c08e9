//! Types of elements, and how their functions are called.

use super::{ROWS, UPPER};
use num_complex::Complex;
use std::ffi::{c_int, c_void};
use std::ptr::NonNull;

/// An element whose matrices a library multiplies.
pub trait Scalar: Copy + sealed::Functions {
    /// Where its functions stand.
    #[doc(hidden)]
    const NUMBER: usize;
    /// Zero.
    const ZERO: Self;
    /// Its complex conjugate.
    fn conjugate(self) -> Self;
}

pub(crate) mod sealed {
    use super::*;

    /// How the functions of a type are called. A side says how a matrix is read, and where it starts.
    pub trait Functions: Sized {
        /// Adds the product of two matrices. Lengths: rows, columns, what is summed over, and the strides of the two and of the output.
        ///
        /// # Safety
        ///
        /// `function` is `gemm` of this type, and there are as many elements as the lengths say.
        unsafe fn gemm(
            function: NonNull<c_void>,
            lengths: [usize; 6],
            a: (c_int, *const Self),
            b: (c_int, *const Self),
            out: *mut Self,
        );

        /// The upper triangle of a product with itself. Lengths: the order, what is summed over, and the strides of the two.
        ///
        /// # Safety
        ///
        /// `function` is `syrk` or `herk` of this type, and there are as many elements as the lengths say.
        unsafe fn gram(function: NonNull<c_void>, lengths: [usize; 4], a: (c_int, *const Self), out: *mut Self);
    }
}

/// The arguments of `gemm`, and of `syrk` or `herk`: factors are `F`, elements `T`. Functions whose lengths have 32 bits read the lower half
/// of each, wherever it is passed: that is so on x86-64 and on ARM, where arguments have places of 64 bits.
type Gemm<F, T> =
    unsafe extern "C" fn(c_int, c_int, c_int, i64, i64, i64, F, *const T, i64, *const T, i64, F, *mut T, i64);
type Gram<F, T> = unsafe extern "C" fn(c_int, c_int, c_int, i64, i64, F, *const T, i64, F, *mut T, i64);

macro_rules! call_gemm {
    ($F:ty, $T:ty, $function:ident, $lengths:ident, $a:ident, $b:ident, $out:ident, $one:expr) => {{
        let [m, n, k, lda, ldb, ldc] = $lengths.map(|length| length as i64);
        // SAFETY: the caller says that it is this function.
        let function = unsafe { std::mem::transmute::<NonNull<c_void>, Gemm<$F, $T>>($function) };
        // SAFETY: the caller says that there are as many elements.
        unsafe { function(ROWS, $a.0, $b.0, m, n, k, $one, $a.1.cast(), lda, $b.1.cast(), ldb, $one, $out.cast(), ldc) }
    }};
}

macro_rules! call_gram {
    ($F:ty, $T:ty, $function:ident, $lengths:ident, $a:ident, $out:ident) => {{
        let [n, k, lda, ldc] = $lengths.map(|length| length as i64);
        // SAFETY: the caller says that it is this function.
        let function = unsafe { std::mem::transmute::<NonNull<c_void>, Gram<$F, $T>>($function) };
        // SAFETY: the caller says that there are as many elements.
        unsafe { function(ROWS, UPPER, $a.0, n, k, 1.0, $a.1.cast(), lda, 0.0, $out.cast(), ldc) }
    }};
}

/// `$F` is how `gemm` takes factors: by value if they are real, by address if they are complex; `$R` are the factors of `$gram`.
macro_rules! scalars {
    ($($type:ty, $number:literal, $F:ty, $T:ty, $R:ty, $zero:expr, $one:expr, $conjugate:expr;)*) => {$(
        impl Scalar for $type {
            const NUMBER: usize = $number;
            const ZERO: Self = $zero;
            fn conjugate(self) -> Self { $conjugate(self) }
        }

        impl sealed::Functions for $type {
            unsafe fn gemm(
                function: NonNull<c_void>,
                    lengths: [usize; 6],
                a: (c_int, *const Self),
                b: (c_int, *const Self),
                out: *mut Self,
            ) {
                let one: $F = $one;
                call_gemm!($F, $T, function, lengths, a, b, out, one)
            }

            unsafe fn gram(
                function: NonNull<c_void>,
                    lengths: [usize; 4],
                a: (c_int, *const Self),
                out: *mut Self,
            ) {
                call_gram!($R, $T, function, lengths, a, out)
            }
        }
    )*};
}

static ONE_C64: Complex<f32> = Complex::new(1.0, 0.0);
static ONE_C128: Complex<f64> = Complex::new(1.0, 0.0);

scalars! {
    f32, 0, f32, f32, f32, 0.0, 1.0, |own| own;
    f64, 1, f64, f64, f64, 0.0, 1.0, |own| own;
    Complex<f32>, 2, *const c_void, c_void, f32, Complex::new(0.0, 0.0), (&raw const ONE_C64).cast(), |own: Self| own.conj();
    Complex<f64>, 3, *const c_void, c_void, f64, Complex::new(0.0, 0.0), (&raw const ONE_C128).cast(), |own: Self| own.conj();
}

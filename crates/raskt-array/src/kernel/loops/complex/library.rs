//! The complex functions of the C library, with the special values and branch cuts of C's annex G. They are what NumPy
//! calls as well, so that results agree to the last bit.

use raskt_value::complex::Complex;

macro_rules! functions {
    ($($name:ident = $double:ident, $single:ident;)*) => {
        /// As they are declared: a complex number is passed and returned as the structure of its two parts is, by the
        /// calling conventions of all Unix systems.
        mod declared {
            use raskt_value::complex::Complex;
            unsafe extern "C" {
                $(
                    pub safe fn $double(z: Complex<f64>) -> Complex<f64>;
                    pub safe fn $single(z: Complex<f32>) -> Complex<f32>;
                )*
                pub safe fn cpow(x: Complex<f64>, y: Complex<f64>) -> Complex<f64>;
                pub safe fn cpowf(x: Complex<f32>, y: Complex<f32>) -> Complex<f32>;
            }
        }

        /// Complex numbers that the library has functions of.
        pub(in crate::kernel::loops) trait Library: Sized {
            $(fn $name(self) -> Self;)*
            fn power(self, exponent: Self) -> Self;
        }

        impl Library for Complex<f64> {
            $(fn $name(self) -> Self { declared::$double(self) })*
            fn power(self, exponent: Self) -> Self { declared::cpow(self, exponent) }
        }

        impl Library for Complex<f32> {
            $(fn $name(self) -> Self { declared::$single(self) })*
            fn power(self, exponent: Self) -> Self { declared::cpowf(self, exponent) }
        }
    };
}

functions! {
    square_root = csqrt, csqrtf;
    exponential = cexp, cexpf;
    logarithm = clog, clogf;
    sine = csin, csinf;
    cosine = ccos, ccosf;
    tangent = ctan, ctanf;
    hyperbolic_sine = csinh, csinhf;
    hyperbolic_cosine = ccosh, ccoshf;
    hyperbolic_tangent = ctanh, ctanhf;
    arc_sine = casin, casinf;
    arc_cosine = cacos, cacosf;
    arc_tangent = catan, catanf;
    arc_hyperbolic_sine = casinh, casinhf;
    arc_hyperbolic_cosine = cacosh, cacoshf;
    arc_hyperbolic_tangent = catanh, catanhf;
}

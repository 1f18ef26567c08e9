//! Powers of complex numbers, as NumPy defines them.

use super::library::Library;
use super::{Part, Parts, divide};

/// Exponents below this magnitude that are whole numbers are multiplied out.
const MULTIPLIED: f64 = 100.0;

/// Whole powers by multiplication, which keeps what is real real; others by the C library. A power of zero is zero for
/// an exponent with a positive real part, 1 for zero, and undefined otherwise.
pub(super) fn power<T: Part>(x: T::Complex, y: T::Complex) -> T::Complex {
    let (base, exponent) = (x.parts(), y.parts());
    let zero = |number: (T, T)| number.0 == T::ZERO && number.1 == T::ZERO;
    if zero(exponent) {
        return T::Complex::new(T::ONE, T::ZERO);
    }
    if zero(base) {
        let undefined = T::ZERO.divide(T::ZERO);
        let found = if exponent.0 > T::ZERO { T::ZERO } else { undefined };
        return T::Complex::new(found, found);
    }
    let whole = exponent.0.wide();
    if exponent.1 == T::ZERO && whole.fract() == 0.0 && whole.abs() < MULTIPLIED {
        return whole_power::<T>(base, whole as i32);
    }
    x.power(y)
}

fn whole_power<T: Part>(base: (T, T), exponent: i32) -> T::Complex {
    // Each product rounded by itself, as NumPy has it here.
    let times = |a: (T, T), b: (T, T)| {
        (a.0.multiply(b.0).subtract(a.1.multiply(b.1)), a.0.multiply(b.1).add(a.1.multiply(b.0)))
    };
    let of = |number: (T, T)| T::Complex::new(number.0, number.1);
    match exponent {
        1 => return of(base),
        2 => return of(times(base, base)),
        3 => return of(times(base, times(base, base))),
        _ => {}
    }
    let (mut result, mut square, mut rest) = ((T::ONE, T::ZERO), base, exponent.unsigned_abs());
    loop {
        if rest & 1 == 1 {
            result = times(result, square);
        }
        rest >>= 1;
        if rest == 0 {
            break;
        }
        square = times(square, square);
    }
    if exponent < 0 { divide::<T>((T::ONE, T::ZERO), result) } else { of(result) }
}

//! Inverse trigonometric and hyperbolic functions, with the branch cuts of C's annex G: W. Kahan, *Branch cuts for
//! complex elementary functions, or much ado about nothing's sign bit* (1987).

use super::Wide;

/// `1 - z`, with the sign of a zero imaginary part turned.
fn one_minus(z: Wide) -> Wide {
    Wide::new(1.0 - z.re, -z.im)
}

fn one_plus(z: Wide) -> Wide {
    Wide::new(1.0 + z.re, z.im)
}

/// `i z` and its inverse.
fn turned(z: Wide) -> Wide {
    Wide::new(-z.im, z.re)
}

fn turned_back(z: Wide) -> Wide {
    Wide::new(z.im, -z.re)
}

pub(super) fn arcsin(z: Wide) -> Wide {
    let (minus, plus) = (one_minus(z).sqrt(), one_plus(z).sqrt());
    Wide::new(z.re.atan2((minus * plus).re), (minus.conj() * plus).im.asinh())
}

pub(super) fn arccos(z: Wide) -> Wide {
    let (minus, plus) = (one_minus(z).sqrt(), one_plus(z).sqrt());
    Wide::new(2.0 * minus.re.atan2(plus.re), (plus.conj() * minus).im.asinh())
}

pub(super) fn arccosh(z: Wide) -> Wide {
    let (minus, plus) = (Wide::new(z.re - 1.0, z.im).sqrt(), one_plus(z).sqrt());
    Wide::new((minus.conj() * plus).re.asinh(), 2.0 * minus.im.atan2(plus.re))
}

pub(super) fn arctanh(z: Wide) -> Wide {
    let difference = one_plus(z).ln() - one_minus(z).ln();
    difference * 0.5
}

pub(super) fn arcsinh(z: Wide) -> Wide {
    turned_back(arcsin(turned(z)))
}

pub(super) fn arctan(z: Wide) -> Wide {
    turned_back(arctanh(turned(z)))
}

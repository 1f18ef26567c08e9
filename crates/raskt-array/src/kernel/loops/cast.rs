use crate::kernel::number::{Convert, Number};
use crate::kernel::operand::{Operand, Target, map};
use raskt_value::{DType, with_element};

/// Converts a tile from one type to another.
///
/// # Safety
/// `a` holds as many elements of type `from` as `out` has room for elements of type `to`, and they are disjoint.
pub(in crate::kernel) unsafe fn cast(from: DType, to: DType, a: Operand, out: Target) {
    // SAFETY: as the caller promises, for the types that were matched.
    with_element!(from, T => unsafe { from_type::<T>(to, a, out) })
}

unsafe fn from_type<T: Number>(to: DType, a: Operand, out: Target) {
    // SAFETY: as the caller promises, for the types that were matched.
    with_element!(to, R => unsafe { convert::<T, R>(a, out) })
}

unsafe fn convert<T: Number + Convert<R>, R: Number>(a: Operand, out: Target) {
    // SAFETY: as the caller promises.
    unsafe { map!(a, out, T => R, |x| Convert::<R>::convert(x)) }
}

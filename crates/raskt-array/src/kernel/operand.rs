//! What the loops over a tile read and write.

use raskt_value::Element;
use std::mem::MaybeUninit;

/// The elements that a loop reads: one for each of the tile, or one for all of them.
#[derive(Clone, Copy, Debug)]
pub(super) struct Operand {
    pub start: *const u8,
    pub uniform: bool,
}

impl Operand {
    /// Its elements.
    ///
    /// # Safety
    /// `length` elements of type `T` (one, if it is uniform and `length` is 1) lie at its start and outlive `'a`, in
    /// which nobody writes to them.
    #[inline(always)]
    pub unsafe fn slice<'a, T: Element>(self, length: usize) -> &'a [T] {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts(self.start.cast(), length) }
    }
}

/// Where a loop writes: `length` elements, disjoint from all that it reads.
#[derive(Clone, Copy, Debug)]
pub(super) struct Target {
    pub start: *mut u8,
    pub length: usize,
}

impl Target {
    /// Its elements, which need not have been written yet.
    ///
    /// # Safety
    /// There is room for `length` elements of type `T`, aligned, which nobody else reads or writes within `'a`.
    #[inline(always)]
    pub unsafe fn slice<'a, T: Element>(self) -> &'a mut [MaybeUninit<T>] {
        // SAFETY: as the caller promises.
        unsafe { std::slice::from_raw_parts_mut(self.start.cast(), self.length) }
    }

    /// The part that begins at element `at` of type `T` and has `length` elements.
    #[inline(always)]
    pub fn part<T: Element>(self, at: usize, length: usize) -> Self {
        debug_assert!(at + length <= self.length);
        Self { start: self.start.wrapping_add(at * size_of::<T>()), length }
    }
}

/// A function that is compiled a second time for AVX-512, and runs so where the processor has it.
///
/// The body becomes an inlined function of its own, so that all that is inlined into it is compiled twice; the check
/// costs a load and a branch.
macro_rules! vectorised {
    (
        $(#[$meta:meta])*
        $vis:vis unsafe fn $name:ident $(<$($generic:ident : $bound:path),*>)? ($($arg:ident : $type:ty),* $(,)?) $body:block
    ) => {
        $(#[$meta])*
        $vis unsafe fn $name $(<$($generic: $bound),*>)? ($($arg: $type),*) {
            #[inline(always)]
            unsafe fn body $(<$($generic: $bound),*>)? ($($arg: $type),*) $body
            #[cfg(target_arch = "x86_64")]
            #[target_feature(enable = "avx512f,avx512dq,avx512vl,avx512bw")]
            unsafe fn wide $(<$($generic: $bound),*>)? ($($arg: $type),*) {
                // SAFETY: as the caller of the outer function promises.
                unsafe { body $(::<$($generic),*>)? ($($arg),*) }
            }
            #[cfg(target_arch = "x86_64")]
            if $crate::kernel::operand::has_avx512() {
                // SAFETY: the processor has the features; else as the caller promises.
                return unsafe { wide $(::<$($generic),*>)? ($($arg),*) };
            }
            // SAFETY: as the caller promises.
            unsafe { body $(::<$($generic),*>)? ($($arg),*) }
        }
    };
}
pub(super) use vectorised;

/// Whether loops may use AVX-512.
#[cfg(target_arch = "x86_64")]
#[inline]
pub(super) fn has_avx512() -> bool {
    is_x86_feature_detected!("avx512f")
        && is_x86_feature_detected!("avx512dq")
        && is_x86_feature_detected!("avx512vl")
        && is_x86_feature_detected!("avx512bw")
}

/// One loop over a tile with one operand: `map!(operand, target, T => R, |x| expression)`. A macro, not a function
/// with a closure, so that the expression is compiled with the features of the function around it.
macro_rules! map {
    ($a:expr, $out:expr, $T:ty => $R:ty, |$x:ident| $body:expr) => {{
        let out = $out.slice::<$R>();
        let a = $a.slice::<$T>(out.len());
        for (out, &$x) in out.iter_mut().zip(a) {
            out.write($body);
        }
    }};
}
pub(super) use map;

/// One loop over a tile with two operands, of which either may be uniform.
macro_rules! zip {
    ($a:expr, $b:expr, $out:expr, $T:ty => $R:ty, |$x:ident, $y:ident| $body:expr) => {{
        let out = $out.slice::<$R>();
        let length = out.len();
        match ($a.uniform, $b.uniform) {
            (true, _) => {
                let $x = $a.slice::<$T>(1)[0];
                for (out, &$y) in out.iter_mut().zip($b.slice::<$T>(length)) {
                    out.write($body);
                }
            }
            (false, true) => {
                let $y = $b.slice::<$T>(1)[0];
                for (out, &$x) in out.iter_mut().zip($a.slice::<$T>(length)) {
                    out.write($body);
                }
            }
            (false, false) => {
                let (a, b) = ($a.slice::<$T>(length), $b.slice::<$T>(length));
                for ((out, &$x), &$y) in out.iter_mut().zip(a).zip(b) {
                    out.write($body);
                }
            }
        }
    }};
}
pub(super) use zip;

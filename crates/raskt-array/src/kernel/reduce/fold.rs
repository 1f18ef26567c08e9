//! What a reduction is to the loops that drive it, and which one serves which operation and type.

use super::ReduceOp;
use super::index::{Extreme, Highest, Lowest};
use super::moments::{Moments, Skipping, Taking};
use super::monoid::{AllTrue, AnyTrue, Count, Greatest, Joined, Least, NanMean, NanProduct, NanSum, Product, Sum};
use super::state::State;
use crate::kernel::number::Number;
use crate::kernel::walk::Walk;
use raskt_value::complex::Complex;
use raskt_value::{DType, TaskError, with_element};

/// A reduction of items to a state.
pub(super) trait Fold {
    /// What is reduced.
    type Item: Number;
    /// What is known of the items so far.
    type State: State;
    /// What is known of no item.
    fn start() -> Self::State;
    /// What is known of `items`, neighbours in the order of the walk.
    fn slice(items: &[Self::Item], place: Place<'_>) -> Self::State;
    /// Takes one item into each state.
    fn lanes(states: &mut [Self::State], items: &[Self::Item], place: Place<'_>);
    /// What is known of the items of `a` and of those of `b`, which come later.
    fn merge(a: Self::State, b: Self::State) -> Self::State;
}

/// Where items lie in the array.
#[derive(Clone, Copy)]
pub(super) struct Place<'a> {
    /// The numbers of all elements, where the reduction asks for them.
    pub numbers: Option<&'a Walk>,
    /// The position in the walk of the first item.
    pub start: usize,
}

impl Place<'_> {
    /// The number of item `at`.
    pub fn number(self, at: usize) -> i64 {
        let mut number = 0;
        if let Some(walk) = self.numbers {
            walk.for_each_run(self.start + at, 1, |run| number = run.index);
        }
        number
    }
}

/// Work that is done with a fold, whichever it is.
pub(super) trait WithFold {
    /// What comes of it.
    type Output;
    fn run<F: Fold>(self) -> Self::Output;
}

/// Does `work` with the fold for `op` over elements of `dtype`; an error if there is none.
pub(super) fn with_fold<R>(
    op: ReduceOp,
    dtype: DType,
    work: impl WithFold<Output = Result<R, TaskError>>,
) -> Result<R, TaskError> {
    use ReduceOp::*;
    op.result_dtype(dtype)?;
    match op {
        Any => with_element!(dtype, T => work.run::<Joined<AnyTrue<T>>>()),
        All => with_element!(dtype, T => work.run::<Joined<AllTrue<T>>>()),
        CountNonzero => with_element!(dtype, T => work.run::<Joined<Count<T>>>()),
        Min => with_element!(dtype, T => work.run::<Joined<Least<T, false>>>()),
        Max => with_element!(dtype, T => work.run::<Joined<Greatest<T, false>>>()),
        NanMin => with_element!(dtype, T => work.run::<Joined<Least<T, true>>>()),
        NanMax => with_element!(dtype, T => work.run::<Joined<Greatest<T, true>>>()),
        ArgMin => with_element!(dtype, T => work.run::<Extreme<T, Lowest, false>>()),
        ArgMax => with_element!(dtype, T => work.run::<Extreme<T, Highest, false>>()),
        NanArgMin => with_element!(dtype, T => work.run::<Extreme<T, Lowest, true>>()),
        NanArgMax => with_element!(dtype, T => work.run::<Extreme<T, Highest, true>>()),
        Mean if dtype.size() == 16 || dtype == DType::C64 => complex_sum(dtype, work),
        Mean => with_real(dtype, work),
        NanMean => nan_mean(dtype, work),
        Var | Std => moments(dtype, work),
        NanVar | NanStd => nan_moments(dtype, work),
        Sum | Prod | NanSum | NanProd => arithmetic(op, dtype, work),
    }
}

/// Runs `$body` with `$T` for a type that isn't complex.
macro_rules! with_real_element {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            DType::Bool => {
                type $T = bool;
                $body
            }
            DType::I8 => {
                type $T = i8;
                $body
            }
            DType::I16 => {
                type $T = i16;
                $body
            }
            DType::I32 => {
                type $T = i32;
                $body
            }
            DType::I64 => {
                type $T = i64;
                $body
            }
            DType::U8 => {
                type $T = u8;
                $body
            }
            DType::U16 => {
                type $T = u16;
                $body
            }
            DType::U32 => {
                type $T = u32;
                $body
            }
            DType::U64 => {
                type $T = u64;
                $body
            }
            DType::F32 => {
                type $T = f32;
                $body
            }
            DType::F64 => {
                type $T = f64;
                $body
            }
            DType::C64 | DType::C128 => unreachable!("complex types are matched before"),
        }
    };
}

/// Runs `$body` with `$T` for a complex type.
macro_rules! with_complex_element {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            DType::C64 => {
                type $T = Complex<f32>;
                $body
            }
            _ => {
                type $T = Complex<f64>;
                $body
            }
        }
    };
}

fn is_complex(dtype: DType) -> bool {
    matches!(dtype, DType::C64 | DType::C128)
}

/// Means are sums in `float64`, over integers too.
fn with_real<R>(dtype: DType, work: impl WithFold<Output = R>) -> R {
    with_real_element!(dtype, T => work.run::<Joined<Sum<T, f64>>>())
}

fn complex_sum<R>(dtype: DType, work: impl WithFold<Output = R>) -> R {
    with_complex_element!(dtype, T => work.run::<Joined<Sum<T, Complex<f64>>>>())
}

fn nan_mean<R>(dtype: DType, work: impl WithFold<Output = R>) -> R {
    if is_complex(dtype) {
        return with_complex_element!(dtype, T => work.run::<Joined<NanMean<T, Complex<f64>>>>());
    }
    with_real_element!(dtype, T => work.run::<Joined<NanMean<T, f64>>>())
}

fn moments<R>(dtype: DType, work: impl WithFold<Output = R>) -> R {
    if is_complex(dtype) {
        return with_complex_element!(dtype, T => work.run::<Moments<T, Complex<f64>, Taking>>());
    }
    with_real_element!(dtype, T => work.run::<Moments<T, f64, Taking>>())
}

fn nan_moments<R>(dtype: DType, work: impl WithFold<Output = R>) -> R {
    if is_complex(dtype) {
        return with_complex_element!(dtype, T => work.run::<Moments<T, Complex<f64>, Skipping>>());
    }
    with_real_element!(dtype, T => work.run::<Moments<T, f64, Skipping>>())
}

/// Sums and products in the widest type of the kind.
fn arithmetic<R>(op: ReduceOp, dtype: DType, work: impl WithFold<Output = R>) -> R {
    macro_rules! with {
        ($T:ty, $A:ty) => {
            match op {
                ReduceOp::Sum => work.run::<Joined<Sum<$T, $A>>>(),
                ReduceOp::Prod => work.run::<Joined<Product<$T, $A>>>(),
                ReduceOp::NanSum => work.run::<Joined<NanSum<$T, $A>>>(),
                _ => work.run::<Joined<NanProduct<$T, $A>>>(),
            }
        };
    }
    match dtype {
        DType::Bool => with!(bool, i64),
        DType::I8 => with!(i8, i64),
        DType::I16 => with!(i16, i64),
        DType::I32 => with!(i32, i64),
        DType::I64 => with!(i64, i64),
        DType::U8 => with!(u8, u64),
        DType::U16 => with!(u16, u64),
        DType::U32 => with!(u32, u64),
        DType::U64 => with!(u64, u64),
        DType::F32 => with!(f32, f64),
        DType::F64 => with!(f64, f64),
        DType::C64 => with!(Complex<f32>, Complex<f64>),
        DType::C128 => with!(Complex<f64>, Complex<f64>),
    }
}

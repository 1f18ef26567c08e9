//! Blocks as matrices of faer and back.

use crate::kernel::copy::transpose;
use crate::kernel::loops;
use crate::kernel::operand::{Operand, Target};
use faer::traits::ComplexField;
use faer::{Mat, MatRef};
use raskt_blas::{Scalar, View};
use raskt_value::complex::Complex;
use raskt_value::{Chunk, DType, Element, ErrorKind, TaskError, with_element};
use std::sync::Once;

/// An element with which faer computes, and a library if the process has one.
pub(super) trait Field: Element + ComplexField<Real = Self::Part> + Scalar {
    /// The real type of its parts.
    type Part: Element + Into<f64> + PartialOrd;
    const ONE: Self;
    fn times(self, other: Self) -> Self;
    /// It divided by its magnitude; one if it is zero.
    fn phase(self) -> Self;
    /// It divided by a real number.
    fn over(self, divisor: f64) -> Self;
}

macro_rules! real_fields {
    ($($type:ty)*) => {$(
        impl Field for $type {
            type Part = $type;
            const ONE: Self = 1.0;
            fn times(self, other: Self) -> Self { self * other }
            fn phase(self) -> Self { if self == 0.0 { 1.0 } else { self.signum() } }
            fn over(self, divisor: f64) -> Self { (f64::from(self) / divisor) as $type }
        }
        impl Field for Complex<$type> {
            type Part = $type;
            const ONE: Self = Complex::new(1.0, 0.0);
            fn times(self, other: Self) -> Self { self * other }
            fn phase(self) -> Self {
                let magnitude = self.norm();
                if magnitude == 0.0 { Self::ONE } else { self / magnitude }
            }
            fn over(self, divisor: f64) -> Self { self / (divisor as $type) }
        }
    )*};
}
real_fields!(f32 f64);

/// Runs `$body` with `$T` for a type with which faer computes: that of the block, or `float64`.
macro_rules! with_field {
    ($dtype:expr, $T:ident => $body:expr) => {
        match $dtype {
            raskt_value::DType::F32 => {
                type $T = f32;
                $body
            }
            raskt_value::DType::C64 => {
                type $T = raskt_value::complex::Complex<f32>;
                $body
            }
            raskt_value::DType::C128 => {
                type $T = raskt_value::complex::Complex<f64>;
                $body
            }
            _ => {
                type $T = f64;
                $body
            }
        }
    };
}
pub(super) use with_field;

static SEQUENTIAL: Once = Once::new();

/// A block as a matrix of `T`.
pub(super) struct Matrix {
    chunk: Chunk,
}

impl Matrix {
    /// `chunk`, which must have two axes, converted to `T` if need be.
    pub fn new<T: Field>(chunk: &Chunk) -> Result<Self, TaskError> {
        // faer's factorisations take the number of threads from a setting of the process.
        SEQUENTIAL.call_once(|| faer::set_global_parallelism(faer::Par::Seq));
        if chunk.shape().len() != 2 {
            let shape = chunk.shape();
            return Err(failed(format!("a matrix has 2 axes, and this block has shape {shape:?}")));
        }
        let repeated = chunk.shape().iter().zip(chunk.strides()).any(|(&length, &stride)| length > 1 && stride == 0);
        let chunk = if chunk.dtype() != T::DTYPE {
            converted(chunk, T::DTYPE)
        } else if repeated {
            materialised(chunk)
        } else {
            chunk.clone()
        };
        Ok(Self { chunk })
    }

    /// The same, which must be square.
    pub fn square<T: Field>(chunk: &Chunk) -> Result<Self, TaskError> {
        let matrix = Self::new::<T>(chunk)?;
        let [rows, columns] = matrix.shape();
        if rows != columns {
            return Err(failed(format!("the matrix must be square, and is {rows} x {columns}")));
        }
        Ok(matrix)
    }

    pub fn shape(&self) -> [usize; 2] {
        [self.chunk.shape()[0], self.chunk.shape()[1]]
    }

    pub fn is_empty(&self) -> bool {
        self.chunk.is_empty()
    }

    /// The matrix, whose elements lie beside one another, as a library takes it; nothing if they don't.
    pub fn lies_as<T: Field>(&self) -> Option<View<'_, T>> {
        assert_eq!(self.chunk.dtype(), T::DTYPE, "a matrix is read as what it was made");
        let strides = self.chunk.strides();
        // SAFETY: the block holds elements of type `T` at all indices, and nobody writes to it.
        unsafe { View::new(self.chunk.as_ptr().cast(), self.shape(), [strides[0], strides[1]]) }
    }

    /// The same elements in C order.
    pub fn in_order(&self) -> Self {
        Self { chunk: materialised(&self.chunk) }
    }

    /// The matrix itself; `T` is the type it was made with.
    pub fn view<T: Field>(&self) -> MatRef<'_, T> {
        assert_eq!(self.chunk.dtype(), T::DTYPE, "a matrix is viewed as what it was made");
        let ([rows, columns], strides) = (self.shape(), self.chunk.strides());
        // SAFETY: the block holds elements of type `T` at all indices, and nobody writes to it.
        unsafe { MatRef::from_raw_parts(self.chunk.as_ptr().cast(), rows, columns, strides[0], strides[1]) }
    }
}

/// A block in C order of the elements `value(row, column)`.
pub(super) fn block<T: Field>(rows: usize, columns: usize, value: impl Fn(usize, usize) -> T) -> Chunk {
    let elements = (0..rows * columns).map(|at| value(at / columns.max(1), at % columns.max(1)));
    Chunk::from_vec(elements.collect(), &[rows, columns]).expect("as many elements as the shape says")
}

/// A block of the elements of a matrix, which lie in columns.
pub(super) fn from_matrix<T: Field>(matrix: &Mat<T>) -> Chunk {
    // Column by column is how the matrix lies; the view turns it.
    let (rows, columns) = (matrix.nrows(), matrix.ncols());
    let mut elements = Vec::with_capacity(rows * columns);
    for column in 0..columns {
        elements.extend((0..rows).map(|row| matrix[(row, column)]));
    }
    let turned = Chunk::from_vec(elements, &[columns, rows]).expect("as many elements as the shape says");
    transpose(&turned, &[1, 0]).expect("two axes")
}

/// `chunk` with elements of `dtype`, in C order.
pub(super) fn converted(chunk: &Chunk, dtype: DType) -> Chunk {
    let from = chunk.to_contiguous();
    with_element!(dtype, T => {
        let mut elements = Vec::<T>::with_capacity(from.len());
        let target = Target { start: elements.as_mut_ptr().cast(), length: from.len() };
        // SAFETY: as many elements of their types on either side, and the target is new.
        unsafe {
            loops::cast(from.dtype(), dtype, Operand { start: from.as_ptr(), uniform: false }, target);
            elements.set_len(from.len());
        }
        Chunk::from_vec(elements, from.shape()).expect("as many elements as before")
    })
}

fn materialised(chunk: &Chunk) -> Chunk {
    with_element!(chunk.dtype(), T => {
        let view = chunk.view::<T>().expect("the type was matched");
        Chunk::from_vec(view.iter().copied().collect::<Vec<T>>(), chunk.shape()).expect("as many as the shape says")
    })
}

/// A failure of shape or of arithmetic (`LinAlgError`).
pub(super) fn failed(message: String) -> TaskError {
    TaskError::new(ErrorKind::LinearAlgebra, message)
}

//! Blocks of arrays.

use crate::{Buffer, DType, Element};
use ndarray::{ArrayD, ArrayViewD, IxDyn, ShapeBuilder};
use smallvec::SmallVec;
use thiserror::Error;

/// Lengths of the axes of a block.
pub type Dims = SmallVec<[usize; 4]>;
/// Distances between neighbours along each axis, in elements; may be zero (broadcast) or negative (reversed).
pub type Strides = SmallVec<[isize; 4]>;

/// An n-dimensional block: a strided view of a shared, immutable buffer.
///
/// Views (slices, transposes, broadcasts) share the buffer; nothing is copied until a kernel asks for a contiguous
/// slice.
#[derive(Clone, Debug)]
pub struct Chunk {
    dtype: DType,
    shape: Dims,
    strides: Strides,
    /// Of the element at index zero, in elements from the start of the buffer.
    offset: usize,
    buffer: Buffer,
}

/// A layout that its buffer can't hold.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum LayoutError {
    /// The elements are fewer or more than the shape says.
    #[error("shape {shape:?} wants {wanted} elements, and there are {found}")]
    Length {
        /// The shape that was asked for.
        shape: Vec<usize>,
        /// Elements that it holds.
        wanted: usize,
        /// Elements that were given.
        found: usize,
    },
    /// An index would reach outside the buffer.
    #[error("strides {strides:?} over shape {shape:?} leave the buffer of {elements} elements")]
    OutOfBounds {
        /// The shape that was asked for.
        shape: Vec<usize>,
        /// The strides that were asked for.
        strides: Vec<isize>,
        /// Elements in the buffer.
        elements: usize,
    },
}

impl Chunk {
    /// A block in C order over `elements`.
    pub fn from_vec<T: Element>(elements: Vec<T>, shape: &[usize]) -> Result<Self, LayoutError> {
        let wanted = counted(shape);
        if elements.len() != wanted {
            return Err(LayoutError::Length { shape: shape.to_vec(), wanted, found: elements.len() });
        }
        let strides = c_strides(shape);
        let buffer = Buffer::from_vec(elements);
        Ok(Self { dtype: T::DTYPE, shape: shape.into(), strides, offset: 0, buffer })
    }

    /// A block of no dimension, holding `value`.
    pub fn scalar<T: Element>(value: T) -> Self {
        let buffer = Buffer::from_vec(vec![value]);
        Self { dtype: T::DTYPE, shape: Dims::new(), strides: Strides::new(), offset: 0, buffer }
    }

    /// A block over an owned array; C-ordered arrays are taken as they are, others are copied.
    pub fn from_array<T: Element>(array: ArrayD<T>) -> Self {
        let shape: Dims = array.shape().into();
        let elements = if array.is_standard_layout() {
            let (elements, offset) = array.into_raw_vec_and_offset();
            match offset {
                Some(skip) if skip > 0 || elements.len() != shape.iter().product::<usize>() => {
                    elements[skip..skip + shape.iter().product::<usize>()].to_vec()
                }
                _ => elements,
            }
        } else {
            array.iter().copied().collect()
        };
        Self::from_vec(elements, &shape).expect("an array has as many elements as its shape says")
    }

    /// A strided block of a buffer; every index must lie within it.
    pub fn from_parts(
        dtype: DType,
        shape: Dims,
        strides: Strides,
        offset: usize,
        buffer: Buffer,
    ) -> Result<Self, LayoutError> {
        let elements = buffer.len() / dtype.size();
        let out_of_bounds = || LayoutError::OutOfBounds { shape: shape.to_vec(), strides: strides.to_vec(), elements };
        if shape.len() != strides.len() {
            return Err(out_of_bounds());
        }
        if !shape.contains(&0) {
            let (mut low, mut high) = (offset as i128, offset as i128);
            for (&length, &stride) in shape.iter().zip(&strides) {
                // Numbers of a form that has come may be any: the sum of the longest reaches can't be counted, either.
                let reach = (length as i128 - 1).saturating_mul(stride as i128);
                let end = if reach < 0 { &mut low } else { &mut high };
                *end = end.saturating_add(reach);
            }
            if low < 0 || high >= elements as i128 {
                return Err(out_of_bounds());
            }
        }
        Ok(Self { dtype, shape, strides, offset, buffer })
    }

    /// The type of its elements.
    pub fn dtype(&self) -> DType {
        self.dtype
    }

    /// The lengths of its axes.
    pub fn shape(&self) -> &[usize] {
        &self.shape
    }

    /// The strides of its axes, in elements.
    pub fn strides(&self) -> &[isize] {
        &self.strides
    }

    /// The position of the element at index zero, in elements from the start of the buffer.
    pub fn offset(&self) -> usize {
        self.offset
    }

    /// The bytes that it views.
    pub fn buffer(&self) -> &Buffer {
        &self.buffer
    }

    /// How many elements it has.
    pub fn len(&self) -> usize {
        self.shape.iter().product()
    }

    /// Whether it has none.
    pub fn is_empty(&self) -> bool {
        self.shape.contains(&0)
    }

    /// Bytes of its elements, were they stored without gaps.
    pub fn bytes(&self) -> usize {
        self.shape.iter().fold(self.dtype.size(), |bytes, &length| bytes.saturating_mul(length))
    }

    /// Bytes of its elements, of those that are repeated along an axis as in a broadcast one each.
    pub fn held_bytes(&self) -> usize {
        let axes = self.shape.iter().zip(&self.strides);
        let lengths = axes.map(|(&length, &stride)| if stride == 0 { length.min(1) } else { length });
        lengths.fold(self.dtype.size(), usize::saturating_mul)
    }

    /// The address of the element at index zero.
    pub fn as_ptr(&self) -> *const u8 {
        // For an empty block the offset may be one past the end, which is still in bounds of the allocation.
        self.buffer.as_ptr().wrapping_add(self.offset * self.dtype.size())
    }

    /// Whether its elements lie without gaps in C order.
    pub fn is_contiguous(&self) -> bool {
        let mut expected = 1;
        for (&length, &stride) in self.shape.iter().zip(&self.strides).rev() {
            if length != 1 && stride != expected && !self.is_empty() {
                return false;
            }
            expected *= length as isize;
        }
        true
    }

    /// Its elements in C order, if that is how they lie and `T` is their type.
    pub fn as_slice<T: Element>(&self) -> Option<&[T]> {
        if T::DTYPE != self.dtype || !self.is_contiguous() {
            return None;
        }
        if self.is_empty() {
            return Some(&[]);
        }
        // SAFETY: `from_parts` and `from_vec` checked that all elements lie in the buffer, and they are of type `T`.
        Some(unsafe { std::slice::from_raw_parts(self.as_ptr().cast(), self.len()) })
    }

    /// Its elements as an n-dimensional view, if `T` is their type.
    ///
    /// Negative strides are fine; `None` says that `T` is another type.
    pub fn view<T: Element>(&self) -> Option<ArrayViewD<'_, T>> {
        if T::DTYPE != self.dtype {
            return None;
        }
        if self.is_empty() {
            return ArrayViewD::from_shape(IxDyn(&self.shape), &[]).ok();
        }
        // ndarray wants strides without sign: start at the lowest address and turn the reversed axes round again.
        let mut start = self.as_ptr().cast::<T>();
        let mut strides: Vec<usize> = Vec::with_capacity(self.shape.len());
        let mut reversed = Vec::new();
        for (axis, (&length, &stride)) in self.shape.iter().zip(&self.strides).enumerate() {
            if stride < 0 {
                start = start.wrapping_offset((length as isize - 1) * stride);
                reversed.push(axis);
            }
            strides.push(stride.unsigned_abs());
        }
        // SAFETY: all indices lie in the buffer, which outlives the view and isn't written to.
        let mut view = unsafe { ArrayViewD::from_shape_ptr(IxDyn(&self.shape).strides(IxDyn(&strides)), start) };
        for axis in reversed {
            view.invert_axis(ndarray::Axis(axis));
        }
        Some(view)
    }

    /// The same elements without gaps in C order; no copy if they lie so already.
    pub fn to_contiguous(&self) -> Self {
        if self.is_contiguous() {
            return self.clone();
        }
        crate::with_element!(self.dtype, T => {
            let view = self.view::<T>().expect("the type was matched");
            Self::from_vec(view.iter().copied().collect::<Vec<T>>(), &self.shape).expect("as many as the shape says")
        })
    }
}

/// Elements of a block of `shape`; of more than can be counted, as many as can be.
fn counted(shape: &[usize]) -> usize {
    if shape.contains(&0) { 0 } else { shape.iter().fold(1, |count: usize, &length| count.saturating_mul(length)) }
}

/// The strides of a C-ordered block of `shape`.
fn c_strides(shape: &[usize]) -> Strides {
    let mut strides = Strides::from_elem(1, shape.len());
    for axis in (1..shape.len()).rev() {
        strides[axis - 1] = strides[axis].saturating_mul(isize::try_from(shape[axis].max(1)).unwrap_or(isize::MAX));
    }
    strides
}

#[cfg(test)]
mod tests {
    use super::*;
    use smallvec::smallvec;

    #[test]
    fn a_view_follows_its_strides_backwards_too() {
        let buffer = Buffer::from_vec(vec![0_i64, 1, 2, 3, 4, 5]);
        let chunk = Chunk::from_parts(DType::I64, smallvec![2, 3], smallvec![3, -1], 2, buffer).unwrap();
        assert_eq!(chunk.view::<i64>().unwrap(), ndarray::arr2(&[[2, 1, 0], [5, 4, 3]]).into_dyn());
        assert_eq!(chunk.to_contiguous().as_slice::<i64>().unwrap(), [2, 1, 0, 5, 4, 3]);
        assert!(chunk.view::<f64>().is_none());
    }

    #[test]
    fn a_layout_that_leaves_the_buffer_is_refused() {
        let buffer = Buffer::from_vec(vec![0_f32; 6]);
        assert!(Chunk::from_parts(DType::F32, smallvec![7], smallvec![1], 0, buffer.clone()).is_err());
        assert!(Chunk::from_parts(DType::F32, smallvec![2], smallvec![-1], 0, buffer.clone()).is_err());
        assert!(Chunk::from_parts(DType::F32, smallvec![0], smallvec![9], 6, buffer).is_ok());
    }

    #[test]
    fn a_shape_that_can_not_be_counted_is_refused() {
        let long = usize::MAX / 2 + 1;
        assert!(Chunk::from_vec::<u8>(vec![], &[long, 2]).is_err());
        assert!(Chunk::from_vec::<u8>(vec![], &[long, 2, 0]).is_ok());
        let reach = |axes: usize, stride: isize| {
            let (shape, strides) = (Dims::from_elem(usize::MAX, axes), Strides::from_elem(stride, axes));
            Chunk::from_parts(DType::U8, shape, strides, 0, Buffer::from_vec(vec![0_u8]))
        };
        for axes in 1..9 {
            assert!(reach(axes, isize::MAX).is_err() && reach(axes, isize::MIN).is_err(), "{axes} axes");
        }
    }

    #[test]
    fn an_empty_block_has_an_empty_slice() {
        let chunk = Chunk::from_vec::<f64>(vec![], &[0, 3]).unwrap();
        assert_eq!(chunk.as_slice::<f64>().unwrap(), []);
        assert_eq!(chunk.view::<f64>().unwrap().shape(), [0, 3]);
    }
}

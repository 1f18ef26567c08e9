//! Memory for results, asked for before it is relied on: how large they are, forms say that have come from elsewhere.

use raskt_value::{DType, ErrorKind, TaskError};

/// An error unless the elements of a block, and their bytes, can be counted.
pub(crate) fn check_size(shape: &[usize], dtype: DType) -> Result<(), TaskError> {
    // A length of nothing doesn't make the others small: strides are their products all the same.
    let bytes = shape.iter().try_fold(dtype.size(), |bytes, &length| bytes.checked_mul(length.max(1)));
    match bytes.is_some_and(|bytes| isize::try_from(bytes).is_ok()) {
        true => Ok(()),
        false => {
            Err(TaskError::new(ErrorKind::Memory, format!("a block of shape {shape:?} is larger than memory can be")))
        }
    }
}

/// Room for elements; an error, and not the end of the process, if the system has none.
pub(super) fn room<T>(length: usize) -> Result<Vec<T>, TaskError> {
    let mut elements = Vec::new();
    let refused = |_| TaskError::new(ErrorKind::Memory, format!("no memory can be had for {length} elements"));
    elements.try_reserve_exact(length).map_err(refused)?;
    Ok(elements)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn more_bytes_than_can_be_counted_are_refused() {
        assert!(check_size(&[1 << 59, 4], DType::U8).is_ok());
        assert!(check_size(&[1 << 59, 4], DType::F64).is_err());
        assert!(check_size(&[0, 1 << 62], DType::F64).is_err());
    }

    #[test]
    fn memory_that_nobody_has_is_an_error() {
        assert!(room::<f64>(1 << 50).is_err());
        assert!(room::<f64>(3).unwrap().capacity() >= 3);
    }
}

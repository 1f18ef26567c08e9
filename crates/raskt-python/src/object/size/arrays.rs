//! The size of NumPy's arrays: they may hold less than they show, and more.

use super::{SMALL, Size, heard, measured, nbytes, unmeasured};
use numpy::{PyArrayDescrMethods, PyUntypedArray, PyUntypedArrayMethods};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;
use raskt_store::Store;

/// The size of an array, or of what says how large it is as arrays do.
pub(super) fn size(object: &Bound<'_, PyAny>) -> Option<Size> {
    let shown = nbytes(object)?;
    let array = object.cast::<PyUntypedArray>().ok();
    let holds_objects = array.is_some_and(|array| array.dtype().has_object());
    if let Some(held) = array.map(|array| held_by(array, shown)).filter(|held| *held < shown) {
        // It would be written as often as it is repeated.
        return Some(Size { bytes: held.max(SMALL.bytes), moves: None });
    }
    let kept = array.and_then(kept_alive).unwrap_or(0);
    if shown.max(kept) < Store::KEPT_BYTES && !holds_objects {
        // One that is small itself may be in something that isn't.
        let moves = object.cast_exact::<PyUntypedArray>().is_ok() || is_element(object);
        return Some(Size { bytes: shown.max(kept).max(SMALL.bytes), moves: moves.then_some(false) });
    }
    let size = measured(object).unwrap_or_else(|| unmeasured(object));
    Some(Size { bytes: size.bytes.max(kept), ..size })
}

/// Whether it is a number of NumPy's, or a time.
fn is_element(object: &Bound<'_, PyAny>) -> bool {
    static ELEMENTS: PyOnceLock<[Py<PyType>; 3]> = PyOnceLock::new();
    let py = object.py();
    let elements = ELEMENTS.get_or_try_init(py, || -> PyResult<_> {
        let numpy = py.import("numpy")?;
        let class = |name| -> PyResult<_> { Ok(numpy.getattr(name)?.cast_into::<PyType>()?.unbind()) };
        Ok([class("number")?, class("bool_")?, class("datetime64")?])
    });
    let is_one = |class: &Py<PyType>| object.is_instance(class.bind(py));
    elements.is_ok_and(|elements| elements.iter().any(|class| heard(py, is_one(class)).unwrap_or(false)))
}

/// Bytes of the elements of an array that shows so many, of those that are repeated along an axis one each.
fn held_by(array: &Bound<'_, PyUntypedArray>, shown: usize) -> usize {
    if !array.strides().contains(&0) {
        return shown;
    }
    let lengths = array.shape().iter().zip(array.strides());
    let lengths = lengths.map(|(&length, &stride)| if stride == 0 { length.min(1) } else { length });
    lengths.fold(array.dtype().itemsize(), usize::saturating_mul).min(shown)
}

/// Bytes of the array that this one shows a part of, where nobody else refers to that.
fn kept_alive(array: &Bound<'_, PyUntypedArray>) -> Option<usize> {
    let base = base(array)?;
    // SAFETY: it is a living object.
    let references = unsafe { pyo3::ffi::Py_REFCNT(base.as_ptr()) };
    // That of the one that shows a part of it, and this one here.
    if references <= 2 { nbytes(&base) } else { None }
}

/// The array that another one shows a part of, by its address, and its bytes.
pub(super) fn shown_by(object: &Bound<'_, PyAny>) -> Option<(usize, usize)> {
    let base = base(object.cast::<PyUntypedArray>().ok()?)?;
    Some((base.as_ptr() as usize, nbytes(&base)?))
}

fn base<'py>(array: &Bound<'py, PyUntypedArray>) -> Option<Bound<'py, PyAny>> {
    let base = heard(array.py(), array.getattr(intern!(array.py(), "base")))?;
    base.is_instance_of::<PyUntypedArray>().then_some(base)
}

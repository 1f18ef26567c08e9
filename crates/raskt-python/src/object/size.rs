//! How much memory objects hold, and which of them are cheap to move.

mod arrays;
mod contents;
mod elements;
mod others;

use contents::Contents;
use others::{heard, own_count, registered};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyByteArray, PyBytes, PyComplex, PyFloat, PyInt, PyNone, PyString, PyType};
use raskt_store::Store;
use raskt_value::Part;

/// What an object holds.
#[derive(Clone, Copy)]
pub(super) struct Size {
    pub bytes: usize,
    /// Whether it can be written and read back about as fast as its bytes can; then, whether nobody can change it.
    pub moves: Option<bool>,
}

/// Bytes of an object's own data: `nbytes` where it says so (arrays), a small number for what is small, all that is in it for
/// tuples, lists, dictionaries and sets, and for objects of other classes as far as they show what they hold.
pub(crate) fn size_of_object(object: &Bound<'_, PyAny>) -> usize {
    of(object).bytes
}

pub(super) fn of(object: &Bound<'_, PyAny>) -> Size {
    with_parts(object).0
}

/// The same, with the large arrays, tables and bytes that it is or that were met in it: others may hold them as well.
pub(super) fn with_parts(object: &Bound<'_, PyAny>) -> (Size, Vec<Part>) {
    if let Some(bytes) = scalar(object) {
        return (Size { bytes, moves: None }, vec![]);
    }
    if let Some(buffer) = buffer(object) {
        return (buffer, part(object, buffer).into_iter().collect());
    }
    if let Some(bytes) = registered(object) {
        return (Size { bytes: bytes.max(SMALL.bytes), moves: None }, vec![]);
    }
    let plain = if Contents::are_in(object) { None } else { plain(object) };
    match plain {
        Some(size) => (size, part(object, size).into_iter().collect()),
        None => Contents::new().measure(object),
    }
}

/// What is told of others by where it lies, if it is large: an array that shows a part of another one by where that lies. If it is
/// taken out of what holds it, something else may come to lie there; that is taken to be the same then, until its holder goes.
fn part(object: &Bound<'_, PyAny>, size: Size) -> Option<Part> {
    let identity = || arrays::shown_by(object).map_or(object.as_ptr() as usize, |(base, _)| base);
    (size.bytes >= Store::KEPT_BYTES).then(|| Part { identity: identity(), bytes: size.bytes })
}

/// The size of bytes and texts.
fn buffer(object: &Bound<'_, PyAny>) -> Option<Size> {
    if let Ok(bytes) = object.cast_exact::<PyBytes>() {
        return Some(Size { bytes: bytes.as_bytes().len().max(SMALL.bytes), moves: Some(true) });
    }
    if object.is_exact_instance_of::<PyByteArray>() {
        return Some(Size { bytes: object.len().unwrap_or(0).max(SMALL.bytes), moves: Some(false) });
    }
    let text = object.cast_exact::<PyString>().ok()?;
    Some(Size { bytes: of_text(text, text.len().unwrap_or(0)), moves: None })
}

/// What a text of so many characters takes: they may take four bytes each.
fn of_text(text: &Bound<'_, PyString>, length: usize) -> usize {
    if length < SHORT_TEXT { OF_TEXT + length } else { own_count(text).max(length) }
}

/// Texts of fewer characters aren't asked how many bytes each of them takes.
const SHORT_TEXT: usize = 256;

/// What a text takes beside its characters.
const OF_TEXT: usize = 48;

/// The size of what holds no other objects.
fn plain(object: &Bound<'_, PyAny>) -> Option<Size> {
    if let Some(buffer) = buffer(object) {
        return Some(buffer);
    }
    match library_of(&object.get_type()) {
        Library::Tables => Some(measured(object).unwrap_or_else(|| unmeasured(object))),
        Library::Arrays => arrays::size(object),
        Library::Elsewhere => Some(SMALL),
        _ => Some(Size { bytes: nbytes(object)?.max(SMALL.bytes), moves: None }),
    }
}

/// The size of a number or of nothing.
fn scalar(object: &Bound<'_, PyAny>) -> Option<usize> {
    if object.is_exact_instance_of::<PyInt>() {
        return Some(if object.extract::<i64>().is_ok() { SMALL.bytes } else { own_count(object).max(SMALL.bytes) });
    }
    let is_scalar = object.is_exact_instance_of::<PyFloat>()
        || object.is_exact_instance_of::<PyBool>()
        || object.is_exact_instance_of::<PyComplex>()
        || object.is_exact_instance_of::<PyNone>();
    is_scalar.then_some(SMALL.bytes)
}

/// What the object itself says that it holds.
fn nbytes(object: &Bound<'_, PyAny>) -> Option<usize> {
    let nbytes = heard(object.py(), object.getattr_opt(intern!(object.py(), "nbytes"))).flatten();
    nbytes.and_then(|nbytes| heard(object.py(), nbytes.extract()))
}

const SMALL: Size = Size { bytes: 32, moves: None };

/// Libraries whose objects `raskt._spill` knows.
enum Library {
    /// NumPy, whose objects say themselves how large they are.
    Arrays,
    Tables,
    /// Files and lazy collections, which say how large they would be.
    Elsewhere,
    Other,
}

fn library_of(kind: &Bound<'_, PyType>) -> Library {
    let module = heard(kind.py(), kind.getattr(intern!(kind.py(), "__module__")));
    let module = module.and_then(|module| module.cast_into().ok());
    let module = module.as_ref().and_then(|module: &Bound<'_, PyString>| module.to_str().ok()).unwrap_or_default();
    match module.split('.').next() {
        Some("numpy") => Library::Arrays,
        Some("pandas" | "pyarrow" | "polars") => Library::Tables,
        Some("h5py" | "zarr" | "dask" | "raskt") => Library::Elsewhere,
        _ => Library::Other,
    }
}

fn measured(object: &Bound<'_, PyAny>) -> Option<Size> {
    let py = object.py();
    let measure =
        || py.import(intern!(py, "raskt._spill"))?.getattr(intern!(py, "measure"))?.call1((object,))?.extract();
    let (bytes, moves) = heard(py, measure())?;
    Some(Size { bytes, moves })
}

/// The size of a table of a class that somebody derived from a library's: what such say of themselves is counted text by text.
fn derived_table(object: &Bound<'_, PyAny>) -> Option<Size> {
    let is_table =
        |base: &Bound<'_, PyAny>| base.cast::<PyType>().is_ok_and(|base| matches!(library_of(base), Library::Tables));
    if !object.get_type().mro().iter().skip(1).any(|base| is_table(&base)) {
        return None;
    }
    measured(object).map(|size| Size { moves: None, ..size })
}

/// A table of a kind that nobody knows: what it says of itself.
fn unmeasured(object: &Bound<'_, PyAny>) -> Size {
    Size { bytes: nbytes(object).unwrap_or(0).max(SMALL.bytes), moves: None }
}

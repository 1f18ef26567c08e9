//! Data of collections in pickles: values that are given.
//!
//! A pickler notes the objects that it has written, and writes each once. So the same value is the same object in all collections that
//! are pickled together, as long as somebody, the pickler for one, holds it.
//!
//! Results of a cluster go by what they are called there where those who read them find them so.

use super::{decoders, values};
use crate::cluster::{is_named_form, is_shared_form, named_form, read_named, read_shared, shared_form};
use crate::error::from_task_error;
use crate::object::Object;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyWeakrefMethods, PyWeakrefReference};
use raskt_frame::FrameTable;
use raskt_sync::Mutex;
use raskt_value::wire::WireForm;
use raskt_value::{Parcel, Value};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// A value that a collection was given.
#[pyclass(frozen, weakref, module = "raskt._core")]
pub(crate) struct GivenValue {
    /// Nothing before it is found by its name.
    value: OnceLock<Value>,
    /// What it was known by when it was pickled: that is kept alive, so that nothing else has its place in memory.
    #[expect(dead_code, reason = "held for what it keeps alive")]
    source: Option<Value>,
    /// What it is called, if others find it where it is, and it isn't fetched.
    called: Option<WireForm>,
    content: OnceLock<u128>,
}

/// A parcel: its form, and its pieces as arrays of bytes.
type Packed<'py> = (Bound<'py, PyBytes>, Vec<Bound<'py, PyAny>>);

/// Those that are alive, by what tells their sources from others.
static KNOWN: Mutex<Known> = Mutex::new(Known { by_place: BTreeMap::new(), swept: 0 });

struct Known {
    by_place: BTreeMap<u128, Py<PyWeakrefReference>>,
    /// How many there were after those that are gone were taken out last.
    swept: usize,
}

impl Known {
    /// Takes out those that are gone, if there are many more than there were.
    fn sweep(&mut self, py: Python<'_>) {
        const SPARE: usize = 64;
        if self.by_place.len() > 2 * self.swept + SPARE {
            self.by_place.retain(|_, known| known.bind(py).upgrade().is_some());
            self.swept = self.by_place.len();
        }
    }
}

impl GivenValue {
    /// What stands for these values; the same for the same ones.
    pub fn all(py: Python<'_>, values: Vec<Value>) -> PyResult<Vec<Py<Self>>> {
        let places: Vec<_> = values.iter().map(place).collect();
        let mut found = vec![];
        for (value, place) in values.iter().zip(&places) {
            let called = shared_form(value)?.map_or_else(|| named_form(py, value), |form| Ok(Some(form)))?;
            found.push(match called {
                Some(form) => Some(Py::new(py, Self::new(value.clone(), Some(value.clone()), Some(form)))?),
                None => known(py, *place)?,
            });
        }
        let missing = || found.iter().enumerate().filter(|(_, known)| known.is_none()).map(|(at, _)| at);
        let sources: Vec<Value> = missing().map(|at| values[at].clone()).collect();
        let numbers: Vec<usize> = missing().collect();
        let loaded = values::loaded(py, sources.clone())?;
        for ((at, source), value) in numbers.into_iter().zip(sources).zip(loaded) {
            let given = Py::new(py, Self::new(value, Some(source), None))?;
            if let Some(place) = places[at] {
                let reference = PyWeakrefReference::new(given.bind(py))?.unbind();
                let mut known = KNOWN.lock();
                known.sweep(py);
                known.by_place.insert(place, reference);
            }
            found[at] = Some(given);
        }
        Ok(found.into_iter().flatten().collect())
    }

    fn new(value: Value, source: Option<Value>, called: Option<WireForm>) -> Self {
        Self { value: value.into(), source, called, content: OnceLock::new() }
    }

    /// Finds those that were written by their names.
    pub fn find<'a>(py: Python<'_>, all: impl Iterator<Item = &'a Py<Self>>) -> PyResult<()> {
        let missing = all.map(Py::get).filter(|given| given.value.get().is_none());
        let named: Vec<_> = missing.filter_map(|given| Some((given, given.called.as_ref()?))).collect();
        if named.is_empty() {
            return Ok(());
        }
        let forms: Vec<&WireForm> = named.iter().map(|(_, form)| *form).collect();
        for ((given, _), value) in named.iter().zip(read_named(py, &forms)?) {
            let _ = given.value.set(value);
        }
        Ok(())
    }

    fn parcel(&self, py: Python<'_>) -> PyResult<Parcel> {
        match &self.called {
            Some(form) => Ok(Parcel { form: form.clone(), pieces: vec![] }),
            None => self.value()?.pack().map_err(|error| from_task_error(py, &error)),
        }
    }

    pub fn value(&self) -> PyResult<&Value> {
        self.value.get().ok_or_else(|| PyValueError::new_err("a result that goes by its name was read by itself"))
    }

    /// A hash of all that it is.
    pub fn content(&self, py: Python<'_>) -> PyResult<u128> {
        if let Some(content) = self.content.get() {
            return Ok(*content);
        }
        let parcel = self.parcel(py)?;
        Ok(*self.content.get_or_init(|| content(&parcel)))
    }
}

fn known(py: Python<'_>, place: Option<u128>) -> PyResult<Option<Py<GivenValue>>> {
    let Some(place) = place else { return Ok(None) };
    let reference = KNOWN.lock().by_place.get(&place).map(|known| known.clone_ref(py));
    let known = reference.and_then(|known| known.bind(py).upgrade());
    known.map(|known| Ok(known.cast_into::<GivenValue>()?.unbind())).transpose()
}

/// What tells a value from all others while it is alive; nothing if that can't be said.
fn place(value: &Value) -> Option<u128> {
    let mut words: Vec<u64> = vec![];
    match value {
        Value::Chunk(chunk) => {
            words.extend([0, chunk.buffer().as_ptr() as u64, chunk.offset() as u64, chunk.dtype() as u64]);
            words.extend(chunk.shape().iter().map(|&length| length as u64));
            words.extend(chunk.strides().iter().map(|&stride| stride as u64));
        }
        Value::Table(_) => {
            let table = FrameTable::of(value).ok()?;
            words.extend([1, table.frame.height() as u64]);
            words.extend(table.place()?);
        }
        Value::Foreign(foreign) => match Object::of(value) {
            Some(object) => words.extend([2, object.as_ptr() as u64]),
            None => words.extend([3, Arc::as_ptr(foreign).cast::<()>() as u64]),
        },
        Value::Stored(stored) => words.extend([4, Arc::as_ptr(stored).cast::<()>() as u64]),
        Value::Manifest(_) => return None,
    }
    Some(xxh3_128(&words.iter().flat_map(|word| word.to_le_bytes()).collect::<Vec<u8>>()))
}

fn content(parcel: &Parcel) -> u128 {
    let form = postcard::to_stdvec(&parcel.form).expect("a list of bytes takes all that is written");
    let mut content = Xxh3::new();
    content.update(&form.len().to_le_bytes());
    content.update(&form);
    for piece in &parcel.pieces {
        content.update(&piece.len().to_le_bytes());
        content.update(&values::digest(piece).to_le_bytes());
    }
    content.digest128()
}

#[pymethods]
impl GivenValue {
    fn __reduce__<'py>(&self, py: Python<'py>) -> PyResult<(Bound<'py, PyAny>, Packed<'py>)> {
        let Parcel { form, pieces } = self.parcel(py)?;
        let form = postcard::to_stdvec(&form).map_err(|error| PyValueError::new_err(error.to_string()))?;
        let pieces = pieces.iter().map(|piece| values::bytes_of(py, piece)).collect::<PyResult<_>>()?;
        Ok((py.import("raskt._core")?.getattr("_given_of")?, (PyBytes::new(py, &form), pieces)))
    }
}

/// The value that was pickled.
#[pyfunction]
pub(super) fn _given_of(
    py: Python<'_>,
    form: &Bound<'_, PyBytes>,
    pieces: Vec<Bound<'_, PyAny>>,
) -> PyResult<GivenValue> {
    let form: WireForm =
        postcard::from_bytes(form.as_bytes()).map_err(|error| PyValueError::new_err(error.to_string()))?;
    if is_named_form(&form) {
        let (value, source, content) = Default::default();
        return Ok(GivenValue { value, source, called: Some(form), content });
    }
    let parcel = Parcel { form, pieces: pieces.iter().map(values::piece_of).collect::<PyResult<_>>()? };
    let content = OnceLock::from(content(&parcel));
    let value = match is_shared_form(&parcel.form) {
        true => read_shared(&parcel.form)?,
        false => decoders().unpack(parcel).map_err(|error| from_task_error(py, &error))?,
    };
    Ok(GivenValue { source: None, value: value.into(), called: None, content })
}

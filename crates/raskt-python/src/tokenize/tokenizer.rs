use super::TokenizationError;
use crate::array::ArrayExpr;
use crate::delayed::{Delayed, identity_of};
use crate::frame::{ColumnExpr, FrameExpr};
use pyo3::exceptions::PyRecursionError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::*;
use xxhash_rust::xxh3::xxh3_128;

/// Takes objects, and gives one number that tells them from others.
///
/// What is fed is written down in a form that can't be misread (a letter for what comes, lengths before contents) and
/// hashed in the end.
pub(crate) struct Tokenizer<'py> {
    py: Python<'py>,
    written: Vec<u8>,
    /// The objects that are being written, by address: one that comes again inside itself is written as its depth.
    path: Vec<usize>,
    is_strict: bool,
}

/// Objects in objects are followed this far.
const DEPTH: usize = 400;

/// Text and bytes longer than this are written as their hash.
const SHORT: usize = 1024;

impl<'py> Tokenizer<'py> {
    /// A strict one fails at what has no token that is the same in every process; others make up a number.
    pub fn new(py: Python<'py>, is_strict: bool) -> Self {
        Self { py, written: Vec::with_capacity(64), path: vec![], is_strict }
    }

    pub fn finish(&self) -> u128 {
        xxh3_128(&self.written)
    }

    pub fn tag(&mut self, tag: u8) {
        self.written.push(tag);
    }

    pub fn length(&mut self, length: usize) {
        self.written.extend((length as u64).to_le_bytes());
    }

    pub fn number(&mut self, number: u128) {
        self.written.extend(number.to_le_bytes());
    }

    pub fn text(&mut self, text: &str) {
        self.bytes(b's', text.as_bytes());
    }

    fn bytes(&mut self, tag: u8, bytes: &[u8]) {
        self.tag(tag);
        self.length(bytes.len());
        if bytes.len() <= SHORT {
            self.written.extend_from_slice(bytes);
        } else {
            self.number(xxh3_128(bytes));
        }
    }

    /// Writes an object down.
    pub fn feed(&mut self, object: &Bound<'py, PyAny>) -> PyResult<()> {
        if self.feed_plain(object)? {
            return Ok(());
        }
        let address = object.as_ptr() as usize;
        if let Some(depth) = self.path.iter().position(|&known| known == address) {
            self.tag(b'^');
            self.length(depth);
            return Ok(());
        }
        if self.path.len() >= DEPTH {
            let message = format!("what is to be tokenized holds objects more than {DEPTH} deep");
            return Err(PyRecursionError::new_err(message));
        }
        self.path.push(address);
        let result = self.feed_structure(object);
        self.path.pop();
        result
    }

    /// Writes down what holds no other objects; whether it was such.
    fn feed_plain(&mut self, object: &Bound<'py, PyAny>) -> PyResult<bool> {
        if object.is_none() {
            self.tag(b'0');
        } else if let Ok(text) = object.cast_exact::<PyString>() {
            match text.to_str() {
                Ok(text) => self.text(text),
                // Half a surrogate pair has no UTF-8.
                Err(_) => {
                    let bytes = text.call_method1(intern!(self.py, "encode"), ("utf-8", "surrogatepass"))?;
                    self.bytes(b'S', bytes.cast::<PyBytes>()?.as_bytes());
                }
            }
        } else if let Ok(number) = object.cast_exact::<PyInt>() {
            self.integer(number)?;
        } else if let Ok(number) = object.cast_exact::<PyFloat>() {
            self.tag(b'f');
            self.written.extend(number.value().to_le_bytes());
        } else if let Ok(truth) = object.cast_exact::<PyBool>() {
            self.tag(if truth.is_true() { b'T' } else { b'F' });
        } else if let Ok(bytes) = object.cast_exact::<PyBytes>() {
            self.bytes(b'b', bytes.as_bytes());
        } else if let Ok(number) = object.cast_exact::<PyComplex>() {
            self.tag(b'c');
            self.written.extend(number.real().to_le_bytes());
            self.written.extend(number.imag().to_le_bytes());
        } else if let Ok(delayed) = object.cast_exact::<Delayed>() {
            self.tag(b'R');
            self.number(identity_of(delayed));
        } else {
            return Ok(false);
        }
        Ok(true)
    }

    fn integer(&mut self, number: &Bound<'py, PyInt>) -> PyResult<()> {
        if let Ok(small) = number.extract::<i64>() {
            self.tag(b'i');
            self.written.extend(small.to_le_bytes());
            return Ok(());
        }
        // Hexadecimal, since Python refuses to write long decimal numbers.
        let text: String = number.call_method1(intern!(self.py, "__format__"), ("x",))?.extract()?;
        self.bytes(b'I', text.as_bytes());
        Ok(())
    }

    fn feed_structure(&mut self, object: &Bound<'py, PyAny>) -> PyResult<()> {
        if let Ok(list) = object.cast_exact::<PyList>() {
            self.sequence(b'l', list.len(), list.iter())
        } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            self.sequence(b't', tuple.len(), tuple.iter())
        } else if let Ok(dict) = object.cast_exact::<PyDict>() {
            self.unordered(b'd', dict.iter().map(|(key, value)| [Some(key), Some(value)]))
        } else if let Ok(set) = object.cast_exact::<PySet>() {
            self.unordered(b'{', set.iter().map(|item| [Some(item), None]))
        } else if let Ok(set) = object.cast_exact::<PyFrozenSet>() {
            self.unordered(b'z', set.iter().map(|item| [Some(item), None]))
        } else if let Some(key) = expression_key(object)? {
            self.bytes(b'E', key.as_bytes());
            Ok(())
        } else {
            self.other(object)
        }
    }

    fn sequence(&mut self, tag: u8, length: usize, items: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<()> {
        self.tag(tag);
        self.length(length);
        items.into_iter().try_for_each(|item| self.feed(&item))
    }

    /// Each entry is hashed by itself, and the hashes are sorted: the order in which they come doesn't count.
    fn unordered(&mut self, tag: u8, entries: impl Iterator<Item = [Option<Bound<'py, PyAny>>; 2]>) -> PyResult<()> {
        self.tag(tag);
        let mut hashes = vec![];
        let start = self.written.len();
        for entry in entries {
            entry.iter().flatten().try_for_each(|object| self.feed(object))?;
            hashes.push(xxh3_128(&self.written[start..]));
            self.written.truncate(start);
        }
        hashes.sort_unstable();
        self.length(hashes.len());
        hashes.into_iter().for_each(|hash| self.number(hash));
        Ok(())
    }

    /// Writes down what an object comes to in terms of others.
    fn other(&mut self, object: &Bound<'py, PyAny>) -> PyResult<()> {
        static NORMALIZE: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let py = self.py;
        let get = || Ok::<_, PyErr>(py.import("raskt._tokens")?.getattr("normalize")?.unbind());
        let start = self.written.len();
        let result = NORMALIZE.get_or_try_init(py, get)?.bind(py).call1((object,)).and_then(|normal| {
            self.tag(b'n');
            self.feed(&normal)
        });
        match result {
            Err(error) if !self.is_strict && error.is_instance_of::<TokenizationError>(py) => {
                self.written.truncate(start);
                let random = py.import("uuid")?.call_method0("uuid4")?.getattr("bytes")?;
                self.bytes(b'?', random.cast::<PyBytes>()?.as_bytes());
                Ok(())
            }
            result => result,
        }
    }
}

/// What tells a collection of ours from others: its expression's own key.
fn expression_key(object: &Bound<'_, PyAny>) -> PyResult<Option<String>> {
    if !object.get_type().hasattr(intern!(object.py(), "__raskt_expr__"))? {
        return Ok(None);
    }
    let expr = object.getattr(intern!(object.py(), "__raskt_expr__"))?;
    if let Ok(array) = expr.cast::<ArrayExpr>() {
        return Ok(Some(format!("{:032x}", array.get().array.key())));
    }
    if expr.cast::<FrameExpr>().is_ok() || expr.cast::<ColumnExpr>().is_ok() {
        return expr.getattr("key")?.extract().map(Some);
    }
    Ok(None)
}

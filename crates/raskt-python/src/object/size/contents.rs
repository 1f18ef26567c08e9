use super::{SMALL, Size, is_scalar, plain};
use hashbrown::HashSet;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyFrozenSet, PyList, PySet, PyString, PyTuple};

/// Adds up what objects hold that are in an object. The effort is bounded: of more objects the rest is taken to be alike.
pub(super) struct Contents {
    /// Those that were met: what is in an object twice is there once.
    met: HashSet<usize>,
    /// Objects that may yet be looked at.
    left: usize,
    /// Small objects that were met: each costs as much as many bytes to write.
    small: usize,
}

/// Objects that are looked at in all.
const LOOKED_AT: usize = 10_000;

/// How deep objects lie in each other that are looked at.
const DEEPEST: usize = 12;

/// Small objects with which moving the whole is still about as fast as moving its bytes.
const FEW: usize = 1000;

/// What a container has for each of its elements.
const OF_LIST: usize = 8;
const OF_SET: usize = 48;
const OF_DICTIONARY: usize = 100;

impl Contents {
    pub fn new() -> Self {
        Self { met: HashSet::new(), left: LOOKED_AT, small: 0 }
    }

    /// Whether `object` is a container of Python's own.
    pub fn are_in(object: &Bound<'_, PyAny>) -> bool {
        object.is_instance_of::<PyTuple>()
            || object.is_instance_of::<PyList>()
            || object.is_instance_of::<PyDict>()
            || object.is_instance_of::<PySet>()
            || object.is_instance_of::<PyFrozenSet>()
    }

    /// The size of `object` with all that is in it.
    pub fn measure(mut self, object: &Bound<'_, PyAny>) -> Size {
        self.add(object, 0)
    }

    fn add(&mut self, object: &Bound<'_, PyAny>, depth: usize) -> Size {
        self.left = self.left.saturating_sub(1);
        let text = object.cast_exact::<PyString>().ok().map(|text| text.len().unwrap_or(0));
        if is_scalar(object) || text.is_some() {
            self.small += 1;
            let bytes = text.unwrap_or(0).max(SMALL.bytes);
            return Size { bytes, moves: (self.small <= FEW).then_some(true) };
        }
        if !self.met.insert(object.as_ptr() as usize) {
            return Size { bytes: 0, moves: Some(true) };
        }
        self.of_container(object, depth).or_else(|| plain(object)).unwrap_or_else(|| self.of_other(object, depth))
    }

    fn of_container(&mut self, object: &Bound<'_, PyAny>, depth: usize) -> Option<Size> {
        let elements = |each: usize| SMALL.bytes + each * object.len().unwrap_or(0);
        if let Ok(tuple) = object.cast::<PyTuple>() {
            return Some(self.of_elements(elements(OF_LIST), tuple.len(), tuple.iter(), depth));
        }
        if let Ok(list) = object.cast::<PyList>() {
            return Some(self.of_elements(elements(OF_LIST), list.len(), list.iter(), depth));
        }
        if let Ok(dictionary) = object.cast::<PyDict>() {
            let pairs = dictionary.iter().flat_map(|(key, value)| [key, value]);
            return Some(self.of_elements(elements(OF_DICTIONARY), 2 * dictionary.len(), pairs, depth));
        }
        if let Ok(set) = object.cast::<PySet>() {
            return Some(self.of_elements(elements(OF_SET), set.len(), set.iter(), depth));
        }
        let set = object.cast::<PyFrozenSet>().ok()?;
        Some(self.of_elements(elements(OF_SET), set.len(), set.iter(), depth))
    }

    /// So many elements, in a container that takes `own` bytes itself.
    fn of_elements<'py>(
        &mut self,
        own: usize,
        count: usize,
        elements: impl Iterator<Item = Bound<'py, PyAny>>,
        depth: usize,
    ) -> Size {
        let (mut bytes, mut looked_at, mut moves) = (0_usize, 0_usize, true);
        for element in elements {
            if self.left == 0 || depth >= DEEPEST {
                break;
            }
            let size = self.add(&element, depth + 1);
            bytes = bytes.saturating_add(size.bytes);
            looked_at += 1;
            moves &= size.moves.is_some();
        }
        if looked_at < count {
            let each = if looked_at == 0 { SMALL.bytes } else { bytes.div_ceil(looked_at) };
            bytes = each.saturating_mul(count);
            moves = false;
        }
        // It may be changed, or what is in it may be.
        Size { bytes: own.saturating_add(bytes), moves: moves.then_some(false) }
    }

    /// An object of a class that nobody knows: what it says, what somebody has registered for its class, or its attributes.
    fn of_other(&mut self, object: &Bound<'_, PyAny>, depth: usize) -> Size {
        let registered = registered(object).ok().flatten();
        let bytes = registered.or_else(|| {
            let own: usize = object.call_method0(intern!(object.py(), "__sizeof__")).ok()?.extract().ok()?;
            let attributes = object.getattr_opt(intern!(object.py(), "__dict__")).ok().flatten();
            let attributes = attributes.filter(|_| depth < DEEPEST && self.left > 0);
            let held = attributes.and_then(|attributes| self.of_container(&attributes, depth + 1));
            Some(own.saturating_add(held.map_or(0, |held| held.bytes)))
        });
        Size { bytes: bytes.unwrap_or(0).max(SMALL.bytes), moves: None }
    }
}

/// What `raskt.sizeof` has been told of the class of an object.
fn registered(object: &Bound<'_, PyAny>) -> PyResult<Option<usize>> {
    let py = object.py();
    let sizes = py.import(intern!(py, "raskt.sizeof"))?;
    sizes.getattr(intern!(py, "registered"))?.call1((object,))?.extract()
}

//! Elements of containers: somebody else may change these while their elements are looked at.

use super::others::heard;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyDictMethods, PyList, PyTuple};

/// Elements of a container, of one moment. Where they can't be reached by their positions, these are the first of them only:
/// to go to others costs as much as to look at all.
pub(super) struct Elements<'py> {
    seen: Seen<'py>,
    /// How many there are.
    pub count: usize,
}

enum Seen<'py> {
    Tuple(Bound<'py, PyTuple>),
    List(Bound<'py, PyList>),
    First(Vec<Bound<'py, PyAny>>),
}

impl<'py> Elements<'py> {
    pub fn of_tuple(tuple: Bound<'py, PyTuple>) -> Self {
        Self { count: tuple.len(), seen: Seen::Tuple(tuple) }
    }

    pub fn of_list(list: Bound<'py, PyList>) -> Self {
        Self { count: list.len(), seen: Seen::List(list) }
    }

    /// Values and keys of a dictionary, so many of each at most.
    pub fn of_dictionary(dictionary: &Bound<'py, PyDict>, most: usize) -> [Self; 2] {
        let count = dictionary.len();
        // Nothing of Python's runs meanwhile that could change it.
        let (keys, values) = dictionary.iter().take(most).unzip();
        [Self { seen: Seen::First(values), count }, Self { seen: Seen::First(keys), count }]
    }

    /// Elements of what has so many of them, at most so many; nothing if it doesn't show them.
    pub fn first_of(object: &Bound<'py, PyAny>, count: usize, most: usize) -> Option<Self> {
        let elements = heard(object.py(), object.try_iter())?;
        let first = heard(object.py(), elements.take(most).collect::<PyResult<Vec<_>>>())?;
        Some(Self { seen: Seen::First(first), count })
    }

    /// How many of them can be looked at.
    pub fn len(&self) -> usize {
        match &self.seen {
            Seen::Tuple(tuple) => tuple.len(),
            Seen::List(list) => list.len(),
            Seen::First(first) => first.len(),
        }
    }

    pub fn get(&self, at: usize) -> Option<Bound<'py, PyAny>> {
        match &self.seen {
            Seen::Tuple(tuple) => tuple.get_item(at).ok(),
            Seen::List(list) => list.get_item(at).ok(),
            Seen::First(first) => first.get(at).cloned(),
        }
    }
}

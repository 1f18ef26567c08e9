//! Keys as numbers.

use pyo3::prelude::*;
use pyo3::types::PyDict;

/// The keys that were met so far, numbered in the order in which they came.
pub(super) struct Keys<'py> {
    numbers: Bound<'py, PyDict>,
    keys: Vec<Bound<'py, PyAny>>,
}

impl<'py> Keys<'py> {
    pub fn new(py: Python<'py>) -> Self {
        Self { numbers: PyDict::new(py), keys: vec![] }
    }

    /// The number of `key`, which is a new one if the key wasn't met before.
    pub fn number(&mut self, key: &Bound<'py, PyAny>) -> PyResult<u32> {
        if let Some(known) = self.numbers.get_item(key)? {
            return known.extract();
        }
        let number = self.keys.len() as u32;
        self.numbers.set_item(key, number)?;
        self.keys.push(key.clone());
        Ok(number)
    }

    /// The key that has `number`, if one has.
    pub fn key(&self, number: u32) -> Option<&Bound<'py, PyAny>> {
        self.keys.get(number as usize)
    }

    /// All keys, by number.
    pub fn iter(&self) -> impl Iterator<Item = &Bound<'py, PyAny>> {
        self.keys.iter()
    }

    pub fn len(&self) -> usize {
        self.keys.len()
    }
}

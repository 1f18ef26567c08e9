use super::keys::Keys;
use crate::annotations::AnnotationSet;
use hashbrown::HashMap;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use raskt_graph::Annotations;
use std::sync::Arc;

/// What was said of tasks by `dask.annotate`, as far as it has a meaning on one machine.
#[derive(Default)]
pub(super) struct Said<'py> {
    /// By key; nothing if nothing was said of any task.
    by_key: Option<Bound<'py, PyDict>>,
    kinds: Vec<Arc<Annotations>>,
    /// The numbers of the kinds, by their addresses.
    numbers: HashMap<usize, u32>,
}

impl<'py> Said<'py> {
    /// What an expression of Dask says of its tasks.
    pub fn of(dsk: &Bound<'py, PyAny>) -> PyResult<Self> {
        let py = dsk.py();
        let Some(annotations) = dsk.getattr_opt(pyo3::intern!(py, "__dask_annotations__"))? else {
            return Ok(Self::default());
        };
        let annotations = annotations.call0()?;
        if annotations.is_empty()? {
            return Ok(Self::default());
        }
        let by_key = py.import("raskt.dask._annotations")?.getattr("by_key")?.call1((annotations,))?;
        Ok(Self { by_key: Some(by_key.cast_into()?), ..Self::default() })
    }

    /// A number for what was said of each of `keys`: equal where the same was said, and zero for nothing.
    pub fn kinds(&mut self, keys: &Keys<'py>) -> PyResult<Vec<u32>> {
        let Some(by_key) = self.by_key.clone() else { return Ok(vec![0; keys.len()]) };
        keys.iter().map(|key| self.kind(by_key.get_item(key)?)).collect()
    }

    /// What a number stands for.
    pub fn annotations(&self, kind: u32) -> Arc<Annotations> {
        kind.checked_sub(1).map(|at| self.kinds[at as usize].clone()).unwrap_or_default()
    }

    fn kind(&mut self, set: Option<Bound<'py, PyAny>>) -> PyResult<u32> {
        let Some(set) = set else { return Ok(0) };
        let annotations = set.cast::<AnnotationSet>()?.get().annotations();
        let number = self.numbers.entry(Arc::as_ptr(annotations) as usize).or_insert_with(|| {
            self.kinds.push(annotations.clone());
            self.kinds.len() as u32
        });
        Ok(*number)
    }
}

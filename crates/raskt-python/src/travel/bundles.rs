//! Pickles of the arguments of many calls together: where they are much, they travel as data that the calls read, some calls' at a time.

use super::calls::Pickle;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

/// Bytes of the arguments of an op that stay in it at most.
const STAYING_BYTES: usize = 1 << 20;

/// Bytes of a bundle: with as many, the next one begins.
const BUNDLE_BYTES: usize = 1 << 20;

/// Puts pickles into bundles if they are much; each call then has its bundle as the last of its objects.
pub(super) fn bundle<'a>(py: Python<'_>, calls: impl Iterator<Item = (&'a mut Pickle, &'a mut Vec<Py<PyAny>>)>) {
    let mut calls: Vec<_> = calls.collect();
    if calls.iter().map(|(pickle, _)| length(pickle)).sum::<usize>() <= STAYING_BYTES {
        return;
    }
    let mut rest = calls.as_mut_slice();
    while !rest.is_empty() {
        let mut bytes = 0;
        let mut is_before = |(pickle, _): &(&mut Pickle, _)| {
            let before = bytes;
            bytes += length(pickle);
            before < BUNDLE_BYTES
        };
        let count = rest.iter().take_while(|call| is_before(call)).count();
        let (together, others) = rest.split_at_mut(count);
        put_together(py, together);
        rest = others;
    }
}

fn length(pickle: &Pickle) -> usize {
    match pickle {
        Pickle::Here(pickle) => pickle.len(),
        Pickle::Bundled { .. } => 0,
    }
}

fn put_together(py: Python<'_>, calls: &mut [(&mut Pickle, &mut Vec<Py<PyAny>>)]) {
    let mut all = vec![];
    for (pickle, _) in calls.iter_mut() {
        let start = all.len() as u64;
        if let Pickle::Here(own) = &**pickle {
            all.extend_from_slice(own);
        }
        **pickle = Pickle::Bundled { start, end: all.len() as u64 };
    }
    let bundle = PyBytes::new(py, &all).into_any().unbind();
    calls.iter_mut().for_each(|(_, objects)| objects.push(bundle.clone_ref(py)));
}

/// A part of a bundle.
pub(super) fn part<'a>(py: Python<'a>, bundle: &'a Option<Py<PyAny>>, start: u64, end: u64) -> PyResult<&'a [u8]> {
    let bytes = bundle.as_ref().and_then(|bundle| bundle.bind(py).cast_exact::<PyBytes>().ok());
    let part = bytes.and_then(|bytes| bytes.as_bytes().get(start as usize..end as usize));
    part.ok_or_else(|| PyValueError::new_err("the arguments of a call haven't come"))
}

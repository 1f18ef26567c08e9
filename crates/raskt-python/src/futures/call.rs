use super::{Future, Task};
use pyo3::exceptions::{PyRecursionError, PyTypeError};
use pyo3::prelude::*;
use pyo3::types::*;
use pyo3::{PyTraverseError, PyVisit};
use std::sync::Arc;

/// A function and its arguments, which may hold futures.
pub(crate) struct Call {
    function: Py<PyAny>,
    positional: Py<PyTuple>,
    named: Option<Py<PyDict>>,
    has_futures: bool,
}

impl Call {
    /// The call, and the futures that it reads. Containers that hold futures are copied, so that the caller may go on
    /// with his.
    pub fn new<'py>(
        function: &Bound<'py, PyAny>,
        positional: &Bound<'py, PyTuple>,
        named: Option<&Bound<'py, PyDict>>,
    ) -> PyResult<(Self, Vec<Arc<Task>>)> {
        if !function.is_callable() {
            let kind = function.get_type().qualname()?;
            return Err(PyTypeError::new_err(format!(
                "a '{kind}' object can't be called; a function is submitted with its arguments: submit(f, 1, 2)"
            )));
        }
        let mut inputs = vec![];
        let mut note = |future: &Bound<'py, Future>| {
            let task = future.get().task();
            inputs.push(task.clone());
            // A handle of its own: the caller may let go of his.
            Ok(Bound::new(future.py(), Future::of(task))?.into_any())
        };
        let copied = with_futures_replaced(positional, &mut note)?;
        let positional = copied.map_or(Ok(positional.clone()), Bound::cast_into)?.unbind();
        let named = match named.filter(|named| !named.is_empty()) {
            Some(named) => {
                let copied = with_futures_replaced(named, &mut note)?;
                Some(copied.map_or(Ok(named.clone()), Bound::cast_into)?.unbind())
            }
            None => None,
        };
        let has_futures = !inputs.is_empty();
        Ok((Self { function: function.clone().unbind(), positional, named, has_futures }, inputs))
    }

    /// Shows the garbage collector what it holds.
    pub fn traverse(&self, visit: &PyVisit<'_>) -> Result<(), PyTraverseError> {
        visit.call(&self.function)?;
        visit.call(&self.positional)?;
        visit.call(&self.named)
    }

    /// The name of what is called, as keys have it.
    pub fn name(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let function = self.function.bind(py);
        let own = function.getattr_opt(pyo3::intern!(py, "__name__"))?;
        Ok(own.map_or_else(|| function.get_type().name().map(Bound::into_any), Ok)?.unbind())
    }

    /// The tasks that it reads.
    pub fn inputs<'py>(&self, py: Python<'py>) -> Vec<Arc<Task>> {
        let mut inputs = vec![];
        let mut note = |future: &Bound<'py, Future>| {
            inputs.push(future.get().task());
            Ok(future.clone().into_any())
        };
        if self.has_futures {
            let named = self.named.as_ref().map(|named| named.bind(py).clone().into_any());
            for object in [Some(self.positional.bind(py).clone().into_any()), named].into_iter().flatten() {
                with_futures_replaced(&object, &mut note).expect("it was looked through when the call was submitted");
            }
        }
        inputs
    }

    /// Makes the call; every future that it reads is done.
    pub fn make(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        let (mut positional, mut named) =
            (self.positional.bind(py).clone(), self.named.as_ref().map(|named| named.bind(py).clone()));
        if self.has_futures {
            positional = resolved(positional.as_any())?.cast_into()?;
            named = named.map(|named| resolved(named.as_any())?.cast_into().map_err(PyErr::from)).transpose()?;
        }
        self.function.bind(py).call(positional, named.as_ref()).map(Bound::unbind)
    }
}

/// The object with the results of futures in their places; raises what a future has failed with.
pub(crate) fn resolved<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let py = object.py();
    let mut result = |future: &Bound<'py, Future>| Ok(future.get().task().result(py)?.into_bound(py));
    Ok(with_futures_replaced(object, &mut result)?.unwrap_or_else(|| object.clone()))
}

/// What comes in the place of a future.
type Replace<'a, 'py> = &'a mut dyn FnMut(&Bound<'py, Future>) -> PyResult<Bound<'py, PyAny>>;

/// A copy of `object` in which `replace` has given something else for each future, in lists, tuples, sets and
/// dictionaries too; nothing if there is no future in it.
pub(crate) fn with_futures_replaced<'py>(
    object: &Bound<'py, PyAny>,
    replace: Replace<'_, 'py>,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    at_depth(object, replace, 0)
}

/// Containers in containers are followed this far.
const DEPTH: usize = 200;

fn at_depth<'py>(
    object: &Bound<'py, PyAny>,
    replace: Replace<'_, 'py>,
    depth: usize,
) -> PyResult<Option<Bound<'py, PyAny>>> {
    if depth > DEPTH {
        return Err(PyRecursionError::new_err(format!(
            "an argument holds containers more than {DEPTH} deep; futures are looked for that far"
        )));
    }
    let py = object.py();
    if let Ok(future) = object.cast_exact::<Future>() {
        return replace(future).map(Some);
    }
    if let Ok(list) = object.cast_exact::<PyList>() {
        let items = replaced(list.iter(), replace, depth)?;
        return items.map(|items| Ok(PyList::new(py, items)?.into_any())).transpose();
    }
    if let Ok(tuple) = object.cast_exact::<PyTuple>() {
        let items = replaced(tuple.iter(), replace, depth)?;
        return items.map(|items| Ok(PyTuple::new(py, items)?.into_any())).transpose();
    }
    if let Ok(dict) = object.cast_exact::<PyDict>() {
        let items = replaced(dict.iter().flat_map(|(key, value)| [key, value]), replace, depth)?;
        let Some(items) = items else { return Ok(None) };
        let copy = PyDict::new(py);
        items.chunks_exact(2).try_for_each(|pair| copy.set_item(&pair[0], &pair[1]))?;
        return Ok(Some(copy.into_any()));
    }
    if let Ok(set) = object.cast_exact::<PySet>() {
        let items = replaced(set.iter(), replace, depth)?;
        return items.map(|items| Ok(PySet::new(py, items)?.into_any())).transpose();
    }
    if let Ok(set) = object.cast_exact::<PyFrozenSet>() {
        let items = replaced(set.iter(), replace, depth)?;
        return items.map(|items| Ok(PyFrozenSet::new(py, items)?.into_any())).transpose();
    }
    Ok(None)
}

/// The items with futures replaced; nothing if there is none among them.
fn replaced<'py>(
    items: impl Iterator<Item = Bound<'py, PyAny>>,
    replace: Replace<'_, 'py>,
    depth: usize,
) -> PyResult<Option<Vec<Bound<'py, PyAny>>>> {
    let (mut all, mut found) = (vec![], false);
    for item in items {
        match at_depth(&item, replace, depth + 1)? {
            Some(replacement) => {
                found = true;
                all.push(replacement);
            }
            None => all.push(item),
        }
    }
    Ok(found.then_some(all))
}

use super::{Argument, Node, Work};
use crate::compute;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::types::{PyDict, PyTuple};
use std::sync::Arc;

/// A call that hasn't been made yet. Made by `raskt.delayed`.
///
/// Calling it, taking an attribute or an item of it and computing with it by operators give further delayed objects.
/// `compute` makes the calls, in parallel, and gives the result.
#[pyclass(frozen, weakref, module = "raskt.delayed")]
pub(crate) struct Delayed {
    pub node: Arc<Node>,
}

impl Delayed {
    fn call_of(function: Argument, positional: Vec<Argument>) -> Self {
        Self { node: Node::new(Work::Call { function, positional, named: vec![] }) }
    }

    /// `name` of the module `operator`, applied to this and `others`.
    pub(super) fn operator(&self, py: Python<'_>, name: &str, others: &[&Bound<'_, PyAny>]) -> PyResult<Self> {
        let mut positional = vec![Argument::Node(self.node.clone())];
        for other in others {
            positional.push(Argument::new(other, true)?);
        }
        Ok(Self::call_of(operator_function(py, name)?, positional))
    }

    pub(super) fn reflected(&self, py: Python<'_>, name: &str, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        let positional = vec![Argument::new(other, true)?, Argument::Node(self.node.clone())];
        Ok(Self::call_of(operator_function(py, name)?, positional))
    }
}

fn operator_function(py: Python<'_>, name: &str) -> PyResult<Argument> {
    Ok(Argument::Object(py.import("operator")?.getattr(name)?.unbind()))
}

#[pymethods]
impl Delayed {
    #[pyo3(signature = (*args, pure=None, dask_key_name=None, raskt_key_name=None, **kwargs))]
    fn __call__(
        &self,
        args: &Bound<'_, PyTuple>,
        pure: Option<bool>,
        dask_key_name: Option<String>,
        raskt_key_name: Option<String>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Self> {
        // Calls are never merged by content yet, so that a pure call is only told from others by its key.
        let _ = pure;
        let (function, outputs) = match &self.node.work {
            Work::Give(Argument::Object(function)) => {
                (Argument::Object(function.clone_ref(args.py())), self.node.outputs)
            }
            _ => (Argument::Node(self.node.clone()), None),
        };
        let positional =
            args.iter_borrowed().map(|argument| Argument::new(&argument, true)).collect::<PyResult<_>>()?;
        let mut named = vec![];
        for (name, argument) in kwargs.into_iter().flatten() {
            named.push((name.unbind(), Argument::new(&argument, true)?));
        }
        let key = raskt_key_name.or(dask_key_name);
        Ok(Self { node: Node::with(Work::Call { function, positional, named }, key, outputs) })
    }

    /// The name of the task in messages.
    #[getter]
    fn key(&self, py: Python<'_>) -> String {
        self.node.key(py)
    }

    /// Makes the calls and gives the result.
    #[pyo3(signature = (**kwargs))]
    fn compute(slf: &Bound<'_, Self>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        compute::compute_one(slf.as_any(), kwargs)
    }

    /// Makes the calls and gives a delayed object that holds the result.
    #[pyo3(signature = (**kwargs))]
    fn persist(slf: &Bound<'_, Self>, kwargs: Option<&Bound<'_, PyDict>>) -> PyResult<Py<PyAny>> {
        compute::persist_one(slf.as_any(), kwargs)
    }

    /// Draws the graph of calls: see `raskt.visualize`.
    #[pyo3(signature = (*args, **kwargs))]
    fn visualize(
        slf: &Bound<'_, Self>,
        args: &Bound<'_, PyTuple>,
        kwargs: Option<&Bound<'_, PyDict>>,
    ) -> PyResult<Py<PyAny>> {
        crate::visualize::visualize_one(slf.as_any(), args, kwargs)
    }

    fn __getattr__(&self, py: Python<'_>, name: &Bound<'_, PyAny>) -> PyResult<Self> {
        let text: String = name.extract()?;
        if text.starts_with('_') {
            // Protocols are probed for by such names; a delayed object must not seem to fulfil them all.
            let message =
                format!("a delayed object has no attribute {text:?}: names with an underscore are not delayed");
            return Err(pyo3::exceptions::PyAttributeError::new_err(message));
        }
        let function = Argument::Object(py.import("builtins")?.getattr("getattr")?.unbind());
        let name = Argument::Object(name.clone().unbind());
        Ok(Self::call_of(function, vec![Argument::Node(self.node.clone()), name]))
    }

    fn __getitem__(&self, py: Python<'_>, index: &Bound<'_, PyAny>) -> PyResult<Self> {
        self.operator(py, "getitem", &[index])
    }

    fn __setattr__(&self, name: &str, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err(format!("delayed objects never change: attribute {name:?} can't be set")))
    }

    fn __setitem__(&self, index: &Bound<'_, PyAny>, _value: &Bound<'_, PyAny>) -> PyResult<()> {
        Err(PyTypeError::new_err(format!("delayed objects never change: item {index} can't be set")))
    }

    fn __iter__(slf: &Bound<'_, Self>) -> PyResult<DelayedIterator> {
        match slf.get().node.outputs {
            Some(length) => Ok(DelayedIterator { of: slf.get().node.clone(), next: 0, length }),
            None => Err(PyTypeError::new_err(
                "a delayed object of unknown length can't be iterated; say how many results it gives: delayed(f, nout=2)",
            )),
        }
    }

    fn __len__(&self) -> PyResult<usize> {
        self.node.outputs.ok_or_else(|| {
            PyTypeError::new_err(
                "a delayed object of unknown length has no len(); say how many results it gives: delayed(f, nout=2)",
            )
        })
    }

    fn __bool__(&self) -> PyResult<bool> {
        Err(PyTypeError::new_err("the truth of a delayed object isn't known before it is computed; call .compute()"))
    }

    fn __neg__(&self, py: Python<'_>) -> PyResult<Self> {
        self.operator(py, "neg", &[])
    }

    fn __pos__(&self, py: Python<'_>) -> PyResult<Self> {
        self.operator(py, "pos", &[])
    }

    fn __abs__(&self, py: Python<'_>) -> PyResult<Self> {
        self.operator(py, "abs", &[])
    }

    fn __invert__(&self, py: Python<'_>) -> PyResult<Self> {
        self.operator(py, "invert", &[])
    }

    fn __pow__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, modulo: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        match modulo {
            None => self.operator(py, "pow", &[other]),
            Some(_) => Err(PyTypeError::new_err("pow() of a delayed object takes no third argument")),
        }
    }

    fn __rpow__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, _modulo: Option<&Bound<'_, PyAny>>) -> PyResult<Self> {
        self.reflected(py, "pow", other)
    }

    fn __richcmp__(&self, py: Python<'_>, other: &Bound<'_, PyAny>, op: CompareOp) -> PyResult<Self> {
        let name = match op {
            CompareOp::Lt => "lt",
            CompareOp::Le => "le",
            CompareOp::Eq => "eq",
            CompareOp::Ne => "ne",
            CompareOp::Gt => "gt",
            CompareOp::Ge => "ge",
        };
        self.operator(py, name, &[other])
    }

    fn __hash__(&self) -> u64 {
        self.node.id
    }

    fn __repr__(&self, py: Python<'_>) -> String {
        format!("Delayed('{}')", self.node.key(py))
    }

    /// Marks the class as something that `compute` computes.
    #[getter]
    fn __raskt_delayed__(&self) -> bool {
        true
    }
}

/// The results of a delayed call that gives several, one by one.
#[pyclass(module = "raskt.delayed")]
pub(crate) struct DelayedIterator {
    of: Arc<Node>,
    next: usize,
    length: usize,
}

#[pymethods]
impl DelayedIterator {
    fn __iter__(slf: Py<Self>) -> Py<Self> {
        slf
    }

    fn __next__(&mut self, py: Python<'_>) -> PyResult<Option<Delayed>> {
        if self.next >= self.length {
            return Ok(None);
        }
        let index = self.next.into_pyobject(py)?;
        self.next += 1;
        Delayed { node: self.of.clone() }.operator(py, "getitem", &[index.as_any()]).map(Some)
    }
}

/// A delayed object around `obj`: what `raskt.delayed` does once its arguments are sorted out.
#[pyfunction]
#[pyo3(signature = (obj, name=None, nout=None, traverse=true))]
pub(crate) fn make_delayed(
    obj: &Bound<'_, PyAny>,
    name: Option<String>,
    nout: Option<isize>,
    traverse: bool,
) -> PyResult<Delayed> {
    let outputs = match nout {
        None => None,
        Some(nout) => Some(usize::try_from(nout).map_err(|_| {
            PyValueError::new_err(format!(
                "nout is {nout}; it says how many results a call gives, and can't be negative"
            ))
        })?),
    };
    let argument = Argument::new(obj, traverse)?;
    match argument {
        Argument::Node(node) if name.is_none() && outputs.is_none() => Ok(Delayed { node }),
        argument => Ok(Delayed { node: Node::with(Work::Give(argument), name, outputs) }),
    }
}

/// The block or partition `index` of a collection, delayed.
#[pyfunction]
pub(crate) fn delayed_block(collection: &Bound<'_, PyAny>, index: u64) -> Delayed {
    Delayed { node: Node::new(Work::Block { collection: collection.clone().unbind(), index }) }
}

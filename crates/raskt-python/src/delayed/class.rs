use super::making::DelayedIterator;
use super::{Argument, Extra, Node, Work};
use crate::compute;
use pyo3::exceptions::{PyAttributeError, PyTypeError};
use pyo3::prelude::*;
use pyo3::pyclass::CompareOp;
use pyo3::sync::PyOnceLock;
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
    /// `name` of the module `operator`, applied to this and `others`. Operators are pure: equal ones are one task.
    pub(super) fn operator(&self, py: Python<'_>, name: &str, others: &[&Bound<'_, PyAny>]) -> PyResult<Self> {
        let mut positional = Vec::with_capacity(1 + others.len());
        positional.push(Argument::Node(self.node.clone()));
        for other in others {
            positional.push(Argument::new(other, true)?);
        }
        pure_call(py, operator_function(py, name)?, positional)
    }

    pub(super) fn reflected(&self, py: Python<'_>, name: &str, other: &Bound<'_, PyAny>) -> PyResult<Self> {
        let positional = vec![Argument::new(other, true)?, Argument::Node(self.node.clone())];
        pure_call(py, operator_function(py, name)?, positional)
    }

    /// The function that this is, if it is one and known.
    fn function(&self) -> Option<&Py<PyAny>> {
        match &self.node.work {
            Work::Give(argument) => argument.as_object(),
            _ => None,
        }
    }
}

fn pure_call(py: Python<'_>, function: Py<PyAny>, positional: Vec<Argument>) -> PyResult<Delayed> {
    Ok(Delayed { node: Node::made(Work::call(function, positional, vec![]), Extra::here(py)?, true) })
}

fn operator_function(py: Python<'_>, name: &str) -> PyResult<Py<PyAny>> {
    static MODULE: PyOnceLock<Py<PyModule>> = PyOnceLock::new();
    let module = MODULE.get_or_try_init(py, || py.import("operator").map(Bound::unbind))?;
    Ok(module.bind(py).getattr(name)?.unbind())
}

/// The function [`call`](super::making::call), as Python has it.
fn call_function(py: Python<'_>) -> PyResult<Py<PyAny>> {
    static CALL: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let call = CALL.get_or_try_init(py, || Ok::<_, PyErr>(py.import("raskt._core")?.getattr("call")?.unbind()))?;
    Ok(call.clone_ref(py))
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
        let py = args.py();
        let mut positional = Vec::with_capacity(args.len());
        let (function, outputs) = match self.function() {
            Some(function) => (function.clone_ref(py), self.node.outputs()),
            None => {
                positional.push(Argument::Node(self.node.clone()));
                (call_function(py)?, None)
            }
        };
        for argument in args.iter_borrowed() {
            positional.push(Argument::new(&argument, true)?);
        }
        let mut named = vec![];
        for (name, argument) in kwargs.into_iter().flatten() {
            named.push((name.unbind(), Argument::new(&argument, true)?));
        }
        let is_pure = pure.or_else(|| self.node.calls_are_pure()).unwrap_or(false);
        let extra = Extra { key: raskt_key_name.or(dask_key_name), outputs, ..Extra::here(py)? };
        Ok(Self { node: Node::made(Work::call(function, positional, named), extra, is_pure) })
    }

    /// In a class, a delayed function is a method: it gets the instance.
    fn __get__<'py>(
        slf: &Bound<'py, Self>,
        instance: Option<&Bound<'py, PyAny>>,
        _owner: Option<&Bound<'py, PyAny>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        let py = slf.py();
        let is_function = slf.get().function().is_some_and(|function| function.bind(py).is_callable());
        match instance {
            Some(instance) if is_function && !instance.is_none() => {
                py.import("types")?.getattr("MethodType")?.call1((slf, instance))
            }
            _ => Ok(slf.clone().into_any()),
        }
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

    fn __getattr__<'py>(&self, py: Python<'py>, name: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        let text: String = name.extract()?;
        if text.starts_with('_') {
            return self.of_function(py, &text);
        }
        static GETATTR: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
        let function =
            GETATTR.get_or_try_init(py, || Ok::<_, PyErr>(py.import("builtins")?.getattr("getattr")?.unbind()))?;
        let name = Argument::Object(name.clone().unbind());
        let call = pure_call(py, function.clone_ref(py), vec![Argument::Node(self.node.clone()), name])?;
        Ok(Bound::new(py, call)?.into_any())
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
        match slf.get().node.outputs() {
            Some(length) => Ok(DelayedIterator { of: slf.get().node.clone(), next: 0, length }),
            None => Err(PyTypeError::new_err(
                "a delayed object of unknown length can't be iterated; say how many results it gives: delayed(f, nout=2)",
            )),
        }
    }

    fn __len__(&self) -> PyResult<usize> {
        self.node.outputs().ok_or_else(|| {
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

    /// What is said of an object that is only given is pickled with it; of others, the graph of calls.
    fn __reduce_ex__<'py>(&self, py: Python<'py>, _protocol: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
        super::pickled::reduce(py, &self.node)
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

impl Delayed {
    /// What is said of a function by a name with underscores: its own name, signature and documentation can be had.
    fn of_function<'py>(&self, py: Python<'py>, name: &str) -> PyResult<Bound<'py, PyAny>> {
        if let Some(function) = self.function()
            && function.bind(py).is_callable()
        {
            match name {
                "__wrapped__" => return Ok(function.bind(py).clone()),
                "__name__" | "__qualname__" => return function.bind(py).getattr(name),
                _ => {}
            }
        }
        // Protocols are probed for by such names; a delayed object must not seem to fulfil them all.
        let message = format!("a delayed object has no attribute {name:?}: names with an underscore are not delayed");
        Err(PyAttributeError::new_err(message))
    }
}

//! The classes of `dask._task_spec`, in which Dask writes tasks.

use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::PyType;

/// What an object means where Dask looks for tasks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Nothing to Dask: it is passed on as it is.
    Plain,
    /// The result of another task.
    Reference,
    /// Somebody else's future: the result of another task in graphs of tuples, plain elsewhere.
    Future,
    /// A call.
    Task,
    /// Another name of a task.
    Alias,
    /// An object under a name.
    Data,
    /// A list to be built.
    List,
    /// A tuple to be built.
    Tuple,
    /// A set to be built.
    Set,
    /// A dictionary to be built, from its keys and values in turn.
    Dict,
    /// A task of a class that isn't Dask's: it is called with the results that it reads.
    Node,
}

/// Dask's classes, and its functions that have a meaning of their own.
pub(super) struct Spec {
    exact: Vec<(Py<PyType>, Kind)>,
    node: Py<PyType>,
    reference: Py<PyType>,
    /// Runs the graph within a fused task.
    pub execute_subgraph: Py<PyAny>,
    /// Builds a container of the type `typ`.
    pub identity_cast: Py<PyAny>,
    /// Turns a tuple of the old form, and whatever it holds, into tasks.
    pub convert_legacy_task: Py<PyAny>,
}

impl Spec {
    /// Dask's classes, looked up once.
    pub fn get(py: Python<'_>) -> PyResult<&'static Self> {
        static SPEC: PyOnceLock<Spec> = PyOnceLock::new();
        SPEC.get_or_try_init(py, || Self::new(py))
    }

    fn new(py: Python<'_>) -> PyResult<Self> {
        let module = py.import("dask._task_spec")?;
        let class = |name: &str| -> PyResult<Py<PyType>> { Ok(module.getattr(name)?.cast_into::<PyType>()?.unbind()) };
        let function = |name: &str| -> PyResult<Py<PyAny>> { Ok(module.getattr(name)?.unbind()) };
        let named = [
            ("TaskRef", Kind::Reference),
            ("Task", Kind::Task),
            ("List", Kind::List),
            ("Alias", Kind::Alias),
            ("DataNode", Kind::Data),
            ("Dict", Kind::Dict),
            ("Tuple", Kind::Tuple),
            ("Set", Kind::Set),
        ];
        let exact = named.iter().map(|&(name, kind)| Ok((class(name)?, kind))).collect::<PyResult<_>>()?;
        Ok(Self {
            exact,
            node: class("GraphNode")?,
            reference: class("TaskRef")?,
            execute_subgraph: function("_execute_subgraph")?,
            identity_cast: function("_identity_cast")?,
            convert_legacy_task: function("convert_legacy_task")?,
        })
    }

    /// What objects of `class` mean.
    pub fn kind(&self, class: &Bound<'_, PyType>) -> PyResult<Kind> {
        let py = class.py();
        if let Some((_, kind)) = self.exact.iter().find(|(known, _)| class.is(known)) {
            Ok(*kind)
        } else if class.is_subclass(self.node.bind(py))? {
            Ok(Kind::Node)
        } else if class.is_subclass(self.reference.bind(py))? {
            Ok(Kind::Reference)
        } else if class.getattr_opt("__dask_future__")?.is_some_and(|mark| mark.is_truthy().unwrap_or(false)) {
            Ok(Kind::Future)
        } else {
            Ok(Kind::Plain)
        }
    }
}

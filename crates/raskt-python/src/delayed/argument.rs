use super::container::{Container, Shape};
use super::kind::{Kind, kind_of};
use super::{Delayed, Node};
use crate::array::numpy_from_chunk;
use crate::futures::future_node;
use crate::object::Object;
use pyo3::exceptions::PyRecursionError;
use pyo3::prelude::*;
use raskt_value::Value;
use std::sync::Arc;

/// An argument of a delayed call. Containers are taken apart only where something delayed is in them.
///
/// A million calls are a million of these and more, so it is two words and what is rare lies behind a pointer.
pub(crate) enum Argument {
    /// Passed on as it is.
    Object(Py<PyAny>),
    /// The result of another call.
    Node(Arc<Node>),
    /// The result of computing a collection: the object that users hold.
    Collection(Py<PyAny>),
    /// A collection of another library, by its protocol: only what is asked for directly stands here.
    Foreign(Box<Foreign>),
    /// A list, a dict, a dataclass… with something delayed in it.
    Container(Box<Container>),
}

/// A collection of another library.
pub(crate) struct Foreign {
    /// Gives the values of all its keys, as a list.
    pub values: Arc<Node>,
    /// The `raskt._protocol.Collection` that makes results of them.
    pub collection: Py<PyAny>,
}

/// Containers in containers are followed this far.
const DEPTH: usize = 200;

/// How arguments are taken apart.
#[derive(Clone, Copy)]
struct Taking {
    traverse: bool,
    /// Whether collections of other libraries stay what they are, since it is they that are asked for.
    asked: bool,
    /// Whether what derives from a container is taken apart as well.
    derived: bool,
}

impl Argument {
    /// Takes `object` apart, into containers only if `traverse`.
    pub fn new(object: &Bound<'_, PyAny>, traverse: bool) -> PyResult<Self> {
        Taking { traverse, asked: false, derived: false }.take(object, 0)
    }

    /// Takes apart what a call of a cluster gets: also what derives from lists, tuples, sets and dictionaries.
    pub fn of_call(object: &Bound<'_, PyAny>) -> PyResult<Self> {
        Taking { traverse: true, asked: false, derived: true }.take(object, 0)
    }

    /// Takes apart what a user wants to have computed.
    pub fn asked(object: &Bound<'_, PyAny>, traverse: bool) -> PyResult<Self> {
        Taking { traverse, asked: true, derived: false }.take(object, 0)
    }

    /// Whether something in it has to be computed first.
    pub fn is_delayed(&self) -> bool {
        !matches!(self, Self::Object(_))
    }

    pub fn as_object(&self) -> Option<&Py<PyAny>> {
        match self {
            Self::Object(object) => Some(object),
            _ => None,
        }
    }

    /// The call whose result stands in its place, if it is one.
    pub fn as_node(&self) -> Option<&Arc<Node>> {
        match self {
            Self::Node(node) => Some(node),
            Self::Foreign(foreign) => Some(&foreign.values),
            _ => None,
        }
    }

    /// Calls `visit` with each node and each collection in it, in the order in which [`Self::build`] wants their results.
    pub fn for_each_leaf<'a>(&'a self, visit: &mut dyn FnMut(&'a Self)) {
        match self {
            Self::Object(_) => {}
            Self::Node(_) | Self::Collection(_) | Self::Foreign(_) => visit(self),
            Self::Container(container) => container.items.iter().for_each(|item| item.for_each_leaf(visit)),
        }
    }

    /// Calls `visit` with each object in it that is passed on as it is.
    pub fn for_each_object<'a>(&'a self, visit: &mut dyn FnMut(&'a Py<PyAny>)) {
        match self {
            Self::Object(object) => visit(object),
            Self::Node(_) | Self::Collection(_) | Self::Foreign(_) => {}
            Self::Container(container) => container.items.iter().for_each(|item| item.for_each_object(visit)),
        }
    }

    /// The argument with the results of its leaves in their places.
    pub fn build<'py>(
        &self,
        py: Python<'py>,
        results: &mut dyn Iterator<Item = PyResult<Bound<'py, PyAny>>>,
    ) -> PyResult<Bound<'py, PyAny>> {
        match self {
            Self::Object(object) => Ok(object.bind(py).clone()),
            Self::Container(container) => container.build(py, results),
            Self::Node(_) | Self::Collection(_) | Self::Foreign(_) => {
                results.next().expect("there is a result for each leaf, in order")
            }
        }
    }

    /// The same argument with `replace` of each leaf in its place.
    pub fn replaced(&self, py: Python<'_>, replace: &mut dyn FnMut(&Self) -> PyResult<Self>) -> PyResult<Self> {
        match self {
            Self::Object(object) => Ok(Self::Object(object.clone_ref(py))),
            Self::Container(container) => {
                let items = container.items.iter().map(|item| item.replaced(py, replace)).collect::<PyResult<_>>()?;
                Ok(Self::Container(Box::new(Container { shape: container.shape.clone_ref(py), items })))
            }
            leaf => replace(leaf),
        }
    }
}

impl Taking {
    fn take(self, object: &Bound<'_, PyAny>, depth: usize) -> PyResult<Argument> {
        if let Ok(delayed) = object.cast_exact::<Delayed>() {
            return Ok(Argument::Node(delayed.get().node.clone()));
        }
        match kind_of(object)? {
            Kind::Plain => {}
            Kind::Collection => return Ok(Argument::Collection(object.clone().unbind())),
            Kind::Foreign => return self.foreign(object),
            Kind::Future => return Ok(Argument::Node(future_node(object)?)),
            Kind::Iterator if !self.asked => {}
            Kind::ListLike | Kind::SetLike | Kind::DictLike | Kind::TupleLike if !self.derived => {}
            kind if self.traverse => return self.container(object, kind, depth),
            _ => {}
        }
        Ok(Argument::Object(object.clone().unbind()))
    }

    fn container(self, object: &Bound<'_, PyAny>, kind: Kind, depth: usize) -> PyResult<Argument> {
        if depth >= DEPTH {
            return Err(PyRecursionError::new_err(format!(
                "an argument of a delayed call holds containers more than {DEPTH} deep; pass it with traverse=False"
            )));
        }
        let parts = Shape::parts(object, kind)?;
        let mut items = Vec::with_capacity(parts.len());
        // An iterator that was gone through is worth nothing; a list takes its place.
        let mut is_delayed = matches!(kind, Kind::BuiltinIterator | Kind::Iterator);
        for part in parts {
            let item = self.take(&part, depth + 1)?;
            is_delayed |= item.is_delayed();
            items.push(item);
        }
        if is_delayed {
            Ok(Argument::Container(Box::new(Container { shape: Shape::of(object, kind)?, items })))
        } else {
            Ok(Argument::Object(object.clone().unbind()))
        }
    }

    fn foreign(self, object: &Bound<'_, PyAny>) -> PyResult<Argument> {
        let py = object.py();
        let collection = py.import("raskt._protocol")?.getattr("Collection")?.call1((object,))?;
        let node = |name: &str| -> PyResult<Arc<Node>> {
            Ok(collection.getattr(name)?.cast_into::<Delayed>()?.get().node.clone())
        };
        if self.asked {
            let values = node("values")?;
            return Ok(Argument::Foreign(Box::new(Foreign { values, collection: collection.unbind() })));
        }
        Ok(Argument::Node(node("whole")?))
    }
}

/// The Python object that the result of a task is; a block of an array is one of NumPy.
pub(crate) fn python_object<'py>(py: Python<'py>, value: &Value) -> PyResult<Bound<'py, PyAny>> {
    if let Value::Chunk(chunk) = value {
        return numpy_from_chunk(py, chunk.clone());
    }
    let object = Object::of(value).ok_or_else(|| {
        let message =
            format!("a {} of a collection is no result by itself: compute() the collection", value.type_name());
        pyo3::exceptions::PyTypeError::new_err(message)
    })?;
    Ok(object.bind(py).clone())
}

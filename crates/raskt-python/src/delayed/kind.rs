//! What an argument is to us, by its type: remembered, so that arguments are looked at fast.

use crate::cluster::ClusterFuture;
use crate::futures::Future;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::*;
use raskt_sync::RwLock;
use std::collections::BTreeMap;

/// What objects of a type are.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    /// Nothing that is looked into.
    Plain,
    /// A collection of ours.
    Collection,
    /// A collection of another library that follows the protocol.
    Foreign,
    /// What `raskt.futures` gives.
    Future,
    List,
    Tuple,
    Set,
    Dict,
    OrderedDict,
    /// What derives from a list, a set or a dict.
    ListLike,
    SetLike,
    DictLike,
    /// What derives from a tuple, and has no names for its items.
    TupleLike,
    Slice,
    NamedTuple,
    Dataclass,
    /// The iterator of a list, a tuple or a set: it is as good as what it goes over.
    BuiltinIterator,
    /// Any other iterator. It can be gone through once.
    Iterator,
}

pub(super) fn kind_of(object: &Bound<'_, PyAny>) -> PyResult<Kind> {
    let class = object.get_type();
    let address = class.as_ptr() as usize;
    if let Some((_, kind)) = KINDS.read().get(&address) {
        return Ok(*kind);
    }
    // Asked without the lock, since a metaclass may do anything.
    let kind = kind_of_type(&class)?;
    KINDS.write().insert(address, (class.unbind(), kind));
    Ok(kind)
}

/// By the address of the type, which is kept alive so that no other takes its place.
static KINDS: RwLock<BTreeMap<usize, (Py<PyType>, Kind)>> = RwLock::new(BTreeMap::new());

/// Asked of the class, since an object may make up attributes.
fn kind_of_type(class: &Bound<'_, PyType>) -> PyResult<Kind> {
    let py = class.py();
    let exact = [
        (py.get_type::<PyList>(), Kind::List),
        (py.get_type::<PyTuple>(), Kind::Tuple),
        (py.get_type::<PySet>(), Kind::Set),
        (py.get_type::<PyDict>(), Kind::Dict),
        (py.get_type::<PySlice>(), Kind::Slice),
        (py.get_type::<Future>(), Kind::Future),
        (py.get_type::<ClusterFuture>(), Kind::Future),
        (py.import("collections")?.getattr("OrderedDict")?.cast_into()?, Kind::OrderedDict),
        (PyList::empty(py).try_iter()?.get_type(), Kind::BuiltinIterator),
        (PyTuple::empty(py).try_iter()?.get_type(), Kind::BuiltinIterator),
        (PySet::empty(py)?.try_iter()?.get_type(), Kind::BuiltinIterator),
    ];
    if let Some((_, kind)) = exact.iter().find(|(known, _)| known.is(class)) {
        return Ok(*kind);
    }
    // A class of classes has what its instances, which are classes, fulfil.
    if class.is_subclass_of::<PyType>()? {
        return Ok(Kind::Plain);
    }
    if class.hasattr(intern!(py, "__raskt_expr__"))? {
        return Ok(Kind::Collection);
    }
    if class.hasattr(intern!(py, "__dask_graph__"))? && class.hasattr(intern!(py, "__dask_postcompute__"))? {
        return Ok(Kind::Foreign);
    }
    if class.hasattr(intern!(py, "__dataclass_fields__"))? {
        return Ok(Kind::Dataclass);
    }
    if class.hasattr(intern!(py, "__next__"))? && class.hasattr(intern!(py, "__iter__"))? {
        return Ok(Kind::Iterator);
    }
    let is_named = class.is_subclass_of::<PyTuple>()? && class.hasattr(intern!(py, "_make"))?;
    if is_named && class.hasattr(intern!(py, "_fields"))? {
        return Ok(Kind::NamedTuple);
    }
    let bases = [
        (class.is_subclass_of::<PyList>()?, Kind::ListLike),
        (class.is_subclass_of::<PySet>()?, Kind::SetLike),
        (class.is_subclass_of::<PyDict>()?, Kind::DictLike),
        (class.is_subclass_of::<PyTuple>()?, Kind::TupleLike),
    ];
    Ok(bases.iter().find(|(is_one, _)| *is_one).map_or(Kind::Plain, |(_, kind)| *kind))
}

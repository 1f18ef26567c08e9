use super::Argument;
use super::kind::Kind;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::*;

/// A container in an argument, taken apart: it is put together again from the results of what was in it.
pub(crate) struct Container {
    pub shape: Shape,
    /// What is in it: the items of a dict are its keys and values in turn.
    pub items: Vec<Argument>,
}

/// What a container is apart from its items.
pub(crate) enum Shape {
    List,
    Tuple,
    Set,
    Dict,
    OrderedDict,
    Slice,
    /// By its class.
    NamedTuple(Py<PyAny>),
    /// By an instance, of which copies are made.
    Dataclass(Py<PyAny>),
    /// What derives from a list, a set or a dict: by an empty one of it.
    ListLike(Py<PyAny>),
    SetLike(Py<PyAny>),
    DictLike(Py<PyAny>),
}

type Results<'a, 'py> = &'a mut dyn Iterator<Item = PyResult<Bound<'py, PyAny>>>;

impl Container {
    pub fn build<'py>(&self, py: Python<'py>, results: Results<'_, 'py>) -> PyResult<Bound<'py, PyAny>> {
        let mut items = self.items.iter().map(|item| item.build(py, results)).collect::<PyResult<Vec<_>>>()?;
        Ok(match &self.shape {
            Shape::List => PyList::new(py, items)?.into_any(),
            Shape::Tuple => PyTuple::new(py, items)?.into_any(),
            Shape::Set => PySet::new(py, items)?.into_any(),
            Shape::Slice => py.get_type::<PySlice>().call1(PyTuple::new(py, items)?)?,
            Shape::NamedTuple(class) => class.bind(py).call_method1(intern!(py, "_make"), (items,))?,
            Shape::Dict | Shape::OrderedDict | Shape::DictLike(_) => {
                let dict = match &self.shape {
                    Shape::DictLike(empty) => copied(empty.bind(py))?,
                    Shape::OrderedDict => py.import("collections")?.call_method0("OrderedDict")?,
                    _ => PyDict::new(py).into_any(),
                };
                let mut items = items.drain(..);
                while let (Some(key), Some(value)) = (items.next(), items.next()) {
                    dict.set_item(key, value)?;
                }
                dict
            }
            Shape::ListLike(empty) => {
                let list = copied(empty.bind(py))?;
                list.call_method1(intern!(py, "extend"), (items,))?;
                list
            }
            Shape::SetLike(empty) => {
                let set = copied(empty.bind(py))?;
                set.call_method1(intern!(py, "update"), (items,))?;
                set
            }
            Shape::Dataclass(like) => {
                let like = like.bind(py);
                let copy = copied(like)?;
                // The way of frozen dataclasses themselves: `__init__` may want other arguments than there are fields.
                let set = py.get_type::<PyAny>().getattr(intern!(py, "__setattr__"))?;
                for (name, item) in fields(like)?.into_iter().zip(items) {
                    set.call1((&copy, name, item))?;
                }
                copy
            }
        })
    }
}

impl Shape {
    pub fn of(object: &Bound<'_, PyAny>, kind: Kind) -> PyResult<Self> {
        Ok(match kind {
            Kind::ListLike => emptied(object)?.map_or(Self::List, Self::ListLike),
            Kind::SetLike => emptied(object)?.map_or(Self::Set, Self::SetLike),
            Kind::DictLike => emptied(object)?.map_or(Self::Dict, Self::DictLike),
            Kind::Tuple | Kind::TupleLike => Self::Tuple,
            Kind::Set => Self::Set,
            Kind::Dict => Self::Dict,
            Kind::OrderedDict => Self::OrderedDict,
            Kind::Slice => Self::Slice,
            Kind::NamedTuple => Self::NamedTuple(object.get_type().into_any().unbind()),
            Kind::Dataclass => Self::Dataclass(object.clone().unbind()),
            Kind::List
            | Kind::Plain
            | Kind::Collection
            | Kind::Foreign
            | Kind::Future
            | Kind::BuiltinIterator
            | Kind::Iterator => Self::List,
        })
    }

    /// What is in `object`, in the order in which [`Container::build`] puts it back.
    pub fn parts<'py>(object: &Bound<'py, PyAny>, kind: Kind) -> PyResult<Vec<Bound<'py, PyAny>>> {
        let py = object.py();
        Ok(match kind {
            Kind::List
            | Kind::Tuple
            | Kind::Set
            | Kind::NamedTuple
            | Kind::ListLike
            | Kind::SetLike
            | Kind::TupleLike
            | Kind::BuiltinIterator
            | Kind::Iterator => object.try_iter()?.collect::<PyResult<_>>()?,
            // By its own order: where items were moved, the dict that it is built on has another.
            Kind::OrderedDict | Kind::DictLike => {
                let mut parts = vec![];
                for pair in object.call_method0(intern!(py, "items"))?.try_iter()? {
                    parts.extend(pair?.cast::<PyTuple>()?.iter());
                }
                parts
            }
            Kind::Dict => object.cast::<PyDict>()?.iter().flat_map(|(key, value)| [key, value]).collect(),
            Kind::Slice => {
                let names = [intern!(py, "start"), intern!(py, "stop"), intern!(py, "step")];
                names.into_iter().map(|name| object.getattr(name)).collect::<PyResult<_>>()?
            }
            Kind::Dataclass => fields(object)?.into_iter().map(|name| object.getattr(name)).collect::<PyResult<_>>()?,
            _ => vec![],
        })
    }

    pub fn clone_ref(&self, py: Python<'_>) -> Self {
        match self {
            Self::List => Self::List,
            Self::Tuple => Self::Tuple,
            Self::Set => Self::Set,
            Self::Dict => Self::Dict,
            Self::OrderedDict => Self::OrderedDict,
            Self::Slice => Self::Slice,
            Self::NamedTuple(class) => Self::NamedTuple(class.clone_ref(py)),
            Self::Dataclass(like) => Self::Dataclass(like.clone_ref(py)),
            Self::ListLike(empty) => Self::ListLike(empty.clone_ref(py)),
            Self::SetLike(empty) => Self::SetLike(empty.clone_ref(py)),
            Self::DictLike(empty) => Self::DictLike(empty.clone_ref(py)),
        }
    }

    /// Tells it from others in a token.
    pub fn tag(&self) -> u8 {
        match self {
            Self::List => b'l',
            Self::Tuple => b't',
            Self::Set => b's',
            Self::Dict => b'd',
            Self::OrderedDict => b'o',
            Self::Slice => b':',
            Self::NamedTuple(_) => b'N',
            Self::Dataclass(_) => b'D',
            Self::ListLike(_) => b'L',
            Self::SetLike(_) => b'S',
            Self::DictLike(_) => b'M',
        }
    }

    /// The Python object that belongs to it, if one does.
    pub fn object(&self) -> Option<&Py<PyAny>> {
        match self {
            Self::NamedTuple(object)
            | Self::Dataclass(object)
            | Self::ListLike(object)
            | Self::SetLike(object)
            | Self::DictLike(object) => Some(object),
            _ => None,
        }
    }
}

/// The names of the fields of a dataclass that this instance has. Class variables are none of them.
fn fields<'py>(object: &Bound<'py, PyAny>) -> PyResult<Vec<Bound<'py, PyString>>> {
    let py = object.py();
    let found = py.import("dataclasses")?.call_method1("fields", (object,))?;
    let mut names = vec![];
    for field in found.try_iter()? {
        let name = field?.getattr(intern!(py, "name"))?.cast_into::<PyString>()?;
        if object.hasattr(&name)? {
            names.push(name);
        }
    }
    Ok(names)
}

fn copied<'py>(object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    object.py().import("copy")?.call_method1("copy", (object,))
}

/// What derives from a list, a set or a dict, with nothing in it; nothing where that can't be made, as of what refuses to be changed.
fn emptied(object: &Bound<'_, PyAny>) -> PyResult<Option<Py<PyAny>>> {
    let py = object.py();
    let made = || -> PyResult<Option<Py<PyAny>>> {
        let copy = copied(object)?;
        // It may be the object itself, or something else altogether.
        if copy.is(object) || !copy.get_type().is(object.get_type()) {
            return Ok(None);
        }
        copy.call_method0(intern!(py, "clear"))?;
        Ok((copy.len()? == 0).then(|| copy.unbind()))
    };
    match made() {
        Err(error) if !error.is_instance_of::<pyo3::exceptions::PyException>(py) => Err(error),
        made => Ok(made.unwrap_or(None)),
    }
}

//! From Dask's objects to parts.

use super::fused::Fused;
use super::keys::Keys;
use super::node::Node;
use super::part::{Call, Container, Named, Part, Positional};
use super::spec::{Kind, Spec};
use hashbrown::HashMap;
use pyo3::exceptions::{PyRecursionError, PyValueError};
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::*;
use std::sync::Arc;

/// Reads nodes, and remembers what is worth remembering between them.
pub(super) struct Nodes<'py> {
    pub(super) py: Python<'py>,
    pub(super) spec: &'static Spec,
    /// By the address of the class, which an object that is looked at keeps alive.
    kinds: HashMap<usize, (Bound<'py, PyType>, Kind)>,
    /// By the addresses of what they were made from.
    pub fused: HashMap<(usize, usize, usize), Arc<Fused>>,
    /// The whole graph: strings, numbers and tuples in tasks of the old form may be keys of it.
    pub(super) graph: Bound<'py, PyDict>,
    /// Results that are there already, by key.
    pub(super) cache: Option<Bound<'py, PyAny>>,
    /// Nothing of a cluster can be in the graph unless its package was imported.
    may_need_cluster: bool,
    /// Tasks run in other processes: each is sent as the object that it is.
    is_sent: bool,
    depth: usize,
}

/// Tasks within tasks are followed this far.
const DEPTH: usize = 400;

impl<'py> Nodes<'py> {
    pub fn new(graph: Bound<'py, PyDict>, cache: Option<Bound<'py, PyAny>>, is_sent: bool) -> PyResult<Self> {
        let py = graph.py();
        let may_need_cluster = py.import("sys")?.getattr("modules")?.contains("distributed.shuffle")?;
        let (kinds, fused) = (HashMap::new(), HashMap::new());
        Ok(Self { py, spec: Spec::get(py)?, kinds, fused, graph, cache, may_need_cluster, is_sent, depth: 0 })
    }

    /// What the graph or the cache has under `key`, which has `number`.
    pub fn find(&mut self, key: &Bound<'py, PyAny>, number: u32, keys: &mut Keys<'py>) -> PyResult<Node> {
        if let Some(cache) = &self.cache
            && cache.contains(key)?
        {
            return Ok(Node::Data(cache.get_item(key)?.unbind()));
        }
        let Some(object) = self.graph.get_item(key)? else { return Ok(Node::Missing) };
        match self.node(&object, keys)? {
            // A key that stands for itself is one that somebody else was to give.
            Node::Alias(target) if target == number => Ok(Node::Missing),
            node => Ok(node),
        }
    }

    pub(super) fn kind(&mut self, object: &Bound<'py, PyAny>) -> PyResult<Kind> {
        let class = object.get_type();
        let address = class.as_ptr() as usize;
        if let Some((_, kind)) = self.kinds.get(&address) {
            return Ok(*kind);
        }
        let kind = self.spec.kind(&class)?;
        self.kinds.insert(address, (class, kind));
        Ok(kind)
    }

    /// What an object means that stands in the graph under a key.
    fn node(&mut self, object: &Bound<'py, PyAny>, keys: &mut Keys<'py>) -> PyResult<Node> {
        match self.kind(object)? {
            Kind::Plain => {
                let mut reads = vec![];
                let part = self.legacy_part(object, &mut Reads { keys, numbers: &mut reads })?;
                Ok(match part {
                    Part::Given(object) => Node::Data(object),
                    Part::Read(_) => Node::Alias(reads[0]),
                    part => Node::Task { part, reads },
                })
            }
            Kind::Future => Ok(Node::Alias(keys.number(&object.getattr(intern!(self.py, "key"))?)?)),
            Kind::Alias | Kind::Data => self.inner_node(object, keys),
            _ if self.is_sent => {
                if let Some(function) = object.getattr_opt(intern!(self.py, "func"))? {
                    self.refuse_cluster(&function)?;
                }
                let mut reads = vec![];
                let part = self.foreign(object, &mut Reads { keys, numbers: &mut reads })?;
                Ok(Node::Task { part, reads })
            }
            _ => self.inner_node(object, keys),
        }
    }

    /// What stands under a key in the graph of a fused task, where there are no tasks of the old form.
    pub fn inner_node(&mut self, object: &Bound<'py, PyAny>, keys: &mut Keys<'py>) -> PyResult<Node> {
        let mut reads = vec![];
        match self.part(object, &mut Reads { keys, numbers: &mut reads })? {
            Part::Given(object) => Ok(Node::Data(object)),
            Part::Read(_) => Ok(Node::Alias(reads[0])),
            part => Ok(Node::Task { part, reads }),
        }
    }

    /// An argument of a task: only objects of Dask's own have a meaning.
    pub(super) fn part(&mut self, object: &Bound<'py, PyAny>, reads: &mut Reads<'_, 'py>) -> PyResult<Part> {
        let kind = self.kind(object)?;
        match kind {
            Kind::Plain | Kind::Future => Ok(Part::Given(object.clone().unbind())),
            Kind::Reference => reads.part(&object.getattr(intern!(self.py, "key"))?),
            Kind::Alias => reads.part(&object.getattr(intern!(self.py, "target"))?),
            Kind::Data => Ok(Part::Given(object.getattr(intern!(self.py, "value"))?.unbind())),
            Kind::Task => self.deeper(|this| this.task(object, reads)),
            Kind::List => self.container(Container::List, object, reads),
            Kind::Tuple => self.container(Container::Tuple, object, reads),
            Kind::Set => self.container(Container::Set, object, reads),
            Kind::Dict => self.container(Container::Dict, object, reads),
            Kind::Node => self.foreign(object, reads),
        }
    }

    fn container(
        &mut self,
        container: Container,
        object: &Bound<'py, PyAny>,
        reads: &mut Reads<'_, 'py>,
    ) -> PyResult<Part> {
        let items = object.getattr(intern!(self.py, "args"))?.cast_into::<PyTuple>()?;
        let parts = self.deeper(|this| items.iter().map(|item| this.part(&item, reads)).collect())?;
        Ok(Part::Container(container, parts))
    }

    fn task(&mut self, task: &Bound<'py, PyAny>, reads: &mut Reads<'_, 'py>) -> PyResult<Part> {
        let py = self.py;
        let function = task.getattr(intern!(py, "func"))?;
        let positional = task.getattr(intern!(py, "args"))?.cast_into::<PyTuple>()?;
        let named = task.getattr(intern!(py, "kwargs"))?.cast_into::<PyDict>()?;
        if function.is(&self.spec.execute_subgraph) && named.is_empty() && positional.len() >= 3 {
            return self.fused_task(&positional, reads);
        }
        if function.is(&self.spec.identity_cast)
            && let Some(container) = container_of(&named)?
        {
            let parts = positional.iter().map(|item| self.part(&item, reads)).collect::<PyResult<_>>()?;
            return Ok(Part::Container(container, parts));
        }
        self.refuse_cluster(&function)?;
        let positional = if self.are_plain(positional.iter_borrowed().map(|item| item.to_owned()))? {
            Positional::Given(positional.unbind())
        } else {
            Positional::Parts(positional.iter().map(|item| self.part(&item, reads)).collect::<PyResult<_>>()?)
        };
        let named = if named.is_empty() {
            Named::Given(None)
        } else if self.are_plain(named.values().iter())? {
            Named::Given(Some(named.unbind()))
        } else {
            let part = |(name, value): (Bound<'py, PyAny>, _)| Ok((name.unbind(), self.part(&value, reads)?));
            Named::Parts(named.iter().map(part).collect::<PyResult<_>>()?)
        };
        Ok(Part::Call(Box::new(Call { function: function.unbind(), positional, named })))
    }

    fn are_plain(&mut self, mut objects: impl Iterator<Item = Bound<'py, PyAny>>) -> PyResult<bool> {
        objects.try_fold(true, |plain, object| Ok(plain && self.kind(&object)? == Kind::Plain))
    }

    fn fused_task(&mut self, arguments: &Bound<'py, PyTuple>, reads: &mut Reads<'_, 'py>) -> PyResult<Part> {
        let inner = arguments.get_item(0)?.cast_into::<PyDict>()?;
        let inputs = arguments.get_item(2)?.cast_into::<PyTuple>()?;
        let fused = Fused::settled(self, &inner, &arguments.get_item(1)?, &inputs)?;
        let parts = arguments.iter().skip(3).map(|item| self.part(&item, reads)).collect::<PyResult<_>>()?;
        Ok(Part::Fused(fused, parts))
    }

    fn foreign(&mut self, node: &Bound<'py, PyAny>, reads: &mut Reads<'_, 'py>) -> PyResult<Part> {
        self.refuse_cluster(&node.get_type())?;
        let mut found = vec![];
        for key in node.getattr(intern!(self.py, "dependencies"))?.try_iter()? {
            let key = key?;
            found.push((key.clone().unbind(), reads.position(&key)?));
        }
        Ok(Part::Node { node: node.clone().unbind(), reads: found })
    }

    /// Shuffles of Dask's clusters run on the workers of one, and nowhere else.
    pub(super) fn refuse_cluster(&self, function: &Bound<'py, PyAny>) -> PyResult<()> {
        if !self.may_need_cluster {
            return Ok(());
        }
        let module = function.getattr_opt(intern!(self.py, "__module__"))?;
        let module: String = module.and_then(|module| module.extract().ok()).unwrap_or_default();
        if !module.starts_with("distributed.shuffle") {
            return Ok(());
        }
        Err(PyValueError::new_err(
            "the graph shuffles by the method 'p2p', which runs only on a cluster of dask.distributed; \
             say dask.config.set({'dataframe.shuffle.method': 'tasks', 'array.rechunk.method': 'tasks'}) \
             before the collection is made",
        ))
    }

    pub(super) fn deeper<T>(&mut self, read: impl FnOnce(&mut Self) -> PyResult<T>) -> PyResult<T> {
        self.depth += 1;
        if self.depth > DEPTH {
            return Err(PyRecursionError::new_err(format!("a task holds tasks and containers more than {DEPTH} deep")));
        }
        let result = read(self);
        self.depth -= 1;
        result
    }
}

/// What a task reads, by the numbers of keys.
pub(super) struct Reads<'a, 'py> {
    keys: &'a mut Keys<'py>,
    numbers: &'a mut Vec<u32>,
}

impl<'py> Reads<'_, 'py> {
    fn position(&mut self, key: &Bound<'py, PyAny>) -> PyResult<u32> {
        self.numbers.push(self.keys.number(key)?);
        Ok(self.numbers.len() as u32 - 1)
    }

    pub(super) fn part(&mut self, key: &Bound<'py, PyAny>) -> PyResult<Part> {
        self.position(key).map(Part::Read)
    }
}

/// The container that Dask's `_identity_cast` builds with these named arguments.
fn container_of(named: &Bound<'_, PyDict>) -> PyResult<Option<Container>> {
    let py = named.py();
    let Some(class) = named.get_item(intern!(py, "typ"))? else { return Ok(None) };
    if named.len() != 1 {
        return Ok(None);
    }
    let known = [
        (py.get_type::<PyList>(), Container::List),
        (py.get_type::<PyTuple>(), Container::Tuple),
        (py.get_type::<PySet>(), Container::Set),
        (py.get_type::<PyFrozenSet>(), Container::FrozenSet),
    ];
    Ok(known.into_iter().find(|(known, _)| class.is(known)).map(|(_, container)| container))
}

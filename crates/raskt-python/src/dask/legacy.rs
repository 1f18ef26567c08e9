//! Tasks of the old form: tuples that begin with a function.

use super::nodes::{Nodes, Reads};
use super::part::{Call, Container, Named, Part, Positional};
use super::spec::Kind;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::*;

impl<'py> Nodes<'py> {
    /// A value of the old form: a tuple that begins with a function is a task, and keys stand for themselves.
    pub(super) fn legacy_part(&mut self, object: &Bound<'py, PyAny>, reads: &mut Reads<'_, 'py>) -> PyResult<Part> {
        match self.kind(object)? {
            Kind::Plain => {}
            Kind::Future => return reads.part(&object.getattr(intern!(self.py, "key"))?),
            _ => return self.part(object, reads),
        }
        if let Ok(tuple) = object.cast_exact::<PyTuple>()
            && let Ok(function) = tuple.get_item(0)
            && function.is_callable()
        {
            return self.deeper(|this| this.legacy_call(&function, tuple, reads));
        }
        if self.is_key(object)? {
            return reads.part(object);
        }
        if let Ok(list) = object.cast_exact::<PyList>() {
            self.legacy_container(Container::List, list.iter(), reads)
        } else if let Ok(tuple) = object.cast_exact::<PyTuple>() {
            self.legacy_container(Container::Tuple, tuple.iter(), reads)
        } else if let Ok(set) = object.cast_exact::<PySet>() {
            self.legacy_container(Container::Set, set.iter(), reads)
        } else if let Ok(set) = object.cast_exact::<PyFrozenSet>() {
            self.legacy_container(Container::FrozenSet, set.iter(), reads)
        } else if is_container(object) {
            // A named tuple, or another class of containers: Dask knows how to build one.
            let convert = self.spec.convert_legacy_task.bind(self.py);
            let converted = convert.call1((self.py.None(), object, &self.graph))?;
            if self.kind(&converted)? == Kind::Plain {
                Ok(Part::Given(converted.unbind()))
            } else {
                self.part(&converted, reads)
            }
        } else {
            Ok(Part::Given(object.clone().unbind()))
        }
    }

    fn legacy_call(
        &mut self,
        function: &Bound<'py, PyAny>,
        task: &Bound<'py, PyTuple>,
        reads: &mut Reads<'_, 'py>,
    ) -> PyResult<Part> {
        self.refuse_cluster(function)?;
        let mut parts = Vec::with_capacity(task.len() - 1);
        for argument in task.iter().skip(1) {
            parts.push(match argument.cast::<PyDict>() {
                // Within dictionaries keys don't stand for themselves.
                Ok(dict) => {
                    let items = dict.iter().flat_map(|(key, value)| [key, value]);
                    let parts = items.map(|item| self.part(&item, reads)).collect::<PyResult<_>>()?;
                    Part::Container(Container::Dict, parts)
                }
                Err(_) => self.legacy_part(&argument, reads)?,
            });
        }
        let (positional, named) = (Positional::Parts(parts), Named::Given(None));
        Ok(Part::Call(Box::new(Call { function: function.clone().unbind(), positional, named })))
    }

    fn legacy_container(
        &mut self,
        container: Container,
        items: impl Iterator<Item = Bound<'py, PyAny>>,
        reads: &mut Reads<'_, 'py>,
    ) -> PyResult<Part> {
        let mut items = items;
        let parts: Vec<Part> =
            self.deeper(|this| items.by_ref().map(|item| this.legacy_part(&item, reads)).collect())?;
        let given = |part: &Part| match part {
            Part::Given(object) => Some(object.bind(self.py).clone()),
            _ => None,
        };
        match parts.iter().map(given).collect::<Option<Vec<_>>>() {
            Some(objects) => Ok(Part::Given(container.build(self.py, objects)?.unbind())),
            None => Ok(Part::Container(container, parts)),
        }
    }

    /// Whether `object` is a key of the graph, as far as Dask lets its like be keys in tasks of the old form.
    fn is_key(&self, object: &Bound<'py, PyAny>) -> PyResult<bool> {
        let may_be = object.is_instance_of::<PyString>()
            || object.is_instance_of::<PyTuple>()
            || object.is_instance_of::<PyInt>()
            || object.is_instance_of::<PyFloat>();
        if !may_be {
            return Ok(false);
        }
        let found = self.graph.contains(object).and_then(|found| match &self.cache {
            Some(cache) if !found => cache.contains(object),
            _ => Ok(found),
        });
        match found {
            // What can't be hashed is no key.
            Err(error) if error.is_instance_of::<PyTypeError>(self.py) => Ok(false),
            found => found,
        }
    }
}

fn is_container(object: &Bound<'_, PyAny>) -> bool {
    object.is_instance_of::<PyList>()
        || object.is_instance_of::<PyTuple>()
        || object.is_instance_of::<PySet>()
        || object.is_instance_of::<PyFrozenSet>()
}

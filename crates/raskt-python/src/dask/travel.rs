//! Dask's tasks as they travel.
//!
//! Parts are written as tuples of Python, and pickled for some neighbouring calls at a time: what these have in common, functions
//! above all, is in a pickle once. They are read when one of them is called first. Context variables and callbacks of whoever computes
//! stay with him, as they do in Dask's own clusters.

use super::calls::{Calls, Surroundings, TaskCall};
use super::fused::{Fused, Step};
use super::node::Read;
use super::part::{Call, Container, Named, Part, Positional};
use crate::block::{PythonBlock, own, wire_form};
use crate::travel::{Portable, refuse};
use hashbrown::HashMap;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use pyo3::types::{PyDict, PyList, PyTuple};
use raskt_store::Family;
use raskt_value::Value;
use raskt_value::wire::{WireError, WireForm};
use serde::{Deserialize, Serialize};
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_64;

/// What tells them from other functions that travel.
pub(crate) const CALLS: &str = "raskt.python.dask";
pub(crate) const CALLS_VERSION: u16 = 1;

/// Calls of one pickle.
const TOGETHER: usize = 64;

#[derive(Serialize, Deserialize)]
struct CallsForm {
    /// Pickles of the inner graphs of fused tasks.
    fused: Vec<Vec<u8>>,
    /// Pickles of lists of so many calls each, the last perhaps of fewer.
    pickles: Vec<Vec<u8>>,
    count: u64,
    /// The keys of the calls, as people see them.
    keys: Vec<String>,
}

/// What `calls` are when they travel.
pub(super) fn wire(py: Python<'_>, calls: &Calls) -> PyResult<WireForm> {
    let mut writing = Writing { py, fused: HashMap::new(), graphs: vec![] };
    let mut pickles = vec![];
    for calls in calls.calls.chunks(TOGETHER) {
        let written = calls.iter().map(|call| writing.call(call)).collect::<PyResult<Vec<_>>>()?;
        let written = PyList::new(py, written)?.into_any();
        let pickle = Portable::from(written.clone().unbind()).dump(py);
        pickles.push(pickle.map_err(|error| refuse(py, "a task of Dask", &[("tasks", &written)], error))?);
    }
    let mut fused = vec![];
    for graph in writing.graphs {
        let pickle = Portable::from(graph.clone().unbind()).dump(py);
        fused.push(pickle.map_err(|error| refuse(py, "a fused task of Dask", &[("steps", &graph)], error))?);
    }
    let keys = (0..calls.calls.len() as u64).map(|at| calls.key(at).unwrap_or_default()).collect();
    let form = CallsForm { fused, pickles, count: calls.calls.len() as u64, keys };
    wire_form(CALLS, CALLS_VERSION, &form)
}

struct Writing<'py> {
    py: Python<'py>,
    /// Where the inner graph of a fused task stands, by its address.
    fused: HashMap<usize, u32>,
    graphs: Vec<Bound<'py, PyAny>>,
}

/// The first item of the tuple that a part is written as.
#[derive(Clone, Copy)]
#[repr(u8)]
enum Tag {
    Given,
    Read,
    Call,
    Container,
    Node,
    Fused,
}

impl Tag {
    const ALL: [Self; 6] = [Self::Given, Self::Read, Self::Call, Self::Container, Self::Node, Self::Fused];

    fn of(number: u8) -> PyResult<Self> {
        Self::ALL.get(usize::from(number)).copied().ok_or_else(malformed)
    }
}

const CONTAINERS: [Container; 5] =
    [Container::List, Container::Tuple, Container::Set, Container::FrozenSet, Container::Dict];

impl<'py> Writing<'py> {
    fn call(&mut self, call: &TaskCall) -> PyResult<Bound<'py, PyAny>> {
        let parts = (call.key.bind(self.py), self.part(&call.part)?, self.reads(&call.reads)?);
        Ok(parts.into_pyobject(self.py)?.into_any())
    }

    fn part(&mut self, part: &Part) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        let written = match part {
            Part::Given(object) => (Tag::Given as u8, object).into_pyobject(py)?.into_any(),
            Part::Read(position) => (Tag::Read as u8, position).into_pyobject(py)?.into_any(),
            Part::Call(call) => {
                let positional = match &call.positional {
                    Positional::Given(arguments) => arguments.bind(py).clone().into_any(),
                    Positional::Parts(parts) => self.parts(parts)?.into_any(),
                };
                let named = match &call.named {
                    Named::Given(None) => py.None().into_bound(py),
                    Named::Given(Some(arguments)) => arguments.bind(py).clone().into_any(),
                    Named::Parts(parts) => {
                        let pair = |(name, part): &(Py<PyAny>, Part)| {
                            Ok((name.bind(py), self.part(part)?).into_pyobject(py)?.into_any())
                        };
                        let pairs = parts.iter().map(pair).collect::<PyResult<Vec<_>>>()?;
                        PyList::new(py, pairs)?.into_any()
                    }
                };
                (Tag::Call as u8, &call.function, positional, named).into_pyobject(py)?.into_any()
            }
            Part::Container(container, parts) => {
                let kind = CONTAINERS.iter().position(|known| known == container).unwrap_or(0);
                (Tag::Container as u8, kind, self.parts(parts)?).into_pyobject(py)?.into_any()
            }
            Part::Node { node, reads } => {
                let reads: Vec<_> = reads.iter().map(|(key, position)| (key.bind(py), *position)).collect();
                (Tag::Node as u8, node, reads).into_pyobject(py)?.into_any()
            }
            Part::Fused(fused, parts) => {
                let at = self.fused(fused)?;
                (Tag::Fused as u8, at, self.parts(parts)?).into_pyobject(py)?.into_any()
            }
        };
        Ok(written)
    }

    fn parts(&mut self, parts: &[Part]) -> PyResult<Bound<'py, PyList>> {
        let written = parts.iter().map(|part| self.part(part)).collect::<PyResult<Vec<_>>>()?;
        PyList::new(self.py, written)
    }

    /// A slot as its number, what is given as a tuple of it.
    fn reads(&self, reads: &[Read]) -> PyResult<Bound<'py, PyList>> {
        let py = self.py;
        let read = |read: &Read| self.read(read);
        PyList::new(py, reads.iter().map(read).collect::<PyResult<Vec<_>>>()?)
    }

    fn read(&self, read: &Read) -> PyResult<Bound<'py, PyAny>> {
        let py = self.py;
        Ok(match read {
            Read::Slot(slot) => slot.into_pyobject(py)?.into_any(),
            Read::Given(object) => PyTuple::new(py, [object.bind(py)])?.into_any(),
        })
    }

    fn fused(&mut self, fused: &Arc<Fused>) -> PyResult<u32> {
        let address = Arc::as_ptr(fused) as usize;
        if let Some(&at) = self.fused.get(&address) {
            return Ok(at);
        }
        let py = self.py;
        let mut steps = vec![];
        for Step { part, reads, done_with } in &fused.steps {
            steps.push((self.part(part)?, self.reads(reads)?, done_with.clone()));
        }
        let graph = (steps, self.read(&fused.output)?, fused.inputs).into_pyobject(py)?.into_any();
        // A graph within it has its place before.
        let at = self.graphs.len() as u32;
        self.graphs.push(graph);
        self.fused.insert(address, at);
        Ok(at)
    }
}

/// Calls that have come from another process.
struct SentCalls {
    fused: Box<[(Portable, PyOnceLock<Arc<Fused>>)]>,
    pickles: Box<[(Portable, PyOnceLock<Calls>)]>,
    keys: Vec<String>,
}

/// The calls that have come.
pub(crate) fn decode(form: &WireForm) -> Result<Arc<dyn PythonBlock>, WireError> {
    let CallsForm { fused, pickles, count, keys } = form.read()?;
    if count.div_ceil(TOGETHER as u64) != pickles.len() as u64 || keys.len() as u64 != count {
        return Err(form.malformed(format!("{} pickles and {} keys of {count} calls", pickles.len(), keys.len())));
    }
    let fused = fused.into_iter().map(|pickle| (Portable::sent(pickle), PyOnceLock::new())).collect();
    let pickles = pickles.into_iter().map(|pickle| (Portable::sent(pickle), PyOnceLock::new())).collect();
    Ok(Arc::new(SentCalls { fused, pickles, keys }))
}

impl PythonBlock for SentCalls {
    fn call(&self, py: Python<'_>, index: u64, inputs: &[Value]) -> PyResult<Value> {
        let (pickle, calls) = own(&self.pickles, index / TOGETHER as u64)?;
        let calls = calls.get_or_try_init(py, || self.calls(pickle.bind(py)?))?;
        calls.call(py, index % TOGETHER as u64, inputs)
    }

    fn name(&self) -> String {
        "dask".to_owned()
    }

    fn wire(&self, py: Python<'_>) -> PyResult<WireForm> {
        let fused = self.fused.iter().map(|(pickle, _)| pickle.dump(py)).collect::<PyResult<_>>()?;
        let pickles = self.pickles.iter().map(|(pickle, _)| pickle.dump(py)).collect::<PyResult<_>>()?;
        let form = CallsForm { fused, pickles, count: self.keys.len() as u64, keys: self.keys.clone() };
        wire_form(CALLS, CALLS_VERSION, &form)
    }

    fn key(&self, index: u64) -> Option<String> {
        self.keys.get(index as usize).cloned()
    }

    fn family(&self, index: u64) -> Option<Family> {
        Some(family_of(self.keys.get(index as usize)?))
    }
}

/// Keys begin with the name of the function or operation, and a token or numbers follow: `inc-5f3a…`, `('sum-5f3a…', 0, 1)`, `('x', 0)`,
/// `load-17`. A token is hexadecimal, maybe in several parts.
fn family_of(key: &str) -> Family {
    let name = key.trim_start_matches(['(', '\'', '"']);
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit() || b" )".contains(&byte));
    let is_token = |word: &str| word.len() >= 8 && word.bytes().take(8).all(|byte| byte.is_ascii_hexdigit());
    let words = name.split(['-', ',', '\'', '"']).enumerate();
    let words = words.take_while(|(at, word)| *at == 0 || !(is_token(word) || is_number(word)));
    let words: Vec<&str> = words.map(|(_, word)| word).collect();
    xxh3_64(words.join("-").as_bytes())
}

impl SentCalls {
    fn calls(&self, written: &Bound<'_, PyAny>) -> PyResult<Calls> {
        let calls = written.try_iter()?.map(|call| {
            let (key, part, reads): (Py<PyAny>, Bound<'_, PyAny>, Bound<'_, PyAny>) = call?.extract()?;
            Ok(TaskCall { key, part: self.part(&part)?, reads: reads_of(&reads)?.into() })
        });
        let surroundings = Arc::new(Surroundings { context: None, watch: None });
        Ok(Calls { calls: calls.collect::<PyResult<_>>()?, surroundings })
    }

    fn part(&self, written: &Bound<'_, PyAny>) -> PyResult<Part> {
        let items = written.cast::<PyTuple>()?;
        let tag = Tag::of(items.get_item(0)?.extract()?)?;
        Ok(match tag {
            Tag::Given => Part::Given(items.get_item(1)?.unbind()),
            Tag::Read => Part::Read(items.get_item(1)?.extract()?),
            Tag::Call => {
                let (function, positional, named) = (items.get_item(1)?, items.get_item(2)?, items.get_item(3)?);
                let positional = match positional.cast::<PyTuple>() {
                    Ok(arguments) => Positional::Given(arguments.clone().unbind()),
                    Err(_) => Positional::Parts(self.parts(&positional)?),
                };
                let named = match named.cast::<PyDict>() {
                    Ok(arguments) => Named::Given(Some(arguments.clone().unbind())),
                    Err(_) if named.is_none() => Named::Given(None),
                    Err(_) => Named::Parts(self.named(&named)?),
                };
                Part::Call(Box::new(Call { function: function.unbind(), positional, named }))
            }
            Tag::Container => {
                let kind: usize = items.get_item(1)?.extract()?;
                let kind = CONTAINERS.get(kind).copied().ok_or_else(malformed)?;
                Part::Container(kind, self.parts(&items.get_item(2)?)?)
            }
            Tag::Node => Part::Node { node: items.get_item(1)?.unbind(), reads: items.get_item(2)?.extract()? },
            Tag::Fused => Part::Fused(self.fused(items.get_item(1)?.extract()?)?, self.parts(&items.get_item(2)?)?),
        })
    }

    fn parts(&self, written: &Bound<'_, PyAny>) -> PyResult<Vec<Part>> {
        written.try_iter()?.map(|part| self.part(&part?)).collect()
    }

    fn named(&self, written: &Bound<'_, PyAny>) -> PyResult<Vec<(Py<PyAny>, Part)>> {
        let pairs = written.try_iter()?.map(|pair| {
            let (name, part): (Py<PyAny>, Bound<'_, PyAny>) = pair?.extract()?;
            Ok((name, self.part(&part)?))
        });
        pairs.collect()
    }

    fn fused(&self, at: usize) -> PyResult<Arc<Fused>> {
        let (pickle, fused) = self.fused.get(at).ok_or_else(malformed)?;
        Python::attach(|py| {
            let read = || {
                let (steps, output, inputs): (Vec<Bound<'_, PyAny>>, Bound<'_, PyAny>, usize) =
                    pickle.bind(py)?.extract()?;
                let steps = steps.into_iter().map(|step| {
                    let (part, reads, done_with): (Bound<'_, PyAny>, Bound<'_, PyAny>, Vec<u32>) = step.extract()?;
                    Ok(Step { part: self.part(&part)?, reads: reads_of(&reads)?, done_with })
                });
                Ok(Arc::new(Fused::sent(steps.collect::<PyResult<_>>()?, read_of(&output)?, inputs)))
            };
            fused.get_or_try_init(py, read).cloned()
        })
    }
}

fn reads_of(written: &Bound<'_, PyAny>) -> PyResult<Vec<Read>> {
    written.try_iter()?.map(|read| read_of(&read?)).collect()
}

fn read_of(written: &Bound<'_, PyAny>) -> PyResult<Read> {
    Ok(match written.cast::<PyTuple>() {
        Ok(given) => Read::Given(given.get_item(0)?.unbind()),
        Err(_) => Read::Slot(written.extract()?),
    })
}

fn malformed() -> PyErr {
    PyValueError::new_err("what came as tasks of Dask are none")
}

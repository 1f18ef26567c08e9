//! Pickled collections.
//!
//! A pickled collection is its graph, with the data that it was given, and what says how its results are put together. What is read
//! from a pickle is a collection over that graph: it is computed as it was written, and what is done with it comes after it. What
//! several that were pickled by one process have in common, data, layers and calls, is the same in all of them ([`Identities`]), and
//! is one thing in a graph that has them all.

use super::given::GivenValue;
use super::graph::{Form, Travelling, build, given_body};
use super::identities::Identities;
use super::included::include;
use super::{CollectionForm, identities};
use crate::cluster::within_none;
use crate::collection::Collection;
use crate::error::from_graph_error;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use raskt_graph::{Graph, GraphBuilder, GraphError, LayerId, Lower, Op};
use raskt_sync::Mutex;
use raskt_value::Value;
use serde::{Deserialize, Serialize};
use std::hash::{BuildHasher, RandomState};
use std::io::Read;
use std::sync::Arc;
use xxhash_rust::xxh3::xxh3_128;

/// For each op that gives data what its tasks give.
pub(crate) type Data = Vec<Vec<Py<GivenValue>>>;

/// How a collection is pickled: the function that reads it, and what that gets: forms of the graph and of the collection, and data.
pub(crate) type Reduced<'py> = (Bound<'py, PyAny>, (Bound<'py, PyBytes>, Data));

/// A layer of a graph that was pickled.
struct Pickled {
    graph: Graph,
    identities: Identities,
    layer: LayerId,
}

impl Lower for Pickled {
    fn key(&self) -> u128 {
        self.identities.of_layer(self.layer)
    }

    fn lower(&self, graph: &mut GraphBuilder) -> Result<LayerId, GraphError> {
        include(graph, &self.graph, &self.identities, self.layer)
    }
}

#[derive(Serialize, Deserialize)]
struct Written {
    /// What tells the process that has written it from others: calls that aren't pure are numbered by each process for itself.
    process: Process,
    graph: Form,
    layer: LayerId,
    collection: CollectionForm,
}

/// What tells a process from all others.
pub(super) type Process = [u64; 3];

/// How a collection is pickled.
pub(crate) fn reduce<'py>(py: Python<'py>, collection: &dyn Collection) -> PyResult<Reduced<'py>> {
    let mut graph = GraphBuilder::for_travel();
    let layer = collection.lower(py, &mut graph)?;
    reduce_layer(py, &graph.finish(), layer, collection.form(py)?)
}

/// How the collection is pickled whose results the tasks of a layer give.
pub(crate) fn reduce_layer<'py>(
    py: Python<'py>,
    graph: &Graph,
    layer: LayerId,
    collection: CollectionForm,
) -> PyResult<Reduced<'py>> {
    let graph = told_apart(graph).map_err(from_graph_error)?;
    let travelling = within_none(|| Travelling::of(py, &graph))?;
    let layer = travelling.layer(layer);
    let Travelling { form: graph, given, .. } = travelling;
    let written = Written { process: own_process(), graph, layer, collection };
    let written = postcard::to_stdvec(&written).map_err(|error| PyValueError::new_err(error.to_string()))?;
    let data = given.into_iter().map(|values| GivenValue::all(py, values)).collect::<PyResult<_>>()?;
    Ok((py.import("raskt._core")?.getattr("_collection_of")?, (PyBytes::new(py, &written), data)))
}

/// What tells this process from all others.
pub(super) fn own_process() -> Process {
    static DRAWN: Mutex<Option<(u32, [u64; 2])>> = Mutex::new(None);
    let forks = raskt_store::forks();
    let mut drawn = DRAWN.lock();
    let [one, other] = match *drawn {
        Some((of, words)) if of == forks => words,
        // A fork has inherited all that could be drawn without the system, and its number may be that of another one.
        _ => {
            let words = drawn_words();
            *drawn = Some((forks, words));
            words
        }
    };
    [one, other, u64::from(std::process::id())]
}

fn drawn_words() -> [u64; 2] {
    let mut bytes = [0; 16];
    let read = std::fs::File::open("/dev/urandom").and_then(|mut file| file.read_exact(&mut bytes));
    if read.is_err() {
        return [(); 2].map(|()| RandomState::new().hash_one(std::time::SystemTime::now()));
    }
    let (one, other) = bytes.split_at(8);
    [one, other].map(|word| u64::from_le_bytes(word.try_into().expect("eight bytes")))
}

/// The same graph, with ops that are none of another process: those are told apart by numbers that each process counts by itself, and
/// whoever reads pickles of several puts them into one graph.
fn told_apart(graph: &Graph) -> Result<Graph, GraphError> {
    let process = own_process();
    let mut own = GraphBuilder::new();
    for op in graph.ops() {
        let words = process.iter().flat_map(|word| word.to_le_bytes()).chain(op.digest.to_le_bytes());
        let digest = if op.digest == 0 { 0 } else { xxh3_128(&words.collect::<Vec<u8>>()) };
        own.op(Op { digest, ..op.clone() });
    }
    for (_, layer) in graph.layers() {
        own.layer(layer.clone())?;
    }
    Ok(own.finish())
}

/// The expression of a collection that was pickled.
#[pyfunction(name = "_collection_of")]
pub(crate) fn collection_of<'py>(
    py: Python<'py>,
    written: &Bound<'py, PyBytes>,
    given: Data,
) -> PyResult<Bound<'py, PyAny>> {
    Ok(read(py, written, &given)?.0)
}

/// The same, and how many results it has.
pub(crate) fn read<'py>(
    py: Python<'py>,
    written: &Bound<'py, PyBytes>,
    given: &Data,
) -> PyResult<(Bound<'py, PyAny>, u64)> {
    let malformed = |error: &dyn std::fmt::Display| {
        PyValueError::new_err(format!("what was unpickled is no collection of this version of raskt: {error}"))
    };
    let Written { process, graph, layer, collection } =
        postcard::from_bytes(written.as_bytes()).map_err(|error| malformed(&error))?;
    let (mut data, mut contents): (Vec<Vec<Value>>, Vec<Vec<u128>>) = (vec![], vec![]);
    GivenValue::find(py, given.iter().flatten())?;
    for values in given {
        data.push(values.iter().map(|value| value.get().value().cloned()).collect::<PyResult<_>>()?);
        contents.push(values.iter().map(|value| value.get().content(py)).collect::<PyResult<_>>()?);
    }
    let ops = identities::of_ops(process, graph.ops(), &contents).map_err(|error| malformed(&error))?;
    let graph = build(graph, |at, kind| given_body(data.get(at as usize), kind))?;
    let Some(tasks) = graph.layers().nth(layer.0 as usize).map(|(_, layer)| layer.len()) else {
        return Err(malformed(&"its layer isn't there"));
    };
    if collection.tables().is_some_and(|tables| tables as u64 != tasks) {
        return Err(malformed(&"it has other partitions than there are tables"));
    }
    let identities = Identities::of(&graph, &ops).map_err(|error| malformed(&error))?;
    let graph = identities::told(&graph, &ops).map_err(from_graph_error)?;
    let source = Arc::new(Pickled { graph, identities, layer });
    Ok((collection.stored_here(py)?.collection(py, source)?, tasks))
}

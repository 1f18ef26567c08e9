//! What `with raskt.annotate(...)` says of the work that is written inside.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raskt_graph::Annotations;
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// What was said, checked and in the engine's own words.
#[pyclass(frozen, module = "raskt._core")]
pub(crate) struct AnnotationSet {
    of: Arc<Annotations>,
}

#[pymethods]
impl AnnotationSet {
    #[new]
    #[pyo3(signature = (priority=0, retries=0, resources=BTreeMap::new(), workers=vec![], allow_other_workers=false, other=BTreeMap::new()))]
    fn new(
        priority: i32,
        retries: u32,
        resources: BTreeMap<String, f64>,
        workers: Vec<String>,
        allow_other_workers: bool,
        other: BTreeMap<String, String>,
    ) -> PyResult<Self> {
        check_names("resources", resources.keys())?;
        check_names("workers", &workers)?;
        let thousandths = |(name, amount): (String, f64)| (name.into(), (amount * 1000.0).ceil() as u64);
        let resources = resources.into_iter().map(thousandths).collect();
        Ok(Self { of: Arc::new(Annotations { priority, retries, resources, workers, allow_other_workers, other }) })
    }

    /// Whether nothing is said.
    fn __bool__(&self) -> bool {
        *self.of != Annotations::default()
    }
}

impl AnnotationSet {
    pub fn annotations(&self) -> &Arc<Annotations> {
        &self.of
    }
}

/// Bytes of the name of a worker or resource, and of all that are named at once, at most: they are told in messages.
const NAME_BYTES: usize = 4 << 10;
const NAMES_BYTES: usize = 1 << 20;

fn check_names<'a>(what: &str, names: impl IntoIterator<Item = &'a String>) -> PyResult<()> {
    let mut all = 0;
    for name in names {
        all += name.len();
        if name.len() > NAME_BYTES || all > NAMES_BYTES {
            let longest = name.len();
            return Err(PyValueError::new_err(format!(
                "{what} has a name of {longest} bytes, and {all} with those before it; {NAME_BYTES} and {NAMES_BYTES} may be"
            )));
        }
    }
    Ok(())
}

/// `with` blocks that are open, in all threads together: as long as there is none, nobody need ask Python.
static OPEN: AtomicUsize = AtomicUsize::new(0);

#[pyfunction]
fn annotations_opened() {
    OPEN.fetch_add(1, Ordering::Relaxed);
}

#[pyfunction]
fn annotations_closed() {
    OPEN.fetch_sub(1, Ordering::Relaxed);
}

/// What is said here and now.
pub(crate) fn current(py: Python<'_>) -> PyResult<Option<Arc<Annotations>>> {
    if OPEN.load(Ordering::Relaxed) == 0 {
        return Ok(None);
    }
    static CURRENT: PyOnceLock<Py<PyAny>> = PyOnceLock::new();
    let get = || Ok::<_, PyErr>(py.import("raskt._annotations")?.getattr("current_set")?.unbind());
    let found = CURRENT.get_or_try_init(py, get)?.bind(py).call0()?;
    Ok(found.cast::<AnnotationSet>().ok().map(|set| set.get().of.clone()))
}

pub(crate) fn register(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add_class::<AnnotationSet>()?;
    module.add_function(wrap_pyfunction!(annotations_opened, module)?)?;
    module.add_function(wrap_pyfunction!(annotations_closed, module)?)
}

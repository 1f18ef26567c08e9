//! Refusing what this machine can't hold, before an allocation fails.

use pyo3::exceptions::PyMemoryError;
use pyo3::prelude::*;
use pyo3::sync::PyOnceLock;
use raskt_array::Array;
use raskt_graph::{GraphBuilder, LayerId};

/// An error if the whole array is larger than the memory of this machine.
pub(super) fn check_result(py: Python<'_>, array: &Array) -> PyResult<()> {
    let Some(memory) = physical_memory(py) else { return Ok(()) };
    if let Some(bytes) = array.nbytes().filter(|&bytes| bytes as u64 > memory) {
        return Err(PyMemoryError::new_err(format!(
            "the result `{}` has {}, and this machine has {}: reduce it or store it by blocks",
            array.name(),
            gibibytes(bytes as u64),
            gibibytes(memory)
        )));
    }
    Ok(())
}

/// An error if a block is larger than the memory of this machine: of the array, whose layer is `last`, or of those
/// that come before it.
pub(super) fn check_blocks(py: Python<'_>, graph: &GraphBuilder, last: LayerId) -> PyResult<()> {
    let Some(memory) = physical_memory(py) else { return Ok(()) };
    let layers = (0..=last.0).map(|id| graph.get(LayerId(id)));
    match layers.into_iter().find(|layer| layer.cost.output_bytes > memory) {
        None => Ok(()),
        Some(layer) => Err(PyMemoryError::new_err(format!(
            "a block of `{}` has {}, and this machine has {}: use smaller chunks",
            layer.name,
            gibibytes(layer.cost.output_bytes),
            gibibytes(memory)
        ))),
    }
}

fn gibibytes(bytes: u64) -> String {
    format!("{:.1} GiB", bytes as f64 / f64::from(1 << 30))
}

/// Bytes of memory, where the system says how many there are.
fn physical_memory(py: Python<'_>) -> Option<u64> {
    static MEMORY: PyOnceLock<Option<u64>> = PyOnceLock::new();
    *MEMORY.get_or_init(py, || {
        let sysconf = py.import("os").ok()?.getattr("sysconf").ok()?;
        let value = |name: &str| sysconf.call1((name,)).ok()?.extract::<u64>().ok();
        Some(value("SC_PAGE_SIZE")? * value("SC_PHYS_PAGES")?)
    })
}

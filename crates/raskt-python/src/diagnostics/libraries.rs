use pyo3::prelude::*;
use pyo3::types::PyDict;
use raskt_blas::Library;

/// The file of the library that multiplies matrices, if there is one, and what is known of all that the process has loaded.
#[pyfunction]
pub(super) fn libraries(py: Python<'_>) -> PyResult<(Option<String>, Vec<Bound<'_, PyDict>>)> {
    let best = raskt_blas::best().map(path);
    let all = raskt_blas::libraries().into_iter().map(|library| {
        let about = PyDict::new(py);
        about.set_item("name", library.name())?;
        about.set_item("text", library.text())?;
        about.set_item("path", path(library))?;
        about.set_item("threads", library.threads().get())?;
        about.set_item("integers", library.blas().map(raskt_blas::Blas::bits))?;
        Ok(about)
    });
    Ok((best, all.collect::<PyResult<_>>()?))
}

fn path(library: &Library) -> String {
    library.path().to_string_lossy().into_owned()
}

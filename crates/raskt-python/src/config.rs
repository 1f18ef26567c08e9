//! Settings: the table, the checks and the sources of `raskt-config`, for `raskt/config`.

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBool, PyDict, PyList, PyString, PyTuple};
use raskt_config::{Configuration, Error, Origin, SETTINGS, Setting, Sources, Value};
use std::collections::BTreeMap;
use std::path::PathBuf;

/// The parts of a key as they were written, and its value.
type Entry = (Vec<String>, Py<PyAny>);

/// Reads the settings of files and environment variables, over the defaults.
///
/// Without `paths`, the files are those that the environment names.
#[pyfunction]
#[pyo3(signature = (env, paths=None))]
pub fn config_read(py: Python<'_>, env: BTreeMap<String, String>, paths: Option<Vec<PathBuf>>) -> PyResult<Vec<Entry>> {
    let sources = match paths {
        None => Sources::of_variables(env),
        Some(paths) => {
            let variables = Sources::of_variables(env).without_files();
            paths.into_iter().fold(variables, |sources, path| sources.with_file(path))
        }
    };
    entries(py, &sources.read().map_err(to_python)?)
}

/// Checks one value, and gives it as the setting holds it.
#[pyfunction]
pub fn config_check(py: Python<'_>, key: &str, value: &Bound<'_, PyAny>) -> PyResult<Py<PyAny>> {
    // A program's own setting may hold any object; raskt's own hold numbers, text and None.
    let ours = SETTINGS.iter().find(|setting| setting.key == key.replace('_', "-"));
    let given = match (from_python(value), ours) {
        (Some(given), _) => given,
        (None, Some(setting)) => return Err(to_python(no_setting_holds(value, setting)?)),
        (None, None) => Value::Null,
    };
    let mut configuration = Configuration::default();
    configuration.set(key, given).map_err(to_python)?;
    if ours.is_some() {
        to_object(py, configuration.get(key).unwrap_or(&Value::Null))
    } else {
        Ok(value.clone().unbind())
    }
}

/// The error for an object that no setting can hold.
fn no_setting_holds(value: &Bound<'_, PyAny>, setting: &Setting) -> PyResult<Error> {
    let (shown, kind) = (value.repr()?, value.get_type().name()?);
    Ok(Error::Value {
        key: setting.key.to_owned(),
        value: format!("{shown}, which is of type `{kind}`"),
        allowed: setting.kind.to_string(),
        origin: Origin::Code,
    })
}

fn entries(py: Python<'_>, configuration: &Configuration) -> PyResult<Vec<Entry>> {
    configuration.entries().map(|entry| Ok((entry.key.parts().to_vec(), to_object(py, &entry.value)?))).collect()
}

fn to_python(error: Error) -> PyErr {
    match error {
        Error::Read { .. } => PyOSError::new_err(error.to_string()),
        _ => PyValueError::new_err(error.to_string()),
    }
}

/// The number, text, path or None that the object stands for, or a list of such; NumPy's scalars count as numbers.
fn from_python(value: &Bound<'_, PyAny>) -> Option<Value> {
    if value.is_none() {
        return Some(Value::Null);
    }
    if let Ok(flag) = value.cast::<PyBool>() {
        return Some(Value::Flag(flag.is_true()));
    }
    if let Ok(text) = value.cast::<PyString>() {
        return Some(Value::Text(text.to_string()));
    }
    if value.is_instance_of::<PyList>() || value.is_instance_of::<PyTuple>() {
        let items = value.try_iter().ok()?;
        return items.map(|item| from_python(&item.ok()?)).collect::<Option<_>>().map(Value::List);
    }
    if let Ok(path) = value.call_method0("__fspath__") {
        return path.extract().ok().map(Value::Text);
    }
    let whole = value.extract().ok().map(Value::Integer);
    whole.or_else(|| value.extract().ok().map(Value::Float))
}

fn to_object(py: Python<'_>, value: &Value) -> PyResult<Py<PyAny>> {
    Ok(match value {
        Value::Null => py.None(),
        Value::Flag(flag) => PyBool::new(py, *flag).to_owned().into_any().unbind(),
        Value::Integer(number) => number.into_pyobject(py)?.into_any().unbind(),
        Value::Float(number) => number.into_pyobject(py)?.into_any().unbind(),
        Value::Text(text) => PyString::new(py, text).into_any().unbind(),
        Value::List(items) => {
            let items = items.iter().map(|item| to_object(py, item)).collect::<PyResult<Vec<_>>>()?;
            PyList::new(py, items)?.into_any().unbind()
        }
        Value::Map(items) => {
            let map = PyDict::new(py);
            for (name, item) in items {
                map.set_item(name, to_object(py, item)?)?;
            }
            map.into_any().unbind()
        }
    })
}

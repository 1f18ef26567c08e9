//! Python values as literals of plans.

use crate::error::NotNative;
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use pyo3::types::{IntoPyDict, PyBool, PyDate, PyDateTime, PyDelta, PyFloat, PyInt, PyString};
use raskt_frame::polars::prelude::{TimeUnit, TimeZone};
use raskt_frame::{Domain, DomainClass, Literal};

/// `object` as a literal; TypeError if it is nothing that a column can hold.
pub(super) fn literal(object: &Bound<'_, PyAny>) -> PyResult<Literal> {
    if object.is_none() {
        return Ok(Literal::Missing);
    }
    if let Ok(value) = object.cast::<PyBool>() {
        return Ok(Literal::Bool(value.is_true()));
    }
    if object.is_instance_of::<PyInt>() {
        return integer(object);
    }
    if let Ok(value) = object.cast::<PyFloat>() {
        return Ok(float(value.value()));
    }
    if let Ok(value) = object.cast::<PyString>() {
        return Ok(Literal::Text(value.to_string()));
    }
    time(object).unwrap_or_else(|| other(object))
}

/// The same; a string that meets a column of times is read as a time, as pandas does.
pub(super) fn literal_for(domain: &Domain, object: &Bound<'_, PyAny>) -> PyResult<Literal> {
    let found = match domain.class() {
        DomainClass::Time if object.is_instance_of::<PyString>() => literal(&read_as("Timestamp", object)?)?,
        DomainClass::Duration if object.is_instance_of::<PyString>() => literal(&read_as("Timedelta", object)?)?,
        _ => literal(object)?,
    };
    Ok(found.fitted(&domain.dtype))
}

/// A string as pandas reads it; what it can't read equals no time, and pandas says what else follows from that.
fn read_as<'py>(class: &str, object: &Bound<'py, PyAny>) -> PyResult<Bound<'py, PyAny>> {
    let class = object.py().import("pandas")?.getattr(class)?;
    class.call1((object,)).map_err(|error| NotNative::new_err(error.to_string()))
}

fn integer(object: &Bound<'_, PyAny>) -> PyResult<Literal> {
    match object.extract::<i64>() {
        Ok(value) => Ok(Literal::Int(value)),
        Err(_) => object
            .extract::<u64>()
            .map(Literal::UInt)
            .map_err(|_| NotNative::new_err("an integer of more than 64 bits has no native form")),
    }
}

fn float(value: f64) -> Literal {
    if value.is_nan() { Literal::Missing } else { Literal::Float(value) }
}

/// Points and lengths of time of the standard library and of pandas; `None` for all else.
fn time(object: &Bound<'_, PyAny>) -> Option<PyResult<Literal>> {
    if object.is_instance_of::<PyDateTime>() {
        return Some(datetime(object));
    }
    if object.is_instance_of::<PyDate>() {
        let days = object.call_method0("toordinal").and_then(|days| days.extract::<i32>());
        return Some(days.map(|days| Literal::Date(days - DAYS_TO_1970)));
    }
    object.is_instance_of::<PyDelta>().then(|| duration(object))
}

/// 1970-01-01 as Python numbers days.
const DAYS_TO_1970: i32 = 719_163;

fn datetime(object: &Bound<'_, PyAny>) -> PyResult<Literal> {
    let stamp = object.py().import("pandas")?.getattr("Timestamp")?.call1((object,))?;
    if is_missing(&stamp)? {
        return Ok(Literal::Missing);
    }
    let zone = stamp.getattr("tz")?;
    let zone = if zone.is_none() { None } else { Some(zone.str()?.to_string()) };
    let zone = TimeZone::opt_try_new(zone.as_deref()).map_err(|_| {
        let zone = zone.as_deref().unwrap_or_default();
        NotNative::new_err(format!("times of {zone}, a zone without a name, have no native form: convert them to UTC"))
    })?;
    let (value, unit) = scaled(&stamp)?;
    Ok(Literal::Datetime(value, unit, zone))
}

fn duration(object: &Bound<'_, PyAny>) -> PyResult<Literal> {
    let delta = object.py().import("pandas")?.getattr("Timedelta")?.call1((object,))?;
    if is_missing(&delta)? {
        return Ok(Literal::Missing);
    }
    let (value, unit) = scaled(&delta)?;
    Ok(Literal::Duration(value, unit))
}

/// The number in the object, in its own unit or the next finer one that there is here.
fn scaled(object: &Bound<'_, PyAny>) -> PyResult<(i64, TimeUnit)> {
    let unit: String = object.getattr("unit")?.extract()?;
    let unit = match unit.as_str() {
        "ns" => TimeUnit::Nanoseconds,
        "us" => TimeUnit::Microseconds,
        _ => TimeUnit::Milliseconds,
    };
    let name = match unit {
        TimeUnit::Nanoseconds => "ns",
        TimeUnit::Microseconds => "us",
        TimeUnit::Milliseconds => "ms",
    };
    let value = object.call_method1("as_unit", (name,))?.getattr("_value")?.extract()?;
    Ok((value, unit))
}

fn is_missing(object: &Bound<'_, PyAny>) -> PyResult<bool> {
    let found = object.py().import("pandas")?.getattr("isna")?.call1((object,))?;
    Ok(found.extract().unwrap_or(false))
}

/// NumPy's scalars, and pandas' values for what is missing.
fn other(object: &Bound<'_, PyAny>) -> PyResult<Literal> {
    let class = object.get_type();
    let refused = || {
        let name = class.name().map_or_else(|_| "object".into(), |name| name.to_string());
        PyTypeError::new_err(format!("a column can't be combined with an object of type {name}"))
    };
    let module = class.module().map_err(|_| refused())?.to_string();
    if module.starts_with("pandas") {
        return if is_missing(object)? { Ok(Literal::Missing) } else { Err(refused()) };
    }
    if module != "numpy" || object.getattr("ndim").and_then(|ndim| ndim.extract::<usize>()).unwrap_or(1) != 0 {
        return Err(refused());
    }
    let kind: String = object.getattr("dtype")?.getattr("kind")?.extract()?;
    match kind.as_str() {
        "M" => datetime(object),
        "m" => duration(object),
        "b" | "i" | "u" | "f" | "U" => {
            let item = object.call_method0("item")?;
            // A long double has no number of Python's, and gives itself.
            if item.get_type().is(&class) { Err(refused()) } else { literal(&item) }
        }
        _ => Err(refused()),
    }
}

/// A literal as a Python value: what divisions are told as.
pub(super) fn to_python(py: Python<'_>, literal: &Literal) -> PyResult<Py<PyAny>> {
    Ok(match literal {
        Literal::Missing => py.None(),
        Literal::Bool(value) => value.into_pyobject(py)?.to_owned().into_any().unbind(),
        Literal::Int(value) => value.into_pyobject(py)?.into_any().unbind(),
        Literal::UInt(value) => value.into_pyobject(py)?.into_any().unbind(),
        Literal::Float(value) => value.into_pyobject(py)?.into_any().unbind(),
        Literal::Text(value) => value.into_pyobject(py)?.into_any().unbind(),
        Literal::Datetime(value, unit, zone) => {
            let unit = [("unit", unit.to_ascii())].into_py_dict(py)?;
            let stamp = py.import("pandas")?.getattr("Timestamp")?.call((*value,), Some(&unit))?;
            let stamp = match zone {
                Some(zone) => {
                    stamp.call_method1("tz_localize", ("UTC",))?.call_method1("tz_convert", (zone.as_str(),))?
                }
                None => stamp,
            };
            stamp.unbind()
        }
        Literal::Date(days) => {
            py.import("datetime")?.getattr("date")?.call_method1("fromordinal", (days + DAYS_TO_1970,))?.unbind()
        }
        Literal::Duration(value, unit) => {
            py.import("pandas")?.getattr("Timedelta")?.call1((*value, unit.to_ascii()))?.unbind()
        }
    })
}

//! Results of a cluster in collections that are pickled for it: in functions that it calls, and in what these give. They go by their
//! names, as futures do, and whoever reads the collection holds them. What is read later than the collection itself, as functions of it
//! are, has no names: nobody would hold them until then.

use super::adopted::{Cluster, Origin, Written, adopted_all, cluster_of, is_within, named, within};
use super::here::client_of_workers;
use super::{HeldResult, client_of};
use crate::block::wire_form;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use raskt_value::wire::WireForm;
use raskt_value::{DType, StoredValue, Value};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

const NAMED: &str = "raskt.python.named";
const NAMED_VERSION: u16 = 1;

/// A block's data type and shape.
pub(super) type BlockForm = Option<(DType, Vec<u64>)>;

#[derive(Serialize, Deserialize)]
struct NamedForm {
    name: Written,
    block: BlockForm,
}

/// What stands for a value in the pickle of a collection, if this thread writes for its cluster; else it goes as it is.
pub(crate) fn named_form(py: Python<'_>, value: &Value) -> PyResult<Option<WireForm>> {
    let Some(held) = HeldResult::of(value).filter(|held| is_within(held)) else { return Ok(None) };
    let Some(origin) = named(py, &held)? else { return Ok(None) };
    let form = NamedForm { name: origin.written(), block: block_form(&held) };
    wire_form(NAMED, NAMED_VERSION, &form).map(Some)
}

/// Whether a form stands for a result.
pub(crate) fn is_named_form(form: &WireForm) -> bool {
    form.tag == NAMED
}

/// The results that these forms stand for, held by clients of their clusters.
pub(crate) fn read_named(py: Python<'_>, forms: &[&WireForm]) -> PyResult<Vec<Value>> {
    let mut by_cluster: BTreeMap<Cluster, Vec<(usize, Origin, BlockForm)>> = BTreeMap::new();
    for (at, form) in forms.iter().enumerate() {
        let NamedForm { name, block } = form.read().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let origin = Origin::read(name).ok_or_else(|| PyValueError::new_err("the name of a result can't be read"))?;
        by_cluster.entry(origin.cluster).or_default().push((at, origin, block));
    }
    let mut values = vec![None; forms.len()];
    for (cluster, named) in by_cluster {
        let client = super::future::futures(py, "client_for")?.call1((cluster.as_slice(),))?;
        if client.is_none() {
            return Err(PyRuntimeError::new_err(
                "a collection whose results a cluster holds was read where there is no client of that cluster: make one first",
            ));
        }
        let client = client_of(&client)?;
        client.get().check()?;
        let origins: Vec<Origin> = named.iter().map(|(_, origin, _)| *origin).collect();
        let held = adopted_all(py, client.get().client(), &origins)?;
        for ((at, _, block), held) in named.into_iter().zip(held) {
            as_block(&held, block)?;
            values[at] = Some(held.value());
        }
    }
    Ok(values.into_iter().flatten().collect())
}

/// What is known of a result that is a block.
pub(super) fn block_form(held: &HeldResult) -> BlockForm {
    let (dtype, shape) = held.block()?;
    Some((dtype, shape.iter().map(|&length| length as u64).collect()))
}

/// The same is known of another that stands for it.
pub(super) fn as_block(held: &HeldResult, block: BlockForm) -> PyResult<()> {
    let Some((dtype, shape)) = block else { return Ok(()) };
    let shape = shape.into_iter().map(usize::try_from).collect::<Result<Vec<_>, _>>();
    held.is_block(dtype, shape.map_err(|error| PyValueError::new_err(error.to_string()))?.into());
    Ok(())
}

/// Has `work` write what a task of this process gives, which is a worker and nothing else: that doesn't leave its cluster.
pub(crate) fn within_own<T>(work: impl FnOnce() -> T) -> T {
    within(client_of_workers().and_then(|client| cluster_of(&client)), work)
}

/// Has `work` write what others read some day, when nobody holds what it has names of.
pub(crate) fn within_none<T>(work: impl FnOnce() -> T) -> T {
    within(None, work)
}

//! Results as they are named in pickles, and results of other clients as those of this one, with the interpreter free meanwhile.

use super::HeldResult;
use super::running::from_cluster_error;
use crate::ending::Outside;
use pyo3::prelude::*;
use raskt_cluster::{Client, ClusterError};
use raskt_graph::TaskId;
use raskt_schedule::RunId;
use std::sync::Arc;

use raskt_futures::names;
pub(super) use raskt_futures::names::{Cluster, Origin, Written, cluster_of, is_within, within};

/// What `work` gives that writes for a cluster, with the results whose names it has given away: they have to stay until those who have
/// the names are there.
pub(super) fn noting<T>(client: &Client, work: impl FnOnce() -> PyResult<T>) -> PyResult<(T, Vec<Arc<HeldResult>>)> {
    let cluster = cluster_of(client).filter(|_| client.tasks_are_clients());
    names::noting(|| within(cluster, work))
}

/// The name of a result, by which others of its cluster get it as long as somebody holds it.
pub(super) fn named(py: Python<'_>, held: &Arc<HeldResult>) -> PyResult<Option<Origin>> {
    py.outside(|| names::named(held)).map_err(|error| from_cluster_error(py, &error))
}

/// The result at a place of the cluster of `client`, as one that this client holds.
pub(super) fn adopted(
    py: Python<'_>,
    client: &Arc<Client>,
    place: (RunId, TaskId),
    mark: Option<u64>,
) -> Result<Arc<HeldResult>, ClusterError> {
    py.outside(|| names::adopted(client, place, mark))
}

/// The results of these names, which are of the cluster of `client`, as such that it holds.
pub(super) fn adopted_all(py: Python<'_>, client: &Arc<Client>, origins: &[Origin]) -> PyResult<Vec<Arc<HeldResult>>> {
    py.outside(|| names::adopted_all(client, origins)).map_err(|error| from_cluster_error(py, &error))
}

/// A result of whichever client as one of `client`, if both are of one cluster.
pub(super) fn as_own(
    py: Python<'_>,
    client: &Arc<Client>,
    held: &Arc<HeldResult>,
) -> PyResult<Option<Arc<HeldResult>>> {
    if Arc::ptr_eq(held.client(), client) {
        return Ok(Some(held.clone()));
    }
    py.outside(|| names::as_own(client, held)).map_err(|error| from_cluster_error(py, &error))
}

//! Many results at once.

use crate::held::{HeldResult, ranges_of};
use raskt_cluster::Watch;
use std::collections::HashSet;
use std::sync::Arc;

/// Results, each once, those of each client by themselves.
pub fn by_client(held: &[Arc<HeldResult>]) -> Vec<Vec<Arc<HeldResult>>> {
    let mut groups: Vec<Vec<Arc<HeldResult>>> = vec![];
    let mut known = HashSet::new();
    for result in held.iter().filter(|result| known.insert(Arc::as_ptr(result))) {
        match groups.iter_mut().find(|group| Arc::ptr_eq(group[0].client(), result.client())) {
            Some(group) => group.push(result.clone()),
            None => groups.push(vec![result.clone()]),
        }
    }
    groups
}

/// Watches results of one client.
///
/// # Panics
/// If there are none.
pub fn watch(held: &[Arc<HeldResult>]) -> Watch {
    held[0].client().watch(&ranges_of(held.iter().map(|held| &**held)))
}

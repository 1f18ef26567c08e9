//! Whether a request keeps to the bounds, whatever is there already.

use super::bytes::{Bytes, Name, Value};
use super::error::{CoordinationError, Kind, Quantity};
use super::limits::Limits;
use super::request::Request;
use std::collections::BTreeSet;

type Checked = Result<(), CoordinationError>;

/// Whether a request keeps to the bounds.
pub(super) fn check(request: &Request, limits: &Limits) -> Checked {
    match request {
        Request::AcquireLocks { names, count, .. } => {
            check_names(names, limits)?;
            let len = names.len() as u64;
            let is_right = (1..=len).contains(count);
            malformed(is_right, || format!("{count} of {len} locks can't be asked for: it is one of them at least"))
        }
        Request::ReleaseLocks { names, .. } => check_names(names, limits),
        Request::OpenSemaphore { name, leases } | Request::AcquireLease { name, leases, .. } => {
            check_name(name, limits)?;
            malformed(*leases > 0, || format!("semaphore `{name}` can't have 0 leases: nobody would ever get one"))?;
            at_most(*leases, limits.queue_items, Quantity::Items(Kind::Semaphore))
        }
        Request::RefreshLeases { leases } => {
            at_most(leases.len() as u64, limits.reply_names as u64, Quantity::LeasesAtOnce)?;
            leases.iter().try_for_each(|(name, _)| check_name(name, limits))
        }
        Request::SetVariable { name, value } | Request::Put { name, value, .. } => {
            check_name(name, limits).and_then(|()| check_value(value, limits))
        }
        Request::PublishDataset { name, value, .. } => {
            check_name(name, limits).and_then(|()| check_value(value, limits))
        }
        Request::OpenQueue { name, size } => {
            check_name(name, limits)?;
            let is_right = *size != Some(0);
            malformed(is_right, || format!("queue `{name}` can't have room for 0 items: nothing could be put"))?;
            at_most(size.unwrap_or(0), limits.queue_items, Quantity::Items(Kind::Queue))
        }
        Request::GetMany { name, count, .. } => {
            check_name(name, limits)?;
            at_most(*count, limits.queue_items, Quantity::Items(Kind::Queue))
        }
        Request::SetMetadata { keys, entries } => check_metadata(keys, entries, limits),
        Request::GetMetadata { keys } => check_keys(keys, limits),
        Request::Topics { after } | Request::Datasets { after } => {
            after.iter().try_for_each(|name| check_name(name, limits))
        }
        Request::Locked { name }
        | Request::ReleaseLease { name, .. }
        | Request::Leases { name }
        | Request::CloseSemaphore { name }
        | Request::SetEvent { name }
        | Request::ClearEvent { name }
        | Request::EventIsSet { name }
        | Request::WaitForEvent { name, .. }
        | Request::GetVariable { name, .. }
        | Request::DeleteVariable { name }
        | Request::Get { name, .. }
        | Request::GetAll { name }
        | Request::QueueSize { name }
        | Request::CloseQueue { name }
        | Request::Log { topic: name, .. }
        | Request::EventsOf { topic: name, .. }
        | Request::Subscribe { topic: name, .. }
        | Request::Unsubscribe { topic: name }
        | Request::GetDataset { name }
        | Request::UnpublishDataset { name } => check_name(name, limits),
    }
}

fn check_names(names: &[Name], limits: &Limits) -> Checked {
    at_most(names.len() as u64, limits.locks_at_once as u64, Quantity::LocksAtOnce)?;
    names.iter().try_for_each(|name| check_name(name, limits))?;
    let different: BTreeSet<_> = names.iter().collect();
    malformed(different.len() == names.len(), || "a lock is named twice in one request".into())
}

fn check_name(name: &Name, limits: &Limits) -> Checked {
    at_most(name.len() as u64, limits.name_bytes as u64, Quantity::NameBytes)
}

fn check_value(value: &Value, limits: &Limits) -> Checked {
    at_most(value.bytes.len() as u64, limits.value_bytes as u64, Quantity::ValueBytes)?;
    at_most(value.results.len() as u64, limits.value_results as u64, Quantity::ValueResults)?;
    let is_right = value.results.iter().all(|(_, tasks)| tasks.start <= tasks.end);
    malformed(is_right, || "a value refers to tasks of a range that ends before it begins".into())
}

fn check_keys(keys: &[Name], limits: &Limits) -> Checked {
    at_most(keys.len() as u64, limits.metadata_depth as u64, Quantity::MetadataDepth)?;
    keys.iter().try_for_each(|key| check_name(key, limits))
}

fn check_metadata(keys: &[Name], entries: &[(Vec<Name>, Bytes)], limits: &Limits) -> Checked {
    malformed(!keys.is_empty(), || "metadata is put under a key, and none was given".into())?;
    check_keys(keys, limits)?;
    for (rest, bytes) in entries {
        check_keys(rest, limits)?;
        at_most((keys.len() + rest.len()) as u64, limits.metadata_depth as u64, Quantity::MetadataDepth)?;
        at_most(bytes.len() as u64, limits.value_bytes as u64, Quantity::ValueBytes)?;
    }
    let ways: BTreeSet<_> = entries.iter().map(|(rest, _)| rest).collect();
    let mut pairs = ways.iter().zip(ways.iter().skip(1));
    let is_right = ways.len() == entries.len() && !pairs.any(|(one, next)| next.starts_with(one));
    malformed(is_right, || "metadata puts bytes and further keys under the same key".into())
}

fn at_most(number: u64, most: u64, what: Quantity) -> Checked {
    if number <= most { Ok(()) } else { Err(CoordinationError::TooMany { what, most }) }
}

fn malformed(is_right: bool, why: impl FnOnce() -> String) -> Checked {
    if is_right { Ok(()) } else { Err(CoordinationError::Malformed(why())) }
}

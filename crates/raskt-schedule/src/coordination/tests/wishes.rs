//! What requests ask for, as far as they may have to wait.

use crate::coordination::{Name, Request};

pub fn lease_of(request: &Request) -> Option<&Name> {
    match request {
        Request::AcquireLease { name, .. } => Some(name),
        _ => None,
    }
}

pub fn queue_of(request: &Request) -> Option<&Name> {
    match request {
        Request::Put { name, .. } => Some(name),
        other => wants_of_queue(other).map(|(name, _)| name),
    }
}

pub fn wants_of_queue(request: &Request) -> Option<(&Name, u64)> {
    match request {
        Request::Get { name, .. } => Some((name, 1)),
        Request::GetMany { name, count, .. } => Some((name, *count)),
        _ => None,
    }
}

pub fn timeout_of(request: &Request) -> Option<u64> {
    match request {
        Request::AcquireLocks { timeout, .. }
        | Request::AcquireLease { timeout, .. }
        | Request::WaitForEvent { timeout, .. }
        | Request::GetVariable { timeout, .. }
        | Request::Put { timeout, .. }
        | Request::Get { timeout, .. }
        | Request::GetMany { timeout, .. } => *timeout,
        _ => None,
    }
}

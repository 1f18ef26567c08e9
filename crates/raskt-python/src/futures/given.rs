//! Results that somebody has got and may have let go of since.
//!
//! Into a container that somebody has he may put the future whose result it is. So the future itself holds it then, where the
//! garbage collector sees that. But most are read and let go of: they are to leave memory again.

use super::task::{TakenBack, Task};
use crate::ending::Outside;
use pyo3::prelude::*;
use raskt_sync::Mutex;
use std::collections::VecDeque;
use std::sync::{Arc, Weak};

/// Those of which it isn't known that they are back in the store, each of them once.
static GIVEN: Mutex<VecDeque<Weak<Task>>> = Mutex::new(VecDeque::new());

/// So many that somebody still has are looked at whenever one is given, or something is computed.
const HELD: usize = 4;

/// So many are taken back then, at most: more than come, so that those of futures that are gone go.
const TAKEN: usize = 64;

/// Notes that somebody has got the result of `task`, which was in the store.
pub(super) fn note(task: &Arc<Task>) {
    GIVEN.lock().push_back(Arc::downgrade(task));
}

/// Has the store take back the results of some that nobody else has any more, and make room for all of them at once.
pub(crate) fn look(py: Python<'_>) {
    let (mut held, mut looked, mut entered) = (0, 0, vec![]);
    while held < HELD && looked < TAKEN {
        let next = GIVEN.lock().pop_front();
        let Some(next) = next else { break };
        looked += 1;
        let Some(task) = next.upgrade() else { continue };
        match task.take_back(py) {
            TakenBack::Entered(one) => entered.extend(one),
            TakenBack::Elsewhere => {
                note(&task);
                held += 1;
            }
        }
    }
    let last = entered.pop();
    py.outside(|| drop(entered));
    last.into_iter().for_each(|last| last.make_room(py));
}

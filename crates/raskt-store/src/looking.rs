//! Looks at what the process has, while somebody asks for memory ([`crate::watch`] says when).

use crate::state::State;
use crate::threads::Shared;
use crate::unseen::Unseen;
use std::sync::Arc;

impl Shared {
    /// Looks at what the process has, if it is time. What seems too much may be freed memory, which is given back first.
    pub fn look(self: &Arc<Self>) {
        let Some((at, taken)) = self.watch.taken() else { return };
        let look = |state: &mut State| {
            let excess = taken.saturating_sub(state.broker.known());
            let may_be_freed = state.unseen.bytes == 0 && Unseen::is_suspicious(excess, state.broker.limit());
            if may_be_freed && self.watch.may_trim() {
                state.wants_trim = true;
            } else {
                state.saw_process(at, taken);
            }
        };
        let _ = self.change(look);
    }
}

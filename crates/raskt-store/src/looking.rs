//! Looks at what the process has, while somebody asks for memory and when a task has ended ([`crate::watch`] says when).

use crate::broker::Holder;
use crate::state::State;
use crate::threads::Shared;
use std::sync::Arc;

impl Shared {
    /// Looks at what the process has, if it is time. What seems too much may be freed memory, which is given back first.
    pub fn look(self: &Arc<Self>) {
        let Some((at, taken)) = self.watch.taken() else { return };
        let look = |state: &mut State| {
            let is_news = state.unseen.bytes == 0 || state.broker.is_bound();
            let may_be_freed = is_news && state.is_much(taken);
            if may_be_freed && self.watch.may_trim() {
                state.wants_trim = true;
                return;
            }
            // Who is ended for it has no other do without memory that is free, for however short a time.
            let is_short = state.broker.is_bound() && state.is_much(taken) && taken > state.broker.limit();
            state.wants_purge |= is_short && self.watch.may_purge();
            state.saw_process(at, taken);
        };
        let _ = self.change(look);
    }

    /// A promise is given back. What the process has at the end of a task, before another begins, says what was the task's own.
    pub fn ended(self: &Arc<Self>, holder: Holder) {
        let seen = self.watch.taken_at_end();
        let _ = self.change(|state| {
            let may_be_freed = seen.is_some_and(|(_, taken)| state.may_be_freed(taken));
            let is_trimmed = may_be_freed && self.watch.may_trim();
            state.wants_trim |= is_trimmed;
            state.ended(holder, seen.filter(|_| !is_trimmed));
        });
    }
}

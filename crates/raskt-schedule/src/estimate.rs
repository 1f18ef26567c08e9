use raskt_graph::{LayerId, OpId};
use std::collections::BTreeMap;

/// What a task of an op takes, learned from reports.
#[derive(Debug, Default)]
pub(crate) struct Estimates {
    nanoseconds: BTreeMap<(OpId, LayerId), u64>,
}

impl Estimates {
    /// Nanoseconds of one task; nothing if no task of its kind has been seen and its cost wasn't stated.
    pub fn task(&self, op: OpId, layer: LayerId, stated: u64) -> Option<u64> {
        self.nanoseconds.get(&(op, layer)).copied().or((stated > 0).then_some(stated))
    }

    /// Takes in that `tasks` tasks took `nanoseconds`: half of the estimate is the past, half this report. A slow report
    /// counts at once, so that a stretch of long tasks isn't handed out in long rows.
    pub fn learn(&mut self, op: OpId, layer: LayerId, tasks: u64, nanoseconds: u64) {
        let seen = (nanoseconds / tasks.max(1)).max(1);
        let estimate = self.nanoseconds.entry((op, layer)).or_insert(seen);
        *estimate = if seen > *estimate { seen } else { (*estimate + seen) / 2 };
    }
}

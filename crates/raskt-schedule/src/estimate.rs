//! Times and sizes of tasks, as far as they are known.

use raskt_graph::Cost;

/// What a task of a layer takes, learned from reports.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Estimate {
    nanoseconds: Option<u64>,
    output_bytes: Option<u64>,
}

/// The most nanoseconds that a task is taken to take, so that those of many can be added up: thirteen days.
pub(crate) const LONGEST: u64 = 1 << 50;

/// The most bytes that a result is taken to have, whoever says so: the address space of a machine of today.
pub(crate) const LARGEST: u64 = 1 << 48;

impl Estimate {
    /// Nanoseconds of one task; nothing if none of the layer has been seen and its cost wasn't stated.
    pub fn nanoseconds(&self, stated: &Cost) -> Option<u64> {
        self.nanoseconds.or((stated.nanoseconds > 0).then_some(stated.nanoseconds.min(LONGEST)))
    }

    /// Bytes of one result, as far as they are known.
    pub fn output_bytes(&self, stated: &Cost) -> u64 {
        self.output_bytes.unwrap_or(stated.output_bytes).min(LARGEST)
    }

    /// Bytes that a task needs beside its inputs and its result.
    pub fn scratch_bytes(stated: &Cost) -> u64 {
        stated.scratch_bytes.min(LARGEST)
    }

    /// Takes in that `tasks` tasks took `nanoseconds`: half of the estimate is the past, half this report. A slow report
    /// counts at once, so that a stretch of long tasks isn't handed out in long rows.
    pub fn learn_time(&mut self, tasks: u64, nanoseconds: u64) {
        let seen = (nanoseconds / tasks.max(1)).clamp(1, LONGEST);
        let known = self.nanoseconds.unwrap_or(seen);
        self.nanoseconds = Some(if seen > known { seen } else { (known + seen) / 2 });
    }

    /// Takes in that `tasks` results had `bytes` bytes; reports that don't say it have none.
    pub fn learn_bytes(&mut self, tasks: u64, bytes: u64) {
        if bytes > 0 && tasks > 0 {
            let seen = (bytes / tasks).min(LARGEST);
            let known = self.output_bytes.unwrap_or(seen);
            self.output_bytes = Some(if seen > known { seen } else { (known + seen) / 2 });
        }
    }
}

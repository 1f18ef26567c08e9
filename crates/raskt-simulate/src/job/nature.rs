//! What tasks take, by a hash of who they are: the same in every attempt and on every machine.

use super::Job;
use crate::random::{fold, mix};
use raskt_graph::TaskId;

impl Job {
    /// Time of `task`: a fifth to three times the usual, and twelve times as much for one in sixty-four.
    pub fn task_nanoseconds(&self, task: TaskId) -> u64 {
        let chance = self.chance_of(task, 1);
        let usual = self.plan.task_nanoseconds;
        let time = usual / 5 + usual * (chance % 1024) / 365;
        if (chance >> 20).is_multiple_of(64) { 12 * time } else { time }
    }

    /// Bytes of the result of `task`.
    pub fn output_bytes(&self, task: TaskId) -> u64 {
        let stated = self.plan.layers[task.layer.0 as usize].output_bytes;
        if !self.plan.wrong_sizes {
            return stated;
        }
        // From a quarter of what is said to seven times as much.
        (stated * (1 + self.chance_of(task, 2) % 28) / 4).max(1)
    }

    fn chance_of(&self, task: TaskId, what: u64) -> u64 {
        fold(fold(self.plan.seed, what), mix(u64::from(task.layer.0) << 44 | task.index))
    }
}

/// What a layer says that one of its results takes, in a job that is drawn.
pub(crate) fn stated_bytes(seed: u64, layer: u32) -> u64 {
    let chance = fold(seed, u64::from(layer));
    64 << (chance % 8)
}

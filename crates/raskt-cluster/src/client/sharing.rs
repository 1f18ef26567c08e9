//! What a client shares with others: what has a name, and results of runs of others.

use super::failed::ClusterError;
use super::tasks::TaskRun;
use super::{Client, Job};
use crate::coordination::Coordination;
use crate::standing::Standing;
use raskt_schedule::{RunId, TaskRange};

impl Client {
    /// What is shared by name.
    pub fn coordination(&self) -> &Coordination {
        &self.shared.coordination
    }

    /// Takes up results of runs that may be anybody's: a run of this client's own whose tasks stand for them, in their order, in
    /// layer 0. They stay as long as it does, whoever else lets go of them. Returns when the scheduler is being told, before whatever
    /// it is told after this. If a run isn't known there any more, the tasks fail. What stands for a result itself is named by
    /// [`TaskRun::source_of`]: workers know it by no other name.
    pub fn take_up(&self, results: &[(RunId, TaskRange)]) -> Result<TaskRun, ClusterError> {
        self.take_up_named(results, vec![])
    }

    /// The same with what tells their runs from others of the same numbers: it isn't taken if they are others by now.
    pub(super) fn take_up_named(
        &self,
        results: &[(RunId, TaskRange)],
        named: Vec<(RunId, u64)>,
    ) -> Result<TaskRun, ClusterError> {
        let standing = Standing::of(results).map_err(ClusterError::Refused)?;
        let Standing { bytes: graph, tasks, imports, .. } = standing;
        self.submit_tasks(Job { graph, wanted: vec![tasks], imports, named, ..Job::default() })
    }
}

//! What a client shares with others: what has a name, and results of runs of others.

use super::Client;
use super::failed::ClusterError;
use super::sending::send;
use super::table::TaskTable;
use super::tasks::TaskRun;
use crate::coordination::Coordination;
use crate::message::FromClient;
use crate::standing::Standing;
use raskt_schedule::{Import, RunId, TaskRange};
use std::sync::Arc;

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
        let standing = Standing::of(results).map_err(ClusterError::Refused)?;
        let run = self.begin_tasks(&[standing.tasks], standing.imports.clone())?;
        send(&self.outbox, &FromClient::Submit(standing.submission(run.id())), vec![standing.bytes])?;
        Ok(run)
    }

    /// Begins a run whose tasks stand alone; those of `imports` stand for others.
    pub(super) fn begin_tasks(&self, wanted: &[TaskRange], imports: Vec<Import>) -> Result<TaskRun, ClusterError> {
        let imports: Arc<[Import]> = imports.into();
        self.begin(|state, id| {
            state.tables.insert(id, TaskTable::new(wanted).standing_for(imports.clone()));
            TaskRun::new(id, imports, self.shared.clone(), self.outbox.clone())
        })
    }
}

//! Results of runs of other clients, and words of which it has to be known that they were heard.

use super::Client;
use super::failed::ClusterError;
use super::sending::send;
use super::tasks::TaskRun;
use crate::message::FromClient;
use bytes::Bytes;
use raskt_graph::{GraphBuilder, GraphForm, Layer, LayerId, Op, OpFlags, OpKind, Shape, TaskId};
use raskt_schedule::{FailureScope, Import, RunId, TaskRange};
use raskt_value::wire::BodyForm;
use std::sync::Arc;
use std::time::{Duration, Instant};

impl Client {
    /// Has a task of a run of another client of the cluster as its own: it is kept, whatever becomes of that client, as long as the
    /// run that this gives is held. When this returns the scheduler knows.
    ///
    /// # Errors
    /// If it isn't there any more.
    pub fn adopt(&self, from: (RunId, TaskId), patience: Duration) -> Result<(TaskRun, TaskId), ClusterError> {
        // The one task of a run that stands for another's.
        let own = TaskId::new(LayerId(0), 0);
        let wanted = TaskRange::one(own);
        let imports = vec![Import { tasks: wanted, run: from.0, from: from.1 }];
        let job = super::Job { graph: stand_in()?, wanted: vec![wanted], imports, ..super::Job::default() };
        let run = self.begin(|state, id| {
            let mut table = super::TaskTable::new(&job.wanted);
            table.stands_for = Some(from);
            state.tables.insert(id, table);
            TaskRun::new(id, self.shared.clone(), self.outbox.clone())
        })?;
        self.send_job(run.id(), job, FailureScope::Task)?;
        self.barrier(patience)?;
        // What isn't taken is told before.
        match run.state(own) {
            super::TaskState::Failed(failed) if failed.root().is_none() => Err(failed.error()),
            _ => Ok((run, own)),
        }
    }

    /// Waits until the scheduler has taken in all that this client has said.
    pub fn barrier(&self, patience: Duration) -> Result<(), ClusterError> {
        self.say(|number| FromClient::Barrier { number }, vec![], patience)
    }

    /// Has all workers have this, those that come later too, before any task that comes later; nothing takes it away.
    pub fn plugin(&self, name: &str, plugin: Option<Bytes>, patience: Duration) -> Result<(), ClusterError> {
        let message = |number| FromClient::Plugin { number, name: name.to_owned() };
        self.say(message, plugin.into_iter().collect(), patience)
    }

    fn say(
        &self,
        message: impl FnOnce(u64) -> FromClient,
        bulk: Vec<Bytes>,
        patience: Duration,
    ) -> Result<(), ClusterError> {
        let number = {
            let mut state = self.shared.state.lock();
            let number = state.next_number;
            state.next_number += 1;
            state.asked.insert(number, None);
            number
        };
        let heard = send(&self.outbox, &message(number), bulk).and_then(|()| self.await_heard(number, patience));
        self.shared.state.lock().asked.remove(&number);
        heard
    }

    fn await_heard(&self, number: u64, patience: Duration) -> Result<(), ClusterError> {
        let deadline = Instant::now() + patience;
        let mut state = self.shared.state.lock();
        loop {
            if let Some(answer) = state.asked.get(&number).cloned().flatten() {
                return answer.map_err(ClusterError::Refused);
            }
            if let Some(lost) = &state.lost {
                return Err(ClusterError::Disconnected(lost.clone()));
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(ClusterError::TimedOut);
            }
            state = self.shared.changed.wait_for(state, left).0;
        }
    }
}

/// A graph of one task that stands for another's: nobody runs it.
fn stand_in() -> Result<Bytes, ClusterError> {
    let refused = |error: &dyn std::fmt::Display| ClusterError::Refused(error.to_string());
    let mut graph = GraphBuilder::new();
    let (flags, body) = (OpFlags::default(), Arc::new(()));
    let op = graph.op(Op { kind: OpKind::Python, name: "result".into(), digest: 0, flags, body });
    graph.layer(Layer::new("result", op, Shape::source(1))).map_err(|error| refused(&error))?;
    let form = GraphForm::of(&graph.finish(), |_| Ok::<_, std::convert::Infallible>(BodyForm::Given(0)));
    let bytes = form.map(|form| postcard::to_stdvec(&form));
    match bytes {
        Ok(Ok(bytes)) => Ok(bytes.into()),
        Ok(Err(error)) => Err(refused(&error)),
        Err(never) => match never {},
    }
}

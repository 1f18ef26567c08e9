//! Carries out what the machines ask for.

use super::State;
use raskt_schedule::{Action, WorkerAction, WorkerEvent, WorkerTold};

impl State {
    /// The time has come that the scheduler wanted to be told of.
    pub fn time_passed(&mut self) {
        self.head.time_passed();
        self.look_at_seceded();
        self.act();
    }

    pub(super) fn tell_scheduler(&mut self, told: WorkerTold) {
        self.head.tell(told);
        self.act();
    }

    /// Carries out what the machines ask for until they ask for nothing more.
    pub(super) fn act(&mut self) {
        loop {
            if let Some(action) = self.head.poll_action() {
                self.act_for_scheduler(action);
            } else if let Some(action) = self.worker.poll_action() {
                self.act_for_worker(action);
            } else {
                return;
            }
        }
    }

    fn act_for_scheduler(&mut self, action: Action) {
        match action {
            Action::Assign { assignment, .. } => self.worker.handle_event(WorkerEvent::Assigned(assignment)),
            Action::Recall { run, attempt, tasks, .. } => {
                self.worker.handle_event(WorkerEvent::Recall { run, attempt, tasks });
            }
            Action::Discard { run, tasks, .. } => self.discard(run, &tasks),
            Action::Forget { run, .. } => self.forget(run),
            Action::Finished { run } => self.finish(run),
            Action::Failed { run, task, .. } => self.fail(run, task),
            // Nobody gives data to this worker that it didn't make.
            Action::Lost { .. } => {}
            // Tasks of its runs don't stand alone.
            Action::Available { .. } | Action::Unavailable { .. } | Action::TasksFailed { .. } => {}
            Action::Stalled { run, cause } => self.stall(run, &cause),
            Action::Resumed { .. } => {}
        }
    }

    fn act_for_worker(&mut self, action: WorkerAction) {
        match action {
            WorkerAction::Reserve { ticket, bytes, .. } => self.reserve(ticket, bytes),
            WorkerAction::Unreserve { ticket } => {
                self.store.give_back(self.holder(ticket));
                let withdrawn = self.asking.remove(&ticket).map(|(execution, _)| execution);
                self.afterwards.executions.extend(withdrawn);
                self.drop_fetches(ticket);
            }
            WorkerAction::Execute { ticket, assignment } => self.execute(ticket, &assignment),
            WorkerAction::Fetch { ticket, run, fetches } => self.fetch(ticket, run, &fetches),
            WorkerAction::Fetched { run, tasks } => self.tell_of_copies(run, &tasks),
            WorkerAction::Report(report) => self.head.tell(WorkerTold::Reported(report)),
            // Of a worker that lives and dies with its scheduler this isn't asked.
            WorkerAction::Started { run, attempt } => self.head.tell(WorkerTold::Started { run, attempt }),
            WorkerAction::FetchFailed { run, attempt, input_run, task, from, reached } => {
                self.head.tell(WorkerTold::FetchFailed { run, attempt, input_run, task, from, reached });
            }
            WorkerAction::Unsendable { run, attempt, reader, from, is_deadly } => {
                self.head.tell(WorkerTold::Unsendable { run, attempt, reader, from, is_deadly });
            }
            WorkerAction::Kept { run, tasks } => self.tell_kept(run, tasks),
            WorkerAction::Recalled { run, attempt, tasks } => {
                self.head.tell(WorkerTold::Recalled { run, attempt, tasks });
            }
        }
    }
}

//! What tasks wait for: plugins that are being set up. Nothing else does: a worker whose plugin never ends can be asked, begun anew and
//! ended, and that plugin taken away. The scheduler gives it nothing to do meanwhile; what it is given all the same can be recalled.

use super::graphs::Message;
use super::inbound::Inbound;
use crate::face::GoesOn;
use crate::message::ToWorker;
use raskt_schedule::{Assignment, Attempt, RunId, TaskRange, WorkerOrder};
use std::collections::VecDeque;
use std::sync::Arc;

/// Holds tasks back, and what tells whether they would begin.
pub(super) struct Gate {
    /// Where it comes in that a plugin isn't waited for any more.
    tell: Tell,
    /// The plugins that are waited for.
    closed_by: Vec<String>,
    held: VecDeque<Message>,
    /// What comes doesn't begin: whoever takes it gives it back.
    leaves: bool,
}

/// Called from whatever thread.
pub(super) type Tell = Arc<dyn Fn(Inbound) + Send + Sync>;

impl Gate {
    pub fn new(tell: Tell) -> Self {
        Self { tell, closed_by: vec![], held: VecDeque::new(), leaves: false }
    }

    pub fn is_open(&self) -> bool {
        self.closed_by.is_empty()
    }

    /// Tasks wait from now on for a plugin, until what this gives is called or dropped.
    pub fn close(&mut self, name: &str) -> GoesOn {
        self.closed_by.push(name.to_owned());
        let (tell, plugin) = (self.tell.clone(), name.to_owned());
        GoesOn::new(move || tell(Inbound::GoesOn { plugin }))
    }

    /// A plugin isn't waited for any more. Gives what was held back, if nothing else is waited for.
    pub fn open(&mut self, name: &str) -> VecDeque<Message> {
        if let Some(at) = self.closed_by.iter().position(|other| other == name) {
            self.closed_by.remove(at);
        }
        if self.is_open() { std::mem::take(&mut self.held) } else { VecDeque::new() }
    }

    /// Tasks wait for nothing from now on, since none begins any more. Gives those that were held back.
    pub fn leave(&mut self) -> VecDeque<Message> {
        self.leaves = true;
        let (tasks, others) =
            std::mem::take(&mut self.held).into_iter().partition(|held| assignment(&held.0).is_some());
        self.held = others;
        tasks
    }

    /// What was held back isn't wanted any more: its scheduler has begun anew.
    pub fn clear(&mut self) {
        self.held.clear();
    }

    /// Gives a message back that needn't wait.
    pub fn pass(&mut self, message: Message) -> Option<Message> {
        if self.is_open() || !self.has_to_wait(&message) {
            return Some(message);
        }
        self.held.push_back(message);
        None
    }

    /// Of an assignment that is held back, takes these tasks out of it and gives what it has no longer.
    pub fn take_back(&mut self, of: (RunId, Attempt), tasks: &[TaskRange]) -> Option<Vec<TaskRange>> {
        let at = self.held.iter().position(|held| assignment(&held.0).is_some_and(|it| (it.run, it.attempt) == of))?;
        let (ToWorker::Order(WorkerOrder::Assign(found)), ..) = &mut self.held[at] else { return None };
        let mut taken = found.tasks.clone();
        tasks.iter().for_each(|range| range.cut_out_of(&mut found.tasks));
        tasks.iter().for_each(|range| range.cut_out_of(&mut found.transient));
        found.tasks.iter().for_each(|range| range.cut_out_of(&mut taken));
        if found.tasks.is_empty() {
            self.held.remove(at);
        }
        Some(taken)
    }

    /// Nothing of a run is wanted any more.
    pub fn forget(&mut self, run: RunId) {
        self.held.retain(|held| assignment(&held.0).is_none_or(|it| it.run != run));
    }

    fn has_to_wait(&self, (message, bulk, _): &Message) -> bool {
        match message {
            ToWorker::Prepare { .. } => true,
            // One plugin may need what another brings; but one that is there, or waited for, may be taken away.
            ToWorker::Plugin { name, .. } => {
                let is_going = bulk.is_empty() && !self.held.iter().any(|(held, ..)| is_about_plugin(held, name));
                !is_going && !self.closed_by.contains(name)
            }
            message => !self.leaves && assignment(message).is_some(),
        }
    }
}

fn is_about_plugin(message: &ToWorker, plugin: &str) -> bool {
    matches!(message, ToWorker::Plugin { name, .. } if name == plugin)
}

fn assignment(message: &ToWorker) -> Option<&Assignment> {
    match message {
        ToWorker::Order(WorkerOrder::Assign(assignment)) => Some(assignment),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bytes::Bytes;
    use raskt_graph::LayerId;

    fn plugin(name: &str) -> Message {
        (ToWorker::Plugin { name: name.into(), is_new: true }, vec![Bytes::from_static(b"plugin")], None)
    }

    fn no_plugin(name: &str) -> Message {
        (ToWorker::Plugin { name: name.into(), is_new: true }, vec![], None)
    }

    fn forget(run: u64) -> Message {
        (ToWorker::Order(WorkerOrder::Forget { run: RunId(run) }), vec![], None)
    }

    fn range(start: u64, end: u64) -> TaskRange {
        TaskRange { layer: LayerId(0), start, end }
    }

    fn assign(run: u64, attempt: u32) -> Message {
        let (tasks, run, attempt) = (vec![range(0, 4)], RunId(run), Attempt(attempt));
        let assignment = Assignment { run, attempt, tasks, transient: vec![], memory: 0, fetched: 0, fetches: vec![] };
        (ToWorker::Order(WorkerOrder::Assign(assignment)), vec![], None)
    }

    #[test]
    fn nothing_waits_but_tasks_and_what_tells_of_them() {
        let mut gate = Gate::new(Arc::new(|_| {}));
        assert!(gate.pass(plugin("one")).is_some());
        let goes_on = gate.close("one");
        assert!(gate.pass(plugin("one")).is_some(), "another one may take its place");
        assert!(gate.pass(no_plugin("one")).is_some(), "it may be taken away");
        assert!(gate.pass(no_plugin("other")).is_some(), "so may one that is there");
        assert!(gate.pass(plugin("other")).is_none());
        assert!(gate.pass(no_plugin("other")).is_none(), "it hasn't come yet");
        assert!(gate.pass(assign(1, 1)).is_none());
        assert!(gate.pass((ToWorker::Prepare { number: 1 }, vec![], None)).is_none());
        let copy = ToWorker::Copy { copy: 1, run: RunId(2), tasks: vec![], from: raskt_schedule::WorkerId(1) };
        assert!(gate.pass((copy, vec![], None)).is_some(), "it isn't about tasks that wait");
        assert!(gate.pass(forget(2)).is_some());
        assert!(gate.pass((ToWorker::Restart, vec![], None)).is_some());
        let _other = gate.close("one");
        drop(goes_on);
        assert!(gate.open("one").is_empty(), "the second is waited for as well");
        let held: Vec<_> = gate.open("one").into();
        assert!(matches!(
            &held[..],
            [(ToWorker::Plugin { .. }, ..), (_, none, _), (ToWorker::Order(_), ..), (ToWorker::Prepare { number: 1 }, ..)]
                if none.is_empty()
        ));
        assert!(gate.is_open() && gate.pass(assign(3, 1)).is_some());
    }

    #[test]
    fn what_is_held_back_can_be_recalled_and_forgotten() {
        let mut gate = Gate::new(Arc::new(|_| {}));
        let _goes_on = gate.close("one");
        let held = [assign(1, 1), assign(1, 2), assign(2, 1), assign(3, 1)].map(|message| gate.pass(message));
        assert!(held.iter().all(Option::is_none));
        let of = (RunId(1), Attempt(2));
        assert_eq!(gate.take_back(of, &[range(1, 2)]), Some(vec![range(1, 2)]));
        assert_eq!(gate.take_back(of, &[range(0, 9)]), Some(vec![range(0, 1), range(2, 4)]));
        assert_eq!(gate.take_back(of, &[range(0, 9)]), None, "nothing is left of it");
        assert_eq!(gate.take_back((RunId(4), Attempt(1)), &[range(0, 9)]), None, "it may be begun already");
        gate.forget(RunId(2));
        let left = gate.open("one");
        let runs: Vec<_> = left.iter().filter_map(|held| Some(assignment(&held.0)?.run.0)).collect();
        assert_eq!(runs, [1, 3]);
    }

    /// A plugin may never end its set-up: others do the tasks.
    #[test]
    fn nothing_waits_at_a_worker_that_leaves() {
        let mut gate = Gate::new(Arc::new(|_| {}));
        let _goes_on = gate.close("slow");
        assert!(gate.pass(assign(1, 1)).is_none() && gate.pass(plugin("other")).is_none());
        let given = gate.leave();
        assert!(given.len() == 1 && assignment(&given[0].0).is_some());
        assert!(gate.pass(assign(1, 2)).is_some() && gate.pass(plugin("third")).is_none());
        assert_eq!(gate.open("slow").len(), 2);
    }
}

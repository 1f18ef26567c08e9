//! Which step of a task is right, by what happened.

use raskt_schedule::{Outcome, TaskState, WorkerId};

/// Where a task stands, as far as the rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    /// Nobody needs it.
    Unneeded,
    Waiting,
    Ready,
    Running(WorkerId),
    InMemory,
    Released,
}

impl From<Option<TaskState>> for Seen {
    fn from(state: Option<TaskState>) -> Self {
        match state {
            None => Self::Unneeded,
            Some(TaskState::Waiting { .. }) => Self::Waiting,
            Some(TaskState::Ready) => Self::Ready,
            Some(TaskState::Running { worker }) => Self::Running(worker),
            Some(TaskState::InMemory { .. }) => Self::InMemory,
            Some(TaskState::Released) => Self::Released,
        }
    }
}

/// What happened to a task in one event, and around it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    /// The worker that had the task told how it ended, on the attempt that it had.
    pub reported: Option<Outcome>,
    /// That worker gave it back.
    pub is_taken_back: bool,
    /// A client put its result into a worker.
    pub is_given: bool,
    /// A worker that has come back holds its result.
    pub is_kept: bool,
    /// It was handed out.
    pub assigned: Option<WorkerId>,
    /// A worker was lost.
    pub lost: Option<WorkerId>,
    /// A worker, or results of the run, were lost.
    pub is_loss: bool,
    /// A client wants more of the run.
    pub is_want: bool,
    /// A client wants less of the run.
    pub is_unwant: bool,
    /// Tasks of the run may fail by themselves, and be not needed any more because of that: whoever has to make them again meets
    /// the failure of what they need at once.
    pub may_fail: bool,
}

/// Whether a task may step from `before` to `after` in one event. Steps between them in the same event aren't seen: a
/// failed task may be handed out again at once.
pub(super) fn allows(before: Seen, after: Seen, facts: Facts) -> bool {
    use Seen::*;
    let is_done = matches!(facts.reported, Some(Outcome::Done { .. }));
    let is_spent = matches!(facts.reported, Some(Outcome::Consumed { .. }));
    // What a task made went with its readers, or after them, and somebody has come to need it.
    let is_gone = (is_done || is_spent) && facts.is_loss;
    let is_back =
        |from| is_gone || (facts.reported.is_some() && !is_done) || facts.is_taken_back || facts.lost == Some(from);
    let is_assigned = || facts.assigned.is_some_and(|worker| after == Running(worker));
    match (before, after) {
        (Unneeded | Waiting | Ready | Running(_) | Released, InMemory | Released) if facts.is_given => true,
        (Waiting | Ready | Running(_), InMemory | Released) if facts.is_kept => true,
        (Running(old), Running(_)) if facts.assigned.is_some() => is_back(old) && is_assigned(),
        (Running(old), Running(new)) => old == new && facts.reported.is_none() && !is_back(old),
        (Running(_), InMemory) => is_done,
        (Running(_), Released) => is_done || is_spent,
        (Running(old), Waiting | Ready) => is_back(old),
        (Waiting | Ready, Running(_)) => is_assigned(),
        (Ready, Waiting) => facts.is_loss,
        (Waiting | Ready | Running(_), Unneeded) => facts.is_unwant,
        (Released, Unneeded) => facts.may_fail,
        (InMemory, Unneeded) => facts.may_fail && facts.is_loss,
        (InMemory, Waiting | Ready) => facts.is_loss,
        (InMemory, Running(_)) => facts.is_loss && is_assigned(),
        // What has ended may have let its inputs go, and they may not even have been needed when it is lost.
        (Released | Unneeded, Waiting | Ready) => facts.is_loss || facts.is_want,
        (Released | Unneeded, Running(_)) => (facts.is_loss || facts.is_want) && is_assigned(),
        (Waiting, Ready) | (InMemory, Released) => true,
        _ => before == after,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: WorkerId = WorkerId(1);
    const B: WorkerId = WorkerId(2);

    #[test]
    fn a_task_comes_into_memory_only_by_the_report_of_who_runs_it() {
        let done = Facts { reported: Some(Outcome::Done { bytes: 1 }), ..Facts::default() };
        assert!(allows(Seen::Running(A), Seen::InMemory, done));
        assert!(!allows(Seen::Running(A), Seen::InMemory, Facts::default()));
        assert!(!allows(Seen::Ready, Seen::InMemory, done));
    }

    #[test]
    fn what_went_with_its_readers_is_not_in_memory() {
        let spent = Facts { reported: Some(Outcome::Consumed { bytes: 1 }), ..Facts::default() };
        assert!(allows(Seen::Running(A), Seen::Released, spent));
        assert!(allows(Seen::Running(A), Seen::Waiting, spent), "somebody has come to need it");
        assert!(!allows(Seen::Running(A), Seen::InMemory, spent));
        assert!(!allows(Seen::Running(A), Seen::Running(A), spent));
        let done = Facts { reported: Some(Outcome::Done { bytes: 1 }), ..Facts::default() };
        assert!(!allows(Seen::Running(A), Seen::Waiting, done));
        assert!(allows(Seen::Running(A), Seen::Waiting, Facts { is_loss: true, ..done }), "its reader is to run again");
    }

    #[test]
    fn a_running_task_changes_hands_only_when_it_came_back() {
        let assigned = Facts { assigned: Some(B), ..Facts::default() };
        assert!(!allows(Seen::Running(A), Seen::Running(B), assigned));
        assert!(allows(Seen::Running(A), Seen::Running(B), Facts { lost: Some(A), ..assigned }));
        assert!(allows(Seen::Running(A), Seen::Running(B), Facts { is_taken_back: true, ..assigned }));
        assert!(allows(Seen::Running(A), Seen::Running(B), Facts { reported: Some(Outcome::Failed), ..assigned }));
        assert!(!allows(Seen::Running(A), Seen::Running(A), Facts { lost: Some(A), ..Facts::default() }));
    }

    #[test]
    fn what_was_released_comes_back_only_after_a_loss_or_a_want() {
        assert!(!allows(Seen::Released, Seen::Waiting, Facts::default()));
        assert!(allows(Seen::Released, Seen::Waiting, Facts { is_loss: true, ..Facts::default() }));
        assert!(allows(Seen::Released, Seen::Ready, Facts { is_want: true, ..Facts::default() }));
    }

    #[test]
    fn what_has_ended_stays_needed() {
        let unwant = Facts { is_unwant: true, ..Facts::default() };
        assert!(allows(Seen::Waiting, Seen::Unneeded, unwant));
        assert!(!allows(Seen::Waiting, Seen::Unneeded, Facts::default()));
        assert!(!allows(Seen::InMemory, Seen::Unneeded, unwant));
    }
}

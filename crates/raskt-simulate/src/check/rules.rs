//! Which step of a task is right, by what happened.

use raskt_schedule::{Outcome, TaskState, WorkerId};

/// Where a task stands, as far as the rules care.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Seen {
    Waiting,
    Ready,
    Running(WorkerId),
    InMemory,
    Released,
}

impl From<TaskState> for Seen {
    fn from(state: TaskState) -> Self {
        match state {
            TaskState::Waiting { .. } => Self::Waiting,
            TaskState::Ready => Self::Ready,
            TaskState::Running { worker } => Self::Running(worker),
            TaskState::InMemory { .. } => Self::InMemory,
            TaskState::Released => Self::Released,
        }
    }
}

/// What happened to a task in one event, and around it.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Facts {
    /// A report of the worker that had the task, on the attempt that it had.
    pub reported: Option<Outcome>,
    /// It was handed out.
    pub assigned: Option<WorkerId>,
    /// A worker was lost.
    pub lost: Option<WorkerId>,
    /// Some task of the run has to run again: failed, or not run.
    pub is_repeated: bool,
}

/// Whether a task may step from `before` to `after` in one event. Steps between them in the same event aren't seen: a
/// failed task may be handed out again at once.
pub(super) fn allows(before: Seen, after: Seen, facts: Facts) -> bool {
    use Seen::*;
    let is_done = matches!(facts.reported, Some(Outcome::Done { .. }));
    let came_back = |worker| (facts.reported.is_some() && !is_done) || facts.lost == Some(worker);
    match (before, after) {
        (Running(old), Running(_)) if facts.assigned.is_some() => came_back(old) && is_assigned(after, facts),
        (Running(old), Running(new)) => old == new && !is_done && facts.lost != Some(old),
        (Running(_), InMemory | Released) => is_done,
        (Running(old), Waiting | Ready) => came_back(old),
        (Waiting | Ready, InMemory | Released) => false,
        (Waiting | Ready, Running(_)) => is_assigned(after, facts),
        (Waiting, Waiting | Ready) | (Ready, Ready) => true,
        (Ready, Waiting) => facts.lost.is_some(),
        (InMemory, InMemory | Released) | (Released, Released) => true,
        (Released, InMemory) => false,
        (InMemory, Waiting | Ready) => facts.lost.is_some(),
        (InMemory, Running(_)) => facts.lost.is_some() && is_assigned(after, facts),
        (Released, Waiting | Ready) => facts.lost.is_some() || facts.is_repeated,
        (Released, Running(_)) => (facts.lost.is_some() || facts.is_repeated) && is_assigned(after, facts),
    }
}

fn is_assigned(after: Seen, facts: Facts) -> bool {
    facts.assigned.is_some_and(|worker| after == Seen::Running(worker))
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
    fn a_running_task_changes_hands_only_when_it_came_back() {
        let assigned = Facts { assigned: Some(B), ..Facts::default() };
        assert!(!allows(Seen::Running(A), Seen::Running(B), assigned));
        assert!(allows(Seen::Running(A), Seen::Running(B), Facts { lost: Some(A), ..assigned }));
        assert!(allows(Seen::Running(A), Seen::Running(B), Facts { reported: Some(Outcome::Failed), ..assigned }));
        assert!(!allows(Seen::Running(A), Seen::Running(A), Facts { lost: Some(A), ..Facts::default() }));
    }

    #[test]
    fn what_was_released_comes_back_only_after_a_loss_or_a_repetition() {
        assert!(!allows(Seen::Released, Seen::Waiting, Facts::default()));
        assert!(allows(Seen::Released, Seen::Waiting, Facts { lost: Some(A), ..Facts::default() }));
        assert!(allows(Seen::Released, Seen::Ready, Facts { is_repeated: true, ..Facts::default() }));
    }
}

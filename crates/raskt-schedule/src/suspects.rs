use crate::WorkerId;
use raskt_graph::TaskId;
use std::collections::BTreeMap;

/// Tasks of a run that may be what killed their workers.
///
/// A task that was being executed when its worker died is a suspect, and so is one that was only near too often (its worker may
/// have died before it could say that it had begun). A suspect runs alone from then on: nothing else is on its worker. Only
/// a death while it is alone counts against it; with the last one allowed it is failed. Whatever ends without a death is no
/// suspect any more.
#[derive(Debug, Default)]
pub(crate) struct Suspects(BTreeMap<TaskId, Suspicion>);

#[derive(Debug, Default)]
struct Suspicion {
    /// Deaths that happened while the worker had it without having said that it had begun.
    near: u32,
    is_suspect: bool,
    story: Vec<Death>,
}

/// The death of a worker that had a task.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Death {
    /// The worker.
    pub worker: WorkerId,
    /// Tasks of other assignments that it was executing, and tasks of the same assignment.
    pub others: u64,
    /// It had nothing but this task, so that nothing else can be to blame.
    pub alone: bool,
    /// It had said that it had begun.
    pub started: bool,
}

/// After so many deaths near a task it is a suspect. And so many deaths of workers that had a suspect alone, and didn't say
/// that they had begun, count as one.
const NEAR_DEATHS: u32 = 3;

impl Suspects {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Whether `task` may run only alone.
    pub fn contains(&self, task: TaskId) -> bool {
        !self.0.is_empty() && self.0.get(&task).is_some_and(|suspicion| suspicion.is_suspect)
    }

    /// All suspects, in order.
    pub fn iter(&self) -> impl Iterator<Item = TaskId> {
        self.0.iter().filter(|(_, suspicion)| suspicion.is_suspect).map(|(&task, _)| task)
    }

    /// A worker died that had `task`.
    pub fn note(&mut self, task: TaskId, death: Death) {
        let suspicion = self.0.entry(task).or_default();
        suspicion.near += u32::from(!death.started);
        suspicion.is_suspect |= death.started || suspicion.near >= NEAR_DEATHS;
        suspicion.story.push(death);
    }

    /// How many deaths count against `task`.
    pub fn deaths_alone(&self, task: TaskId) -> u32 {
        let story = self.0.get(&task).map_or(&[][..], |suspicion| &suspicion.story);
        let alone = |started: bool| story.iter().filter(move |death| death.alone && death.started == started).count();
        alone(true) as u32 + alone(false) as u32 / NEAR_DEATHS
    }

    /// `task` ended without a death.
    pub fn clear(&mut self, task: TaskId) {
        if !self.0.is_empty() {
            self.0.remove(&task);
        }
    }

    pub fn take_story(&mut self, task: TaskId) -> Vec<Death> {
        self.0.remove(&task).map(|suspicion| suspicion.story).unwrap_or_default()
    }
}

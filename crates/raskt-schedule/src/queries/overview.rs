//! What a server shows of all that there is. Each answer looks at so much at most, and says where the next one goes on.

use crate::scheduler::Scheduler;
use crate::{Progress, RunId, TaskRange, WorkerId};
use raskt_graph::{Graph, LayerId, TaskId};

/// What a worker has to do, and holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WorkerLoad {
    /// Slots, those included that its tasks have lent.
    pub slots: u64,
    /// Assignments that it hasn't ended.
    pub assignments: u64,
    /// Those of them that it has begun, as far as it has said so.
    pub started: u64,
    /// What these are expected to take on one thread.
    pub nanoseconds: u64,
    /// Results that it holds and that somebody needs.
    pub results: u64,
    /// Bytes of these, as far as is known.
    pub bytes: u64,
}

/// A result that is in memory and that somebody needs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Resident {
    /// The run that made it.
    pub run: RunId,
    /// The task.
    pub task: TaskId,
    /// Its bytes: as those of its layer were told last.
    pub bytes: u64,
    /// Who holds it.
    pub workers: Vec<WorkerId>,
}

/// Where looking goes on: a run, and a task of it.
pub type Cursor = (RunId, TaskId);

/// The first place of all.
pub const BEGINNING: Cursor = (RunId(0), TaskId { layer: LayerId(0), index: 0 });

impl Scheduler {
    /// The graph of a run.
    pub fn graph(&self, run: RunId) -> Option<&Graph> {
        self.runs.get(&run).map(|run| &*run.graph)
    }

    /// What a worker has to do, and holds.
    pub fn load_of(&self, worker: WorkerId) -> Option<WorkerLoad> {
        let state = self.workers.get(worker)?;
        let (assignments, started, nanoseconds) = state.placed_sums();
        let held = state.holdings();
        let told = |sum: u128| u64::try_from(sum).unwrap_or(u64::MAX);
        let (nanoseconds, bytes) = (told(nanoseconds), told(held.all_bytes()));
        Some(WorkerLoad { slots: state.slots(), assignments, started, nanoseconds, results: held.results(), bytes })
    }

    /// How far all runs that are known have come.
    pub fn totals(&self) -> Progress {
        self.totals
    }

    /// What `task` of `run` stands for, or the task itself; nothing if there is no such task.
    pub fn made_at(&self, run: RunId, task: TaskId) -> Option<(RunId, TaskId)> {
        let tasks = &self.runs.get(&run)?.tasks;
        let is_there = tasks.layers.get(task.layer.0 as usize).is_some_and(|layer| task.index < layer.len);
        let source = tasks.imports.as_ref().and_then(|imports| imports.source_of(task));
        is_there.then_some(source.unwrap_or((run, task)))
    }

    /// Results that are in memory with a worker, from `from` on: those among the next `most` tasks of layers of which it holds
    /// something. And where it goes on, if it does.
    pub fn residents_at(&self, worker: WorkerId, from: Cursor, most: usize) -> (Vec<Resident>, Option<Cursor>) {
        let (mut found, mut left) = (vec![], most);
        let Some(state) = self.workers.get(worker) else { return (found, None) };
        for (id, layer) in state.holdings().layers_from(from.0, from.1.layer) {
            let start = if (id, layer) == (from.0, from.1.layer) { from.1.index } else { 0 };
            if let Some(task) = self.residents_of_layer(id, TaskId::new(layer, start), &mut left, &mut found) {
                found.retain(|resident| resident.workers.contains(&worker));
                return (found, Some((id, task)));
            }
        }
        found.retain(|resident| resident.workers.contains(&worker));
        (found, None)
    }

    /// Results that are in memory, from `from` on: those among the next `most` tasks. And where it goes on, if it does.
    pub fn residents(&self, from: Cursor, most: usize) -> (Vec<Resident>, Option<Cursor>) {
        let (mut found, mut left) = (vec![], most);
        let runs: Vec<RunId> = self.runs.keys_from(from.0).copied().collect();
        for id in runs {
            let first = if id == from.0 { from.1 } else { BEGINNING.1 };
            if let Some(task) = self.residents_of(id, first, &mut left, &mut found) {
                return (found, Some((id, task)));
            }
        }
        (found, None)
    }

    /// Those of one run; gives where it goes on there, if nothing is `left`.
    fn residents_of(&self, id: RunId, from: TaskId, left: &mut usize, found: &mut Vec<Resident>) -> Option<TaskId> {
        let layers = self.runs.get(&id)?.tasks.layers.len() as u32;
        (from.layer.0..layers).map(LayerId).find_map(|layer| {
            let start = if layer == from.layer { from.index } else { 0 };
            self.residents_of_layer(id, TaskId::new(layer, start), left, found)
        })
    }

    /// The same of the layer of `from`.
    fn residents_of_layer(
        &self,
        id: RunId,
        from: TaskId,
        left: &mut usize,
        found: &mut Vec<Resident>,
    ) -> Option<TaskId> {
        let tasks = &self.runs.get(&id)?.tasks;
        let (TaskId { layer, index: start }, state) = (from, tasks.layers.get(from.layer.0 as usize)?);
        // What is imported is found where it was made.
        if state.is_imported || start >= state.len {
            return None;
        }
        for part in tasks.live_parts(TaskRange { layer, start, end: state.len }) {
            for task in part.tasks() {
                if *left == 0 {
                    return Some(task);
                }
                *left -= 1;
                if tasks.is_needed(task) && tasks.is_in_memory(task) {
                    let workers = tasks.holders(task).collect();
                    found.push(Resident { run: id, task, bytes: state.result_bytes, workers });
                }
            }
        }
        // A layer counts for something, were nothing of it there.
        *left = left.saturating_sub(1);
        None
    }
}

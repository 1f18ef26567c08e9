//! What a server shows of all that there is. Each answer looks at so much at most, and says where the next one goes on.

use crate::scheduler::Scheduler;
use crate::{RunId, TaskRange, WorkerId};
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
        let mut load = WorkerLoad { slots: state.slots(), ..WorkerLoad::default() };
        for (_, placed) in state.placed() {
            load.assignments += 1;
            load.started += u64::from(placed.is_started);
            load.nanoseconds = load.nanoseconds.saturating_add(placed.nanoseconds);
        }
        for &id in state.known() {
            for (layer, count) in state.holdings().of(id) {
                let of_layer = self.runs.get(&id).and_then(|run| run.tasks.layers.get(layer.0 as usize));
                let each = of_layer.map_or(0, |layer| layer.result_bytes);
                load.results += count;
                load.bytes = load.bytes.saturating_add(each.saturating_mul(count));
            }
        }
        Some(load)
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
        let tasks = &self.runs.get(&id)?.tasks;
        for (layer, state) in (0..).map(LayerId).zip(&tasks.layers).skip(from.layer.0 as usize) {
            let start = if layer == from.layer { from.index } else { 0 };
            // What is imported is found where it was made.
            if state.is_imported || start >= state.len {
                continue;
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
        }
        None
    }
}

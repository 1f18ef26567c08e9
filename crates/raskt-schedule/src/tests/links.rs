//! Workers with memories of their own, and clients whose runs import from one another.

use super::graphs::op;
use crate::links::imports::Imports;
use crate::*;
use raskt_graph::*;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

/// A scheduler, workers that do what it says, and what clients were told.
pub struct Cluster {
    pub scheduler: Scheduler,
    pub memories: BTreeMap<WorkerId, BTreeSet<(RunId, TaskId)>>,
    pub assigned: Vec<(WorkerId, Assignment)>,
    runs: BTreeMap<RunId, (Arc<Graph>, Option<Box<Imports>>)>,
    /// Tasks that fail whenever they run.
    pub failing: BTreeSet<(RunId, TaskId)>,
    /// What clients know, run by run.
    pub told: BTreeMap<RunId, Knows>,
    next_worker: u32,
    /// How often each task has run.
    pub ran: BTreeMap<(RunId, TaskId), u32>,
}

/// What a client was told of a run.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Knows {
    pub available: BTreeSet<TaskId>,
    /// And what failed first.
    pub failed: BTreeMap<TaskId, (RunId, TaskId)>,
    pub is_finished: bool,
    /// The run ended early, because of this.
    pub ended: Option<(RunId, TaskId)>,
    pub stalled: Option<StallCause>,
}

impl Cluster {
    pub fn new(workers: u32) -> Self {
        let mut cluster = Self {
            scheduler: Scheduler::new(1000),
            memories: BTreeMap::new(),
            assigned: vec![],
            runs: BTreeMap::new(),
            failing: BTreeSet::new(),
            told: BTreeMap::new(),
            next_worker: 0,
            ran: BTreeMap::new(),
        };
        (0..workers).for_each(|_| _ = cluster.join());
        cluster
    }

    pub fn join(&mut self) -> WorkerId {
        let worker = WorkerId(self.next_worker);
        self.next_worker += 1;
        self.memories.insert(worker, BTreeSet::new());
        self.handle(Event::WorkerJoined { worker, offer: Offer::slots(1) });
        worker
    }

    pub fn kill(&mut self, worker: WorkerId) {
        self.memories.remove(&worker);
        self.assigned.retain(|(of, _)| *of != worker);
        self.handle(Event::WorkerLost { worker, cause: LossCause::Retired });
    }

    pub fn submit(
        &mut self,
        run: u64,
        graph: Graph,
        wanted: Vec<TaskRange>,
        failure: FailureScope,
        imports: Vec<Import>,
    ) {
        let (graph, run) = (Arc::new(graph), RunId(run));
        self.told.insert(run, Knows::default());
        self.runs.insert(run, (graph.clone(), None));
        let event =
            Event::GraphAdded { run, parent: None, graph: graph.clone(), wanted, failure, imports: imports.clone() };
        // It is asked before the event is handled, since what it imports may be released with it.
        let resolved = Imports::new(&graph, &self.scheduler.follow(&imports)).unwrap();
        self.runs.insert(run, (graph, resolved));
        self.handle(event);
    }

    pub fn handle(&mut self, event: Event) {
        self.scheduler.try_event(Time(0), event).unwrap();
        while let Some(action) = self.scheduler.poll_action() {
            self.act(action);
        }
        self.scheduler.validate();
        for (worker, memory) in &self.memories {
            for &(run, task) in memory {
                assert!(
                    self.scheduler.holds(run, *worker, task),
                    "{worker:?} holds {task} of {run:?}, and nobody knows"
                );
            }
        }
    }

    fn act(&mut self, action: Action) {
        let told = |told: &mut BTreeMap<RunId, Knows>, run: RunId, tell: &dyn Fn(&mut Knows)| {
            tell(told.get_mut(&run).expect("clients are told of what they have"));
        };
        match action {
            Action::Assign { worker, assignment } => self.assigned.push((worker, assignment)),
            Action::Recall { worker, run, attempt, tasks } => {
                let given = self
                    .assigned
                    .iter_mut()
                    .find(|(of, given)| (*of, given.run, given.attempt) == (worker, run, attempt));
                let Some((_, given)) = given else { return };
                tasks.iter().for_each(|range| range.cut_out_of(&mut given.tasks));
                self.scheduler.handle_event(Time(0), Event::Recalled { worker, run, attempt, tasks });
                self.assigned.retain(|(_, given)| !given.is_empty());
            }
            Action::Discard { worker, run, tasks, .. } => {
                let memory = self.memories.get_mut(&worker).unwrap();
                tasks.into_iter().flat_map(TaskRange::tasks).for_each(|task| _ = memory.remove(&(run, task)));
            }
            Action::Forget { worker, run } => {
                self.memories.get_mut(&worker).unwrap().retain(|(of, _)| *of != run);
                self.assigned.retain(|(of, given)| (*of, given.run) != (worker, run));
            }
            Action::Finished { run } => told(&mut self.told, run, &|knows| knows.is_finished = true),
            Action::Available { run, results } => {
                for held in results {
                    for task in held.tasks.tasks() {
                        assert!(self.scheduler.holds(run, held.worker, task), "{task} isn't where it was said to be");
                        let knows = self.told.get_mut(&run).unwrap();
                        knows.failed.remove(&task);
                        assert!(knows.available.insert(task), "{task} was told twice");
                    }
                }
            }
            Action::Unavailable { run, tasks } => told(&mut self.told, run, &|knows| {
                tasks.iter().flat_map(|range| range.tasks()).for_each(|task| assert!(knows.available.remove(&task)));
                knows.is_finished = false;
            }),
            Action::TasksFailed { run, tasks, failure } => told(&mut self.told, run, &|knows| {
                let is_so = |task| self.scheduler.failure(run, task) == Some(&failure);
                assert!(tasks.iter().flat_map(|range| range.tasks()).all(is_so), "{tasks:?} have another cause");
                let root = (failure.run, failure.task);
                knows.failed.extend(tasks.iter().flat_map(|range| range.tasks()).map(|task| (task, root)));
            }),
            Action::Failed { run, root, task, .. } => {
                told(&mut self.told, run, &|knows| knows.ended = Some((root, task)))
            }
            Action::Lost { run, root, tasks } => {
                let first = TaskId::new(tasks[0].layer, tasks[0].start);
                told(&mut self.told, run, &|knows| knows.ended = Some((root, first)));
            }
            Action::Stalled { run, cause } => told(&mut self.told, run, &|knows| knows.stalled = Some(cause.clone())),
            Action::Resumed { run } => told(&mut self.told, run, &|knows| knows.stalled = None),
        }
    }

    /// A client releases a run.
    pub fn release(&mut self, run: u64) {
        self.told.remove(&RunId(run));
        self.handle(Event::RunReleased { run: RunId(run) });
    }

    /// A worker does what it was given as number `at`.
    pub fn work(&mut self, at: usize) {
        let (worker, assignment) = self.assigned.remove(at);
        let Assignment { run, attempt, tasks, fetches, .. } = assignment;
        let mut passing = BTreeSet::new();
        for fetch in &fetches {
            for task in fetch.tasks.tasks() {
                let is_there = self.memories.get(&fetch.from).is_some_and(|memory| memory.contains(&(fetch.run, task)));
                if !is_there {
                    let (from, reached, input_run) = (fetch.from, self.memories.contains_key(&fetch.from), fetch.run);
                    return self.handle(Event::FetchFailed { worker, run, attempt, input_run, task, from, reached });
                }
                match fetch.keep {
                    true => _ = self.memories.get_mut(&worker).unwrap().insert((fetch.run, task)),
                    false => _ = passing.insert((fetch.run, task)),
                }
            }
        }
        for fetch in fetches.iter().filter(|fetch| fetch.keep) {
            self.handle(Event::Fetched { worker, run: fetch.run, tasks: vec![fetch.tasks] });
        }
        let mut outcomes = vec![];
        let mut has_failed = false;
        for task in tasks.iter().flat_map(|range| range.tasks()) {
            let (graph, imports) = &self.runs[&run];
            let mut is_there = true;
            graph.for_each_input(task, |input| {
                let input = imports.as_ref().and_then(|imports| imports.source_of(input)).unwrap_or((run, input));
                is_there &= self.memories[&worker].contains(&input) || passing.contains(&input);
            });
            assert!(
                is_there || has_failed || self.scheduler.task_state(run, task).is_none(),
                "{task} of {run:?} misses an input"
            );
            let fails = self.failing.contains(&(run, task));
            let outcome = match is_there && !has_failed {
                true if fails => Outcome::Failed,
                true => Outcome::Done { bytes: 8 },
                false => Outcome::NotRun,
            };
            has_failed |= fails;
            if let Outcome::Done { .. } = outcome {
                *self.ran.entry((run, task)).or_default() += 1;
                passing.insert((run, task));
                self.memories.get_mut(&worker).unwrap().insert((run, task));
            }
            Outcome::push(&mut outcomes, task, outcome);
        }
        self.handle(Event::Reported { worker, report: Report { run, attempt, outcomes, nanoseconds: 100 } });
    }

    /// Workers do all that there is to do.
    pub fn work_all(&mut self) {
        for _ in 0..100_000 {
            if self.assigned.is_empty() {
                return;
            }
            self.work(0);
        }
        panic!("there is no end");
    }

    pub fn knows(&self, run: u64) -> &Knows {
        &self.told[&RunId(run)]
    }
}

pub fn task(layer: u32, index: u64) -> TaskId {
    TaskId::new(LayerId(layer), index)
}

pub fn range(layer: u32, start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(layer), start, end }
}

/// Layers of `len` tasks, each of which reads its own of the layer before: the first reads nothing.
pub fn rows(layers: u32, len: u32) -> Graph {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let mut last = graph.layer(Layer::new("first", op, Shape::source(len))).unwrap();
    for at in 1..layers {
        let grid = Grid::new([len]);
        let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(last, grid)] };
        last = graph.layer(Layer::new(format!("row-{at}"), op, shape)).unwrap();
    }
    graph.finish()
}

/// All tasks of a layer of `len` tasks stand for those of another from `from` on.
pub fn import(layer: u32, len: u64, run: u64, from: TaskId) -> Import {
    Import { tasks: range(layer, 0, len), run: RunId(run), from }
}

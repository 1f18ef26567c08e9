//! What must be true of the scheduler after every event, checked by counting everything again.

use crate::gating::Missing;
use crate::needs::Need;
use crate::run::Run;
use crate::suspects::Quarantine;
use crate::task::{Record, Tag};
use crate::tasks::{Counts, Tasks};
use crate::worker_state::WorkerState;
use crate::{Attempt, RunId, Scheduler, TaskRange, TaskState};
use raskt_graph::{Graph, LayerId, Shape, TaskId};
use std::collections::{BTreeMap, BTreeSet};

impl Scheduler {
    /// Asserts the invariants. Linear in the size of all graphs: for tests.
    ///
    /// # Panics
    /// If one doesn't hold, with the task and what was found.
    pub fn validate(&self) {
        let mut running = 0;
        self.workers.validate(|worker, id, attempt, placed| {
            let run = self.runs.get(&id).expect("only runs that are there have assignments");
            validate_order(run, attempt, &placed.tasks);
            for task in placed.tasks.iter().flat_map(|range| range.tasks()) {
                if run.tasks.is_current(task, attempt) {
                    assert_eq!(
                        run.tasks.record(task).worker,
                        worker,
                        "{task} is with one worker and was given to another"
                    );
                    running += 1;
                }
            }
        });
        let counted = self.runs.values().map(|run| run.tasks.counts.running).sum::<u64>();
        let progress = |of: fn(&Counts) -> u64| self.runs.values().map(|run| of(&run.tasks.counts)).sum::<u64>();
        let totals = (progress(|counts| counts.done), progress(|counts| counts.total));
        assert_eq!((self.totals.done, self.totals.total), totals, "how far all runs have come");
        assert_eq!(running, counted, "a task is running if and only if an assignment has it");
        for (&id, run) in self.runs.iter() {
            self.validate_run(run);
            self.validate_line(id, run);
            self.validate_links(id, run);
        }
        self.validate_holdings();
        self.validate_known();
        let sought: usize = self.runs.values().map(|run| run.sought.len()).sum();
        assert_eq!(self.with_suspects.len(), sought, "runs with suspects that look for a worker");
        assert!(self.borrowing_suspects.is_subset(&self.with_suspects), "suspects that may borrow");
        self.queue.validate(self.runs.keys().copied());
        self.validate_needs();
    }

    /// What is required by those in line, and by suspects that look for a worker, is watched; and who can't go on is known.
    fn validate_needs(&self) {
        let mut asking = BTreeMap::<_, u64>::new();
        let all = self.requiring.iter().chain(&self.with_suspects);
        all.filter(|(need, ..)| *need != Need::NONE).for_each(|(need, ..)| *asking.entry(*need).or_default() += 1);
        assert!(self.workers.needs.asking().eq(asking), "who asks for what is required");
        let is_hopeless = |&&(need, ..): &&(Need, RunId, u32)| !self.workers.needs.is_met(need);
        let hopeless = self.requiring.iter().filter(is_hopeless).map(|&(need, run, class)| (run, need, class));
        assert_eq!(self.hopeless, hopeless.collect(), "who requires what nobody has");
        let of_run = |id: RunId| self.requiring.iter().filter(|(_, run, _)| *run == id).count() as u32;
        assert!(self.runs.iter().all(|(&id, run)| run.requiring() == of_run(id)), "how much of a run is requiring");
        let needy = self.runs.iter().filter(|(_, run)| run.requiring() > 0 && run.parent.is_some());
        let by_above = |(&id, _)| self.chain(id).map(move |(above, _)| (above, id));
        let needy: BTreeSet<_> = needy.flat_map(by_above).collect();
        assert_eq!(self.needy, needy, "runs that may have to borrow");
        for worker in self.workers.ids() {
            let waited_for =
                |(run, found): (&RunId, &Run)| found.lent_by(worker).map(|slots| (*run, slots, found.parent_requires));
            let waited_for: Vec<_> = self.runs.iter().filter_map(waited_for).collect();
            let Some(state) = self.workers.get(worker) else { continue };
            assert_eq!(
                state.lent(),
                waited_for.iter().map(|(_, slots, _)| slots).sum::<u64>(),
                "slots lent by {worker:?}"
            );
            let requiring = waited_for.iter().filter(|(.., requires)| *requires).map(|(run, ..)| run);
            assert!(state.waits_for().eq(requiring), "runs that tasks of {worker:?} wait for");
        }
    }

    /// Who has something of a run, or waits for it, is known on both sides; and nobody stands aside for what there is room for.
    fn validate_known(&self) {
        for worker in self.workers.ids() {
            let kept = self.workers.get(worker).and_then(WorkerState::quarantine).filter(|kept| kept.attempt.is_none());
            let has_it = |kept: Quarantine| self.runs.get(&kept.run)?.suspects.worker_of(kept.group);
            assert!(kept.is_none_or(|kept| has_it(kept) == Some(worker)), "{worker:?} is kept for nobody");
        }
        let mut known = BTreeSet::new();
        for (&id, run) in self.runs.iter() {
            let workers = run.known_to().chain(run.lenders().map(|(worker, _)| worker));
            known.extend(workers.filter(|worker| self.workers.contains(*worker)).map(|worker| (worker, id)));
        }
        let said = self.workers.ids().flat_map(|worker| {
            let runs = self.workers.known(worker);
            runs.into_iter().map(move |run| (worker, run))
        });
        assert!(said.eq(known), "runs that workers have something of");
        for need in self.queue.parked_for() {
            assert!(
                need == Need::MEMORY || !self.workers.has_open(need),
                "somebody stands aside for {need:?}, and there is room"
            );
        }
        let kept = self.reserves.kept().map(|(need, worker)| (worker, self.workers.needs.requirement(need).cloned()));
        let workers =
            self.workers.ids().filter_map(|worker| Some((worker, self.workers.get(worker)?.kept_for()?.clone())));
        assert_eq!(
            kept.collect::<BTreeMap<_, _>>(),
            workers.map(|(worker, requirement)| (worker, Some(requirement))).collect(),
            "workers that are kept for those who ask for much"
        );
        assert!(self.doubtful.is_empty(), "runs of which it isn't known whether they can go on");
        let is_unfinished = |run: &Run| run.tasks.counts.unfinished_wanted > 0;
        let unfinished = self.runs.iter().filter(|(_, run)| is_unfinished(run)).map(|(id, _)| id);
        assert!(self.unfinished.iter().eq(unfinished), "runs of which something that is wanted isn't there");
        assert!(self.runs.values().all(|run| run.stalled.is_none() || is_unfinished(run)), "who is stalled waits");
    }

    /// What workers are counted to hold is what they hold of the results that will be read.
    fn validate_holdings(&self) {
        let mut counts = BTreeMap::<_, (u64, u64)>::new();
        for (&run, Run { graph, tasks, .. }) in self.runs.iter() {
            for (layer, len) in graph.layers().map(|(id, layer)| (id, layer.len())) {
                for task in (0..len).map(|index| TaskId::new(layer, index)) {
                    if !tasks.is_needed(task) || !tasks.is_in_memory(task) || tasks.is_imported(task) {
                        continue;
                    }
                    for worker in tasks.holders(task) {
                        let (read, wanted) = counts.entry((worker, run, layer)).or_default();
                        *if tasks.is_wanted(task) { wanted } else { read } += 1;
                        let mut pages = tasks.layers[layer.0 as usize].pages.maybe_with(worker);
                        let has = |(start, records): (u64, &[Record])| {
                            (start..start + records.len() as u64).contains(&task.index)
                        };
                        assert!(pages.any(has), "{worker:?} holds {task}, and isn't looked for there");
                    }
                }
            }
        }
        for worker in self.workers.ids() {
            let Some(state) = self.workers.get(worker) else { continue };
            let bytes: u128 = state.holdings().iter().map(|(.., holding)| u128::from(holding.bytes)).sum();
            assert_eq!(state.holdings().bytes(), bytes, "bytes that {worker:?} holds");
            for (run, layer, holding) in state.holdings().iter() {
                let count = counts.remove(&(worker, run, layer));
                assert_eq!(
                    count,
                    Some((holding.count, holding.wanted)),
                    "results of {layer:?} of {run:?} that {worker:?} holds"
                );
            }
        }
        assert!(counts.is_empty(), "{counts:?} are held and not counted");
        self.waits.validate();
        for (run, class, held) in self.waits.iter() {
            assert!(self.queue.has(run, class), "{run:?} waits for memory and has nothing to start");
            let longest = self.settings.admission.patience_ends(held.since);
            assert!(self.now < held.until && held.until <= longest, "{run:?} waits for memory without bound");
            assert!(self.wakes_at().is_some_and(|at| at <= held.until), "nobody wakes {run:?}");
        }
    }

    fn validate_line(&self, id: RunId, run: &Run) {
        for (class, _) in (0..).zip(&run.classes) {
            let demands = class > 0 && self.queue.has(id, class);
            assert_eq!(
                demands,
                self.requiring.contains(&(run.needs[class as usize], id, class)),
                "class {class} of {id:?} among those that demand"
            );
        }
        let is_in_line = !self.queue.has_none_of(id);
        let is_ready = |task: TaskId| run.tasks.is_needed(task) && run.tasks.record(task).tag == Tag::Ready;
        let mut suspects = run.suspects.validate();
        suspects.retain(|&(task, _)| is_ready(task));
        let ready = suspects.len() as u64;
        assert!(is_in_line || run.tasks.counts.ready == ready, "{id:?} has ready tasks and isn't in line");
        let is_sought = suspects.iter().all(|&(_, is_sought)| is_sought);
        assert!(is_in_line || is_sought, "suspects of {id:?} are ready and look for no worker");
        for group in run.suspects.all_sought() {
            let mut tasks = run.suspects.tasks_of(group).into_iter().flat_map(TaskRange::tasks);
            assert!(tasks.any(is_ready), "{group:?} of {id:?} looks for a worker or has one, and isn't ready");
            let kept = run.suspects.worker_of(group).map(|worker| self.workers.get(worker)?.quarantine());
            let waits = |kept: Option<Quarantine>| kept.is_some_and(|kept| kept.awaits(id, group));
            assert!(kept.is_none_or(waits), "the worker of {group:?} of {id:?} isn't kept for it");
        }
        assert_eq!(run.suspects.has_ready(), !run.sought.is_empty(), "suspects of {id:?} that look for a worker");
        let is_noted = |&(need, class): &(Need, u32)| {
            let is_sound = run.suspects.first_ready(class).is_some_and(|(found, _)| found == class);
            is_sound && self.with_suspects.contains(&(need, id, class))
        };
        let may_borrow = |&(need, class): &(Need, u32)| self.borrowing_suspects.contains(&(need, id, class));
        assert!(run.sought.iter().all(|one| may_borrow(one) == run.may_borrow), "those of {id:?} that may borrow");
        assert!(run.sought.iter().all(is_noted), "what suspects of {id:?} require that look for a worker");
        for (&task, holders) in &run.tasks.replicas {
            let record = run.tasks.record(task);
            assert!(record.is_special && record.tag == Tag::InMemory, "{task} has copies, and is {:?}", record.tag);
            assert!(!holders.is_empty() && !holders.contains(record.worker), "copies of {task}");
            assert!(holders.iter().all(|holder| self.workers.contains(holder)), "{task} is held by nobody");
        }
    }

    fn validate_run(&self, run: &Run) {
        let Run { graph, tasks, .. } = run;
        let mut counts = Counts::default();
        for (id, layer) in graph.layers() {
            let state = &tasks.layers[id.0 as usize];
            for index in 0..layer.len() {
                let task = TaskId::new(id, index);
                let has_failed = tasks.root_of(task).is_some();
                if !tasks.is_needed(task) {
                    assert!(!tasks.is_kept(task) || has_failed, "{task} is wanted, and not needed");
                    continue;
                }
                assert!(!has_failed, "{task} has failed, and is needed");
                if let Some(told) = &tasks.told {
                    let is_there = tasks.is_wanted(task) && tasks.is_in_memory(task);
                    let knows = told.known[id.0 as usize].contains(index);
                    assert_eq!(knows, is_there, "whether the client was told that {task} is there");
                }
                self.validate_task(graph, tasks, task);
                let tag = tasks.record(task).tag;
                counts.total += 1;
                counts.done += u64::from(!tag.is_unfinished());
                counts.ready += u64::from(tag == Tag::Ready);
                counts.running += u64::from(tag == Tag::Running);
                counts.unfinished_wanted += u64::from(tasks.is_wanted(task) && tag != Tag::InMemory);
            }
            for (page, left) in state.pages.left() {
                let needed = (page.start..page.end.min(layer.len())).filter(|&index| state.needed.contains(index));
                let unreleased = needed.filter(|&index| state.pages.get(index).tag != Tag::Released).count();
                assert_eq!(left as usize, unreleased, "tasks of a page of {id:?} that are not released");
            }
            validate_exchange(tasks, &layer.shape, TaskId::new(id, 0));
            validate_gates(graph, tasks, id);
        }
        assert_eq!(tasks.counts, counts, "counted tasks");
        let is_there = |(task, holder)| tasks.is_needed(task) && tasks.holds(holder, task);
        assert!(tasks.unreached.iter().all(is_there), "a copy can't be fetched, and isn't there");
    }

    fn validate_task(&self, graph: &Graph, tasks: &Tasks, task: TaskId) {
        let needs_inputs = |tag: Tag| matches!(tag, Tag::Untouched | Tag::Waiting | Tag::Ready | Tag::Running);
        if needs_inputs(tasks.record(task).tag) {
            graph.for_each_input(task, |input| {
                assert!(tasks.is_needed(input), "{task} is to run, and its input {input} isn't needed");
                assert!(
                    tasks.record(input).tag != Tag::Released,
                    "{task} is to run, and its input {input} is released"
                );
            });
        }
        match tasks.state(graph, task) {
            TaskState::Waiting { .. } if tasks.layers[task.layer.0 as usize].gates.is_some() => {
                validate_waiting_at_gates(graph, tasks, task);
            }
            TaskState::Waiting { unfinished } if tasks.layers[task.layer.0 as usize].exchange.is_none() => {
                assert_eq!(u64::from(unfinished), tasks.count_missing(graph, task), "unfinished inputs of {task}");
            }
            TaskState::Ready => assert_eq!(tasks.count_missing(graph, task), 0, "{task} is ready"),
            TaskState::Running { worker } => {
                assert!(self.workers.contains(worker), "{task} runs on {worker:?}, which is not there");
            }
            TaskState::InMemory { worker, unread } => {
                let is_special = tasks.record(task).is_special;
                assert_eq!(is_special, tasks.replicas.contains_key(&task), "copies of {task}");
                let is_there = self.workers.contains(worker) || tasks.is_imported(task);
                assert!(is_there, "{task} is held by {worker:?}, which is not there");
                assert!(unread > 0 || tasks.is_kept(task), "{task} is held for nobody");
                assert_eq!(unread, tasks.count_unread(graph, task), "reads of {task} to come");
            }
            TaskState::Waiting { .. } => {}
            TaskState::Released => {
                assert!(!tasks.is_kept(task), "{task} is wanted, and released");
                assert_eq!(tasks.count_unread(graph, task), 0, "reads of {task}, which is released");
            }
        }
    }
}

/// Tasks of an assignment come after those of it that they read.
fn validate_order(run: &Run, attempt: Attempt, tasks: &[TaskRange]) {
    let mut seen = BTreeSet::new();
    for task in tasks.iter().flat_map(|range| range.tasks()) {
        if run.tasks.is_current(task, attempt) {
            run.graph.for_each_input(task, |input| {
                let is_made_here =
                    tasks.iter().any(|range| range.contains(input)) && run.tasks.is_current(input, attempt);
                assert!(!is_made_here || seen.contains(&input), "{task} comes before its input {input}");
            });
        }
        seen.insert(task);
    }
}

/// A task that waits at gates is found when it can start.
fn validate_waiting_at_gates(graph: &Graph, tasks: &Tasks, task: TaskId) {
    let (record, missing) = (tasks.record(task), tasks.missing(graph, task));
    let layer = &tasks.layers[task.layer.0 as usize];
    if record.tag == Tag::Untouched {
        // Those that read nothing are sources.
        let may_start = missing == Missing::default() && graph.input_count(task) > 0;
        let is_opened = || tasks.queues[layer.class as usize].has_opened(task.layer, task.index);
        assert!(!may_start || is_opened(), "{task} could start, and nobody knows");
        return;
    }
    assert_eq!(u64::from(record.count), missing.told, "unfinished inputs of {task}");
    assert!(missing != Missing::default(), "{task} waits for nothing");
    let is_missing = |input: TaskId| !tasks.is_in_memory(input);
    let is_noted = || layer.gates.iter().any(|gates| gates.has_waiting(task.index, is_missing));
    assert!(missing.told > 0 || is_noted(), "{task} waits at a gate, and will not be told");
}

/// What gates count is what there is.
fn validate_gates(graph: &Graph, tasks: &Tasks, id: LayerId) {
    let (layer, shape) = (&tasks.layers[id.0 as usize], &graph.layer(id).shape);
    for gate in layer.gates.iter().flat_map(|gates| gates.iter()) {
        let inputs = (0..graph.layer(gate.input).len()).map(|index| TaskId::new(gate.input, index));
        let present = inputs.clone().filter(|&input| tasks.is_in_memory(input)).count();
        assert_eq!(gate.present(), present as u64, "inputs of {id:?} that are in memory");
        for input in inputs {
            let Some(counted) = gate.counted(input.index) else { continue };
            let mut left = 0;
            shape.readers_through(gate.port, input.index).for_each(&shape.grid(), |index| {
                let is_left = layer.needed.contains(index) && layer.pages.get(index).tag.is_unfinished();
                left += u64::from(is_left);
            });
            assert_eq!(counted, left, "readers of {input} to come at a gate of {id:?}");
        }
    }
}

fn validate_exchange(tasks: &Tasks, shape: &Shape, first: TaskId) {
    let (Shape::Exchange { input, producers, consumers }, Some(exchange)) =
        (shape, tasks.layers[first.layer.0 as usize].exchange)
    else {
        return;
    };
    let missing = (0..*producers).filter(|&index| !tasks.is_in_memory(TaskId::new(*input, index))).count();
    assert_eq!(exchange.producers_left, missing as u64, "producers that are not in memory");
    let is_left = |&index: &u64| {
        let task = TaskId::new(first.layer, index);
        tasks.is_needed(task) && tasks.record(task).tag.is_unfinished()
    };
    assert_eq!(exchange.consumers_left, (0..*consumers).filter(is_left).count() as u64, "consumers to come");
}

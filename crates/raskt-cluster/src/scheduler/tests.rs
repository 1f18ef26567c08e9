//! What a journal comes to is the machine that there was.

use super::core::Core;
use super::gifts::WhyNot;
use super::names::StandIn;
use crate::driver::{Incoming, Network, NetworkOptions, Peer, inbox};
use crate::hello::{Identity, Introduction, Role};
use crate::journal::{Journal, JournalOptions, Record};
use crate::message::{Submission, ToClient};
use crate::{Security, Token};
use bytes::Bytes;
use proptest::prelude::*;
use raskt_graph::*;
use raskt_schedule::{Event, FailureScope, Import, RunId, Scheduler, TaskRange, TaskState, Time};
use raskt_value::wire::BodyForm;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Instant;

/// Tasks of a layer.
pub(super) const TASKS: u32 = 6;

/// Tasks that read nothing, or stand for those of another run; and for each one that reads it.
pub(super) fn graph() -> (Graph, Bytes) {
    let mut graph = GraphBuilder::new();
    let body = Arc::new(());
    let op = graph.op(Op { kind: OpKind::Array, name: "op".into(), digest: 1, flags: OpFlags::default(), body });
    let first = graph.layer(Layer::new("first", op, Shape::source(TASKS))).unwrap();
    let grid = Grid::new([TASKS]);
    let inputs = vec![MapInput::same(first, grid.clone())];
    graph.layer(Layer::new("second", op, Shape::Map { grid, inputs })).unwrap();
    let graph = graph.finish();
    let form = GraphForm::of(&graph, |_| Ok::<_, String>(BodyForm::Given(0))).unwrap();
    let bytes = postcard::to_stdvec(&form).unwrap();
    (graph, bytes.into())
}

pub(super) fn range(layer: u32, start: u64, end: u64) -> TaskRange {
    TaskRange { layer: LayerId(layer), start, end }
}

#[derive(Clone, Debug)]
enum Step {
    Submit { imports: Option<u64>, wanted: TaskRange },
    Release { run: u64, tasks: TaskRange },
    ReleaseRun(u64),
}

fn steps() -> impl Strategy<Value = Vec<Step>> {
    let tasks = (0..2_u32, 0..u64::from(TASKS), 1..4_u64)
        .prop_map(|(layer, start, len)| range(layer, start, (start + len).min(u64::from(TASKS))));
    let step = (0..7_u8, 0..6_u64, tasks).prop_map(|(kind, run, tasks)| match kind {
        0 | 1 => Step::Submit { imports: None, wanted: tasks },
        2 => Step::Submit { imports: Some(run), wanted: TaskRange { layer: LayerId(1), ..tasks } },
        3..=5 => Step::Release { run, tasks },
        _ => Step::ReleaseRun(run),
    });
    prop::collection::vec(step, 0..25)
}

/// The machine as it hears of clients, and a journal beside it.
struct Both {
    machine: Scheduler,
    journal: Journal,
    next: u64,
    known: BTreeSet<RunId>,
}

impl Both {
    fn step(&mut self, step: Step) {
        match step {
            Step::Submit { imports, wanted } => self.submit(imports, wanted),
            Step::Release { run, tasks } if self.known.contains(&RunId(run)) => {
                self.note(Record::Released { run: RunId(run), tasks: vec![tasks] });
                self.machine.handle_event(Time(0), Event::Released { run: RunId(run), tasks: vec![tasks] });
            }
            Step::ReleaseRun(run) if self.known.contains(&RunId(run)) => {
                self.note(Record::RunsReleased { runs: vec![RunId(run)] });
                self.machine.handle_event(Time(0), Event::RunReleased { run: RunId(run) });
            }
            _ => {}
        }
        let gone: Vec<_> = self.known.iter().copied().filter(|run| self.machine.progress(*run).is_none()).collect();
        gone.iter().for_each(|run| _ = self.known.remove(run));
        self.note(Record::Forgotten { runs: gone });
    }

    fn submit(&mut self, imports: Option<u64>, wanted: TaskRange) {
        let run = RunId(self.next);
        let (graph, bytes) = graph();
        let from = TaskId::new(LayerId(1), 0);
        let tasks = range(0, 0, u64::from(TASKS));
        let imports: Vec<_> = imports.map(|run| Import { tasks, run: RunId(run), from }).into_iter().collect();
        let (failure, wanted) = (FailureScope::Task, vec![wanted]);
        let event = Event::GraphAdded {
            run,
            parent: None,
            graph: Arc::new(graph),
            wanted: wanted.clone(),
            failure,
            imports: imports.clone(),
        };
        if self.machine.try_event(Time(0), event).is_ok() {
            let (given, given_at) = Default::default();
            let submission = Submission {
                run,
                mark: 7,
                named: vec![],
                parent: None,
                wanted,
                failure,
                imports,
                given,
                given_at,
                keeps: false,
                in_pieces: false,
            };
            self.journal.append(Record::Submitted { client: 0, submission }, bytes).unwrap();
            self.known.insert(run);
            self.next += 1;
        }
    }

    fn note(&mut self, record: Record) {
        self.journal.append(record, Bytes::new()).unwrap();
    }
}

/// Where every task of every run stands.
fn facts(machine: &Scheduler) -> Vec<String> {
    let of_run = |run| {
        let tasks = (0..2).flat_map(|layer| range(layer, 0, u64::from(TASKS)).tasks());
        // To one that misses nothing, nothing may have happened yet: then it waits, without a record.
        let state = |task| match machine.task_state(run, task) {
            Some(TaskState::Waiting { unfinished: 0 }) => Some(TaskState::Ready),
            state => state,
        };
        let states = tasks.map(|task| format!("{run:?} {task}: {:?}", state(task)));
        states.chain([format!("{run:?}: {:?}", machine.progress(run))]).collect::<Vec<_>>()
    };
    machine.known_runs(RunId(0), 100).into_iter().flat_map(of_run).collect()
}

/// What stands for the results of a run that something named refers to.
fn stand_ins(core: &Core, run: u64) -> Vec<RunId> {
    core.sharing
        .kept
        .get(&RunId(run))
        .map(|kept| kept.all().map(|(_, StandIn { run, .. })| *run).collect())
        .unwrap_or_default()
}

#[test]
fn what_is_held_back_keeps_nothing_else_that_a_name_refers_to_from_being_held() {
    let mut core = Core::new(Scheduler::new(1000));
    for (run, given) in [(0, vec![]), (1, vec![range(0, 0, u64::from(TASKS))]), (2, vec![])] {
        let (graph, bytes) = graph();
        let (run, wanted, failure) = (RunId(run), vec![range(1, 0, 3)], FailureScope::Task);
        let (mark, named, parent, imports, given_at, in_pieces) = Default::default();
        let keeps = false;
        let submission =
            Submission { run, mark, named, parent, wanted, failure, imports, given, given_at, keeps, in_pieces };
        core.submit(0, submission, (bytes, Arc::new(graph))).unwrap();
    }
    // One of them is held back, and of one there is nothing.
    let results =
        [(1, range(1, 0, 2)), (0, range(1, 0, 1)), (7, range(0, 0, 1)), (1, range(1, 4, 5)), (2, range(1, 1, 2))];
    core.hold_all(results.map(|(run, range)| (RunId(run), range)).to_vec());
    let held_back = |core: &Core, run: RunId| core.runs[&run].wanted_later.is_some();
    let [of_first, of_last] = [0, 2].map(|run| stand_ins(&core, run)[0]);
    assert!(!held_back(&core, of_first) && !held_back(&core, of_last));
    let waits = stand_ins(&core, 1);
    assert!(waits.iter().all(|&run| run == waits[0] && held_back(&core, run)) && waits.len() == 2);
    assert!(stand_ins(&core, 7).is_empty());
    // Their clients let go of them, and the data never comes.
    core.data_failed(RunId(1), &[range(0, 0, u64::from(TASKS))], WhyNot::Told("its client has left".into()));
    [0, 1, 2].into_iter().for_each(|run| core.release(RunId(run)));
    for run in [of_first, of_last] {
        assert!(core.machine.progress(run).is_some() && !core.runs[&run].is_released);
    }
    assert!(!held_back(&core, waits[0]) && core.machine.failure(waits[0], TaskId::new(LayerId(0), 0)).is_some());
    core.machine.validate();
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 60, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn whenever_it_begins_anew_the_machine_is_what_it_was(steps in steps()) {
        let folder = tempfile::tempdir().unwrap();
        let journal = Journal::open(folder.path(), JournalOptions::default()).unwrap();
        let mut both = Both { machine: Scheduler::new(1000), journal, next: 0, known: BTreeSet::new() };
        for (at, step) in steps.into_iter().enumerate() {
            both.step(step);
            if at % 3 == 0 {
                let copy = tempfile::tempdir().unwrap();
                std::fs::copy(folder.path().join("journal"), copy.path().join("journal")).unwrap();
                let mut core = Core::new(Scheduler::new(1000));
                core.restore(Journal::open(copy.path(), JournalOptions::default()).unwrap());
                core.machine.validate();
                prop_assert_eq!(facts(&core.machine), facts(&both.machine));
            }
        }
    }
}

/// What is refused since a power failure may lose it isn't done, and the next from the same client is written for good again.
#[test]
fn what_can_not_be_written_for_good_is_refused_until_it_can() {
    let folder = tempfile::tempdir().unwrap();
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let network = Network::start(NetworkOptions::new(Role::Scheduler, security).unwrap()).unwrap();
    let outbox = network
        .connect::<ToClient>(&"tcp://127.0.0.1:1".parse().unwrap(), Role::Client, inbox(|_: Incoming<()>| {}))
        .unwrap();
    let mut core = Core::new(Scheduler::new(1000));
    core.journal = Some(Journal::open(folder.path(), JournalOptions::default()).unwrap());
    let identity = Identity { process: 7, incarnation: 1 };
    let peer = Peer { role: Role::Client, identity, from: String::new(), introduction: Introduction::default() };
    let client = core.client_arrived(&peer, outbox);
    let submit = |core: &mut Core, run| {
        let (graph, bytes) = graph();
        let (wanted, failure, run) = (vec![range(1, 0, 3)], FailureScope::Task, RunId(run));
        let (mark, named, parent, given, imports, given_at, in_pieces) = Default::default();
        let keeps = false;
        let submission =
            Submission { run, mark, named, parent, wanted, failure, imports, given, given_at, keeps, in_pieces };
        core.submit(client, submission, (bytes, Arc::new(graph)))
    };
    for run in 0..2 {
        let _written = core.journal.as_mut().unwrap().lose_sync();
        let refused = submit(&mut core, run).unwrap_err();
        assert!(refused.contains("can't be written down") && core.runs.is_empty(), "{refused}");
        assert!(core.machine.known_runs(RunId(0), 9).is_empty());
        core.journal.as_mut().unwrap().try_now();
        core.write_down();
    }
    submit(&mut core, 2).unwrap();
    assert_eq!(core.machine.known_runs(RunId(0), 9), [RunId(2)]);
    drop(core);
    let journal = Journal::open(folder.path(), JournalOptions::default()).unwrap();
    assert_eq!(journal.ledger().runs().map(|(run, _)| run).collect::<Vec<_>>(), [RunId(2)]);
}

/// Who doesn't come back is waited for, and then no more: nothing of it is left, here or in the journal.
#[test]
fn who_does_not_come_back_leaves_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let open = || Journal::open(folder.path(), JournalOptions::default()).unwrap();
    let mut both = Both { machine: Scheduler::new(1000), journal: open(), next: 0, known: BTreeSet::new() };
    let identity = Identity { process: 7, incarnation: 1 };
    both.note(Record::Client { client: 0, identity, secret: [1; 16] });
    both.note(Record::WorkerIn { worker: 3, identity });
    both.submit(None, range(1, 0, 3));
    drop(both);
    let mut core = Core::new(Scheduler::new(1000));
    core.restore(open());
    assert!(core.recovery.is_some() && core.is_expected(0) && !core.is_due());
    assert_eq!((core.next_client, core.next_worker, core.machine.known_runs(RunId(0), 9).len()), (1, 4, 1));
    let now = Instant::now();
    core.recovery.iter_mut().for_each(|recovery| recovery.until = now);
    core.absent.until = Some(now);
    assert!(core.is_due());
    core.time_is_up();
    core.write_down();
    assert!(core.recovery.is_none() && !core.is_expected(0) && !core.is_due());
    assert!(core.machine.known_runs(RunId(0), 9).is_empty() && core.runs.is_empty());
    drop(core);
    let journal = open();
    assert_eq!((journal.runs(), journal.ledger().workers().count(), journal.ledger().clients().count()), (0, 0, 0));
    assert_eq!(journal.ledger().next_client(), 1, "its number is nobody else's");
}

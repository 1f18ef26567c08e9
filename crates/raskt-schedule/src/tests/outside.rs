//! Events that anybody may make up: those that the check lets through do no harm, whatever they say.

use super::graphs::*;
use super::liveness;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::sync::Arc;

/// A small number, or now and then one that is out of all bounds.
fn number(most: u64) -> impl Strategy<Value = u64> {
    prop_oneof![
        30 => 0..most,
        1 => prop_oneof![Just(u64::MAX), Just(u64::MAX - 1), Just(1 << 63), Just(u64::from(u32::MAX)), any::<u64>()],
    ]
}

fn range() -> impl Strategy<Value = TaskRange> {
    (number(8), number(7), number(5)).prop_map(|(layer, start, len)| {
        let end = if len == u64::MAX { 0 } else { start.saturating_add(len) };
        TaskRange { layer: LayerId(layer as u32), start, end }
    })
}

fn outcome() -> impl Strategy<Value = Outcome> {
    (0..6_u8, number(1000)).prop_map(|(kind, bytes)| match kind {
        0..=2 => Outcome::Done { bytes },
        3 => Outcome::Consumed { bytes },
        4 => Outcome::Failed,
        _ => Outcome::NotRun,
    })
}

#[derive(Clone, Debug)]
enum Step {
    /// Something that may be nonsense.
    Say(Event),
    /// A worker does what it was told, as a worker does.
    Work { at: usize, outcome: Outcome, nanoseconds: u64 },
}

/// Mostly such as can be: all tasks of a layer that reads nothing stand for tasks of another run of the same graph.
fn imports_of(graph: &Graph, index: u64, count: u64) -> Vec<Import> {
    let sources = graph.layers().filter(|(_, layer)| layer.shape.sources() == layer.len() && !layer.is_empty());
    let Some((own, layer)) =
        sources.min_by_key(|(id, _)| (u64::from(id.0) + count % 3) % 3).filter(|_| !count.is_multiple_of(5))
    else {
        return vec![];
    };
    let fits = graph.layers().filter(|(_, from)| from.len() >= layer.len()).map(|(id, _)| id);
    let Some(from) = fits.min_by_key(|id| (u64::from(id.0) + count / 3) % 5) else { return vec![] };
    let len = layer.len();
    // In one piece, or in two of different runs.
    let cut = if count.is_multiple_of(4) { len / 2 } else { len };
    let part = |start, end, run| {
        let tasks = TaskRange { layer: own, start, end };
        Import { tasks, run: RunId(run % 4), from: TaskId::new(from, start) }
    };
    vec![part(0, cut, index), part(cut, len, count)]
}

fn event(graph: Arc<Graph>) -> impl Strategy<Value = Event> {
    let ids = (number(3).prop_map(RunId), number(4).prop_map(|id| WorkerId(id as u32)), number(30));
    let said = (prop::collection::vec((range(), outcome()), 0..4), number(1 << 20), any::<bool>());
    (0..16_u8, ids, said, number(8)).prop_map(move |(kind, (run, worker, attempt), (groups, count, flag), index)| {
        let attempt = Attempt(attempt as u32);
        let tasks: Vec<TaskRange> = groups.iter().map(|(range, _)| *range).collect();
        let task = TaskId::new(tasks.first().map_or(LayerId(0), |range| range.layer), index);
        match kind {
            0 => Event::GraphAdded {
                run,
                parent: flag.then_some(RunId(index)),
                graph: graph.clone(),
                wanted: tasks,
                failure: if count % 2 == 0 { FailureScope::Task } else { FailureScope::Run },
                imports: imports_of(&graph, index, count),
            },
            1 if flag && count % 3 == 0 => Event::Retried { run, tasks },
            1 => Event::Wanted { run, tasks },
            2 => Event::Released { run, tasks },
            3 => Event::Scattered { run, tasks, worker, bytes: count },
            4 if flag => Event::RunReleased { run },
            4 | 5 => Event::WorkerJoined { worker, offer: Offer { memory: count, ..Offer::slots(index as u32) } },
            6 if flag && count % 3 == 1 => Event::WorkerLends { worker, slots: index as u32 },
            6 if !flag && count % 3 == 1 => Event::Waits { worker, run, attempt, does: index % 2 == 0 },
            6 if flag && count % 3 == 0 => Event::WorkerRenamed { worker, name: index.to_string().into() },
            6 => Event::WorkerResized { worker, slots: index as u32, memory: count },
            7 => Event::WorkerLost { worker, cause: if flag { LossCause::Died } else { LossCause::Retired } },
            8 => Event::ResultsLost { worker, run, tasks },
            9 => Event::Started { worker, run, attempt },
            10 if flag => Event::CopiesDropped { worker, run, tasks },
            10 => Event::Fetched { worker, run, tasks },
            11 => Event::FetchFailed {
                worker,
                run,
                attempt,
                input_run: RunId(count % 4),
                task,
                from: WorkerId(index as u32),
                reached: flag,
            },
            12 if flag => Event::Unsendable {
                worker,
                run,
                attempt,
                reader: task,
                from: WorkerId(index as u32),
                is_deadly: index % 2 == 0,
            },
            12 => Event::Recalled { worker, run, attempt, tasks },
            13 => Event::SlotsLent { worker, run, slots: count as u32 },
            14 => Event::SlotsReturned { worker, run, slots: index as u32 },
            _ => Event::Reported { worker, report: Report { run, attempt, outcomes: groups, nanoseconds: count } },
        }
    })
}

/// Sources that state what nobody can believe.
fn costly() -> impl Strategy<Value = Graph> {
    (number(1000), number(1000), number(1000)).prop_map(|(nanoseconds, output_bytes, scratch_bytes)| {
        let mut builder = GraphBuilder::new();
        let op = op(&mut builder);
        let cost = Cost { nanoseconds, output_bytes, scratch_bytes };
        let sources = builder.layer(Layer::new("sources", op, Shape::source(5)).with_cost(cost)).unwrap();
        let grid = Grid::new([5]);
        let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(sources, grid)] };
        builder.layer(Layer::new("readers", op, shape).with_cost(cost)).unwrap();
        builder.finish()
    })
}

fn steps() -> impl Strategy<Value = (Arc<Graph>, Vec<Step>)> {
    prop_oneof![4 => graphs().boxed(), 1 => costly().boxed()].prop_map(Arc::new).prop_flat_map(|graph| {
        let work = (any::<usize>(), outcome(), number(10_000));
        let work = work.prop_map(|(at, outcome, nanoseconds)| Step::Work { at, outcome, nanoseconds });
        let step = prop_oneof![2 => event(graph.clone()).prop_map(Step::Say), 1 => work];
        (Just(graph), prop::collection::vec(step, 0..60))
    })
}

/// Those of a record that somebody may have damaged.
fn settings() -> impl Strategy<Value = Settings> {
    let admission = (number(4), number(1 << 30));
    let admission =
        admission.prop_map(|(producers_part, patience_nanoseconds)| Admission { producers_part, patience_nanoseconds });
    let prefill = prop_oneof![Just(0), number(5000)];
    let rebalance = (prefill, number(16), number(2), number(2), number(2));
    let rebalance = rebalance.prop_map(|(prefill_nanoseconds, ahead_per_slot, asking, asked, assignments)| Rebalance {
        prefill_nanoseconds,
        ahead_per_slot,
        asking_workers: asking,
        asked_workers: asked,
        asked_assignments: assignments,
    });
    let order = prop_oneof![Just(Order::FairShares), Just(Order::FirstComeFirstServed)];
    let numbers = (number(200_000), number(4), any::<bool>());
    (numbers, order, admission, rebalance).prop_map(|((credit, deaths, heeds), order, admission, rebalance)| Settings {
        credit_nanoseconds: credit,
        deaths: deaths as u32,
        heeds_requirements: heeds,
        order,
        admission,
        rebalance,
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 3000, ..ProptestConfig::default() })]

    #[test]
    fn what_the_check_lets_through_does_no_harm((graph, steps) in steps(), settings in settings()) {
        let mut scheduler = Scheduler::with(settings, Arc::new(SoonestStart::default()));
        let all = graph.layers().map(|(layer, found)| TaskRange { layer, start: 0, end: found.len() });
        let wanted = all.filter(|range| range.layer.0 % 2 == 0).collect();
        scheduler.handle_event(Time(0), added(RunId(1), None, graph, wanted));
        scheduler.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(1), offer: Offer::slots(2) });
        let mut assigned: Vec<(WorkerId, Assignment)> = vec![];
        for step in steps {
            let event = match step {
                Step::Say(event) => event,
                Step::Work { .. } if assigned.is_empty() => continue,
                Step::Work { at, outcome, nanoseconds } => {
                    let (worker, Assignment { run, attempt, tasks, .. }) = assigned.swap_remove(at % assigned.len());
                    let outcomes = tasks.into_iter().map(|range| (range, outcome)).collect();
                    Event::Reported { worker, report: Report { run, attempt, outcomes, nanoseconds } }
                }
            };
            if scheduler.check(&event).is_err() {
                continue;
            }
            scheduler.handle_event(Time(0), event);
            while let Some(action) = scheduler.poll_action() {
                if let Action::Assign { worker, assignment } = action {
                    assigned.push((worker, assignment));
                }
            }
            scheduler.validate();
        }
    }
}

#[test]
fn what_is_refused_is_named() {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    builder.layer(Layer::new("numbers", op, Shape::source(3))).unwrap();
    let graph = Arc::new(builder.finish());
    let mut scheduler = Scheduler::new(1000);
    let run = RunId(7);
    let range = |layer, start, end| vec![TaskRange { layer: LayerId(layer), start, end }];
    let added = |wanted| added(run, None, graph.clone(), wanted);
    let told = |scheduler: &Scheduler, event| scheduler.check(&event).unwrap_err().to_string();
    assert_eq!(told(&scheduler, added(range(1, 0, 1))), "tasks of layer 1, and the graph has 1 layers");
    assert_eq!(told(&scheduler, added(range(0, 2, 4))), "tasks 2 to 4 of layer `numbers`, which has 3 tasks");
    assert_eq!(told(&scheduler, added(range(0, 2, 1))), "tasks 2 to 1 of layer `numbers`, which has 3 tasks");
    scheduler.try_event(Time(0), added(range(0, 0, 3))).unwrap();
    assert_eq!(told(&scheduler, added(vec![])), "run 7 was submitted before");
    let joined = || Event::WorkerJoined { worker: WorkerId(2), offer: Offer::slots(1) };
    scheduler.try_event(Time(0), joined()).unwrap();
    assert_eq!(told(&scheduler, joined()), "worker 2 has joined before");
    let task = TaskId::new(LayerId(0), u64::MAX);
    let failed = Event::FetchFailed {
        worker: WorkerId(2),
        run,
        attempt: Attempt(1),
        input_run: run,
        task,
        from: WorkerId(2),
        reached: true,
    };
    assert!(told(&scheduler, failed).ends_with("of layer `numbers`, which has 3 tasks"));
    let outcomes = vec![(range(0, 0, 1)[0], Outcome::Done { bytes: u64::MAX })];
    let report = Report { run, attempt: Attempt(1), outcomes, nanoseconds: 1 };
    assert!(told(&scheduler, Event::Reported { worker: WorkerId(2), report }).contains("18446744073709551615 bytes"));
}

/// Sources and one task that reads them all, of which all are wanted; the worker runs everything as soon as it comes.
fn told_of(sources: u32, bytes: impl Fn(u64) -> u64, handle: impl Fn(&mut Scheduler, Event)) {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let layer = builder.layer(Layer::new("sources", op, Shape::source(sources))).unwrap();
    let grid = Grid::new([sources]);
    builder
        .layer(Layer::new("sum", op, Shape::Reduce { input: layer, grid, fan_in: [sources].into_iter().collect() }))
        .unwrap();
    let mut scheduler = Scheduler::new(1 << 40);
    let (run, worker) = (RunId(1), WorkerId(1));
    let all = TaskRange { layer, start: 0, end: sources.into() };
    let graph = Arc::new(builder.finish());
    handle(&mut scheduler, added(run, None, graph, vec![all, TaskRange::one(TaskId::new(LayerId(1), 0))]));
    handle(&mut scheduler, Event::WorkerJoined { worker, offer: Offer { memory: 1000, ..Offer::slots(1) } });
    while let Some(action) = scheduler.poll_action() {
        let Action::Assign { assignment, .. } = action else { continue };
        if assignment.tasks[0].layer == layer {
            let mut outcomes = vec![];
            for task in assignment.tasks.iter().flat_map(|range| range.tasks()) {
                Outcome::push(&mut outcomes, task, Outcome::Done { bytes: bytes(task.index) });
            }
            let report = Report { run, attempt: assignment.attempt, outcomes, nanoseconds: 1000 };
            handle(&mut scheduler, Event::Reported { worker, report });
        }
    }
    // They are counted to what the worker holds from here on, and wait for the sum.
    handle(&mut scheduler, Event::Released { run, tasks: vec![all] });
    scheduler.validate();
    handle(&mut scheduler, Event::RunReleased { run });
    assert_eq!(scheduler.leftovers(), None);
}

/// A size is told for the results of a report, and counts for all of the layer.
#[test]
fn sizes_that_the_check_lets_through_can_be_added_up() {
    told_of(
        66_000,
        |index| if index + 1 == 66_000 { 1 << 48 } else { 8 },
        |scheduler, event| {
            scheduler.try_event(Time(0), event).expect("no result is larger than can be");
        },
    );
}

/// Within the process nothing is checked: a user's class may say anything of its objects.
#[test]
fn sizes_that_nobody_checks_can_be_added_up() {
    let mut outcomes = vec![];
    for index in 0..4 {
        Outcome::push(&mut outcomes, TaskId::new(LayerId(0), index), Outcome::Done { bytes: 1 << 62 });
    }
    assert_eq!(outcomes.len(), 1, "neighbours that ended alike");
    told_of(2000, |_| u64::MAX, |scheduler, event| scheduler.handle_event(Time(0), event));
    told_of(
        2000,
        |index| if index % 2 == 0 { 1 << 62 } else { 0 },
        |scheduler, event| {
            scheduler.handle_event(Time(0), event);
        },
    );
}

#[test]
fn a_credit_that_is_out_of_all_bounds_is_a_long_one() {
    let rebalance = Rebalance { prefill_nanoseconds: u64::MAX, ..Rebalance::default() };
    let settings = Settings { credit_nanoseconds: u64::MAX, rebalance, ..Settings::default() };
    let mut scheduler = Scheduler::with(settings, Arc::new(SoonestStart::default()));
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let layer = builder.layer(Layer::new("tasks", op, Shape::source(64))).unwrap();
    let wanted = vec![TaskRange { layer, start: 0, end: 64 }];
    scheduler.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(1), offer: Offer::slots(4) });
    let graph = Arc::new(builder.finish());
    scheduler.handle_event(Time(0), added(RunId(1), None, graph, wanted));
    scheduler.validate();
}

/// More tasks than anybody could look at one by one, of which very few have been handed out.
#[test]
fn what_is_said_of_very_many_tasks_takes_no_longer_than_what_was_handed_out() {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let grid = Grid::new([1 << 20, 1 << 20]);
    let made = graph.layer(Layer::new("made", op, Shape::Map { grid, inputs: vec![] })).unwrap();
    let all = TaskRange { layer: made, start: 0, end: 1 << 40 };
    let mut s = Scheduler::new(1);
    let (run, worker) = (RunId(1), WorkerId(0));
    let mut handle = |event: Event| {
        s.try_event(Time(0), event).unwrap();
        liveness::drain(&mut s)
    };
    handle(Event::WorkerJoined { worker, offer: Offer::slots(1) });
    let graph = Arc::new(graph.finish());
    let given = handle(added(run, None, graph, vec![all]));
    let [(_, given)] = &liveness::assigns(&given)[..] else { panic!("{given:?}") };
    assert_eq!(given.tasks, [TaskRange { end: 1, ..all }]);
    handle(Event::ResultsLost { worker, run, tasks: vec![all] });
    let discarded = |actions: &[Action]| {
        let tasks = |action: &Action| if let Action::Discard { tasks, .. } = action { tasks.clone() } else { vec![] };
        actions.iter().flat_map(tasks).collect::<Vec<_>>()
    };
    let fetched = handle(Event::Fetched { worker, run, tasks: vec![all] });
    assert_eq!(TaskRange::count(&discarded(&fetched)), all.len() - 1, "what is at work may come to be what it has");
    let back = handle(Event::Recalled { worker, run, attempt: given.attempt, tasks: vec![all] });
    let [(_, again)] = &liveness::assigns(&back)[..] else { panic!("{back:?}") };
    for outcome in [Outcome::NotRun, Outcome::Consumed { bytes: 8 }, Outcome::Done { bytes: 8 }] {
        let report = Report { run, attempt: given.attempt, outcomes: vec![(all, outcome)], nanoseconds: 1 };
        handle(Event::Reported { worker, report });
    }
    let outcomes = vec![(all, Outcome::Done { bytes: 8 })];
    let done =
        handle(Event::Reported { worker, report: Report { run, attempt: again.attempt, outcomes, nanoseconds: 1 } });
    assert_eq!(TaskRange::count(&discarded(&done)), all.len() - 1, "all but the one that it was given");
    let [(_, third)] = &liveness::assigns(&done)[..] else { panic!("{done:?}") };
    let outcomes = vec![(all, Outcome::Failed)];
    let report = Report { run, attempt: third.attempt, outcomes, nanoseconds: 1 };
    assert!(matches!(handle(Event::Reported { worker, report })[..], [Action::Failed { .. }, ..]));
}

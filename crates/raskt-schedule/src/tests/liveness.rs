//! Nobody is passed, asked for in vain, or due for ever.

use super::graphs::added;
use super::graphs::op;
use super::lent::{Cluster, layers, nothing};
use super::shares::head;
use super::world::{RUN, World, soonest_start};
use crate::run_queue::RunQueue;
use crate::*;
use raskt_graph::*;
use std::ops::Bound;
use std::sync::Arc;

pub fn with(name: &str, amount: u64) -> Arc<Annotations> {
    Arc::new(Annotations { resources: [(name.into(), amount)].into(), ..Annotations::default() })
}

pub fn one_layer(tasks: u32, annotations: Option<Arc<Annotations>>) -> Arc<Graph> {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let layer = Layer::new("t", op, Shape::source(tasks));
    let layer = match annotations {
        Some(annotations) => Layer { annotations, ..layer },
        None => layer,
    };
    graph.layer(layer).unwrap();
    Arc::new(graph.finish())
}

pub fn all(graph: &Graph) -> Vec<TaskRange> {
    graph.layers().map(|(layer, l)| TaskRange { layer, start: 0, end: l.len() }).collect()
}

pub fn drain(s: &mut Scheduler) -> Vec<Action> {
    std::iter::from_fn(|| s.poll_action()).collect()
}

pub fn assigns(actions: &[Action]) -> Vec<(WorkerId, Assignment)> {
    actions
        .iter()
        .filter_map(|a| match a {
            Action::Assign { worker, assignment } => Some((*worker, assignment.clone())),
            _ => None,
        })
        .collect()
}

pub fn done(worker: WorkerId, a: &Assignment, nanoseconds: u64) -> Event {
    let outcomes = a.tasks.iter().map(|&r| (r, Outcome::Done { bytes: 8 * r.len() })).collect();
    Event::Reported { worker, report: Report { run: a.run, attempt: a.attempt, outcomes, nanoseconds } }
}

/// Goes on for ever if somebody who is noted again at once is due again at once.
fn try_two_who_require_much(settings: Settings, now: Time) {
    let mut s = Scheduler::with(settings, soonest_start());
    let resources = [("gpu".into(), 1000)].into();
    s.try_event(now, Event::WorkerJoined { worker: WorkerId(0), offer: Offer { resources, ..Offer::slots(4) } })
        .unwrap();
    for run in [1, 2] {
        let graph = one_layer(1, Some(with("gpu", 1000)));
        let wanted = all(&graph);
        s.try_event(now, added(RunId(run), None, graph, wanted)).unwrap();
    }
    s.try_event(now, Event::TimePassed).unwrap();
    s.validate();
}

#[test]
fn nobody_is_due_again_at_once() {
    let admission = Admission { patience_nanoseconds: 0, ..Admission::default() };
    try_two_who_require_much(Settings { admission, ..Settings::default() }, Time(0));
}

#[test]
fn time_may_be_at_its_end() {
    try_two_who_require_much(Settings::default(), Time(u64::MAX));
}

/// An idle worker asks for what its owner begins at that moment.
#[test]
fn what_has_begun_is_waited_for_by_nobody() {
    let rebalance = Rebalance { prefill_nanoseconds: 1 << 40, ..Rebalance::default() };
    let mut s = Scheduler::with(Settings { credit_nanoseconds: 1, rebalance, ..Settings::default() }, soonest_start());
    s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(0), offer: Offer::slots(1) });
    let g = one_layer(2, None);
    s.handle_event(Time(0), added(RunId(9), None, g.clone(), all(&g)));
    let g = one_layer(6, None);
    s.handle_event(Time(0), added(RunId(1), None, g.clone(), all(&g)));
    let given = assigns(&drain(&mut s));
    // The worker has all eight, in the order of the hand-outs; it begins the first.
    assert_eq!(given.len(), 8, "{given:?}");
    let start = |s: &mut Scheduler, a: &Assignment| {
        s.handle_event(Time(0), Event::Started { worker: WorkerId(0), run: a.run, attempt: a.attempt })
    };
    start(&mut s, &given[0].1);
    s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(1), offer: Offer::slots(1) });
    let recalled: Vec<_> = drain(&mut s)
        .into_iter()
        .filter_map(|a| match a {
            Action::Recall { run, attempt, .. } => Some((run, attempt)),
            _ => None,
        })
        .collect();
    let second = &given[1].1;
    assert_eq!(recalled, [(second.run, second.attempt)]);
    // It has ended the first and begun the second when it hears of that: it has nothing to say to it.
    let report = done(WorkerId(0), &given[0].1, 100);
    s.handle_event(Time(1), report);
    start(&mut s, second);
    s.handle_event(Time(2), Event::TimePassed);
    let asked = drain(&mut s).into_iter().any(|a| matches!(a, Action::Recall { .. }));
    assert!(asked, "six assignments wait behind a long one, and a worker with nothing to do isn't given any");
}

/// What it is at it ends, and nothing that it was given in advance keeps it from leaving.
#[test]
fn who_is_given_no_more_gives_back_what_it_has_not_begun() {
    let mut world = World::ahead(1, 1 << 40);
    (0..2).for_each(|_| world.join(1));
    let graph = one_layer(8, None);
    world.handle(added(RUN, None, graph.clone(), all(&graph)));
    assert_eq!(world.assigned.len(), 8);
    let (worker, first) = world.assigned[0].clone();
    world.handle(Event::Started { worker, run: RUN, attempt: first.attempt });
    world.handle(Event::WorkerResized { worker, slots: 0, memory: u64::MAX });
    let of_it: Vec<_> = world.assigned.iter().filter(|(it, _)| *it == worker).collect();
    assert!(of_it == [&(worker, first)] && world.assigned.len() == 8, "the other one has the rest");
    world.run_to_the_end(&graph);
    assert_eq!(world.held(), 8);
}

/// What no other worker may run is run by it, as long as it is there.
#[test]
fn what_only_one_that_is_given_no_more_may_run_stays_with_it() {
    let rebalance = Rebalance { prefill_nanoseconds: 1 << 40, ..Rebalance::default() };
    let settings = Settings { credit_nanoseconds: 1, rebalance, ..Settings::default() };
    for (others, recalls) in [(vec![], 0), (vec!["other"], 0), (vec!["second"], 7), (vec!["other", "second"], 7)] {
        let mut s = Scheduler::with(settings, soonest_start());
        let annotations = Annotations { workers: vec!["first".into(), "second".into()], ..Annotations::default() };
        let join = |s: &mut Scheduler, worker, name: &str| {
            let offer = Offer { name: name.into(), ..Offer::slots(1) };
            s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(worker), offer });
        };
        join(&mut s, 0, "first");
        let graph = one_layer(8, Some(Arc::new(annotations)));
        s.handle_event(Time(0), added(RunId(1), None, graph.clone(), all(&graph)));
        let given = assigns(&drain(&mut s));
        assert_eq!(given.len(), 8);
        let Assignment { run, attempt, .. } = given[0].1;
        s.handle_event(Time(0), Event::Started { worker: WorkerId(0), run, attempt });
        others.iter().zip(1..).for_each(|(name, worker)| join(&mut s, worker, name));
        let stolen = drain(&mut s).iter().filter(|action| matches!(action, Action::Recall { .. })).count();
        s.handle_event(Time(0), Event::WorkerResized { worker: WorkerId(0), slots: 0, memory: u64::MAX });
        let asked = drain(&mut s).iter().filter(|action| matches!(action, Action::Recall { .. })).count();
        assert_eq!(stolen + asked, recalls);
        s.validate();
    }
}

/// Who is woken in the middle of a walk through the line has its turn all the same.
#[test]
fn who_is_woken_behind_the_walk_has_its_turn() {
    let mut s = Scheduler::with(Settings { credit_nanoseconds: 1, ..Settings::default() }, soonest_start());
    let resources = [("gpu".into(), 2000), ("b".into(), 1000)].into();
    s.handle_event(
        Time(0),
        Event::WorkerJoined { worker: WorkerId(0), offer: Offer { resources, ..Offer::slots(16) } },
    );
    let chain = |parts: &[(u32, Option<Arc<Annotations>>)]| {
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        for (tasks, annotations) in parts {
            let layer = Layer::new("t", op, Shape::source(*tasks));
            graph
                .layer(match annotations {
                    Some(a) => Layer { annotations: a.clone(), ..layer },
                    None => layer,
                })
                .unwrap();
        }
        Arc::new(graph.finish())
    };
    let mut given: Vec<(WorkerId, Assignment)> = vec![];
    let tell = |s: &mut Scheduler, given: &mut Vec<(WorkerId, Assignment)>, e: Event| {
        s.handle_event(Time(0), e);
        given.extend(assigns(&drain(s)));
        s.validate();
    };
    let add = |run: u64, graph: Arc<Graph>| added(RunId(run), None, graph.clone(), all(&graph));
    // Somebody has all of b for long.
    tell(&mut s, &mut given, add(50, chain(&[(1, Some(with("b", 1000)))])));
    // H has both GPUs, and then requires b.
    let h = {
        let mut graph = GraphBuilder::new();
        let op = op(&mut graph);
        let first =
            graph.layer(Layer { annotations: with("gpu", 2000), ..Layer::new("h", op, Shape::source(1)) }).unwrap();
        let grid = Grid::new([1]);
        let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(first, grid)] };
        graph.layer(Layer { annotations: with("b", 1000), ..Layer::new("h2", op, shape) }).unwrap();
        Arc::new(graph.finish())
    };
    tell(&mut s, &mut given, add(2, h));
    // Z1 asks for a GPU first, and has a task without; Z2 asks after it has had a little.
    tell(&mut s, &mut given, add(3, chain(&[(1, None), (1, Some(with("gpu", 1000)))])));
    tell(
        &mut s,
        &mut given,
        add(1, {
            let mut graph = GraphBuilder::new();
            let op = op(&mut graph);
            let first = graph.layer(Layer::new("a", op, Shape::source(1))).unwrap();
            let grid = Grid::new([1]);
            let shape = Shape::Map { grid: grid.clone(), inputs: vec![MapInput::same(first, grid)] };
            graph.layer(Layer { annotations: with("gpu", 1000), ..Layer::new("b", op, shape) }).unwrap();
            Arc::new(graph.finish())
        }),
    );
    let take = |given: &mut Vec<(WorkerId, Assignment)>, run: u64, layer: u32| {
        let at = given
            .iter()
            .position(|(_, a)| a.run.0 == run && a.tasks[0].layer.0 == layer)
            .unwrap_or_else(|| panic!("run {run} layer {layer} has it: {given:?}"));
        given.remove(at)
    };
    let (w, a) = take(&mut given, 1, 0);
    tell(&mut s, &mut given, done(w, &a, 500));
    let (w, a) = take(&mut given, 3, 0);
    tell(&mut s, &mut given, done(w, &a, 1_000_000_000));
    let (w, a) = take(&mut given, 2, 0);
    tell(&mut s, &mut given, done(w, &a, 1000));
    let with_gpu: Vec<_> =
        given.iter().filter(|(_, a)| a.tasks[0].layer.0 == 1 && a.run.0 != 2).map(|(_, a)| a.run.0).collect();
    tell(&mut s, &mut given, Event::TimePassed);
    let later: Vec<_> =
        given.iter().filter(|(_, a)| a.tasks[0].layer.0 == 1 && a.run.0 != 2).map(|(_, a)| a.run.0).collect();
    assert_eq!(
        with_gpu.len(),
        2,
        "both GPUs are free, and both who ask for one have it: {with_gpu:?}; at the next event {later:?}"
    );
}

/// What a worker gives back that it never had.
#[test]
fn what_one_has_nobody_else_gives_back() {
    let mut s = Scheduler::new(1);
    for w in [0, 1] {
        s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(w), offer: Offer::slots(1) });
    }
    let g = one_layer(1, None);
    s.handle_event(Time(0), added(RunId(1), None, g.clone(), all(&g)));
    let given = assigns(&drain(&mut s));
    let (owner, a) = &given[0];
    let other = WorkerId(1 - owner.0);
    let event = Event::Recalled { worker: other, run: RunId(1), attempt: a.attempt, tasks: a.tasks.clone() };
    if s.try_event(Time(0), event).is_err() {
        return;
    }
    let again = assigns(&drain(&mut s));
    assert!(again.is_empty(), "the task runs at {owner:?} and is handed out again: {again:?}");
}

#[test]
fn memory_goes_to_the_highest_priority_first() {
    let mut queue = RunQueue::new(Order::FairShares);
    for run in 1..=6 {
        queue.add(RunId(run), None);
        queue.stand(RunId(run), 0, head(if run == 6 { 10 } else { 0 }));
        queue.hold_back(RunId(run), 0);
    }
    queue.wake_some(4);
    assert_eq!(queue.next(Bound::Unbounded).map(|next| next.run()), Some(RunId(6)));
}

/// Whoever is awake already takes no memory from those of a higher priority; and all that are, be they ever so many, aren't asked
/// whenever somebody is woken: that would take minutes.
#[test]
fn a_higher_priority_is_woken_beside_many_that_are_awake() {
    let mut queue = RunQueue::new(Order::FairShares);
    let runs = 50_000;
    let add = |queue: &mut RunQueue, run, priority| {
        queue.add(RunId(run), None);
        queue.stand(RunId(run), 0, head(priority));
        queue.hold_back(RunId(run), 0);
    };
    (0..runs).for_each(|run| add(&mut queue, run, (run % 7) as i32));
    (0..runs).for_each(|run| queue.wake_one(RunId(run), 0));
    add(&mut queue, runs, 6);
    (0..100_000).for_each(|_| queue.wake_some(4));
    assert_eq!(queue.next(Bound::Unbounded).map(|next| next.run()), Some(RunId(6)), "it is held back as before");
    assert_eq!(queue.parked_for().count(), 1);
    // The others of its priority have had their turns, or have come to have another one.
    for run in (0..runs).filter(|run| run % 7 == 6) {
        match run % 2 {
            0 => queue.look_at(RunId(run), 0),
            _ => queue.stand(RunId(run), 0, head(0)),
        }
    }
    queue.wake_some(4);
    assert_eq!(queue.parked_for().count(), 0);
    queue.validate((0..=runs).map(RunId));
}

/// It takes a minute until a worker gives up to fetch; a way that was closed is taken for open again after half of one.
#[test]
fn a_copy_that_cannot_be_reached_counts_as_lost_however_long_it_takes_to_find_out() {
    for others in [1, 2, 20] {
        let mut cluster = Cluster::new();
        cluster.join(0, 1, 0);
        cluster.submit(1, None, layers(vec![nothing(); 2], true));
        // The result is on the first worker, which has something else to do then.
        cluster.submit(2, None, layers(vec![Annotations { priority: 1, ..nothing() }], false));
        cluster.end(0, 1);
        assert_eq!(cluster.start(2), 0, "it takes hours");
        (1..=others).for_each(|worker| cluster.join(worker, 1, 0));
        let mut tries = 0;
        while let Some((worker, attempt)) = cluster.fetching(1) {
            tries += 1;
            assert!(tries <= 4, "it is tried again and again ({others} others)");
            cluster.now.0 += 60_000_000_000;
            let (run, task, from) = (RunId(1), TaskId::new(LayerId(0), 0), WorkerId(0));
            cluster.handle(Event::FetchFailed { worker, run, attempt, input_run: run, task, from, reached: false });
        }
        assert!(cluster.only(1).is_some(), "it is made again");
    }
}

/// Workers that are idle, and stand first among those, can't take what waits; one behind them can. Nobody asks for some of it by
/// then, so that it isn't watched who could.
#[test]
fn those_with_nothing_to_do_who_can_take_nothing_keep_nothing_from_another() {
    for others in [1, 20] {
        let rebalance = Rebalance { prefill_nanoseconds: 1 << 40, ..Rebalance::default() };
        let settings = Settings { credit_nanoseconds: 1, rebalance, ..Settings::default() };
        let mut s = Scheduler::with(settings, soonest_start());
        let join = |s: &mut Scheduler, worker, name: &str| {
            let offer = Offer { name: name.into(), ..Offer::slots(1) };
            s.handle_event(Time(0), Event::WorkerJoined { worker: WorkerId(worker), offer });
        };
        (0..others).for_each(|worker| join(&mut s, worker, "other"));
        join(&mut s, 100, "first");
        let mut given = vec![];
        for run in 0..12 {
            let workers = vec!["first".into(), "second".into(), format!("none {run}")];
            let annotations = Arc::new(Annotations { workers, ..Annotations::default() });
            let graph = one_layer(1, Some(annotations));
            let wanted = all(&graph);
            s.handle_event(Time(0), added(RunId(run), None, graph, wanted));
            given.extend(assigns(&drain(&mut s)));
        }
        assert!(given.len() == 12 && given.iter().all(|(worker, _)| worker.0 == 100), "{given:?}");
        let Assignment { run, attempt, .. } = given[11].1;
        s.handle_event(Time(0), Event::Started { worker: WorkerId(100), run, attempt });
        join(&mut s, 101, "second");
        let recalled: Vec<_> = drain(&mut s)
            .into_iter()
            .filter_map(|action| match action {
                Action::Recall { run, .. } => Some(run.0),
                _ => None,
            })
            .collect();
        assert_eq!(recalled, [10], "one for the one that could take it, beside {others} others");
        s.validate();
    }
}

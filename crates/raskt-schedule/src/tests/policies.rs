//! The rules by which the scheduler decides, as values, and as flight records tell of them.

use super::changes::{Step, play, steps};
use super::graphs::*;
use super::world::*;
use crate::policy::Policy;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::sync::Arc;

/// A driver's own rule: so many after the first.
#[derive(Debug)]
struct Nth(u64);

impl Placement for Nth {
    fn name(&self) -> &str {
        "nth"
    }

    fn numbers(&self) -> Vec<u64> {
        vec![self.0]
    }

    fn choose(&self, candidates: &[Candidate]) -> usize {
        self.0 as usize % candidates.len()
    }
}

fn nth(name: &str, numbers: &[u64]) -> Option<Arc<dyn Placement>> {
    match (name, numbers) {
        ("nth", &[n]) => Some(Arc::new(Nth(n))),
        _ => None,
    }
}

fn settings() -> impl Strategy<Value = Settings> {
    let order = prop_oneof![Just(Order::FairShares), Just(Order::FirstComeFirstServed)];
    let admission = (1..4_u64, 0..2000_u64);
    let rebalance = (prop_oneof![Just(0), Just(5000)], 0..4_u64, 0..2_u64);
    (order, admission, rebalance).prop_map(
        |(order, admission, (prefill_nanoseconds, ahead_per_slot, asking_workers))| {
            let (producers_part, patience_nanoseconds) = admission;
            let admission = Admission { producers_part, patience_nanoseconds };
            let rebalance = Rebalance { prefill_nanoseconds, ahead_per_slot, asking_workers, ..Rebalance::default() };
            Settings { credit_nanoseconds: 300, order, admission, rebalance, ..Settings::default() }
        },
    )
}

fn recorded(
    settings: Settings,
    placement: &Arc<dyn Placement>,
    graph: &Graph,
    steps: &[Step],
) -> (Vec<u8>, Vec<Action>) {
    let mut world = World::placed_by(settings, placement);
    play(graph, &mut world, steps, 10);
    (world.record.take(), world.trace)
}

fn replayed(flight: &Flight) -> Vec<Action> {
    flight.replay().flat_map(Result::unwrap).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_record_is_replayed_by_the_rules_that_it_was_made_under(
        graph in graphs(),
        steps in steps(60),
        settings in settings(),
        picoseconds_a_byte in prop_oneof![Just(0), Just(1000), any::<u64>()],
    ) {
        let placement: Arc<dyn Placement> = Arc::new(SoonestStart { picoseconds_a_byte });
        let (bytes, trace) = recorded(settings, &placement, &graph, &steps);
        let flight = Flight::read(&bytes).unwrap();
        prop_assert_eq!(flight.settings, settings);
        prop_assert_eq!(flight.placement.numbers(), [picoseconds_a_byte]);
        prop_assert_eq!(replayed(&flight), trace);
    }

    #[test]
    fn so_is_one_with_a_placement_of_the_drivers_own(graph in graphs(), steps in steps(60), n in 0..5_u64) {
        let placement: Arc<dyn Placement> = Arc::new(Nth(n));
        let (bytes, trace) = recorded(Settings::default(), &placement, &graph, &steps);
        let flight = Flight::read_with(&bytes, nth).unwrap();
        prop_assert_eq!(flight.placement.numbers(), [n]);
        prop_assert_eq!(replayed(&flight), trace);
    }
}

/// Two workers of which the second holds what a task reads. Whoever reads it is one or the other, by the rule that was
/// at work.
#[test]
fn another_placement_gives_other_actions_and_is_replayed_all_the_same() {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let cost = Cost { output_bytes: 1 << 30, ..Cost::default() };
    let source = builder.layer(Layer::new("source", op, Shape::source(1)).with_cost(cost)).unwrap();
    let shape = Shape::Reduce { input: source, grid: Grid::new([1]), fan_in: [1].into_iter().collect() };
    let reader = builder.layer(Layer::new("reader", op, shape)).unwrap();
    let (graph, source) = (Arc::new(builder.finish()), TaskRange::one(TaskId::new(source, 0)));
    let reader_of = |placement: Arc<dyn Placement>| {
        let mut world = World::placed_by(Settings::default(), &placement);
        (0..2).for_each(|_| world.join(1));
        world.handle(added(RUN, None, graph.clone(), vec![]));
        world.handle(Event::Scattered { run: RUN, tasks: vec![source], worker: WorkerId(1), bytes: 1 << 30 });
        world.handle(Event::Wanted { run: RUN, tasks: TaskRange::of([TaskId::new(reader, 0)]) });
        let flight = Flight::read_with(&world.record.take(), nth).unwrap();
        assert_eq!(replayed(&flight), world.trace, "{placement:?}");
        world.assigned.iter().map(|(worker, _)| *worker).collect::<Vec<_>>()
    };
    let others: Vec<_> = (0..2).map(|n| reader_of(Arc::new(Nth(n)))).collect();
    assert_ne!(others[0], others[1]);
    assert_eq!(reader_of(soonest_start()), others[1]);
}

#[test]
fn a_record_of_a_rule_that_is_not_known_is_refused_by_name() {
    let placement: Arc<dyn Placement> = Arc::new(Nth(3));
    let bytes = FlightRecorder::new(Settings::default(), &placement).take();
    let refused = |bytes: &[u8]| Flight::read(bytes).unwrap_err().to_string();
    let said = "the flight record was made with the placement \"nth\" of 1 numbers, which this build doesn't know";
    assert_eq!(refused(&bytes), said);
    assert!(Flight::read_with(&bytes, nth).is_ok());
    let bytes = FlightRecorder::new(Settings::default(), &soonest_start()).take();
    for (kind, name) in [
        ("order", "fair-shares"),
        ("admission", "producers-wait"),
        ("rebalance", "prefill-and-ask-back"),
        ("placement", "soonest-start"),
    ] {
        let at = bytes.windows(name.len()).position(|part| part == name.as_bytes()).unwrap();
        let mut other = bytes.clone();
        other[at] = b'X';
        let said = refused(&other);
        assert!(said.contains(&format!("the {kind} \"X{}\"", &name[1..])), "{said}");
    }
}

#[test]
fn rules_are_found_by_their_names_and_take_their_numbers_and_no_others() {
    fn check<P: Policy>(policy: P) {
        let (name, numbers) = (policy.name(), policy.numbers());
        assert_eq!(P::named(name, &numbers).unwrap().numbers(), numbers);
        assert!(P::named(name, &[&numbers[..], &[0]].concat()).is_none(), "one number too many for {name}");
        assert!(P::named("no rule", &numbers).is_none());
    }
    check(Order::FairShares);
    check(Order::FirstComeFirstServed);
    check(Admission { producers_part: 5, patience_nanoseconds: 7 });
    check(Rebalance { prefill_nanoseconds: 3, ..Rebalance::default() });
    check(soonest_start());
}

/// Two runs of equal priority, and one slot: the workers' time is shared, or goes to the older one first.
#[test]
fn the_order_says_whose_turn_it_is() {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let layer = builder.layer(Layer::new("tasks", op, Shape::source(3))).unwrap();
    let graph = Arc::new(builder.finish());
    let runs = |order: Order| {
        let mut scheduler =
            Scheduler::with(Settings { credit_nanoseconds: 1, order, ..Settings::default() }, soonest_start());
        for run in [1, 2] {
            let wanted = vec![TaskRange { layer, start: 0, end: 3 }];
            scheduler.handle_event(Time(0), added(RunId(run), None, graph.clone(), wanted));
        }
        let worker = WorkerId(0);
        scheduler.handle_event(Time(0), Event::WorkerJoined { worker, offer: Offer::slots(1) });
        let mut served = vec![];
        while let Some(action) = scheduler.poll_action() {
            let Action::Assign { assignment: Assignment { run, attempt, tasks, .. }, .. } = action else { continue };
            served.push(run.0);
            let outcomes = tasks.into_iter().map(|range| (range, Outcome::Done { bytes: 8 })).collect();
            let report = Report { run, attempt, outcomes, nanoseconds: 1000 };
            scheduler.handle_event(Time(0), Event::Reported { worker, report });
            scheduler.validate();
        }
        served
    };
    assert_eq!(runs(Order::FairShares), [1, 2, 1, 2, 1, 2]);
    assert_eq!(runs(Order::FirstComeFirstServed), [1, 1, 1, 2, 2, 2]);
}

/// A worker has all of a run in advance when another one comes, which has nothing to do.
#[test]
fn nothing_is_asked_back_where_no_worker_may_ask() {
    let mut builder = GraphBuilder::new();
    let op = op(&mut builder);
    let layer = builder.layer(Layer::new("tasks", op, Shape::source(8))).unwrap();
    let graph = Arc::new(builder.finish());
    let asked_back = |asking_workers: u64| {
        let rebalance = Rebalance { prefill_nanoseconds: 1 << 40, asking_workers, ..Rebalance::default() };
        let mut world = World::with(Settings { credit_nanoseconds: 1, rebalance, ..Settings::default() });
        world.join(1);
        let wanted = vec![TaskRange { layer, start: 0, end: 8 }];
        world.handle(added(RUN, None, graph.clone(), wanted));
        world.join(1);
        world.scheduler.validate();
        world.trace.iter().filter(|action| matches!(action, Action::Recall { .. })).count()
    };
    assert_eq!((asked_back(16), asked_back(0)), (1, 0));
}

//! Flight records.

use super::changes::{Step, play, steps};
use super::graphs::*;
use super::world::*;
use crate::policy::Policy;
use crate::*;
use proptest::prelude::*;
use raskt_graph::*;
use std::sync::Arc;

/// Plays, and gives what was written down of it with the actions that there were.
fn recorded(graph: &Graph, steps: &[Step]) -> (Vec<u8>, Vec<Action>) {
    let mut world = World::ahead(300, 500);
    play(graph, &mut world, steps, 10);
    (world.record.take(), world.trace)
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn a_record_replays_bit_for_bit(graph in graphs(), steps in steps(60)) {
        let (bytes, trace) = recorded(&graph, &steps);
        let flight = Flight::read(&bytes).unwrap();
        prop_assert!(!flight.is_torn);
        prop_assert_eq!(flight.replay().flat_map(Result::unwrap).collect::<Vec<_>>(), trace);
        let mut again = FlightRecorder::new(flight.settings, &flight.placement);
        flight.events.iter().for_each(|(now, event)| again.note(*now, event));
        prop_assert_eq!(again.take(), bytes);
    }

    #[test]
    fn a_run_that_comes_prepared_and_goes_in_one_piece_is_as_any_other(graph in graphs(), steps in steps(60)) {
        let flight = Flight::read(&recorded(&graph, &steps).0).unwrap();
        let released = (Time(0), Event::RunReleased { run: RUN });
        let events: Vec<_> = flight.events.into_iter().chain([released]).collect();
        let all = |handle: &dyn Fn(&mut Scheduler, &Event)| {
            let mut scheduler = Scheduler::with(flight.settings, Arc::new(SoonestStart::default()));
            let mut actions = vec![];
            for (_, event) in &events {
                handle(&mut scheduler, event);
                scheduler.validate();
                actions.extend(std::iter::from_fn(|| scheduler.poll_action()));
            }
            actions
        };
        let told = all(&|scheduler, event| scheduler.handle_event(Time(0), event.clone()));
        let prepared = all(&|scheduler, event| match event {
            Event::GraphAdded { run, parent, graph, wanted, .. } => {
                let prepared = PreparedRun::new(graph.clone(), wanted, &flight.settings).unwrap();
                scheduler.submit(Time(0), *run, *parent, prepared).unwrap();
                let again = PreparedRun::new(graph.clone(), wanted, &flight.settings).unwrap();
                assert_eq!(scheduler.submit(Time(0), *run, *parent, again), Err(EventError::RunTwice(*run)));
            }
            // One that has failed is forgotten already.
            Event::RunReleased { run } => drop(scheduler.release(Time(0), *run)),
            other => scheduler.handle_event(Time(0), other.clone()),
        });
        prop_assert_eq!(told, prepared);
    }

    #[test]
    fn a_torn_record_gives_what_came_before(graph in graphs(), steps in steps(20), cut in any::<prop::sample::Index>()) {
        let (bytes, _) = recorded(&graph, &steps);
        let whole = Flight::read(&bytes).unwrap().events.len();
        let part = &bytes[..cut.index(bytes.len())];
        if let Ok(flight) = Flight::read(part) {
            prop_assert!(flight.events.len() < whole);
        }
    }

    #[test]
    fn damage_is_an_error_and_no_panic(
        graph in graphs(),
        steps in steps(20),
        at in any::<prop::sample::Index>(),
        byte in any::<u8>(),
    ) {
        let (mut bytes, _) = recorded(&graph, &steps);
        let at = at.index(bytes.len());
        bytes[at] = byte;
        if let Ok(flight) = Flight::read(&bytes) {
            let replayed = flight.replay().take_while(Result::is_ok).count();
            prop_assert!(replayed <= flight.events.len());
        }
    }

    /// A record begins with the settings: each number of them may be anything.
    #[test]
    fn damaged_settings_are_no_panic(
        graph in graphs(),
        steps in steps(20),
        numbers in prop::collection::vec(prop_oneof![Just(u64::MAX), Just(1 << 62), any::<u64>(), 0..1000_u64], 8),
    ) {
        let (bytes, _) = recorded(&graph, &steps);
        let mut flight = Flight::read(&bytes).unwrap();
        let rest = &bytes[FlightRecorder::new(flight.settings, &flight.placement).take().len()..];
        flight.settings.credit_nanoseconds = numbers[0];
        flight.settings.admission = Policy::named("producers-wait", &numbers[1..3]).unwrap();
        flight.settings.rebalance = Policy::named("prefill-and-ask-back", &numbers[3..]).unwrap();
        let bytes = [&FlightRecorder::new(flight.settings, &flight.placement).take(), rest].concat();
        if let Ok(flight) = Flight::read(&bytes) {
            let replayed = flight.replay().take_while(Result::is_ok).count();
            prop_assert!(replayed <= flight.events.len());
        }
    }
}

#[test]
fn other_files_are_told_apart() {
    assert!(matches!(Flight::read(b"GIF89a"), Err(FlightError::NotOne)));
    let mut later = FlightRecorder::new(Settings::default(), &soonest_start()).take();
    later[b"raskt flight ".len()] += 1;
    assert!(matches!(Flight::read(&later), Err(FlightError::NotOne)));
}

/// What a slice with a step, a new cut and a thousand parts read is written as rules.
#[test]
fn shapes_of_many_blocks_are_written_in_a_few_bytes() {
    let mut graph = GraphBuilder::new();
    let op = op(&mut graph);
    let grid = Grid::new([10_000, 10_000]);
    let layer = |graph: &mut GraphBuilder, shape| graph.layer(Layer::new("layer", op, shape)).unwrap();
    let source = layer(&mut graph, Shape::Map { grid: grid.clone(), inputs: vec![] });
    let back = Windows { count: 10_000, first: 99_991, stride: -10, width: 9, points: 1..100_000, block: 10 };
    let ranges = [AxisRanges::even(back).unwrap(), AxisRanges::same(10_000)];
    layer(&mut graph, Shape::Overlap { input: source, grid: grid.clone(), ranges: Arc::from(ranges) });
    let parts = Parts::new(1, &grid, (0..1000).map(|_| (source, 10_000))).unwrap();
    let last = layer(&mut graph, Shape::Concatenate(parts));
    let graph = graph.finish();
    let mut recorder = FlightRecorder::new(Settings::default(), &soonest_start());
    let wanted = TaskRange::of([TaskId::new(last, 7)]);
    recorder.note(Time(0), &added(RUN, None, Arc::new(graph.clone()), wanted));
    let bytes = recorder.take();
    assert!(bytes.len() < 8000, "{} bytes", bytes.len());
    let flight = Flight::read(&bytes).unwrap();
    let Event::GraphAdded { graph: read, .. } = &flight.events[0].1 else { panic!("one graph was written") };
    for (layer, index) in [(1, 0), (1, 49_999_999), (1, 12_345_678), (2, 0), (2, 99_999_999_999), (2, 54_321_987_654)] {
        let inputs = |graph: &Graph| {
            let mut found = vec![];
            graph.for_each_input(TaskId::new(LayerId(layer), index), |input| found.push(input));
            found
        };
        assert_eq!(inputs(read), inputs(&graph), "inputs of {layer}:{index}");
    }
}

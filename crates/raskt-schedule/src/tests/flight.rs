//! Flight records.

use super::changes::{Step, play, steps};
use super::graphs::*;
use super::world::*;
use crate::*;
use proptest::prelude::*;
use raskt_graph::Graph;

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
        let mut again = FlightRecorder::new(flight.settings);
        flight.events.iter().for_each(|(now, event)| again.note(*now, event));
        prop_assert_eq!(again.take(), bytes);
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
}

#[test]
fn other_files_are_told_apart() {
    assert!(matches!(Flight::read(b"GIF89a"), Err(FlightError::NotOne)));
    let mut later = FlightRecorder::new(Settings::default()).take();
    later[b"raskt flight ".len()] += 1;
    assert!(matches!(Flight::read(&later), Err(FlightError::NotOne)));
}

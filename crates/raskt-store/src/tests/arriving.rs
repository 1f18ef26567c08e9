//! What is on its way ahead of any task counts, once, until it has come or never will.

use super::world::World;
use super::*;
use proptest::prelude::*;

/// Bytes that count.
fn known(store: &Store) -> u64 {
    let report = store.report().unwrap();
    report.held + report.promised + report.arriving
}

#[test]
fn nobody_is_promised_what_something_on_its_way_takes() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let arriving = store.expect(300 * UNIT);
    let asks = |ticket| store.ask(Holder { asker, ticket }, 200 * UNIT, &[]).unwrap();
    let (answer, _pins) = asks(1);
    assert!(matches!(answer, Answer::Pending));
    // What has come counts by itself, and leaves for who waits.
    let kept = store.keep_arrived(block(1, 300), no_lineage(), facts(None), &arriving).unwrap();
    assert!(known(&store) <= 500 * UNIT);
    assert!(matches!(ear.wait_for(1), Reply::Promised { .. }));
    assert_eq!((arriving.left(), store.report().unwrap().beyond), (0, 0));
    assert!(kept.in_memory().is_none());
    drop(arriving);
    store.give_back(Holder { asker, ticket: 1 });
    assert_eq!(known(&store), 0);
    store.validate();
}

#[test]
fn what_never_comes_is_for_those_who_wait() {
    let mut state = State::new(400 * UNIT);
    state.arrives(300 * UNIT);
    assert_eq!(ask(&mut state, 1, 200), Answer::Pending);
    state.never_came(0);
    assert!(state.replies.is_empty());
    state.never_came(300 * UNIT);
    assert!(matches!(state.replies[..], [(to, Reply::Promised { .. })] if to == holder(1)));
    assert!(!state.broker.is_overbooked());
}

/// What is only slow to come is no reason to refuse anybody, nor to keep those waiting who ask for nothing.
#[test]
fn nobody_is_refused_for_what_is_on_its_way() {
    let mut state = State::new(400 * UNIT);
    state.broker.set_bound(450 * UNIT);
    state.arrives(350 * UNIT);
    assert!(matches!(ask(&mut state, 1, 0), Answer::Promised { .. }));
    assert_eq!(ask(&mut state, 2, 200), Answer::Pending);
    assert_eq!((state.first(), state.out_of_bounds()), (Some(holder(2)), None));
}

#[test]
fn others_leave_while_it_is_on_its_way() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let kept = store.keep_unasked(block(1, 300), no_lineage(), facts(None)).unwrap();
    let _arriving = store.expect(200 * UNIT);
    let deadline = Instant::now() + Duration::from_secs(20);
    while kept.in_memory().is_some() {
        assert!(Instant::now() < deadline, "it stays");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn what_was_set_aside_is_no_reason_to_refuse_what_has_come() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    store.set_limits(Limits { disk: 0, ..Limits::of_memory(400 * UNIT) });
    store.set_bound(500 * UNIT);
    let _kept = store.keep_unasked(block(1, 300), no_lineage(), facts(None)).unwrap();
    let arriving = store.expect(200 * UNIT);
    assert_eq!(store.room_for(UNIT), 0);
    assert!(store.lacks_room(200 * UNIT, &arriving).is_none());
    assert!(store.lacks_room(201 * UNIT, &arriving).is_some(), "it is larger than was said");
    let _come = store.keep_arrived(block(2, 150), no_lineage(), facts(None), &arriving).unwrap();
    assert!(store.lacks_room(50 * UNIT, &arriving).is_none() && store.lacks_room(51 * UNIT, &arriving).is_some());
}

/// A breakdown forgets nothing that is still to come, and what has come meanwhile goes for no other.
#[test]
fn what_is_on_its_way_outlasts_a_breakdown() {
    let (store, ear, _asker, _place) = store(400 * UNIT);
    let [first, second] = [store.expect(100 * UNIT), store.expect(50 * UNIT)];
    store.break_down("asked to");
    while ear.broke.lock().is_empty() {
        std::thread::sleep(Duration::from_millis(1));
    }
    assert_eq!(store.report().unwrap().arriving, 150 * UNIT);
    drop(first);
    assert_eq!(store.report().unwrap().arriving, 50 * UNIT);
    drop(second);
    assert_eq!(known(&store), 0);
}

proptest! {
    /// In whatever parts it comes, smaller or larger than was said, it counts once.
    #[test]
    fn all_of_it_counts_once(said in 0..50_u64, parts in prop::collection::vec(1..30_u64, 0..6)) {
        let (store, _ear, _asker, _place) = store(4000 * UNIT);
        let arriving = store.expect(said * UNIT);
        let (mut kept, mut come) = (vec![], 0);
        for units in parts {
            kept.push(store.keep_arrived(block(1, units), no_lineage(), facts(None), &arriving).unwrap());
            come += units;
            prop_assert_eq!(known(&store), said.max(come) * UNIT);
        }
        drop(arriving);
        prop_assert_eq!(known(&store), come * UNIT);
        drop(kept);
        prop_assert_eq!(known(&store), 0);
    }
}

/// What was to leave for it stays, since the disk is full: then it is one too many.
#[test]
fn what_has_come_is_refused_where_nothing_left_for_it() {
    let mut world = World::new(400 * UNIT);
    world.state.broker.set_bound(450 * UNIT);
    (0..4).for_each(|_| world.keep(100, None));
    let room = world.state.room_for(100 * UNIT);
    assert_eq!(room, 100 * UNIT, "one of them is being written");
    world.state.arrives(room);
    while let Some(Job::Write { id, .. }) = world.state.jobs.pop_front() {
        world.state.wrote(id, Written::Trouble("full".into()));
    }
    assert!(world.state.lacks_room(0, true), "500 of 450");
    world.state.never_came(room);
    assert!(!world.state.lacks_room(0, true));
    // It is tried again, and as long as that is in vain nothing is let in for it.
    for is_full in [true, true, false] {
        world.state.retry_stuck();
        assert_eq!(world.state.room_for(100 * UNIT), 50 * UNIT, "400 of 450 stay, as far as is known");
        assert!(!world.state.may_have_room(100 * UNIT));
        assert!(!world.state.jobs.is_empty(), "it is tried");
        match is_full {
            true => {
                while let Some(Job::Write { id, .. }) = world.state.jobs.pop_front() {
                    world.state.wrote(id, Written::Trouble("full".into()));
                }
            }
            false => _ = world.write_all(),
        }
    }
    assert_eq!(world.state.room_for(100 * UNIT), 100 * UNIT);
}

/// Whoever reads for others waits for what can leave, and for nothing that stays.
#[test]
fn what_is_in_the_way_and_can_leave_is_waited_for() {
    let mut world = World::new(400 * UNIT);
    world.state.broker.set_bound(450 * UNIT);
    (0..4).for_each(|_| world.keep(95, None));
    let ids: Vec<SlotId> = world.results.keys().copied().collect();
    ids.iter().for_each(|id| world.state.pin(*id));
    assert!(!world.state.waits_for_leaving(5 * UNIT), "there is room");
    assert!(!world.state.waits_for_leaving(100 * UNIT), "none of it can leave");
    world.state.unpin(ids[0]);
    assert!(world.state.waits_for_leaving(100 * UNIT));
    world.write_all();
    assert!(!world.state.waits_for_leaving(100 * UNIT), "it has left");
    ids[1..].iter().for_each(|id| world.state.unpin(*id));
    world.state.validate();
}

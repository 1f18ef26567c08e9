//! Results that hold the same memory leave in one step, or none of them does.

use super::world::World;
use super::*;
use raskt_value::Manifest;

#[test]
fn as_long_as_one_stays_that_holds_a_piece_it_counts() {
    let mut world = World::new(2000 * UNIT);
    let whole = block(1, 1000);
    let keep = |at: usize| world.state.keep(part_of(&whole, at * 12_800, 12_800), facts(None), holder(0));
    let views: Vec<SlotId> = (0..10).map(keep).collect();
    let piece = Arc::downgrade(whole.as_chunk().unwrap().buffer().owner());
    drop(whole);
    ask(&mut world.state, 1, 1500);
    world.state.pin(views[3]);
    assert_eq!(world.write_all(), 10);
    assert_eq!((piece.strong_count(), world.state.broker.held()), (10, 1000 * UNIT), "one of them is about to be read");
    world.state.unpin(views[3]);
    world.state.make_room();
    assert_eq!(world.write_all(), 0, "all of them have files");
    assert_eq!((piece.strong_count(), world.state.broker.held()), (0, 0));
    assert_eq!(world.state.broker.promised(), 1500 * UNIT);
}

#[test]
fn shuffle_outputs_leave_with_the_blocks_that_they_show() {
    let mut world = World::new(400 * UNIT);
    let blocks = [1, 2].map(|number| block(number, 160));
    let halves = |start| blocks.iter().map(move |block| part_of(block, start, 10 * 1024)).collect();
    let outputs = [0, 10 * 1024].map(|start| Value::Manifest(Arc::new(Manifest { parts: halves(start) })));
    for value in blocks.iter().chain(&outputs) {
        world.state.keep(value.clone(), facts(None), holder(0));
    }
    drop((blocks, outputs));
    assert_eq!(world.state.broker.held(), 320 * UNIT);
    ask(&mut world.state, 1, 100);
    assert_eq!(world.write_all(), 4);
    assert_eq!(world.state.broker.held(), 0);
}

/// A result and a view of it: the first can be computed again, and is let go at once, though the view, which is still to be written,
/// keeps all of its memory.
#[test]
fn nobody_is_promised_memory_that_a_view_still_holds() {
    let mut world = World::new(1100 * UNIT);
    let whole = block(1, 1000);
    let piece = Arc::downgrade(whole.as_chunk().unwrap().buffer().owner());
    let view = part_of(&whole, 0, 12_800);
    world.state.keep(whole, cheap(0), holder(0));
    world.state.keep(view, of_group(0), holder(0));
    assert_eq!(world.state.broker.held(), 1000 * UNIT);
    let answer = ask(&mut world.state, 1, 900);
    assert!(piece.strong_count() > 0, "the view is still to be written");
    assert_eq!(answer, Answer::Pending, "1000 are held, of a limit of 1100, and 900 are promised");
}

/// When the disk is full by the time that the view is to be written all of it stays, and counts.
#[test]
fn what_a_view_keeps_counts_if_the_view_cant_be_written() {
    let mut world = World::new(1100 * UNIT);
    let whole = block(1, 1000);
    let piece = Arc::downgrade(whole.as_chunk().unwrap().buffer().owner());
    let view = part_of(&whole, 0, 12_800);
    world.state.keep(whole, of_group(0), holder(0));
    world.state.keep(view, of_group(0), holder(0));
    ask(&mut world.state, 1, 900);
    // The first is written, then the disk is full.
    world.job(false);
    let Some(Job::Write { id, value, .. }) = world.state.jobs.pop_front() else { panic!("both are written") };
    drop(value);
    world.state.wrote(id, Written::Trouble("full".into()));
    world.state.garbage.clear();
    assert!(piece.strong_count() > 0);
    assert_eq!(world.state.broker.held(), 1000 * UNIT, "as long as one stays that holds a piece it counts");
}

/// Blocks with views that can't be written keep all of their memory. That isn't taken for free, and what can be dropped is.
#[test]
fn nothing_is_refused_as_long_as_something_can_be_dropped() {
    let mut state = State::new(8000 * UNIT);
    state.disk.limit = 0;
    for number in 0..19 {
        let whole = block(number, 400);
        let view = part_of(&whole, 0, 350 * 128);
        state.keep(whole, cheap(0), holder(0));
        state.keep(view, of_group(0), holder(0));
    }
    state.broker.set_limit(u64::MAX / 2);
    (0..20).for_each(|number| _ = state.keep(block(number, 400), cheap(1), holder(0)));
    state.broker.set_limit(8000 * UNIT);
    assert_eq!(ask(&mut state, 1, 400), Answer::Promised { is_loading: false });
    assert!(state.replies.is_empty() && !state.broker.is_overbooked());
    assert_eq!(state.broker.held(), 19 * 400 * UNIT);
    state.validate();
}

/// Parts that are too small to be told apart aren't counted when their manifest leaves with another result.
#[test]
fn no_more_is_dropped_than_is_lacking() {
    let mut state = State::new(6000 * UNIT);
    let shared = block(0, 64);
    let manifest = |number| {
        let small = (0..50).map(|_| block(number, 40));
        Value::Manifest(Arc::new(Manifest { parts: std::iter::once(shared.clone()).chain(small).collect() }))
    };
    for number in 1..3 {
        let value = manifest(number);
        state.keep(value, cheap(0), holder(0));
    }
    drop(shared);
    (0..18).for_each(|at| _ = state.keep(block(at, 100), cheap(1), holder(0)));
    let before = state.broker.held() / UNIT;
    ask(&mut state, 1, 1000);
    let left = state.broker.held() / UNIT;
    assert!(left >= 1800, "{} were held, 1000 asked for, and {left} are left: the outputs alone had 4000", before);
}

/// A block and the shuffle output that shows it in small parts.
#[test]
fn small_parts_of_a_block_are_counted_once_and_leave_with_it() {
    let mut world = World::new(400 * UNIT);
    let whole = block(1, 300);
    let parts = (0..10).map(|at| part_of(&whole, at * 30 * 128, 30 * 128)).collect();
    let output = Value::Manifest(Arc::new(Manifest { parts }));
    world.state.keep(whole, of_group(0), holder(0));
    world.state.keep(output, of_group(0), holder(0));
    assert_eq!(world.state.broker.held(), 300 * UNIT, "it is there once");
    ask(&mut world.state, 1, 200);
    world.write_all();
    assert_eq!(world.state.broker.held(), 0);
}

/// Two outputs, each with a part that may be changed, which show one piece.
#[test]
fn what_may_change_and_shares_a_piece_isnt_written_again_and_again() {
    let mut state = State::new(300 * UNIT);
    let place = tempfile::tempdir().unwrap();
    let folder = Arc::new(Folder::create(place.path()).unwrap());
    let shared = block(1, 100);
    for number in 0..2 {
        let parts = vec![shared.clone(), Mutable::value(number, false)];
        state.keep(Value::Manifest(Arc::new(Manifest { parts })), of_group(0), holder(0));
    }
    drop(shared);
    ask(&mut state, 1, 250);
    let mut written = 0;
    while let Some(Job::Write { id, value, codec, known, .. }) = state.jobs.pop_front() {
        let encoded = codec.encode(&value).unwrap();
        let known = known.filter(|known| known.holds(&encoded.pieces));
        let file = known.unwrap_or_else(|| Arc::new(SpillFile::write(&folder, encoded).unwrap()));
        drop(value);
        state.wrote(id, Written::To(file));
        state.garbage.clear();
        written += 1;
        assert!(written < 50, "it goes on and on, and who asked for memory waits: {:?}", state.replies.len());
    }
}

#[test]
fn what_leaves_with_a_view_stays_if_the_view_is_needed_meanwhile() {
    let mut world = World::new(1100 * UNIT);
    let whole = block(1, 1000);
    let view = part_of(&whole, 0, 12_800);
    let whole = world.state.keep(whole, cheap(0), holder(0));
    let view = world.state.keep(view, of_group(0), holder(0));
    ask(&mut world.state, 1, 900);
    assert!(world.state.value(whole).is_some() && world.state.jobs.len() == 1);
    world.state.pin(view);
    world.state.validate();
    assert_eq!(world.write_all(), 1);
    assert_eq!(world.state.broker.held(), 1000 * UNIT);
    world.state.unpin(view);
    world.state.make_room();
    assert_eq!((world.write_all(), world.state.broker.held()), (0, 0), "it has a file, and the block needs none");
}

#[test]
fn what_leaves_with_others_stays_if_somebody_comes_to_refer_to_one_of_them() {
    let mut world = World::new(1100 * UNIT);
    let whole = block(1, 1000);
    let view = part_of(&whole, 0, 12_800);
    let ids = [whole, view].map(|value| world.state.keep(value, of_group(0), holder(0)));
    ask(&mut world.state, 1, 900);
    world.job(false);
    // He may have it while the other one is written.
    let had = world.state.open(ids[0]).unwrap();
    assert_eq!((world.write_all(), world.state.broker.held()), (1, 1000 * UNIT));
    drop(had);
    assert!(world.state.look_at_shared());
    assert_eq!((world.write_all(), world.state.broker.held()), (0, 0));
}

#[test]
fn one_that_is_removed_while_it_is_written_stops_nobody() {
    for removed in [0, 1] {
        let mut world = World::new(1100 * UNIT);
        let whole = block(1, 1000);
        let view = part_of(&whole, 0, 12_800);
        let piece = Arc::downgrade(whole.as_chunk().unwrap().buffer().owner());
        let ids = [whole, view].map(|value| world.state.keep(value, of_group(0), holder(0)));
        ask(&mut world.state, 1, 900);
        world.job(false);
        drop(world.state.remove(ids[removed]));
        world.state.validate();
        assert_eq!(world.state.broker.held(), 1000 * UNIT, "the other one waits until it has been written");
        assert_eq!(world.write_all(), 1);
        assert_eq!((piece.strong_count(), world.state.broker.held()), (0, 0));
        assert_eq!(world.state.broker.promised(), 900 * UNIT);
    }
}

#[test]
fn what_stays_since_a_view_has_no_room_on_the_disk_leaves_when_it_has_or_the_view_is_gone() {
    for is_removed in [true, false] {
        let mut world = World::new(1100 * UNIT);
        world.state.disk.limit = 50 * UNIT;
        let whole = block(1, 1000);
        let view = part_of(&whole, 0, 12_800);
        world.state.keep(whole, cheap(0), holder(0));
        let view = world.state.keep(view, of_group(0), holder(0));
        ask(&mut world.state, 1, 200);
        assert!(world.state.broker.is_overbooked() && world.state.jobs.is_empty());
        let before = world.state.counts.looked_at;
        (2..50).for_each(|ticket| _ = ask(&mut world.state, ticket, 200));
        assert!(world.state.counts.looked_at - before <= 4 * 48, "it isn't tried again and again");
        (1..50).for_each(|ticket| world.state.give_back(holder(ticket)));
        if is_removed {
            drop(world.state.remove(view));
        } else {
            world.state.disk.limit = 200 * UNIT;
        }
        ask(&mut world.state, 100, 900);
        assert_eq!(world.write_all(), usize::from(!is_removed));
        assert_eq!((world.state.broker.held(), world.state.broker.promised()), (0, 900 * UNIT));
        assert!(!world.state.broker.is_overbooked());
    }
}

#[test]
fn one_whose_file_is_bad_is_written_anew_before_it_leaves_with_others() {
    let mut world = World::new(1100 * UNIT);
    let whole = block(1, 1000);
    let view = part_of(&whole, 0, 12_800);
    let ids = [whole, view].map(|value| world.state.keep(value, of_group(0), holder(0)));
    ask(&mut world.state, 1, 900);
    world.state.pin(ids[1]);
    assert_eq!(world.write_all(), 2);
    let third = part_of(&world.state.open(ids[0]).unwrap(), 0, 12_800);
    let third = world.state.keep(third, of_group(0), holder(0));
    world.state.unpin(ids[1]);
    world.state.make_room();
    assert_eq!(world.state.jobs.len(), 1, "the others have files");
    let bad = world.state.file(ids[0]).unwrap();
    world.state.lose_file(ids[0], &bad);
    assert_eq!(world.write_all(), 2);
    assert!([ids[0], ids[1], third].into_iter().all(|id| world.state.file(id).is_some()));
    assert_eq!(world.state.broker.held(), 0);
}

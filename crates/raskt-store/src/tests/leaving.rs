//! What leaves memory, when, and who waits for it.

use super::world::World;
use super::*;

#[test]
fn a_request_finds_free_what_was_referred_to_when_the_one_before_was_refused() {
    let mut world = World::new(20 * UNIT);
    (0..20).for_each(|_| world.keep(1, None));
    world.state.broker.set_limit(4 * UNIT);
    let views: Vec<Value> = world.results.keys().map(|id| world.state.value(*id).unwrap()).collect();
    let ask = |world: &mut World, ticket| {
        ask(&mut world.state, ticket, 1);
        let replies = std::mem::take(&mut world.state.replies);
        replies.into_iter().any(|(_, reply)| matches!(reply, Reply::Exhausted(_)))
    };
    assert!(ask(&mut world, 100), "all of it is in use");
    let before = world.state.counts.looked_at;
    assert!(ask(&mut world, 101));
    assert!(world.state.counts.looked_at - before <= 4, "nothing is free, and none is looked at");
    drop(views);
    assert!(!ask(&mut world, 102));
    world.write_all();
    assert!(matches!(world.state.replies[..], [(to, Reply::Promised { .. })] if to == holder(102)));
    assert!(
        world.state.broker.held() + world.state.broker.promised() <= 4 * UNIT && !world.state.broker.is_overbooked()
    );
    world.state.validate();
}

/// The same of objects of which only their own world can tell that somebody refers to them.
#[test]
fn a_request_tries_again_once_what_was_in_use_elsewhere() {
    let mut state = State::new(400 * UNIT);
    let ids: Vec<_> = (20..40).map(|at| state.keep(Mutable::value(at, false), facts(None), holder(0))).collect();
    let use_all = |state: &State, in_use| {
        for id in &ids {
            Mutable::of(&state.value(*id).unwrap()).is_in_use.store(in_use, Ordering::Relaxed);
        }
    };
    // Writes until there is nothing more to write; gives how many were tried.
    let write_all = |state: &mut State| {
        let mut tried = 0;
        while let Some(Job::Write { id, value, codec, .. }) = state.jobs.pop_front() {
            let written = match codec.encode(&value) {
                Err(_) => Written::Shared,
                Ok(_) => Written::Never,
            };
            drop(value);
            state.wrote(id, written);
            tried += 1;
            assert!(tried < 1000, "it goes on and on");
        }
        tried
    };
    use_all(&state, true);
    let ask = |state: &mut State, ticket| {
        ask(state, ticket, 100);
    };
    ask(&mut state, 1);
    assert!(write_all(&mut state) <= 40, "each is tried at most twice");
    assert!(matches!(state.replies[..], [(_, Reply::Exhausted(_))]));
    state.replies.clear();
    use_all(&state, false);
    ask(&mut state, 2);
    assert!(state.jobs.len() >= 17, "{} are tried at once", state.jobs.len());
    assert!(state.replies.is_empty());
    state.validate();
}

#[test]
fn what_the_user_refers_to_beyond_the_limit_wakes_nobody_at_each_change() {
    let (store, _ear, asker, _place) = store(400 * UNIT);
    let views: Vec<_> = (0..12).map(|at| block(at, 100)).collect();
    let keep = |view: &Value| store.keep_unasked(view.clone(), no_lineage(), facts(None)).unwrap();
    let kept: Vec<_> = views.iter().map(keep).collect();
    assert_eq!(store.report().unwrap().held, 1200 * UNIT, "all of it stays");
    let woken = || store.counts().woken;
    let deadline = Instant::now() + Duration::from_secs(5);
    // The thread that watches has to come to it first.
    loop {
        let before = woken();
        for _ in 0..10 {
            store.hold_small(8, Holder { asker, ticket: 1 });
            store.let_go_small(8);
        }
        if woken() == before {
            break;
        }
        assert!(Instant::now() < deadline, "{} times in 20 changes", woken() - before);
        std::thread::sleep(Duration::from_millis(1));
    }
    drop((views, kept));
}

/// Nothing is written before it is let through.
struct Slow(Arc<(Mutex<bool>, Condvar)>);

impl Foreign for Slow {
    fn bytes(&self) -> usize {
        100 * UNIT as usize
    }

    fn type_name(&self) -> &str {
        "slow"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(SlowCodec(self.0.clone())))
    }
}

struct SlowCodec(Arc<(Mutex<bool>, Condvar)>);

impl Codec for SlowCodec {
    fn encode(&self, _: &Value) -> Result<Encoded, Unwritten> {
        let mut is_open = self.0.0.lock();
        while !*is_open {
            is_open = self.0.1.wait(is_open);
        }
        let gate = self.0.clone();
        let decoder = move |_: Buffer| Ok(Value::Foreign(Arc::new(Slow(gate.clone()))));
        Ok(Encoded { pieces: vec![Buffer::from_vec(vec![1_u64])], decoder: Arc::new(decoder) })
    }

    fn may_change(&self) -> bool {
        true
    }
}

#[test]
fn who_reads_faster_than_others_are_written_waits_for_them() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let gate = Arc::new((Mutex::new(true), Condvar::new()));
    let keep =
        || store.keep_unasked(Value::Foreign(Arc::new(Slow(gate.clone()))), Lineage::none(), facts(None)).unwrap();
    let kept: Vec<_> = (0..12).map(|_| keep()).collect();
    squeeze(&store, &ear, asker, 0);
    assert_eq!(store.report().unwrap().held, 0);
    // Four come back; for the fifth one has to leave, and is written for as long as it likes.
    *gate.0.lock() = false;
    kept[..5].iter().for_each(|kept| drop(kept.fetch().unwrap().unwrap()));
    let deadline = Instant::now() + Duration::from_secs(20);
    std::thread::scope(|scope| {
        let sixth = scope.spawn(|| kept[5].fetch().unwrap().is_some());
        std::thread::sleep(Duration::from_millis(200));
        assert!(!sixth.is_finished() && store.report().unwrap().held == 500 * UNIT);
        *gate.0.lock() = true;
        gate.1.notify_all();
        assert!(sixth.join().unwrap());
    });
    while store.report().unwrap().held > 400 * UNIT {
        assert!(Instant::now() < deadline, "{}", store.report().unwrap());
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn what_came_unasked_is_counted_and_lets_others_leave() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let kept = fill(&store, 4);
    let before = store.report().unwrap().held;
    store.hold_unasked(200 * UNIT);
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.report().unwrap().held > 400 * UNIT {
        assert!(Instant::now() < deadline, "{}", store.report().unwrap());
        std::thread::sleep(Duration::from_millis(1));
    }
    store.let_go_small(200 * UNIT);
    assert!(store.report().unwrap().held < before);
    drop(kept);
    assert!(store.is_empty());
}

#[test]
fn others_leave_for_what_is_larger_than_was_promised() {
    let mut world = World::new(10 * UNIT);
    for _ in 0..30 {
        // Who makes it has asked for nothing: its size wasn't known.
        world.keep(1, None);
        world.write_all();
        assert!(world.state.broker.held() <= 10 * UNIT);
    }
    assert_eq!(world.results.len(), 30);
}

/// What several results hold that are being written leaves once, and is taken for no more: others leave for the rest.
#[test]
fn what_came_without_a_promise_has_others_leave_until_all_is_within_the_limit() {
    let mut world = World::new(1000 * UNIT);
    let whole = block(1, 100);
    (0..10).for_each(|_| _ = world.state.keep(whole.clone(), of_group(0), holder(0)));
    drop(whole);
    (0..8).for_each(|at| _ = world.state.keep(block(at, 100), of_group(1), holder(0)));
    assert_eq!(world.state.broker.held(), 900 * UNIT);
    for bytes in [200, 300] {
        world.state.hold_small(bytes * UNIT, holder(0));
        world.state.make_room();
    }
    while !world.state.jobs.is_empty() {
        world.job(false);
    }
    world.state.garbage.clear();
    let beyond = world.state.broker.beyond_limit() / UNIT;
    assert!(beyond == 0 || world.state.has_work(), "{beyond} beyond the limit, eight could leave, and nobody is at it");
}

/// One that couldn't be written has others leave in its place, though nobody asks for memory.
#[test]
fn what_cant_be_written_has_others_leave_in_its_place() {
    let mut state = State::new(400 * UNIT);
    let ids: Vec<_> = (0..5).map(|at| state.keep(block(at, 100), facts(None), holder(0))).collect();
    state.make_room();
    for _ in 0..3 {
        let Some(Job::Write { id, value, .. }) = state.jobs.pop_front() else { panic!("another one leaves") };
        drop(value);
        state.wrote(id, Written::Never);
    }
    assert!(state.jobs.len() == 1 && ids.len() == 5);
    state.validate();
}

/// What was read when others were to leave leaves when it has been, though nobody asks for memory.
#[test]
fn what_was_needed_leaves_when_it_is_no_longer() {
    let mut state = State::new(400 * UNIT);
    let ids: Vec<_> = (0..8).map(|at| state.keep(block(at, 100), cheap(0), holder(0))).collect();
    assert_eq!(state.broker.held(), 400 * UNIT);
    state.broker.set_limit(200 * UNIT);
    ids.iter().for_each(|id| state.pin(*id));
    state.make_room();
    assert_eq!(state.broker.held(), 400 * UNIT);
    ids.iter().for_each(|id| state.unpin(*id));
    assert!(state.has_work(), "somebody comes to it");
    state.look_at_shared();
    assert!(!state.has_urgent_work() || state.broker.held() <= 200 * UNIT);
    state.validate();
}

#[test]
fn sizes_that_nobody_can_believe_are_added_up() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept = fill(&store, 4);
    let inputs: Vec<Value> = kept.iter().map(|kept| Value::Stored(kept.clone())).collect();
    let answers = [0, 1, 2, 3].map(|ticket| store.ask(Holder { asker, ticket }, u64::MAX, &inputs).unwrap().0);
    for (ticket, answer) in (0..).zip(answers) {
        if answer == Answer::Pending {
            assert!(matches!(ear.wait_for(ticket), Reply::Promised { .. }), "it goes beyond the limit");
        }
        store.give_back(Holder { asker, ticket });
    }
    store.validate();
}

#[test]
fn nobody_waits_for_what_dead_processes_left_to_be_removed() {
    let (store, ear, asker, place) = store(400 * UNIT);
    let dead = place.path().join("raskt-spill-0123");
    std::fs::create_dir(&dead).unwrap();
    std::fs::write(dead.join("owner"), "1").unwrap();
    let until = Instant::now() + Duration::from_secs(10);
    folder::tests::STOPPED.lock().push((place.path().into(), until));
    let kept = fill(&store, 4);
    squeeze(&store, &ear, asker, 0);
    assert!(store.folder().is_some() && store.report().unwrap().files_written >= 4, "it is written all the same");
    // Whoever sets limits, or forks, comes to his turn.
    store.set_limits(Limits { memory: 400 * UNIT, disk: u64::MAX, spill_path: Some(place.path().into()) });
    // SAFETY: the child touches nothing, and leaves without any cleaning up.
    let child = unsafe { libc::fork() };
    if child == 0 {
        // SAFETY: it ends the child at once.
        unsafe { libc::_exit(0) };
    }
    assert_eq!(exit_code(child), Some(0));
    assert!(kept.iter().all(|kept| kept.fetch().unwrap().is_some()) && dead.exists() && Instant::now() < until);
    folder::tests::STOPPED.lock().retain(|(stopped, _)| stopped != place.path());
    wait_until(|| !dead.exists());
    store.validate();
}

#[test]
fn no_request_is_refused_while_what_dead_processes_left_is_removed() {
    let mut world = World::new(20 * UNIT);
    (0..20).for_each(|_| world.keep(1, None));
    world.state.broker.set_limit(4 * UNIT);
    world.state.sweep(world.folder.path().into());
    world.state.disk.trouble = Some("there is no room".into());
    let answer = ask(&mut world.state, 100, 1);
    assert!(answer == Answer::Pending && world.state.replies.is_empty());
    world.state.jobs.clear();
    world.state.swept();
    world.write_all();
    assert!(matches!(world.state.replies[..], [(to, Reply::Promised { .. })] if to == holder(100)));
    world.state.validate();
}

#[test]
fn what_dead_children_left_goes_with_the_process() {
    let (store, ear, asker, place) = store(400 * UNIT);
    // SAFETY: the child touches the store and what it has itself, and leaves without any cleaning up.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let _kept = (0..8).map(|at| store.keep_unasked(block(at, 100), no_lineage(), facts(None)).unwrap());
        let _kept: Vec<_> = _kept.collect();
        store.make_room();
        let has_written = store.report().unwrap().files_written > 0;
        // SAFETY: it ends the child at once.
        unsafe { libc::_exit(i32::from(!has_written)) };
    }
    assert_eq!(exit_code(child), Some(0));
    let _kept = fill(&store, 8);
    squeeze(&store, &ear, asker, 0);
    assert!(std::fs::read_dir(place.path()).unwrap().count() > 0);
    store.remove_files();
    // The thread that began to when the first file was written may still be at it.
    let deadline = Instant::now() + Duration::from_secs(60);
    while std::fs::read_dir(place.path()).unwrap().count() > 0 {
        assert!(Instant::now() < deadline, "it stays");
        std::thread::sleep(Duration::from_millis(10));
    }
}

/// What only those need who wait themselves leaves for who is first; they have it back when it is their turn.
#[test]
fn those_who_wait_keep_nothing_from_who_is_first() {
    for withdraws in [false, true] {
        let mut world = World::new(400 * UNIT);
        (0..3).for_each(|_| world.keep(100, None));
        let inputs: Vec<(SlotId, u64)> = world.results.keys().map(|&id| (id, 100 * UNIT)).collect();
        let request = |ticket, units: u64, inputs: Vec<(SlotId, u64)>| Request {
            holder: holder(ticket),
            bytes: units * UNIT,
            inputs,
            small: 0,
            fetched: 0,
            outputs: Outputs::default(),
        };
        assert_eq!(world.state.ask(request(101, 300, vec![])), Answer::Pending);
        for ticket in 102..105 {
            assert_eq!(world.state.ask(request(ticket, 1, inputs.clone())), Answer::Pending);
        }
        world.write_all();
        world.write_all();
        let replies = std::mem::take(&mut world.state.replies);
        assert!(matches!(replies[..], [(to, Reply::Promised { .. })] if to == holder(101)), "{replies:?}");
        assert!(!world.state.broker.is_overbooked());
        world.state.validate();
        if withdraws {
            // In whichever order they say so.
            inputs.iter().for_each(|(id, _)| world.state.unpin(*id));
            world.state.give_back(holder(102));
            world.state.give_back(holder(103));
            inputs.iter().for_each(|(id, _)| world.state.unpin(*id));
        }
        world.state.give_back(holder(101));
        let others = if withdraws { 104..105 } else { 102..105 };
        let reads = |state: &mut State| state.jobs.iter().filter(|job| matches!(job, Job::Read { .. })).count();
        assert!(reads(&mut world.state) >= 2, "they are read back, once");
        while !world.state.jobs.is_empty() {
            world.job(false);
        }
        for ticket in others {
            inputs.iter().for_each(|(id, _)| world.state.unpin(*id));
            world.state.give_back(holder(ticket));
        }
        world.state.validate();
        assert_eq!(inputs.iter().map(|(id, _)| world.state.pins(*id)).sum::<u32>(), 0);
    }
}

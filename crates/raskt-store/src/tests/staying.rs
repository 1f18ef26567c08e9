//! Results that their readers change, or that stay since somebody has them.

use super::*;

#[test]
fn what_was_changed_since_it_was_written_is_written_anew_and_nothing_else_is() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept = store.keep_unasked(Mutable::value(1, false), Lineage::none(), facts(None)).unwrap();
    squeeze(&store, &ear, asker, 0);
    assert_eq!((store.report().unwrap().held, store.report().unwrap().files_written), (0, 1));
    let value = kept.fetch().unwrap().unwrap();
    assert_eq!(Mutable::of(&value).number.load(Ordering::Relaxed), 1);
    assert!(Arc::ptr_eq(&object(&value), &object(&kept.fetch().unwrap().unwrap())), "everybody has the same");
    drop(value);
    squeeze(&store, &ear, asker, 1);
    assert_eq!((store.report().unwrap().held, store.report().unwrap().files_written), (0, 1), "it is what it was");
    Mutable::of(&kept.fetch().unwrap().unwrap()).number.store(2, Ordering::Relaxed);
    squeeze(&store, &ear, asker, 2);
    assert_eq!((store.report().unwrap().held, store.report().unwrap().files_written), (0, 2));
    assert_eq!(Mutable::of(&kept.fetch().unwrap().unwrap()).number.load(Ordering::Relaxed), 2);
    let spilled = store.report().unwrap().spilled;
    assert!(spilled < 2 * (64 + 8), "the old file is gone: {spilled}");
}

#[test]
fn a_codec_that_panics_leaves_its_result_where_it_is_and_stops_nobody() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let [stays, leaves] = [PANICS, 1]
        .map(|number| store.keep_unasked(Mutable::value(number, false), Lineage::none(), facts(None)).unwrap());
    squeeze(&store, &ear, asker, 0);
    let report = store.report().unwrap();
    assert_eq!((report.held, report.files_written, report.refused), (100 * UNIT, 1, 1));
    for (kept, number) in [(stays, PANICS), (leaves, 1)] {
        assert_eq!(Mutable::of(&kept.fetch().unwrap().unwrap()).number.load(Ordering::Relaxed), number);
    }
    assert!(ear.broke.lock().is_empty());
}

#[test]
fn what_is_in_use_stays_and_what_cant_be_written_isnt_tried_again() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let used = store.keep_unasked(Mutable::value(1, false), Lineage::none(), facts(None)).unwrap();
    let _bad = store.keep_unasked(Mutable::value(2, true), Lineage::none(), facts(None)).unwrap();
    Mutable::of(&used.fetch().unwrap().unwrap()).is_in_use.store(true, Ordering::Relaxed);
    squeeze(&store, &ear, asker, 0);
    let report = store.report().unwrap();
    assert_eq!((report.held, report.files_written, report.refused), (200 * UNIT, 0, 1));
    Mutable::of(&used.fetch().unwrap().unwrap()).is_in_use.store(false, Ordering::Relaxed);
    used.set_turn(None);
    squeeze(&store, &ear, asker, 1);
    let report = store.report().unwrap();
    assert_eq!((report.held, report.files_written, report.refused), (100 * UNIT, 1, 1));
}

#[test]
fn what_nobody_was_promised_memory_for_lets_others_leave() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let kept: Vec<_> = (0..12)
        .map(|at| store.keep_unasked(Mutable::value(at, false), Lineage::none(), facts(None)).unwrap())
        .collect();
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.report().unwrap().held > 400 * UNIT {
        assert!(Instant::now() < deadline, "{}", store.report().unwrap());
        std::thread::sleep(Duration::from_millis(1));
    }
    for (at, kept) in kept.iter().enumerate() {
        assert_eq!(Mutable::of(&kept.fetch().unwrap().unwrap()).number.load(Ordering::Relaxed), at as u64);
    }
    store.validate();
}

#[test]
fn what_somebody_referred_to_leaves_when_he_no_longer_does_though_nobody_asks_for_memory() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let kept: Vec<_> = (0..12)
        .map(|at| store.keep_unasked(Mutable::value(at, false), Lineage::none(), facts(None)).unwrap())
        .collect();
    let deadline = Instant::now() + Duration::from_secs(20);
    let refer = || kept.iter().map(|kept| kept.fetch().unwrap().unwrap()).collect::<Vec<_>>();
    let mut referred = refer();
    // More comes while all of it is referred to, and so is met in vain.
    let more: Vec<_> = (12..15)
        .map(|at| store.keep_unasked(Mutable::value(at, false), Lineage::none(), facts(None)).unwrap())
        .collect();
    referred.extend(more.iter().map(|kept| kept.fetch().unwrap().unwrap()));
    drop(referred);
    while store.report().unwrap().held > 400 * UNIT {
        assert!(Instant::now() < deadline, "{}", store.report().unwrap());
        std::thread::sleep(Duration::from_millis(1));
    }
    store.validate();
}

#[test]
fn a_child_of_a_fork_reads_what_its_parent_keeps() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept = fill(&store, 8);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        // Two threads keep the store busy: results go to disk and come back all the time.
        for thread in 0..2 {
            let (store, kept, stop, ear) = (&store, &kept, &stop, &ear);
            scope.spawn(move || {
                for ticket in 0.. {
                    if stop.load(Ordering::Relaxed) {
                        return;
                    }
                    let holder = Holder { asker, ticket: 2 * ticket + thread };
                    let inputs = [Value::Stored(kept[ticket as usize % 8].clone())];
                    let (answer, pins) = store.ask(holder, 50 * UNIT, &inputs).unwrap();
                    if answer == Answer::Pending {
                        ear.wait_for(holder.ticket);
                    }
                    drop(pins);
                    store.give_back(holder);
                }
            });
        }
        for _ in 0..50 {
            // SAFETY: the child touches the store and what it has itself, and leaves without any cleaning up.
            let child = unsafe { libc::fork() };
            if child == 0 {
                let right = (0..8).all(|at| kept[at].fetch().unwrap().is_some_and(|value| number(&value) == at as u64));
                // SAFETY: it ends the child at once.
                unsafe { libc::_exit(i32::from(!right)) };
            }
            assert_eq!(exit_code(child), Some(0));
        }
        stop.store(true, Ordering::Relaxed);
    });
}

#[test]
fn results_that_somebody_refers_to_are_looked_at_once_and_not_whenever_memory_is_short() {
    let mut state = State::new(100_000 * UNIT);
    // Somebody has all of them, and each two are of a run of their own.
    let shared: Vec<_> = (0..100_000).map(|at| block(at, 1)).collect();
    let keep = |(at, block): (usize, &Value)| {
        state.keep(block.clone(), ResultInfo { group: at as u64 / 2, ..facts(None) }, holder(0))
    };
    let ids: Vec<_> = shared.iter().enumerate().map(keep).collect();
    assert!(looks(&mut state, 1) >= 100_000);
    assert!(looks(&mut state, 1000) <= 4);
    state.validate();
    // One that is used is looked at again, and so is one that nobody else has any more.
    state.set_turn(ids[7], None);
    assert_eq!(looks(&mut state, 1), 2);
    ids[1..].iter().for_each(|id| drop(state.remove(*id)));
    drop(shared);
    state.broker.set_limit(UNIT);
    state.look_at_shared();
    state.ask(Request {
        holder: holder(5),
        bytes: UNIT,
        inputs: vec![],
        small: 0,
        fetched: 0,
        outputs: Outputs::default(),
    });
    assert_eq!(state.jobs.len(), 1, "it leaves");
}

#[test]
fn results_that_the_disk_has_no_room_for_are_looked_at_once_until_it_has() {
    let mut state = State::new(10_000 * UNIT);
    state.disk.limit = 0;
    (0..10_000).for_each(|at| _ = state.keep(block(at, 1), facts(Some(at as u32)), holder(0)));
    assert!(looks(&mut state, 1) >= 10_000);
    assert!(looks(&mut state, 1000) <= 4);
    state.validate();
    state.disk.limit = 2 * UNIT;
    assert!(looks(&mut state, 1) <= 8);
    assert_eq!(state.jobs.len(), 1, "as many leave as there is room for");
    assert!(looks(&mut state, 1000) <= 4);
    state.validate();
}

#[test]
fn nobody_gets_what_its_readers_may_change_while_it_is_written() {
    let mut state = State::new(400 * UNIT);
    let id = state.keep(Mutable::value(7, false), facts(None), holder(0));
    (0..4).for_each(|_| state.hold_small(100 * UNIT, holder(0)));
    state.make_room();
    let Some(Job::Write { value, .. }) = state.jobs.pop_front() else { panic!("it leaves") };
    assert!(state.is_closed(id));
    let answer = state.ask(Request {
        holder: holder(1),
        bytes: 0,
        inputs: vec![(id, 100 * UNIT)],
        small: 0,
        fetched: 0,
        outputs: Outputs::of(0, 1),
    });
    assert_eq!(answer, Answer::Promised { is_loading: true });
    drop(value);
    state.wrote(id, Written::Shared);
    assert!(matches!(state.replies[..], [(to, Reply::Loaded)] if to == holder(1)));
    assert_eq!(Mutable::of(&state.value(id).unwrap()).number.load(Ordering::Relaxed), 7);
    state.let_go_small(400 * UNIT);
    state.validate();
    // What nobody can change is had meanwhile.
    let id = state.keep(block(3, 100), facts(None), holder(0));
    (0..4).for_each(|_| state.hold_small(100 * UNIT, holder(0)));
    state.make_room();
    assert!(state.jobs.iter().any(|job| matches!(job, Job::Write { id: written, .. } if *written == id)));
    let answer = state.ask(Request {
        holder: holder(2),
        bytes: 0,
        inputs: vec![(id, 100 * UNIT)],
        small: 0,
        fetched: 0,
        outputs: Outputs::of(0, 1),
    });
    assert_eq!(answer, Answer::Promised { is_loading: false });
}

#[test]
fn who_keeps_more_than_the_disk_takes_waits_for_it() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let mut kept = vec![];
    for number in 100..140 {
        let value = Mutable::value(number, false);
        let own = object(&value);
        let (stored, pins) = store.keep_pinned(value, no_lineage(), facts(None)).unwrap();
        drop(own);
        drop(pins);
        store.make_room();
        let report = store.report().unwrap();
        assert!(report.held <= 400 * UNIT, "he was let go on at {number}: {report}");
        kept.push(stored);
    }
    // Who reads them one after the other has the last one only.
    for (number, kept) in (100..).zip(&kept) {
        let value = kept.fetch().unwrap().unwrap();
        assert_eq!(Mutable::of(&value).number.load(Ordering::Relaxed), number);
        let held = store.report().unwrap().held;
        assert!(held <= 800 * UNIT, "{number}: {held} bytes are held");
    }
    store.validate();
}

#[test]
fn what_somebody_in_its_own_world_referred_to_leaves_for_what_comes_later() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept: Vec<_> = (0..4)
        .map(|number| store.keep_unasked(Mutable::value(number, false), no_lineage(), facts(None)).unwrap())
        .collect();
    let set_used = |is_used: bool| {
        for kept in &kept {
            // It is closed for a moment whenever it is tried to write it.
            let value = std::iter::repeat_with(|| kept.in_memory()).flatten().next().unwrap();
            Mutable::of(&value).is_in_use.store(is_used, Ordering::Relaxed);
        }
    };
    set_used(true);
    squeeze(&store, &ear, asker, 1);
    set_used(false);
    let _more: Vec<_> = (0..4)
        .map(|number| store.keep_unasked(Mutable::value(number, false), no_lineage(), facts(None)).unwrap())
        .collect();
    store.make_room();
    assert!(store.report().unwrap().held <= 400 * UNIT);
}

#[test]
fn what_somebody_in_its_own_world_referred_to_leaves_though_nobody_asks_for_memory() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let keep = |number| store.keep_unasked(Mutable::value(number, false), no_lineage(), facts(None)).unwrap();
    let kept: Vec<_> = (0..100).map(keep).collect();
    let values: Vec<_> = kept.iter().map(|kept| kept.fetch().unwrap().unwrap()).collect();
    assert_eq!(store.report().unwrap().held, 100 * 100 * UNIT);
    values.iter().for_each(|value| Mutable::of(value).is_in_use.store(true, Ordering::Relaxed));
    let report = |is_so: &dyn Fn(&MemoryReport) -> bool| wait_until(|| is_so(&store.report().unwrap()));
    drop(values);
    report(&|report| report.shared > 0);
    for kept in &kept {
        let value = std::iter::repeat_with(|| kept.in_memory()).flatten().next().unwrap();
        Mutable::of(&value).is_in_use.store(false, Ordering::Relaxed);
    }
    report(&|report| report.held <= 400 * UNIT);
    store.validate();
}

/// Somebody always refers to it.
struct Used(Arc<AtomicU64>);

impl Foreign for Used {
    fn bytes(&self) -> usize {
        100 * UNIT as usize
    }

    fn type_name(&self) -> &str {
        "used"
    }

    fn as_any(&self) -> &dyn std::any::Any {
        self
    }

    fn codec(&self) -> Option<Arc<dyn Codec>> {
        Some(Arc::new(Self(self.0.clone())))
    }
}

impl Codec for Used {
    fn encode(&self, _: &Value) -> Result<Encoded, Unwritten> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Err(Unwritten::Shared)
    }

    fn may_change(&self) -> bool {
        true
    }
}

#[test]
fn what_somebody_has_all_the_time_is_tried_a_few_times_a_second() {
    let (store, _ear, _asker, _place) = store(400 * UNIT);
    let tries = Arc::new(AtomicU64::new(0));
    let keep = |_| {
        let value = Value::Foreign(Arc::new(Used(tries.clone())));
        store.keep_unasked(value, no_lineage(), facts(None)).unwrap()
    };
    let kept: Vec<_> = (0..12).map(keep).collect();
    std::thread::sleep(Duration::from_millis(1000));
    // Each once when it came, and at most twice (by either thread) in each tenth of a second.
    assert!((12..12 * 30).contains(&tries.load(Ordering::Relaxed)) && kept.len() == 12, "{tries:?}");
}

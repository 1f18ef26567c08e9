//! The whole store with its threads: results leave and come back, requests wait, disks are full.

use super::*;

#[test]
fn what_was_spilled_comes_back_and_isnt_written_twice() {
    let (store, ear, asker, place) = store(400 * UNIT);
    let kept = fill(&store, 4);
    for ticket in 0..6 {
        let holder = Holder { asker, ticket };
        let (answer, pins) = store.ask(holder, 300 * UNIT, &[]).unwrap();
        if answer == Answer::Pending {
            assert!(matches!(ear.wait_for(ticket), Reply::Promised { is_loading: false }));
        }
        drop(pins);
        store.give_back(holder);
        for (at, kept) in kept.iter().enumerate() {
            assert_eq!(number(&kept.fetch().unwrap().unwrap()), at as u64);
        }
        store.validate();
    }
    let report = store.report().unwrap();
    assert!((1..=4).contains(&report.files_written), "{report:?}");
    drop((kept, store, ear));
    let deadline = Instant::now() + Duration::from_secs(20);
    while std::fs::read_dir(place.path()).unwrap().count() > 0 {
        assert!(Instant::now() < deadline, "files are left behind");
        std::thread::sleep(Duration::from_millis(5));
    }
}

#[test]
fn inputs_are_read_before_a_request_is_done_waiting() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept = fill(&store, 4);
    let holder = |ticket| Holder { asker, ticket };
    assert_eq!(store.ask(holder(0), 400 * UNIT, &[]).unwrap().0, Answer::Pending);
    ear.wait_for(0);
    store.give_back(holder(0));
    let mut inputs: Vec<Value> = kept.iter().map(|kept| Value::Stored(kept.clone())).collect();
    let (answer, pins) = store.ask(holder(1), 0, &inputs).unwrap();
    assert_eq!(answer, Answer::Promised { is_loading: true });
    assert!(matches!(ear.wait_for(1), Reply::Loaded));
    assert!(pins.put_in(&mut inputs));
    assert_eq!(inputs.iter().map(number).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!(
        (store.report().unwrap().held, store.report().unwrap().promised),
        (400 * UNIT, 0),
        "what came was promised before"
    );
}

#[test]
fn a_full_disk_lets_one_request_go_beyond_and_then_says_who_holds_what() {
    let (store, ear, asker, place) = store(400 * UNIT);
    let holder = |ticket| Holder { asker, ticket };
    // A file stands where the folder should be made.
    let path = place.path().join("file");
    std::fs::write(&path, "").unwrap();
    store.set_limits(Limits { memory: 400 * UNIT, disk: u64::MAX, spill_path: Some(path) });
    let mut kept = fill(&store, 4);
    store.ask(holder(0), 100 * UNIT, &[]).unwrap();
    assert!(matches!(ear.wait_for(0), Reply::Promised { .. }), "results alone are within the limit");
    kept.extend(fill(&store, 9));
    store.give_back(holder(0));
    store.ask(holder(1), 100 * UNIT, &[]).unwrap();
    let Reply::Exhausted(report) = ear.wait_for(1) else { panic!("there is no memory") };
    let text = report.to_string();
    assert!(text.contains("1.3 MiB in memory") && text.contains("test (13 results)"), "{text}");
    assert!(report.disk_trouble.as_ref().unwrap().contains("no folder for spill files"), "{text}");
    let inputs: Vec<Value> = kept.iter().map(|kept| Value::Stored(kept.clone())).collect();
    let (answer, pins) = store.ask(holder(2), 100 * UNIT, &inputs).unwrap();
    assert!(answer != Answer::Pending || matches!(ear.wait_for(2), Reply::Promised { .. }), "what frees more may run");
    drop(pins);
    store.give_back(holder(2));
    store.set_limits(Limits { memory: 400 * UNIT, disk: u64::MAX, spill_path: Some(place.path().into()) });
    store.ask(holder(3), 100 * UNIT, &[]).unwrap();
    assert!(matches!(ear.wait_for(3), Reply::Promised { .. }), "another place is tried at once");
    assert!(store.report().unwrap().files_written > 0);
}

#[test]
fn a_store_that_breaks_tells_engines_and_goes_on_with_the_results_that_it_has() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    let kept = fill(&store, 4);
    let holder = |ticket| Holder { asker, ticket };
    // Some results are on disk, some are being written, and a request waits.
    store.ask(holder(0), 300 * UNIT, &[]).unwrap();
    ear.wait_for(0);
    let inputs: Vec<Value> = kept.iter().map(|kept| Value::Stored(kept.clone())).collect();
    let waiting = store.ask(holder(1), 300 * UNIT, &inputs).unwrap();
    store.break_down("asked to");
    let deadline = Instant::now() + Duration::from_secs(20);
    while ear.broke.lock().is_empty() {
        assert!(Instant::now() < deadline, "nobody is told");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(ear.broke.lock()[0].contains("asked to"));
    // As an engine does that hears of it.
    drop(waiting);
    (0..2).for_each(|ticket| store.give_back(holder(ticket)));
    for (at, kept) in kept.iter().enumerate() {
        assert_eq!(number(&kept.fetch().unwrap().unwrap()), at as u64);
    }
    store.validate();
    assert_eq!(store.report().unwrap().promised, 0);
    let (answer, pins) = store.ask(holder(2), 300 * UNIT, &inputs[..1]).unwrap();
    if let Answer::Pending = answer {
        assert!(matches!(ear.wait_for(2), Reply::Promised { .. }));
    }
    drop(pins);
    store.give_back(holder(2));
    drop((inputs, kept));
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.report().unwrap().spilled > 0 {
        assert!(Instant::now() < deadline, "files are left behind");
        std::thread::sleep(Duration::from_millis(1));
    }
    store.validate();
    assert!(store.is_empty());
}

#[test]
fn the_disk_limit_is_kept() {
    let (store, ear, asker, place) = store(400 * UNIT);
    let spill_path = Some(place.path().into());
    store.set_limits(Limits { memory: 400 * UNIT, disk: 250 * UNIT, spill_path });
    let kept = fill(&store, 4);
    let holder = Holder { asker, ticket: 0 };
    store.ask(holder, 400 * UNIT, &[]).unwrap();
    assert!(matches!(ear.wait_for(0), Reply::Promised { .. }), "nothing else runs");
    let report = store.report().unwrap();
    assert_eq!((report.files_written, report.held), (2, 200 * UNIT));
    assert!(report.spilled <= 250 * UNIT);
    drop(kept);
}

#[test]
fn a_request_that_waits_while_nothing_moves_goes_beyond_the_limit_once() {
    let (store, ear, asker, _place) = store(100 * UNIT);
    let holder = |ticket| Holder { asker, ticket };
    assert!(matches!(store.ask(holder(0), 100 * UNIT, &[]).unwrap().0, Answer::Promised { .. }));
    store.ask(holder(1), 50 * UNIT, &[]).unwrap();
    store.ask(holder(2), 50 * UNIT, &[]).unwrap();
    assert!(matches!(ear.wait_for(1), Reply::Promised { .. }), "ticket 0 may wait for what 1 does");
    std::thread::sleep(Duration::from_millis(400));
    assert!(ear.heard.lock().is_empty(), "one at a time");
    store.lend(true);
    assert!(matches!(ear.wait_for(2), Reply::Promised { .. }), "a task that waits for tasks must not stop them");
}

#[test]
fn results_leave_when_the_limit_is_lowered_though_nobody_asks_for_memory() {
    let (store, _ear, _asker, place) = store(400 * UNIT);
    let kept = fill(&store, 3);
    store.set_limits(Limits { memory: 150 * UNIT, disk: u64::MAX, spill_path: Some(place.path().into()) });
    let deadline = Instant::now() + Duration::from_secs(20);
    while store.report().unwrap().held > 150 * UNIT {
        assert!(Instant::now() < deadline, "they stay");
        std::thread::sleep(Duration::from_millis(1));
    }
    for (at, kept) in (0..).zip(&kept) {
        assert_eq!(number(&kept.fetch().unwrap().unwrap()), at);
    }
    store.validate();
}

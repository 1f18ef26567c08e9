//! A disk that is full or broken, and is in order again.

use super::*;

#[test]
fn one_that_is_pinned_and_the_disk_had_no_room_for_keeps_no_other_in_memory() {
    let mut state = State::new(8 * UNIT);
    state.disk.limit = 0;
    let pinned = state.keep(block(1, 2), facts(None), holder(0));
    let others: Vec<_> = (0..2).map(|at| state.keep(block(at, 3), facts(None), holder(0))).collect();
    assert!(looks(&mut state, 1) >= 3);
    let answer = state.ask(Request {
        holder: holder(50),
        bytes: 0,
        inputs: vec![(pinned, 2 * UNIT)],
        small: 0,
        fetched: 0,
        outputs: Outputs::of(0, 1),
    });
    assert_eq!(answer, Answer::Promised { is_loading: false });
    state.disk.limit = u64::MAX;
    assert_eq!(
        state.ask(Request {
            holder: holder(51),
            bytes: UNIT,
            inputs: vec![],
            small: 0,
            fetched: 0,
            outputs: Outputs::default()
        }),
        Answer::Pending
    );
    assert!(matches!(state.jobs.front(), Some(Job::Write { id, .. }) if others.contains(id)));
    state.validate();
    state.give_back(holder(50));
    state.unpin(pinned);
    state.validate();
}

#[test]
fn a_folder_that_somebody_has_removed_is_made_again() {
    let (store, ear, asker, place) = store(400 * UNIT);
    let kept = fill(&store, 4);
    let ask_for_all = |ticket| {
        let holder = Holder { asker, ticket };
        let (answer, _pins) = store.ask(holder, 400 * UNIT, &[]).unwrap();
        if answer == Answer::Pending {
            assert!(matches!(ear.wait_for(ticket), Reply::Promised { .. }));
        }
        store.give_back(holder);
    };
    ask_for_all(0);
    std::fs::remove_dir_all(place.path()).unwrap();
    assert!(kept.iter().all(|kept| kept.fetch().unwrap().is_none()), "they were all on disk");
    let others = fill(&store, 4);
    ask_for_all(1);
    assert!(std::fs::read_dir(place.path()).unwrap().count() > 0, "they went to disk");
    assert!(others.iter().enumerate().all(|(at, kept)| number(&kept.fetch().unwrap().unwrap()) == at as u64));
    let disk = store.report().unwrap().disk_trouble;
    assert!(disk.is_none(), "{disk:?}");
    store.validate();
}

#[test]
fn what_nobody_asked_room_for_leaves_once_the_disk_has_room_again() {
    let (store, _ear, _asker, place) = store(400 * UNIT);
    // A file stands where the folder should be made.
    let path = place.path().join("file");
    std::fs::write(&path, "").unwrap();
    store.set_limits(Limits { memory: 400 * UNIT, disk: u64::MAX, spill_path: Some(path.clone()) });
    let keep = |at| store.keep_unasked(block(at, 100), no_lineage(), facts(None)).unwrap();
    let kept: Vec<_> = (0..8).map(keep).collect();
    wait_until(|| store.report().unwrap().disk_trouble.is_some());
    assert_eq!(store.report().unwrap().held, 800 * UNIT);
    std::fs::remove_file(&path).unwrap();
    wait_until(|| store.report().unwrap().held <= 400 * UNIT);
    assert!(kept.iter().enumerate().all(|(at, kept)| number(&kept.fetch().unwrap().unwrap()) == at as u64));
    store.validate();
}

/// The disk is found to be in order by others than those who look again after a while: when what dead processes left has been
/// removed, or when a request was refused.
#[test]
fn what_stays_since_the_disk_was_broken_leaves_whoever_finds_it_in_order() {
    let broken = || {
        let mut state = State::new(400 * UNIT);
        let ids: Vec<_> = (0..8).map(|at| state.keep(block(at, 100), facts(None), holder(0))).collect();
        while let Some(Job::Write { id, value, .. }) = state.jobs.pop_front() {
            drop(value);
            state.wrote(id, Written::Trouble("it is broken".into()));
        }
        assert!(state.is_stuck() && state.broker.held() == 800 * UNIT && ids.len() == 8);
        state
    };
    let mut swept = broken();
    swept.sweep("anywhere".into());
    swept.jobs.clear();
    swept.swept();
    assert_eq!(swept.jobs.len(), 4, "they are written");
    swept.validate();
    let mut refused = broken();
    refused.disk.trouble = None;
    assert!(refused.has_work(), "somebody comes to it");
    refused.look_at_shared();
    assert_eq!(refused.jobs.len(), 4);
    refused.validate();
}

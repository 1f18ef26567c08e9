//! A store that the system gives no thread: those who wait do what there is to do.

use super::*;

/// What becomes of a request, by the help of the caller.
fn answer_by_help(store: &Store, ear: &Ear, holder: Holder, bytes: u64, inputs: &[Value]) -> Pins {
    let (answer, pins) = store.ask(holder, bytes, inputs).unwrap();
    let deadline = Instant::now() + Duration::from_secs(20);
    let is_heard = || ear.heard.lock().iter().any(|(ticket, _)| *ticket == holder.ticket);
    while answer == Answer::Pending && !is_heard() {
        assert!(Instant::now() < deadline && store.is_stranded(), "nobody sees to it");
        if !store.help() {
            std::thread::sleep(Duration::from_millis(1));
        }
    }
    pins
}

#[test]
fn requests_are_answered_and_results_are_read_by_those_who_wait() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    store.refuse_threads(true);
    let kept = fill(&store, 4);
    let holder = |ticket| Holder { asker, ticket };
    drop(answer_by_help(&store, &ear, holder(0), 400 * UNIT, &[]));
    assert_eq!((store.report().unwrap().held, store.report().unwrap().files_written), (0, 4));
    store.give_back(holder(0));
    // They are being read, by nobody.
    let inputs: Vec<Value> = kept.iter().map(|kept| Value::Stored(kept.clone())).collect();
    let (answer, pins) = store.ask(holder(1), 0, &inputs).unwrap();
    assert_eq!(answer, Answer::Promised { is_loading: true });
    let (told, hears) = std::sync::mpsc::channel();
    let waiting = kept.clone();
    std::thread::spawn(move || {
        let numbers = waiting.iter().map(|kept| number(&kept.fetch().unwrap().unwrap()));
        let _ = told.send(numbers.collect::<Vec<_>>());
    });
    let numbers = hears.recv_timeout(Duration::from_secs(20)).expect("who waits for one reads it himself");
    assert_eq!(numbers, [0, 1, 2, 3]);
    while store.help() {}
    assert!(!store.is_stranded(), "there is nothing more to do");
    assert!(matches!(ear.wait_for(1), Reply::Loaded));
    drop(pins);
    store.give_back(holder(1));
    store.validate();
    // Where there are threads again, nobody has to help.
    store.refuse_threads(false);
    squeeze(&store, &ear, asker, 2);
    assert!(!store.is_stranded() && !store.help());
}

#[test]
fn time_passes_and_breaks_are_told_without_threads_as_well() {
    let (store, ear, asker, _place) = store(400 * UNIT);
    store.refuse_threads(true);
    let holder = |ticket| Holder { asker, ticket };
    drop(answer_by_help(&store, &ear, holder(0), 400 * UNIT, &[]));
    // Nothing moves: when it has run for seconds the next one goes beyond the limit.
    let start = Instant::now();
    drop(answer_by_help(&store, &ear, holder(1), 100 * UNIT, &[]));
    assert!(start.elapsed() >= Duration::from_secs(4), "it is seen whether the first one ends");
    assert_eq!(store.report().unwrap().promised, 500 * UNIT);
    // Of one that has run for so long it is known: nobody waits for its end once more.
    let start = Instant::now();
    for ticket in 2..12 {
        store.give_back(holder(ticket - 1));
        drop(answer_by_help(&store, &ear, holder(ticket), 100 * UNIT, &[]));
    }
    assert!(start.elapsed() < Duration::from_secs(30), "each waits as long as the first");
    store.break_down("asked to");
    while store.help() {}
    assert_eq!(ear.broke.lock().len(), 1);
}

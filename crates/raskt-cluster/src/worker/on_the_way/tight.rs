//! What comes where there is little memory, and whoever has more is ended.

use super::super::fetching::NotPut;
use super::*;
use crate::failure::NO_MEMORY;
use std::sync::atomic::{AtomicU32, Ordering};

/// A worker whose results hold all of its memory but for so much, and stay.
fn with_little(security: &Security, bytes: u64) -> (Network, Arc<Fetching>) {
    let (network, fetching) = fetching(security);
    let store = fetching.engine().unwrap().store();
    store.set_bound(MEMORY);
    store.hold_unasked(MEMORY - bytes);
    (network, fetching)
}

fn give_all(reply: Reply, sizes: &[usize]) {
    let value = |&bytes: &usize| Value::from(Chunk::from_vec(vec![7_u8; bytes], &[bytes]).unwrap());
    let values: Vec<Value> = sizes.iter().map(value).collect();
    let keeper: Arc<dyn Any + Send + Sync> = Arc::new(());
    reply.give(pack(&values, &keeper).unwrap());
}

/// Where whoever has more memory is ended, nothing is asked for that there is none for; for a while some may be let go of.
#[test]
fn what_there_is_no_memory_for_is_not_asked_for() {
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let (_network, fetching) = with_little(&security, 0);
    let (sender, asked) = channel();
    let giver = Giver::start(&security, sender);
    let store = fetching.engine().unwrap().store();
    let (sender, done) = channel();
    take(&fetching, giver.source(), 1, &sender);
    let failure = done.recv_timeout(PATIENCE).unwrap().unwrap_err();
    assert!(failure.starts_with(NO_MEMORY), "{failure}");
    assert!(asked.try_recv().is_err());
    take(&fetching, giver.source(), 2, &sender);
    store.let_go_small(MEMORY);
    give(next(&asked).1, 1000);
    assert_eq!(done.recv_timeout(PATIENCE).unwrap(), Ok(()));
}

/// Less is left than is set aside for results of which nobody knows how large they are: those that fit come all the same.
#[test]
fn what_is_small_comes_where_little_memory_is_left() {
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let (_network, fetching) = with_little(&security, 1 << 20);
    let (sender, asked) = channel();
    let givers = [(); 2].map(|()| Giver::start(&security, sender.clone()));
    let (sender, done) = channel();
    (0..40).for_each(|run| take(&fetching, givers[run as usize % 2].source(), run, &sender));
    for _ in 0..40 {
        give(next(&asked).1, 1000);
    }
    for _ in 0..40 {
        assert_eq!(done.recv_timeout(PATIENCE).unwrap(), Ok(()));
    }
}

#[test]
fn what_is_too_large_for_what_is_left_keeps_nothing_else_of_its_run() {
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let (_network, fetching) = with_little(&security, 1 << 20);
    let (sender, asked) = channel();
    let giver = Giver::start(&security, sender);
    let (sender, told) = channel();
    let sender = Mutex::new(sender);
    let tell = Arc::new(move |told: Told| drop(sender.lock().send(told)));
    let put = |_: &Fetching, _: RunId, tasks: &[TaskRange], values: Vec<Value>, _: &Held| {
        assert_eq!((tasks[0].start, values.len()), (1, 1));
        Ok(())
    };
    let tasks = vec![TaskRange { end: 2, ..one() }];
    Steps::begin(fetching.clone(), Some(giver.source()), (RunId(1), tasks), (put, Duration::ZERO), tell);
    // Both together, and then each.
    give_all(next(&asked).1, &[2 << 20, 1000]);
    give(next(&asked).1, 2 << 20);
    give(next(&asked).1, 1000);
    match told.recv_timeout(PATIENCE).unwrap() {
        Told::Missed(tasks, reason) => assert!(tasks == [one()] && reason.starts_with(NO_MEMORY), "{reason}"),
        Told::Over(_) => panic!("it can't be had"),
    }
    assert!(matches!(told.recv_timeout(PATIENCE).unwrap(), Told::Over(Some(_))));
}

/// Tasks may have made more meanwhile than was known when it was let in. It isn't refused for that at once, nor tried for ever.
#[test]
fn what_there_is_no_memory_for_when_it_has_come_waits_once_more() {
    static REFUSALS: AtomicU32 = AtomicU32::new(0);
    let security = Security { token: Some(Token::random().unwrap()), tls: None };
    let (_network, fetching) = fetching(&security);
    let (sender, asked) = channel();
    let giver = Giver::start(&security, sender);
    let (sender, done) = channel();
    let put = |_: &Fetching, _: RunId, _: &[TaskRange], _: Vec<Value>, _: &Held| {
        let left = REFUSALS.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1));
        let reason = format!("{NO_MEMORY}: all is held");
        if left.is_ok() { Err(NotPut { reason, for_now: true }) } else { Ok(()) }
    };
    let take = |refusals, comes| {
        REFUSALS.store(refusals, Ordering::Relaxed);
        let source = Some(giver.source());
        Steps::begin(fetching.clone(), source, (RunId(1), vec![one()]), (put, Duration::ZERO), tells_end(&sender));
        (0..comes).for_each(|_| give(next(&asked).1, 1000));
        done.recv_timeout(PATIENCE).unwrap()
    };
    assert_eq!(take(3, 4), Ok(()));
    assert!(take(u32::MAX, 9).unwrap_err().starts_with(NO_MEMORY));
    assert!(asked.try_recv().is_err());
    // Whoever tells of the end may still have the last of it.
    let deadline = Instant::now() + PATIENCE;
    while fetching.room.taken() != (0, 0) {
        assert!(Instant::now() < deadline, "{:?} are taken", fetching.room.taken());
        std::thread::sleep(Duration::from_millis(1));
    }
}

//! Many clients on threads at once.

use super::pair::*;
use crate::coordination::*;
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::thread::scope;
use std::time::Instant;

const CLIENTS: u64 = 8;
const ROUNDS: u64 = 100;

#[test]
fn one_at_a_time_has_a_lock() {
    let world = World::new();
    let (inside, sum) = (AtomicUsize::new(0), AtomicU64::new(0));
    scope(|scope| {
        for number in 0..CLIENTS {
            let client = world.client();
            let (inside, sum) = (&inside, &sum);
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    // Some want both, in one order or the other.
                    let names =
                        if number % 2 == 0 { vec!["a".into(), "b".into()] } else { vec!["b".into(), "a".into()] };
                    let names = if round % 3 == 0 { vec!["a".into()] } else { names };
                    let (count, holder) = (names.len() as u64, number);
                    let acquire = Request::AcquireLocks { names: names.clone(), count, holder, timeout: None };
                    assert!(matches!(client.ask(acquire), Reply::Acquired(_)));
                    assert_eq!(inside.fetch_add(1, Ordering::SeqCst), 0);
                    let read = sum.load(Ordering::Relaxed);
                    std::thread::yield_now();
                    sum.store(read + 1, Ordering::Relaxed);
                    assert_eq!(inside.fetch_sub(1, Ordering::SeqCst), 1);
                    assert_eq!(client.ask(Request::ReleaseLocks { names, holder }), Reply::Done);
                }
            });
        }
    });
    assert_eq!(sum.into_inner(), CLIENTS * ROUNDS);
}

#[test]
fn as_many_as_there_are_leases_have_one() {
    let world = World::new();
    let (inside, most) = (AtomicU64::new(0), AtomicU64::new(0));
    scope(|scope| {
        for _ in 0..CLIENTS {
            let client = world.client();
            let (inside, most) = (&inside, &most);
            scope.spawn(move || {
                for lease in 0..ROUNDS {
                    let name = Name::from("s");
                    let acquire = Request::AcquireLease { name, leases: 3, lease, lasts: None, timeout: None };
                    assert_eq!(client.ask(acquire), Reply::Done);
                    most.fetch_max(inside.fetch_add(1, Ordering::SeqCst) + 1, Ordering::SeqCst);
                    std::thread::yield_now();
                    inside.fetch_sub(1, Ordering::SeqCst);
                    assert_eq!(client.ask(Request::ReleaseLease { name: "s".into(), lease }), Reply::Done);
                }
            });
        }
    });
    assert!((1..=3).contains(&most.into_inner()));
}

#[test]
fn every_item_of_a_queue_comes_once_and_those_of_a_producer_in_order() {
    for own in hand_over(false) {
        let mut last = [None; CLIENTS as usize];
        for item in own {
            let of = &mut last[(item >> 32) as usize];
            assert!(*of < Some(item), "items of a producer are out of order");
            *of = Some(item);
        }
    }
}

#[test]
fn every_item_of_a_queue_comes_once_however_many_give_up() {
    hand_over(true);
}

/// Producers and consumers of one queue: what each consumer has taken. All items have been, each once.
fn hand_over(some_give_up: bool) -> Vec<Vec<u64>> {
    let world = World::new();
    let owner = world.client();
    owner.ask(Request::OpenQueue { name: "q".into(), size: Some(4) });
    let left = Arc::new(AtomicU64::new(CLIENTS * ROUNDS));
    let taken = scope(|scope| {
        for producer in 0..CLIENTS {
            let client = world.client();
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    assert_eq!(client.ask(put("q", (producer << 32 | round).to_le_bytes())), Reply::Done);
                }
            });
        }
        let consumers: Vec<_> = (0..CLIENTS)
            .map(|consumer| {
                let (client, left) = (world.client(), left.clone());
                scope.spawn(move || consume(&client, consumer, &left, some_give_up))
            })
            .collect();
        consumers.into_iter().map(|consumer| consumer.join().expect("a consumer")).collect::<Vec<_>>()
    });
    let all: Vec<u64> = taken.concat();
    let different: BTreeSet<u64> = all.iter().copied().collect();
    assert_eq!((all.len() as u64, different.len() as u64), (CLIENTS * ROUNDS, CLIENTS * ROUNDS));
    assert_eq!(owner.ask(Request::QueueSize { name: "q".into() }), Reply::Number(0));
    taken
}

/// Takes items until all are taken; some give up every third request at once.
fn consume(client: &Client, consumer: u64, left: &AtomicU64, some_give_up: bool) -> Vec<u64> {
    let mut own = vec![];
    let mut round = consumer;
    while left.load(Ordering::SeqCst) > 0 {
        round += 1;
        let mut pending = client.request(get("q", Some(0)));
        let answer = match round % 3 {
            0 if some_give_up => pending.wait(Some(Instant::now())),
            _ => pending.wait(None),
        };
        if let Some(Ok(answer)) = answer
            && let Reply::Values { .. } = answer.reply()
        {
            own.push(u64::from_le_bytes(value(answer.reply()).try_into().expect("a number")));
            left.fetch_sub(1, Ordering::SeqCst);
        }
        std::thread::yield_now();
    }
    own
}

#[test]
fn locks_pass_on_whoever_dies() {
    let world = World::new();
    let had = AtomicU64::new(0);
    scope(|scope| {
        for number in 0..CLIENTS {
            let mut client = world.client();
            let had = &had;
            scope.spawn(move || {
                for round in 0..ROUNDS {
                    assert!(matches!(client.ask(lock("x")), Reply::Acquired(_)));
                    had.fetch_add(1, Ordering::Relaxed);
                    // It goes with the lock, and comes back for another one.
                    if (round + number) % 4 == 0 {
                        client.end();
                        client.come_back();
                    } else {
                        client.ask(unlock("x"));
                    }
                }
            });
        }
    });
    assert_eq!(had.into_inner(), CLIENTS * ROUNDS);
}

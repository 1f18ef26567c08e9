//! Calls that are made one by one, and go together where they wait for each other: over real sockets, all in this process.

use crate::workplace::calls::{Made, Plus, call, call_of, made, open};
use crate::workplace::killed::Place;
use crate::workplace::*;
use raskt_cluster::{Client, ClusterError, TaskState};
use raskt_graph::Annotations;
use raskt_schedule::{TaskRange, WorkerId};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

static NEXT: AtomicU64 = AtomicU64::new(1);

/// A number that nothing else of the program has.
fn next() -> u64 {
    NEXT.fetch_add(1, Ordering::Relaxed)
}

fn plus(number: i64) -> Plus {
    Plus { id: next(), number, ..Plus::default() }
}

/// A call that waits for a gate, and that gate.
fn behind_a_gate(client: &Client) -> (Made, u64) {
    let gate = next();
    (call(client, Plus { gate: Some(gate), ..plus(0) }, &[]), gate)
}

fn result(client: &Client, (run, task): &Made) -> Result<i64, ClusterError> {
    let soon = Some(Instant::now() + PATIENCE);
    Ok(number(&client.gather(&[(run.id(), vec![TaskRange::one(*task)])], soon)?[0]))
}

fn runs<'a>(made: impl IntoIterator<Item = &'a Made>) -> usize {
    made.into_iter().map(|(run, _)| run.id()).collect::<BTreeSet<_>>().len()
}

/// Waits until it is so.
fn until(what: &str, mut is_so: impl FnMut() -> bool) {
    let deadline = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < deadline, "{what}");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn links_of_a_chain_go_together_and_each_is_made_once() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let (first, gate) = behind_a_gate(&client);
    let mut chain = vec![first];
    let links: Vec<_> = (0..1000).map(|_| plus(1)).collect();
    for link in &links {
        let last = call(&client, link.clone(), &[chain.last().unwrap()]);
        chain.push(last);
    }
    assert!(runs(&chain) < 500, "{} runs for {} links", runs(&chain), chain.len());
    open(gate);
    assert_eq!(result(&client, chain.last().unwrap()).unwrap(), 1000);
    assert_eq!(result(&client, &chain[500]).unwrap(), 500);
    assert!(links.iter().all(|link| made(link.id) == 1));
}

#[test]
fn what_waits_for_nothing_is_a_run_of_its_own_at_once() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let one = call(&client, plus(1), &[]);
    assert_eq!(result(&client, &one).unwrap(), 1);
    // All that they read is there.
    let (two, three) = (call(&client, plus(1), &[&one]), call(&client, plus(2), &[&one]));
    assert_eq!(runs([&one, &two, &three]), 3);
    assert_eq!((result(&client, &two).unwrap(), result(&client, &three).unwrap()), (2, 3));
}

#[test]
fn what_waits_is_sent_although_nobody_asks() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let (first, gate) = behind_a_gate(&client);
    let (link, other) = (plus(1), plus(2));
    let second = call(&client, link.clone(), &[&first]);
    let third = call(&client, other.clone(), &[&first]);
    open(gate);
    // Neither is waited for, or asked about.
    until("what waited wasn't sent", || made(link.id) == 1 && made(other.id) == 1);
    drop((first, second, third));
}

#[test]
fn unlike_calls_do_not_go_together() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let (first, gate) = behind_a_gate(&client);
    let said = |priority| Some(Arc::new(Annotations { priority, ..Annotations::default() }));
    let mut all = vec![first];
    for at in 0..100 {
        let unlike = raskt_cluster::Call { annotations: said(at % 2), ..call_of(plus(1), &[all.last().unwrap()]) };
        all.push(client.call(unlike).unwrap());
    }
    assert_eq!(runs(&all), 101);
    open(gate);
    assert_eq!(result(&client, all.last().unwrap()).unwrap(), 100);
}

#[test]
fn what_fails_takes_along_what_reads_it_and_can_be_tried_again() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let (first, gate) = behind_a_gate(&client);
    let bad = Plus { fails: true, ..plus(0) };
    let before = call(&client, plus(1), &[&first]);
    let failing = call(&client, bad.clone(), &[&before]);
    let after = call(&client, plus(1), &[&failing]);
    let (beside, last) = (call(&client, plus(5), &[&before]), call(&client, plus(1), &[&after]));
    let root = (failing.0.id(), failing.1);
    // Those in between aren't held by anybody.
    drop((failing, after));
    open(gate);
    let error = result(&client, &last).unwrap_err().to_string();
    assert!(error.contains(&format!("call {} fails", bad.id)), "{error}");
    let TaskState::Failed(failed) = last.0.state(last.1) else { panic!("it failed") };
    assert_eq!(failed.root(), Some(root));
    assert_eq!(result(&client, &beside).unwrap(), 6);
    last.0.retry(&[TaskRange::one(last.1)]).unwrap();
    result(&client, &last).unwrap_err();
    assert_eq!(made(bad.id), 2);
}

#[test]
fn what_is_cancelled_takes_along_what_waits_for_it() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let (first, gate) = behind_a_gate(&client);
    let links: Vec<_> = (0..4).map(|_| plus(1)).collect();
    let second = call(&client, links[0].clone(), &[&first]);
    let third = call(&client, links[1].clone(), &[&second]);
    let fourth = call(&client, links[2].clone(), &[&third]);
    let beside = call(&client, links[3].clone(), &[&second]);
    third.0.cancel(&[TaskRange::one(third.1)], false);
    let error = result(&client, &fourth).unwrap_err();
    assert!(error.to_string().contains("cancelled"), "{error}");
    open(gate);
    assert_eq!(result(&client, &beside).unwrap(), 2);
    assert_eq!((made(links[1].id), made(links[2].id)), (0, 0));
}

#[test]
fn what_nobody_holds_is_made_for_those_that_read_it() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let (mut last, gate) = behind_a_gate(&client);
    for _ in 0..300 {
        last = call(&client, plus(1), &[&last]);
    }
    open(gate);
    assert_eq!(result(&client, &last).unwrap(), 300);
}

#[test]
fn many_threads_make_calls_at_once() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    let (first, gate) = behind_a_gate(&client);
    let all: Vec<Vec<Made>> = std::thread::scope(|scope| {
        let chain = |own: i64| {
            let (first, client) = (&first, &client);
            move || {
                let mut chain = vec![call(client, plus(own), &[first])];
                for at in 0..200 {
                    chain.push(call(client, plus(1), &[&chain[at]]));
                }
                chain
            }
        };
        let threads: Vec<_> = (0..8).map(|own| scope.spawn(chain(own * 1000))).collect();
        threads.into_iter().map(|thread| thread.join().unwrap()).collect()
    });
    open(gate);
    for (own, chain) in (0..).zip(&all) {
        for (at, made) in (0..).zip(chain) {
            assert_eq!(result(&client, made).unwrap(), own * 1000 + at);
        }
    }
}

#[test]
fn who_leaves_with_calls_that_wait_is_gone_and_hears_so() {
    let cluster = Cluster::of(1);
    let client = cluster.client();
    let (first, gate) = behind_a_gate(&client);
    let second = call(&client, plus(1), &[&first]);
    client.close(Duration::from_secs(1));
    until("what was wanted isn't told to have failed", || matches!(second.0.state(second.1), TaskState::Failed(_)));
    assert!(client.call(call_of(plus(1), &[&second])).is_err());
    open(gate);
}

#[test]
fn another_client_takes_up_what_waits() {
    let cluster = Cluster::of(1);
    let (client, other) = (cluster.client(), cluster.client());
    let (first, gate) = behind_a_gate(&client);
    let second = call(&client, plus(1), &[&first]);
    // As whoever gives the name of a result away does.
    client.barrier(PATIENCE).unwrap();
    let adopted = other.adopt_at_once((second.0.id(), second.1), None, PATIENCE).unwrap();
    let third = call(&other, plus(1), &[&adopted]);
    drop((first, second));
    open(gate);
    assert_eq!(result(&other, &third).unwrap(), 2);
}

/// What a plain program makes of the same: nothing of what fails, is cancelled, or reads such.
struct World {
    chance: u64,
    made: Vec<Option<Made>>,
    plain: Vec<Result<i64, &'static str>>,
}

impl World {
    fn below(&mut self, bound: usize) -> usize {
        self.chance ^= self.chance << 13;
        self.chance ^= self.chance >> 7;
        self.chance ^= self.chance << 17;
        (self.chance % bound as u64) as usize
    }

    /// One that is still held: mostly one of the last.
    fn some_held(&mut self) -> Option<usize> {
        let held: Vec<_> = (0..self.made.len()).filter(|at| self.made[*at].is_some()).collect();
        let near = if self.below(4) > 0 { held.len().min(3) } else { held.len() };
        (!held.is_empty()).then(|| held[held.len() - 1 - self.below(near)])
    }

    fn step(&mut self, client: &Client, gate: u64) {
        let reads: Vec<usize> = (0..self.below(4)).filter_map(|_| self.some_held()).collect();
        let is_first = self.made.is_empty();
        let fails = !is_first && self.below(40) == 0;
        let number = self.below(100) as i64;
        let gate = (is_first || self.below(20) == 0).then_some(gate);
        let inputs: Vec<_> = reads.iter().map(|at| self.made[*at].as_ref().unwrap()).collect();
        let next = call(client, Plus { number, fails, gate, ..plus(0) }, &inputs);
        let sum: Result<i64, _> = reads.iter().map(|at| self.plain[*at]).sum();
        self.plain.push(if fails { sum.and(Err("fails")) } else { sum.map(|sum| sum + number) });
        self.made.push(Some(next));
        match self.below(12) {
            0..4 => drop(self.some_held().and_then(|at| self.made[at].take())),
            4 => client.send_calls(),
            _ => {}
        }
    }
}

#[test]
fn generated_calls_give_what_a_plain_program_gives() {
    let cluster = Cluster::of(2);
    let client = cluster.client();
    for seed in 1..40 {
        let (made, plain) = Default::default();
        let mut world = World { chance: seed * 0x9e37_79b9_7f4a_7c15, made, plain };
        let gate = next();
        let opens_at = world.below(300);
        for at in 0..300 {
            if at == opens_at {
                open(gate);
            }
            world.step(&client, gate);
        }
        open(gate);
        for (at, (made, expected)) in world.made.iter().zip(&world.plain).enumerate() {
            let Some(made) = made else { continue };
            match (result(&client, made), expected) {
                (Ok(found), Ok(expected)) => assert_eq!(found, *expected, "call {at} of seed {seed}"),
                (Err(error), Err(why)) => assert!(error.to_string().contains(why), "{error}"),
                (found, expected) => panic!("call {at} of seed {seed}: {found:?} where {expected:?} is due"),
            }
        }
    }
}

/// Calls that gather are written, which takes its time, and meanwhile the scheduler is another one.
#[test]
fn what_is_being_written_while_the_scheduler_begins_anew_is_made() {
    let mut place = Place::of(1);
    let client = place.client();
    let (first, gate) = behind_a_gate(&client);
    let written = next();
    let second = call(&client, Plus { written_behind: Some(written), ..plus(1) }, &[&first]);
    // By whoever looks after calls that wait.
    std::thread::sleep(Duration::from_millis(50));
    place.kill();
    place.start();
    // Whoever asks anything waits for what is being written. The worker has another number when it is back.
    until("the client is back", || client.workers().iter().any(|worker| worker.worker != WorkerId(0)));
    std::thread::sleep(Duration::from_millis(300));
    open(written);
    open(gate);
    assert_eq!(result(&client, &second).unwrap(), 1);
    let third = call(&client, plus(5), &[&second]);
    assert_eq!(result(&client, &third).unwrap(), 6);
}

/// And what it reads, of which nobody else wants anything, is there until it has been submitted.
#[test]
fn what_only_those_read_that_are_being_written_outlives_the_scheduler() {
    let mut place = Place::of(1);
    let client = place.client();
    let (first, gate) = behind_a_gate(&client);
    let between = call(&client, plus(1), &[&first]);
    client.send_calls();
    let written = next();
    let second = call(&client, Plus { written_behind: Some(written), ..plus(1) }, &[&between]);
    drop(between);
    // By whoever looks after calls that wait.
    std::thread::sleep(Duration::from_millis(50));
    place.kill();
    place.start();
    until("the worker is back", || client.workers().iter().any(|worker| worker.worker != WorkerId(0)));
    std::thread::sleep(Duration::from_millis(300));
    open(written);
    open(gate);
    assert_eq!(result(&client, &second).unwrap(), 2);
}

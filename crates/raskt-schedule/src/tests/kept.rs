//! Workers that are kept for suspects, and for those who ask for much of a resource.

use super::lent::{Cluster, gpu, layers, nothing};
use crate::*;
use raskt_graph::Annotations;
use std::sync::Arc;

/// Whose task is suspected once two workers have died of it, and failed with one more death if it was alone.
fn cluster() -> Cluster {
    let mut cluster = Cluster::new();
    let settings = Settings { credit_nanoseconds: 1, deaths: 1, ..Settings::default() };
    cluster.scheduler = Scheduler::with(settings, Arc::new(SoonestStart::default()));
    cluster
}

fn submit_one(cluster: &mut Cluster, run: u64, parent: Option<u64>, annotations: Annotations) {
    cluster.submit(run, parent, layers(vec![annotations], false));
}

/// So much time passes that workers are kept for those who stand aside: so many by now.
fn lose_patience(cluster: &mut Cluster, kept: usize) {
    cluster.now.0 += Settings::default().admission.patience_nanoseconds;
    cluster.handle(Event::TimePassed);
    assert_eq!(cluster.scheduler.reserves.kept().count(), kept);
}

/// Nobody says which tasks of a run wait: were two of its suspects on one worker, neither would have been alone when it dies, and
/// they would kill one worker after the other.
#[test]
fn suspects_of_one_run_are_never_beside_each_other() {
    let mut cluster = cluster();
    cluster.join(0, 2, 2);
    cluster.submit(1, None, layers(vec![gpu(1); 2], false));
    for worker in 0..3 {
        assert_eq!(cluster.of(1, worker).len(), 2);
        for attempt in cluster.of(1, worker) {
            cluster.handle(Event::Started { worker: WorkerId(worker), run: RunId(1), attempt });
        }
        cluster.die(worker);
        cluster.join(worker + 1, 2, 2);
    }
    assert_eq!(cluster.start(1), 3, "one of them is alone, after they were suspects together");
    // It waits for what can't be.
    submit_one(&mut cluster, 2, Some(1), gpu(3));
    cluster.lend(3, 2);
    assert_eq!(cluster.start(1), 3, "the other one isn't put beside it");
    cluster.handle(Event::RunReleased { run: RunId(2) });
    cluster.end(3, 1);
    assert_eq!(cluster.start(1), 3, "it has its turn");
    cluster.die(3);
    assert!(matches!(cluster.failed.as_slice(), [(RunId(1), story)] if story.last().is_some_and(|death| death.alone)));
}

/// Who leaves gives back whatever comes, also what its tasks wait for: it isn't given that again and again.
#[test]
fn suspects_come_to_nobody_who_leaves() {
    for leaves in [false, true] {
        let mut cluster = cluster();
        cluster.join(0, 1, 1);
        submit_one(&mut cluster, 1, None, gpu(1));
        submit_one(&mut cluster, 2, Some(1), gpu(1));
        for worker in 1..3 {
            cluster.join(worker, 1, 1);
            assert_eq!(cluster.start(2), worker);
            cluster.die(worker);
        }
        // Somebody has room, and nothing of what is required.
        cluster.join(9, 1, 0);
        let memory = if leaves { 0 } else { u64::MAX };
        cluster.handle(Event::WorkerResized { worker: WorkerId(0), slots: 0, memory });
        cluster.lend(0, 2);
        assert_eq!(cluster.only(2).map(|(worker, _)| worker), (!leaves).then_some(0));
    }
}

/// A worker is kept for who asks for all of its resource, and comes to be kept for a suspect as well while a task of it waits.
#[test]
fn who_asks_for_much_and_a_suspect_do_not_wait_for_each_other() {
    let mut cluster = cluster();
    cluster.join(0, 3, 3);
    submit_one(&mut cluster, 1, None, nothing());
    submit_one(&mut cluster, 2, None, gpu(1));
    assert_eq!((cluster.start(1), cluster.start(2)), (0, 0));
    submit_one(&mut cluster, 3, None, gpu(3));
    lose_patience(&mut cluster, 1);
    submit_one(&mut cluster, 4, None, gpu(1));
    for worker in 1..3 {
        cluster.join(worker, 1, 1);
        assert_eq!(cluster.start(4), worker);
        cluster.die(worker);
    }
    submit_one(&mut cluster, 5, Some(1), gpu(4));
    cluster.lend(0, 5);
    cluster.handle(Event::RunReleased { run: RunId(5) });
    cluster.end(0, 1);
    assert!(cluster.only(4).is_none(), "something else is there");
    cluster.end(0, 2);
    assert_eq!(cluster.start(4), 0, "the suspect is alone");
    cluster.end(0, 4);
    assert_eq!(cluster.start(3), 0);
}

/// Somebody gets what a worker is kept for, and what is left of it is there for who stood aside because of that: he is woken at once.
#[test]
fn what_is_left_of_a_kept_worker_is_given_to_others_at_once() {
    let mut cluster = cluster();
    cluster.join(0, 4, 4);
    submit_one(&mut cluster, 1, None, gpu(3));
    cluster.start(1);
    submit_one(&mut cluster, 2, None, gpu(2));
    lose_patience(&mut cluster, 1);
    submit_one(&mut cluster, 3, None, gpu(1));
    assert!(cluster.only(3).is_none(), "what is free is kept");
    cluster.end(0, 1);
    assert!(cluster.only(2).is_some() && cluster.only(3).is_some());
}

/// And so on, if for one of those a worker was kept as well.
#[test]
fn nor_does_anybody_wait_for_the_next_event_who_stood_aside_because_of_these() {
    let mut cluster = cluster();
    cluster.join(0, 4, 5);
    let resources = [("gpu".into(), 2), ("other".into(), 1)].into();
    cluster.handle(Event::WorkerJoined { worker: WorkerId(1), offer: Offer { resources, ..Offer::slots(4) } });
    for (run, amount, worker) in [(1, 5, 0), (2, 1, 1)] {
        submit_one(&mut cluster, run, None, gpu(amount));
        assert_eq!(cluster.start(run), worker);
    }
    submit_one(&mut cluster, 3, None, gpu(3));
    lose_patience(&mut cluster, 1);
    submit_one(&mut cluster, 4, None, gpu(2));
    lose_patience(&mut cluster, 2);
    let both = [("gpu".into(), 1), ("other".into(), 1)].into();
    submit_one(&mut cluster, 5, None, Annotations { resources: both, ..nothing() });
    assert!(cluster.only(5).is_none(), "what is free is kept");
    cluster.end(0, 1);
    assert!((3..6).all(|run| cluster.only(run).is_some()));
}

/// The same if it is a suspect that gets it, from a task that waits for it: suspects have their turn after all others.
#[test]
fn nor_does_a_suspect_leave_others_aside() {
    let mut cluster = cluster();
    cluster.join(0, 1, 2);
    // What goes first isn't kept from its worker.
    submit_one(&mut cluster, 1, None, Annotations { priority: 1, ..gpu(2) });
    assert_eq!(cluster.start(1), 0);
    cluster.join(1, 3, 2);
    submit_one(&mut cluster, 2, None, gpu(1));
    assert_eq!(cluster.start(2), 1);
    submit_one(&mut cluster, 3, Some(1), gpu(2));
    for worker in 2..4 {
        cluster.join(worker, 1, 2);
        assert_eq!(cluster.start(3), worker);
        if worker == 2 {
            cluster.die(worker);
        }
    }
    cluster.lend(0, 3);
    submit_one(&mut cluster, 4, None, gpu(2));
    lose_patience(&mut cluster, 1);
    submit_one(&mut cluster, 5, None, gpu(1));
    assert!(cluster.only(5).is_none(), "what is free is kept");
    cluster.die(3);
    assert_eq!(cluster.only(3).map(|(worker, _)| worker), Some(0), "it borrows what it requires");
    assert!(cluster.only(5).is_some());
}

/// Time goes on in quarters of a second, in each of which one task of `run` ends on `worker`, until run 3 is given something: after
/// so many of them. After each, `then` is done.
fn quarters_until_given(cluster: &mut Cluster, run: u64, workers: &[u32], then: impl Fn(&mut Cluster, usize)) -> usize {
    for quarter in 0..400 {
        if cluster.only(3).is_some() {
            return quarter;
        }
        cluster.now.0 += 250_000_000;
        let worker = workers[quarter % workers.len()];
        match cluster.of(run, worker).is_empty() {
            true => cluster.handle(Event::TimePassed),
            false => cluster.end(worker, run),
        }
        then(cluster, quarter);
    }
    400
}

/// Others of a higher priority are handed the same again and again, elsewhere; or those that a task waits for, which lends it.
#[test]
fn whoever_stands_aside_is_not_passed_by_what_others_get_elsewhere() {
    for is_borrowed in [false, true] {
        let mut cluster = Cluster::new();
        cluster.join(0, 1, 4);
        let first = Annotations { priority: 1, ..gpu(4) };
        let chain = |annotations| layers(vec![annotations; 200], true);
        if is_borrowed {
            submit_one(&mut cluster, 1, None, gpu(4));
            cluster.submit(4, Some(1), chain(gpu(4)));
            cluster.lend(0, 4);
        } else {
            cluster.submit(4, None, chain(first));
        }
        cluster.join(1, 4, 4);
        cluster.submit(2, None, layers(vec![gpu(1); 2000], false));
        assert_eq!((cluster.of(4, 0).len(), cluster.of(2, 1).len()), (1, 4));
        submit_one(&mut cluster, 3, None, gpu(4));
        let goes_on = |cluster: &mut Cluster, quarter| {
            if quarter % 3 == 0 {
                cluster.end(0, 4);
            }
        };
        let quarters = quarters_until_given(&mut cluster, 2, &[1], goes_on);
        assert!(quarters < 40, "nothing in {quarters} quarters of a second (borrowed: {is_borrowed})");
    }
}

/// One of two workers is at something for hours: there, there is never enough, and with the other one there is soon.
#[test]
fn a_worker_that_is_busy_for_long_is_not_kept_for_long() {
    for (busy, waits) in [(1, 0), (3, 20)] {
        let mut cluster = Cluster::new();
        cluster.join(0, 5, 4);
        cluster.submit(1, None, layers(vec![gpu(1); busy], false));
        cluster.submit(2, None, layers(vec![gpu(1); 4000], false));
        // The other worker comes when it is known already which one is kept, or before.
        if waits == 0 {
            cluster.join(1, 4, 4);
        }
        submit_one(&mut cluster, 3, None, gpu(4));
        if waits > 0 {
            lose_patience(&mut cluster, 1);
            cluster.join(1, 4, 4);
        }
        let quarters = quarters_until_given(&mut cluster, 2, &[1, 0], |_, _| ());
        assert!(quarters < 60, "nothing in {quarters} quarters of a second ({busy} tasks take hours)");
    }
}

/// What is kept is kept from equals, and from nobody who goes first: be he there when something comes free, or come later.
#[test]
fn nobody_of_a_higher_priority_waits_for_what_is_kept_for_others() {
    for is_there in [false, true] {
        let mut cluster = Cluster::new();
        cluster.join(0, 8, 4);
        cluster.submit(1, None, layers(vec![gpu(1); 4], false));
        submit_one(&mut cluster, 2, None, gpu(4));
        lose_patience(&mut cluster, 1);
        submit_one(&mut cluster, 4, None, gpu(1));
        if !is_there {
            (0..2).for_each(|_| cluster.end(0, 1));
        }
        for run in [3, 5] {
            submit_one(&mut cluster, run, None, Annotations { priority: 10, ..gpu(1) });
        }
        if is_there {
            assert!(cluster.of(3, 0).is_empty());
            (0..2).for_each(|_| cluster.end(0, 1));
        }
        assert_eq!([3, 4, 5].map(|run| cluster.of(run, 0).len()), [1, 0, 1]);
        assert_eq!(cluster.scheduler.reserves.kept().count(), 1, "the rest is kept as before");
        [1, 1, 3, 5].into_iter().for_each(|run| cluster.end(0, run));
        assert_eq!([2, 4].map(|run| cluster.of(run, 0).len()), [1, 0]);
    }
}

/// A suspect waits, and another one has its worker meanwhile; when the first goes on it is alone as before.
#[test]
fn a_suspect_that_has_waited_is_alone_again() {
    let mut cluster = Cluster::new();
    cluster.join(0, 2, 0);
    [1, 3].into_iter().for_each(|run| submit_one(&mut cluster, run, None, nothing()));
    // Together at first, and each by itself when that worker has died as well.
    for worker in 0..3 {
        assert_eq!((cluster.start(1), cluster.start(3)), (worker, worker));
        cluster.die(worker);
        cluster.join(worker + 1, 2, 0);
    }
    let (waits, other) = if cluster.only(1).is_some() { (1, 3) } else { (3, 1) };
    assert_eq!((cluster.start(waits), cluster.only(other)), (3, None));
    // It waits for what is done elsewhere.
    submit_one(&mut cluster, 5, Some(waits), gpu(1));
    cluster.lend(3, 5);
    assert_eq!(cluster.start(other), 3, "the other suspect has its turn meanwhile");
    cluster.end(3, other);
    cluster.join(6, 1, 1);
    cluster.end(6, 5);
    cluster.submit(9, None, layers(vec![nothing(); 3], false));
    assert!(cluster.of(9, 3).is_empty(), "nothing is put beside it");
    cluster.end(3, waits);
    assert_eq!(cluster.of(9, 3).len(), 2, "its worker is there for all");
}

/// A suspect comes into a slot that is lent, and has to wait there since who lent it goes on: it isn't taken to a worker where it
/// wouldn't be alone.
#[test]
fn a_suspect_that_comes_back_is_alone_with_the_next_worker() {
    let mut cluster = Cluster::new();
    (0..2).for_each(|worker| cluster.join(worker, 1, 0));
    submit_one(&mut cluster, 1, None, nothing());
    let lender = cluster.start(1);
    submit_one(&mut cluster, 2, Some(1), nothing());
    for next in 2..4 {
        let worker = cluster.start(2);
        cluster.die(worker);
        if next == 2 {
            cluster.join(next, 1, 0);
        }
    }
    cluster.lend(lender, 2);
    assert_eq!(cluster.only(2).map(|(worker, _)| worker), Some(lender));
    cluster.handle(Event::SlotsReturned { worker: WorkerId(lender), run: RunId(2), slots: 1 });
    cluster.join(7, 2, 0);
    let at = cluster.given.iter().position(|(_, given)| given.run.0 == 2).expect("it is there");
    let (worker, Assignment { run, attempt, tasks, .. }) = cluster.given.remove(at);
    cluster.handle(Event::Recalled { worker, run, attempt, tasks });
    assert_eq!(cluster.only(2).map(|(worker, _)| worker), Some(7));
    submit_one(&mut cluster, 8, None, nothing());
    assert!(cluster.only(8).is_none_or(|(worker, _)| worker != 7), "nothing is put beside it");
}

/// A poisonous task computes something inside, and then kills its worker, on which by then something else runs in the slot that it
/// had lent: it is not alone, each time. Or what it computes kills the worker.
#[test]
fn a_task_kills_a_bounded_number_of_workers_whatever_is_beside_it() {
    for goes_on in [true, false] {
        let mut cluster = Cluster::new();
        (0..2).for_each(|worker| cluster.join(worker, 1, 0));
        submit_one(&mut cluster, 1, None, nothing());
        cluster.submit(9, None, layers(vec![nothing(); 500], false));
        let mut deaths = 0;
        while cluster.failed.is_empty() && deaths < 40 {
            end_others(&mut cluster, u32::MAX, |cluster| cluster.only(1).is_some());
            let worker = cluster.start(1);
            let inner = RunId(100 + u64::from(deaths));
            if deaths >= 2 {
                compute_inside(&mut cluster, worker, inner.0, goes_on);
            }
            deaths += 1;
            cluster.die(worker);
            // Whoever had submitted it is gone.
            cluster.given.retain(|(_, given)| given.run != inner);
            cluster.handle(Event::RunReleased { run: inner });
            cluster.join(1 + deaths, 1, 0);
        }
        let failed: Vec<_> = cluster.failed.iter().map(|(run, _)| run.0).collect();
        assert!(failed == [1] && deaths <= 2 + 9, "{deaths} workers died (goes on: {goes_on}); failed: {failed:?}");
    }
}

/// Others end what they do, but for those on a worker, until something is so.
fn end_others(cluster: &mut Cluster, but_on: u32, is_so: impl Fn(&Cluster) -> bool) {
    for _ in 0..50 {
        if is_so(cluster) {
            return;
        }
        let at = cluster.given.iter().find(|(to, given)| given.run.0 == 9 && to.0 != but_on);
        let at = at.map(|(worker, _)| worker.0).expect("others are at work");
        cluster.end(at, 9);
    }
}

/// The task on `worker` computes `inner`, of which something runs there. It ends, or goes on.
fn compute_inside(cluster: &mut Cluster, worker: u32, inner: u64, goes_on: bool) {
    cluster.submit(inner, Some(1), layers(vec![nothing(); 2], false));
    cluster.lend(worker, inner);
    assert_eq!(cluster.of(inner, worker).len(), 1);
    if !goes_on {
        let begins = |attempt| Event::Started { worker: WorkerId(worker), run: RunId(inner), attempt };
        return cluster.of(inner, worker).into_iter().for_each(|attempt| cluster.handle(begins(attempt)));
    }
    end_others(cluster, worker, |cluster| cluster.given.iter().filter(|(_, given)| given.run.0 == inner).count() == 2);
    cluster.end(worker, inner);
    for attempt in cluster.of(9, worker) {
        cluster.handle(Event::Started { worker: WorkerId(worker), run: RunId(9), attempt });
    }
    let other = cluster.only(inner).expect("one is left").0;
    cluster.end(other, inner);
    assert!(cluster.finished.contains(&RunId(inner)));
}

/// A suspect has the only GPU, and waits for a run of which a suspect requires it.
#[test]
fn a_suspect_lends_to_suspects_of_what_it_waits_for() {
    let mut cluster = Cluster::new();
    cluster.join(0, 2, 1);
    submit_one(&mut cluster, 1, None, gpu(1));
    for worker in 0..2 {
        assert_eq!(cluster.start(1), worker);
        cluster.die(worker);
        cluster.join(worker + 1, 2, 1);
    }
    // Alone now.
    assert_eq!(cluster.start(1), 2);
    submit_one(&mut cluster, 2, Some(1), gpu(1));
    for worker in 10..12 {
        cluster.join(worker, 1, 1);
        assert_eq!(cluster.start(2), worker);
        cluster.die(worker);
    }
    cluster.lend(2, 2);
    assert_eq!(cluster.start(2), 2);
}

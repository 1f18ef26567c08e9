//! Suspects that were submitted one by one.

use super::lent::{Cluster, layers, nothing};
use crate::*;
use raskt_graph::{Annotations, LayerId, TaskId};
use std::collections::BTreeSet;

const RUNS: u64 = 64;

/// Each call is a run of its own; the worker that comes next has all of them, as many as it has threads.
fn submitted() -> Cluster {
    let mut cluster = Cluster::new();
    (1..=RUNS).for_each(|run| cluster.submit(run, None, layers(vec![nothing()], false)));
    cluster
}

/// Those that a worker has, all of which it has begun.
fn begun(cluster: &mut Cluster, worker: u32) -> BTreeSet<u64> {
    let given = cluster.given.iter().filter(|(to, _)| to.0 == worker);
    let given: Vec<_> = given.map(|(_, given)| (given.run, given.attempt)).collect();
    for &(run, attempt) in &given {
        cluster.handle(Event::Started { worker: WorkerId(worker), run, attempt });
    }
    given.into_iter().map(|(run, _)| run.0).collect()
}

#[test]
fn suspects_of_many_runs_run_together() {
    let mut cluster = submitted();
    for (worker, count) in [(0, 64), (1, 64), (2, 64), (3, 16), (4, 16)] {
        cluster.join(worker, 64, 0);
        assert_eq!(begun(&mut cluster, worker).len(), count, "{worker}");
        if worker < 4 {
            cluster.die(worker);
            cluster.scheduler.validate();
        }
    }
    let mut ended = 0;
    while let Some((worker, given)) = cluster.given.first().cloned() {
        cluster.end(worker.0, given.run.0);
        ended += 1;
    }
    assert_eq!(ended, RUNS);
    cluster.scheduler.validate();
}

#[test]
fn a_poisonous_one_of_many_runs_is_found() {
    for poison in [1, 40, RUNS] {
        let (mut cluster, mut deaths) = (submitted(), 0);
        for worker in 0.. {
            cluster.join(worker, 64, 0);
            // It ends what it has as long as it isn't that.
            while !begun(&mut cluster, worker).contains(&poison) && !cluster.given.is_empty() {
                let run = cluster.given[0].1.run.0;
                cluster.end(worker, run);
            }
            if cluster.given.is_empty() {
                break;
            }
            cluster.die(worker);
            cluster.scheduler.validate();
            deaths += 1;
        }
        let failed: Vec<_> = cluster.failed.iter().map(|(run, _)| run.0).collect();
        assert_eq!(failed, [poison]);
        assert_eq!(cluster.failed[0].1.iter().filter(|death| death.alone && death.others == 0).count(), 3);
        // Two, with 64, 16 and 4 others, and alone.
        assert!(deaths <= 2 + 3 + 3, "{deaths} deaths");
    }
}

/// One of them may run on a worker alone that isn't there.
#[test]
fn suspects_that_are_for_another_worker_wait_for_it() {
    let mut cluster = Cluster::new();
    let join = |cluster: &mut Cluster, worker: u32, name: &str| {
        let offer = Offer { name: name.into(), ..Offer::slots(4) };
        cluster.handle(Event::WorkerJoined { worker: WorkerId(worker), offer });
    };
    let at = |name: &str| Annotations { workers: vec![name.into()], ..Annotations::default() };
    cluster.submit(1, None, layers(vec![nothing()], false));
    cluster.submit(2, None, layers(vec![at("one")], false));
    for worker in 0..2 {
        join(&mut cluster, worker, "one");
        assert_eq!(begun(&mut cluster, worker).len(), 2);
        cluster.die(worker);
    }
    join(&mut cluster, 2, "other");
    assert_eq!(begun(&mut cluster, 2), [1].into());
    join(&mut cluster, 3, "one");
    assert_eq!(begun(&mut cluster, 3), [2].into());
}

/// One waits, and another has its turn beside it: who ends the worker then is found, and not the other one.
#[test]
fn deaths_count_where_one_suspect_waits_beside_another() {
    let mut cluster = Cluster::new();
    [1, 2].into_iter().for_each(|run| cluster.submit(run, None, layers(vec![nothing()], false)));
    let mut deaths = 0;
    for worker in 0..40 {
        cluster.join(worker, 2, 0);
        begun(&mut cluster, worker);
        if cluster.of(1, worker).len() == 1 && cluster.of(2, worker).is_empty() {
            cluster.handle(Event::WorkerLends { worker: WorkerId(worker), slots: 1 });
            let attempt = cluster.of(1, worker)[0];
            cluster.handle(Event::Waits { worker: WorkerId(worker), run: RunId(1), attempt, does: true });
            begun(&mut cluster, worker);
        }
        if cluster.of(2, worker).is_empty() {
            break;
        }
        cluster.die(worker);
        deaths += 1;
    }
    let failed: Vec<_> = cluster.failed.iter().map(|(run, _)| run.0).collect();
    assert!(failed == [2] && deaths <= 2 + 1 + 9, "{failed:?} after {deaths} deaths");
}

/// Of a group that a worker has alone one waits while another ends it: that is no proof against the one that waits, and of the other only
/// a part.
#[test]
fn of_a_group_only_those_at_work_are_counted() {
    let mut cluster = Cluster::new();
    cluster.submit(1, None, layers(vec![nothing(), nothing()], false));
    let task = |layer: u32| TaskId::new(LayerId(layer), 0);
    let counted = |cluster: &Cluster, layer| {
        let story = cluster.scheduler.story(RunId(1), task(layer)).unwrap();
        (story.deaths.len(), story.deaths.iter().filter(|death| death.alone || death.in_part).count())
    };
    for worker in 0..3 {
        cluster.join(worker, 2, 0);
        assert_eq!(begun(&mut cluster, worker), [1].into());
        let waits = cluster.given.iter().find(|(_, given)| given.tasks.iter().any(|range| range.contains(task(0))));
        let attempt = waits.unwrap().1.attempt;
        cluster.handle(Event::Waits { worker: WorkerId(worker), run: RunId(1), attempt, does: true });
        cluster.die(worker);
        assert_eq!(counted(&cluster, 0), (worker as usize + 1, 0));
        assert_eq!(counted(&cluster, 1), (worker as usize + 1, usize::from(worker == 2)));
    }
}

/// A task that waits for what it has submitted itself, which ends its worker: each life submits something else, of which nothing is known.
/// So it is the task that counts; and where another one does the same beside it, both are found at last.
#[test]
fn who_waits_for_what_he_has_submitted_is_counted() {
    for (outers, most) in [(1, 2 + 9), (2, 80)] {
        let mut cluster = Cluster::new();
        (1..=outers).for_each(|run| cluster.submit(run, None, layers(vec![nothing()], false)));
        let (mut next, mut deaths) = (100, 0);
        for worker in 0..200 {
            cluster.join(worker, outers as u32, 0);
            let (children, mut waiting) = (next, BTreeSet::new());
            // Whoever waits makes room for another one.
            while let Some(run) = begun(&mut cluster, worker).into_iter().find(|run| *run < 100 && waiting.insert(*run))
            {
                let (worker, slots) = (WorkerId(worker), waiting.len() as u32);
                let attempt = cluster.of(run, worker.0)[0];
                cluster.handle(Event::WorkerLends { worker, slots });
                cluster.handle(Event::WorkerResized { worker, slots: outers as u32 + slots, memory: u64::MAX });
                cluster.handle(Event::Waits { worker, run: RunId(run), attempt, does: true });
                cluster.submit(next, Some(run), layers(vec![nothing()], false));
                next += 1;
            }
            if waiting.is_empty() {
                break;
            }
            assert!(begun(&mut cluster, worker).iter().any(|run| *run >= children), "{worker}");
            let goes = |cluster: &mut Cluster| {
                (children..next).for_each(|child| cluster.handle(Event::RunReleased { run: RunId(child) }));
            };
            // Their client is gone as well, which may be seen before.
            if worker % 2 == 0 {
                goes(&mut cluster);
            }
            cluster.die(worker);
            if worker % 2 == 1 {
                goes(&mut cluster);
            }
            cluster.scheduler.validate();
            deaths += 1;
        }
        let failed: BTreeSet<_> = cluster.failed.iter().map(|(run, _)| run.0).filter(|run| *run < 100).collect();
        assert_eq!(failed, (1..=outers).collect());
        assert!(deaths <= most, "{deaths} deaths of {outers}");
    }
}

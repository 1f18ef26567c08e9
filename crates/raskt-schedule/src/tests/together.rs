//! Suspects that were submitted one by one.

use super::lent::{Cluster, layers, nothing};
use crate::*;
use raskt_graph::LayerId;
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
        let failure = cluster.scheduler.failure(RunId(poison), raskt_graph::TaskId::new(LayerId(0), 0));
        assert!(failure.is_some() || cluster.failed.len() == 1);
    }
}

//! Tasks that wait for what isn't a run of theirs.

use super::lent::{Cluster, layers, nothing};
use crate::*;

/// A task may wait for what it has submitted as a client does: for no run of its own, as far as anybody can see. That may come to the
/// worker that is kept for it, and so may other suspects.
#[test]
fn what_a_suspect_waits_for_as_a_client_comes_to_its_worker() {
    let mut cluster = Cluster::new();
    let submit = |cluster: &mut Cluster, run| cluster.submit(run, None, layers(vec![nothing()], false));
    [1, 3].into_iter().for_each(|run| submit(&mut cluster, run));
    for worker in 0..3 {
        cluster.join(worker, 2, 0);
        [1, 3].into_iter().for_each(|run| assert_eq!(cluster.start(run), worker));
        cluster.die(worker);
    }
    cluster.join(3, 2, 0);
    let (first, second) = if cluster.only(1).is_some() { (1, 3) } else { (3, 1) };
    assert_eq!((cluster.start(first), cluster.only(second)), (3, None));
    submit(&mut cluster, 2);
    assert_eq!(cluster.only(2), None, "it is alone");
    let lends = |cluster: &mut Cluster, slots| {
        cluster.handle(Event::WorkerLends { worker: WorkerId(3), slots });
        cluster.handle(Event::WorkerResized { worker: WorkerId(3), slots: 2 + slots, memory: u64::MAX });
    };
    lends(&mut cluster, 1);
    assert_eq!((cluster.start(2), cluster.only(second)), (3, None));
    cluster.end(3, 2);
    assert_eq!(cluster.start(second), 3, "another suspect has its turn meanwhile");
    lends(&mut cluster, 0);
    [1, 3].into_iter().for_each(|run| cluster.end(3, run));
    submit(&mut cluster, 4);
    assert_eq!(cluster.start(4), 3, "nobody is kept any more");
    cluster.scheduler.validate();
}

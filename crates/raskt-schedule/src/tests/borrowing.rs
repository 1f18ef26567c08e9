//! Whom those borrow from that tasks wait for, where there are several.

use super::lent::{Cluster, gpu, layers, nothing};

#[test]
fn the_deepest_borrows_from_all_above() {
    let mut cluster = Cluster::new();
    cluster.join(0, 1, 1000);
    cluster.submit(1, None, layers(vec![gpu(1000)], false));
    for run in 2..6 {
        cluster.submit(run, Some(run - 1), layers(vec![if run == 3 { nothing() } else { gpu(1000) }], false));
        cluster.lend(0, run);
        assert_eq!(cluster.of(run, 0).len(), 1, "run {run} has what the one above had");
    }
    for run in (1..6).rev() {
        cluster.end(0, run);
    }
    assert_eq!(cluster.finished.len(), 5);
}

/// Two tasks have half of a GPU each, and each waits for a run that waits for runs: what those of one have borrowed is none the less
/// for those of the other. Else they wait for each other's end, and for ever where each is in the way of the other.
#[test]
fn families_borrow_from_their_own_whatever_others_have_borrowed() {
    let mut cluster = Cluster::new();
    cluster.join(0, 2, 1000);
    for run in [1, 11] {
        cluster.submit(run, None, layers(vec![gpu(500)], false));
    }
    for depth in 1..4 {
        for above in [depth, 10 + depth] {
            cluster.submit(above + 1, Some(above), layers(vec![gpu(500)], false));
            cluster.lend(0, above + 1);
            assert_eq!(cluster.of(above + 1, 0).len(), 1, "run {} has what the one above had", above + 1);
        }
    }
    for run in (1..5).rev() {
        cluster.end(0, run);
        cluster.end(0, 10 + run);
    }
    assert_eq!(cluster.finished.len(), 8);
}

/// What is borrowed comes from the deepest first: what is higher up is left to others below it.
#[test]
fn who_is_deepest_lends_first() {
    let mut cluster = Cluster::new();
    cluster.join(0, 2, 1000);
    // Two tasks of one run: one of them waits for run 2, the other for run 4.
    cluster.submit(1, None, layers(vec![gpu(500), gpu(500)], false));
    cluster.submit(2, Some(1), layers(vec![gpu(500)], false));
    cluster.lend(0, 2);
    cluster.submit(4, Some(1), layers(vec![nothing(), gpu(500)], true));
    cluster.lend(0, 4);
    // Both halves are lent by now, and one is left of them; run 2 has another.
    cluster.submit(3, Some(2), layers(vec![gpu(500)], false));
    cluster.lend(0, 3);
    cluster.end(0, 4);
    for run in [2, 3, 4] {
        assert_eq!(cluster.of(run, 0).len(), 1, "run {run} has its half");
    }
}

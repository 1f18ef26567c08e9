//! Scenarios that found something once. Each is what the shrinker printed, as plain data, so that it stays what it is when
//! other worlds are drawn from the seeds.

use raskt_simulate::FaultKind::*;
use raskt_simulate::Requires::*;
use raskt_simulate::ShapePlan::*;
use raskt_simulate::{Fault, HostPlan, JobPlan, LayerPlan, Scenario, Weather, simulate};

fn check(scenario: Scenario) {
    if let Some(failure) = simulate(&scenario).failure {
        panic!("{failure}");
    }
}

/// A worker ends a task that had been taken from it, is told to drop the result, and has meanwhile said once more that it holds
/// it, since another task of its reads it.
#[test]
#[rustfmt::skip]
fn a_result_of_which_more_was_said_meanwhile_is_not_dropped() {
    check(Scenario {
        seed: 25455,
        credit_nanoseconds: 64213,
        prefill_nanoseconds: 36632,
        lease_nanoseconds: 268000000,
        clients: 2,
        calm_at: 6238000000,
        weather: Weather { delay_nanoseconds: 75174, tail_per_million: 0, drop_per_million: 0, duplicate_per_million: 0 },
        hosts: vec![
            HostPlan { slots: 4, memory: 1251438, disk: 0, slowness_percent: 100, joins_at: 0, gpu: 1500 },
            HostPlan { slots: 2, memory: 366357, disk: 455033, slowness_percent: 102, joins_at: 0, gpu: 0 },
        ],
        jobs: vec![
            JobPlan { seed: 17056755069116344393, client: 0, at: 462516377, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 0, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![] },
            JobPlan { seed: 6412198567646980648, client: 0, at: 2405674030, layers: vec![LayerPlan { shape: Explicit { tasks: 7, reads: vec![(1, 0, 0), (3, 0, 1), (4, 0, 1), (6, 0, 2)] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 3, failures: vec![], deaths: vec![], changes: 60, cancel_after: None, resubmit: true, keep: true, rounds: 0, nested: vec![] },
        ],
        faults: vec![
            Fault { at: 6122259209, lasts: 302358387, kind: Isolate { node: 2 } },
        ],
    });
}

/// A suspect is given up and wanted again while its worker still runs it: another one that has nothing to do takes it.
#[test]
#[rustfmt::skip]
fn a_suspect_that_is_needed_anew_does_not_wait_for_its_first_worker() {
    check(Scenario {
        seed: 6178,
        credit_nanoseconds: 413775,
        prefill_nanoseconds: 46801,
        lease_nanoseconds: 502000000,
        clients: 2,
        calm_at: 794000000,
        weather: Weather { delay_nanoseconds: 44184, tail_per_million: 0, drop_per_million: 0, duplicate_per_million: 0 },
        hosts: vec![
            HostPlan { slots: 2, memory: 1639344, disk: 15530528, slowness_percent: 100, joins_at: 363975316, gpu: 0 },
            HostPlan { slots: 1, memory: 92862, disk: 489483, slowness_percent: 100, joins_at: 0, gpu: 0 },
            HostPlan { slots: 1, memory: 194373, disk: 1926993, slowness_percent: 513, joins_at: 0, gpu: 1000 },
            HostPlan { slots: 1, memory: 249485, disk: 15361567, slowness_percent: 100, joins_at: 0, gpu: 500 },
        ],
        jobs: vec![
            JobPlan { seed: 2211913572847683307, client: 1, at: 17745059, layers: vec![LayerPlan { shape: Source { tasks: 2 }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Exchange { input: 0, consumers: 1 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(0, 0), (0, 1), (1, 0)], gives: false, task_nanoseconds: 16872499, wrong_sizes: false, retries: 0, failures: vec![], deaths: vec![], changes: 6, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![] },
            JobPlan { seed: 13643088594457750507, client: 1, at: 71392601, layers: vec![LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 2048, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 2048, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(6, 7), (6, 8), (6, 9)], gives: false, task_nanoseconds: 2688403, wrong_sizes: false, retries: 3, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![] },
        ],
        faults: vec![
            Fault { at: 52483215, lasts: 958620230, kind: Freeze { host: 1 } },
            Fault { at: 117712786, lasts: 63080358, kind: SlowDisk { host: 0, times: 3 } },
            Fault { at: 84569847, lasts: 489972857, kind: Slow { host: 2, times: 14 } },
            Fault { at: 728686567, lasts: 5329225, kind: Isolate { node: 5 } },
            Fault { at: 550207462, lasts: 738949315, kind: LoseSpilled { host: 1 } },
            Fault { at: 487817387, lasts: 2731880, kind: Crash { host: 3 } },
            Fault { at: 419239946, lasts: 232053125, kind: Freeze { host: 3 } },
        ],
    });
}

/// A client hears that no worker has what it requires, is cut off and given up, and one such worker comes meanwhile: the client
/// wasn't told anything wrong.
#[test]
#[rustfmt::skip]
fn a_client_that_was_cut_off_waits_for_news_before_it_gives_up() {
    check(Scenario {
        seed: 304385,
        credit_nanoseconds: 4470894,
        prefill_nanoseconds: 256575,
        lease_nanoseconds: 320000000,
        clients: 3,
        calm_at: 5257000000,
        weather: Weather { delay_nanoseconds: 3000000, tail_per_million: 0, drop_per_million: 0, duplicate_per_million: 0 },
        hosts: vec![
            HostPlan { slots: 1, memory: 432842, disk: 0, slowness_percent: 100, joins_at: 0, gpu: 0 },
            HostPlan { slots: 1, memory: 1454089, disk: 11485574, slowness_percent: 100, joins_at: 3363799666, gpu: 0 },
            HostPlan { slots: 2, memory: 9763, disk: 7513958, slowness_percent: 2000, joins_at: 5070858565, gpu: 2000 },
            HostPlan { slots: 3, memory: 44559, disk: 283986, slowness_percent: 100, joins_at: 0, gpu: 0 },
        ],
        jobs: vec![
            JobPlan { seed: 8513453862222670840, client: 1, at: 592736722, layers: vec![LayerPlan { shape: Source { tasks: 100 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 100 }, nanoseconds: 0, output_bytes: 64, scratch_bytes: 0, priority: 0, requires: Host { host: 2, allows_others: false } }], wanted: vec![(1, 99)], gives: false, task_nanoseconds: 3988701, wrong_sizes: false, retries: 2, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![] },
        ],
        faults: vec![
            Fault { at: 4612447299, lasts: 640000000, kind: Isolate { node: 6 } },
        ],
    });
}

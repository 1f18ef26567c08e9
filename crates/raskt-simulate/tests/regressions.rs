//! Scenarios that found something once. Each is what the shrinker printed, as plain data, so that it stays what it is when
//! other worlds are drawn from the seeds.

use raskt_simulate::FaultKind::*;
use raskt_simulate::Requires::*;
use raskt_simulate::ShapePlan::*;
use raskt_simulate::{Fault, HostPlan, JobPlan, LayerPlan, ReadPlan, Scenario, Weather, simulate};

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

/// A spilled copy can't be read any more, and whoever finds that reads the same from what it has fetched: that the copy is lost is
/// told all the same.
#[test]
#[rustfmt::skip]
fn a_copy_that_is_lost_is_told_of_though_what_reads_it_has_another() {
    check(Scenario {
        seed: 9038918,
        credit_nanoseconds: 11574206,
        prefill_nanoseconds: 0,
        lease_nanoseconds: 462000000,
        clients: 1,
        calm_at: 1747000000,
        weather: Weather { delay_nanoseconds: 32139, tail_per_million: 0, drop_per_million: 0, duplicate_per_million: 0 },
        hosts: vec![
            HostPlan { slots: 3, memory: 4194304, disk: 12216548, slowness_percent: 100, joins_at: 0, gpu: 0 },
            HostPlan { slots: 4, memory: 187351, disk: 13353441, slowness_percent: 152, joins_at: 0, gpu: 0 },
            HostPlan { slots: 2, memory: 233200, disk: 0, slowness_percent: 193, joins_at: 0, gpu: 500 },
        ],
        jobs: vec![
            JobPlan { seed: 12966514762760135889, client: 0, at: 1142277905, layers: vec![LayerPlan { shape: Explicit { tasks: 150, reads: vec![(5, 0, 2), (5, 0, 0), (6, 0, 5), (8, 0, 5), (9, 0, 5), (13, 0, 8), (14, 0, 5), (16, 0, 13), (18, 0, 15), (19, 0, 13), (20, 0, 12), (21, 0, 13), (22, 0, 15), (24, 0, 13), (26, 0, 0), (26, 0, 19), (27, 0, 6), (28, 0, 26), (32, 0, 19), (33, 0, 16), (34, 0, 29), (35, 0, 27), (36, 0, 33), (37, 0, 7), (38, 0, 19), (40, 0, 14), (41, 0, 28), (43, 0, 8), (44, 0, 20), (45, 0, 41), (48, 0, 44), (49, 0, 13), (50, 0, 35), (53, 0, 34), (55, 0, 37), (56, 0, 10), (57, 0, 0), (59, 0, 0), (60, 0, 32), (79, 0, 37), (80, 0, 53), (84, 0, 37), (89, 0, 12), (89, 0, 7), (93, 0, 76), (94, 0, 37), (95, 0, 36), (96, 0, 41), (97, 0, 23), (98, 0, 64), (99, 0, 49), (115, 0, 14), (116, 0, 50), (118, 0, 19), (122, 0, 69), (124, 0, 97), (125, 0, 19), (126, 0, 47), (127, 0, 107), (129, 0, 20), (130, 0, 84), (133, 0, 2)] }, nanoseconds: 837071, output_bytes: 8192, scratch_bytes: 0, priority: -1, requires: Nothing }, LayerPlan { shape: GridOverlap { input: 0, grid: vec![150], ranges: vec![vec![(0, 0), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8), (6, 9), (7, 10), (8, 11), (9, 12), (10, 13), (11, 14), (12, 15), (13, 16), (14, 17), (15, 18), (16, 19), (17, 20), (18, 21), (19, 22), (20, 23), (21, 24), (22, 25), (23, 26), (24, 27), (25, 28), (26, 29), (27, 30), (28, 31), (29, 32), (30, 33), (31, 34), (32, 35), (33, 36), (34, 37), (35, 38), (36, 39), (37, 40), (38, 41), (39, 42), (40, 43), (41, 44), (42, 45), (43, 46), (44, 47), (45, 48), (46, 49), (47, 50), (48, 51), (49, 52), (50, 53), (51, 54), (52, 55), (53, 56), (54, 57), (55, 58), (56, 59), (57, 60), (58, 61), (59, 62), (60, 63), (61, 64), (62, 65), (63, 66), (64, 67), (65, 68), (66, 69), (67, 70), (68, 71), (69, 72), (70, 73), (71, 74), (72, 75), (73, 76), (74, 77), (75, 78), (76, 79), (77, 80), (78, 81), (79, 82), (80, 83), (81, 84), (82, 85), (83, 86), (84, 87), (85, 88), (86, 89), (87, 90), (88, 91), (89, 92), (90, 93), (91, 94), (92, 95), (93, 96), (94, 97), (95, 98), (96, 99), (97, 100), (98, 101), (99, 102), (100, 103), (101, 104), (102, 105), (103, 106), (104, 107), (105, 108), (106, 109), (107, 110), (108, 111), (109, 112), (110, 113), (111, 114), (112, 115), (113, 116), (114, 117), (115, 118), (116, 119), (117, 120), (118, 121), (119, 122), (120, 123), (121, 124), (122, 125), (123, 126), (124, 127), (125, 128), (126, 129), (127, 130), (128, 131), (129, 132), (130, 133), (131, 134), (132, 135), (133, 136), (134, 137), (135, 138), (136, 139), (137, 140), (138, 141), (139, 142), (140, 143), (141, 144), (142, 145), (143, 146), (144, 147), (145, 148), (146, 149), (147, 150), (148, 150)]] }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 64, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Map { inputs: vec![1] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridOverlap { input: 3, grid: vec![151], ranges: vec![vec![(0, 0), (0, 3), (3, 6), (6, 9), (9, 12), (12, 15), (15, 18), (18, 21), (21, 24), (24, 27), (27, 30), (30, 33), (33, 36), (36, 39), (39, 42), (42, 45), (45, 48), (48, 51), (51, 54), (54, 57), (57, 60), (60, 63), (63, 66), (66, 69), (69, 72), (72, 75), (75, 78), (78, 81), (81, 84), (84, 87), (87, 90), (90, 93), (93, 96), (96, 99), (99, 102), (102, 105), (105, 108), (108, 111), (111, 114), (114, 117), (117, 120), (120, 123), (123, 126), (126, 129), (129, 132), (132, 135), (135, 138), (138, 141), (141, 144), (144, 147), (147, 150), (150, 151)]] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridReduce { input: 4, grid: vec![52], fan_in: vec![3] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridReduce { input: 5, grid: vec![18], fan_in: vec![4] }, nanoseconds: 0, output_bytes: 64, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(6, 0), (6, 1), (6, 2), (6, 3)], gives: false, task_nanoseconds: 837071, wrong_sizes: false, retries: 1, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![] },
        ],
        faults: vec![
            Fault { at: 1212817910, lasts: 424052305, kind: LoseSpilled { host: 1 } },
            Fault { at: 228102661, lasts: 15503495, kind: Resize { host: 0, slots: 2 } },
            Fault { at: 1082673143, lasts: 144702375, kind: CutOneWay { from: 2, to: 1 } },
        ],
    });
}

/// The first of those that wait for memory gets it in time, and until the others go ahead nothing happens: the scheduler is woken
/// for them though it was to be woken for the first.
#[test]
#[rustfmt::skip]
fn who_waits_for_memory_goes_ahead_in_time_though_another_wait_has_ended_before() {
    check(Scenario {
        seed: 9001790,
        credit_nanoseconds: 673930,
        prefill_nanoseconds: 0,
        lease_nanoseconds: 420000000,
        clients: 1,
        calm_at: 1788000000,
        weather: Weather { delay_nanoseconds: 23714, tail_per_million: 0, drop_per_million: 0, duplicate_per_million: 0 },
        hosts: vec![
            HostPlan { slots: 4, memory: 5038, disk: 57562, slowness_percent: 2000, joins_at: 0, gpu: 1000 },
        ],
        jobs: vec![
            JobPlan { seed: 14629717390105074523, client: 0, at: 1005916847, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 14 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 281 }, nanoseconds: 0, output_bytes: 2048, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Concat { inputs: vec![2, 0, 1] }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(3, 294), (3, 295)], gives: false, task_nanoseconds: 307762, wrong_sizes: false, retries: 2, failures: vec![], deaths: vec![], changes: 2, cancel_after: None, resubmit: false, keep: false, rounds: 0, nested: vec![] },
            JobPlan { seed: 16629894646014173963, client: 0, at: 769868097, layers: vec![LayerPlan { shape: Source { tasks: 3 }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridOverlap { input: 0, grid: vec![3], ranges: vec![vec![(0, 1), (0, 1), (1, 2), (1, 2), (2, 3), (2, 3), (3, 3)]] }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 2048, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Reduce { input: 1, fan_in: 4 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridOverlap { input: 4, grid: vec![1, 1, 2], ranges: vec![vec![(0, 1)], vec![(0, 0), (0, 1)], vec![(0, 2), (0, 2), (0, 2)]] }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(5, 0), (5, 1), (5, 5)], gives: false, task_nanoseconds: 40000000, wrong_sizes: true, retries: 0, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![] },
            JobPlan { seed: 4813085129323589908, client: 0, at: 1256318653, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 128, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 2 }, nanoseconds: 0, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(2, 1)], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 1, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: false, keep: false, rounds: 0, nested: vec![] },
        ],
        faults: vec![],
    });
}

/// A long task has a slot, and its run fails with it: whoever waited for that slot had reason to.
#[test]
#[rustfmt::skip]
fn who_waits_for_the_task_of_a_run_that_has_failed_meanwhile_has_waited_its_turn() {
    check(Scenario {
        seed: 9017940,
        credit_nanoseconds: 546813,
        prefill_nanoseconds: 0,
        lease_nanoseconds: 217000000,
        clients: 1,
        calm_at: 7447000000,
        weather: Weather { delay_nanoseconds: 137690, tail_per_million: 0, drop_per_million: 0, duplicate_per_million: 0 },
        hosts: vec![
            HostPlan { slots: 2, memory: 5512, disk: 18844, slowness_percent: 2000, joins_at: 0, gpu: 0 },
        ],
        jobs: vec![
            JobPlan { seed: 6054618051731166690, client: 0, at: 81322136, layers: vec![LayerPlan { shape: Explicit { tasks: 2, reads: vec![(1, 0, 0)] }, nanoseconds: 0, output_bytes: 128, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 3 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Concat { inputs: vec![1, 0, 1] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(2, 4)], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 3, failures: vec![(0, 0, 4294967295)], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![] },
            JobPlan { seed: 1552633089168590545, client: 0, at: 1448214192, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 2 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridReduce { input: 2, grid: vec![2], fan_in: vec![3] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Concat { inputs: vec![3, 1] }, nanoseconds: 0, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(4, 0)], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 0, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![] },
            JobPlan { seed: 171132415035662801, client: 0, at: 1658180986, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 64, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 128, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridMap { grid: vec![1, 1], inputs: vec![ReadPlan { input: 4, grid: vec![1, 1], axes: vec![Some(1), Some(0)] }] }, nanoseconds: 0, output_bytes: 128, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(5, 0)], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 2, failures: vec![], deaths: vec![(5, 0, 4294967295)], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![] },
        ],
        faults: vec![],
    });
}

//! Scenarios that found something once. Each is what the shrinker printed, as plain data, so that it stays what it is when
//! other worlds are drawn from the seeds.

use raskt_simulate::FaultKind::*;
use raskt_simulate::Requires::*;
use raskt_simulate::ShapePlan::*;
use raskt_simulate::{Fault, HostPlan, ImportPlan, JobPlan, LayerPlan, ReadPlan, Scenario, Weather, simulate};

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
            JobPlan { seed: 17056755069116344393, client: 0, at: 462516377, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 0, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
            JobPlan { seed: 6412198567646980648, client: 0, at: 2405674030, layers: vec![LayerPlan { shape: Explicit { tasks: 7, reads: vec![(1, 0, 0), (3, 0, 1), (4, 0, 1), (6, 0, 2)] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 3, failures: vec![], deaths: vec![], changes: 60, cancel_after: None, resubmit: true, keep: true, rounds: 0, nested: vec![], alone: None, imports: vec![] },
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
            JobPlan { seed: 2211913572847683307, client: 1, at: 17745059, layers: vec![LayerPlan { shape: Source { tasks: 2 }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Exchange { input: 0, consumers: 1 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(0, 0), (0, 1), (1, 0)], gives: false, task_nanoseconds: 16872499, wrong_sizes: false, retries: 0, failures: vec![], deaths: vec![], changes: 6, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
            JobPlan { seed: 13643088594457750507, client: 1, at: 71392601, layers: vec![LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 2048, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 2048, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 11 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(6, 7), (6, 8), (6, 9)], gives: false, task_nanoseconds: 2688403, wrong_sizes: false, retries: 3, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
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
            JobPlan { seed: 8513453862222670840, client: 1, at: 592736722, layers: vec![LayerPlan { shape: Source { tasks: 100 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 100 }, nanoseconds: 0, output_bytes: 64, scratch_bytes: 0, priority: 0, requires: Host { host: 2, allows_others: false } }], wanted: vec![(1, 99)], gives: false, task_nanoseconds: 3988701, wrong_sizes: false, retries: 2, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
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
            JobPlan { seed: 12966514762760135889, client: 0, at: 1142277905, layers: vec![LayerPlan { shape: Explicit { tasks: 150, reads: vec![(5, 0, 2), (5, 0, 0), (6, 0, 5), (8, 0, 5), (9, 0, 5), (13, 0, 8), (14, 0, 5), (16, 0, 13), (18, 0, 15), (19, 0, 13), (20, 0, 12), (21, 0, 13), (22, 0, 15), (24, 0, 13), (26, 0, 0), (26, 0, 19), (27, 0, 6), (28, 0, 26), (32, 0, 19), (33, 0, 16), (34, 0, 29), (35, 0, 27), (36, 0, 33), (37, 0, 7), (38, 0, 19), (40, 0, 14), (41, 0, 28), (43, 0, 8), (44, 0, 20), (45, 0, 41), (48, 0, 44), (49, 0, 13), (50, 0, 35), (53, 0, 34), (55, 0, 37), (56, 0, 10), (57, 0, 0), (59, 0, 0), (60, 0, 32), (79, 0, 37), (80, 0, 53), (84, 0, 37), (89, 0, 12), (89, 0, 7), (93, 0, 76), (94, 0, 37), (95, 0, 36), (96, 0, 41), (97, 0, 23), (98, 0, 64), (99, 0, 49), (115, 0, 14), (116, 0, 50), (118, 0, 19), (122, 0, 69), (124, 0, 97), (125, 0, 19), (126, 0, 47), (127, 0, 107), (129, 0, 20), (130, 0, 84), (133, 0, 2)] }, nanoseconds: 837071, output_bytes: 8192, scratch_bytes: 0, priority: -1, requires: Nothing }, LayerPlan { shape: GridOverlap { input: 0, grid: vec![150], ranges: vec![vec![(0, 0), (0, 2), (0, 3), (1, 4), (2, 5), (3, 6), (4, 7), (5, 8), (6, 9), (7, 10), (8, 11), (9, 12), (10, 13), (11, 14), (12, 15), (13, 16), (14, 17), (15, 18), (16, 19), (17, 20), (18, 21), (19, 22), (20, 23), (21, 24), (22, 25), (23, 26), (24, 27), (25, 28), (26, 29), (27, 30), (28, 31), (29, 32), (30, 33), (31, 34), (32, 35), (33, 36), (34, 37), (35, 38), (36, 39), (37, 40), (38, 41), (39, 42), (40, 43), (41, 44), (42, 45), (43, 46), (44, 47), (45, 48), (46, 49), (47, 50), (48, 51), (49, 52), (50, 53), (51, 54), (52, 55), (53, 56), (54, 57), (55, 58), (56, 59), (57, 60), (58, 61), (59, 62), (60, 63), (61, 64), (62, 65), (63, 66), (64, 67), (65, 68), (66, 69), (67, 70), (68, 71), (69, 72), (70, 73), (71, 74), (72, 75), (73, 76), (74, 77), (75, 78), (76, 79), (77, 80), (78, 81), (79, 82), (80, 83), (81, 84), (82, 85), (83, 86), (84, 87), (85, 88), (86, 89), (87, 90), (88, 91), (89, 92), (90, 93), (91, 94), (92, 95), (93, 96), (94, 97), (95, 98), (96, 99), (97, 100), (98, 101), (99, 102), (100, 103), (101, 104), (102, 105), (103, 106), (104, 107), (105, 108), (106, 109), (107, 110), (108, 111), (109, 112), (110, 113), (111, 114), (112, 115), (113, 116), (114, 117), (115, 118), (116, 119), (117, 120), (118, 121), (119, 122), (120, 123), (121, 124), (122, 125), (123, 126), (124, 127), (125, 128), (126, 129), (127, 130), (128, 131), (129, 132), (130, 133), (131, 134), (132, 135), (133, 136), (134, 137), (135, 138), (136, 139), (137, 140), (138, 141), (139, 142), (140, 143), (141, 144), (142, 145), (143, 146), (144, 147), (145, 148), (146, 149), (147, 150), (148, 150)]] }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 64, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Map { inputs: vec![1] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridOverlap { input: 3, grid: vec![151], ranges: vec![vec![(0, 0), (0, 3), (3, 6), (6, 9), (9, 12), (12, 15), (15, 18), (18, 21), (21, 24), (24, 27), (27, 30), (30, 33), (33, 36), (36, 39), (39, 42), (42, 45), (45, 48), (48, 51), (51, 54), (54, 57), (57, 60), (60, 63), (63, 66), (66, 69), (69, 72), (72, 75), (75, 78), (78, 81), (81, 84), (84, 87), (87, 90), (90, 93), (93, 96), (96, 99), (99, 102), (102, 105), (105, 108), (108, 111), (111, 114), (114, 117), (117, 120), (120, 123), (123, 126), (126, 129), (129, 132), (132, 135), (135, 138), (138, 141), (141, 144), (144, 147), (147, 150), (150, 151)]] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridReduce { input: 4, grid: vec![52], fan_in: vec![3] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridReduce { input: 5, grid: vec![18], fan_in: vec![4] }, nanoseconds: 0, output_bytes: 64, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(6, 0), (6, 1), (6, 2), (6, 3)], gives: false, task_nanoseconds: 837071, wrong_sizes: false, retries: 1, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
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
            JobPlan { seed: 14629717390105074523, client: 0, at: 1005916847, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 14 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 281 }, nanoseconds: 0, output_bytes: 2048, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Concat { inputs: vec![2, 0, 1] }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(3, 294), (3, 295)], gives: false, task_nanoseconds: 307762, wrong_sizes: false, retries: 2, failures: vec![], deaths: vec![], changes: 2, cancel_after: None, resubmit: false, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
            JobPlan { seed: 16629894646014173963, client: 0, at: 769868097, layers: vec![LayerPlan { shape: Source { tasks: 3 }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridOverlap { input: 0, grid: vec![3], ranges: vec![vec![(0, 1), (0, 1), (1, 2), (1, 2), (2, 3), (2, 3), (3, 3)]] }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 2048, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Reduce { input: 1, fan_in: 4 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridOverlap { input: 4, grid: vec![1, 1, 2], ranges: vec![vec![(0, 1)], vec![(0, 0), (0, 1)], vec![(0, 2), (0, 2), (0, 2)]] }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(5, 0), (5, 1), (5, 5)], gives: false, task_nanoseconds: 40000000, wrong_sizes: true, retries: 0, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
            JobPlan { seed: 4813085129323589908, client: 0, at: 1256318653, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 128, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 2 }, nanoseconds: 0, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(2, 1)], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 1, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: false, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
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
            JobPlan { seed: 6054618051731166690, client: 0, at: 81322136, layers: vec![LayerPlan { shape: Explicit { tasks: 2, reads: vec![(1, 0, 0)] }, nanoseconds: 0, output_bytes: 128, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 3 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Concat { inputs: vec![1, 0, 1] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(2, 4)], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 3, failures: vec![(0, 0, 4294967295)], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
            JobPlan { seed: 1552633089168590545, client: 0, at: 1448214192, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 2 }, nanoseconds: 0, output_bytes: 256, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridReduce { input: 2, grid: vec![2], fan_in: vec![3] }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Concat { inputs: vec![3, 1] }, nanoseconds: 0, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(4, 0)], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 0, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
            JobPlan { seed: 171132415035662801, client: 0, at: 1658180986, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 64, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 128, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: GridMap { grid: vec![1, 1], inputs: vec![ReadPlan { input: 4, grid: vec![1, 1], axes: vec![Some(1), Some(0)] }] }, nanoseconds: 0, output_bytes: 128, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(5, 0)], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 2, failures: vec![], deaths: vec![(5, 0, 4294967295)], changes: 0, cancel_after: None, resubmit: true, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
        ],
        faults: vec![],
    });
}

/// A long chain that is wanted after all is made again, by a host that takes twenty times as long: that takes its time.
#[test]
#[rustfmt::skip]
fn what_comes_to_be_wanted_takes_its_time_as_well() {
    check(Scenario {
        seed: 9248331,
        credit_nanoseconds: 23136,
        prefill_nanoseconds: 0,
        lease_nanoseconds: 301000000,
        clients: 1,
        calm_at: 25248000000,
        weather: Weather { delay_nanoseconds: 309982, tail_per_million: 0, drop_per_million: 177, duplicate_per_million: 124 },
        hosts: vec![
            HostPlan { slots: 1, memory: 3168311, disk: 23755, slowness_percent: 2000, joins_at: 0, gpu: 0 },
            HostPlan { slots: 3, memory: 17471, disk: 0, slowness_percent: 100, joins_at: 3756503086, gpu: 0 },
        ],
        jobs: vec![
            JobPlan { seed: 12759111854952335456, client: 0, at: 10089750506, layers: vec![LayerPlan { shape: Explicit { tasks: 6, reads: vec![(1, 0, 0), (1, 0, 0), (2, 0, 1), (3, 0, 2)] }, nanoseconds: 40000000, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Explicit { tasks: 236, reads: vec![(0, 0, 2), (1, 1, 0), (2, 1, 1), (3, 1, 2), (4, 1, 3), (5, 1, 4), (6, 1, 5), (7, 1, 6), (8, 1, 7), (9, 1, 8), (10, 1, 9), (11, 1, 10), (12, 1, 11), (13, 1, 12), (14, 1, 13), (15, 1, 14), (16, 1, 15), (17, 1, 16), (18, 1, 17), (19, 1, 18), (20, 1, 19), (21, 1, 20), (22, 1, 21), (23, 1, 22), (24, 1, 23), (25, 1, 24), (26, 1, 25), (27, 1, 26), (28, 1, 27), (29, 1, 28), (30, 1, 29), (31, 1, 30), (32, 1, 31), (33, 1, 32), (34, 1, 33), (35, 1, 34), (36, 1, 35), (37, 1, 36), (38, 1, 37), (39, 1, 38), (40, 1, 39), (41, 1, 40), (42, 1, 41), (43, 1, 42), (44, 1, 43), (45, 1, 44), (46, 1, 45), (47, 1, 46), (48, 1, 47), (49, 1, 48), (50, 1, 49), (51, 1, 50), (52, 1, 51), (53, 1, 52), (54, 1, 53), (55, 1, 54), (56, 1, 55), (57, 1, 56), (58, 1, 57), (59, 1, 58), (60, 1, 59), (61, 1, 60), (62, 1, 61), (63, 1, 62), (64, 1, 63), (65, 1, 64), (66, 1, 65), (67, 1, 66), (68, 1, 67), (69, 1, 68), (70, 1, 69), (71, 1, 70), (72, 1, 71), (73, 1, 72), (74, 1, 73), (75, 1, 74), (76, 1, 75), (77, 1, 76), (78, 1, 77), (79, 1, 78), (80, 1, 79), (81, 1, 80), (82, 1, 81), (83, 1, 82), (84, 1, 83), (85, 1, 84), (86, 1, 85), (87, 1, 86), (88, 1, 87), (89, 1, 88), (90, 1, 89), (91, 1, 90), (92, 1, 91), (93, 1, 92), (94, 1, 93), (95, 1, 94), (96, 1, 95), (97, 1, 96), (98, 1, 97), (99, 1, 98), (100, 1, 99), (101, 1, 100), (102, 1, 101), (103, 1, 102), (104, 1, 103), (105, 1, 104), (106, 1, 105), (107, 1, 106), (108, 1, 107), (109, 1, 108), (110, 1, 109), (111, 1, 110), (112, 1, 111), (113, 1, 112), (114, 1, 113), (115, 1, 114), (116, 1, 115), (117, 1, 116), (118, 1, 117), (119, 1, 118), (120, 1, 119), (121, 1, 120), (122, 1, 121), (123, 1, 122), (124, 1, 123), (125, 1, 124), (126, 1, 125), (127, 1, 126), (128, 1, 127), (129, 1, 128), (130, 1, 129), (131, 1, 130), (132, 1, 131), (133, 1, 132), (134, 1, 133), (135, 1, 134), (136, 1, 135), (137, 1, 136), (138, 1, 137), (139, 1, 138), (140, 1, 139), (141, 1, 140), (142, 1, 141), (143, 1, 142), (144, 1, 143), (145, 1, 144), (146, 1, 145), (147, 1, 146), (148, 1, 147), (149, 1, 148), (150, 1, 149), (151, 1, 150), (152, 1, 151), (153, 1, 152), (154, 1, 153), (155, 1, 154), (156, 1, 155), (157, 1, 156), (158, 1, 157), (159, 1, 158), (160, 1, 159), (161, 1, 160), (162, 1, 161), (163, 1, 162), (164, 1, 163), (165, 1, 164), (166, 1, 165), (167, 1, 166), (168, 1, 167), (169, 1, 168), (170, 1, 169), (171, 1, 170), (172, 1, 171), (173, 1, 172), (174, 1, 173), (175, 1, 174), (176, 1, 175), (177, 1, 176), (178, 1, 177), (179, 1, 178), (180, 1, 179), (181, 1, 180), (182, 1, 181), (183, 1, 182), (184, 1, 183), (185, 1, 184), (186, 1, 185), (187, 1, 186), (188, 1, 187), (189, 1, 188), (190, 1, 189), (191, 1, 190), (192, 1, 191), (193, 1, 192), (194, 1, 193), (195, 1, 194), (196, 1, 195), (197, 1, 196), (198, 1, 197), (199, 1, 198), (200, 1, 199), (201, 1, 200), (202, 1, 201), (203, 1, 202), (204, 1, 203), (205, 1, 204), (206, 1, 205), (207, 1, 206), (208, 1, 207), (209, 1, 208), (210, 1, 209), (211, 1, 210), (212, 1, 211), (213, 1, 212), (214, 1, 213), (215, 1, 214), (216, 1, 215), (217, 1, 216), (218, 1, 217), (219, 1, 218), (220, 1, 219), (221, 1, 220), (222, 1, 221), (223, 1, 222), (224, 1, 223), (225, 1, 224), (226, 1, 225), (227, 1, 226), (228, 1, 227), (229, 1, 228), (230, 1, 229), (231, 1, 230), (232, 1, 231), (233, 1, 232), (234, 1, 233), (235, 1, 234)] }, nanoseconds: 40000000, output_bytes: 512, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Concat { inputs: vec![1, 0] }, nanoseconds: 40000000, output_bytes: 512, scratch_bytes: 0, priority: 1, requires: Nothing }, LayerPlan { shape: Map { inputs: vec![2] }, nanoseconds: 40000000, output_bytes: 64, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Reduce { input: 0, fan_in: 8 }, nanoseconds: 40000000, output_bytes: 1024, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Map { inputs: vec![4] }, nanoseconds: 40000000, output_bytes: 4096, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(5, 0)], gives: false, task_nanoseconds: 40000000, wrong_sizes: true, retries: 3, failures: vec![], deaths: vec![], changes: 14, cancel_after: None, resubmit: false, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![] },
        ],
        faults: vec![
            Fault { at: 4225968356, lasts: 1176306, kind: Isolate { node: 1 } },
            Fault { at: 16850325949, lasts: 199298256, kind: Isolate { node: 3 } },
            Fault { at: 24818985812, lasts: 79368129, kind: SlowDisk { host: 1, times: 22 } },
        ],
    });
}

/// Several results that a client wants stand for one and the same: with the value he has all of them.
#[test]
#[rustfmt::skip]
fn a_client_reads_what_several_of_its_results_stand_for() {
    check(Scenario {
        seed: 61000315,
        credit_nanoseconds: 202170,
        prefill_nanoseconds: 0,
        lease_nanoseconds: 201000000,
        clients: 3,
        calm_at: 4990000000,
        weather: Weather { delay_nanoseconds: 3000000, tail_per_million: 0, drop_per_million: 0, duplicate_per_million: 0 },
        hosts: vec![
            HostPlan { slots: 1, memory: 15184, disk: 16777216, slowness_percent: 100, joins_at: 0, gpu: 2000 },
        ],
        jobs: vec![
            JobPlan { seed: 17041209528113896604, client: 2, at: 703523161, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 128, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 2, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: true, keep: true, rounds: 0, nested: vec![], alone: None, imports: vec![] },
            JobPlan { seed: 4748036681267298161, client: 1, at: 1401643606, layers: vec![LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 1 }, nanoseconds: 0, output_bytes: 2048, scratch_bytes: 0, priority: 0, requires: Nothing }, LayerPlan { shape: Source { tasks: 3 }, nanoseconds: 0, output_bytes: 8192, scratch_bytes: 0, priority: 0, requires: Nothing }], wanted: vec![(2, 0), (2, 2)], gives: false, task_nanoseconds: 40000000, wrong_sizes: false, retries: 1, failures: vec![], deaths: vec![], changes: 0, cancel_after: None, resubmit: false, keep: false, rounds: 0, nested: vec![], alone: None, imports: vec![ImportPlan { layer: 2, start: 0, count: 1, job: 0, from: (0, 0) }, ImportPlan { layer: 2, start: 1, count: 1, job: 0, from: (0, 0) }, ImportPlan { layer: 2, start: 2, count: 1, job: 0, from: (0, 0) }] },
        ],
        faults: vec![],
    });
}

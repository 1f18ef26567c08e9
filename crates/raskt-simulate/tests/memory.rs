//! Producers that could outrun those who read what they make.

use raskt_simulate::{HostPlan, JobPlan, LayerPlan, Requires, Scenario, ShapePlan, Sometimes, Weather, simulate};

const BLOCK: u64 = 16 << 10;

fn layer(shape: ShapePlan, output_bytes: u64, priority: i32, requires: Requires) -> LayerPlan {
    LayerPlan { shape, nanoseconds: 0, output_bytes, scratch_bytes: 0, priority, requires }
}

/// Five hosts for producers, and only the first of them for consumers. There is no disk.
fn world(layers: Vec<LayerPlan>, wanted: u64) -> Scenario {
    let last = layers.len() as u32 - 1;
    let job = JobPlan {
        seed: 1,
        client: 0,
        at: 0,
        layers,
        wanted: (0..wanted).map(|index| (last, index)).collect(),
        gives: false,
        task_nanoseconds: 1_000_000,
        wrong_sizes: false,
        retries: 0,
        failures: vec![],
        deaths: vec![],
        changes: 0,
        cancel_after: None,
        resubmit: false,
        keep: false,
        rounds: 0,
        nested: vec![],
        alone: None,
        imports: vec![],
    };
    let host = HostPlan { slots: 4, memory: 64 * BLOCK, disk: 0, slowness_percent: 100, joins_at: 0, gpu: 0 };
    Scenario {
        seed: 1,
        credit_nanoseconds: 2_000_000,
        prefill_nanoseconds: 2_000_000,
        lease_nanoseconds: 400_000_000,
        hosts: vec![host; 5],
        clients: 1,
        jobs: vec![job],
        weather: Weather::fair(50_000),
        faults: vec![],
        calm_at: 1,
    }
}

#[test]
fn producers_everywhere_wait_for_consumers_that_run_on_one_worker_only() {
    let only_here = Requires::Host { host: 0, allows_others: false };
    for priority in [0, 1] {
        let scenario = world(
            vec![
                layer(ShapePlan::Source { tasks: 2000 }, BLOCK, priority, Requires::Nothing),
                layer(ShapePlan::Map { inputs: vec![0] }, 8, 0, only_here),
            ],
            2000,
        );
        let outcome = simulate(&scenario);
        assert!(outcome.failure.is_none(), "{}", outcome.failure.expect("it failed"));
        assert!(outcome.fullest_percent <= 75, "a worker was full to {} %", outcome.fullest_percent);
        assert_eq!(outcome.tally.count(Sometimes::Overbooked), 0);
        assert!(outcome.tally.count(Sometimes::HeldBack) > 0);
    }
}

#[test]
fn producers_go_on_where_nothing_else_can() {
    // All of what is made has to be there before any of it can be read, and it is more than all workers can hold.
    let scenario = world(
        vec![
            layer(ShapePlan::Source { tasks: 400 }, BLOCK, 0, Requires::Nothing),
            layer(ShapePlan::Exchange { input: 0, consumers: 4 }, 8, 0, Requires::Nothing),
        ],
        4,
    );
    let outcome = simulate(&scenario);
    assert!(outcome.failure.is_none(), "{}", outcome.failure.expect("it failed"));
    assert_eq!(outcome.tally.count(Sometimes::HeldBack), 0, "there is nothing to wait for");
}

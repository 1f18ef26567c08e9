//! Tasks that submit jobs and wait for them.

use raskt_simulate::{
    Fault, FaultKind, HostPlan, JobPlan, LayerPlan, NestedPlan, Requires, Scenario, ShapePlan, Sometimes, Weather,
    simulate,
};

const MILLISECOND: u64 = 1_000_000;

fn job(tasks: u64, nested: Vec<NestedPlan>) -> JobPlan {
    let layer = LayerPlan {
        shape: ShapePlan::Source { tasks },
        nanoseconds: 0,
        output_bytes: 64,
        scratch_bytes: 0,
        priority: 0,
        requires: Requires::Nothing,
    };
    JobPlan {
        seed: 1,
        client: 0,
        at: 0,
        layers: vec![layer],
        wanted: (0..tasks).map(|index| (0, index)).collect(),
        gives: false,
        task_nanoseconds: 40 * MILLISECOND,
        wrong_sizes: false,
        retries: 0,
        failures: vec![],
        deaths: vec![],
        changes: 0,
        cancel_after: None,
        resubmit: false,
        keep: false,
        rounds: 0,
        nested,
        alone: None,
        imports: vec![],
    }
}

fn world(hosts: usize, job: JobPlan, faults: Vec<Fault>) -> Scenario {
    let host = HostPlan { slots: 1, memory: 4096, disk: 0, slowness_percent: 100, joins_at: 0, gpu: 0 };
    Scenario {
        seed: 1,
        credit_nanoseconds: MILLISECOND,
        prefill_nanoseconds: 0,
        lease_nanoseconds: 200 * MILLISECOND,
        hosts: vec![host; hosts],
        clients: 1,
        jobs: vec![job],
        weather: Weather::fair(50_000),
        faults,
        calm_at: 2_000 * MILLISECOND,
    }
}

/// Every task of the first job submits one of two tasks, and each of these another one.
fn deep(tasks: u64) -> JobPlan {
    let inner = NestedPlan { callers: vec![(0, 0), (0, 1)], job: job(2, vec![]) };
    let middle = NestedPlan { callers: (0..tasks).map(|index| (0, index)).collect(), job: job(2, vec![inner]) };
    job(tasks, vec![middle])
}

#[test]
fn runs_within_runs_end_on_a_single_slot() {
    let outcome = simulate(&world(1, deep(20), vec![]));
    assert!(outcome.failure.is_none(), "{}", outcome.failure.expect("it failed"));
    assert_eq!(outcome.tally.count(Sometimes::Nested), 20 + 2 * 20);
}

/// The worker dies while its task waits: the task is a suspect then, has the worker to itself, and waits again.
#[test]
fn a_suspect_that_waits_for_a_run_lets_it_onto_its_worker() {
    for hosts in 1..4 {
        let crash = |host| Fault { at: 300 * MILLISECOND, lasts: MILLISECOND, kind: FaultKind::Crash { host } };
        let outcome = simulate(&world(hosts, deep(4), (0..hosts).map(crash).collect()));
        assert!(outcome.failure.is_none(), "{}", outcome.failure.expect("it failed"));
    }
}

/// Workers die twice while tasks wait, and all but one of their machines go for good: suspects run where others wait.
#[test]
fn suspects_run_beside_tasks_that_wait_when_machines_go_for_good() {
    for at in (60..600).step_by(30) {
        let crash =
            |host, after| Fault { at: (at + after) * MILLISECOND, lasts: MILLISECOND, kind: FaultKind::Crash { host } };
        let leave = |host| Fault { at: (at + 700) * MILLISECOND, lasts: 0, kind: FaultKind::Leave { host } };
        let faults = vec![crash(1, 0), crash(2, 0), crash(1, 300), crash(2, 330), leave(1), leave(2)];
        let outcome = simulate(&world(3, deep(4), faults));
        assert!(outcome.failure.is_none(), "{}", outcome.failure.expect("it failed"));
    }
}

/// The only GPU is with tasks that wait for others that need it.
#[test]
fn tasks_that_wait_lend_what_they_have() {
    let gpu = |mut job: JobPlan| {
        job.layers[0].requires = Requires::Gpu(500);
        job
    };
    let inner = NestedPlan { callers: vec![(0, 0), (0, 1)], job: gpu(job(2, vec![])) };
    let middle = NestedPlan { callers: (0..4).map(|index| (0, index)).collect(), job: job(2, vec![inner]) };
    for hosts in 1..3 {
        let mut world = world(hosts, gpu(job(4, vec![middle.clone()])), vec![]);
        world.hosts[0].gpu = 500;
        let outcome = simulate(&world);
        assert!(outcome.failure.is_none(), "{}", outcome.failure.expect("it failed"));
        assert!(outcome.tally.count(Sometimes::Borrowed) > 0);
    }
}

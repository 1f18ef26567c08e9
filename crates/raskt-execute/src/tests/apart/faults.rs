//! Workers die, come, and find their files damaged; runs are given up: what is left ends exactly.

use super::world::{Fault, World};
use super::worlds::{draw, jobs};
use proptest::prelude::*;
use raskt_schedule::RunId;
use std::collections::BTreeMap;
use std::sync::Arc;

fn fault() -> impl Strategy<Value = Fault> {
    prop_oneof![
        Just(Fault::Replace),
        Just(Fault::Kill),
        Just(Fault::Join),
        Just(Fault::Damage),
        Just(Fault::Damage),
        (1..4_u64).prop_map(|run| Fault::Forget(RunId(run))),
    ]
}

/// What happens when, at most two deaths among them: a third may be blamed on a task.
fn faults() -> impl Strategy<Value = Vec<(u64, Fault)>> {
    prop::collection::vec((0..60_u64, fault()), 1..6).prop_map(|mut faults| {
        faults.sort_by_key(|(at, _)| *at);
        let mut deaths = 0;
        faults.retain(|(_, fault)| {
            deaths += u32::from(matches!(fault, Fault::Replace | Fault::Kill));
            deaths <= 2 || !matches!(fault, Fault::Replace | Fault::Kill)
        });
        faults
    })
}

proptest! {
    #![proptest_config(super::cases(96))]

    #[test]
    fn what_is_wanted_ends_exactly_whatever_befalls_workers(jobs in jobs(), draw in draw(), faults in faults()) {
        let (world, plan) = (World::new(draw.settings()), draw.plan(&Arc::new(draw.mixer())));
        (0..draw.workers).for_each(|_| drop(world.join(&plan)));
        let given_up = |run: RunId| faults.iter().any(|(_, fault)| matches!(fault, Fault::Forget(other) if *other == run));
        let ends: BTreeMap<_, _> = jobs.iter().map(|job| (job.run, world.submit(job))).collect();
        world.befall(&faults, &plan, ends);
        for job in jobs.iter().filter(|job| !given_up(job.run)) {
            assert_eq!(world.results(job), job.expected(), "run {:?}", job.run);
        }
        jobs.iter().for_each(|job| world.release(job.run));
        world.ends_empty();
    }
}

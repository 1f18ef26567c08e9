//! Random graphs of all shapes on several workers: every run ends with the results that were known beforehand, and nothing is left.

use super::bench::{RUN, pairs, range, results};
use super::graphs::{graphs, pick_wanted};
use super::head::Ended;
use super::host::HostPlan;
use super::kernels::{Job, Mixer, draws};
use super::world::{Fault, World};
use crate::Runners;
use proptest::prelude::*;
use raskt_graph::{Graph, TaskId};
use raskt_schedule::{Rebalance, RunId, Settings};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::Receiver;

/// What is drawn of a world.
#[derive(Clone, Copy, Debug)]
pub struct Draw {
    pub workers: u32,
    pub threads: usize,
    /// The most KiB of a result, and of a worker's memory.
    pub kib: u64,
    pub memory_kib: u64,
    /// How long messages and tasks take at most.
    pub microseconds: (u64, u64),
    pub credit_nanoseconds: u64,
    pub seed: u64,
}

pub fn draw() -> impl Strategy<Value = Draw> {
    let sizes = prop_oneof![Just((0, 64)), Just((200, 600)), Just((200, 1 << 20))];
    let credits = prop_oneof![Just(1), Just(20_000), Just(2_000_000)];
    let ways = (0..400_u64, 0..200_u64);
    (1..5_u32, 1..4_usize, sizes, ways, credits, any::<u64>()).prop_map(
        |(workers, threads, (kib, memory_kib), microseconds, credit_nanoseconds, seed)| Draw {
            workers,
            threads,
            kib,
            memory_kib,
            microseconds,
            credit_nanoseconds,
            seed,
        },
    )
}

pub fn jobs() -> impl Strategy<Value = Vec<Job>> {
    let one = (graphs(), prop::collection::vec(any::<prop::sample::Index>(), 1..6));
    prop::collection::vec(one, 1..4).prop_map(|drawn| {
        let jobs = (1..).zip(drawn).filter_map(|(run, (graph, picks))| job(run, graph, &picks));
        jobs.collect()
    })
}

/// Nothing of a graph without tasks.
fn job(run: u64, graph: Graph, picks: &[prop::sample::Index]) -> Option<Job> {
    let graph = Arc::new(graph);
    let wanted: Vec<TaskId> = if graph.tasks() == 0 { vec![] } else { pick_wanted(&graph, picks) };
    (!wanted.is_empty()).then_some(Job { run: RunId(run), graph, wanted })
}

impl Draw {
    pub fn settings(&self) -> Settings {
        let rebalance = Rebalance { prefill_nanoseconds: self.seed % 3 * 100_000, ..Rebalance::default() };
        Settings { credit_nanoseconds: self.credit_nanoseconds, rebalance, ..Settings::default() }
    }

    pub fn mixer(&self) -> Mixer {
        Mixer { kib: self.kib, microseconds: self.microseconds.1, ..Mixer::default() }
    }

    pub fn plan(&self, mixer: &Arc<Mixer>) -> HostPlan {
        let runners = Runners::default().with_native(mixer.clone());
        let (threads, memory, microseconds) = (self.threads, self.memory_kib << 10, self.microseconds.0);
        HostPlan { threads, memory, runners, microseconds }
    }
}

proptest! {
    #![proptest_config(super::cases(64))]

    #[test]
    fn runs_end_exactly_and_leave_nothing(jobs in jobs(), draw in draw()) {
        let (world, plan) = (World::new(draw.settings()), draw.plan(&Arc::new(draw.mixer())));
        (0..draw.workers).for_each(|_| drop(world.join(&plan)));
        let ends: Vec<_> = jobs.iter().map(|job| world.submit(job)).collect();
        jobs.iter().zip(&ends).for_each(|(job, end)| world.check(job, end));
        jobs.iter().for_each(|job| world.release(job.run));
        world.ends_empty();
    }

    #[test]
    fn a_task_that_fails_ends_its_run_alone_with_its_reason(jobs in jobs(), draw in draw()) {
        let mut mixer = draw.mixer();
        let mut pick = draws(draw.seed);
        let failing: BTreeMap<RunId, TaskId> = jobs.iter().filter(|_| pick(2) == 0).map(|job| (job.run, job.wanted[0])).collect();
        for job in jobs.iter().filter(|job| failing.contains_key(&job.run)) {
            mixer.fails.insert((super::kernels::identity(&job.graph), job.wanted[0]));
        }
        let (world, plan) = (World::new(draw.settings()), draw.plan(&Arc::new(mixer)));
        (0..draw.workers).for_each(|_| drop(world.join(&plan)));
        let ends: Vec<_> = jobs.iter().map(|job| world.submit(job)).collect();
        for (job, end) in jobs.iter().zip(&ends) {
            match failing.get(&job.run) {
                Some(task) => check_failed(end, *task),
                None => world.check(job, end),
            }
            world.release(job.run);
        }
        world.ends_empty();
    }
}

#[test]
fn given_data_is_read_wherever_it_lies_and_its_loss_ends_its_run() {
    for is_lost in [false, true] {
        let is_held = Arc::new(AtomicBool::new(is_lost));
        let mixer = Mixer { is_held: is_held.clone(), microseconds: 2000, ..Mixer::default() };
        let runners = Runners::default().with_native(Arc::new(mixer));
        let plan = HostPlan { threads: 1, memory: 1 << 30, runners, microseconds: 200 };
        let world = World::new(Settings { credit_nanoseconds: 1, ..Settings::default() });
        let holder = world.join(&plan);
        (0..2).for_each(|_| drop(world.join(&plan)));
        let graph = pairs(40);
        let wanted = range(1, 0, 40).tasks().collect();
        let job = Job { run: RUN, graph: graph.clone(), wanted };
        let given = range(0, 0, 40).tasks().zip(results(&graph, range(0, 0, 40), 100)).collect();
        let end = world.submit_with(&job, given, holder.worker);
        if is_lost {
            // It has the data, and no task ends before it is gone.
            world.waits_for_a_word();
            world.strike(Fault::Kill, &plan);
            is_held.store(false, Ordering::SeqCst);
            let ended = end.recv_timeout(std::time::Duration::from_secs(60));
            assert!(matches!(ended, Ok(Ended::Lost)), "{ended:?}");
        } else {
            world.check(&job, &end);
        }
        world.release(RUN);
        world.ends_empty();
    }
}

fn check_failed(end: &Receiver<Ended>, task: TaskId) {
    let Ok(Ended::Failed(Some(failure))) = end.recv_timeout(std::time::Duration::from_secs(60)) else {
        panic!("it fails, and says why")
    };
    assert_eq!((failure.task, failure.error.message), (task, format!("{task} was told to fail")));
}

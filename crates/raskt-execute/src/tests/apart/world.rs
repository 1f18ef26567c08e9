//! A scheduler, its workers and a client, and what befalls them.

use super::head::{Ended, Head, Inbound};
use super::host::{Host, HostPlan, Peers};
use super::kernels::{Job, digest};
use raskt_graph::TaskId;
use raskt_schedule::{LossCause, RunId, Settings, WorkerId};
use raskt_value::Value;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::{Duration, Instant};

pub struct World {
    pub head: Sender<Inbound>,
    pub peers: Peers,
    /// How much the scheduler has heard from workers.
    heard: Receiver<u64>,
    next_worker: std::cell::Cell<u32>,
    /// All that there were, the lost ones too.
    hosts: std::cell::RefCell<Vec<Host>>,
}

/// What befalls workers.
#[derive(Clone, Copy, Debug)]
pub enum Fault {
    /// The worker that has been there for longest dies, and another comes.
    Replace,
    /// One that has been there for longest dies, unless it is the last.
    Kill,
    /// One more comes.
    Join,
    /// Files of all workers are damaged.
    Damage,
    /// The client gives up the run.
    Forget(RunId),
}

/// How long anything may take.
const PATIENCE: Duration = Duration::from_secs(20);

static DAMAGES: AtomicU64 = AtomicU64::new(0);

impl World {
    pub fn new(settings: Settings) -> Self {
        let (sender, heard) = channel();
        let head = Head::start(settings, move |count| _ = sender.send(count));
        Self { head, peers: Peers::default(), heard, next_worker: 1.into(), hosts: vec![].into() }
    }

    pub fn join(&self, plan: &HostPlan) -> Host {
        let worker = WorkerId(self.next_worker.replace(self.next_worker.get() + 1));
        let host = Host::start(worker, plan, &self.head, &self.peers);
        self.hosts.borrow_mut().push(host.clone());
        host
    }

    pub fn submit(&self, job: &Job) -> Receiver<Ended> {
        let (sender, receiver) = channel();
        self.head.send(Inbound::Submit(job.clone(), sender)).unwrap();
        receiver
    }

    /// The same with data for some of its tasks, which goes to a worker.
    pub fn submit_with(&self, job: &Job, given: Vec<(TaskId, Value)>, worker: WorkerId) -> Receiver<Ended> {
        let (sender, receiver) = channel();
        self.head.send(Inbound::SubmitWith(job.clone(), given, worker, sender)).unwrap();
        receiver
    }

    /// Waits until the scheduler has heard something of a worker.
    pub fn waits_for_a_word(&self) {
        self.heard.recv_timeout(PATIENCE).expect("a worker says something");
    }

    pub fn release(&self, run: RunId) {
        self.head.send(Inbound::Release(run)).unwrap();
    }

    /// Has faults happen when the scheduler has heard so much, until all runs have ended but those that are given up.
    pub fn befall(&self, faults: &[(u64, Fault)], plan: &HostPlan, mut runs: BTreeMap<RunId, Receiver<Ended>>) {
        let mut faults = faults.iter().peekable();
        let (mut heard, began) = (0, Instant::now());
        while !runs.is_empty() {
            if began.elapsed() > PATIENCE {
                self.describe();
                panic!("{:?} don't end", runs.keys());
            }
            heard = self.heard.recv_timeout(Duration::from_millis(1)).unwrap_or(heard);
            while let Some((_, fault)) = faults.next_if(|(at, _)| *at <= heard) {
                self.strike(*fault, plan);
                if let Fault::Forget(run) = fault {
                    runs.remove(run);
                }
            }
            runs.retain(|run, receiver| match receiver.try_recv() {
                Ok(Ended::Finished) => false,
                Ok(other) => panic!("run {run:?} ended with {other:?}"),
                Err(_) => true,
            });
        }
    }

    /// Says where everything stands, for whoever looks why it stands still.
    fn describe(&self) {
        self.peers.lock().values().for_each(|host| println!("worker {}: {}", host.worker.0, host.engine.describe()));
        let (sender, receiver) = channel();
        let look = move |scheduler: &mut raskt_schedule::Scheduler| _ = sender.send(format!("{scheduler:?}"));
        self.head.send(Inbound::Look(Box::new(look))).unwrap();
        println!("{}", receiver.recv_timeout(PATIENCE).expect("the scheduler answers"));
    }

    pub fn strike(&self, fault: Fault, plan: &HostPlan) {
        match fault {
            Fault::Replace => {
                self.kill();
                self.join(plan);
            }
            Fault::Kill if self.peers.lock().len() > 1 => self.kill(),
            Fault::Kill => {}
            Fault::Join => drop(self.join(plan)),
            Fault::Damage => {
                let hosts: Vec<_> = self.peers.lock().values().cloned().collect();
                hosts.iter().flat_map(Host::files).for_each(|file| damage(&file));
            }
            Fault::Forget(run) => self.release(run),
        }
    }

    fn kill(&self) {
        let first = self.peers.lock().first_key_value().map(|(_, host)| host.clone());
        if let Some(host) = first {
            host.kill(&self.peers);
            self.head.send(Inbound::Lost(host.worker, LossCause::Died)).unwrap();
        }
    }

    /// All results of a run, once they are there: read where the scheduler says that they are, as often as it takes.
    pub fn results(&self, job: &Job) -> Vec<u64> {
        let began = Instant::now();
        loop {
            if let Some(values) = self.try_results(job) {
                return values.iter().map(digest).collect();
            }
            if began.elapsed() > PATIENCE {
                self.describe();
                panic!("results of {:?} don't come", job.run);
            }
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    fn try_results(&self, job: &Job) -> Option<Vec<Value>> {
        let (sender, receiver) = channel();
        self.head.send(Inbound::Where(job.run, sender)).unwrap();
        let holders = receiver.recv_timeout(PATIENCE).expect("the scheduler answers");
        let mut by_holder: BTreeMap<WorkerId, Vec<TaskId>> = BTreeMap::new();
        for (task, holder) in job.wanted.iter().zip(holders) {
            by_holder.entry(holder?).or_default().push(*task);
        }
        let mut found = BTreeMap::new();
        for (holder, tasks) in by_holder {
            let host = self.peers.lock().get(&holder).cloned()?;
            for (task, value) in tasks.iter().zip(host.values(job.run, &tasks)) {
                found.insert(*task, value?);
            }
        }
        Some(job.wanted.iter().map(|task| found[task].clone()).collect())
    }

    /// Waits for the end of a run, whose results have to be what they should.
    pub fn check(&self, job: &Job, ended: &Receiver<Ended>) {
        match ended.recv_timeout(PATIENCE) {
            Ok(Ended::Finished) => assert_eq!(self.results(job), job.expected(), "run {:?}", job.run),
            other => panic!("run {:?} ended with {other:?}", job.run),
        }
    }

    /// The client has released all: nothing is left anywhere.
    pub fn ends_empty(self) {
        self.hosts.borrow().iter().for_each(Host::becomes_empty);
        let (sender, receiver) = channel();
        let look = move |scheduler: &mut raskt_schedule::Scheduler| {
            scheduler.validate();
            let _ = sender.send(scheduler.leftovers());
        };
        self.head.send(Inbound::Look(Box::new(look))).unwrap();
        let left = receiver.recv_timeout(PATIENCE).expect("the scheduler answers");
        assert!(left.is_none(), "the scheduler keeps {left:?}");
        self.head.send(Inbound::Stop).unwrap();
        self.hosts.take().iter().for_each(|host| host.engine.shut_down(Duration::from_secs(10)));
    }
}

fn damage(path: &std::path::Path) {
    let way = DAMAGES.fetch_add(1, Ordering::Relaxed);
    let Ok(mut bytes) = std::fs::read(path) else { return };
    let at = (way.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 16) as usize % bytes.len().max(1);
    // It may be gone by now, or only just be written: that is damage enough.
    let _ = match way % 4 {
        _ if bytes.is_empty() => return,
        0 => {
            bytes[at] ^= 1 << (way % 8);
            std::fs::write(path, bytes)
        }
        1 => std::fs::write(path, &bytes[..at]),
        2 => std::fs::remove_file(path),
        _ => Ok(()),
    };
}

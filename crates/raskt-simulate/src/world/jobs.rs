//! What clients do with their jobs: submit them, change their minds, give them up.

use super::World;
use crate::check::{Sometimes, Violation};
use crate::context::{Address, Happening};
use crate::random::Random;
use raskt_schedule::RunId;
use std::collections::BTreeMap;
use std::rc::Rc;

/// A client that is down is asked again after so long.
const ABSENT_NANOSECONDS: u64 = 50_000_000;

/// Of what a job imports.
enum Sources {
    /// It imports nothing.
    None,
    Runs(BTreeMap<usize, RunId>),
    /// Some of it isn't submitted now, and will be.
    Later,
    /// Some of it is no more.
    Never,
}

impl World {
    pub(super) fn submit(&mut self, at: usize) {
        let plan = &self.scenario.jobs[at];
        let client = plan.client as usize;
        let imported = match self.find_sources(at) {
            Sources::None => None,
            Sources::Runs(runs) => Some(runs),
            Sources::Later => {
                return self.context.agenda.after(ABSENT_NANOSECONDS, Happening::Submit(at));
            }
            Sources::Never => {
                self.rounds.remove(&at);
                self.open.remove(&at);
                return;
            }
        };
        let plan = &self.scenario.jobs[at];
        let Some(process) = &mut self.clients[client].process else {
            return self.context.agenda.after(ABSENT_NANOSECONDS, Happening::Submit(at));
        };
        let job = match imported {
            Some(runs) => Rc::new(self.plans[at].bound_to(&runs)),
            None => self.plans[at].clone(),
        };
        let run = self.context.new_run(job.clone());
        self.job_of.insert(run, at);
        process.submit(&mut self.context, run, &job, plan.keep);
        let own = process.address;
        let is_last = self.open.get(&at) == Some(&1);
        let mut changes = Random::new(plan.seed ^ run.0);
        let span = self.scenario.calm_at.saturating_sub(self.context.now());
        for _ in 0..plan.changes {
            let (after, seed) = (changes.below(span), changes.bits());
            self.context.agenda.after(after, Happening::Change { own, run, seed });
        }
        if let Some(after) = plan.cancel_after.filter(|_| !(plan.resubmit && is_last)) {
            self.context.agenda.after(after, Happening::Cancel { own, run });
        }
    }

    /// The runs that there are of the jobs from which this one imports.
    fn find_sources(&self, at: usize) -> Sources {
        let mut runs = BTreeMap::new();
        for job in self.plans[at].source_jobs() {
            let processes = self.clients.iter().filter_map(|client| client.process.as_ref());
            // Nobody reads data before it is given.
            let live = processes.flat_map(|process| process.runs.iter());
            let live = live.filter(|(_, owned)| owned.has_data).map(|(run, _)| *run);
            match live.filter(|run| self.job_of.get(run) == Some(&job)).max() {
                Some(run) => _ = runs.insert(job, run),
                None if self.may_come(job) => return Sources::Later,
                None => return Sources::Never,
            }
        }
        if runs.is_empty() { Sources::None } else { Sources::Runs(runs) }
    }

    /// Whether a job is to be submitted still, or its data is on its way.
    fn may_come(&self, job: usize) -> bool {
        let processes = self.clients.iter().filter_map(|client| client.process.as_ref());
        let mut live = processes.flat_map(|process| process.runs.keys());
        self.open.contains_key(&job) || live.any(|run| self.job_of.get(run) == Some(&job))
    }

    pub(super) fn change(&mut self, own: Address, run: RunId, seed: u64) {
        let Some(process) = self.clients.iter_mut().find_map(|client| client.process_at(own)) else { return };
        process.change(&mut self.context, &self.jobs, run, &mut Random::new(seed));
    }

    pub(super) fn cancel(&mut self, own: Address, run: RunId) {
        let Some(process) = self.clients.iter_mut().find_map(|client| client.process_at(own)) else { return };
        if !process.runs.contains_key(&run) {
            return;
        }
        self.context.tally.saw(Sometimes::Cancelled);
        process.release(&mut self.context, run);
        let job = self.job_of[&run];
        if let Some(times) = self.open.get_mut(&job).filter(|times| **times > 1) {
            // It isn't the end of the job, which begins anew.
            *times = 1;
            process.ended.retain(|&ended| ended != run);
            self.context.tally.saw(Sometimes::Resubmitted);
            let delay = self.context.random.scaled(1, ABSENT_NANOSECONDS);
            self.context.agenda.after(delay, Happening::Submit(job));
        }
        self.look_at_clients();
    }

    /// Takes note of what ended for the clients.
    pub(super) fn look_at_clients(&mut self) {
        let processes = self.clients.iter_mut().filter_map(|client| client.process.as_mut());
        for run in processes.flat_map(|process| std::mem::take(&mut process.ended)).collect::<Vec<_>>() {
            let job = self.job_of[&run];
            match self.rounds.get_mut(&job).filter(|rounds| **rounds > 0) {
                Some(rounds) => {
                    *rounds -= 1;
                    self.context.tally.saw(Sometimes::AnotherRound);
                    self.context.agenda.after(0, Happening::Submit(job));
                }
                None => drop(self.open.remove(&job)),
            }
        }
    }

    /// All workers that haven't left are there, and runs that none of them can run never will be.
    pub(super) fn give_up_unmet(&mut self) {
        let hosts: Vec<_> = self.hosts.iter().map(|host| (!host.has_left).then_some(host.plan)).collect();
        for client in &mut self.clients {
            let Some(process) = &mut client.process else { continue };
            for run in process.give_up_unmet(&mut self.context) {
                if self.jobs[&run].is_met_by(&hosts) {
                    let text = format!("run {} was told that no worker has what it requires, and one has", run.0);
                    self.context.violate(Violation::new(text));
                }
            }
        }
        self.look_at_clients();
    }

    pub(super) fn lose_client(&mut self, client: usize) {
        for run in self.clients[client].crash() {
            self.open.remove(&self.job_of[&run]);
        }
    }
}

//! What a scheduler measures.

use super::core::Core;
use super::{SchedulerServer, Shared};
use crate::metrics::{MetricsError, MetricsServer, Text, of_process};
use crate::question::WorkerFacts;
use crate::token::Token;
use std::net::SocketAddr;
use std::sync::Weak;
use std::time::Instant;

impl SchedulerServer {
    /// Gives what it measures to those who look on there. `token` is that of the cluster.
    pub fn serve_metrics(&self, at: SocketAddr, token: Option<&Token>) -> Result<MetricsServer, MetricsError> {
        let shared: Weak<Shared> = std::sync::Arc::downgrade(&self.shared);
        MetricsServer::start(at, token, Box::new(move || shared.upgrade()?.measured()))
    }
}

impl Shared {
    fn measured(&self) -> Option<Text> {
        let mut text = Text::default();
        let began = Instant::now();
        let core = self.core.lock();
        let waited = began.elapsed();
        if core.is_closed {
            return None;
        }
        core.measure(&mut text);
        drop(core);
        let help = "How long whoever asks had to wait for the scheduler just now.";
        text.gauge("raskt_scheduler_lag_seconds", help, waited.as_secs_f64());
        let help = "What it took to take in what a client or a worker said.";
        self.measures.steps.lock().write(&mut text, "raskt_scheduler_step_seconds", help);
        of_process(&mut text);
        Some(text)
    }
}

impl Core {
    fn measure(&self, text: &mut Text) {
        let facts = self.facts();
        text.gauge("raskt_scheduler_clients", "Clients that are there.", facts.clients);
        text.gauge("raskt_scheduler_workers", "Workers that are there.", facts.workers);
        text.gauge("raskt_scheduler_runs", "Runs that clients have going, or keep results of.", facts.runs);
        text.gauge("raskt_scheduler_errands", "Errands that aren't over.", facts.errands);
        let workers = self.workers.iter().filter(|(_, entry)| entry.is_in());
        let workers: Vec<_> =
            workers.map(|(&worker, entry)| (entry.name.clone(), self.worker_facts(worker, entry))).collect();
        let processing = workers.iter().map(|(_, of)| of.assignments).sum::<u64>();
        let states =
            [("done", facts.done), ("failed", facts.failed), ("other", facts.tasks - facts.done.min(facts.tasks))];
        let help = "Tasks of runs that are there, by where they stand.";
        let states = states.into_iter().map(|(state, count)| (state.to_owned(), count));
        text.gauges("raskt_scheduler_tasks", help, "state", states);
        text.gauge("raskt_scheduler_assignments", "Assignments that workers haven't ended.", processing);
        type Of = fn(&WorkerFacts) -> f64;
        let each: [(&str, &str, Of); 5] = [
            ("raskt_worker_assignments", "Assignments that it hasn't ended.", |of| of.assignments as f64),
            ("raskt_worker_occupancy_seconds", "What these are expected to take on one thread.", |of| {
                of.nanoseconds as f64 / 1e9
            }),
            ("raskt_worker_results", "Results that it holds and that somebody needs.", |of| of.results as f64),
            ("raskt_worker_result_bytes", "Bytes of these, as far as is known.", |of| of.bytes as f64),
            ("raskt_worker_silence_seconds", "For how long nothing was heard of it.", |of| {
                of.heard_nanoseconds as f64 / 1e9
            }),
        ];
        for (name, help, of) in each {
            text.gauges(name, help, "worker", workers.iter().map(|(name, facts)| (name.clone(), of(facts))));
        }
    }
}

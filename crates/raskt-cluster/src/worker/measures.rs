//! What a worker measures.

use super::WorkerServer;
use super::link::{Ended, Link};
use crate::metrics::{MetricsError, MetricsServer, Text, of_process};
use crate::token::Token;
use raskt_execute::Store;
use std::net::SocketAddr;
use std::sync::Arc;
use std::time::Duration;

struct Measured {
    store: Store,
    ended: Arc<Ended>,
    link: Arc<Link>,
}

impl WorkerServer {
    /// Gives what it measures to those who look on there. `token` is that of the cluster.
    pub fn serve_metrics(&self, at: SocketAddr, token: Option<&Token>) -> Result<MetricsServer, MetricsError> {
        let (store, ended, link) = (self.engine.store().clone(), self.ended.clone(), self.link.clone());
        let measured = Measured { store, ended, link };
        MetricsServer::start(at, token, Box::new(move || measured.text()))
    }
}

impl Measured {
    fn text(&self) -> Option<Text> {
        if self.ended.wait(Duration::ZERO).is_some() {
            return None;
        }
        let mut text = Text::default();
        let report = self.store.report().ok()?;
        text.gauge("raskt_worker_memory_limit_bytes", "What results and tasks may take.", report.limit);
        text.gauge("raskt_worker_memory_held_bytes", "What results take.", report.held);
        text.gauge("raskt_worker_memory_promised_bytes", "What is promised to tasks.", report.promised);
        text.gauge("raskt_worker_memory_peak_bytes", "The most that both took.", report.peak);
        text.gauge("raskt_worker_spilled_bytes", "What files of results take on the disk.", report.spilled);
        text.counter(
            "raskt_worker_spill_files_written_total",
            "Files of results that were written.",
            report.files_written,
        );
        text.counter("raskt_worker_spill_files_read_total", "Files of results that were read.", report.files_read);
        text.counter(
            "raskt_worker_spill_files_lost_total",
            "Files of results that couldn't be read.",
            report.files_lost,
        );
        let untaken = self.link.outbox().map_or(0, |outbox| outbox.outstanding_bytes());
        text.gauge("raskt_worker_untaken_bytes", "Bytes of messages that the scheduler hasn't taken.", untaken);
        of_process(&mut text);
        Some(text)
    }
}

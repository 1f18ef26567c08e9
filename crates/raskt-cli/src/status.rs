//! `raskt status`.

use crate::asking::{AskingOptions, plain};
use crate::facts::say;
use crate::failure::Failure;
use crate::host::Host;
use crate::values::Size;
use raskt_cluster::hello::mismatches;
use raskt_cluster::{Address, WorkerInfo};
use serde_json::{Value, json};
use std::time::Duration;

/// Says which workers a cluster has.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    #[command(flatten)]
    asking: AskingOptions,
    /// As JSON.
    #[arg(long)]
    json: bool,
}

const EXAMPLES: &str = "\
Examples:
  raskt status tcp://127.0.0.1:8786
  raskt status --scheduler-file /tmp/cluster.json --json";

/// How long the scheduler may take to say who is there, after it has answered.
const LIST: Duration = Duration::from_millis(300);

pub(crate) fn run(options: &Options, host: &dyn Host) -> Result<u8, Failure> {
    let (address, workers, theirs) = options.asking.ask("raskt status", host, |address, client| {
        // The list of workers comes right after the first word.
        client.wait_for_workers(1, LIST);
        let theirs = client.scheduler().map(|peer| peer.introduction.versions).unwrap_or_default();
        Ok((address.clone(), client.workers(), theirs))
    })?;
    let own = host.versions();
    let mismatch = mismatches(&[("scheduler", &theirs), ("this process", &own)]);
    if options.json {
        let mut all = as_json(&address, &workers);
        all["versions"] = theirs.0.into_iter().map(|(name, version)| (name, Value::String(version))).collect();
        say(serde_json::to_string_pretty(&all).map_err(Failure::failed)?);
    } else {
        say(as_table(&address, &workers));
    }
    if let Some(mismatch) = mismatch {
        tracing::warn!("versions differ:\n{mismatch}");
    }
    Ok(0)
}

fn as_json(address: &Address, workers: &[WorkerInfo]) -> Value {
    let each = workers.iter().map(|worker| {
        let memory = Some(worker.memory).filter(|bytes| *bytes < u64::MAX);
        let WorkerInfo { worker, name, addresses, slots, .. } = worker;
        json!({ "id": worker.0, "name": name, "addresses": addresses, "threads": slots, "memory_limit": memory })
    });
    let threads: u64 = workers.iter().map(|worker| u64::from(worker.slots)).sum();
    json!({ "scheduler": address.to_string(), "threads": threads, "workers": each.collect::<Value>() })
}

fn as_table(address: &Address, workers: &[WorkerInfo]) -> String {
    let head = ["worker", "threads", "memory", "address"].map(String::from);
    let rows = workers.iter().map(|worker| {
        let memory = Size(Some(worker.memory).filter(|bytes| *bytes < u64::MAX)).to_string();
        let address = worker.addresses.first().cloned().unwrap_or_default();
        [plain(&worker.name), worker.slots.to_string(), memory, plain(&address)]
    });
    let rows: Vec<[String; 4]> = [head].into_iter().chain(rows).collect();
    let width = |at: usize| rows.iter().map(|row| row[at].chars().count()).max().unwrap_or(0);
    let widths: Vec<usize> = (0..4).map(width).collect();
    let threads: u64 = workers.iter().map(|worker| u64::from(worker.slots)).sum();
    let mut text = format!("scheduler {address}: {} workers, {threads} threads", workers.len());
    for row in rows.iter().filter(|_| !workers.is_empty()) {
        let cells: Vec<_> = row.iter().zip(&widths).map(|(cell, width)| format!("{cell:width$}")).collect();
        text = text + "\n" + cells.join("  ").trim_end();
    }
    text
}

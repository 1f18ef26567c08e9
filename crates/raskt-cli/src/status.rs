//! `raskt status`.

use crate::contact::{outward_host, parse_address};
use crate::facts::say;
use crate::failure::Failure;
use crate::files::Found;
use crate::host::Host;
use crate::security::{MissingToken, SecurityOptions, no_scheduler};
use crate::values::{Size, parse_duration};
use raskt_cluster::hello::{Role, mismatches};
use raskt_cluster::{Address, Client, ConnectError, Network, NetworkOptions, Security, WorkerInfo};
use serde_json::{Value, json};
use std::path::PathBuf;
use std::time::Duration;

/// Says which workers a cluster has.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Where the scheduler is: `tls://host:8786`.
    #[arg(value_name = "ADDRESS", value_parser = parse_address, conflicts_with = "scheduler_file")]
    scheduler: Option<Address>,
    /// The file that the scheduler has written.
    #[arg(long, value_name = "FILE")]
    scheduler_file: Option<PathBuf>,
    /// How long the scheduler may take to answer.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10s")]
    timeout: Duration,
    /// As JSON.
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    security: SecurityOptions,
}

const EXAMPLES: &str = "\
Examples:
  raskt status tcp://127.0.0.1:8786
  raskt status --scheduler-file /tmp/cluster.json --json";

/// How long the scheduler has to hear that this was all.
const FAREWELL: Duration = Duration::from_millis(500);
/// How long it may take to say who is there, after it has answered.
const LIST: Duration = Duration::from_millis(300);

pub(crate) fn run(options: &Options, host: &dyn Host) -> Result<u8, Failure> {
    let (address, security) = options.find()?;
    let mut network = NetworkOptions::new(Role::Client, security.clone()).map_err(Failure::failed)?;
    network.introduction.name = "raskt status".into();
    network.introduction.versions = host.versions();
    let network = Network::start(network).map_err(Failure::failed)?;
    let listen = own_address(&address, &security)?;
    let client = Client::connect(network, &address, &listen, host.face(), options.timeout);
    let client = client.map_err(|error| match error {
        ConnectError::Unreached { ref reason, .. } if reason.contains("the peer refused: ") => Failure::refused(error),
        ConnectError::Unreached { .. } => Failure::unreached(error),
        error => Failure::failed(error),
    })?;
    // The list of workers comes right after the first word.
    client.wait_for_workers(1, LIST);
    let workers = client.workers();
    let own = host.versions();
    let theirs = client.scheduler().map(|peer| peer.introduction.versions).unwrap_or_default();
    let mismatch = mismatches(&[("scheduler", &theirs), ("this process", &own)]);
    client.close(FAREWELL);
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

impl Options {
    fn find(&self) -> Result<(Address, Security), Failure> {
        let mut known = self.security.clone();
        let address = match (&self.scheduler, &self.scheduler_file) {
            (Some(address), _) => address.clone(),
            (None, Some(file)) => {
                let none = || Failure::unreached(format!("there is no scheduler file `{}`", file.display()));
                let found = Found::read(file)?.ok_or_else(none)?;
                known = known.or_of(&found);
                found.address()?
            }
            (None, None) => return Err(no_scheduler()),
        };
        let (security, _) = known.load(&address, MissingToken::Refuse)?;
        security.check_dialing(&address).map_err(Failure::usage)?;
        Ok((address, security))
    }
}

/// Where this process listens: clients give data there, of which this one has none.
fn own_address(scheduler: &Address, security: &Security) -> Result<Address, Failure> {
    let address = match scheduler {
        Address::Tls { host, port } if security.tls.as_ref().is_some_and(|tls| tls.has_certificate()) => {
            let host = outward_host(host, *port).unwrap_or_else(|| "127.0.0.1".into());
            Address::Tls { host, port: 0 }
        }
        _ if security.token.is_some() => Address::Tcp { host: "127.0.0.1".into(), port: 0 },
        _ => {
            return Err(Failure::usage(format!(
                "`{scheduler}` needs a certificate of this process (`--tls-cert`, `--tls-key`), or the cluster's `--token-file`"
            )));
        }
    };
    Ok(address)
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

/// Others have written it: nothing of it may steer a terminal.
fn plain(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '?' } else { char }).collect()
}

//! `raskt scheduler`.

use crate::contact::{Protocol, listening_host, reachable};
use crate::facts::fact;
use crate::failure::Failure;
use crate::files::{Found, PidFile, SchedulerFile};
use crate::host::Host;
use crate::security::{MissingToken, SecurityOptions};
use crate::stop::Stop;
use crate::values::{parse_lasting, parse_looking};
use raskt_cluster::hello::{Identity, Role};
use raskt_cluster::journal::{Journal, JournalOptions};
use raskt_cluster::{Address, Network, NetworkOptions, SchedulerServer};
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// The port of schedulers, unless somebody says otherwise.
const PORT: u16 = 8786;
/// How long workers and clients have to hear that it ends.
const FAREWELL: Duration = Duration::from_secs(2);
/// How often it is looked whether anybody wants anything.
const GLANCE: Duration = Duration::from_millis(500);

/// Starts a scheduler, and says where it is.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Where it listens: a name or number of this host, or a whole address like `unix:///run/raskt.sock`.
    #[arg(long)]
    host: Option<String>,
    /// The port; 0 is any that is free.
    #[arg(long, allow_hyphen_values = true)]
    port: Option<u16>,
    /// Listens at the address of this network interface.
    #[arg(long)]
    interface: Option<String>,
    /// How it is spoken; TLS if there is a certificate, else TCP.
    #[arg(long, value_enum)]
    protocol: Option<Protocol>,
    /// Is written when the scheduler is there, for workers and clients to find it by, and goes with it.
    #[arg(long, value_name = "FILE")]
    scheduler_file: Option<PathBuf>,
    /// Holds the number of the process for as long as it runs.
    #[arg(long, value_name = "FILE")]
    pid_file: Option<PathBuf>,
    /// Ends when no client has wanted anything for so long: `30 minutes`.
    #[arg(long, value_name = "TIME", value_parser = parse_lasting, allow_hyphen_values = true)]
    idle_timeout: Option<Duration>,
    /// Writes down in this folder what is submitted: started again with it, at the same address and with the same token, the scheduler
    /// goes on where it was, with what workers and clients still hold, also when it was interrupted or terminated: a client ends the cluster
    /// (`shutdown`).
    #[arg(long, value_name = "FOLDER")]
    journal: Option<PathBuf>,
    /// Waits until what is written down is on the disk, so that also a machine that loses power loses nothing.
    #[arg(long, requires = "journal")]
    journal_sync: bool,
    /// Gives what it measures there, to Prometheus and others (`/metrics`, `/health`): a port within this host, or an address. Where
    /// others can reach it they have to say the token of viewers.
    #[arg(long, alias = "metrics-address", value_name = "[HOST:]PORT", value_parser = parse_looking, allow_hyphen_values = true)]
    dashboard_address: Option<SocketAddr>,
    /// Python modules or files that are run before it begins.
    #[arg(long, value_name = "MODULE")]
    preload: Vec<String>,
    /// Ends when its standard input does: when whoever started it is gone.
    #[arg(long)]
    until_input_closes: bool,
    #[command(flatten)]
    security: SecurityOptions,
}

const EXAMPLES: &str = "\
Examples:
  raskt scheduler                       within this host, with a token
  raskt scheduler --port 0 --scheduler-file /tmp/cluster.json
  raskt scheduler --host 0.0.0.0 --tls-ca-file certs/ca.pem \\
      --tls-cert certs/scheduler.pem --tls-key certs/scheduler-key.pem

It prints a line for each fact: `scheduler: ADDRESS`, `token-file: FILE`, and `ready` last.";

pub(crate) fn run(options: &Options, host: &dyn Host) -> Result<u8, Failure> {
    let stop = Stop::listen(host)?;
    let stop = if options.until_input_closes { stop.with_input()? } else { stop };
    let address = options.address()?;
    let (security, token_file) = options.security.load(&address, MissingToken::Make)?;
    security.check_listening(&address).map_err(Failure::usage)?;
    host.preload(&options.preload).map_err(Failure::usage)?;
    let token = security.token.clone();
    let mut network = NetworkOptions::new(Role::Scheduler, security).map_err(Failure::failed)?;
    network.introduction.name = "scheduler".into();
    network.introduction.versions = host.versions();
    let identity = network.identity;
    let network = Network::start(network).map_err(Failure::failed)?;
    let server = match &options.journal {
        Some(folder) => {
            let journal = Journal::open(folder, JournalOptions { sync: options.journal_sync });
            SchedulerServer::start_from(network, &address, journal.map_err(Failure::failed)?)
        }
        None => SchedulerServer::start(network, &address),
    };
    let server = server.map_err(Failure::failed)?;
    let looked_at = options.dashboard_address.map(|at| server.serve_metrics(at, token.as_ref())).transpose();
    let looked_at = looked_at.map_err(Failure::usage)?;
    let found = options.found(server.address(), token_file, identity);
    let pid_file = PidFile::write(options.pid_file.as_deref())?;
    let scheduler_file = SchedulerFile::write(options.scheduler_file.as_deref(), &found)?;
    if let Some(looked_at) = &looked_at {
        fact("metrics", format_args!("http://{}/metrics", looked_at.address()));
    }
    tell(&found, options);
    let is_stopped = keep(&server, &stop, options.idle_timeout);
    match is_stopped && options.leaves_to_next() && server.leave_to_next() {
        true => tracing::info!("ending: whoever is there waits for the next scheduler with this journal"),
        false => server.shut_down(FAREWELL),
    }
    drop((scheduler_file, pid_file, looked_at));
    Ok(0)
}

fn tell(found: &Found, options: &Options) {
    fact("scheduler", &found.address);
    if let Some(file) = &found.token_file {
        fact("token-file", file.display());
    }
    if let Some(file) = &options.scheduler_file {
        fact("scheduler-file", file.display());
    }
    fact("process", found.process);
    fact("ready", true);
}

/// Waits until it is to end; whether somebody has stopped this process.
fn keep(server: &SchedulerServer, stop: &Stop<'_>, idle_timeout: Option<Duration>) -> bool {
    let mut idle_since = Instant::now();
    let glance = idle_timeout.map_or(Duration::MAX, |patience| patience / 4).min(GLANCE);
    while !stop.wait(glance) {
        if server.is_told_to_end() {
            tracing::info!("ending: a client has ended the cluster");
            return false;
        }
        if server.runs() > 0 {
            idle_since = Instant::now();
        }
        if idle_timeout.is_some_and(|patience| idle_since.elapsed() >= patience) {
            tracing::info!("ending: nobody has wanted anything for {:.1} s", idle_since.elapsed().as_secs_f64());
            return false;
        }
    }
    true
}

impl Options {
    /// Whether workers and clients are to wait for another scheduler when this one is stopped. Whoever has started it to end with him looks
    /// after the rest, too.
    fn leaves_to_next(&self) -> bool {
        self.journal.is_some() && !self.until_input_closes
    }

    fn address(&self) -> Result<Address, Failure> {
        let host = listening_host(self.host.as_deref(), self.interface.as_deref())?;
        if let Some(whole) = host.as_deref().filter(|host| host.contains("://")) {
            let address: Address = whole.parse().map_err(Failure::usage)?;
            return match (self.port, self.protocol) {
                (None, None) => Ok(address),
                _ => Err(Failure::usage(format!(
                    "`--host {address}` says protocol and port: leave out `--protocol` and `--port`"
                ))),
            };
        }
        let usual = if self.security.tls_cert.is_some() { Protocol::Tls } else { Protocol::Tcp };
        let host = host.unwrap_or_else(|| "127.0.0.1".into());
        let address = self.protocol.unwrap_or(usual).address(host, self.port.unwrap_or(PORT));
        // Written out and read again, names are checked.
        address.to_string().parse().map_err(Failure::usage)
    }

    fn found(&self, address: &Address, token_file: Option<PathBuf>, identity: Identity) -> Found {
        let whole = |file: PathBuf| std::path::absolute(&file).unwrap_or(file);
        Found {
            id: identity.to_string(),
            address: reachable(address).to_string(),
            token_file: token_file.map(whole),
            tls_ca_file: self.security.tls_ca_file.clone().map(whole),
            process: std::process::id(),
            version: env!("CARGO_PKG_VERSION").into(),
        }
    }
}

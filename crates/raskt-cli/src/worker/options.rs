//! The options of a worker, and how they are written for another process.

use crate::contact::{Protocol, parse_address};
use crate::security::SecurityOptions;
use crate::values::{MemoryLimit, Ports, ResourceList, WorkerCount, parse_duration, parse_lasting, parse_looking};
use raskt_cluster::Address;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::time::Duration;

/// Starts workers of a scheduler, and starts them again when they die.
#[derive(Clone, Debug, PartialEq, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// Where the scheduler is: `tls://host:8786`.
    #[arg(value_name = "ADDRESS", value_parser = parse_address, conflicts_with = "scheduler_file")]
    pub scheduler: Option<Address>,
    /// The file that the scheduler has written; it is waited for. The token that it names is for the scheduler at that address itself:
    /// where its port is forwarded, name `--token-file` as well.
    #[arg(long, value_name = "FILE")]
    pub scheduler_file: Option<PathBuf>,
    /// Threads of each worker; its share of the processors if this isn't said.
    #[arg(long, value_name = "COUNT", value_parser = parse_threads, allow_hyphen_values = true)]
    pub nthreads: Option<usize>,
    /// Workers: a number, `auto`, or `-1` for one for each processor.
    #[arg(long, value_name = "COUNT", default_value = "1", allow_hyphen_values = true)]
    pub nworkers: WorkerCount,
    /// What each worker may hold: bytes (`16GiB`), a part of the machine's memory (`0.5`), `auto`, or `0` for no limit.
    #[arg(long, value_name = "BYTES", default_value = "auto", value_parser = parse_memory, allow_hyphen_values = true)]
    pub memory_limit: MemoryLimit,
    /// What else each worker offers: `GPU=1 MEM=2.5`.
    #[arg(long, value_name = "NAME=AMOUNT", default_value = "", allow_hyphen_values = true)]
    pub resources: ResourceList,
    /// What people call it; several are numbered.
    #[arg(long)]
    pub name: Option<String>,
    /// The folder in which results lie that don't fit into memory.
    #[arg(long, value_name = "DIR")]
    pub local_directory: Option<PathBuf>,
    /// Where it gives results: a name or number of this host.
    #[arg(long)]
    pub host: Option<String>,
    /// The same: the address of this network interface.
    #[arg(long)]
    pub interface: Option<String>,
    /// How results are given; as the scheduler's address says if this doesn't.
    #[arg(long, value_enum)]
    pub protocol: Option<Protocol>,
    /// The port where it gives results, or a range of which each worker takes a free one: `9000:9010`.
    #[arg(long, value_name = "PORT", default_value = "0", allow_hyphen_values = true)]
    pub worker_port: Ports,
    /// Where it gives results, as a whole address.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address, conflicts_with_all = ["host", "interface", "protocol", "worker_port"])]
    pub listen_address: Option<Address>,
    /// Where others reach that, if they reach it otherwise.
    #[arg(long, value_name = "ADDRESS", value_parser = parse_address)]
    pub contact_address: Option<Address>,
    /// Ends when it has had no scheduler for so long.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, allow_hyphen_values = true)]
    pub death_timeout: Option<Duration>,
    /// Ends after so long: begins nothing more, lets what runs end, and leaves.
    #[arg(long, value_name = "TIME", value_parser = parse_lasting, allow_hyphen_values = true)]
    pub lifetime: Option<Duration>,
    /// Lifetimes differ by up to so much, so that workers don't all leave at once.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, requires = "lifetime", allow_hyphen_values = true)]
    pub lifetime_stagger: Option<Duration>,
    /// Another worker takes the place of one whose lifetime is over, which hands to others what it holds; what nobody is there to take is
    /// computed again.
    #[arg(long, requires = "lifetime", conflicts_with = "no_nanny")]
    pub lifetime_restart: bool,
    /// Has the worker run in a process of its own that is started again when it dies, which is usual.
    #[arg(long, overrides_with = "no_nanny")]
    pub nanny: bool,
    /// Runs the worker in this process.
    #[arg(long, overrides_with = "nanny")]
    pub no_nanny: bool,
    /// Holds the number of the process for as long as it runs.
    #[arg(long, value_name = "FILE")]
    pub pid_file: Option<PathBuf>,
    /// Gives what it measures there, to Prometheus and others (`/metrics`, `/health`): a port within this host, or an address. Where
    /// others can reach it they have to say the token of viewers.
    #[arg(long, alias = "metrics-address", value_name = "[HOST:]PORT", value_parser = parse_looking, allow_hyphen_values = true)]
    pub dashboard_address: Option<SocketAddr>,
    /// Python modules or files that are run before it begins.
    #[arg(long, value_name = "MODULE")]
    pub preload: Vec<String>,
    /// Ends when its standard input does: when whoever started it is gone.
    #[arg(long)]
    pub until_input_closes: bool,
    /// What a nanny tells her worker to do when its lifetime is over.
    #[arg(long, hide = true)]
    pub is_renewed: bool,
    /// By which file it gives signs of life to its nanny.
    #[arg(long, hide = true, requires = "no_nanny")]
    pub signs: Option<i32>,
    #[command(flatten)]
    pub security: SecurityOptions,
}

const EXAMPLES: &str = "\
Examples:
  raskt worker tcp://127.0.0.1:8786 --nworkers 2 --nthreads 4
  raskt worker --scheduler-file /shared/cluster.json --memory-limit 16GiB --resources \"GPU=1\"
  raskt worker tls://host:8786 --tls-ca-file certs/ca.pem \\
      --tls-cert certs/worker.pem --tls-key certs/worker-key.pem --local-directory /scratch

A worker that is told to end (SIGTERM, Ctrl-C) gives back what it hasn't begun, lets what runs end for 3 s, and hands over what it
holds; what runs for longer is run again elsewhere. `Client.retire_workers` waits for its end.

How a worker ends says why: 0 it was told to leave, 2 it was started wrongly, 3 the scheduler doesn't let it in,
4 there was no scheduler for as long as --death-timeout; all else is a death, and another one is started.";

/// The most threads of a worker.
const THREADS_MOST: usize = 4096;

fn parse_threads(text: &str) -> Result<usize, String> {
    let count = text.trim().parse().ok().filter(|count| (1..=THREADS_MOST).contains(count));
    count.ok_or_else(|| format!("a number of threads is one from 1 to {THREADS_MOST}"))
}

fn parse_memory(text: &str) -> Result<MemoryLimit, String> {
    text.parse()
}

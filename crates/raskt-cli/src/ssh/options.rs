//! The options of `raskt ssh`.

use crate::values::{MemoryLimit, WorkerCount};
use std::path::PathBuf;

/// Starts a scheduler on the first host, and workers on all of them, by OpenSSH's `ssh`.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The hosts, as `ssh` knows them.
    #[arg(value_name = "HOST", required_unless_present = "hostfile")]
    pub hosts: Vec<String>,
    /// More hosts: a file with one a line.
    #[arg(long, value_name = "FILE")]
    pub hostfile: Option<PathBuf>,
    /// The host of the scheduler; the first one unless this says otherwise.
    #[arg(long, value_name = "HOST")]
    pub scheduler: Option<String>,
    /// The scheduler's port.
    #[arg(long, value_name = "PORT", default_value_t = 8786, allow_hyphen_values = true)]
    pub scheduler_port: u16,
    /// Threads of each worker.
    #[arg(long, value_name = "COUNT", allow_hyphen_values = true)]
    pub nthreads: Option<u32>,
    /// Workers of each host.
    #[arg(long, value_name = "COUNT", default_value = "1", allow_hyphen_values = true)]
    pub nworkers: WorkerCount,
    /// What each worker may hold.
    #[arg(long, value_name = "BYTES", allow_hyphen_values = true)]
    pub memory_limit: Option<MemoryLimit>,
    /// The folder there in which results lie that don't fit into memory.
    #[arg(long, value_name = "DIR")]
    pub local_directory: Option<String>,
    /// The folder there with the cluster's certificates, as `raskt certs` makes it: copy it to each host before.
    #[arg(long, value_name = "DIR")]
    pub tls_directory: Option<String>,
    /// Who one is on these hosts.
    #[arg(long, value_name = "NAME")]
    pub ssh_username: Option<String>,
    /// The port of ssh on them.
    #[arg(long, value_name = "PORT", allow_hyphen_values = true)]
    pub ssh_port: Option<u16>,
    /// The key by which one is known there.
    #[arg(long, value_name = "FILE")]
    pub ssh_private_key: Option<PathBuf>,
    /// The interpreter there whose `raskt` is run.
    #[arg(long, value_name = "PYTHON", conflicts_with = "remote_command")]
    pub remote_python: Option<String>,
    /// The program there that is run.
    #[arg(long, value_name = "PROGRAM", default_value = "raskt")]
    pub remote_command: String,
    /// The program that reaches other hosts.
    #[arg(long, value_name = "PROGRAM", default_value = "ssh")]
    pub ssh_program: PathBuf,
}

const EXAMPLES: &str = "\
Examples:
  raskt ssh node1 node2 node3 --nworkers auto --tls-directory certs
  raskt ssh --hostfile hosts.txt --remote-python /opt/venv/bin/python --tls-directory /shared/certs

It asks for no password: keys have to be known. All ends with this command.";

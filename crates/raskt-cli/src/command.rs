//! The command line.

use crate::log::LogLevel;
use crate::{certs, config, logs, scheduler, spec, ssh, status, version, worker};
use clap::error::ContextValue;
use clap::{Parser, Subcommand};

/// Parallel and distributed computing: schedulers, workers, and what they need.
#[derive(Debug, Parser)]
#[command(name = "raskt", version, max_term_width = 100, after_help = EXAMPLES)]
pub(crate) struct Arguments {
    /// What is done.
    #[command(subcommand)]
    pub command: Command,
    /// What is logged on standard error: this, and what is more serious.
    #[arg(long, global = true, value_enum, default_value = "info", value_name = "LEVEL")]
    pub log_level: LogLevel,
}

const EXAMPLES: &str = "\
A cluster on this host:
  raskt scheduler
  raskt worker tcp://127.0.0.1:8786

`raskt COMMAND --help` says more.";

/// The subcommands.
#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Starts a scheduler.
    Scheduler(scheduler::Options),
    /// Starts workers, and starts them again when they die.
    Worker(Box<worker::Options>),
    /// Starts a scheduler and workers on other hosts.
    Ssh(ssh::Options),
    /// Starts what a description in YAML or JSON says.
    Spec(spec::Options),
    /// Makes an authority and certificates, by which a cluster spans hosts.
    Certs(certs::Options),
    /// Says which workers a cluster has.
    Status(status::Options),
    /// Shows what a scheduler has noted down.
    Logs(logs::Options),
    /// Shows settings, and changes them.
    Config(config::Options),
    /// Says which versions this is.
    Version(version::Options),
}

/// The error without what may be a password: people put them into addresses.
pub(crate) fn without_secrets(mut error: clap::Error) -> clap::Error {
    let is_secret = |text: &str| text.contains("://") && text.contains(['@', '?', '#']);
    let secrets = error.context().filter_map(|(kind, value)| match value {
        ContextValue::String(text) if is_secret(text) => Some((kind, text.split("://").next()?.to_owned())),
        _ => None,
    });
    for (kind, scheme) in secrets.collect::<Vec<_>>() {
        error.insert(kind, ContextValue::String(format!("{scheme}://…")));
    }
    error
}

#[cfg(test)]
mod tests {
    use super::*;
    use clap::CommandFactory;

    #[test]
    fn the_command_line_is_consistent() {
        Arguments::command().debug_assert();
    }
}

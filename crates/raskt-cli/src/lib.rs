//! The `raskt` command: schedulers and workers as processes, and what people need around them.
//!
//! ```text
//!  raskt scheduler ─── address, token file ──▶ raskt worker (a nanny) ──▶ raskt worker --no-nanny (one for each worker)
//!  raskt certs      certificates for each role, by which a cluster spans hosts
//!  raskt status     who is there             raskt logs                who came and left, and why
//!  raskt config, version     what this process would do
//!  raskt spec, ssh  several of these at once, here or on other hosts
//! ```
//!
//! [`run`] is the whole command. What differs between the plain program and an interpreter's is the [`Host`]'s; this crate has the
//! plain one ([`NativeHost`]). Facts go to standard output, a line each; logs and errors to standard error. How a process ends says
//! why (`raskt_cluster::nanny::status`). What an option asks for and isn't there yet is refused in a sentence.

mod asking;
mod certs;
mod command;
mod config;
mod contact;
mod facts;
mod failure;
mod files;
mod group;
mod host;
mod log;
mod logs;
mod native;
mod scheduler;
mod security;
mod spec;
mod ssh;
mod status;
mod stop;
mod values;
mod version;
mod worker;

pub use host::Host;
pub use native::NativeHost;

use clap::Parser;
use command::Command;
use std::ffi::OsString;

/// Runs the command that `args` are, the program's own name first; gives the status that the process is to end with.
///
/// It listens for signals itself. An interpreter that has handlers of its own for SIGINT should have them ignored before.
pub fn run(args: impl IntoIterator<Item = OsString>, host: &dyn Host) -> u8 {
    let (command, _written) = match command::Arguments::try_parse_from(args) {
        Ok(command::Arguments { command, log_level }) => (command, log::start(log_level)),
        Err(error) => {
            let error = command::without_secrets(error);
            let _ = error.print();
            return u8::try_from(error.exit_code()).unwrap_or(raskt_cluster::nanny::status::USAGE);
        }
    };
    let done = match command {
        Command::Scheduler(options) => scheduler::run(&options, host),
        Command::Worker(options) => worker::run(&options, host),
        Command::Certs(options) => certs::run(&options),
        Command::Status(options) => status::run(&options, host),
        Command::Logs(options) => logs::run(&options, host),
        Command::Config(options) => config::run(&options),
        Command::Spec(options) => spec::run(&options, host),
        Command::Ssh(options) => ssh::run(&options, host),
        Command::Version(options) => version::run(&options, host),
    };
    match done {
        Ok(status) => status,
        Err(failure) => {
            log::tell(&failure);
            failure.status
        }
    }
}

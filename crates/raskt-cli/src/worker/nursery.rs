//! Workers in processes of their own, which a nanny looks after.

use super::options::Options;
use super::plan::{Plan, command_line};
use crate::failure::Failure;
use crate::group::{Printer, watch_over};
use crate::host::Host;
use crate::stop::Stop;
use raskt_cluster::nanny::{Nanny, NannyOptions, Restart, Rules, WardOptions};

/// Runs the workers until they are to end; gives the status.
pub(super) fn look_after(options: &Options, plans: &[Plan], host: &dyn Host, stop: &Stop<'_>) -> Result<u8, Failure> {
    let failed = |error: std::io::Error| Failure::failed(format!("workers can't be started: {error}"));
    let program = host.command().map_err(failed)?;
    let ward = |plan: &Plan| WardOptions {
        name: plan.name.clone(),
        command: program.iter().cloned().chain(command_line(options, plan)).collect(),
        restart: Restart::WhileItShouldLive,
        memory_limit: plan.memory,
        keeps_input: false,
        gives_signs: true,
    };
    let rules = Rules { seed: std::process::id().into(), ..Rules::default() };
    let wards = plans.iter().map(ward).collect();
    let nanny = Nanny::start(NannyOptions { wards, rules, watcher: Printer::watcher() }).map_err(failed)?;
    Ok(watch_over(&nanny, stop))
}

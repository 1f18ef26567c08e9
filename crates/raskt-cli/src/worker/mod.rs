//! `raskt worker`: a nanny, or a worker itself.

mod life;
mod nursery;
mod options;
mod plan;

pub(crate) use options::Options;

use crate::failure::Failure;
use crate::files::PidFile;
use crate::host::Host;
use crate::security::no_scheduler;
use crate::stop::Stop;
use plan::{contact, listening, plans};
use std::time::Duration;

pub(crate) fn run(options: &Options, host: &dyn Host) -> Result<u8, Failure> {
    let stop = Stop::listen(host)?;
    let stop = if options.until_input_closes { stop.with_input()? } else { stop };
    if options.scheduler.is_none() && options.scheduler_file.is_none() {
        return Err(no_scheduler());
    }
    let plans = plans(options)?;
    if let Some(folder) = &options.local_directory {
        let made = std::fs::create_dir_all(folder);
        made.map_err(|error| {
            Failure::usage(format!("`--local-directory {}` can't be used: {error}", folder.display()))
        })?;
    }
    let _pid_file = PidFile::write(options.pid_file.as_deref())?;
    if options.no_nanny {
        let [plan] = &plans[..] else {
            return Err(Failure::usage(format!(
                "{} workers need processes of their own: leave out `--no-nanny`",
                plans.len()
            )));
        };
        host.preload(&options.preload).map_err(Failure::usage)?;
        return life::live(options, plan, host, &stop);
    }
    check(options, &plans, &stop)?;
    nursery::look_after(options, &plans, host, &stop)
}

/// What would go wrong in each worker goes wrong once, before any is started.
fn check(options: &Options, plans: &[plan::Plan], stop: &Stop<'_>) -> Result<(), Failure> {
    // A scheduler's file may come later.
    if options.scheduler.is_none() {
        return Ok(());
    }
    let Some((scheduler, security)) = life::find(options, stop, Duration::ZERO)? else { return Ok(()) };
    for plan in plans {
        if let Some(listen) = listening(options, plan, &scheduler)?.first() {
            security.check_listening(listen).map_err(Failure::usage)?;
            contact(options, listen)?;
        }
    }
    Ok(())
}

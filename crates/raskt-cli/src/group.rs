//! Processes that a command looks after: what they write and how they fare is passed on, and their ends are its end.

use crate::facts::pass_on;
use crate::stop::Stop;
use raskt_cluster::nanny::{Cause, End, Exit, Nanny, Report, Stream, Watcher, status};
use std::io::{stderr, stdout};
use std::sync::Arc;
use std::time::Duration;

/// How often it is looked whether all have ended.
const GLANCE: Duration = Duration::from_millis(50);

/// Passes on what processes write, after their names, and logs how they fare.
pub(crate) struct Printer;

impl Printer {
    /// For a nanny.
    pub fn watcher() -> Arc<dyn Watcher> {
        Arc::new(Self)
    }
}

impl Watcher for Printer {
    fn line(&self, ward: &str, stream: Stream, line: &[u8]) {
        match stream {
            Stream::Out => pass_on(&mut stdout().lock(), ward, line),
            Stream::Error => pass_on(&mut stderr().lock(), ward, line),
        }
    }

    fn started(&self, ward: &str, process: u32) {
        pass_on(&mut stdout().lock(), ward, format!("process: {process}").as_bytes());
    }

    fn report(&self, ward: &str, report: &Report) {
        let is_wanted = match report {
            Report::Over(End::Exit(exit)) => exit.code() == status::LEFT,
            Report::Over(End::NotRunning(why)) => why.is_none(),
            Report::Restart { cause, .. } => *cause == Cause::Ended(Exit::Status(status::RENEW.into())),
            Report::TooMuchMemory { .. } | Report::Silent { .. } | Report::Killed { .. } => false,
        };
        if is_wanted { tracing::info!("{ward}: {report}") } else { tracing::warn!("{ward}: {report}") }
    }
}

/// Waits until all have ended; asks them to when the command is to. Gives the status that this process ends with: that of the first
/// who didn't end well, but for those that were asked to.
pub(crate) fn watch_over(nanny: &Nanny, stop: &Stop<'_>) -> u8 {
    let mut is_asked = false;
    loop {
        if let Some(ends) = nanny.wait(GLANCE) {
            let bad = ends.iter().map(code).find(|code| *code != status::LEFT);
            return if is_asked { status::LEFT } else { bad.unwrap_or(status::LEFT) };
        }
        if !is_asked && stop.is_wanted() {
            is_asked = true;
            nanny.stop();
        }
    }
}

fn code(end: &End) -> u8 {
    match end {
        End::Exit(exit) => exit.code(),
        End::NotRunning(None) => status::LEFT,
        End::NotRunning(Some(_)) => status::FAILED,
    }
}

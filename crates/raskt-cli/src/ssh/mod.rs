//! `raskt ssh`: a scheduler and workers on other hosts, each at the end of a connection that OpenSSH holds.
//!
//! A process there ends when its standard input does, so that none outlives its connection, whichever end breaks.

mod options;
mod remote;

pub(crate) use options::Options;

use crate::failure::Failure;
use crate::group::{Printer, watch_over};
use crate::host::Host;
use crate::stop::Stop;
use raskt_cluster::Address;
use raskt_cluster::nanny::{Nanny, NannyOptions, Report, Restart, Rules, Stream, WardOptions, Watcher};
use remote::Remote;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How long the scheduler has to say where it is.
const PATIENCE: Duration = Duration::from_secs(60);
/// How often it is looked whether the command is to end.
const GLANCE: Duration = Duration::from_millis(100);
/// What the scheduler's connection is called.
const SCHEDULER: &str = "scheduler";

pub(crate) fn run(options: &Options, host: &dyn Host) -> Result<u8, Failure> {
    let stop = Stop::listen(host)?;
    let remote = Remote::new(options)?;
    let failed = |error: std::io::Error| Failure::failed(format!("ssh can't be started: {error}"));
    let (watcher, told) = Ear::listen();
    let wards = vec![ward(SCHEDULER, remote.scheduler(), Restart::Never)];
    let nanny = Nanny::start(NannyOptions { wards, rules: Rules::default(), watcher }).map_err(failed)?;
    let Some(address) = await_scheduler(&nanny, &told, &stop)? else {
        return Ok(watch_over(&nanny, &stop));
    };
    for (at, host) in remote.workers.iter().enumerate() {
        let name = format!("{host}-{at}");
        nanny.add(ward(&name, remote.worker(at, &address), Restart::WhileItShouldLive));
    }
    Ok(watch_over(&nanny, &stop))
}

fn ward(name: &str, command: Vec<std::ffi::OsString>, restart: Restart) -> WardOptions {
    WardOptions { name: name.to_owned(), command, restart, memory_limit: None, keeps_input: true, gives_signs: false }
}

/// Where the scheduler is, when it says so; nothing if it has ended, or the command is to.
fn await_scheduler(nanny: &Nanny, told: &Receiver<String>, stop: &Stop<'_>) -> Result<Option<Address>, Failure> {
    let deadline = Instant::now() + PATIENCE;
    while Instant::now() < deadline {
        match told.recv_timeout(GLANCE) {
            Ok(address) => return address.parse().map(Some).map_err(Failure::failed),
            Err(RecvTimeoutError::Timeout) if !stop.is_wanted() && nanny.wait(Duration::ZERO).is_none() => {}
            Err(_) => return Ok(None),
        }
    }
    Err(Failure::unreached(format!("the scheduler hasn't said where it is within {} s", PATIENCE.as_secs())))
}

/// Passes everything on, and hears where the scheduler is.
struct Ear {
    printer: Arc<dyn Watcher>,
    told: Mutex<Sender<String>>,
}

impl Ear {
    fn listen() -> (Arc<dyn Watcher>, Receiver<String>) {
        let (sender, receiver) = channel();
        (Arc::new(Self { printer: Printer::watcher(), told: Mutex::new(sender) }), receiver)
    }
}

impl Watcher for Ear {
    fn line(&self, ward: &str, stream: Stream, line: &[u8]) {
        self.printer.line(ward, stream, line);
        let text = String::from_utf8_lossy(line);
        if let Some(address) = text.strip_prefix("scheduler: ").filter(|_| ward == SCHEDULER && stream == Stream::Out) {
            let _ = self.told.lock().unwrap_or_else(PoisonError::into_inner).send(address.trim().to_owned());
        }
    }

    fn started(&self, ward: &str, process: u32) {
        self.printer.started(ward, process);
    }

    fn report(&self, ward: &str, report: &Report) {
        self.printer.report(ward, report);
    }
}

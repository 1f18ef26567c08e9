//! When a command that goes on and on is to end: a signal, the host, or the end of its standard input.

use crate::failure::Failure;
use crate::host::Host;
use signal_hook::consts::{SIGHUP, SIGINT, SIGTERM};
use signal_hook::iterator::Signals;
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// How often the host is asked.
const GLANCE: Duration = Duration::from_millis(200);

/// Told once, by whoever wants the command to end.
pub(crate) struct Stop<'host> {
    host: &'host dyn Host,
    wish: Arc<Wish>,
}

#[derive(Default)]
struct Wish {
    is_there: Mutex<bool>,
    changed: Condvar,
}

impl<'host> Stop<'host> {
    /// Listens for SIGTERM, SIGINT and SIGHUP, but for those of the latter that whoever started this has it ignore (`nohup`). The first
    /// asks the command to end in order; the second one ends the process.
    pub fn listen(host: &'host dyn Host) -> Result<Self, Failure> {
        let failed = |error: std::io::Error| Failure::failed(format!("signals can't be listened to: {error}"));
        let wish = Arc::new(Wish::default());
        let told = wish.clone();
        let wanted = [SIGHUP, SIGINT, SIGTERM].into_iter().filter(|signal| *signal == SIGTERM || !is_ignored(*signal));
        let mut signals = Signals::new(wanted).map_err(failed)?;
        let wait = move || {
            for (at, signal) in signals.forever().enumerate() {
                if at > 0 {
                    signal_hook::low_level::exit(128 + signal);
                }
                tracing::info!("ending, because of signal {signal}");
                told.tell();
            }
        };
        std::thread::Builder::new().name("raskt-signals".into()).spawn(wait).map_err(failed)?;
        Ok(Self { host, wish })
    }

    /// Ends as well when nobody has the other end of standard input any more.
    pub fn with_input(self) -> Result<Self, Failure> {
        let told = self.wish.clone();
        let read = move || {
            // What comes is nobody's. A signal interrupts no copy.
            let _ = std::io::copy(&mut std::io::stdin(), &mut std::io::sink());
            told.tell();
        };
        let spawned = std::thread::Builder::new().name("raskt-input".into()).spawn(read);
        spawned.map_err(|error| Failure::failed(format!("standard input can't be watched: {error}")))?;
        Ok(self)
    }

    /// Whether the command is to end.
    pub fn is_wanted(&self) -> bool {
        self.wait(Duration::ZERO)
    }

    /// Waits for as long, or until the command is to end; says whether it is.
    pub fn wait(&self, patience: Duration) -> bool {
        let deadline = Instant::now() + patience;
        loop {
            // The host may take its time: whoever wants the command to end says so meanwhile.
            if self.wish.is_there() || self.host.is_interrupted() {
                return true;
            }
            let is_there = self.wish.is_there.lock().unwrap_or_else(PoisonError::into_inner);
            if *is_there {
                return true;
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            drop(self.wish.changed.wait_timeout(is_there, left.min(GLANCE)));
        }
    }
}

/// Whether this process was started with a signal ignored.
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).is_some_and(|mask| mask >> (signal - 1) & 1 == 1)
}

impl Wish {
    fn is_there(&self) -> bool {
        *self.is_there.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn tell(&self) {
        *self.is_there.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.changed.notify_all();
    }
}

//! Logs, on standard error, by a thread of their own: whoever doesn't read them keeps nobody waiting.

use clap::ValueEnum;
use tracing::Level;
use tracing_appender::non_blocking::{NonBlockingBuilder, WorkerGuard};

/// Lines that wait to be read. More than these are left out.
const WAITING_LINES_MAX: usize = 10_000;

/// What is logged: this, and what is more serious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

/// Has logs written, unless somebody in this process has already. What is logged last is written when the guard goes, if it is
/// read then.
pub(crate) fn start(level: LogLevel) -> WorkerGuard {
    let level = match level {
        LogLevel::Error => Level::ERROR,
        LogLevel::Warn => Level::WARN,
        LogLevel::Info => Level::INFO,
        LogLevel::Debug => Level::DEBUG,
    };
    let lines =
        NonBlockingBuilder::default().buffered_lines_limit(WAITING_LINES_MAX).lossy(true).thread_name("raskt-log");
    let (writer, guard) = lines.finish(std::io::stderr());
    let written = tracing_subscriber::fmt().with_writer(writer).with_max_level(level).with_target(false);
    // To where nobody reads any more there is nothing to be said of it either: that would panic.
    let written = written.log_internal_errors(false);
    let _ = tracing::subscriber::set_global_default(written.finish());
    guard
}

/// Says something to the user beside what is printed, if he still listens.
pub(crate) fn tell(sentence: &impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "raskt: {sentence}");
}

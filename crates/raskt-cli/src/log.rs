//! Logs, on standard error.

use clap::ValueEnum;
use tracing::Level;

/// What is logged: this, and what is more serious.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub(crate) enum LogLevel {
    Error,
    Warn,
    Info,
    Debug,
}

/// Has logs written, unless somebody in this process has already.
pub(crate) fn start(level: LogLevel) {
    let level = match level {
        LogLevel::Error => Level::ERROR,
        LogLevel::Warn => Level::WARN,
        LogLevel::Info => Level::INFO,
        LogLevel::Debug => Level::DEBUG,
    };
    let written = tracing_subscriber::fmt().with_writer(std::io::stderr).with_max_level(level).with_target(false);
    // To where nobody reads any more there is nothing to be said of it either: that would panic.
    let written = written.log_internal_errors(false);
    let _ = tracing::subscriber::set_global_default(written.finish());
}

/// Says something to the user beside what is printed, if he still listens.
pub(crate) fn tell(sentence: &impl std::fmt::Display) {
    use std::io::Write;
    let _ = writeln!(std::io::stderr(), "raskt: {sentence}");
}

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
    let _ = tracing::subscriber::set_global_default(written.finish());
}

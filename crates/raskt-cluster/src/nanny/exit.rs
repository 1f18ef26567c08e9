//! How a process ended, and what that says of whether it should live.

use std::fmt;
use std::os::unix::process::ExitStatusExt;
use std::process::ExitStatus;

/// Exit statuses by which a worker says whether it is to be started again.
pub mod status {
    /// It left on purpose: it was told to, or its lifetime is over.
    pub const LEFT: u8 = 0;
    /// Something went wrong that may go well the next time.
    pub const FAILED: u8 = 1;
    /// It was started wrongly; it would be so again.
    pub const USAGE: u8 = 2;
    /// The cluster doesn't let it in, and wouldn't the next time.
    pub const REFUSED: u8 = 3;
    /// It has found no scheduler for as long as it was to look for one.
    pub const UNREACHED: u8 = 4;
    /// It left on purpose, and another is to take its place at once.
    pub const RENEW: u8 = 75;
}

/// How a process ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Exit {
    /// By itself, with this status.
    Status(i32),
    /// By a signal.
    Signal(i32),
}

/// What the end of a worker says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// It isn't to live any more.
    Left,
    /// Another try would end in the same way.
    Hopeless,
    /// Another is to take its place.
    Renew,
    /// It should have lived.
    Died,
}

impl Exit {
    /// What it says.
    pub fn verdict(self) -> Verdict {
        let Self::Status(code) = self else { return Verdict::Died };
        match u8::try_from(code) {
            Ok(status::LEFT) => Verdict::Left,
            Ok(status::USAGE | status::REFUSED | status::UNREACHED) => Verdict::Hopeless,
            Ok(status::RENEW) => Verdict::Renew,
            _ => Verdict::Died,
        }
    }

    /// The status with which somebody ends who ends because of it.
    pub fn code(self) -> u8 {
        match self {
            Self::Status(code) => u8::try_from(code).unwrap_or(status::FAILED),
            Self::Signal(signal) => u8::try_from(128 + signal).unwrap_or(status::FAILED),
        }
    }
}

impl From<ExitStatus> for Exit {
    fn from(ended: ExitStatus) -> Self {
        match (ended.code(), ended.signal()) {
            (Some(code), _) => Self::Status(code),
            (None, Some(signal)) => Self::Signal(signal),
            (None, None) => Self::Status(status::FAILED.into()),
        }
    }
}

impl fmt::Display for Exit {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Status(code) => write!(formatter, "ended with status {code}"),
            Self::Signal(signal) => write!(formatter, "was ended by signal {signal}{}", name(*signal)),
        }
    }
}

/// The name of a signal that ends processes, and what it mostly means.
fn name(signal: i32) -> &'static str {
    match signal {
        1 => " (SIGHUP)",
        2 => " (SIGINT)",
        4 => " (SIGILL)",
        6 => " (SIGABRT)",
        7 => " (SIGBUS)",
        8 => " (SIGFPE)",
        9 => " (SIGKILL: by somebody, or by the system for want of memory)",
        11 => " (SIGSEGV)",
        15 => " (SIGTERM)",
        _ => "",
    }
}

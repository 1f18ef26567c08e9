//! What peers say of themselves once they are known: names, addresses, versions.

use super::{ProcessName, Refusal, Versions};
use crate::frame::{Frame, Kind};
use serde::{Deserialize, Serialize};

/// An introduction is no longer.
pub const INTRODUCTION_BYTES_MAX: usize = 64 << 10;

/// The first frame in each direction, of each connection.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Introduction {
    /// What people call the process.
    pub name: String,
    /// Where it listens for transfers, if it does; the best first.
    pub addresses: Vec<String>,
    /// The host, so that those of one host know it: see [`this_host`].
    pub host: String,
    /// The process, so that those of one host see it end.
    pub process: Option<ProcessName>,
    /// What it runs on.
    pub versions: Versions,
}

impl Introduction {
    /// Written as a frame.
    pub fn to_frame(&self) -> Result<Frame, Refusal> {
        let bytes = postcard::to_allocvec(self).map_err(|error| Refusal::NotWanted(error.to_string()))?;
        if bytes.len() > INTRODUCTION_BYTES_MAX {
            let most = INTRODUCTION_BYTES_MAX;
            return Err(Refusal::NotWanted(format!(
                "an introduction of {} bytes is too long; {most} are allowed",
                bytes.len()
            )));
        }
        Ok(Frame::new(Kind::Introduction, bytes.into(), vec![]))
    }

    /// Read from a frame.
    pub fn from_frame(frame: &Frame) -> Result<Self, Refusal> {
        let is_one = frame.kind == Kind::Introduction && frame.control.len() <= INTRODUCTION_BYTES_MAX;
        let read = is_one.then(|| postcard::from_bytes(&frame.control).ok()).flatten();
        read.ok_or(Refusal::Malformed)
    }
}

/// What the kernel calls this boot of this host; nothing if it doesn't say.
pub fn this_host() -> String {
    let said = std::fs::read_to_string("/proc/sys/kernel/random/boot_id");
    said.map(|said| said.trim().to_owned()).unwrap_or_default()
}

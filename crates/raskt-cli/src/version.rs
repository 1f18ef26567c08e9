//! `raskt version`.

use crate::facts::{fact, say};
use crate::failure::Failure;
use crate::host::Host;
use serde_json::{Map, Value};

/// Says which versions this is: of raskt, and of what it runs on.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct Options {
    /// As JSON.
    #[arg(long)]
    json: bool,
}

pub(crate) fn run(options: &Options, host: &dyn Host) -> Result<u8, Failure> {
    let versions = host.versions().0;
    if options.json {
        let all: Map<_, _> = versions.into_iter().map(|(name, version)| (name, Value::String(version))).collect();
        say(serde_json::to_string_pretty(&all).map_err(Failure::failed)?);
    } else {
        versions.into_iter().for_each(|(name, version)| fact(&name, version));
    }
    Ok(0)
}

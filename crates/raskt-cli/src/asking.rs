//! How a command that only asks finds a scheduler, and speaks to it.

use crate::contact::{outward_host, parse_address};
use crate::failure::Failure;
use crate::files::Found;
use crate::host::Host;
use crate::security::{MissingToken, SecurityOptions, no_scheduler};
use crate::values::parse_duration;
use raskt_cluster::hello::Role;
use raskt_cluster::{Address, Client, ConnectError, Network, NetworkOptions, Security};
use std::path::PathBuf;
use std::time::Duration;

/// Who is asked.
#[derive(Clone, Debug, clap::Args)]
pub(crate) struct AskingOptions {
    /// Where the scheduler is: `tls://host:8786`.
    #[arg(value_name = "ADDRESS", value_parser = parse_address, conflicts_with = "scheduler_file")]
    scheduler: Option<Address>,
    /// The file that the scheduler has written. The token that it names is for the scheduler at that address itself: where its port is
    /// forwarded, name `--token-file` as well.
    #[arg(long, value_name = "FILE")]
    scheduler_file: Option<PathBuf>,
    /// How long the scheduler may take to answer.
    #[arg(long, value_name = "TIME", value_parser = parse_duration, default_value = "10s", allow_hyphen_values = true)]
    pub timeout: Duration,
    #[command(flatten)]
    security: SecurityOptions,
}

/// How long the scheduler has to hear that this was all.
const FAREWELL: Duration = Duration::from_millis(500);

impl AskingOptions {
    /// Has something asked by a client that is there for that alone; `name` is what the command is called.
    pub fn ask<T>(
        &self,
        name: &str,
        host: &dyn Host,
        ask: impl FnOnce(&Address, &Client) -> Result<T, Failure>,
    ) -> Result<T, Failure> {
        let (address, security) = self.find()?;
        let mut network = NetworkOptions::new(Role::Client, security.clone()).map_err(Failure::failed)?;
        network.introduction.name = name.into();
        network.introduction.versions = host.versions();
        let network = Network::start(network).map_err(Failure::failed)?;
        let listen = own_address(&address, &security)?;
        let client = Client::connect(network, &address, &listen, host.face(), self.timeout);
        let client = client.map_err(|error| match error {
            ConnectError::Unreached { ref reason, .. } if reason.contains("the peer refused: ") => {
                Failure::refused(error)
            }
            ConnectError::Unreached { .. } => Failure::unreached(error),
            error => Failure::failed(error),
        })?;
        let asked = ask(&address, &client);
        client.close(FAREWELL);
        asked
    }

    fn find(&self) -> Result<(Address, Security), Failure> {
        let mut known = self.security.clone();
        let address = match (&self.scheduler, &self.scheduler_file) {
            (Some(address), _) => address.clone(),
            (None, Some(file)) => {
                let none = || Failure::unreached(format!("there is no scheduler file `{}`", file.display()));
                let found = Found::read(file)?.ok_or_else(none)?;
                known = known.or_of(&found);
                found.address()?
            }
            (None, None) => return Err(no_scheduler()),
        };
        let (security, _) = known.load(&address, MissingToken::Refuse)?;
        security.check_dialing(&address).map_err(Failure::usage)?;
        Ok((address, security))
    }
}

/// Where this process listens: clients give data there, of which this one has none.
fn own_address(scheduler: &Address, security: &Security) -> Result<Address, Failure> {
    let address = match scheduler {
        Address::Tls { host, port } if security.tls.as_ref().is_some_and(|tls| tls.has_certificate()) => {
            let host = outward_host(host, *port).unwrap_or_else(|| "127.0.0.1".into());
            Address::Tls { host, port: 0 }
        }
        _ if security.token.is_some() => Address::Tcp { host: "127.0.0.1".into(), port: 0 },
        _ => {
            return Err(Failure::usage(format!(
                "`{scheduler}` needs a certificate of this process (`--tls-cert`, `--tls-key`), or the cluster's `--token-file`"
            )));
        }
    };
    Ok(address)
}

/// Others have written it: nothing of it may steer a terminal.
pub(crate) fn plain(text: &str) -> String {
    text.chars().map(|char| if char.is_control() { '?' } else { char }).collect()
}

//! `raskt certs`.

use crate::facts::fact;
use crate::failure::Failure;
use crate::values::parse_host;
use raskt_cluster::certs::{Authority, CertificateError, from_now};
use raskt_cluster::hello::Role;
use std::path::{Path, PathBuf};

/// Makes an authority of a cluster, and a certificate for each role.
#[derive(Clone, Debug, clap::Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Options {
    /// The folder that they are written into, which only its owner may use.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
    /// Names and numbers of hosts that certificates name as well; raskt's own processes need none.
    #[arg(long = "host", value_name = "HOST", value_parser = parse_host, allow_hyphen_values = true)]
    hosts: Vec<String>,
    /// For how many days they are good.
    #[arg(long, default_value_t = 365, value_parser = clap::value_parser!(u32).range(1..=36_500), allow_hyphen_values = true)]
    days: u32,
    /// Writes over those that are there; processes that have them can't speak with those that have the new ones.
    #[arg(long)]
    force: bool,
}

const EXAMPLES: &str = "\
Example:
  raskt certs certs
  scp certs/ca.pem certs/worker.pem certs/worker-key.pem other-host:certs/
  raskt scheduler --host 0.0.0.0 --tls-ca-file certs/ca.pem \\
      --tls-cert certs/scheduler.pem --tls-key certs/scheduler-key.pem

Whoever has `ca-key.pem` can make certificates of the cluster: keep it here.";

/// What the files of the authority are called.
const AUTHORITY: &str = "ca";

pub(crate) fn run(options: &Options) -> Result<u8, Failure> {
    let folder = &options.folder;
    let names: Vec<_> = [AUTHORITY.to_owned()].into_iter().chain(Role::ALL.map(|role| role.to_string())).collect();
    let files: Vec<_> = names.iter().flat_map(|name| [format!("{name}.pem"), format!("{name}-key.pem")]).collect();
    let there: Vec<_> =
        files.iter().map(|file| folder.join(file)).filter(|file| file.symlink_metadata().is_ok()).collect();
    if let Some(first) = there.first().filter(|_| !options.force) {
        return Err(Failure::usage(format!(
            "`{}` is there already: give another folder, or `--force` to write over it",
            first.display()
        )));
    }
    if let Some(above) = folder.parent().filter(|above| !above.as_os_str().is_empty()) {
        std::fs::create_dir_all(above)
            .map_err(|error| Failure::usage(format!("`{}` can't be made: {error}", above.display())))?;
    }
    let failed = |error: CertificateError| {
        Failure::failed(format!("certificates can't be made in `{}`: {error}", folder.display()))
    };
    // All are made before any is removed.
    let authority = Authority::create(options.days).map_err(failed)?;
    let issue = |role| authority.issue(role, &options.hosts, from_now(options.days)).map(|own| (role, own));
    let certified = Role::ALL.into_iter().map(issue).collect::<Result<Vec<_>, _>>().map_err(failed)?;
    for file in &there {
        std::fs::remove_file(file)
            .map_err(|error| Failure::failed(format!("`{}` can't be replaced: {error}", file.display())))?;
    }
    authority.write(folder).map_err(failed)?;
    for (role, own) in certified {
        own.write(folder, &role.to_string()).map_err(failed)?;
    }
    tell(folder, &names);
    Ok(0)
}

fn tell(folder: &Path, names: &[String]) {
    for name in names {
        let what = if name == AUTHORITY { "authority" } else { name };
        fact(what, folder.join(format!("{name}.pem")).display());
    }
}

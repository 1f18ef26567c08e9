//! The network of a process of a cluster, opened with what its user names.

use pyo3::exceptions::{PyOSError, PyValueError};
use pyo3::prelude::*;
use raskt_cluster::hello::{Role, Versions};
use raskt_cluster::{Address, Names, Network, NetworkOptions, Security, Tls, Token};
use std::path::PathBuf;

/// What peers are known by, in files.
#[derive(Clone, FromPyObject)]
pub(super) struct Credentials {
    /// The file with the token of the cluster.
    #[pyo3(item)]
    token_file: Option<PathBuf>,
    /// Whether its user has not named it.
    #[pyo3(item, default)]
    is_found: bool,
    /// The certificates that are believed.
    #[pyo3(item)]
    tls_ca_file: Option<PathBuf>,
    /// The own certificate.
    #[pyo3(item)]
    tls_cert: Option<PathBuf>,
    /// Its key.
    #[pyo3(item)]
    tls_key: Option<PathBuf>,
}

impl Credentials {
    fn security(&self) -> PyResult<Security> {
        let token = self.token_file.as_deref().map(Token::read).transpose().map_err(refused)?;
        let token = if self.is_found { token.map(Token::found) } else { token };
        let own = match (&self.tls_cert, &self.tls_key) {
            (Some(certificate), Some(key)) => Some((&**certificate, &**key)),
            (None, None) => None,
            _ => {
                return Err(PyValueError::new_err(
                    "a certificate needs its key, and a key its certificate: name both files or neither",
                ));
            }
        };
        let tls = match &self.tls_ca_file {
            Some(authority) => Some(Tls::read(authority, own, Names::Role).map_err(refused)?),
            None if own.is_some() => {
                return Err(PyValueError::new_err(
                    "a certificate alone doesn't say whom to believe: name the file of the cluster's authority as well",
                ));
            }
            None => None,
        };
        Ok(Security { token, tls })
    }
}

/// Starts the network of a process that comes as `role`, and that people call `name`.
pub(super) fn open(py: Python<'_>, role: Role, name: &str, credentials: &Credentials) -> PyResult<Network> {
    let mut options = NetworkOptions::new(role, credentials.security()?).map_err(PyErr::from)?;
    name.clone_into(&mut options.introduction.name);
    options.introduction.versions = versions(py)?;
    Ok(Network::start(options)?)
}

/// What this process runs on, of what has to fit on all sides.
pub(super) fn versions(py: Python<'_>) -> PyResult<Versions> {
    let told: Vec<(String, String)> = py.import("raskt.distributed._versions")?.getattr("told")?.call0()?.extract()?;
    Ok(Versions(told))
}

/// An address that a user has named.
pub(super) fn address(text: &str) -> PyResult<Address> {
    text.parse().map_err(|error| PyValueError::new_err(format!("{error}")))
}

/// An error of what a user has named, or of the system.
pub(super) fn refused(error: impl std::fmt::Display) -> PyErr {
    PyOSError::new_err(error.to_string())
}

/// Makes the token of a new cluster, in a file that nobody else may read.
#[pyfunction]
pub(super) fn cluster_token(path: PathBuf) -> PyResult<()> {
    Token::random()?.create(&path).map_err(refused)
}

/// Where the token of this user's schedulers is unless somebody says otherwise.
#[pyfunction]
pub(super) fn cluster_usual_token_file() -> Option<PathBuf> {
    raskt_cluster::usual::token_file()
}

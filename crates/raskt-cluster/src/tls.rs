//! TLS 1.3, with the cluster's own authority.

use crate::certs::{role_name, role_uri};
use crate::hello::{Refusal, Role};
use crate::tls_words::{MAKE_NEW, span};
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer, ServerName, UnixTime};
use rustls::server::WebPkiClientVerifier;
use rustls::{ClientConfig, RootCertStore, ServerConfig};
use std::path::Path;
use std::sync::Arc;

/// Label of what is exported from a connection for the handshake of `hello`.
const EXPORT_LABEL: &[u8] = b"EXPORTER-raskt-hello-1";
/// Bytes of that.
const EXPORT_BYTES: usize = 32;

/// Whom those who dial take the other side for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Names {
    /// Its certificate must say the role that is dialed: those of `raskt certs` do, and hosts may be called anything.
    #[default]
    Role,
    /// Its certificate must be the host's: for those that others have made. Who listens is then known by the token alone.
    Host,
}

/// What TLS is spoken with.
#[derive(Clone)]
pub struct Tls {
    /// For who listens; none without a certificate of its own.
    answering: Option<Answering>,
    dialing: Arc<ClientConfig>,
    names: Names,
}

#[derive(Clone)]
struct Answering {
    /// Those who come must have a certificate.
    strict: Arc<ServerConfig>,
    /// They may have one; the token decides.
    lenient: Arc<ServerConfig>,
}

impl Tls {
    /// From PEM: the authorities that are believed, and the certificates (the own one first) with the key of this process.
    pub fn new(authorities: &str, own: Option<(&str, &str)>, names: Names) -> Result<Self, TlsError> {
        let mut roots = RootCertStore::empty();
        for certificate in CertificateDer::pem_slice_iter(authorities.as_bytes()) {
            roots.add(certificate.map_err(|error| TlsError::Pem("authority", error.to_string()))?)?;
        }
        let roots = Arc::new(roots);
        let own = own.map(|(chain, key)| identity(chain, key)).transpose()?;
        let answering = own.as_ref().map(|own| Answering::new(&roots, own)).transpose()?;
        let dialing =
            ClientConfig::builder_with_provider(provider()).with_protocol_versions(&[&rustls::version::TLS13])?;
        let dialing = dialing.with_root_certificates(roots);
        let mut dialing = match own {
            Some((chain, key)) => dialing.with_client_auth_cert(chain, key)?,
            None => dialing.with_no_client_auth(),
        };
        dialing.resumption = rustls::client::Resumption::disabled();
        Ok(Self { answering, dialing: Arc::new(dialing), names })
    }

    /// The same from files. The key's must be its owner's alone.
    pub fn read(authorities: &Path, own: Option<(&Path, &Path)>, names: Names) -> Result<Self, TlsError> {
        let read = |path: &Path| {
            std::fs::read_to_string(path).map_err(|error| TlsError::File(path.display().to_string(), error.to_string()))
        };
        let authorities = read(authorities)?;
        let own = match own {
            None => None,
            Some((chain, key)) => {
                check_private(key)?;
                let text = read(chain)?;
                check_time(&text).map_err(|why| TlsError::File(chain.display().to_string(), why))?;
                Some((text, read(key)?))
            }
        };
        Self::new(&authorities, own.as_ref().map(|(chain, key)| (&**chain, &**key)), names)
    }

    /// Whether this process has a certificate of its own.
    pub fn has_certificate(&self) -> bool {
        self.answering.is_some()
    }

    pub(crate) fn answering(&self, must_have_certificate: bool) -> Option<Arc<ServerConfig>> {
        let answering = self.answering.as_ref()?;
        Some(if must_have_certificate { &answering.strict } else { &answering.lenient }.clone())
    }

    pub(crate) fn dialing(&self) -> Arc<ClientConfig> {
        self.dialing.clone()
    }

    pub(crate) fn names(&self) -> Names {
        self.names
    }

    /// The name that a listener's certificate must have.
    pub(crate) fn expected_name(&self, role: Role, host: &str) -> Result<ServerName<'static>, Refusal> {
        let name = match self.names {
            Names::Role => role_name(role),
            Names::Host => host.to_owned(),
        };
        ServerName::try_from(name).map_err(|error| Refusal::Tls(error.to_string()))
    }
}

impl std::fmt::Debug for Tls {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "Tls(has_certificate: {}, names: {:?})", self.has_certificate(), self.names)
    }
}

impl Answering {
    fn new(roots: &Arc<RootCertStore>, own: &Own) -> Result<Self, TlsError> {
        let verifier = || WebPkiClientVerifier::builder_with_provider(roots.clone(), provider());
        let built = |verifier| -> Result<_, TlsError> {
            let config = ServerConfig::builder_with_provider(provider())
                .with_protocol_versions(&[&rustls::version::TLS13])?
                .with_client_cert_verifier(verifier)
                .with_single_cert(own.0.clone(), own.1.clone_key())?;
            Ok(Arc::new(without_tickets(config)))
        };
        let failed = |error: rustls::server::VerifierBuilderError| TlsError::Pem("authority", error.to_string());
        Ok(Self {
            strict: built(verifier().build().map_err(failed)?)?,
            lenient: built(verifier().allow_unauthenticated().build().map_err(failed)?)?,
        })
    }
}

/// Nobody comes back by what an earlier connection knew: certificates are looked at each time.
fn without_tickets(mut config: ServerConfig) -> ServerConfig {
    config.send_tls13_tickets = 0;
    config.session_storage = Arc::new(rustls::server::NoServerSessionStorage {});
    config
}

type Own = (Vec<CertificateDer<'static>>, PrivateKeyDer<'static>);

fn identity(chain: &str, key: &str) -> Result<Own, TlsError> {
    let chain: Result<Vec<_>, _> = CertificateDer::pem_slice_iter(chain.as_bytes()).collect();
    let chain = chain.map_err(|error| TlsError::Pem("certificate", error.to_string()))?;
    // What the parser says of a key isn't repeated.
    let key =
        PrivateKeyDer::from_pem_slice(key.as_bytes()).map_err(|_| TlsError::Pem("key", "it is no PEM".to_owned()))?;
    Ok((chain, key))
}

fn provider() -> Arc<rustls::crypto::CryptoProvider> {
    Arc::new(rustls::crypto::ring::default_provider())
}

/// Whether the peer's certificate is one of `role`.
pub(crate) fn check_role(certificates: Option<&[CertificateDer<'_>]>, role: Role) -> Result<(), Refusal> {
    let wrong = Refusal::CertificateRole(role);
    let Some(first) = certificates.and_then(|certificates| certificates.first()) else { return Err(wrong) };
    let certificate = webpki::EndEntityCert::try_from(first).map_err(|error| Refusal::Tls(error.to_string()))?;
    let expected = role_uri(role);
    if certificate.valid_uri_names().any(|name| name == expected) { Ok(()) } else { Err(wrong) }
}

/// What only the two ends of this connection know.
pub(crate) fn binding<D>(connection: &rustls::ConnectionCommon<D>) -> Result<Vec<u8>, Refusal> {
    let exported = connection.export_keying_material([0; EXPORT_BYTES], EXPORT_LABEL, None);
    exported.map(|bytes| bytes.to_vec()).map_err(|error| Refusal::Tls(error.to_string()))
}

fn check_private(path: &Path) -> Result<(), TlsError> {
    use std::os::unix::fs::MetadataExt;
    let about = path.metadata().map_err(|error| TlsError::File(path.display().to_string(), error.to_string()))?;
    if about.mode() & 0o077 == 0 {
        return Ok(());
    }
    let why = format!("it may be used by others (mode {:o}): `chmod 600` it", about.mode() & 0o777);
    Err(TlsError::File(path.display().to_string(), why))
}

/// Whether the certificate of a process is good now; else nobody would take it, and only they would hear why.
fn check_time(chain: &str) -> Result<(), String> {
    let Some(Ok(first)) = CertificateDer::pem_slice_iter(chain.as_bytes()).next() else { return Ok(()) };
    let Ok(certificate) = webpki::EndEntityCert::try_from(&first) else { return Ok(()) };
    // Whoever believes nobody looks at the time first.
    let (algorithms, usage) = (webpki::ALL_VERIFICATION_ALGS, webpki::KeyUsage::client_auth());
    match certificate.verify_for_usage(algorithms, &[], &[], UnixTime::now(), usage, None, None) {
        Err(webpki::Error::CertExpired { time, not_after }) => {
            Err(format!("the certificate expired {} ago: {MAKE_NEW}", span(time.as_secs() - not_after.as_secs())))
        }
        Err(webpki::Error::CertNotValidYet { time, not_before }) => Err(format!(
            "the certificate is good only from {} on: is the clock of this host right? Else {MAKE_NEW}",
            span(not_before.as_secs() - time.as_secs())
        )),
        _ => Ok(()),
    }
}

/// Why TLS can't be spoken.
#[derive(Debug, thiserror::Error)]
pub enum TlsError {
    /// What is given isn't PEM of that kind.
    #[error("the {0} can't be read: {1}")]
    Pem(&'static str, String),
    /// A file can't be read.
    #[error("`{0}` can't be used: {1}")]
    File(String, String),
    /// The parts don't fit together.
    #[error("certificate and key can't be used: {0}")]
    Unusable(#[from] rustls::Error),
}

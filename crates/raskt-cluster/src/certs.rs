//! Certificates of a cluster: an authority of its own, and one certificate for each role.
//!
//! A certificate says its role twice: as a URI, which is compared with the role in which somebody comes, and as a name, by
//! which those who dial know whom they have reached, whatever the host is called.

use crate::hello::Role;
use rcgen::{
    BasicConstraints, CertificateParams, DistinguishedName, DnType, ExtendedKeyUsagePurpose, IsCa, Issuer, KeyPair,
    KeyUsagePurpose, SanType,
};
use rustix::fs::{Mode, OFlags};
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::path::Path;
use std::time::{Duration, SystemTime};

/// What the URI of a role begins with.
const ROLE_URI: &str = "raskt:role:";
/// What the name of a role ends with.
const ROLE_DOMAIN: &str = "raskt.internal";
/// A clock that is behind by this much still takes a new certificate.
const SKEW: Duration = Duration::from_secs(300);
/// File names of the authority.
const AUTHORITY: &str = "ca";

/// Who signs the certificates of a cluster.
pub struct Authority {
    issuer: Issuer<'static, KeyPair>,
    certificate: String,
}

/// A certificate and its key, in PEM.
#[derive(Clone)]
pub struct Certified {
    /// The certificate.
    pub certificate: String,
    /// The key, which is a secret.
    pub key: String,
}

impl Authority {
    /// A new one, which is good for `days`.
    pub fn create(days: u32) -> Result<Self, CertificateError> {
        let key = KeyPair::generate()?;
        let mut params = authority_params();
        (params.not_before, params.not_after) = validity(from_now(days));
        let certificate = params.self_signed(&key)?.pem();
        Ok(Self { issuer: Issuer::new(authority_params(), key), certificate })
    }

    /// Its certificate, which everybody needs.
    pub fn certificate(&self) -> &str {
        &self.certificate
    }

    /// A certificate for those who come as `role`, and who listen at `hosts` (names or numbers).
    pub fn issue(&self, role: Role, hosts: &[String], valid: Range<SystemTime>) -> Result<Certified, CertificateError> {
        let key = KeyPair::generate()?;
        let mut names = hosts.to_vec();
        names.push(role_name(role));
        let mut params = CertificateParams::new(names)?;
        params.subject_alt_names.push(SanType::URI(role_uri(role).try_into()?));
        params.distinguished_name = called(&format!("raskt {role}"));
        (params.not_before, params.not_after) = validity(valid);
        params.key_usages = vec![KeyUsagePurpose::DigitalSignature];
        params.extended_key_usages = vec![ExtendedKeyUsagePurpose::ServerAuth, ExtendedKeyUsagePurpose::ClientAuth];
        params.use_authority_key_identifier_extension = true;
        let certificate = params.signed_by(&key, &self.issuer)?.pem();
        Ok(Certified { certificate, key: key.serialize_pem() })
    }

    /// Writes it into a folder that only its owner may use, which is made if it isn't there.
    pub fn write(&self, folder: &Path) -> Result<(), CertificateError> {
        let key = self.issuer.key().serialize_pem();
        Certified { certificate: self.certificate.clone(), key }.write(folder, AUTHORITY)
    }

    /// Reads it from there.
    pub fn read(folder: &Path) -> Result<Self, CertificateError> {
        let read = |name: String| std::fs::read_to_string(folder.join(name)).map_err(CertificateError::from);
        let key = KeyPair::from_pem(&read(format!("{AUTHORITY}-key.pem"))?)?;
        let certificate = read(format!("{AUTHORITY}.pem"))?;
        Ok(Self { issuer: Issuer::new(authority_params(), key), certificate })
    }
}

impl Certified {
    /// Writes it as `name.pem` and `name-key.pem` into a folder that only its owner may use. Nothing is written over.
    pub fn write(&self, folder: &Path, name: &str) -> Result<(), CertificateError> {
        match rustix::fs::mkdir(folder, Mode::RWXU) {
            Ok(()) | Err(rustix::io::Errno::EXIST) => {}
            Err(error) => return Err(io::Error::from(error).into()),
        }
        create(&folder.join(format!("{name}-key.pem")), &self.key)?;
        create(&folder.join(format!("{name}.pem")), &self.certificate)
    }
}

/// From a little before now, so that clocks needn't agree, until so many days later.
pub fn from_now(days: u32) -> Range<SystemTime> {
    let now = SystemTime::now();
    now - SKEW..now + Duration::from_secs(u64::from(days) * 24 * 3600)
}

/// The URI that says a role.
pub(crate) fn role_uri(role: Role) -> String {
    format!("{ROLE_URI}{role}")
}

/// The name that says a role.
pub(crate) fn role_name(role: Role) -> String {
    format!("{role}.{ROLE_DOMAIN}")
}

fn authority_params() -> CertificateParams {
    let mut params = CertificateParams::default();
    params.distinguished_name = called("raskt cluster authority");
    params.is_ca = IsCa::Ca(BasicConstraints::Constrained(0));
    params.key_usages = vec![KeyUsagePurpose::KeyCertSign, KeyUsagePurpose::CrlSign];
    params
}

fn called(name: &str) -> DistinguishedName {
    let mut called = DistinguishedName::new();
    called.push(DnType::CommonName, name);
    called
}

fn validity(valid: Range<SystemTime>) -> (time::OffsetDateTime, time::OffsetDateTime) {
    (valid.start.into(), valid.end.into())
}

fn create(path: &Path, text: &str) -> Result<(), CertificateError> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let opened = rustix::fs::open(path, flags, Mode::RUSR | Mode::WUSR).map_err(io::Error::from)?;
    Ok(File::from(opened).write_all(text.as_bytes())?)
}

/// Why there is no certificate.
#[derive(Debug, thiserror::Error)]
pub enum CertificateError {
    /// It can't be made.
    #[error("a certificate can't be made: {0}")]
    Made(#[from] rcgen::Error),
    /// Its file can't be written or read.
    #[error("a certificate's file can't be used: {0}")]
    File(#[from] io::Error),
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn an_authority_and_its_certificates_are_files_that_nobody_else_reads() {
        let folder = tempfile::tempdir().unwrap();
        let folder = folder.path().join("certs");
        let authority = Authority::create(10).unwrap();
        authority.write(&folder).unwrap();
        let again = Authority::read(&folder).unwrap();
        again.issue(Role::Worker, &["localhost".into()], from_now(1)).unwrap().write(&folder, "worker").unwrap();
        assert_eq!(folder.metadata().unwrap().mode() & 0o777, 0o700);
        for name in ["ca.pem", "ca-key.pem", "worker.pem", "worker-key.pem"] {
            assert_eq!(folder.join(name).metadata().unwrap().mode() & 0o777, 0o600, "{name}");
        }
        assert!(authority.write(&folder).is_err(), "nothing is written over");
    }
}

//! What goes wrong with certificates, in words for those who can do something about it.

/// What has to be done about a certificate whose time is over.
pub(crate) const MAKE_NEW: &str = "`raskt certs DIR --force` makes new ones, for all processes of the cluster";

/// A span of time, as people say it.
pub(crate) fn span(seconds: u64) -> String {
    match seconds {
        0..120 => format!("{seconds} seconds"),
        120..7_200 => format!("{} minutes", seconds / 60),
        7_200..172_800 => format!("{} hours", seconds / 3_600),
        _ => format!("{} days", seconds / 86_400),
    }
}

/// What went wrong.
pub(crate) fn in_words(error: &rustls::Error) -> String {
    use rustls::{AlertDescription as Alert, CertificateError as Certificate, Error};
    match error {
        Error::InvalidCertificate(Certificate::Expired | Certificate::ExpiredContext { .. }) => {
            format!("the certificate of the other side has expired ({error}): {MAKE_NEW}")
        }
        Error::InvalidCertificate(Certificate::NotValidYet | Certificate::NotValidYetContext { .. }) => format!(
            "the certificate of the other side isn't good yet ({error}): do the clocks of both hosts agree? Else {MAKE_NEW}"
        ),
        // There is one alert for both.
        Error::AlertReceived(Alert::CertificateExpired) => format!(
            "to the other side the certificate of this process has expired or isn't good yet: do the clocks of both hosts \
             agree? Else {MAKE_NEW}"
        ),
        Error::InvalidCertificate(Certificate::UnknownIssuer | Certificate::BadSignature) => format!(
            "the certificate of the other side is of another authority ({error}): all processes need `ca.pem` and certificates \
             of one `raskt certs`"
        ),
        Error::AlertReceived(Alert::UnknownCA | Alert::DecryptError) => format!(
            "to the other side the certificate of this process is of another authority ({error}): all processes need `ca.pem` \
             and certificates of one `raskt certs`"
        ),
        _ => error.to_string(),
    }
}

//! As much of HTTP as it takes to look on: a request without a body, read within bounds of size and time, and one answer.

use std::io::{self, Read, Write};
use std::net::{IpAddr, TcpStream};
use std::time::{Duration, Instant};

/// A longer head isn't read.
const HEAD_BYTES_MAX: usize = 8 << 10;

/// Whoever hasn't said what he wants after this long isn't answered; nor who takes longer to take it.
const PATIENCE: Duration = Duration::from_secs(5);

/// What somebody wants to see.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Asked<'a> {
    pub path: &'a str,
    /// The secret that he gave.
    pub bearer: Option<&'a str>,
}

/// What he gets.
pub(super) struct Response {
    status: u16,
    body: String,
}

impl Response {
    pub fn of(status: u16, body: &str) -> Self {
        Self { status, body: body.to_owned() }
    }

    fn written(&self) -> Vec<u8> {
        let reason = match self.status {
            200 => "OK",
            400 => "Bad Request",
            401 => "Unauthorized",
            403 => "Forbidden",
            404 => "Not Found",
            405 => "Method Not Allowed",
            _ => "Service Unavailable",
        };
        let (status, length) = (self.status, self.body.len());
        let head = format!(
            "HTTP/1.1 {status} {reason}\r\nContent-Type: text/plain; version=0.0.4; charset=utf-8\r\nContent-Length: {length}\r\n\
             X-Content-Type-Options: nosniff\r\nCache-Control: no-store\r\nConnection: close\r\n\r\n"
        );
        [head.as_bytes(), self.body.as_bytes()].concat()
    }
}

/// Reads a request, and writes what `answer` gives for it.
pub(super) fn serve(mut stream: &TcpStream, answer: impl FnOnce(&Asked<'_>) -> Response) -> io::Result<()> {
    let deadline = Instant::now() + PATIENCE;
    stream.set_write_timeout(Some(PATIENCE))?;
    let mut head = Vec::with_capacity(1 << 10);
    while !head.windows(4).any(|end| end == b"\r\n\r\n") {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || head.len() >= HEAD_BYTES_MAX {
            return Ok(());
        }
        stream.set_read_timeout(Some(left))?;
        let mut part = [0; 1 << 10];
        match stream.read(&mut part)? {
            0 => return Ok(()),
            read => head.extend_from_slice(&part[..read]),
        }
    }
    let response = match asked(&head) {
        Ok(asked) => answer(&asked),
        Err(response) => response,
    };
    stream.write_all(&response.written())?;
    stream.flush()
}

/// What a head asks for.
fn asked(head: &[u8]) -> Result<Asked<'_>, Response> {
    let malformed = || Response::of(400, "that is no request\n");
    let text = str::from_utf8(head).map_err(|_| malformed())?;
    let mut lines = text.split("\r\n");
    let mut words = lines.next().unwrap_or_default().split(' ');
    let (Some(method), Some(target), Some(version)) = (words.next(), words.next(), words.next()) else {
        return Err(malformed());
    };
    if !version.starts_with("HTTP/1.") || words.next().is_some() {
        return Err(malformed());
    }
    if method != "GET" {
        return Err(Response::of(405, "there is nothing to do here but to look: GET\n"));
    }
    let mut asked = Asked { path: target.split('?').next().unwrap_or_default(), bearer: None };
    for (name, value) in lines.filter_map(|line| line.split_once(':')) {
        match name.to_ascii_lowercase().as_str() {
            "authorization" => asked.bearer = value.trim().strip_prefix("Bearer ").map(str::trim),
            // A page of somebody else whose name was made to lead here doesn't get to see anything.
            "host" if !is_address(value.trim()) => return Err(Response::of(403, "name this host by its address\n")),
            _ => {}
        }
    }
    Ok(asked)
}

/// Whether a host is named by its address, or as this one.
fn is_address(host: &str) -> bool {
    let name = match host.rsplit_once(':') {
        Some((name, port)) if port.bytes().all(|byte| byte.is_ascii_digit()) => name,
        _ => host,
    };
    name == "localhost" || name.trim_matches(['[', ']']).parse::<IpAddr>().is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn requests_are_read() {
        let read = |text: &str| asked(text.as_bytes()).map(|it| (it.path.to_owned(), it.bearer.map(str::to_owned)));
        let status = |text: &str| read(text).map_err(|response| response.status);
        let plain = "GET /metrics?x=1 HTTP/1.1\r\nHost: 127.0.0.1:9000\r\n\r\n";
        assert_eq!(status(plain), Ok(("/metrics".into(), None)));
        let known = "GET /health HTTP/1.0\r\nhost: [::1]\r\nAUTHORIZATION: Bearer abc \r\n\r\n";
        assert_eq!(status(known), Ok(("/health".into(), Some("abc".into()))));
        assert_eq!(status("POST /metrics HTTP/1.1\r\n\r\n"), Err(405));
        assert_eq!(status("GET /metrics HTTP/1.1\r\nHost: evil.example\r\n\r\n"), Err(403));
        assert_eq!(status("GET /metrics\r\n\r\n"), Err(400));
        assert_eq!(status("GET / a HTTP/1.1\r\n\r\n"), Err(400));
    }

    proptest! {
        #[test]
        fn no_bytes_are_too_odd(head in prop::collection::vec(any::<u8>(), 0..200)) {
            if let Ok(found) = asked(&head) {
                prop_assert!(head.starts_with(b"GET "));
                prop_assert!(!found.path.contains([' ', '?']));
            }
        }
    }
}
